"""Reports of a kind: what adds rows up, its verdicts, a person's marks beside a judge's, and leaderboards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import markdown_text
from tui_eval.core.results import About, SampleResult, Table


class Reporter(Protocol):
    """Adds up rows one at a time, keeping what its reports need and never the rows."""

    def add(self, row: SampleResult) -> None:
        """Take one sample into account."""

    def tables(self) -> Mapping[str, Table]:
        """Return its tables, by file name."""

    def headline(self) -> Sequence[Table]:
        """Return the tables that a person reads first; every cell is text, ready to print."""

    def files(self, about: About) -> Mapping[str, Json]:
        """The kind's own files by name: text of a .md, rows of a .csv, a value of a .json."""


AnswerByMetric = tuple[str, int, int, str, str]
"""An answer and a metric: id of the sample, repeat, turn from 1, model, metric."""


PersonMarks = Mapping[AnswerByMetric, float | None]
"""What one person said of answers; None = the person could not tell."""


@dataclass(frozen=True, slots=True)
class HumanRating:
    """Rating by one person of one answer, or of one of its claims, by one metric."""

    item_id: str
    repeat: int
    turn: int
    """From 1."""
    model: str
    metric: str
    mark: float | None
    """None = the person looked and could not tell."""
    person: str = ""
    """Name or initials; empty where nobody gave any."""
    stage: str = ""
    """That of the answer; empty in older files, which have one answering stage."""
    claim: str = ""
    """Which claim of the answer, in hex digits of its text; empty = the whole answer."""
    chance: float | None = None
    """The probability by which it was drawn from what was left; None where it was not drawn by lot."""
    left: int | None = None
    """How many were left to draw from."""

    @property
    def answer(self) -> AnswerByMetric:
        """Answer that it is about, and the metric."""
        return self.item_id, self.repeat, self.turn, self.model, self.metric


@runtime_checkable
class CheckedReporter(Reporter, Protocol):
    """A reporter that holds a judge's marks against a person's."""

    def check(self, ratings: Sequence[HumanRating]) -> None:
        """Take in what persons said, in the order in which answers were first shown; what is said of answers that it does not
        have says nothing."""


@runtime_checkable
class VerdictReporter(Reporter, Protocol):
    """A reporter that comes to a verdict of its own, as when a judge is looked at: it counts as a gate of the run."""

    def verdicts(self) -> Sequence[Mapping[str, Json]]:
        """Entries as those of a report's gates: name, metric, stage, model, verdict, found, wanted, n, text, passed."""


OF_SCORERS = "scorer_"
"""Stands before the names of the tables of a config's scorers, where the kind has tables of metrics of its own."""
FORMS = frozenset({".json", ".md", ".csv"})
"""How the names of report files end."""


@runtime_checkable
class ChoosyReporter(Reporter, Protocol):
    """A reporter of whose files, and files of whose tables, only some forms are wanted."""

    @property
    def forms(self) -> frozenset[str]:
        """Those of FORMS."""


class Leaderboard(Protocol):
    """Runs of a kind side by side, added one at a time; one of its files holds all that it is made of, so that it can grow."""

    file: str
    """The name of that file, which is JSON."""

    def restore(self, content: Any, where: str) -> None:
        """Take in what that file holds. KeyError, TypeError, ValueError or AttributeError where it is none of its own."""

    def add(self, report: Reporter, about: About, where: str) -> None:
        """Take in a run by its report, which has every row; it replaces what is there of this run. `where`: its folder."""

    def tables(self) -> Mapping[str, Table]:
        """Return their tables, by file name. ConfigError, naming the run, where one of them is of something else."""

    def headline(self) -> Sequence[Table]:
        """Return the tables that a person reads first; every cell is text, ready to print."""

    def files(self) -> Mapping[str, Json]:
        """Its files by name: text of a .md, rows of a .csv, a value of a .json."""


def page_head(about: About, noun: str) -> list[str]:
    """Return the head of a page: which replies nobody gave, and how many of what is asked are still to come."""
    names = ", ".join(markdown_text(name) for name in about.models if name in about.simulated_models)
    simulated = f"**Simulated, not real models: {names}.**" if names else ""
    if about.simulated_models >= about.models.keys():
        simulated = "**Everything here is simulated.**"
    rest = f"**PRELIMINARY: {about.unfinished} of {about.items} {noun} are still to be asked.**" if about.unfinished else ""
    return [line for line in (simulated, rest) if line]
