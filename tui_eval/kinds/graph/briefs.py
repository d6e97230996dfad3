"""From the `[graph]` table to samples: brief files with their front matter, versions of the prompt, token room."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import ask_longer
from tui_eval.evaluation.inputs import Inputs, json_of, text_of
from tui_eval.evaluation.sample_queues import Samples, listed, sample_id
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.graph.graph_look import ends_inside_graph, graph_in, scores_of
from tui_eval.kinds.graph.graph_scores import Expected
from tui_eval.kinds.graph.graph_table import STAGE, Config
from tui_eval.kinds.graph.graph_task import Brief, Draft, GraphTask, Version, drafters_of
from tui_eval.kinds.graph.structure_rules import MOST_EDGES, MOST_NODES
from tui_eval.workspace.validation import nearest

_INTERVENTIONS = {"quo": {"seats": 0.4}, "new": {"crew": 0.9}}
_NODES = (
    ("goal", "goal", "Finish the season with a profit"),
    ("decide", "decision", "Which ferry to charter"),
    ("quo", "option", "Keep the old ferry"),
    ("new", "option", "Charter the fast ferry"),
    ("seats", "factor", "Seats a day"),
    ("crew", "factor", "Crew on board"),
    ("storms", "factor", "Storm days a month"),
    ("fares", "outcome", "Fares taken"),
    ("delays", "risk", "Cancelled crossings"),
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


def _node(name: str, kind: str, label: str) -> dict[str, object]:
    found: dict[str, object] = {"id": name, "kind": kind, "label": label}
    if kind == "factor":
        found["category"] = "external" if name == "storms" else "controllable"
    if kind in ("option", "goal"):
        found["data"] = {"interventions": _INTERVENTIONS[name]} if kind == "option" else {"goal_threshold": 0.8}
    return found


EXAMPLE = json.dumps({
    "nodes": [_node(*row) for row in _NODES],
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


_FENCE = "---"
_PAIR = re.compile(r"([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?$")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\["\\])*"|'(?:[^']|'')*')\s*(?:#.*)?$""")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_BOOLEANS = {"true": True, "false": False}
_NOT_SINGLE = ("[", "{", "|", ">", "&", "*", "!", "- ")


class FrontMatterError(ValueError):
    """What is wrong with a head; `line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file's head and what follows it."""

    values: Mapping[str, str | bool]
    lines: Mapping[str, int]
    """Where each key stands, counted from 1."""
    body: str
    """Without white space at its ends."""


def front_matter(text: str) -> FrontMatter:
    """The head of a text and its body. FrontMatterError where there is no head, or where it holds more than single values."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE:
        raise FrontMatterError(1, f"must begin with a line {_FENCE}, keys such as `complexity: simple`, and another {_FENCE}")
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in (_FENCE, "...")), None)
    if end is None:
        raise FrontMatterError(1, f"its head is not closed: put a line {_FENCE} before the text")
    values: dict[str, str | bool] = {}
    places: dict[str, int] = {}
    for number, line in enumerate(lines[1:end], 2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _PAIR.match(line.rstrip())
        if found is None:
            raise FrontMatterError(number, "is not `key: value`")
        if found[1] in values:
            raise FrontMatterError(number, f"{found[1]} stands there twice; the first is in line {places[found[1]]}")
        values[found[1]], places[found[1]] = _value(found[2] or "", number), number
    return FrontMatter(values, places, "\n".join(lines[end + 1 :]).strip())


def _value(text: str, line: int) -> str | bool:
    text = text.strip()
    quoted = _QUOTED.match(text)
    if quoted:
        inner = quoted[1][1:-1]
        return inner.replace("''", "'") if text[0] == "'" else re.sub(r"\\(.)", r"\1", inner)
    plain = _COMMENT.sub("", text).strip()
    if plain.startswith(_NOT_SINGLE) or plain[:1] in ("'", '"'):
        raise FrontMatterError(line, f"{plain[:40]!r}: only single values are read here: a text, true or false")
    return _BOOLEANS.get(plain.lower(), plain)


COMPLEXITIES = ("simple", "moderate", "complex")
KEYS = ("expect_status_quo", "has_numeric_target", "complexity")


def alone(files: Sequence[InputFile], key: str) -> Sequence[InputFile]:
    """The files, which are told from each other by their names without suffixes. ConfigError where they are not."""
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
        found = front_matter(text)
        expected = Expected(_flag(found, "expect_status_quo"), _flag(found, "has_numeric_target"))
        complexity = _complexity(found)
    except FrontMatterError as error:
        raise ConfigError(f"{key}: {file.name}:{error.line}: {error}") from None
    if not found.body:
        raise ConfigError(f"{key}: {file.name}: has no text below its head; write what is to be decided")
    unknown = [name for name in found.values if name not in KEYS]
    notes = [f"{key}: {file.name}:{found.lines[name]}: {name} is not used{nearest(name, KEYS)}" for name in unknown]
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
                f"{model.name}: a reply may have {limit:,} tokens; the largest graph that the rules allow ({MOST_NODES} nodes, "
                f"{MOST_EDGES} edges) takes about {needed:,}: raise run.max_output_tokens where graphs are large"
            )


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
