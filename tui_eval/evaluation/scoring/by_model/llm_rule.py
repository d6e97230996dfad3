"""Scorer `llm`: a model says whether a reply agrees with the target."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tui_eval.core.calls import Json
from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow
from tui_eval.evaluation.stage_models import SCORING, AskedModel, ScorerModel


class LlmRow(ScorerRow, ScorerModel):
    """Row of `llm`: a scorer model, and what it is shown."""

    model: Annotated[str, Field(examples=["judge"], json_schema_extra={"names": "model", "stage": SCORING})]
    """The model that compares, by the name it has in this config or on file; better none of those that answer."""
    include_question: bool = True
    """Show the scorer the question, too: the whole of what was asked, so that with a long text in it each score costs more."""

    @property
    def asks_model(self) -> bool:
        """It does."""
        return True

    @property
    def options(self) -> dict[str, Json]:
        """Settings that decide its values: who is asked, and whether it sees the question; limits and time do not."""
        return {"model": self.model_id or self.model, "include_question": self.include_question}

    def asked(self) -> AskedModel:
        """The model with its limits, once these are filled in; asked with more tokens where its reply is cut."""
        return AskedModel(
            SCORING,
            self.model,
            self.model_id or self.model,
            calls=1,
            temperature=self.temperature if self.use_temperature else None,
            max_output_tokens=self.max_output_tokens or None,
            timeout_s=self.timeout_s or 0.0,
            longer_when_cut=True,
        )


def _unasked(row: LlmRow, case: Case) -> Outcome:
    """Raise RuntimeError: a model has to be asked, which `marks_by_models` does."""
    raise RuntimeError(f"{row.metric_name} asks a model, and was taken for a rule")


LLM = Rule("llm", 1, "a model says whether the reply agrees with the target", LlmRow, _unasked, is_cheap=False)
