"""One reply on which scorers differ, with what each of them says of it."""

from __future__ import annotations

from collections.abc import Callable

from tui_eval.tui.screens.bench.bench_reading import RatedBench
from tui_eval.tui.screens.bench.scorer_rows import DisputedRow, reply_text
from tui_eval.tui.screens.bench.stepped import SteppedPage
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.words import count


class DisputedReplyScreen(SteppedPage):
    """A reply of the list, opened."""

    def __init__(self, rated_bench: RatedBench, n: int, row_at: Callable[[int], DisputedRow], place: int) -> None:
        """`n`: rows of the list that it is opened from; `place`: which of them."""
        super().__init__(n, place)
        self._rated_bench, self._row_at = rated_bench, row_at

    def show_entry(self) -> None:
        """Show the reply."""
        place = f"{count(self.place + 1)} of {count(self.n)}"
        self.query_one("#about", Lines).say(("Scorers differ  ", "strong"), place)
        self.show_text(reply_text(self._rated_bench, self._row_at(self.place)))
