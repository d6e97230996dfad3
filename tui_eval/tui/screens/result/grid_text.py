"""A cell of a grid of scores as text: a mark, and signs for what failed, is missing, or was asked without its history."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from tui_eval.core.kinds import Metric
from tui_eval.results.score_grid import GridCell
from tui_eval.results.sums.metrics import is_binary, passes
from tui_eval.results.sums.series import NO_CLAIMS
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Tone

DEGRADED, FAILED, MISSING, NOT_ASKED = "~", "!", "–", "·"
LEGEND = f"{FAILED} no answer   {MISSING} no mark   {NOT_ASKED} not judged"
LEGEND_OF_TURNS = f"{DEGRADED} degraded: after a turn that failed   {LEGEND}"


def cell_text(found: Sequence[GridCell], metric: Metric, degraded: int) -> tuple[str, Tone]:
    """The mark, or the mean of a conversation's; `degraded`: how many of them were asked without an earlier turn."""
    if not found:
        return NOT_ASKED, "dim"
    if len(found) > 1:
        return _of_several(found, metric, degraded)
    cell, sign = found[0], f" {DEGRADED}" if degraded else ""
    if cell.value is not None:
        return _told(cell.value, metric) + sign, _tone(metric, cell.value)
    if not cell.answered:
        return FAILED + sign, "bad"
    return f"{MISSING} {safe_line(cell.why, 12)}".rstrip() + sign if cell.why == NO_CLAIMS else MISSING + sign, "warn"


def _of_several(found: Sequence[GridCell], metric: Metric, degraded: int) -> tuple[str, Tone]:
    values = [cell.value for cell in found if cell.value is not None]
    failed = sum(not cell.answered for cell in found)
    signs = ((DEGRADED, degraded), (FAILED, failed), (MISSING, len(found) - failed - len(values)))
    told = "".join(f" {sign}{n}" for sign, n in signs if n)
    if not values:
        return told.strip(), "bad"
    mean = fmean(values)
    return f"{mean:.2f}{told}", _tone(metric, mean)


def _told(value: float, metric: Metric) -> str:
    if is_binary(metric) and value in (0, 1):
        return "✓" if value else "✗"
    return f"{value:g}" if metric.high > 1 and value == int(value) else f"{value:.2f}"


def _tone(metric: Metric, value: float) -> Tone:
    return "bad" if passes(metric, value) is False else ""
