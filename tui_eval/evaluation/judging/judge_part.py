"""Part of a report of scores on the judges of a person's own rubrics, in kinds whose report is about more than judges."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.kinds import Metric
from tui_eval.core.reports import HumanRating
from tui_eval.core.results import SampleResult, Score, Table
from tui_eval.core.units import Unit
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judge_report import JudgeReport
from tui_eval.evaluation.report_parts import ReportPart


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer of a row, with the scores that judges gave it."""

    scores: Sequence[Score]
    length: int
    """Characters."""
    twice: bool
    """Whether each judge was to score it twice."""
    question: Hashable = ""
    """What answers to one question share, where a row has several questions."""


class JudgePart(ReportPart):
    """Noise, agreement and biases of judges, beside the means of their scores and in tables of their own."""

    def __init__(
        self,
        task: Task,
        metrics: Sequence[Metric],
        stage: str,
        answering: Sequence[str],
        answers: Callable[[SampleResult], Iterable[ScoredAnswer]],
    ) -> None:
        """`metrics`: those by which they judge; `stage`: the one in which they are asked; `answering`: those whose models they
        judge; `answers`: of a row."""
        self._judges, self._answers = JudgeReport(task, metrics, stage, answering), answers

    def add(self, row: SampleResult, unit: Unit) -> None:
        """Take in a row's answers."""
        answers = list(self._answers(row))
        for answer in answers:
            for score in answer.scores:
                question = (row.sample.cluster, row.sample.repeat, answer.question)
                self._judges.add_answer(row, score, question, answer.length, answer.twice)
        self._judges.add_results(row, [score for answer in answers for score in answer.scores])

    def check(self, ratings: Sequence[HumanRating]) -> None:
        """Take in what persons said: whether scores follow length is held beside it."""
        self._judges.check(ratings)

    def tables(self) -> Mapping[str, Table]:
        """judge_noise, judges, judge_results and judge_checks; some without a row."""
        return self._judges.tables()

    def with_columns(self, table: Table, in_short: bool = False) -> Table:
        """A table of means with the judges' noise beside each of them."""
        return self._judges.beside(table, "noise", as_text=True) if in_short else self._judges.beside(table)

    def sentences(self) -> list[str]:
        """Return the notes on the judges: noise and agreement always, the rest where it is found."""
        return self._judges.sentences()
