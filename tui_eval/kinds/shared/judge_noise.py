"""How far judges agree with themselves: the marks of answers that were judged twice without their being told.

Further statistics of the same pairs of marks, and of several judges, have their place here.
"""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.results import Score, Table
from tui_eval.kinds.shared.several_judges import said_of
from tui_eval.results.sums.cells import RESTS_ON, Cells, rounded, table_of

_COLUMNS = ("judge", "metric", "n_twice", "n_same", "mean_distance")
_NOTE = "Answers judged twice, without the judge being told; the second mark enters no other figure."


class JudgeNoise:
    """Pairs of marks by judge and metric."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}

    def add(self, score: Score) -> None:
        """Take in a score of `several_judges.judged`."""
        said = said_of(score)
        for judge, again in said.get("again", {}).items():
            first = said.get("marks", {}).get(judge)
            if first is not None:
                self.pairs.setdefault((judge, score.name), []).append((first, again))

    def of(self, metric: str) -> float | None:
        """The mean distance of two marks of one answer by one judge; None where none was judged twice."""
        pairs = [pair for (_, name), found in self.pairs.items() if name == metric for pair in found]
        return _distance(pairs) if pairs else None

    def table(self) -> Table:
        """A row for each judge and metric."""
        rows: list[Cells] = [
            {
                RESTS_ON: None, "judge": judge, "metric": metric, "n_twice": len(pairs),
                "n_same": sum(first == again for first, again in pairs), "mean_distance": _distance(pairs),
            }
            for (judge, metric), pairs in sorted(self.pairs.items())
        ]  # fmt: skip
        return table_of("The judges' noise", rows, _COLUMNS, _NOTE, _COLUMNS[:2])


def _distance(pairs: Sequence[tuple[float, float]]) -> float:
    return rounded(sum(abs(first - again) for first, again in pairs) / len(pairs)) or 0.0
