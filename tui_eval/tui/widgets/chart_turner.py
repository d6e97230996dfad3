"""Several charts in one place, one at a time: its name, what must be said of it, and keys for the next one."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical

from tui_eval.tui.charts import Picture
from tui_eval.tui.keymap import bind
from tui_eval.tui.widgets.chart import Chart
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.text import Reading


class ChartTurner(Vertical):
    """A part of a screen that shows one of its charts; `draw` makes the one that is chosen."""

    HOW_MANY = 1
    BINDINGS = [
        bind("chart.next", "turn(1)", "Next chart"),
        bind("chart.previous", "turn(-1)", "Previous chart", show=False),
        bind("list.down", "choose(1)", "Other group", show=False, tooltip="The same chart of another model, stage or grouping"),
        bind("list.up", "choose(-1)", "Other group", show=False),
    ]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.number = 0
        self.picture: Picture | None = None
        self._choices = [0] * self.HOW_MANY

    def compose(self) -> ComposeResult:
        """Its name, what it shows, the chart."""
        yield Lines(id="chart-name")
        yield Reading(id="chart-about", can_focus=False)
        yield Chart(id="chart")

    def draw(self) -> None:
        """Make the chart that is chosen and `put` it."""

    @property
    def chosen(self) -> int:
        """Of which group the chart is."""
        return self._choices[self.number]

    def put(self, picture: Picture) -> None:
        """Show a chart under its name."""
        self.picture = picture
        pieces: list[Piece] = [(f"‹ {self.number + 1} of {self.HOW_MANY} ›  ", "dim"), (picture.name, "strong")]
        if len(picture.choices) > 1:
            at = self.chosen % len(picture.choices)
            pieces.append((f"   {picture.choices[at]}, {at + 1} of {len(picture.choices)}: j k for others", "dim"))
        self.query_one("#chart-name", Lines).say(*pieces)
        self.query_one(Chart).show(picture)

    def action_turn(self, by: int) -> None:
        """Another chart."""
        self.number = (self.number + by) % self.HOW_MANY
        self.draw()

    def action_choose(self, by: int) -> None:
        """The same chart of something else."""
        many = len(self.picture.choices) if self.picture else 0
        if many:
            self._choices[self.number] = (self.chosen + by) % many
            self.draw()
