"""Chart of items: how hard each is, by how well it separates models."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.reports import OF_SCORERS
from tui_eval.core.results import Cell as Figure
from tui_eval.results.read_report import number
from tui_eval.tui.charts import ON_TOP, PER_CENT, Cloud, Picture, Scale, nothing_words, simulated_words
from tui_eval.tui.report_rows import Report, text
from tui_eval.tui.words import count

ITEMS = "items"
"""The table of items."""
MOST_ITEMS = 20_000
"""Items that are plotted at most: a cell may hold many."""
LOOK, ALIKE, ITEM = ON_TOP, "·", "o"
"""An item whose key may be wrong, one that separates no two models, and any other."""
CORRELATION = Scale(-1.0, 1.0, False)


def items(report: Report, index: int = 0) -> Picture:
    """Chart the difficulty of each item against its item-rest correlation: what to look at stands out."""
    name = "Items: difficulty by discrimination"
    tables = [(of, report.tables[of]) for of in (ITEMS, f"{OF_SCORERS}{ITEMS}") if of in report.tables]
    if not tables:
        return Picture(
            name, nothing_words(report, "This run has no table of items: it takes three models that are right or wrong"), None
        )
    choices = tuple(of for of, _ in tables) if len(tables) > 1 else ()
    table = tables[index % len(tables)][1]
    rows = [table.values(row) for row in range(min(len(table.rows), MOST_ITEMS))]
    points = tuple(point for point in map(_item_point, rows) if point is not None)
    n = {sign: sum(point_sign == sign for point_sign, _, _ in points) for sign in (LOOK, ALIKE, ITEM)}
    about = "Share of models that are right (to the right: easier) and item-rest correlation (upwards: separates better) of"
    about += (
        f" {count(len(points))} items; digits: so many in one place, + = more than 9. Sentences: Tables, {text(table.name)}."
    )
    legend = (
        f"{LOOK} look at it: its key may be wrong ({count(n[LOOK])})",
        f"{ALIKE} separates no two models ({count(n[ALIKE])})",
        f"{ITEM} any other ({count(n[ITEM])})",
    )
    if not points:
        return Picture(name, nothing_words(report, "The table of items has no shares"), None, choices=choices)
    return Picture(name, about + simulated_words(report), Cloud(points, PER_CENT, CORRELATION), legend, choices)


def _item_point(row: Mapping[str, Figure]) -> tuple[str, float, float] | None:
    """Return the point of an item; one without a correlation stands at 0."""
    share_right, rest = _of_row(row, "share_right"), _of_row(row, "item_rest")
    if share_right is None or not 0 <= share_right <= 1:
        return None
    sign = LOOK if _says(row, "look", "yes") else ALIKE if _says(row, "separates", "no") else ITEM
    return sign, share_right, min(max(rest or 0.0, -1.0), 1.0)


def _of_row(row: Mapping[str, Figure], column: str) -> float | None:
    return number(row[column].value) if column in row else None


def _says(row: Mapping[str, Figure], column: str, word: str) -> bool:
    return column in row and row[column].value == word
