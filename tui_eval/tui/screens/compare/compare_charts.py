"""The charts of a comparison, one at a time; a new one is an entry of `CHARTS`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual.worker import get_current_worker

from tui_eval.results.comparison.comparing import Comparison
from tui_eval.tui.charts import Picture
from tui_eval.tui.screens.compare import pictures
from tui_eval.tui.screens.compare.compare_part import Part
from tui_eval.tui.widgets.chart_turner import ChartTurner

LINES = 3
"""Of words above a chart; more where they are needed."""


CHARTS: tuple[Callable[[Comparison, int], Picture], ...] = (pictures.scores, pictures.costs, pictures.categories)


class ChartsPart(Part, ChartTurner):
    """A chart, what it is called, and what must be said of it."""

    HOW_MANY = len(CHARTS)

    def __init__(self) -> None:
        super().__init__(id="charts-part")
        self._comparison: Comparison | None = None

    def show(self, comparison: Comparison) -> None:
        """The chart that was chosen."""
        self._comparison = comparison
        self.draw()

    def begin(self) -> None:
        """Take the keys."""
        self.focus_chart()

    def draw(self) -> None:
        """Make the picture in the background: ten thousand questions take longer than a key may."""
        if self._comparison is not None:
            make = partial(self._make, self._comparison, self.number, self.chosen)
            self.screen.run_worker(make, thread=True, exclusive=True, group="chart", exit_on_error=False)

    def _make(self, comparison: Comparison, number: int, chosen: int) -> None:
        worker = get_current_worker()
        picture = CHARTS[number](comparison, chosen)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._made, picture, number, chosen)

    def _made(self, picture: Picture, number: int, chosen: int) -> None:
        if self.is_attached and (number, chosen) == (self.number, self.chosen):
            self.put(picture)
            self._tell()

    def on_resize(self) -> None:
        """Another width needs more lines, or fewer."""
        self._tell()

    def _tell(self) -> None:
        if self.picture is not None:
            self.tell([(self.picture.about, "")], LINES, 2 * LINES)
