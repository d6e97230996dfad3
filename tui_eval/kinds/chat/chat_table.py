"""The `[chat]` table of a config: which conversations, who answers, what they are shown, and who judges by what."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from tui_eval.evaluation.config_references import asked_in, names
from tui_eval.evaluation.judging.judge_table import JudgeTable
from tui_eval.kinds.chat.context import Shown
from tui_eval.workspace.validation import Strict


class Config(Strict):
    """The `[chat]` table."""

    dataset: Annotated[str, names("file", shipped="datasets"), Field(examples=["handbook"])]
    """The conversations: the name of a set in datasets/, or the path of its file."""
    models: Annotated[list[str], Field(min_length=1), names("model", stage="answer")]
    """The models that answer, one a line."""
    judge: Annotated[JudgeTable, asked_in("judge")]
    """Who judges the answers, and by what."""
    answers_from: Annotated[str | None, names("run", stage="answer")] = None
    """An earlier run whose answers are judged again, by its id or folder: then no model is asked for an answer, only judges.
    What it does not have, such as answers of a model that was renamed, is missing. "truth" = the ground truths are judged, as
    if a model had given them. Empty = the models are asked."""
    selected: list[str] = []
    """The ids of the questions that are asked. Empty = all. What is left out stands in the history with its ground truth."""
    history: Literal["own", "truth"] = "own"
    """Whether a later question is asked after the model's own earlier answers, or after the ground truth: then all are asked
    at once."""
    history_pairs: Annotated[int, Field(ge=0)] = 10
    """How many earlier questions with their answers are shown at most, the latest ones."""
    context: Shown = "document"
    """What the models are shown of the document: all of it, the eight passages that share most words with the questions so
    far, the pages that the answers stand on (which is easier than any search makes it), or none."""
    context_window: Annotated[int, Field(ge=100, examples=[128_000])] | None = None
    """How many tokens the smallest model's window holds: what does not fit is refused before anything is sent. Empty = each
    model's own context_window counts, where it is known."""
    max_models: Annotated[int, Field(ge=1)] = 5
    """How many models there may be."""
    prompts: dict[str, str] = {}
    """Prompts of this run's own, by name. Those that are left out are the ones in prompts/, else the shipped ones."""

    @field_validator("dataset")
    @classmethod
    def _with_suffix(cls, value: str) -> str:
        return f"{value}.json" if value and not {"/", "\\", "."} & set(value) else value
