"""Decision graph of a model's reply: tolerant of how models spell its fields, strict in what they mean.

{"nodes": [{"id", "kind", "label", "category", "data": {"interventions", "goal_threshold"}}], "edges": [{"from", "to",
"edge_type", "strength": {"mean", "std"}, "exists_probability"}], "coaching": {"strengthen_items", "summary"}}
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from tui_eval.core.gathering import gathered
from tui_eval.reading.json_candidates import json_candidates
from tui_eval.reading.json_replies import Step

KINDS = ("goal", "decision", "option", "factor", "outcome", "risk")
DIRECTED, BIDIRECTED = "directed", "bidirected"
_EDGE_TYPES = {DIRECTED: DIRECTED, "causal": DIRECTED, "structural": DIRECTED, BIDIRECTED: BIDIRECTED}
"""Whether an edge is structural is told by the kinds of its ends, whatever it calls itself."""
_ID = ("id", "node_id")
_KIND = ("kind", "type", "node_type")
_LABEL = ("label", "name", "title")
_FROM, _TO = ("from", "source", "from_id", "source_id"), ("to", "target", "to_id", "target_id")
_EXISTS = ("exists_probability", "exists_prob", "probability")
_FACTOR = ("factor_id", "factor", "node_id", "id", "target")
_SHOWN = 40
"""Characters of a value in a message."""
_PLACEHOLDER = re.compile(r"\s*(?:\.{2,}|…|<[^<>]+>|\{+[^{}]+\}+|string)\s*", re.IGNORECASE)
"""What a template says where a graph has an id, a kind or a label."""
_CHOICE = "|"
"""What stands between the kinds that a template offers."""
_DEEPEST = 2
"""Lists and objects around a graph within which it is looked for."""
_MOST_TRIED = 200
"""Graphs of a reply that are looked at, the last ones of it."""
_NUMBER = re.compile(r"\s*[+-]?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,2})?\s*")
"""A text that is certainly a number, and nothing but a number."""
MOST_PARTS = 20_000
"""Nodes and edges of a graph that is read: far more than any rule allows, and few enough to be read at once."""
STRUCTURAL = frozenset({("decision", "option"), ("option", "factor")})
"""Kinds of the ends of edges that say how the graph is built; every other directed edge is causal."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node; its id need not be its own alone."""

    id: str
    kind: str
    label: str = ""
    category: str = ""
    """Of a factor, such as controllable or external; lower case."""
    interventions: tuple[tuple[str, str], ...] | None = None
    """Of an option: (id of a factor, value) in the order of the ids; None where it has none at all."""
    goal_threshold: str | None = None
    """Of a goal: what must be reached, as text; None where none is set."""


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two ids, whether or not there are such nodes. Numbers are those of the reply's decimal text."""

    start: str
    end: str
    edge_type: str = DIRECTED
    mean: Decimal | None = None
    """How strong the influence is; None where the reply does not say it."""
    std: Decimal | None = None
    exists: Decimal | None = None
    """The probability that there is this influence at all."""

    @property
    def name(self) -> str:
        """As messages call it."""
        return f"{self.start}->{self.end}" if self.edge_type == DIRECTED else f"{self.start}<->{self.end}"


@dataclass(frozen=True)
class Graph:
    """A decision graph as it was read; nothing says that it is a sound one."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    strengthen_items: tuple[str, ...] = ()
    """The pieces of advice of its coaching; one that is no text, as JSON."""
    summary: str = ""
    """What its coaching says in sum, without white space at its ends."""

    @cached_property
    def by_id(self) -> Mapping[str, Node]:
        """Nodes by their ids; the first where several have one."""
        nodes_by_id: dict[str, Node] = {}
        for node in self.nodes:
            nodes_by_id.setdefault(node.id, node)
        return nodes_by_id

    def of_kind(self, *kinds: str) -> Sequence[Node]:
        """The nodes of these kinds, in order."""
        if len(kinds) == 1:
            return self._by_kind.get(kinds[0], ())
        return [node for node in self.nodes if node.kind in kinds]

    @cached_property
    def _by_kind(self) -> Mapping[str, Sequence[Node]]:
        return gathered((node.kind, node) for node in self.nodes)

    @cached_property
    def directed(self) -> Sequence[tuple[Edge, Node, Node]]:
        """Directed edges between nodes that are there, with these."""
        nodes = self.by_id
        return [(e, nodes[e.start], nodes[e.end]) for e in self.edges if e.edge_type == DIRECTED and _connects_nodes(e, nodes)]

    @cached_property
    def causal(self) -> Sequence[tuple[Edge, Node, Node]]:
        """Those of them that are influences, and no part of how the graph is built."""
        return [link for link in self.directed if (link[1].kind, link[2].kind) not in STRUCTURAL]

    def normalized(self) -> dict[str, Any]:
        """Return the graph under the names of this module's first lines, whatever the reply called them.

        Read again it is the same graph: interventions stand as the texts by which they are compared.
        """
        edges = [
            {
                "from": edge.start, "to": edge.end, "edge_type": edge.edge_type,
                "strength": {"mean": _number(edge.mean), "std": _number(edge.std)}, "exists_probability": _number(edge.exists),
            }
            for edge in self.edges
        ]  # fmt: skip
        nodes = [
            {
                "id": node.id, "kind": node.kind, "label": node.label, "category": node.category,
                "interventions": None if node.interventions is None else dict(node.interventions),
                "goal_threshold": node.goal_threshold,
            }
            for node in self.nodes
        ]  # fmt: skip
        coaching = {"strengthen_items": [*self.strengthen_items], "summary": self.summary}
        return {"nodes": nodes, "edges": edges, "coaching": coaching}


@dataclass(frozen=True, slots=True)
class GraphReading:
    """Graph of a reply and how its JSON was found, or why there is none."""

    graph: Graph | None = None
    step: Step | None = None
    reason: str = ""
    """A sentence without its full stop, where no graph was read."""
    cut: bool = False
    """Whether there is none because the reply ends inside the JSON that would have been read, or inside its thinking."""
    extraction: str = ""
    """The step, and which of several graphs of the reply was read: "fenced block, 2 of 2". Empty where there was no JSON."""
    source: Mapping[str, Any] | None = None
    """The graph's JSON with all that the model gave it; None where no graph was read."""


