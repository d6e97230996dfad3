"""Cells of the grid of scores: a sign or two for each, and the key to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from tui_eval.core.kinds import Metric
from tui_eval.results.score_grid import GridCell
from tui_eval.results.sums.metrics import is_binary, passes
from tui_eval.results.sums.series import NO_CLAIMS
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Tone

Signs = Mapping[str, str]
SIGNS: Signs = {
    "right": "✓", "wrong": "✗", "unread": "?", "refused": "⊘", "failed": "!", "not asked": "·", "no claims": "–",
    "degraded": "~",
}  # fmt: skip
ASCII_SIGNS: Signs = {**SIGNS, "right": "v", "wrong": "x", "refused": "/", "not asked": ".", "no claims": "-"}
"""The same for terminals and fonts without these."""
TENTHS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
TOO_LONG, TOO_LOW = "++", "--"
"""In place of a score that does not fit in a cell."""


def signs_of(is_ascii: bool) -> Signs:
    """Return the signs of cells, of ASCII alone or not."""
    return ASCII_SIGNS if is_ascii else SIGNS


def cell_text(cells: Sequence[GridCell], metric: Metric, degraded: int, signs: Signs = SIGNS) -> tuple[str, Tone]:
    """Say a cell in a sign or two: a score, the letter of a wrong answer, or why there is none; the mean of several.

    `degraded`: how many of them were asked without an earlier turn.
    """
    if not cells:
        return signs["not asked"], "dim"
    values = [cell.value for cell in cells if cell.value is not None]
    reason = next((reason for cell in cells if (reason := _reason(cell)) is not None), None)
    if not values:
        return signs[reason or "unread"], "warn" if reason in ("unread", "no claims") else "bad"
    if len(cells) == 1 and is_binary(metric) and not values[0]:
        return _wrong_text(cells[0], signs), "bad"
    mean = fmean(values)
    flag = signs[reason] if reason else signs["degraded"] if degraded else ""
    text = value_text(mean, metric, signs)
    return (text[0] + flag if flag and len(text) > 1 else text + flag), "bad" if passes(metric, mean) is False else ""


def _reason(cell: GridCell) -> str | None:
    """Say why a cell has no value; None where it has one."""
    if cell.value is not None:
        return None
    if cell.refused:
        return "refused"
    return "no claims" if cell.why == NO_CLAIMS else "unread" if cell.answered else "failed"


def _wrong_text(cell: GridCell, signs: Signs) -> str:
    """Say a wrong answer: refused, unread, its letter, or wrong and no more."""
    if cell.refused:
        return signs["refused"]
    if cell.read:
        return safe_line(cell.read, 2)
    return signs["unread" if cell.why else "wrong"]


def value_text(value: float, metric: Metric, signs: Signs = SIGNS) -> str:
    """A score in a sign or two: right or wrong; hundredths of 1; marks and their tenths; else a whole number."""
    if is_binary(metric) and value in (0, 1):
        return signs["right" if value else "wrong"]
    if value == int(value) or metric.high > 10:
        text = f"{value:.0f}"
    elif metric.high <= 1:
        text = f"{min(max(int(100 * value + 1e-9), 1), 99):02d}"
    else:
        whole, tenth = divmod(round(10 * value), 10)
        text = str(whole) if not tenth else f"{whole}{tenth if signs is ASCII_SIGNS else TENTHS[tenth]}"
    return text if len(text) <= 2 else TOO_LOW if text.startswith("-") else TOO_LONG


def key_words(metric: Metric, signs: Signs, is_of_turns: bool) -> str:
    """Return the key to the signs of a grid of one metric."""
    binary = is_binary(metric)
    names = ["right", "unread", "refused", "failed", "not asked"] if binary else [
        "unread", "refused", "failed", "not asked", "no claims",
    ]  # fmt: skip
    words = [f"{signs[name]} {name}" for name in names] + [f"{signs['degraded']} degraded"] * is_of_turns
    tenths = "48 is 4.8" if signs is ASCII_SIGNS else "4⁸ is 4.8"
    scale = f"A {signs['wrong']} wrong" if binary else "97 is .97" if metric.high <= 1 else tenths
    return "  ".join([words[0], scale, *words[1:]] if binary else [scale, *words])
