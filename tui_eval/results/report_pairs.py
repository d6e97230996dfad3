"""Pairs of a report's table from the side of one model: how it differs from each other one, by which test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tui_eval.core.kinds import Metric
from tui_eval.results.read_report import ReportTable, number
from tui_eval.results.sums.metrics import upwards


class Against(NamedTuple):
    """Difference of a model from another one. Its texts come from the file as they are: not safe to show."""

    other: str
    difference: float
    low: float | None
    high: float | None
    p: float | None
    """After the correction; None where it is not tested."""
    told_apart: str
    """yes, no, or anything else where it is not tested."""


def differences(table: ReportTable | None, own: Mapping[str, Any], variant: str, metric: Metric) -> list[Against]:
    """Return the differences of a model from every other one, those that are better first.

    `own`: the stage, the model, the metric and the variant of a row, as the report says what it rests on.
    """
    found = [] if table is None else [*_of_model(table, own, variant)]
    return sorted(found, key=lambda pair: upwards(metric, pair.difference))


def _of_model(table: ReportTable, own: Mapping[str, Any], variant: str) -> Iterator[Against]:
    place = {name: at for at, name in enumerate(table.columns)}
    named = [tuple(place.get(f"{name}_{side}", -1) for name in ("model", variant)) for side in "ab"]
    subject = own.get("model"), own.get("variant")
    for row in table.rows:
        sides = [tuple(row[at].value if at >= 0 else None for at in columns) for columns in named]
        if subject not in sides:
            continue
        figures = {name: row[at].value for name, at in place.items()}
        difference = number(figures.get("difference"))
        is_other = figures.get("stage") != own.get("stage") or own.get("name", figures.get("metric")) != figures.get("metric")
        if difference is None or is_other:
            continue
        low, high = number(figures.get("low")), number(figures.get("high"))
        model, version = sides[1 - sides.index(subject)]
        if subject == sides[1]:
            difference, low, high = 0.0 - difference, None if high is None else 0.0 - high, None if low is None else 0.0 - low
        name = str(version if model == subject[0] else model)
        yield Against(name, difference, low, high, number(figures.get("p_holm")), str(figures.get("told_apart")))
