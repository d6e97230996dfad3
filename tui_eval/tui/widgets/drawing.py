"""Draws pictures with plotext as lines of plain text: every mark is a sign of its own, told without a colour."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import plotext
from rich.cells import cell_len

from tui_eval.tui.charts import (
    LONGEST_LABEL,
    ON_TOP,
    Bars,
    Cloud,
    Histogram,
    Intervals,
    Picture,
    Scale,
    Scatter,
    Swarm,
    round_step,
)
from tui_eval.tui.widgets.cells import fitted
from tui_eval.tui.words import LEVELS, bar

LEAST = (30, 6)
"""Columns and rows of the smallest chart that is drawn."""
BESIDE = 110
"""From this many columns on the legend stands beside the chart, not below."""
LEGEND = 40
QUARTERS = (0, 25, 50, 75, 100)
PARTS = (5, 4, 6, 3, 9, 10, 8, 7)
"""Into how many parts an axis of marks is cut, if that brings round steps."""
FRAME = "│┤"
"""Signs at the left end of what is inside the frame."""
TOO_SMALL = "There is too little room for a chart here; the tables have the same figures."


def drawing(picture: Picture, width: int, height: int) -> list[str]:
    """A picture as lines of at most `width` columns, its legend beside or below it; never more than `height` lines."""
    if picture.drawn is None:
        return []
    beside = bool(picture.legend) and width >= BESIDE
    below = [] if beside else _in_columns(picture.legend, width, height // 3)
    room = (width - LEGEND if beside else width, height - len(below))
    if room[0] < LEAST[0] or room[1] < LEAST[1]:
        return [TOO_SMALL][: max(height, 0)]
    try:
        lines = _chart_lines(picture, *room)
    except Exception as error:  # plotext raises what it likes; a chart never ends the app
        return [f"This chart cannot be drawn ({type(error).__name__}); the tables have the same figures."]
    if beside:
        legend = [*_cut(picture.legend, height - 1)]
        return [fitted(line, room[0]) + "  " + (legend[i - 1] if 0 < i <= len(legend) else "") for i, line in enumerate(lines)]
    return [*lines, *below]


def _chart_lines(picture: Picture, width: int, height: int) -> list[str]:
    draw: Mapping[type, Callable[[Any, int, int], list[str]]] = {
        Intervals: _intervals,
        Bars: _bars,
        Histogram: _histogram,
        Scatter: _scatter,
        Swarm: _swarm,
        Cloud: _cloud,
    }
    return draw[type(picture.drawn)](picture.drawn, width, height)


@dataclass
class _DrawingSheet:
    """Signs on the cells of a canvas, (0, 0) at the bottom left, and what stands on its axes."""

    width: int
    height: int
    y_labels: Sequence[str] = ()
    cells: dict[tuple[int, int], str] = field(default_factory=dict)
    x_ticks: list[tuple[int, str]] = field(default_factory=list)
    y_ticks: list[tuple[int, str]] = field(default_factory=list)

    @property
    def columns(self) -> int:
        return self.width - 2 - max(map(len, self.y_labels), default=0)

    @property
    def rows(self) -> int:
        return self.height - 3

    def x_of(self, part: float) -> int:
        """The column of a share of the width."""
        return round(min(max(part, 0.0), 1.0) * (self.columns - 1))

    def y_of(self, part: float) -> int:
        """The row of a share of the height."""
        return round(min(max(part, 0.0), 1.0) * (self.rows - 1))

    def lines(self) -> list[str]:
        """The sheet as plotext draws it, without colours."""
        plotext.clear_figure()
        plotext.limit_size(False, False)
        plotext.theme("clear")
        plotext.plotsize(self.width, self.height)
        plotext.xlim(0, self.columns - 1)
        plotext.ylim(0, self.rows - 1)
        plotext.xticks([x for x, _ in self.x_ticks], [label for _, label in self.x_ticks])
        plotext.yticks([y for y, _ in self.y_ticks], [label for _, label in self.y_ticks])
        for sign in dict.fromkeys(self.cells.values()):
            places = [place for place, cell in self.cells.items() if cell == sign]
            plotext.scatter([x for x, _ in places], [y for _, y in places], marker=sign)
        if not self.cells:
            plotext.scatter([-1], [-1], marker=" ")
        built: str = plotext.uncolorize(plotext.build())
        return built.rstrip("\n").split("\n")


def _intervals(intervals: Intervals, width: int, height: int) -> list[str]:
    spreads = intervals.spreads[: height - 4] if len(intervals.spreads) > height - 3 else intervals.spreads
    n_hidden = len(intervals.spreads) - len(spreads)
    labels = [_label(spread.label, width) for spread in spreads]
    sheet = _DrawingSheet(width, height - bool(n_hidden), labels)
    _along(sheet, intervals.scale)
    part = intervals.scale.part
    for (spread, label), (_, y, _) in zip(zip(spreads, labels, strict=True), _bands(sheet.rows, len(spreads)), strict=True):
        sheet.y_ticks.append((y, label))
        if spread.low is not None and spread.high is not None:
            low, high = sheet.x_of(part(spread.low)), sheet.x_of(part(spread.high))
            sheet.cells.update({(x, y): "─" for x in range(low, high + 1)})
            sheet.cells[low, y], sheet.cells[high, y] = "├", "┤"
        sheet.cells[sheet.x_of(part(spread.value)), y] = "●"
    return sheet.lines() + _more(n_hidden, "models")


def _bars(bars: Bars, width: int, height: int) -> list[str]:
    """A line for each amount, and one between where there is room; words only as far as bars of some length leave room."""
    visible_bars = bars.bars[: height - 1] if len(bars.bars) > height else bars.bars
    labels = [_label(label, width) for label, _, _ in visible_bars]
    indent = max(map(cell_len, labels), default=0) + 3
    behind = min(max((cell_len(words) for _, _, words in visible_bars), default=0), (width - indent) * 3 // 4)
    room, most = max(width - indent - behind - 2, 4), max((amount or 0.0 for _, amount, _ in bars.bars), default=0.0)
    lines: list[str] = []
    for label, (_, amount, words) in zip(labels, visible_bars, strict=True):
        drawn_bar = bar(None if amount is None else amount / most if most else 0.0, room)
        lines += [f" {fitted(label, indent - 3)}  {drawn_bar}  {fitted(words, behind)}".rstrip(), ""]
    is_airy = len(lines) + 1 <= height
    lines = ["", *lines] if is_airy else lines[::2]
    return lines + _more(len(bars.bars) - len(visible_bars), "models")


def _histogram(histogram: Histogram, width: int, height: int) -> list[str]:
    room = width - 10
    step = round_step(histogram.most_ms / max(room // 2, 1), least=1)
    bins: Counter[int] = Counter()
    for milliseconds, n in histogram.counts:
        bins[int(milliseconds // step)] += n
    most = max(bins.values(), default=1)
    labels = sorted({0, most // 2, most}) if height >= 10 else [0, most]
    sheet = _DrawingSheet(width, height, [f"{n:,}" for n in labels])
    how_many = int(histogram.most_ms // step) + 1
    wide = max(sheet.columns // how_many, 1)
    for place, n in bins.items():
        eighths = max(round(8 * n / most * sheet.rows), 1)
        for y in range(min((eighths + 7) // 8, sheet.rows)):
            sign = "█" if eighths >= 8 * (y + 1) else LEVELS[eighths % 8 - 1]
            sheet.cells.update({(place * wide + x, y): sign for x in range(max(wide - (wide > 3), 1))})
    sheet.y_ticks = [(sheet.y_of(n / most), f"{n:,}") for n in labels]
    span = step * sheet.columns / wide
    tick = round_step(span / max(sheet.columns // 12, 1), least=1)
    sheet.x_ticks = [(int(i * tick / step * wide), f"{i * tick / 1000:g} s") for i in range(int(span // tick) + 1)]
    return sheet.lines()


def _scatter(scatter: Scatter, width: int, height: int) -> list[str]:
    costs = [x for _, x, _ in scatter.points]
    bottom, top, ticks = _upwards(scatter, height)
    sheet = _DrawingSheet(width, height, [label for _, label in ticks])
    sheet.y_ticks = [(sheet.y_of((tick - bottom) / (top - bottom)), label) for tick, label in ticks]
    low, high, by_power = _scale(costs)
    sheet.x_ticks = _money_ticks(sheet, low, high, by_power)
    unit = 100 if scatter.scale.is_share else 1
    for letter, x, value in scatter.points:
        part = ((math.log10(x) if by_power else x) - low) / (high - low)
        place = (sheet.x_of(part), sheet.y_of((unit * value - bottom) / (top - bottom)))
        sheet.cells[_free(sheet, place)] = letter
    return sheet.lines()


def _upwards(scatter: Scatter, height: int) -> tuple[float, float, list[tuple[float, str]]]:
    """Return the ends and the ticks of the axis of scores: a whole scale of marks, or the per cent needed."""
    if not scatter.scale.is_share:
        ticks = _ticks(scatter.scale)
        return scatter.scale.low, scatter.scale.high, ticks if 2 * len(ticks) <= height else [ticks[0], ticks[-1]]
    values = [100 * y for _, _, y in scatter.points]
    bottom = max(10 * math.floor(min(values) / 10 - 0.5), 0)
    top = min(10 * math.ceil(max(values) / 10 + 0.5), 100)
    tens = range(bottom, top + 1, 10 if top - bottom <= 50 and height > 10 else 20 if top - bottom > 20 else 10)
    return bottom, top, [(tick, f"{tick} %") for tick in tens]


def _swarm(swarm: Swarm, width: int, height: int) -> list[str]:
    categories = swarm.categories[: height - 4] if len(swarm.categories) > height - 3 else swarm.categories
    n_hidden = len(swarm.categories) - len(categories)
    labels = [_label(label, width) for label, _ in categories]
    sheet = _DrawingSheet(width, height - bool(n_hidden), labels)
    _along(sheet, swarm.scale)
    for ((_, points), label), (bottom, middle, top) in zip(
        zip(categories, labels, strict=True), _bands(sheet.rows, len(categories)), strict=True
    ):
        sheet.y_ticks.append((middle, label))
        stacked: Counter[int] = Counter()
        rows = sorted(range(bottom, top + 1), key=lambda y: (abs(y - middle), -y))
        for letter, value in points:
            x = sheet.x_of(swarm.scale.part(value))
            sheet.cells[x, rows[min(stacked[x], len(rows) - 1)]] = letter if stacked[x] < len(rows) else "+"
            stacked[x] += 1
        for x in range(0, sheet.columns, 2):
            sheet.cells.setdefault((x, middle), "·")
    return sheet.lines() + _more(n_hidden, "categories")


def _cloud(cloud: Cloud, width: int, height: int) -> list[str]:
    """Each point by its sign, several in one cell by their number; one that is to be looked at is never hidden."""
    ticks = _ticks(cloud.y)
    ticks = ticks if 2 * len(ticks) <= height else [ticks[0], ticks[-1]]
    sheet = _DrawingSheet(width, height, [label for _, label in ticks])
    sheet.y_ticks = [(sheet.y_of(cloud.y.part(tick)), label) for tick, label in ticks]
    _along(sheet, cloud.x)
    cells: dict[tuple[int, int], Counter[str]] = {}
    for sign, x, y in cloud.points:
        cells.setdefault((sheet.x_of(cloud.x.part(x)), sheet.y_of(cloud.y.part(y))), Counter())[sign] += 1
    for place, signs in cells.items():
        n = signs.total()
        sheet.cells[place] = ON_TOP if ON_TOP in signs else next(iter(signs)) if n == 1 else str(n) if n < 10 else "+"
    return sheet.lines()


def _bands(rows: int, n: int) -> list[tuple[int, int, int]]:
    """The rows in n bands from the top: lowest, middle and highest row of each; a free row between two where there is room."""
    each = rows / n
    bands = []
    for i in range(n):
        top = rows - 1 - math.floor(i * each)
        bottom = rows - math.floor((i + 1) * each)
        bottom = min(bottom + (each >= 3), top)
        bands.append((bottom, (bottom + top + 1) // 2, top))
    return bands


def _along(sheet: _DrawingSheet, scale: Scale) -> None:
    sheet.x_ticks = [(sheet.x_of(scale.part(tick)), label) for tick, label in _ticks(scale)]


def _ticks(scale: Scale) -> list[tuple[float, str]]:
    """Return the ticks of an axis of scores: quarters of shares; of marks so many that the steps between them are round."""
    if scale.is_share:
        return [(tick / 100, f"{tick} %") for tick in QUARTERS]
    whole = scale.high - scale.low
    parts = next((n for n in PARTS if math.isclose(round_step(whole / n), whole / n)), 2)
    return [(tick, f"{tick:.6g}") for tick in (scale.low + whole * i / parts for i in range(parts + 1))]


def _scale(costs: Sequence[float]) -> tuple[float, float, bool]:
    """Return the ends of the axis of costs; in powers of ten where the costs are far apart."""
    least, most = min(costs), max(costs)
    if least > 0 and most / least >= 20:
        return math.floor(math.log10(least)), math.ceil(math.log10(most) + 1e-9), True
    return 0.0, most * 1.05 or 1.0, False


def _money_ticks(sheet: _DrawingSheet, low: float, high: float, by_power: bool) -> list[tuple[int, str]]:
    if by_power:
        powers = range(int(low), int(high) + 1)
        return [(sheet.x_of((power - low) / (high - low)), f"${10.0**power:g}") for power in powers]
    step = round_step(high / max(sheet.columns // 14, 1))
    return [(sheet.x_of(i * step / high), f"${i * step:g}") for i in range(int(high // step) + 1)]


def _free(sheet: _DrawingSheet, place: tuple[int, int]) -> tuple[int, int]:
    """The place, or the nearest free one: two points never hide one another."""
    for far in range(sheet.columns):
        for x, y in ((far, 0), (-far, 0), (0, far), (0, -far)):
            candidate = (place[0] + x, place[1] + y)
            if candidate not in sheet.cells and 0 <= candidate[0] < sheet.columns and 0 <= candidate[1] < sheet.rows:
                return candidate
    return place


def _label(name: str, width: int) -> str:
    """A name that plotext counts as wide as terminals do, and that leaves room for the chart."""
    narrow = "".join(letter if cell_len(letter) == 1 and letter not in FRAME else "□" for letter in name)
    most = min(LONGEST_LABEL, width // 3)
    return narrow if len(narrow) <= most else narrow[: most - 1] + "…"


def _in_columns(entries: Sequence[str], width: int, most: int) -> list[str]:
    """Entries in as many columns as fit, at most so many lines."""
    if not entries:
        return []
    wide = min(max(map(cell_len, entries)) + 3, max(width, 1))
    columns = max(width // wide, 1)
    lines = ["".join(fitted(entry, wide) for entry in entries[i : i + columns]) for i in range(0, len(entries), columns)]
    return _cut(lines, most)


def _cut(lines: Sequence[str], most: int) -> list[str]:
    return list(lines) if len(lines) <= most else [*lines[: max(most - 1, 0)], "…"][: max(most, 0)]


def _more(n_hidden: int, noun: str) -> list[str]:
    return [f"and {n_hidden:,} {noun} more; the tables have them all"] if n_hidden else []
