"""Reports of answers that judges mark: the scores with what is known of the judges, how answers ended and when."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from tui_eval.core.calls import Json, Price, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.reports import HumanRating
from tui_eval.core.results import SampleResult, Table
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.answer_outcomes import AnswerEnds, AnswerTimes, CachingSums
from tui_eval.evaluation.judging.judge_report import JudgeReport
from tui_eval.evaluation.judging.pairwise_preference import PREFERENCE, PairReport
from tui_eval.evaluation.judging.person_report import PersonReport
from tui_eval.evaluation.score_report import TITLES, ScoreReport

_MARKED = ("metrics", "scores", "turn_scores", "group_scores")


class JudgedReport(ScoreReport):
    """Adds up rows whose scores are those of `judge_panel.judged` and `pairwise_preference.compared`."""

    def __init__(
        self,
        task: Task,
        metrics: Sequence[Metric],
        prices: Mapping[str, Price | None],
        max_concurrency: int | None,
        note: str = "",
        ladder: str = "",
        meaning: Mapping[str, str] | None = None,
        titles: tuple[str, str] = TITLES,
    ) -> None:
        """`prices`: of the models; `ladder`: the metric whose marks say whether a judge is usable, empty = none."""
        judged = [metric.name for metric in metrics]
        super().__init__(task, metrics, meaning=meaning, note=note, judged=judged, titles=titles)
        models = [model.name for model in task.asked["answer"]]
        self.judges = JudgeReport(task, [metric for metric in metrics if metric != PREFERENCE])
        self._choices, self._ladder = PairReport(self.judges.judges, models), ladder
        self.ends, self._times, self._caching = AnswerEnds(models), AnswerTimes(max_concurrency), CachingSums(prices)

    def add(self, row: SampleResult) -> None:
        """Count one sample's scores, and what its calls took from caches."""
        super().add(row)
        if row.sample.checks_judge:
            return
        self._choices.add(row)
        for reply in row.replies:
            self._caching.add(reply)

    def add_answers(self, row: SampleResult, answers: Iterable[Reply], twice: Iterable[int], degraded: Collection[int]) -> None:
        """Take in one model's answers of a row that holds these and their scores alone.

        `twice`: the indexes of those that each judge was to mark twice; `degraded`: of those asked without an earlier one.
        """
        replies = list(answers)
        self.judges.add(row, replies, twice)
        for reply in replies:
            self._times.add(reply)
            self.ends.add(reply, reply.call.call_index in degraded)

    def check(self, ratings: Sequence[HumanRating]) -> None:
        """Take in what persons said."""
        super().check(ratings)
        self.judges.check(ratings)

    def verdicts(self) -> Sequence[Mapping[str, Json]]:
        """Report whether each judge is usable, where its ladder is climbed."""
        return self.judges.ladder(self._ladder) if self._ladder else ()

    def with_judges(self, tables: Mapping[str, Table]) -> dict[str, Table]:
        """Tables with the judges' noise (and in metrics what a person says) beside each mark, and the tables about answers."""
        marked_tables = {name: self.judges.beside(table) for name, table in tables.items() if name in _MARKED}
        marked_tables = {
            name: self._with_persons(table) if name == "metrics" else table for name, table in marked_tables.items()
        }
        about = {"answers": self.ends.table(), "latency": self._times.table(), "caching": self._caching.table()}
        every = {**tables, **marked_tables, **about, **self.judges.tables(), **self._choices.tables()}
        return {name: table for name, table in every.items() if table.rows}

    def _with_persons(self, table: Table) -> Table:
        people = next((part for part in self.parts if isinstance(part, PersonReport)), None)
        return people.beside(table) if people else table

    def tables(self) -> Mapping[str, Table]:
        """Return the tables of every kind, and those of answers and judges."""
        return self.with_judges(super().tables())

    def headline(self) -> Sequence[Table]:
        """The scores in short, with what is known of the judges; how the answers of each model ended, how long they took."""
        sentences = [*self.judges.sentences(), *self._choices.sentences(), self._caching.in_words()]
        short = [self.judges.beside(table, "noise", as_text=True) for table in super().headline()]
        short += [self.ends.in_short(), *([self._times.in_short()] if self._times.known else [])]
        marks = next((n for n, table in enumerate(short) if "noise" in table.columns), 0)
        short[marks] = replace(short[marks], note="\n".join((short[marks].note, *filter(None, sentences))))
        return short
