"""The report of a run with scorers: what these came to, beside what the kind itself reports of its own metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tui_eval.core.calls import Json
from tui_eval.core.reports import FORMS, OF_SCORERS, CheckedReporter, ChoosyReporter, HumanRating, Reporter, VerdictReporter
from tui_eval.core.results import About, SampleResult, Table
from tui_eval.evaluation.held_answers import HeldAnswers
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.sample_results import own_part
from tui_eval.evaluation.score_report import TITLES, BoardReporter, ScoreReport
from tui_eval.evaluation.scoring.corpus_scores import CorpusScores
from tui_eval.evaluation.scoring.lenience import passing_by, too_strict
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.judge_certificates import CertificateCopy

_TITLES = ("Rates by scorer, stage and model", "Scores by scorer, stage and model")


class ScorerReport(ScoreReport):
    """Results of scorers by stage and model, and a sentence where the headline gives almost nothing and another would."""

    def __init__(self, task: Task, kind: Kind, beside: bool) -> None:
        """`beside`: whether it stands beside tables of the kind's own metrics, so that its own name theirs."""
        super().__init__(
            task,
            task.scorers.metrics,
            "scorer",
            kind.targets.sides_of(task),
            judged=[row.metric_name for row in task.scorers.asking],
            titles=_TITLES if beside else TITLES,
        )
        self.shows_metric = beside
        self._task, self._targets = task, kind.targets
        self.beside = beside
        self.leads = kind.units.headline == (task.scorers.metrics[0].name,)
        self._held = HeldAnswers()
        self._corpus = CorpusScores.of(task.scorers.every)

    def add(self, row: SampleResult) -> None:
        """Count a sample's scores, and hold its answers where other scorers are to be tried on them."""
        super().add(row)
        if self.leads and self._held.wants(row, lambda: self.units.unit(self._task, row.sample).variant):
            self._held.add(self._targets.answers_in(self._task, row.sample, row.replies))
        if self._corpus.rows and not row.sample.checks_judge:
            unit = self.units.unit(self._task, row.sample)
            for answer in self._targets.answers_in(self._task, row.sample, row.replies):
                self._corpus.add(answer, unit, self._task.scorers.fence)

    def own_tables(self) -> Mapping[str, Table]:
        """Scores of the corpus, where a scorer has one."""
        return self._corpus.tables(self._keys)

    def headline(self) -> Sequence[Table]:
        """Scores in short, those of the corpus among them."""
        return [*super().headline(), *self._corpus.short(self._keys)]

    def judge_sentences(self) -> list[str]:
        """Say, where the headline gives almost nothing, what else would, and how often that passes answers to other samples."""
        return [*super().judge_sentences(), *filter(None, [self._too_strict()])]

    def _too_strict(self) -> str:
        answers, scorers = self._held, self._task.scorers
        first = scorers.every[0]
        passing = passing_by(first, scorers.fence)
        return too_strict(first.metric_name, passing, answers, self._task.seed, scorers.fence) if passing else ""


class ReportWithScorers:
    """A kind's own report, and behind it (or before it, where a scorer is the headline) that of the scorers."""

    def __init__(self, own: Reporter, scorers: ScorerReport) -> None:
        self.own, self.scorers = own, scorers

    def add(self, row: SampleResult) -> None:
        """Give each its own scores."""
        names = self.scorers.metrics.keys()
        self.own.add(own_part(row, names))
        if not row.sample.checks_judge:
            self.scorers.add(replace(row, scores=tuple(score for score in row.scores if score.name in names)))

    def tables(self) -> Mapping[str, Table]:
        """Those of both, by file name."""
        before = OF_SCORERS if self.scorers.beside else ""
        return {**self.own.tables(), **{f"{before}{name}": table for name, table in self.scorers.tables().items()}}

    def headline(self) -> Sequence[Table]:
        """Return the tables in short, what is tested first in front."""
        both = (self.own.headline(), self.scorers.headline())
        return [table for tables in (reversed(both) if self.scorers.leads else both) for table in tables]

    def files(self, about: About) -> Mapping[str, Json]:
        """The kind's own files."""
        return self.own.files(about)

    @property
    def board(self) -> Board:
        """Board of the headline's scores."""
        return self.own.board if isinstance(self.own, BoardReporter) and not self.scorers.leads else self.scorers.board

    def verdicts(self) -> Sequence[Mapping[str, Json]]:
        """Those of the kind's own report."""
        return self.own.verdicts() if isinstance(self.own, VerdictReporter) else []

    def check(self, ratings: Sequence[HumanRating]) -> None:
        """Give both what persons said."""
        self.scorers.check(ratings)
        if isinstance(self.own, CheckedReporter):
            self.own.check(ratings)

    def certify(self, certificates: Sequence[CertificateCopy]) -> None:
        """Give both the certificates that the run has."""
        self.scorers.certify(certificates)
        if isinstance(self.own, ScoreReport):
            self.own.certify(certificates)

    @property
    def forms(self) -> frozenset[str]:
        """In which forms files and tables are wanted."""
        return self.own.forms if isinstance(self.own, ChoosyReporter) else FORMS
