"""Three charts of a comparison, one at a time."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.worker import get_current_worker

from tui_eval.compare.comparison import Comparison
from tui_eval.tui.charts import Picture
from tui_eval.tui.keymap import bind
from tui_eval.tui.screens.compare import pictures
from tui_eval.tui.screens.compare.part import Part
from tui_eval.tui.widgets.chart import Chart
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.text import Reading

HOW_MANY = 3
LINES = 3
"""Of words above a chart; more where they are needed."""


class ChartsPart(Part):
    """A chart, what it is called, and what must be said of it."""

    BINDINGS = [
        bind("chart.next", "turn(1)", "Next chart"),
        bind("chart.previous", "turn(-1)", "Previous chart", show=False),
        bind("list.down", "choose(1)", "Other group", show=False, tooltip="The same chart of another stage or grouping"),
        bind("list.up", "choose(-1)", "Other group", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="charts-part")
        self._comparison: Comparison | None = None
        self._number = 0
        self._choices = [0] * HOW_MANY
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

    def show(self, comparison: Comparison) -> None:
        """The chart that was chosen."""
        self._comparison = comparison
        self._draw()

    def action_turn(self, by: int) -> None:
        """Another chart."""
        self._number = (self._number + by) % HOW_MANY
        self._draw()

    def action_choose(self, by: int) -> None:
        """The same chart of something else."""
        many = len(self._picture.choices) if self._picture else 0
        if many:
            self._choices[self._number] = (self._choices[self._number] + by) % many
            self._draw()

    def _draw(self) -> None:
        """Make the picture in the background: ten thousand questions take longer than a key may."""
        if self._comparison is not None:
            make = partial(self._make, self._comparison, self._number, self._choices[self._number])
            self.screen.run_worker(make, thread=True, exclusive=True, group="chart", description="chart", exit_on_error=False)

    def _make(self, comparison: Comparison, number: int, chosen: int) -> None:
        worker = get_current_worker()
        picture = made(comparison, number, chosen)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._put, picture, number, chosen)

    def _put(self, picture: Picture, number: int, chosen: int) -> None:
        if not self.is_attached:
            return
        self._picture = picture
        pieces: list[Piece] = [(f"‹ {number + 1} of {HOW_MANY} ›  ", "dim"), (picture.name, "strong")]
        if len(picture.choices) > 1:
            at = chosen % len(picture.choices)
            pieces.append((f"   {picture.choices[at]}, {at + 1} of {len(picture.choices)}: j k for others", "dim"))
        self.query_one("#chart-name", Lines).say(*pieces)
        self._tell()
        self.query_one(Chart).show(picture)

    def on_resize(self) -> None:
        """Another width needs more lines, or fewer."""
        self._tell()

    def _tell(self) -> None:
        if self._picture is not None:
            self.tell([(self._picture.about, "")], LINES, 2 * LINES)


def made(comparison: Comparison, number: int, chosen: int) -> Picture:
    """A chart by its number."""
    match number:
        case 0:
            return pictures.scores(comparison)
        case 1:
            return pictures.costs(comparison, chosen)
        case _:
            return pictures.categories(comparison, chosen)
