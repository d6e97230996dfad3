"""The nouns of a kind of evaluation: its stages, what its scores measure, how replies are read, its files, its reports."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.document_text import LeftOut
from tui_eval.core.results import About, SampleResult, Score, Table

Backoff = Literal["linear", "exponential"]
"""How the pause before a retry grows."""

Flow = Generator[Sequence[Call], Sequence[Reply], list[Score]]
"""One sample's evaluation: yields the calls it wants, is sent one reply for each, in order; returns scores."""

Role = Literal["answer", "judge", "work"]
"""What a stage's replies are: answers that are kept, the scoring of others' answers, or what later stages build on."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a kind's evaluation, and what its replies are for."""

    name: str
    role: Role = "answer"


@dataclass(frozen=True, slots=True)
class Metric:
    """What scores of one name measure, and on which scale."""

    name: str
    """As it stands in every score: `Score.name`."""
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "lower"] = "higher"
    threshold: float | None = None
    """From which value on (or down to which, where lower is better) an answer passes; None = it has no such value."""

    def holds(self, value: float) -> bool:
        """Whether a value lies on its scale."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class ReadingRules:
    """By which rules replies are read, where a kind has several: which there are, and the keys of its table that choose one."""

    key: str
    """The key that names the rule."""
    shipped: Mapping[str, str]
    """What each of the shipped rules does, by its name; the first is the usual one."""
    own: str
    """What the rule is called that a person makes of regular expressions."""
    patterns: str
    """The key with these expressions."""
    fallback: str
    """The key with the shipped rule for replies in which none of them finds anything; "none" = such replies stay unread."""
    place: Callable[[Any, SampleResult, Score], tuple[int, int] | None]
    """Of a task, one of its rows and a score: from where to where one of these expressions found what was read, in what is
    searched of the reply; None where none did."""


@dataclass(frozen=True, slots=True)
class RunStamp:
    """What files that are named after their run know of it."""

    name: str
    """The run's own name, as its config has it."""
    started_at: str
    """ISO 8601 in UTC; empty before there is a run."""
    simulated: bool = False
    """Whether any of its models is."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Files that add up over the items of a run, such as counts of tokens: written as items end, and again with the reports."""

    part: Callable[[Any, SampleResult], Any]
    """Of a task and a row that has ended: what it brings to them; None = nothing. It is kept as long as the run takes, so it
    is no more than what the files hold of it."""
    files: Callable[[Any, Sequence[Any], RunStamp], Mapping[str, Json]]
    """Of a task, what its rows brought, in the order of the samples, and the run: the files, named as an item's are."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, a pattern of files or a folder that a config names, to be read before the run."""

    role: str
    pattern: str
    key: str
    """The config key that names it, for error messages."""
    max_bytes: int
    folder: bool = False
    place: str = "lists"
    """The folder of the run folder's inputs/ where what it names is kept."""
    raised_by: str = ""
    """The config key that says how many bytes there may be; empty where none does."""
    as_text: bool = False
    """Whether what its files say is wanted as text, with their pages."""
    others_as_is: bool = False
    """Whether this holds of PDFs and web pages alone, be they ever so short, and any other file stays as it is."""
    keep_hidden: bool = False
    """Whether what web pages hide is text like any other."""
    asked_about: bool = False
    """Whether questions are written about what they say: what no passage for them has is written down beside it."""
    shipped: str = ""
    """The folder of the workspace, and of what comes with the program, where a bare name is looked for, too; empty = none."""
    inside: tuple[str, ...] = ()
    """What is taken where it names a folder, or a run by its id: patterns within it, those of one entry together, divided by
    blanks; the first entry counts whose last pattern finds a file. Empty = it names no folder."""
    shown_by: str = ""
    """What a person says so that models are shown a PDF as it is; empty where there is no such thing."""
    beside: str = ""
    """What is read along with a file, if it is there: a file of the same name, with or without its suffix, and this behind it.
    It gets the role with " beside" behind it, and is never what a pattern matches. Empty = nothing."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """An input as it was read: its bytes as text, or in base64 where they are not valid UTF-8."""

    role: str
    name: str
    """File name, without folders."""
    path: str
    """Relative to the config that names it."""
    sha256: str
    size: int
    mime: str
    encoding: Literal["utf-8", "base64"]
    held: str | None
    """Its content; None where that is not kept in memory."""
    most_tokens: int | None = None
    """The most tokens that it comes to where models are shown it as a PDF; None = nobody has told it."""
    origin: str = ""
    """The file that it was read from; empty where it was none."""
    again: Callable[[InputFile], str] | None = None
    """What reads the content again where it is not held."""
    text: str | None = None
    """What it says, pages divided by form feeds, where that is wanted and it is no image; else None."""
    left_out: tuple[LeftOut, ...] | None = None
    """What of its text no passage for questions has; models are shown it where they are shown the text. None where nobody
    wrote that down: in a run of an older version, and where there is no text."""
    hidden: tuple[str, ...] = ()
    """What a web page hides: its text has not got it, and no model is shown it."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What a person should know of how its text was read; none where the text of a run folder was taken."""

    @property
    def content(self) -> str:
        """All of it, as text or in base64. ConfigError where it is not held, and no longer what was read at first."""
        if self.held is not None or self.again is None:
            return self.held or ""
        return self.again(self)


