"""Results by each of several judges: its means beside the others', who leads by it alone, and who leads without it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Metric
from tui_eval.core.results import SampleResult, Score, Table
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judge_panel import said_of
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, table_of
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.in_words import rank
from tui_eval.results.sums.judge_in_words import leader_words
from tui_eval.results.sums.verdict import headline_sides, leaders, verdict_of
from tui_eval.statistics.judge_outliers import FEWEST_JUDGES

MOST_LEFT_OUT = 6
"""Judges up to which results without each of them are worked out, too."""
_JUDGES = ("model", "metric", "judge", "mean", "ci_low", "ci_high", "n_scored", "n_total", "mean_of_judges")
_RESULTS = ("judge", "metric", "leader", "ranks", "verdict")


class JudgeResults:
    """Adds up the marks of each judge by itself, and of all but one; nothing of a judge that is the only one."""

    def __init__(self, task: Task, metrics: Sequence[Metric], judges: Sequence[str]) -> None:
        several = list(judges) if len(judges) > 1 else []
        left_out = several if FEWEST_JUDGES <= len(several) <= MOST_LEFT_OUT else []
        self._alone = {judge: ScoreReport(task, metrics) for judge in several}
        self._by: dict[str, tuple[Collection[str], ScoreReport]] = {
            **({"all": (several, ScoreReport(task, metrics))} if several else {}),
            **{judge: ([judge], report) for judge, report in self._alone.items()},
            **{
                f"without {judge}": ([name for name in several if name != judge], ScoreReport(task, metrics))
                for judge in left_out
            },
        }

    def add(self, row: SampleResult, marks: Sequence[Score]) -> None:
        """Take in the scores of a row that judges gave."""
        for judges, report in self._by.values():
            report.add(replace(row, scores=tuple(_by(judges, score) for score in marks)))

    def table(self) -> Table:
        """Who leads, and all ranks, by all judges, by each alone and without each."""
        rows = [_row(name, report.board) for name, (_, report) in self._by.items() if report.board.series]
        note = (
            "By the first metric that is tested. all: the mean score of all judges; then each judge alone; without: the mean"
            " score of the others. ranks: those that the pairs leave open."
        )
        return table_of("Results by each judge", rows, _RESULTS, note, _RESULTS[:2])

    def sentence(self) -> str:
        """Who leads by a judge alone where that is not who leads by all; empty where it is."""
        if not self._alone or not all(report.board.series for report in self._alone.values()):
            return ""
        leading = {name: _leader(report.board) for name, (_, report) in self._by.items()}
        return leader_words(((judge, leading[judge]) for judge in self._alone), leading["all"])

    def beside_the_mean(self) -> Table:
        """A row for each model, metric and judge, of several; as conversations are averaged in the scores."""
        means: dict[tuple[str, ...], list[Json]] = {}
        rows: list[Cells] = []
        for judge, report in self._alone.items():
            table = report.tables().get("scores")
            for cells, rests_on in zip(table.rows, table.rests_on, strict=True) if table else ():
                by_column = dict(zip(table.columns, cells, strict=True)) if table else {}
                means.setdefault(_side_of(by_column), []).append(by_column["mean"].value)
                rows.append({RESTS_ON: rests_on, "judge": judge, "mean_of_judges": None, **{
                    name: by_column[name]
                    for name in ("stage", "model", "metric", "mean", "ci_low", "ci_high", "n_scored", "n_total")
                }})  # fmt: skip
        for row in rows:
            values = [value for value in means[_side_of(row)] if value is not None]
            row["mean_of_judges"] = rounded(sum(values) / len(values)) if values else None
        rows.sort(key=lambda row: list(means).index(_side_of(row)))
        note = "Each judge's own mean; mean_of_judges: of these means. The score of an answer is the mean over its judges."
        stage = ("stage",) if len({stage for stage, *_ in means}) > 1 else ()
        return table_of("Each judge beside the others", rows, (*stage, *_JUDGES), note, (*stage, *_JUDGES[:3]))


def _side_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return stage, model and metric of a row."""
    return tuple(str(row[name].value) for name in ("stage", "model", "metric"))


def _row(name: str, board: Board) -> Cells:
    sides = headline_sides(board)
    ranks = ", ".join(f"{board.named(side)} {rank(board.ranks[side])}" for side in board.by_rank(sides) if side in board.ranks)
    metric = sides[0].metric if sides else ""
    return {
        RESTS_ON: {"name": metric} if metric else None, "judge": name, "metric": metric, "leader": _leader(board) or "",
        "ranks": ranks, "verdict": verdict_of(board),
    }  # fmt: skip


def _leader(board: Board) -> str | None:
    """The model that leads; None where none is shown to, and where versions of what is asked have several."""
    leading = set(leaders(board).values())
    return leading.pop() if len(leading) == 1 else None


def _by(judges: Collection[str], score: Score) -> Score:
    """The score as these judges alone gave it."""
    marks = [mark for judge, mark in said_of(score).get("marks", {}).items() if judge in judges]
    why = "" if marks else score.why or "no score by this judge"
    return replace(score, value=sum(marks) / len(marks) if marks else None, why=why)
