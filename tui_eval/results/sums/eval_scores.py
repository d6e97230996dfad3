"""What marks from 0 to 5 come to in the form of spec 000 (EvalScores), with what it leaves out: how many have no mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

WHOLE = range(6)


def eval_scores(marks: Sequence[tuple[str, float | None]], threshold: float) -> Mapping[str, Any]:
    """(category, mark) of the answers that were handed to the judge; a mark is None where it could not be read.

    pass_rate is in percent, as the specification's own file has it; it and the averages are over the answers with a mark, two
    decimals. `pass_rate_bounds`: the same over all, what is missing counted as failed, and as passed. `score_distribution`
    counts marks by their nearest whole number.
    """
    known = [(category, mark) for category, mark in marks if mark is not None]
    values = [mark for _, mark in known]
    passed = sum(mark >= threshold for mark in values)
    return {
        "total_items": len(marks),
        "average_score": _mean(values),
        "pass_rate": round(100 * passed / len(values), 1) if values else None,
        "score_distribution": {str(level): sum(int(mark + 0.5) == level for mark in values) for level in WHOLE},
        "category_averages": {
            category: _mean([mark for other, mark in known if other == category])
            for category in dict.fromkeys(category for category, _ in marks)
        },
        "category_n_scored": {
            category: sum(other == category for other, _ in known)
            for category in dict.fromkeys(category for category, _ in marks)
        },
        "n_scored": len(values),
        "n_missing": len(marks) - len(values),
        "n_passed": passed,
        "pass_rate_bounds": [round(100 * (passed + n) / len(marks), 1) for n in (0, len(marks) - len(values))]
        if marks
        else None,
        "coverage": round(len(values) / len(marks), 6) if marks else None,
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 2) if values else None
