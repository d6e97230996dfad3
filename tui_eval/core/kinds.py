"""What a kind of evaluation is: what it reads, asks and makes of the answers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tui_eval.core.calls import Call, Json, ModelSpec, Reply
from tui_eval.core.results import About, Row, Score, Shown, Table
from tui_eval.core.samples import Sample

Backoff = Literal["linear", "exponential"]
"""How the pause before a retry grows."""

Flow = Generator[Sequence[Call], Sequence[Reply], list[Score]]
"""One item's evaluation: yields the calls it wants, is sent one reply for each, in order; returns scores."""


Role = Literal["answer", "judge", "work"]
"""What a stage's replies are: answers that are scored, the scoring of others' answers, or what later stages build on."""


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
class Source:
    """A file, a pattern of files or a folder that a config names, to be read before the run."""

    role: str
    pattern: str
    key: str
    """The config key that names it, for error messages."""
    max_bytes: int
    folder: bool = False


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
    content: str


@dataclass(frozen=True, slots=True)
class RunDefaults:
    """What `[run]` holds for a kind when the config is silent."""

    max_concurrency: int = 20
    retries: int = 3
    timeout_s: float = 60.0
    max_output_tokens: int | None = 2000
    max_calls: int | None = None
    """None = one and a half times the plan."""
    backoff: Backoff = "exponential"
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """Items that ask as many calls as each other."""

    n: int
    """How many there are."""
    first: Sample
    """The first of them, whose calls stand for those of all."""


Shapes = Mapping[str, Mapping[Hashable, Shape]]
"""By lane, in order, and by what tells their shapes apart."""


class Reporter(Protocol):
    """Adds up rows one at a time, keeping what its reports need and never the rows."""

    def add(self, row: Row) -> None:
        """Take one item into account."""

    def tables(self) -> Mapping[str, Table]:
        """What it comes to, by file name."""

    def headline(self) -> Sequence[Table]:
        """What a person reads first; every cell is text, ready to print."""

    def files(self, about: About) -> Mapping[str, Json]:
        """The kind's own files by name: text of a .md, rows of a .csv, a value of a .json."""


class Items(Protocol):
    """How a kind makes its items, one at a time."""

    def __call__(self, config: Any, files: Sequence[InputFile], lane: str | None = None, step: int = 1) -> Iterator[Sample]:
        """The items of one lane, None = of all; of each lane only the first, and every `step`-th after it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of evaluation: what it reads, what it asks, what it makes of the answers. All of it pure."""

    name: str
    about: str
    """What it does, on a line: for lists, help and the app."""
    Config: type[Any]
    defaults: RunDefaults
    stages: tuple[Stage, ...]
    """In the order they are asked and reported."""
    metrics: tuple[Metric, ...]
    """What its scores measure; the first is the one that a reader asks for. Empty where nothing is scored."""
    prompts: Mapping[str, tuple[str, ...]]
    """The prompts it needs and the slots each must have; files of these names in prompts/<kind>/."""
    sources: Callable[[Any], list[Source]]
    settle: Callable[[Any, Sequence[InputFile], Mapping[str, ModelSpec], Any], Any]
    """(config, files, models, run settings) -> the config with every default filled in and every file read."""
    items: Items
    """What to ask about: everything, or what one lane asks, in the same order."""
    shapes: Callable[[Any, Sequence[InputFile]], Shapes]
    """(config, files) -> of each lane, how many items of each shape there are, counted without making them."""
    flow: Callable[[Any, Sample], Flow]
    models: Callable[[Any], list[str]]
    """Names of the models it uses, each once."""
    only_models: Callable[[Any, Sequence[str]], Any]
    """(config, names) -> the config with these models only."""
    labels: Callable[[Any], Mapping[str, Json]]
    """What the plan shows beside its counts, such as the factors of the call formula."""
    result: Callable[[Any, Row], Json]
    """A row as an item of results.json."""
    shown: Callable[[Any, Row], Shown]
    """What a person is shown of a row: part of its line in results.jsonl."""
    report: Callable[[Any], Reporter]
    """What adds up rows to the kind's own tables."""
    shape: Callable[[Any, Sample], Hashable] = lambda config, item: ""
    """What tells items of a lane that ask other calls apart: those of one shape ask as many of each stage and model."""
    needs: frozenset[str] | None = None
    """What a set of questions on file must have for a run to ask it: "options", "truth", "documents", "turns"; None = it asks
    no sets."""
    table_of: Callable[[Any], Mapping[str, Json]] | None = None
    """The kind's table for a run with the selected questions of a set on file."""
    offered: bool = True
    """Whether a person sets up runs of it; the others are made by the program, as when a call is sent again."""

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The names of its stages, in order."""
        return tuple(stage.name for stage in self.stages)

    def role(self, stage: str) -> Role:
        """What the replies of a stage are. KeyError where it has no such stage."""
        return {known.name: known.role for known in self.stages}[stage]