@dataclass(frozen=True, slots=True)
class RunDefaults:
    """What `[run]` holds for a kind when the config is silent."""

    max_concurrency: int = 20
    retries: int = 3
    timeout_s: float = 60.0
    max_output_tokens: int | None = 2000
    longer_when_cut: bool | None = None
    """Whether a reply that ends inside what is to be read is asked for again with more tokens; None = there is none."""
    reasoning_without_limit: bool | None = None
    """Whether models with a reasoning_effort are sent no token limit, where neither one nor a cap on cost is set."""
    max_calls: int | None = None
    """None = one and a half times the plan, with what it says may follow."""
    backoff: Backoff = "exponential"
    cache: bool = False

    @property
    def table(self) -> dict[str, Json]:
        """These defaults under the names that they have in `[run]`."""
        table: dict[str, Json] = {
            "max_concurrency": self.max_concurrency,
            "retries": self.retries,
            "timeout_s": self.timeout_s,
            "max_output_tokens": self.max_output_tokens or 0,
            "longer_when_cut": self.longer_when_cut,
            "reasoning_without_limit": self.reasoning_without_limit,
            "max_calls": self.max_calls,
            "cache": self.cache,
        }
        return {name: value for name, value in table.items() if value is not None or name == "max_calls"}


class Reporter(Protocol):
    """Adds up rows one at a time, keeping what its reports need and never the rows."""

    def add(self, row: SampleResult) -> None:
        """Take one sample into account."""

    def tables(self) -> Mapping[str, Table]:
        """What it comes to, by file name."""

    def headline(self) -> Sequence[Table]:
        """What a person reads first; every cell is text, ready to print."""

    def files(self, about: About) -> Mapping[str, Json]:
        """The kind's own files by name: text of a .md, rows of a .csv, a value of a .json."""


AnswerByMetric = tuple[str, int, int, str, str]
"""An answer and a metric: id of the sample, repeat, turn from 1, model, metric."""
PersonMarks = Mapping[AnswerByMetric, float | None]
"""What a person said of answers, in the order in which they were first shown; None = the person could not tell."""


@runtime_checkable
class CheckedReporter(Reporter, Protocol):
    """A reporter that holds a judge's marks against a person's."""

    def check(self, marks: PersonMarks) -> None:
        """Take a person's marks into account; those of answers that it does not have say nothing."""


@runtime_checkable
class VerdictReporter(Reporter, Protocol):
    """A reporter that comes to a verdict of its own, as when a judge is looked at: it counts as a gate of the run."""

    def verdicts(self) -> Sequence[Mapping[str, Json]]:
        """Entries as those of a report's gates: name, metric, stage, model, verdict, found, wanted, n, text, passed."""


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
        """What they come to, by file name. ConfigError, naming the run, where one of them is of something else."""

    def headline(self) -> Sequence[Table]:
        """What a person reads first; every cell is text, ready to print."""

    def files(self) -> Mapping[str, Json]:
        """Its files by name: text of a .md, rows of a .csv, a value of a .json."""
