"""Marks of turns: by the number of the turn, and the means of models with and without degraded turns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from tui_eval.core.kinds import Metric
from tui_eval.core.results import Cell, SampleResult, Table
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, by_column, rounded, table_of

_METRICS = (
    "model",
    "metric",
    "mean",
    "ci_low",
    "ci_high",
    "n_scored",
    "n_total",
    "coverage",
    "n_degraded",
    "mean_without_degraded",
)
_NOTE = (
    "mean: of the conversations' means, interval by conversations, or by documents where several conversations share one; "
    "coverage: answers that have a mark."
)


class TurnReport:
    """Adds up the rows of dialogues turn by turn."""

    def __init__(self, task: Task, metrics: Sequence[Metric]) -> None:
        self._by_turn, self._intact = ScoreReport(task, metrics), ScoreReport(task, metrics)

    def add(self, row: SampleResult, turns: Collection[int], degraded: Collection[int]) -> None:
        """Take in one model's dialogue: the places of its turns, and of those that were asked without an earlier one."""
        self._intact.add(replace(row, scores=tuple(score for score in row.scores if score.call_index not in degraded)))
        for n in turns:
            source, conversation = row.sample.cluster
            scores = [score for score in row.scores if score.call_index == n]
            self._by_turn.count((source, (conversation, n)), {"turn": (str(n + 1),)}, scores)

    def tables(self) -> dict[str, Table]:
        """turn_scores and turn_accuracy, and consistency, whose questions are turns."""
        made = self._by_turn.tables()
        named = {"turn_scores": "group_scores", "turn_accuracy": "groups"}
        found = {name: _turn_table(made[other]) for name, other in named.items() if other in made}
        return {**found, **({"consistency": made["consistency"]} if "consistency" in made else {})}

    def metrics(self, scores: Table | None, degraded: Callable[[str], int], notes: Sequence[str]) -> Table:
        """A row for each model and metric of a table of scores; beside the mean, that of the turns that are not degraded."""
        intact = self._intact.tables().get("scores")
        means = {_key(row, intact.columns): row[intact.columns.index("mean")].value for row in intact.rows} if intact else {}
        rows: list[Cells] = []
        for row, rests_on in zip(scores.rows, scores.rests_on, strict=True) if scores else ():
            named: Mapping[str, Cell] = dict(zip(scores.columns, row, strict=True)) if scores else {}
            model, metric = str(named["model"].value), str(named["metric"].value)
            scored, total = int(named["n_scored"].value or 0), int(named["n_total"].value or 0)
            rows.append({
                RESTS_ON: rests_on, **{name: named[name] for name in ("model", "metric", "mean", "ci_low", "ci_high")},
                "n_scored": scored, "n_total": total, "coverage": rounded(scored / total) if total else None,
                "n_degraded": degraded(model), "mean_without_degraded": means.get((model, metric)),
            })  # fmt: skip
        return table_of("Metrics by model", rows, _METRICS, "\n".join((_NOTE, *notes)), _METRICS[:2])


def _turn_table(found: Table) -> Table:
    """A table by groups as one by the turns' numbers; each row rests on the answers to that turn."""
    return by_column(found, "turn", lambda turn: {"call_index": _number(turn) - 1}, lambda turn: Cell(_number(turn)))


def _number(turn: Cell) -> int:
    return int(str(turn.value))


def _key(row: Sequence[Cell], columns: Sequence[str]) -> tuple[str, str]:
    return str(row[columns.index("model")].value), str(row[columns.index("metric")].value)
