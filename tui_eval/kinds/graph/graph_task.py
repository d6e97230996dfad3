"""What graphs are asked for by: briefs, versions of the prompt, and the models that draw."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from tui_eval.core.calls import Json, ModelSpec
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.stage_models import AskedModel, id_label
from tui_eval.kinds.graph.graph_scores import Expected, Rubric


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
    expected: Expected
    complexity: str


@dataclass(frozen=True, slots=True)
class Drafter:
    """What files say of a model."""

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

    rubric: Rubric
    structured: bool
    """Whether servers hold the models to the schema."""
    versions: Sequence[Version]
    briefs: Sequence[Brief]
    drafters: Mapping[str, Drafter]
    """By our names for the models."""
    schema: Mapping[str, Json] | None
    """What goes with each call; None = nothing."""

    @property
    def models(self) -> tuple[AskedModel, ...]:
        """The models that draw."""
        return self.asked["draft"]


@dataclass(frozen=True, slots=True)
class Draft:
    """What one graph is asked for by."""

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