def read_graph(text: str | None) -> GraphReading:
    """Read the decision graph of a reply; where there is none, the reason names the node or edge at fault.

    Of several it is the last that can be read, has nodes, and is no template. A reply that ends inside its last JSON has none.
    """
    candidates = json_candidates(text, "nodes")
    drafts = [_GraphDraft(body, candidate.step) for candidate in candidates.values for body in _bodies(candidate.value)]
    if not drafts:
        step = candidates.values[-1].step if candidates.values else None
        reason = candidates.reason or "its JSON has no list 'nodes'"
        return GraphReading(step=step, reason=reason, cut=candidates.cut, extraction=step or "")
    return _best_reading(drafts)


@dataclass(frozen=True, slots=True)
class _GraphDraft:
    """JSON with a list of nodes, which may be the graph that is meant."""

    body: Mapping[str, Any]
    step: Step


def _bodies(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield what has a list of nodes, in order: the value, or what stands in a list or under a key."""
    if isinstance(value, dict) and isinstance(value.get("nodes"), list):
        yield value
    elif depth < _DEEPEST and isinstance(value, dict | list):
        coaching = value.get("coaching") if isinstance(value, dict) else None
        for inner in value.values() if isinstance(value, dict) else value:
            for body in _bodies(inner, depth + 1):
                yield body if coaching is None or body.get("coaching") else {**body, "coaching": coaching}


def _best_reading(drafts: Sequence[_GraphDraft]) -> GraphReading:
    """The reading of the last draft that can be read and is no template; else the last that is none; else the last."""
    readings = [_reading(draft, place, len(drafts)) for place, draft in [*enumerate(drafts, 1)][: -_MOST_TRIED - 1 : -1]]
    own = [reading for reading, draft in zip(readings, reversed(drafts), strict=False) if not _is_template(draft.body)]
    return next((reading for reading in own if reading.graph is not None), (own or readings)[0])


def _reading(draft: _GraphDraft, place: int, drafts: int) -> GraphReading:
    extraction = draft.step if drafts == 1 else f"{draft.step}, {place} of {drafts}"
    try:
        return GraphReading(_graph(draft.body), draft.step, extraction=extraction, source=draft.body)
    except _NoGraphError as problem:
        return GraphReading(step=draft.step, reason=str(problem), extraction=extraction)


def _is_template(body: Mapping[str, Any]) -> bool:
    """Return whether a graph only shows the form: no nodes, no edges, or a placeholder for an id, a kind or a label."""
    nodes = [node for node in body["nodes"] if isinstance(node, dict)]
    texts = (_first(node, names) for node in nodes for names in (_ID, _KIND, _LABEL))
    shows = any(isinstance(text, str) and _PLACEHOLDER.fullmatch(text[:_SHOWN]) for text in texts)
    return not nodes or body.get("edges") == [] or shows or any(_CHOICE in str(_first(node, _KIND)) for node in nodes)


class _NoGraphError(ValueError):
    """Says what a value has that a graph cannot have."""


def _graph(body: Mapping[str, Any]) -> Graph:
    nodes, edges = _list(body, "nodes"), _list(body, "edges")
    if len(nodes) + len(edges) > MOST_PARTS:
        sizes = f"{len(nodes):,} nodes and {len(edges):,} edges"
        raise _NoGraphError(f"its graph has {sizes}, and {MOST_PARTS:,} of both are the most that are read")
    items, summary = _coaching(body.get("coaching"))
    return Graph(
        tuple(_node(entry, f"nodes[{n}]") for n, entry in enumerate(nodes)),
        tuple(_edge(entry, f"edges[{n}]") for n, entry in enumerate(edges)),
        items,
        summary,
    )


def _list(body: Mapping[str, Any], name: str) -> list[Any]:
    entries = body.get(name)
    if not isinstance(entries, list):
        raise _NoGraphError(f"its JSON has no list {name!r}")
    return entries


def _node(entry: Any, place: str) -> Node:
    if not isinstance(entry, dict):
        raise _NoGraphError(f"{place} is no object")
    inner = entry.get("data")
    data: Mapping[str, Any] = inner if isinstance(inner, dict) else {}
    kind = str(_first(entry, _KIND) or "").strip().lower()
    if kind not in KINDS:
        raise _NoGraphError(f"{place}: the kind {_abbreviated(kind)} is none of {', '.join(KINDS)}")
    category, threshold = _either(entry, data, "category"), _either(entry, data, "goal_threshold")
    goal = "" if threshold is None or threshold is False or threshold in ({}, []) else str(threshold).strip()
    interventions = _either(entry, data, "interventions")
    return Node(
        _name(entry, _ID, place),
        kind,
        str(_first(entry, _LABEL) or ""),
        str(category).strip().lower() if category else "",
        None if interventions is None else _interventions(interventions, place),
        goal or None,
    )


def _interventions(value: Any, place: str) -> tuple[tuple[str, str], ...]:
    """Read the interventions of an option: an object by factors, or a list of {"factor_id", "value"}."""
    if isinstance(value, dict):
        pairs = [(str(factor).strip(), set_to) for factor, set_to in value.items()]
    elif isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
        pairs = [(_name(entry, _FACTOR, f"{place}.interventions"), entry.get("value")) for entry in value]
    else:
        raise _NoGraphError(f"{place}: its interventions are neither an object nor a list of objects")
    set_by = {factor: set_to.get("value") if isinstance(set_to, dict) else set_to for factor, set_to in pairs}
    return tuple(sorted((factor, _text(set_to)) for factor, set_to in set_by.items()))


def _edge(entry: Any, place: str) -> Edge:
    if not isinstance(entry, dict):
        raise _NoGraphError(f"{place} is no object")
    edge_type = str(entry.get("edge_type") or entry.get("type") or DIRECTED).strip().lower()
    if edge_type not in _EDGE_TYPES:
        raise _NoGraphError(f"{place}: the edge_type {_abbreviated(edge_type)} is neither {DIRECTED} nor {BIDIRECTED}")
    strength = entry.get("strength")
    parts = strength if isinstance(strength, dict) else {} if strength is None else {"mean": strength}
    return Edge(
        _name(entry, _FROM, place),
        _name(entry, _TO, place),
        _EDGE_TYPES[edge_type],
        _decimal(parts.get("mean", entry.get("strength_mean")), place, "strength.mean"),
        _decimal(parts.get("std", entry.get("strength_std")), place, "strength.std"),
        _decimal(_first(entry, _EXISTS), place, "exists_probability"),
    )


def _coaching(value: Any) -> tuple[tuple[str, ...], str]:
    if not isinstance(value, dict):
        return (), ""
    items, summary = value.get("strengthen_items"), value.get("summary")
    texts = (
        [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items or ()]
        if isinstance(items, list)
        else []
    )
    return tuple(texts), summary.strip() if isinstance(summary, str) else ""


def _first(entry: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Under the first of these names that it has."""
    for name in names:
        value = entry.get(name)
        if value is not None:
            return value
    return None


def _either(entry: Mapping[str, Any], data: Mapping[str, Any], name: str) -> Any:
    value = data.get(name) if data else None
    return entry.get(name) if value is None else value


def _name(entry: Mapping[str, Any], names: Sequence[str], place: str) -> str:
    """An id, which may be a text or a whole number."""
    value = _first(entry, names)
    if isinstance(value, str) and (proper := value.strip()):
        return proper
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _NoGraphError(f"{place} has no {names[0]!r} that is a text or a whole number")


def _decimal(value: Any, place: str, name: str) -> Decimal | None:
    if value is None:
        return None
    number = _as_number(value)
    if number is None:
        raise _NoGraphError(f"{place}.{name} is no number: {_abbreviated(value)}")
    return Decimal(str(float(number))) if isinstance(value, str) else number


def _as_number(value: Any) -> Decimal | None:
    """A number, or a text that is one and nothing else ("0.9", not "90 %" or "high"); None for anything else."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return Decimal(value.strip())
    return Decimal(str(value)) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    """A value as text; numbers with four decimals, so that 1, 1.0 and "1" are one."""
    number = _as_number(value)
    return str(value) if number is None else f"{number:.4f}"


def _number(value: Decimal | None) -> float | None:
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else int(value)


def _abbreviated(value: Any) -> str:
    text = str(value)
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def _connects_nodes(edge: Edge, nodes: Mapping[str, Node]) -> bool:
    return edge.start in nodes and edge.end in nodes
