"""Parts of a report of scores: what adds up the same rows to tables of its own, beside those of means and pairs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

from tui_eval.core.kinds import Metric
from tui_eval.core.reports import HumanRating
from tui_eval.core.results import SampleResult, Table
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.person_report import person_parts
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.judge_certificates import CertificateCopy


class ReportPart(Protocol):
    """A part of a report; it may look at the report's board when it is asked for tables."""

    def add(self, row: SampleResult) -> None:
        """Take in a row; those that find out about judges are none of them."""

    def check(self, ratings: Sequence[HumanRating]) -> None:
        """Take in what persons said of answers."""

    def tables(self) -> Mapping[str, Table]:
        """Tables by file name; those without a row are left out."""


@runtime_checkable
class TellingPart(Protocol):
    """A part that has sentences for whoever reads the scores."""

    def sentences(self) -> list[str]:
        """What a reader of the scores should know."""


@runtime_checkable
class CertifiedPart(Protocol):
    """A part that corrects rates by certificates of judges."""

    def certify(self, certificates: Sequence[CertificateCopy]) -> None:
        """Take in those that the run has."""


def sentences_of(parts: Sequence[ReportPart]) -> list[str]:
    """What parts tell a reader of the scores, in their order."""
    return [said for part in parts if isinstance(part, TellingPart) for said in part.sentences()]


def parts_of(task: Task, metrics: Sequence[Metric], judged: Collection[str], board: Callable[[], Board]) -> list[ReportPart]:
    """The parts of a report on these metrics. `judged`: those that models mark; `board`: where all scores stand by now."""
    return [*person_parts(task, metrics, judged, board)]
