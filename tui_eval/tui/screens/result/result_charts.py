"""The charts of a run, one at a time; a new one is an entry of `CHARTS`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from tui_eval.tui import charts, item_chart
from tui_eval.tui.charts import Picture
from tui_eval.tui.keymap import bind
from tui_eval.tui.screens.dialogs.saving import save_text
from tui_eval.tui.screens.result.result_part import Part, Result
from tui_eval.tui.widgets.chart import Chart
from tui_eval.tui.widgets.chart_turner import ChartTurner
from tui_eval.tui.widgets.text import Reading

NO_REPORT = "This chart is made of the report, which is written when the run ends."
EVERY_S = 2.0
"""Between two drawings of a chart of a log that grows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A chart: what makes it of a result, for the group that is chosen."""

    make: Callable[[Result, int], Picture]
    of_log: bool = False
    """Whether it is made of the log, which grows while the report stays as it is."""


def _latencies(result: Result, choice: int) -> Picture:
    index = result.opened.follower.index
    leaves = {key: dict(leaf.latencies) for key, leaf in list(index.buckets.leaves.items())}
    return charts.latencies(leaves, choice, index.lines - index.read, index.buckets.simulated)


CHARTS: tuple[Entry, ...] = (
    Entry(lambda result, choice: charts.scores(result.view, choice)),
    Entry(_latencies, of_log=True),
    Entry(lambda result, choice: charts.cost(result.view, choice)),
    Entry(lambda result, choice: charts.categories(result.view, choice)),
    Entry(lambda result, choice: charts.side_by_side(result.view, choice)),
    Entry(lambda result, choice: charts.times(result.view, choice)),
    Entry(lambda result, choice: charts.costs(result.view, choice)),
    Entry(lambda result, choice: item_chart.items(result.view, choice)),
)


class ChartsPart(Part, ChartTurner):
    """A chart, what it is called, and what must be said of it."""

    DEFAULT_CSS = """
    ChartsPart > Reading { height: 3; }
    """
    HOW_MANY = len(CHARTS)
    BINDINGS = [bind("record.write", "write", "Write", tooltip="Write the chart to a text file, whose path is shown")]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="charts")
        self._seen: object = None
        self._read = -1
        self._made_at = 0.0

    def look(self) -> None:
        """Make the picture anew when there is something new in it."""
        absence = "" if CHARTS[self.number].of_log else self.result.absence_words(NO_REPORT)
        state = (self.number, self.chosen, self.result.version, absence)
        if state == self._seen and not self._log_grew():
            return
        self._seen = state
        self._read, self._made_at = self.result.opened.follower.version, time.monotonic()
        picture = CHARTS[self.number].make(self.result, self.chosen)
        picture = replace(picture, about=absence) if absence else picture
        self.query_one("#chart-about", Reading).show([(picture.about, "")])
        self.put(picture)

    def draw(self) -> None:
        """The chart that is chosen."""
        self.look()

    def action_write(self) -> None:
        """The chart as text; its file is named by what it is."""
        if self.picture is not None:
            lines = [self.picture.name, self.picture.about, "", *self.query_one(Chart).lines]
            save_text(self.page, f"chart-{self.number + 1}.txt", "\n".join(lines) + "\n")

    def _log_grew(self) -> bool:
        """Return whether a chart of the log is another one by now; a chart is too much work for every tick."""
        due = CHARTS[self.number].of_log and time.monotonic() - self._made_at >= EVERY_S
        return due and self.result.opened.follower.version != self._read
