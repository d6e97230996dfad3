"""From the `[graph]` table to what is asked: each brief of each model, by each version of the prompt."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tui_eval.core.calls import Json, ModelSpec
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile
from tui_eval.core.samples import Sample
from tui_eval.kinds.graph.graph_scores import Expected
from tui_eval.kinds.graph.graph_table import STAGE, Config
from tui_eval.kinds.shared.inputs import Inputs, Task, text_of
from tui_eval.kinds.shared.queues import Samples, listed, sample_id
from tui_eval.reading.front_matter import FrontMatter, FrontMatterError, front_matter
from tui_eval.workspace.validation import nearest

COMPLEXITIES = ("simple", "moderate", "complex")
KEYS = ("expect_status_quo", "has_numeric_target", "complexity")


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

    config: Config
    versions: Sequence[Version]
    briefs: Sequence[Brief]
    drafters: Mapping[str, Drafter]
    """By our names for the models."""
    schema: Mapping[str, Json] | None
    """What goes with each call; None = nothing."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What one graph is asked for by."""

    brief: Brief
    version: Version


def resolve(config: Config, inputs: Inputs) -> GraphTask:
    """Everything read. ConfigError, naming key, file and line, for what cannot be asked."""
    versions = [_version(file) for file in _alone(inputs.of("draft_prompt"), "graph.prompts")]
    read = [_brief(file) for file in _alone(inputs.of("brief"), "graph.briefs")]
    n = len(versions) * len(read) * len(inputs.asked[STAGE])
    if n > config.max_samples:
        raise ConfigError(f"graph.briefs: {n:,} graphs; at most {config.max_samples:,} (graph.max_samples raises it)")
    return GraphTask(
        config=config,
        asked=inputs.asked,
        versions=versions,
        briefs=[brief for brief, _ in read],
        drafters=_drafters({model.name: inputs.models[model.name] for model in inputs.asked[STAGE]}),
        schema=_schema(inputs) if config.structured else None,
        warnings=tuple(note for _, notes in read for note in notes),
    )


def samples(task: GraphTask) -> Samples:
    """Model x brief x version of the prompt; each model has a queue of its own, so that none waits for another.

    A brief is a document, so that graphs of one brief by several prompts are no independent evidence.
    """
    drafts = [Draft(brief, version) for brief in task.briefs for version in task.versions]
    several = len(task.versions) > 1
    return listed(_sample(model.name, n, draft, several) for model in task.asked[STAGE] for n, draft in enumerate(drafts))


def _sample(model: str, n: int, draft: Draft, several: bool) -> Sample:
    """`several`: whether there are other versions of the prompt, so that the id must tell which it is."""
    brief, version = draft.brief, draft.version
    return Sample(
        sample_id(model, brief.id, *([version.id] if several else [])),
        brief.text,
        groups={"prompt": (version.id,), "complexity": (brief.complexity,)},
        queue=model,
        doc_id=brief.id,
        q_index=n,
        data=draft,
    )


def _alone(files: Sequence[InputFile], key: str) -> Sequence[InputFile]:
    """The files, which are told from each other by their names without suffixes."""
    first: dict[str, InputFile] = {}
    for file in files:
        other = first.setdefault(_stem(file).casefold(), file)
        if other is not file:
            raise ConfigError(f"{key}: {other.name} and {file.name} have the same name but for the suffix; rename one")
    if not files:
        raise ConfigError(f"{key}: matches no file")
    return files


def _stem(file: InputFile) -> str:
    return file.name.rpartition(".")[0] or file.name


def _version(file: InputFile) -> Version:
    text = text_of(file, "graph.prompts").strip()
    if not text:
        raise ConfigError(f"graph.prompts: {file.name}: is empty; write what the model is to do")
    return Version(_stem(file), text, file.sha256)


def _brief(file: InputFile) -> tuple[Brief, list[str]]:
    """The brief of a file, and what a person should know of it."""
    text = text_of(file, "graph.briefs")
    try:
        found = front_matter(text)
        expected = Expected(_flag(found, "expect_status_quo"), _flag(found, "has_numeric_target"))
        complexity = _complexity(found)
    except FrontMatterError as error:
        raise ConfigError(f"graph.briefs: {file.name}:{error.line}: {error}") from None
    if not found.body:
        raise ConfigError(f"graph.briefs: {file.name}: has no text below its head; write what is to be decided")
    unknown = [key for key in found.values if key not in KEYS]
    notes = [f"graph.briefs: {file.name}:{found.lines[key]}: {key} is not used{nearest(key, KEYS)}" for key in unknown]
    return Brief(_stem(file), found.body, file.sha256, expected, complexity), notes


def _flag(found: FrontMatter, key: str) -> bool:
    value = found.values.get(key)
    if not isinstance(value, bool):
        missing = "is missing" if key not in found.values else f"must be true or false, not {value!r}"
        raise FrontMatterError(found.lines.get(key, 1), f"{key}: {missing}; write `{key}: true` or `{key}: false`")
    return value


def _complexity(found: FrontMatter) -> str:
    value = found.values.get("complexity")
    if value not in COMPLEXITIES:
        missing = "is missing" if value is None else f"{value!r} is none of them"
        raise FrontMatterError(found.lines.get("complexity", 1), f"complexity: {missing}; one of {', '.join(COMPLEXITIES)}")
    return str(value)


def _schema(inputs: Inputs) -> Mapping[str, Any]:
    file = inputs.one("schema")
    try:
        value = json.loads(inputs.text("schema"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"graph.schema_file: {file.name}: not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ConfigError(f"graph.schema_file: {file.name}: must be an object")
    return {key: inner for key, inner in value.items() if key not in ("$schema", "title", "description")}


def _drafters(specs: Mapping[str, ModelSpec]) -> dict[str, Drafter]:
    shared = Counter(spec.model for spec in specs.values())
    return {
        name: Drafter(
            folder=spec.model if shared[spec.model] == 1 else f"{spec.model}~{name}",
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
