"""A chart on the screen, drawn anew only when it or its room is another one."""

from __future__ import annotations

import re

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from tui_eval.tui.charts import Picture
from tui_eval.tui.widgets.cells import fitted
from tui_eval.tui.widgets.drawing import FRAME, drawing


class Chart(Widget, can_focus=True):
    """A picture, drawn anew only when it or its room is another."""

    COMPONENT_CLASSES = {"chart--data", "chart--frame"}
    DEFAULT_CSS = """
    Chart { height: 1fr; padding: 0 1; background: $background; }
    Chart > .chart--data { color: $accent; text-style: bold; }
    Chart > .chart--frame { text-style: dim; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._picture: Picture | None = None
        self._made: tuple[object, ...] = ()
        self._lines: list[str] = []

    def show(self, picture: Picture) -> None:
        """Show a picture."""
        if picture != self._picture:
            self._picture = picture
            self.refresh()

    @property
    def lines(self) -> list[str]:
        """The chart as text, as it fits."""
        width, height = self.size
        key = (self._picture, width, height)
        if key != self._made:
            self._made = key
            self._lines = [] if self._picture is None else drawing(self._picture, width, height)
        return self._lines

    def render_line(self, y: int) -> Strip:
        """One line of the chart."""
        lines, width = self.lines, self.size.width
        base = self.rich_style
        line = fitted(lines[y], width) if y < len(lines) else ""
        return Strip(self._toned(line, base)).adjust_cell_length(width, base)

    def _toned(self, line: str, base: Style) -> list[Segment]:
        """Style a line: the data inside the frame stands out; the frame and its labels do not."""
        begin = next((i for i, letter in enumerate(line) if letter in FRAME), -1)
        end = next((i for i in range(len(line) - 1, begin, -1) if line[i] == "│"), -1)
        frame = base + self.get_component_rich_style("chart--frame", partial=True)
        if begin < 0 or end < 0:
            return [Segment(line, frame if line[:1] in " └┌" else base)]
        data = base + self.get_component_rich_style("chart--data", partial=True)
        return [
            Segment(line[:begin], base),
            Segment(line[begin], frame),
            *(Segment(part, frame if part == "·" else data) for part in re.split("(·)", line[begin + 1 : end])),
            Segment(line[end], frame),
            Segment(line[end + 1 :], base),
        ]
