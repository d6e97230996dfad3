"""The passing of a sample: by all of its scores that can pass or fail, or by their weighted mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tui_eval.evaluation.scoring.rule import ScorerRow
from tui_eval.evaluation.scoring.scorer_table import rule_of
from tui_eval.results.sums.metrics import NO_END


def takes_part(row: ScorerRow) -> bool:
    """Return whether a row decides on passing: every rate, and every score with a threshold."""
    return rule_of(row).is_rate or row.threshold is not None


def passes(row: ScorerRow, value: float) -> bool:
    """Return whether a value of a row that takes part passes: a rate at 1, as all under `not`, a score against its threshold.
    ValueError for a row that does not take part."""
    return value == 1.0 if row.negated else rule_of(row).reaches(row, value)


def unit_value(row: ScorerRow, value: float) -> float:
    """A value on 0..1, 1 the better: by the scale, mirrored where lower is better; on a scale without an end, 1 where it
    passes."""
    rule = rule_of(row)
    if rule.is_rate or row.negated:
        return value
    low, high = rule.scale
    if high >= NO_END:
        return float(passes(row, value))
    share = (value - low) / (high - low)
    return share if rule.better == "higher" else 1.0 - share


def passed(rows: Sequence[ScorerRow], values: Mapping[str, float | None], threshold: float | None = None) -> bool | None:
    """Return whether a sample passes, by its values under their metrics' names; None where one that takes part is missing, or
    none takes part.

    `threshold`: of `[scoring]`, the weighted mean of `unit_value` that must be reached; None = each must pass by itself.
    """
    marks = [(row, values.get(row.metric_name)) for row in rows if takes_part(row)]
    present = [(row, value) for row, value in marks if value is not None]
    if not marks or len(present) < len(marks):
        return None
    if threshold is None:
        return all(passes(row, value) for row, value in present)
    weights = math.fsum(row.weight for row, _ in present)
    mean = math.fsum(row.weight * unit_value(row, value) for row, value in present) / weights
    return mean >= threshold or math.isclose(mean, threshold, rel_tol=1e-12)
