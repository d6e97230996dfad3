"""Parts of a report of scores: what adds up the same rows to tables of its own, beside those of means and pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from tui_eval.core.reports import HumanRating
from tui_eval.core.results import SampleResult, Table
from tui_eval.core.units import Unit
from tui_eval.results.sums.judge_certificates import CertificateCopy


class ReportPart:
    """A part of a report; it may look at the report's board when it is asked for tables. Each takes in what it needs."""

    def add(self, row: SampleResult, unit: Unit) -> None:
        """Take in a row and what it counts as; those that find out about judges are none of them."""

    def check(self, ratings: Sequence[HumanRating]) -> None:
        """Take in what persons said of answers."""

    def certify(self, certificates: Sequence[CertificateCopy]) -> None:
        """Take in the certificates that the run has of its judges."""

    def tables(self) -> Mapping[str, Table]:
        """Tables by file name; those without a row are left out."""
        return {}

    def with_columns(self, table: Table, in_short: bool = False) -> Table:
        """A table of means with what the part knows beside its rows. `in_short`: as text, in the headline."""
        return table

    def sentences(self) -> list[str]:
        """Return the notes for a reader of the scores."""
        return []


def with_columns(parts: Iterable[ReportPart], table: Table, in_short: bool = False) -> Table:
    """Return a table of means with what each part knows beside its rows."""
    for part in parts:
        table = part.with_columns(table, in_short)
    return table


@runtime_checkable
class CertifiedReporter(Protocol):
    """A report that corrects rates by certificates of judges."""

    def certify(self, certificates: Sequence[CertificateCopy]) -> None:
        """Take in those that the run has."""
