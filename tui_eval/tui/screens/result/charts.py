"""Four charts of a run, one at a time."""

from __future__ import annotations

import time

from textual.app import ComposeResult

from tui_eval.tui import charts
from tui_eval.tui.charts import Picture
from tui_eval.tui.keymap import bind
from tui_eval.tui.screens.result.part import Part, Result
from tui_eval.tui.screens.saving import save_text
from tui_eval.tui.widgets.chart import Chart
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.text import Reading

HOW_MANY = 4
EVERY_S = 2.0
"""Between two drawings of a chart of a log that grows."""


class ChartsPart(Part):
    """A chart, what it is called, and what must be said of it."""

    DEFAULT_CSS = """
    ChartsPart > Reading { height: 3; }
    """
    BINDINGS = [
        bind("chart.next", "turn(1)", "Next chart"),
        bind("chart.previous", "turn(-1)", "Previous chart", show=False),
        bind("list.down", "choose(1)", "Other group", show=False, tooltip="The same chart of another model or grouping"),
        bind("list.up", "choose(-1)", "Other group", show=False),
        bind("record.write", "write", "Write", tooltip="Write the chart to a text file, whose path is shown"),
    ]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="charts")
        self._number = 0
        self._choices = [0] * HOW_MANY
        self._seen: object = None
        self._read = -1
        self._made_at = 0.0
        self._picture: Picture | None = None

    def compose(self) -> ComposeResult:
        """Its name, what it shows, the chart."""
        yield Lines(id="chart-name")
        about = Reading(id="chart-about")
        about.can_focus = False
        yield about
        chart = Chart(id="chart")
        chart.can_focus = True
        yield chart

    def begin(self) -> None:
        """The keys go to the chart."""
        self.query_one(Chart).focus()

    def look(self) -> None:
        """Make the picture anew when there is something new in it."""
        seen = (self._number, tuple(self._choices), self.result.version)
        if seen == self._seen and not self._log_grew():
            return
        self._seen = seen
        self._read, self._made_at = self.result.opened.follower.version, time.monotonic()
        self._picture = picture = self._made()
        pieces: list[Piece] = [(f"‹ {self._number + 1} of {HOW_MANY} ›  ", "dim"), (picture.name, "strong")]
        if len(picture.choices) > 1:
            at = self._choices[self._number] % len(picture.choices)
            pieces.append((f"   {picture.choices[at]}, {at + 1} of {len(picture.choices)}: j k for others", "dim"))
        self.query_one("#chart-name", Lines).say(*pieces)
        self.query_one("#chart-about", Reading).show([(picture.about, "")])
        self.query_one(Chart).show(picture)

    def action_turn(self, by: int) -> None:
        """Another chart."""
        self._number = (self._number + by) % HOW_MANY
        self.look()

    def action_choose(self, by: int) -> None:
        """The same chart of something else."""
        many = len(self._picture.choices) if self._picture else 0
        if many:
            self._choices[self._number] = (self._choices[self._number] + by) % many
            self.look()

    def action_write(self) -> None:
        """The chart as text; its file is named by what it is."""
        if self._picture is not None:
            lines = [self._picture.name, self._picture.about, "", *self.query_one(Chart).lines]
            save_text(self.page, f"chart-{self._number + 1}.txt", "\n".join(lines) + "\n")

    def _log_grew(self) -> bool:
        """Whether a chart of the log is another one by now; a chart is too much work for every tick."""
        due = self._number == 1 and time.monotonic() - self._made_at >= EVERY_S
        return due and self.result.opened.follower.version != self._read

    def _made(self) -> Picture:
        report, chosen = self.result.report, self._choices[self._number]
        match self._number:
            case 0:
                return charts.accuracy(report)
            case 1:
                index = self.result.opened.follower.index
                leaves = {key: dict(leaf.latencies) for key, leaf in list(index.buckets.leaves.items())}
                return charts.latencies(leaves, chosen, index.lines - index.read, index.buckets.simulated)
            case 2:
                return charts.cost(report)
            case _:
                return charts.categories(report, chosen)
