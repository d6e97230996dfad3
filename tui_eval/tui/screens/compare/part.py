"""A part of a comparison, and what all parts have in common."""

from __future__ import annotations

import time

from textual.containers import Vertical
from textual.worker import get_current_worker

from tui_eval.compare.comparison import Comparison

REST_S = 0.0005
"""How long work in the background rests between two pieces."""


class Part(Vertical):
    """One of the parts that are shown in turn."""

    DEFAULT_CSS = """
    Part { height: 1fr; }
    """

    def show(self, comparison: Comparison) -> None:
        """Show what was found."""

    def begin(self) -> None:
        """Take the keys."""

    def opened(self, row: int) -> None:
        """A row of its table was chosen."""


def go_on() -> bool:
    """For work in the background: lets keys have their turn, and tells whether the work is still wanted."""
    time.sleep(REST_S)
    return not get_current_worker().is_cancelled
