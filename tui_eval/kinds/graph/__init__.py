"""Decision graphs: models draft one from a brief; rules, and no judge, score its structure and its quality."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.kinds import Flow, RunDefaults, Stage
from tui_eval.core.samples import Sample
from tui_eval.core.units import Unit, Units
from tui_eval.evaluation.calls import ask_longer
from tui_eval.evaluation.inputs import Inputs, json_of, text_of
from tui_eval.evaluation.kind import Kind, SampleFiles, TaskForm
from tui_eval.evaluation.sample_queues import Samples, listed, sample_id
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.graph.graph_files import row_files, row_paths
from tui_eval.kinds.graph.graph_report import GraphReport
from tui_eval.kinds.graph.graph_scores import METRICS, VALID, BriefExpectations, look_at, scores_of
from tui_eval.kinds.graph.graph_task import STAGE, Brief, DraftRequest, GraphConfig, GraphTask, Version, drafters_of
from tui_eval.kinds.graph.structure_rules import MOST_EDGES, MOST_NODES
from tui_eval.reading.front_matter import FrontMatterError, Head, front_matter
from tui_eval.workspace.validation import nearest

_NODES = (
    {"id": "goal", "kind": "goal", "label": "Finish the season with a profit", "data": {"goal_threshold": 0.8}},
    {"id": "decide", "kind": "decision", "label": "Which ferry to charter"},
    {"id": "quo", "kind": "option", "label": "Keep the old ferry", "data": {"interventions": {"seats": 0.4}}},
    {"id": "new", "kind": "option", "label": "Charter the fast ferry", "data": {"interventions": {"crew": 0.9}}},
    {"id": "seats", "kind": "factor", "label": "Seats a day", "category": "controllable"},
    {"id": "crew", "kind": "factor", "label": "Crew on board", "category": "controllable"},
    {"id": "storms", "kind": "factor", "label": "Storm days a month", "category": "external"},
    {"id": "fares", "kind": "outcome", "label": "Fares taken"},
    {"id": "delays", "kind": "risk", "label": "Cancelled crossings"},
)
_BUILT = (("decide", "quo"), ("decide", "new"), ("quo", "seats"), ("new", "crew"))
_INFLUENCES = (
    ("seats", "fares", 0.6, 0.9),
    ("crew", "fares", 0.3, 0.9),
    ("storms", "delays", 0.7, 0.95),
    ("crew", "delays", -0.2, 0.6),
    ("fares", "goal", 0.6, 0.9),
    ("delays", "goal", -0.4, 0.8),
)


EXAMPLE = json.dumps({
    "nodes": _NODES,
    "edges": [
        *({"from": start, "to": end} for start, end in _BUILT),
        *(
            {"from": start, "to": end, "strength": {"mean": mean, "std": 0.1 + abs(mean) / 10}, "exists_probability": exists}
            for start, end, mean, exists in _INFLUENCES
        ),
    ],
    "coaching": {
        "strengthen_items": ["Say what a cancelled crossing costs"],
        "summary": "A small draft that rests on the brief's own words.",
    },
})  # fmt: skip


COMPLEXITIES = ("simple", "moderate", "complex")
KEYS = ("expect_status_quo", "has_numeric_target", "complexity")


def alone(files: Sequence[InputFile], key: str) -> Sequence[InputFile]:
    """The files, which are told from each other by their names without suffixes. ConfigError where they are not."""
    first: dict[str, InputFile] = {}
    for file in files:
        namesake = first.setdefault(_stem(file).casefold(), file)
        if namesake is not file:
            raise ConfigError(f"{key}: {namesake.name} and {file.name} have the same name but for the suffix; rename one")
    if not files:
        raise ConfigError(f"{key}: matches no file")
    return files


def _stem(file: InputFile) -> str:
    return file.name.rpartition(".")[0] or file.name


def version_of(file: InputFile, key: str) -> Version:
    """A version of the prompt. ConfigError for an empty file."""
    text = text_of(file, key).strip()
    if not text:
        raise ConfigError(f"{key}: {file.name}: is empty; write what the model is to do")
    return Version(_stem(file), text, file.sha256)


def brief_of(file: InputFile, key: str) -> tuple[Brief, list[str]]:
    """The brief of a file, and what a person should know of it. ConfigError, naming the line, for a head that does not say."""
    text = text_of(file, key)
    try:
        head, body = front_matter(text)
        expected = BriefExpectations(_flag(head, "expect_status_quo"), _flag(head, "has_numeric_target"))
        complexity = _complexity(head)
    except FrontMatterError as error:
        raise ConfigError(f"{key}: {file.name}:{error.line}: {error}") from None
    if not body:
        raise ConfigError(f"{key}: {file.name}: has no text below its head; write what is to be decided")
    unknown = [(name, line) for name, (_, line) in head.items() if name not in KEYS]
    notes = [f"{key}: {file.name}:{line}: {name} is not used{nearest(name, KEYS)}" for name, line in unknown]
    return Brief(_stem(file), body, file.sha256, expected, complexity), notes


def _flag(head: Head, key: str) -> bool:
    value, line = head.get(key, (None, 1))
    if not isinstance(value, bool):
        missing = "is missing" if value is None else f"must be true or false, not {value!r}"
        raise FrontMatterError(line, f"{key}: {missing}; write `{key}: true` or `{key}: false`")
    return value


def _complexity(head: Head) -> str:
    value, line = head.get("complexity", (None, 1))
    if value not in COMPLEXITIES:
        missing = "is missing" if value is None else f"{value!r} is not a complexity"
        raise FrontMatterError(line, f"complexity: {missing}; one of {', '.join(COMPLEXITIES)}")
    return str(value)


CHARACTERS_PER_TOKEN = 3
"""Of JSON, which has more signs than prose: four characters a token would be too hopeful."""


def largest_graph_tokens() -> int:
    """Return about how many tokens a graph of the most nodes and edges takes, each as long as the example's on average."""
    graph = json.loads(EXAMPLE)
    lengths = [len(json.dumps(graph[name])) / len(graph[name]) for name in ("nodes", "edges")]
    return round((MOST_NODES * lengths[0] + MOST_EDGES * lengths[1]) / CHARACTERS_PER_TOKEN)


