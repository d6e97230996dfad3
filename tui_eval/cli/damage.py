"""What is said of a log with destroyed lines, by every verb that reads it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tui_eval.cli.standard_error import tell
from tui_eval.runs.destroyed_lines import damage_words
from tui_eval.runs.reader import RunReader


def say_damage(paths: Iterable[Path]) -> None:
    """Name the destroyed lines of these runs' logs on standard error."""
    for path in paths:
        if numbers := RunReader(path).torn():
            tell(f"note: {path}/call_logs.jsonl: {damage_words(numbers)}")
