"""Destroyed lines of a run's log: which they are, and whether a resume would pay again for what stood in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tui_eval.runs.reader import RunReader

SHOWN = 10


def damage_words(numbers: Sequence[int]) -> str:
    """Describe the lines that are destroyed."""
    listed = ", ".join(map(str, numbers[:SHOWN])) + (f" and {len(numbers) - SHOWN} more" if len(numbers) > SHOWN else "")
    return f"{'line' if len(numbers) == 1 else 'lines'} {listed} cannot be read: damaged; the answers there are lost"


def asked_again(path: Path) -> list[int]:
    """Numbers of the destroyed lines where a resume would pay again for what stood in them; none where it would not.

    Reads the whole log.
    """
    reader = RunReader(path)
    damaged = reader.damaged()
    return damaged if damaged and reader.would_ask_again(damaged) else []
