"""What is said of a log with destroyed lines, by every verb that reads it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tui_eval.core.plaintext import visible
from tui_eval.runs.reader import RunReader

SHOWN = 10


def damage_words(numbers: Sequence[int]) -> str:
    """Which lines are destroyed."""
    shown = ", ".join(map(str, numbers[:SHOWN])) + (f" and {len(numbers) - SHOWN} more" if len(numbers) > SHOWN else "")
    return f"{'line' if len(numbers) == 1 else 'lines'} {shown} cannot be read: damaged; what was answered there is lost"


def say_damage(paths: Iterable[Path]) -> None:
    """Name the destroyed lines of these runs' logs on standard error."""
    for path in paths:
        if numbers := RunReader(path).torn():
            print(f"note: {visible(str(path))}/call_logs.jsonl: {damage_words(numbers)}", file=sys.stderr)
