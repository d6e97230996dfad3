"""The table of a config that says who judges answers: one model or several, how they are asked, and how they are judged."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.judging.judge_attacks import AttackSet
from tui_eval.evaluation.judging.judge_frames import FramesKey
from tui_eval.workspace.validation import Strict

MarkName = Literal["groundedness", "relevance", "coherence", "fluency", "correctness"]


class JudgingModels(Strict):
    """The models that judge. The field that holds the table names their stage."""

    model: Annotated[str, names("model"), Field(examples=["mini"])]
    """The model that judges. It should not be one of the models that answer, or of their family."""
    models: Annotated[list[str], names("model")] = []
    """Several models that judge, in addition to the key model or instead of it. The mean of their scores counts, and each
    judge's score is reported."""

    @model_validator(mode="before")
    @classmethod
    def _first_of_several(cls, table: Any) -> Any:
        several = table.get("models") if isinstance(table, dict) else None
        if not isinstance(several, list) or not several:
            return table
        first = table.get("model") or several[0]
        return {**table, "model": first, "models": [name for name in several if name != first]}


class JudgeLimits(Strict):
    """Limits of how judges are asked. Named first among the bases of a table, its keys stand last in it."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """How freely a judge chooses its words. Models that take no temperature are sent none. Left out = 0."""
    use_temperature: bool | None = None
    """Send judges a temperature. false = send none, not even a model's own. Empty = yes."""
    max_output_tokens: Annotated[int, Field(ge=1)] = 800
    """The most tokens of a judge's reply. A reply that is cut off is asked for once more with four times as many."""
    frames: FramesKey = None
    attacks: AttackSet = None


class _DialogueJudging(JudgingModels):
    """Questions to judges of dialogues besides scores."""

    pairs: bool = False
    """Let judges also choose between the answers of every two models, in both orders. For n models this takes n (n - 1) more
    calls a question. All models then answer a conversation side by side."""
    ladder: bool = False
    """If true, the run tests its judges. Each conversation must have five versions of one text, with 0, 25, 50, 75 and 98 % of
    its sentences replaced. A judge passes if its scores by the first metric put at least 80 % of the steps in order. A judge
    also passes if every whole text gets the top score and no other version does. If a judge does not pass, the run
    ends with 1."""
    claims: bool = True
    """Split each answer into claims, and check each claim against the context. This takes one more call for each answer."""
    duplicates: Annotated[float, Field(ge=0, le=1)] = 0.1
    """The share of answers that a judge scores twice without knowing it. The two scores show how far it agrees with itself. 0
    = none."""
    threshold: Annotated[float, Field(ge=1, le=5)] = 3
    """The lowest score with which an answer passes."""


class JudgeTable(JudgeLimits, _DialogueJudging):
    """Who judges the answers, and by which of the shipped metrics."""

    metrics: Annotated[list[MarkName], Field(min_length=1)] = ["groundedness", "relevance", "coherence", "fluency"]
    """The metrics of the answers, 1 to 5: groundedness, relevance, coherence, fluency, and correctness against the ground
    truth."""
