"""Decision graphs made to order, as models write them, and random ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from tui_eval.kinds.graph import EXAMPLE
from tui_eval.kinds.graph.structure_rules import broken_rules
from tui_eval.reading.decision_graphs import KINDS, Graph, read_graph

Table = dict[str, Any]


def drawn(**changes: Any) -> Table:
    """The graph of the calls' example, which keeps every rule; `changes`: nodes, edges or coaching instead of its own."""
    return {**json.loads(EXAMPLE), **changes}


def with_node(graph: Table, name: str, kind: str, label: str = "", **more: Any) -> Table:
    """The same with another node."""
    return {**graph, "nodes": [*graph["nodes"], {"id": name, "kind": kind, "label": label or name, **more}]}


def with_edges(graph: Table, *ends: tuple[str, str], **more: Any) -> Table:
    """The same with more edges."""
    return {**graph, "edges": [*graph["edges"], *({"from": start, "to": end, **more} for start, end in ends)]}


def without_node(graph: Table, name: str) -> Table:
    """The same without a node and its edges."""
    edges = [edge for edge in graph["edges"] if name not in (edge["from"], edge["to"])]
    return {**graph, "nodes": [node for node in graph["nodes"] if node["id"] != name], "edges": edges}


def without_edge(graph: Table, start: str, end: str) -> Table:
    """The same without an edge."""
    return {**graph, "edges": [edge for edge in graph["edges"] if (edge["from"], edge["to"]) != (start, end)]}


def changed(graph: Table, name: str, **more: Any) -> Table:
    """The same with other fields of a node."""
    return {**graph, "nodes": [{**node, **more} if node["id"] == name else node for node in graph["nodes"]]}


def read(graph: Mapping[str, Any]) -> Graph:
    """A graph as it is read of a reply."""
    found = read_graph(json.dumps(graph))
    assert found.graph is not None, found.reason
    return found.graph


def rules_of(graph: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The rules that it breaks, each with what breaks it."""
    return {one.rule: one.where for one in broken_rules(read(graph))}


def influences(rows: Iterable[Sequence[float]]) -> Table:
    """The example with causal edges of these (mean, std, exists_probability) instead of its own, between the same two nodes."""
    built = [edge for edge in drawn()["edges"] if "strength" not in edge]
    told = [
        {"from": "seats", "to": "fares", "strength": {"mean": mean, "std": std}, "exists_probability": exists}
        for mean, std, exists in rows
    ]
    return drawn(edges=[*built, *told])


_NAMES = st.integers(0, 11).map(lambda n: f"n{n}")
_NUMBERS = st.integers(-100, 100).map(lambda n: n / 100)
_NODES = st.fixed_dictionaries(
    {
        "id": _NAMES,
        "kind": st.sampled_from(KINDS),
        "label": st.sampled_from(["Cost", "Keep it", "Storm days", "Growth", "Fare", ""]),
        "category": st.sampled_from([None, "controllable", "external"]),
        "data": st.fixed_dictionaries(
            {
                "interventions": st.none() | st.dictionaries(_NAMES, _NUMBERS, max_size=3),
                "goal_threshold": st.none() | _NUMBERS,
            }
        ),
    }
)
_EDGES = st.fixed_dictionaries(
    {
        "from": _NAMES,
        "to": _NAMES,
        "edge_type": st.sampled_from(["directed", "directed", "directed", "bidirected"]),
        "strength": st.none() | st.fixed_dictionaries({"mean": _NUMBERS, "std": _NUMBERS}),
        "exists_probability": st.none() | _NUMBERS,
    }
)
GRAPHS = st.fixed_dictionaries(
    {
        "nodes": st.lists(_NODES, max_size=12, unique_by=lambda node: str(node["id"])),
        "edges": st.lists(_EDGES, max_size=25),
        "coaching": st.just({"strengthen_items": [], "summary": " "}),
    }
)
"""Graphs of all sorts, hardly ever sound."""


@st.composite
def sound_graphs(draw: st.DrawFn) -> Table:
    """Graphs that keep every rule: goal, decision, options, factors, outcomes and risks, joined as they must be."""
    options = [f"o{n}" for n in range(draw(st.integers(2, 6)))]
    levers = [f"f{n}" for n in range(draw(st.integers(1, 4)))]
    outside = [f"x{n}" for n in range(draw(st.integers(0, 2)))]
    ends = [f"e{n}" for n in range(draw(st.integers(1, 3)))]
    kinds = {"goal": "goal", "decide": "decision", **dict.fromkeys(options, "option"), **dict.fromkeys(levers, "factor")}
    kinds |= dict.fromkeys(outside, "factor") | {end: draw(st.sampled_from(["outcome", "risk"])) for end in ends}
    pairs = [("decide", option) for option in options]
    pairs += [
        (option, lever) for option in options for lever in draw(st.lists(st.sampled_from(levers), min_size=1, unique=True))
    ]
    pairs += [(options[0], lever) for lever in levers if (options[0], lever) not in pairs]
    pairs += [(lever, draw(st.sampled_from(ends))) for lever in levers]
    pairs += [pair for end in ends for pair in ((levers[0], end), (end, "goal")) if pair not in pairs]
    pairs += [(name, draw(st.sampled_from(ends))) for name in outside]
    nodes = []
    for name, kind in kinds.items():
        data: Table = {"interventions": draw(st.dictionaries(st.sampled_from(levers), _NUMBERS))} if kind == "option" else {}
        data |= {"goal_threshold": draw(st.none() | _NUMBERS)} if kind == "goal" else {}
        category = "external" if name in outside else None
        label = draw(st.sampled_from(["Cost", "Keep it", "Storm days", "demand "]))
        nodes.append({"id": name, "kind": kind, "label": label, "category": category, "data": data})
    strength = st.fixed_dictionaries({"mean": st.sampled_from([0.5, 0.25, -0.35, 0.04]), "std": st.sampled_from([0.125, 0.2])})
    edges = [
        {"from": start, "to": end, "strength": draw(strength), "exists_probability": draw(st.sampled_from([0.8, 0.81, None]))}
        for start, end in pairs
    ]
    return {"nodes": draw(st.permutations(nodes)), "edges": draw(st.permutations(edges)), "coaching": {"summary": "A draft."}}
