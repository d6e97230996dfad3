"""How long, how free and how lengthy a reply may be: what a row leaves open comes from its model, then from the run."""

from __future__ import annotations

from typing import Any, Protocol

from tui_eval.core.calls import ModelSpec
from tui_eval.workspace.run_settings import RunSettings

USUAL_TIMEOUT_S = 60.0


class Row(Protocol):
    """A table of a config that names a model and may set its limits."""

    @property
    def timeout_s(self) -> float | None:
        """The most one attempt may take; seconds."""

    @property
    def temperature(self) -> float | None:
        """How freely the model chooses its words, 0 to 2."""

    @property
    def max_output_tokens(self) -> int | None:
        """The most tokens a reply may have; 0 = no limit."""


def filled_in(row: Row, spec: ModelSpec, run: RunSettings) -> dict[str, Any]:
    """The fields of a row that settling fills in, with the id that the model has at its API."""
    limit = row.max_output_tokens
    if limit is None:
        limit = run.max_output_tokens if spec.max_output_tokens is None else spec.max_output_tokens
    return {
        "model_id": spec.model,
        "timeout_s": row.timeout_s or spec.timeout_s or run.timeout_s,
        "temperature": spec.temperature if row.temperature is None else row.temperature,
        "max_output_tokens": limit,
    }


def of_call(row: Row) -> dict[str, Any]:
    """The same of a settled row, as the fields of a call."""
    return {
        "temperature": row.temperature,
        "max_output_tokens": row.max_output_tokens or None,
        "timeout_s": row.timeout_s or USUAL_TIMEOUT_S,
    }
