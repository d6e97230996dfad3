"""The `[chat]` table of a config: which conversations, who answers, what they are shown, and who judges by what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from tui_eval.kinds.shared.naming import names
from tui_eval.kinds.shared.shown_documents import Shown
from tui_eval.workspace.validation import Strict

MarkName = Literal["groundedness", "relevance", "coherence", "fluency", "correctness"]


class Judge(Strict):
    """Who judges the answers, and by what."""

    model: Annotated[str, names("model", stage="judge"), Field(examples=["mini"])]
    """The model that judges; better none of those that answer, nor one of their family."""
    models: Annotated[list[str], names("model", stage="judge")] = []
    """Several that judge, beside it or in its place: the mean of their marks counts, and each is told."""
    metrics: Annotated[list[MarkName], Field(min_length=1)] = ["groundedness", "relevance", "coherence", "fluency"]
    """What answers are marked for, 1 to 5: groundedness, relevance, coherence, fluency, and correctness against the ground
    truth."""
    pairs: bool = False
    """Whether judges also choose between the answers of every two models, in both orders: n (n - 1) calls more a question for n
    models. A conversation is then asked of all models side by side."""
    claims: bool = True
    """Whether each answer is taken apart into claims, each held against the context: one call more for each answer."""
    duplicates: Annotated[float, Field(ge=0, le=1)] = 0.1
    """The share of answers that is judged twice, without the judge being told: how far it agrees with itself. 0 = none."""
    threshold: Annotated[float, Field(ge=1, le=5)] = 3
    """The mark from which on an answer passes."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """How freely a judge chooses its words; none is sent to models that take none. Empty = the model's own."""
    max_output_tokens: Annotated[int, Field(ge=1)] = 800
    """The most tokens of a judge's reply; one that is cut off is asked for once more with four times as many."""

    @model_validator(mode="before")
    @classmethod
    def _first_of_several(cls, table: Any) -> Any:
        several = table.get("models") if isinstance(table, dict) else None
        if not isinstance(several, list) or not several:
            return table
        first = table.get("model") or several[0]
        return {**table, "model": first, "models": [name for name in several if name != first]}


class Config(Strict):
    """The `[chat]` table."""

    dataset: Annotated[str, names("file", shipped="datasets"), Field(examples=["handbook"])]
    """The conversations: the name of a set in datasets/, or the path of its file."""
    models: Annotated[list[str], Field(min_length=1), names("model", stage="answer")]
    """The models that answer, one a line."""
    judge: Judge
    """Who judges the answers, and by what."""
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
    """How many tokens the smallest model's window holds: what does not fit is refused before anything is sent. Empty = not
    checked."""
    max_models: Annotated[int, Field(ge=1)] = 5
    """How many models there may be."""
    prompts: dict[str, str] = {}
    """Prompts of this run's own, by name. Those that are left out are the ones in prompts/, else the shipped ones."""

    @field_validator("dataset")
    @classmethod
    def _with_suffix(cls, value: str) -> str:
        return f"{value}.json" if value and not {"/", "\\", "."} & set(value) else value


PROMPTS: Mapping[str, tuple[str, ...]] = {
    "system": ("context",),
    "system_alone": (),
    "judge_system": (),
    "groundedness": ("context", "question", "answer"),
    "relevance": ("history", "question", "flag", "answer"),
    "coherence": ("question", "answer"),
    "fluency": ("answer",),
    "correctness": ("question", "truth", "answer"),
    "abstention": ("question", "answer"),
    "claims": ("context", "answer", "most"),
    "pair": ("history", "question", "truth", "flag", "first", "second"),
    "reminder": (),
}
