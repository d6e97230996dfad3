"""A part of a comparison, and what all parts have in common."""

from __future__ import annotations

import time
from collections.abc import Sequence

from textual.worker import get_current_worker

from tui_eval.results.comparison.comparing import Comparison
from tui_eval.tui.measures import PartInTurn
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import BESIDE, Paragraph, Reading, wrapped

REST_S = 0.0005
"""How long work in the background rests between two pieces."""
CUT: Paragraph = ("… a larger terminal shows the rest, and so does what w writes", "dim")


class ComparePart(PartInTurn):
    """One of the parts that are shown in turn."""

    comparison: Comparison | None = None
    """None until it is read."""

    @property
    def pairs_on_show(self) -> list[str]:
        """The pair, as "A,B", whose flips are on show; none where none are."""
        return []

    def show(self, comparison: Comparison) -> None:
        """Show what was found."""
        self.comparison = comparison

    def say_words(self) -> None:
        """Say what belongs beside its table or chart."""

    def on_resize(self) -> None:
        """Another width needs more lines, or fewer."""
        self.say_words()

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Another row is under the cursor."""
        event.stop()
        self.say_words()

    def tell(self, paragraphs: Sequence[Paragraph], least: int, most: int) -> None:
        """Words beside its table or chart, on as many lines as they need within these bounds; that some are cut is said."""
        lines = list(wrapped(paragraphs, self.app.size.width - BESIDE))
        reading = self.query_one(Reading)
        reading.show(paragraphs if len(lines) <= most else [*lines[: most - 1], CUT])
        reading.styles.height = max(least, min(len(lines), most))


def go_on() -> bool:
    """For work in the background: lets keys have their turn, and tells whether the work is still wanted."""
    time.sleep(REST_S)
    return not get_current_worker().is_cancelled
