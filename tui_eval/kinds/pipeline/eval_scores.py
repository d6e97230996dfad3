"""What marks from 0 to 5 come to in the form of spec 000 (EvalScores), with how many have no mark, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

WHOLE = range(6)


class Marked(NamedTuple):
    """An answer that was wanted."""

    category: str
    mark: float | None
    """None where it has none, whether it could not be read or there was no answer to mark."""
    why: str = ""
    """Why there is none; its first words, up to a colon, are what is counted."""


def eval_scores(wanted: Sequence[Marked], threshold: float) -> Mapping[str, Any]:
    """Of every answer that was wanted from a judge, also of those that never came and so were never handed over.

    pass_rate is in percent, as the specification's own file has it; it and the averages are over the answers with a mark, two
    decimals. `pass_rate_bounds`: the same over all, what is missing counted as failed, and as passed. `score_distribution`
    counts marks by their nearest whole number.
    """
    values = [one.mark for one in wanted if one.mark is not None]
    passed, missing = sum(mark >= threshold for mark in values), len(wanted) - len(values)
    return {
        "total_items": len(wanted),
        "average_score": _mean(values),
        "pass_rate": round(100 * passed / len(values), 1) if values else None,
        "score_distribution": {str(level): sum(int(mark + 0.5) == level for mark in values) for level in WHOLE},
        **_by_category(wanted),
        "n_scored": len(values),
        "n_missing": missing,
        "missing_by_reason": dict(Counter(one.why.split(":")[0] for one in wanted if one.mark is None)),
        "n_passed": passed,
        "pass_rate_bounds": [round(100 * (passed + n) / len(wanted), 1) for n in (0, missing)] if wanted else None,
        "coverage": round(len(values) / len(wanted), 6) if wanted else None,
    }


def _by_category(wanted: Sequence[Marked]) -> dict[str, Any]:
    marks: dict[str, list[float | None]] = {}
    for one in wanted:
        marks.setdefault(one.category, []).append(one.mark)
    known = {category: [mark for mark in found if mark is not None] for category, found in marks.items()}
    return {
        "category_averages": {category: _mean(found) for category, found in known.items()},
        "category_n_scored": {category: len(found) for category, found in known.items()},
        "category_n_missing": {category: len(found) - len(known[category]) for category, found in marks.items()},
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 2) if values else None