def short_limits(models: Sequence[AskedModel]) -> Iterator[str]:
    """Yield a sentence for each model that may be cut before it has drawn all that the rules allow."""
    needed = largest_graph_tokens()
    for model in models:
        limit = model.max_output_tokens
        if limit is not None and limit < needed:
            yield (
                f"{model.name}: a reply may have {limit:,} tokens; the largest allowed graph ({MOST_NODES} nodes, "
                f"{MOST_EDGES} edges) takes about {needed:,}. If graphs are large, raise run.max_output_tokens"
            )


PROMPTS, BRIEFS = "graph.prompts", "graph.briefs"


def resolve(config: GraphConfig, inputs: Inputs) -> GraphTask:
    """Everything read. ConfigError, naming key, file and line, for what cannot be asked."""
    versions = [version_of(file, PROMPTS) for file in alone(inputs.of("draft_prompt"), PROMPTS)]
    read = [brief_of(file, BRIEFS) for file in alone(inputs.of("brief"), BRIEFS)]
    n = len(versions) * len(read) * len(inputs.asked[STAGE])
    if n > config.max_samples:
        raise ConfigError(f"{BRIEFS}: {n:,} graphs; at most {config.max_samples:,} (graph.max_samples raises it)")
    return GraphTask(
        config=config,
        asked=inputs.asked,
        versions=versions,
        briefs=[brief for brief, _ in read],
        drafters=drafters_of({model.name: inputs.models[model.name] for model in inputs.asked[STAGE]}),
        schema=_schema(inputs) if config.structured else None,
        warnings=(*(note for _, notes in read for note in notes), *short_limits(inputs.asked[STAGE])),
    )


def _schema(inputs: Inputs) -> Mapping[str, Json]:
    file, key = inputs.one("schema"), "graph.schema_file"
    value = json_of(file, key)
    if not isinstance(value, dict):
        raise ConfigError(f"{key}: {file.name}: must be an object")
    return {key: inner for key, inner in value.items() if key not in ("$schema", "title", "description")}


def samples(task: GraphTask) -> Samples:
    """Model x brief x version of the prompt; each model has a queue of its own, so that none waits for another.

    A brief is a document, so that graphs of one brief by several prompts are no independent evidence. Where there are several
    versions of the prompt, ids tell which it is.
    """
    drafts = [DraftRequest(brief, version) for brief in task.briefs for version in task.versions]
    several = len(task.versions) > 1
    return listed(
        Sample(
            sample_id(model.name, draft.brief.id, *([draft.version.id] if several else [])),
            draft.brief.text,
            groups={"prompt": (draft.version.id,), "complexity": (draft.brief.complexity,)},
            queue=model.name,
            doc_id=draft.brief.id,
            q_index=n,
            data=draft,
        )
        for model in task.models
        for n, draft in enumerate(drafts)
    )


def flow(task: GraphTask, sample: Sample) -> Flow:
    """A graph for a brief: the prompt is the system message and the brief the user message, as they stand in their files."""
    draft: DraftRequest = sample.data
    (model,) = (model for model in task.models if model.name == sample.queue)
    call = model.ask(sample, draft.version.text, draft.brief.text, json_schema=task.schema, example=EXAMPLE)
    reply = yield from ask_longer(call, lambda text: look_at(text).found.graph, lambda text: look_at(text).found.cut)
    return scores_of(reply, draft.brief.expected, task.config.rubric)


def _factors(task: GraphTask) -> dict[str, Json]:
    return {"briefs": len(task.briefs), "models": len(task.models), "prompts": len(task.versions)}


def unit_of(task: GraphTask, sample: Sample) -> Unit:
    """A brief; the version of the prompt is part of who draws."""
    draft: DraftRequest = sample.data
    return Unit(draft.brief.sha256[:32], (draft.brief.id,), draft.version.id)


GRAPH = Kind(
    name="graph",
    about="models draft decision graphs from briefs; rules score their structure and quality",
    Config=GraphConfig,
    defaults=RunDefaults(
        max_concurrency=10,
        retries=3,
        timeout_s=60.0,
        max_output_tokens=8000,
        longer_when_cut=True,
        reasoning_without_limit=True,
        cache=True,
    ),
    stages=(Stage(STAGE),),
    metrics=METRICS,
    prompts={},
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=GraphReport,
    units=Units(
        "brief", "graph", (), "prompt", ("overall", VALID.name), unit_of, lambda task: [version.id for version in task.versions]
    ),
    sample_files=SampleFiles(row_files, paths=row_paths),
    task_form=TaskForm(_factors, id_suffix=lambda task: task.versions[0].id),
)
