"""What a config may demand of a run's results: thresholds by metric, and how strictly they are held."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from tui_eval.workspace.validation import Strict


class GateSettings(Strict):
    """The `[gate]` table. Its other keys are the kind's metrics, each with a threshold such as ">= 0.8"."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str]

    stage: str = ""
    """The stage whose models must hold it. Empty = the last one that answers."""
    models: dict[str, dict[str, str]] = {}
    """Thresholds of single models by metric, in place of the ones above: { mini = { correct = ">= 0.7" } }. Every other model
    must hold those above."""
    bound: Literal["value", "low"] = "value"
    """What must lie on the good side: the value itself, or (low) all of its 95 % interval, so that chance alone passes no
    gate."""
    max_missing: Annotated[float, Field(ge=0, le=1, examples=[0.05])] | None = None
    """The largest share of a model's answers that may have no score: failed, refused, not read. Empty = any."""
    max_cost_usd: Annotated[float, Field(ge=0, examples=[5.0])] | None = None
    """The most that the run may have cost, USD. It stops nothing; run.max_cost_usd does."""
    against: Annotated[str, Field(json_schema_extra={"names": "run"})] = ""
    """An earlier run that no model may be worse than: its id, or its folder as seen from this file. Empty = none."""
    at_most_worse: Annotated[float, Field(ge=0)] = 0.0
    """By how much it may be worse than that run, in the metric's unit: 0.02 is two points of a hundred."""
    critical: list[str] = []
    """Ids of questions, samples or documents of which no answer may be wrong."""
    inconclusive: Literal["fail", "pass"] = "fail"
    """What a gate counts as that cannot be told yet, for want of scores, questions or costs."""

    @property
    def thresholds(self) -> dict[str, str]:
        """The thresholds that hold for every model, by metric."""
        return self.__pydantic_extra__

    @property
    def measured(self) -> set[str]:
        """The metrics that it has a threshold of; none where it demands something else."""
        return set(self.thresholds).union(*self.models.values())

    @property
    def demands(self) -> bool:
        """Whether it demands anything, and does not just say how."""
        limits = (self.max_missing, self.max_cost_usd)
        return bool(self.measured or self.critical or self.against) or any(limit is not None for limit in limits)
