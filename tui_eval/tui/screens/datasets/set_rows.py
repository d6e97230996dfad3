"""Sets of questions as rows of a list."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.datasets.set_list import SetEntry
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Cell, Column
from tui_eval.tui.words import count, size


def matches(entry: SetEntry, words: str) -> bool:
    """Whether a set has every word, and none of those after a "!"."""
    text = f"{entry.name} {entry.path.name} {entry.sort} {entry.source} {entry.problem}".casefold()
    return all((word[1:] not in text) if word.startswith("!") else word in text for word in words.casefold().split())


def selected_words(selected: int | None, n: int | None) -> Cell:
    """How many of a set's questions are selected."""
    if n is None:
        return "-", "dim"
    if selected is None:
        return f"unknown of {count(n)}", "warn"
    if selected == n:
        return f"all {count(n)}"
    return f"{count(selected)} of {count(n)}", "accent" if selected else "warn"


def origin(entry: SetEntry) -> str:
    """What is left of a set once it is deleted."""
    if entry.source.startswith("typed,"):
        return "It was typed here: nothing else holds it."
    if not entry.source or entry.source == "by hand":
        return "It was put here by hand: whether it lies anywhere else is not known."
    return "What it was imported from is not touched."


def mark(entry: SetEntry) -> str:
    """The sign before what is to be known of a set: it cannot be used, or not without care."""
    return "✗" if entry.questions is None else "!"


def _sort(entry: SetEntry) -> Cell:
    return (f"✗ {entry.sort}", "bad") if entry.questions is None else entry.sort


def _problem(entry: SetEntry) -> Cell:
    if not entry.problem:
        return ""
    return f"{mark(entry)} {safe_line(entry.problem, 200)}", "bad" if entry.questions is None else "warn"


COLUMNS: Sequence[Column[SetEntry]] = (
    Column("name", 16, lambda entry: safe_line(entry.name, 80), share=2, middle=True),
    Column("questions", 13, _sort),
    Column("selected", 15, lambda entry: selected_words(entry.selected, entry.questions)),
    Column("size", 8, lambda entry: (size(entry.bytes), "dim"), right=True),
    Column("from", 20, lambda entry: (safe_line(entry.source, 100) if entry.source else "-", "dim"), share=2, middle=True),
    Column("what to know", 14, _problem, share=3, above=119),
)
"""The columns of the list of sets."""
