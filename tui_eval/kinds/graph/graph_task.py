"""The `[graph]` table of a config, and what graphs are asked for by: briefs, versions of the prompt, models that draw."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated

from pydantic import Field

from tui_eval.core.calls import Json, ModelSpec
from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.stage_models import AskedModel, id_label
from tui_eval.kinds.graph.graph_scores import BriefExpectations, Rubric
from tui_eval.workspace.validation import Strict

STAGE = "draft"
MOST_BYTES = 1024 * 1024


class GraphConfig(Strict):
    """The `[graph]` table."""

    prompts: Annotated[
        list[str], Field(min_length=1, examples=[["prompts/draft_graph_v1.txt"]]),
        names("files", role="draft_prompt", place="prompts", most=MOST_BYTES),
    ]  # fmt: skip
    """The versions of the prompt, each a text file that is sent as the system message: paths, or patterns such as
    prompts/*.txt. Several are asked side by side; the run's id ends with the name of the first."""
    briefs: Annotated[
        list[str], Field(min_length=1, examples=[["briefs/*.md"]]),
        names("files", role="brief", place="briefs", most=MOST_BYTES),
    ]  # fmt: skip
    """The decisions to draw, each a Markdown file that is sent as the user message: paths, or patterns. Its head, between two
    lines of three dashes, holds expect_status_quo and has_numeric_target (true or false) and complexity (simple, moderate or
    complex)."""
    models: Annotated[list[str], Field(min_length=1), names("model", stage=STAGE)]
    """The models that draft graphs, by the names they have in this config or on file."""
    structured: bool = False
    """Send a JSON schema with each call. A server makes the model keep to it, if the model can. Other models may refuse it."""
    schema_file: Annotated[str, names("file", role="schema", place="schemas", shipped="schemas")] = "decision-graph.json"
    """The JSON schema that goes with structured = true: a path, or a file of schemas/."""
    rubric: Rubric = "spec-002"
    """The rules by which graphs are scored. spec-002: those of the specification. first-coded: those of older published
    scores. They round probabilities of existence to one decimal, and missing strengths get full marks."""
    max_samples: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    """The most graphs to ask for, so that patterns do not match more than was meant."""

    @property
    def unused(self) -> tuple[str, ...]:
        """Without structured no schema is sent."""
        return () if self.structured else ("schema_file",)


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the prompt."""

    id: str
    """The file's name without its suffix."""
    text: str
    sha256: str
    """Of the file."""


@dataclass(frozen=True, slots=True)
class Brief:
    """A decision to be drawn."""

    id: str
    text: str
    """Without the file's head."""
    sha256: str
    expected: BriefExpectations
    complexity: str


@dataclass(frozen=True, slots=True)
class Drafter:
    """The description of a model in the files."""

    folder: str
    """The API's own id, with ~name where two models of a run share one."""
    display_name: str
    """What people call it; its name where the settings do not say."""
    target_mode: str
    price_source: str
    sha256: str
    """Of its settings, keys left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphTask(Task):
    """Prompts and briefs, read."""

    config: GraphConfig
    versions: Sequence[Version]
    briefs: Sequence[Brief]
    drafters: Mapping[str, Drafter]
    """By our names for the models."""
    schema: Mapping[str, Json] | None
    """What goes with each call; None = nothing."""

    @property
    def models(self) -> tuple[AskedModel, ...]:
        """The models that draw."""
        return self.asked[STAGE]


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """The brief and the version of the prompt that one graph is asked for by."""

    brief: Brief
    version: Version


def drafters_of(specs: Mapping[str, ModelSpec]) -> dict[str, Drafter]:
    """Of models by our names for them."""
    ids = [(name, spec.model) for name, spec in specs.items()]
    return {
        name: Drafter(
            folder=id_label(name, spec.model, ids),
            display_name=spec.display_name or name,
            target_mode=spec.target_mode or "",
            price_source=spec.price.source if spec.price else "",
            sha256=_hash(spec),
        )
        for name, spec in specs.items()
    }


def _hash(spec: ModelSpec) -> str:
    """Of what a model is asked with, whichever run it is asked in."""
    settings = {key: value for key, value in asdict(replace(spec, seed=None)).items() if key != "display_name"}
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()
