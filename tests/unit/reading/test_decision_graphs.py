"""Graphs are read however models spell them, and refused with the node or edge at fault."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from graphs import changed, drawn, read, with_edges
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.reading.decision_graphs import read_graph

VARIANTS = {
    "ids as numbers": lambda graph: _renamed(graph, {node["id"]: n for n, node in enumerate(graph["nodes"])}),
    "edges as source and target": lambda graph: {
        **graph,
        "edges": [{"source": e.pop("from"), "target": e.pop("to"), **e} for e in map(dict, graph["edges"])],
    },
    "type for kind, name for label": lambda graph: {
        **graph,
        "nodes": [{"type": n.pop("kind").upper(), "name": n.pop("label"), **n} for n in map(dict, graph["nodes"])],
    },
    "data beside the label": lambda graph: {
        **graph, "nodes": [{**{k: v for k, v in n.items() if k != "data"}, **n.get("data", {})} for n in graph["nodes"]]
    },
    "interventions as a list": lambda graph: {**graph, "nodes": [_listed(node) for node in graph["nodes"]]},
    "within another object": lambda graph: {"draft": graph},
    "structural edges say so": lambda graph: {
        **graph, "edges": [e if "strength" in e else {**e, "edge_type": "structural"} for e in graph["edges"]]
    },
    "strength_mean and strength_std": lambda graph: {**graph, "edges": [_flat(edge) for edge in graph["edges"]]},
}  # fmt: skip


def _renamed(graph: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    nodes = []
    for node in graph["nodes"]:
        data = dict(node.get("data", {}))
        if "interventions" in data:
            data["interventions"] = {str(names[factor]): value for factor, value in data["interventions"].items()}
        nodes.append({**node, "id": names[node["id"]], "data": data})
    return {**graph, "nodes": nodes, "edges": [{**e, "from": names[e["from"]], "to": names[e["to"]]} for e in graph["edges"]]}


def _listed(node: dict[str, Any]) -> dict[str, Any]:
    found = node.get("data", {}).get("interventions")
    data = {"interventions": [{"factor_id": name, "value": value} for name, value in found.items()]} if found else {}
    return {**node, "data": {**node.get("data", {}), **data}}


def _flat(edge: dict[str, Any]) -> dict[str, Any]:
    strength = edge.get("strength", {})
    return {**{k: v for k, v in edge.items() if k != "strength"}, **{f"strength_{k}": v for k, v in strength.items()}}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_means_the_same(name: str) -> None:
    """Whatever a model calls its fields, the same graph is read."""
    plain, found = read(drawn()), read(VARIANTS[name](drawn()))
    names = dict(zip((node.id for node in plain.nodes), (node.id for node in found.nodes), strict=True))

    assert [(n.kind, n.label, n.category, n.goal_threshold) for n in found.nodes] == [
        (n.kind, n.label, n.category, n.goal_threshold) for n in plain.nodes
    ]
    assert [(e.start, e.end, e.mean, e.std, e.exists) for e in found.edges] == [
        (names[e.start], names[e.end], e.mean, e.std, e.exists) for e in plain.edges
    ]
    assert [node.interventions for node in found.nodes] == [
        node.interventions and tuple((names[factor], value) for factor, value in node.interventions) for node in plain.nodes
    ]


@pytest.mark.parametrize(
    ("reply", "step"),
    [
        ("{}", "whole text"),
        ("Here it is:\n```json\n{}\n```\nI hope it helps.", "fenced block"),
        ("I would draw {}, since all depends on it.", "in prose"),
        ("```json\n{}\n```", "fenced block"),
    ],
)
def test_the_step_by_which_it_was_found_is_told(reply: str, step: str) -> None:
    found = read_graph(reply.replace("{}", json.dumps(drawn())))

    assert found.graph == read(drawn()) and found.step == step


def test_commas_and_comments_are_mended() -> None:
    loose = json.dumps(drawn(), indent=1).replace("\n}", ",  // all of it\n}")

    assert read_graph(loose).step == "repaired" and read_graph(loose).graph == read(drawn())


def _respelled(
    graph: dict[str, Any], spelled: Callable[[str], str], named: Callable[[str], Any], number: Callable[[Any], Any]
) -> Any:
    """The graph with its words, ids and numbers as these say."""
    nodes = [
        {
            **node, "id": named(node["id"]), "kind": spelled(node["kind"]),
            **({"category": spelled(node["category"])} if "category" in node else {}),
            **({"data": {"interventions": {f" {name}": number(value) for name, value in node["data"]["interventions"].items()}}}
               if "interventions" in node.get("data", {}) else {}),
        }
        for node in graph["nodes"]
    ]  # fmt: skip
    edges = [
        {
            **edge, "from": named(edge["from"]), "to": named(edge["to"]), "edge_type": spelled("directed"),
            **({"strength": {key: number(value) for key, value in edge["strength"].items()},
                "exists_probability": number(edge["exists_probability"])} if "strength" in edge else {}),
        }
        for edge in graph["edges"]
    ]  # fmt: skip
    return {**graph, "nodes": nodes, "edges": edges}


@given(
    st.sampled_from([str.upper, str.title, str.lower, lambda word: f" {word.capitalize()}\n"]),
    st.sampled_from([str, lambda name: f"  {name}\t"]),
    st.sampled_from([str, lambda value: f" {value} ", lambda value: f"{Decimal(str(value)):e}"]),
)
def test_a_spelling_whose_meaning_is_certain_scores_the_same(spelled: Any, named: Any, number: Any) -> None:
    """Capitals and white space around words of ours, white space around ids, and numbers as texts change no graph."""
    assert read(_respelled(drawn(), spelled, named, number)) == read(drawn())


@pytest.mark.parametrize(
    "text", ["", " ", "90 %", "high", "0,9", "1/2", "0.9 or so", "one", "0x1", "1_0", "inf", "NaN", "1.2.3", "--1"]
)
@pytest.mark.parametrize("field", ["mean", "std", "exists_probability"])
def test_a_text_that_is_not_certainly_a_number_is_refused_by_its_edge(field: str, text: str) -> None:
    """Such is neither 0 nor missing: the reason names the edge, the field and the text."""
    numbers = {"mean": 0.5, "std": 0.1, "exists_probability": 0.9, field: text}
    strength = {"mean": numbers["mean"], "std": numbers["std"]}
    plain = drawn(
        edges=[{"from": "seats", "to": "fares", "strength": strength, "exists_probability": numbers["exists_probability"]}]
    )
    found = read_graph(json.dumps(plain))

    assert found.graph is None and not found.cut
    assert found.reason.startswith("edges[0].") and field in found.reason and repr(text) in found.reason


@pytest.mark.parametrize("name", ["", " ", "\t\n", None, 1.5, True, [], {}])
@pytest.mark.parametrize(("part", "field"), [("nodes", "id"), ("edges", "from"), ("edges", "to")])
def test_an_id_that_names_nothing_is_refused_by_its_place(part: str, field: str, name: Any) -> None:
    """No id is made up, whatever the others are."""
    graph = drawn()
    graph[part][-1] = {**graph[part][-1], field: name}
    found = read_graph(json.dumps(graph))

    assert (
        found.graph is None
        and found.reason == f"{part}[{len(graph[part]) - 1}] has no {field!r} that is a text or a whole number"
    )


def test_ids_that_differ_in_capitals_are_two() -> None:
    """An edge to the other spelling leads to no node."""
    graph = with_edges(drawn(), ("Seats", "fares"))

    assert "Seats" not in read(graph).by_id and read(graph).edges[-1].start == "Seats"


@pytest.mark.parametrize("blank", ["", "  \n", None, False, {}, []])
def test_a_blank_threshold_is_none(blank: Any) -> None:
    """What says nothing is no threshold; 0 is one."""
    goals = [read(changed(drawn(), "goal", data={"goal_threshold": value})).of_kind("goal")[0] for value in (blank, 0)]

    assert [goal.goal_threshold for goal in goals] == [None, "0"]


WRONG = {
    "no list 'nodes'": {"edges": []},
    "no list 'edges'": {"nodes": []},
    "nodes[0] is no object": {"nodes": ["goal"], "edges": []},
    "nodes[0]: the kind 'wish'": {"nodes": [{"id": "a", "kind": "wish"}], "edges": []},
    "nodes[0] has no 'id'": {"nodes": [{"kind": "goal"}], "edges": []},
    "nodes[0]: its interventions": {"nodes": [{"id": "a", "kind": "option", "interventions": "all"}], "edges": []},
    "edges[0] has no 'to'": {"nodes": [], "edges": [{"from": "a"}]},
    "edges[0]: the edge_type 'maybe'": {"nodes": [], "edges": [{"from": "a", "to": "b", "edge_type": "maybe"}]},
    "edges[0].strength.mean is no number": {"nodes": [], "edges": [{"from": "a", "to": "b", "strength": {"mean": "high"}}]},
    "edges[0].exists_probability is no number": {"nodes": [], "edges": [{"from": "a", "to": "b", "exists_prob": True}]},
}


@pytest.mark.parametrize("said", WRONG)
def test_what_is_no_graph_is_refused_with_its_place(said: str) -> None:
    found = read_graph(json.dumps(WRONG[said]))

    assert found.graph is None and said in found.reason and found.step == "whole text"


def test_numbers_are_those_of_the_text() -> None:
    (edge,) = read({"nodes": [], "edges": [{"from": "a", "to": "b", "strength": {"mean": 0.35, "std": 0.1}}]}).edges

    assert (edge.mean, edge.std, edge.exists) == (Decimal("0.35"), Decimal("0.1"), None)


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
    st.sampled_from(["nodes", "edges", "id", "kind", "data", "from", "to", "strength", "coaching"]), inner
)).map(json.dumps))  # fmt: skip
def test_anything_ends_in_a_graph_or_a_reason(text: str) -> None:
    found = read_graph(text)

    assert (found.graph is None) == bool(found.reason)


@pytest.mark.parametrize(
    "make",
    [
        lambda: json.dumps({"nodes": [{"id": n, "kind": "factor"} for n in range(100_000)], "edges": [{"from": 1, "to": 2}]}),
        lambda: '{"nodes": ' + "[" * 100_000,
        lambda: "x" * 10_000_001,
        lambda: '{"nodes": [], "edges": [{"from": "a", "to": "b", "strength": {"mean": ' + "9" * 4000 + "}}]}",
    ],
    ids=["100,000 nodes", "nested", "10 MB", "a number of 4,000 digits"],
)
def test_what_is_huge_ends_soon(make: Callable[[], str]) -> None:
    """Far within the time that a call may take; a machine that is busy with other things has ten times as long."""
    text = make()
    began = time.process_time()

    found = read_graph(text)

    assert (found.graph is None) == bool(found.reason)
    assert time.process_time() - began < 20
