"""From the `[graph]` table to what is asked: each brief of each model, by each version of the prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import ask_longer
from tui_eval.evaluation.inputs import Inputs, json_of
from tui_eval.evaluation.sample_queues import Samples, listed, sample_id
from tui_eval.kinds.graph.brief_files import alone, brief_of, version_of
from tui_eval.kinds.graph.example_graph import EXAMPLE
from tui_eval.kinds.graph.graph_look import ends_inside_graph, graph_in, scores_of
from tui_eval.kinds.graph.graph_room import short_limits
from tui_eval.kinds.graph.graph_table import STAGE, Config
from tui_eval.kinds.graph.graph_task import Draft, GraphTask, drafters_of

PROMPTS, BRIEFS = "graph.prompts", "graph.briefs"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTask(GraphTask):
    """Prompts and briefs by the kind's own table."""

    config: Config


def resolve(config: Config, inputs: Inputs) -> OwnTask:
    """Everything read. ConfigError, naming key, file and line, for what cannot be asked."""
    versions = [version_of(file, PROMPTS) for file in alone(inputs.of("draft_prompt"), PROMPTS)]
    read = [brief_of(file, BRIEFS) for file in alone(inputs.of("brief"), BRIEFS)]
    n = len(versions) * len(read) * len(inputs.asked[STAGE])
    if n > config.max_samples:
        raise ConfigError(f"{BRIEFS}: {n:,} graphs; at most {config.max_samples:,} (graph.max_samples raises it)")
    return OwnTask(
        config=config,
        asked=inputs.asked,
        versions=versions,
        briefs=[brief for brief, _ in read],
        drafters=drafters_of({model.name: inputs.models[model.name] for model in inputs.asked[STAGE]}),
        rubric=config.rubric,
        structured=config.structured,
        schema=_schema(inputs) if config.structured else None,
        warnings=(*(note for _, notes in read for note in notes), *short_limits(inputs.asked[STAGE])),
    )


def _schema(inputs: Inputs) -> Mapping[str, Json]:
    file, key = inputs.one("schema"), "graph.schema_file"
    value = json_of(file, key)
    if not isinstance(value, dict):
        raise ConfigError(f"{key}: {file.name}: must be an object")
    return {key: inner for key, inner in value.items() if key not in ("$schema", "title", "description")}


def samples(task: OwnTask) -> Samples:
    """Model x brief x version of the prompt; each model has a queue of its own, so that none waits for another.

    A brief is a document, so that graphs of one brief by several prompts are no independent evidence.
    """
    drafts = [Draft(brief, version) for brief in task.briefs for version in task.versions]
    several = len(task.versions) > 1
    return listed(_sample(model.name, n, draft, several) for model in task.models for n, draft in enumerate(drafts))


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


def flow(task: OwnTask, sample: Sample) -> Flow:
    """A graph for a brief: the prompt is the system message and the brief the user message, as they stand in their files."""
    draft: Draft = sample.data
    (model,) = (model for model in task.models if model.name == sample.queue)
    call = model.ask(sample, draft.version.text, draft.brief.text, json_schema=task.schema, example=EXAMPLE)
    reply = yield from ask_longer(call, graph_in, ends_inside_graph)
    return scores_of(reply, draft.brief.expected, task.rubric)
