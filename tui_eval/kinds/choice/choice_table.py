"""The `[choice]` table of a config: which questions are asked of which models, and how their letters are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from tui_eval.evaluation.config_references import RECORDED, names
from tui_eval.reading.letters.own import MOST_PATTERNS, problem_of
from tui_eval.workspace.validation import Strict


class Filter(Strict):
    """The filter for the questions that are asked; empty = all. What is given must hold together."""

    difficulty: Annotated[list[str], Field(examples=[["hard"]])] = []
    """Only questions of these difficulties, such as easy. Empty = all."""
    domain: Annotated[list[str], Field(examples=[["Optics"]])] = []
    """Only questions of these domains. Empty = all."""
    ids: Annotated[list[str], Field(examples=[["q0007"]])] = []
    """Only the questions with these ids. Empty = all."""
    first: Annotated[int, Field(ge=1, examples=[50])] | None = None
    """Only the first N of the questions that are left. Empty = all."""


def _pattern(text: str) -> str:
    """A pattern by which a letter can be read; ValueError says what is wrong with any other."""
    if problem := problem_of(text):
        raise ValueError(problem)
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]


class ChoiceConfig(Strict):
    """The `[choice]` table."""

    dataset: Annotated[str | None, names("file", role="benchmark", place="benchmark"), Field(examples=["anatomy.csv"])] = None
    """The questions with their options, required: the name of a set in datasets/, or a JSON, JSONL or CSV file."""
    benchmark: Annotated[str | None, names("file", place="benchmark"), Field(examples=["anatomy.csv"])] = None
    """The older name of dataset. Empty = the key dataset names the questions."""
    models: Annotated[list[str], Field(min_length=1), names("model", stage="answer")]
    """The models to ask, by the names they have in this config or on file."""
    filter: Filter = Filter()
    """The questions to ask: those that meet all conditions here. Empty = all."""
    shuffle: bool = False
    """Show the options of each question in an order of its own, made from the run's seed."""
    permutations: Annotated[int, Field(ge=1, le=100)] = 1
    """Ask each question in this many orders of its options."""
    extraction: Literal["robust", "formationeval-v0.1", "patterns"] = "robust"
    """The way the letter is read out of a reply. robust: as a careful reader does; in doubt it reads none. formationeval-v0.1:
    as that benchmark's own code does, misreadings included. patterns: by your own expressions in the key patterns."""
    patterns: Annotated[list[Pattern], Field(max_length=MOST_PATTERNS, examples=[["(?i)answer is ([A-Z])"]])] = []
    """Your own regular expressions for extraction = "patterns", tried in this order. Each has one group, around the letter, as
    in 'answer is ([A-Z])'. The first that finds a letter decides. If it finds several, the last one counts."""
    patterns_fallback: Literal["none", "robust", "formationeval-v0.1"] = "none"
    """The way to read a reply if no pattern finds a letter in it. none: the reply stays unparsed and counts as wrong."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    """How freely models choose their words, sent to every model that has no temperature of its own: 0 is the steadiest."""
    use_temperature: bool = True
    """Send a temperature; switch it off where models take none."""
    formats: Annotated[list[Literal["json", "markdown", "csv"]], Field(min_length=1, examples=[["markdown"]])] | None = None
    """The forms in which reports and tables are written. report.json, results and statistics are written in any case. Empty =
    all three."""
    answers: Annotated[str | None, names("file", role=RECORDED), Field(examples=["answers.csv"])] = None
    """A table of answers made elsewhere. Runs of imported answers have this key. Empty = the models are asked."""
    prompts: dict[str, str] = {}
    """This run's own prompts, by name. For a prompt that is left out, the one in prompts/ is used, else the shipped one."""

    @model_validator(mode="after")
    def _has_one_set(self) -> ChoiceConfig:
        if (self.dataset is None) == (self.benchmark is None):
            raise ValueError(
                "give dataset: the name of a set in datasets/, or a file of questions (its older name is benchmark)"
            )
        return self


PROMPTS: Mapping[str, tuple[str, ...]] = {"system": (), "user": ("question", "options")}
