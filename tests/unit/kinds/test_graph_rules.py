"""Rules of structure and scores of decision graphs: each rule by a graph that breaks it, each boundary, what holds of any."""

from __future__ import annotations

import json
import random
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from graphs import (
    GRAPHS,
    changed,
    drawn,
    influences,
    read,
    rules_of,
    sound_graphs,
    with_edges,
    with_node,
    without_edge,
    without_node,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_eval.kinds.graph.graph_scores import (
    NAMES,
    OVERALL,
    WEIGHTS,
    BriefExpectations,
    graph_scores,
    missing_parameters,
    weighted,
)
from tui_eval.kinds.graph.structure_rules import FORBIDDEN, RULES, broken_rules, controllable
from tui_eval.reading.decision_graphs import KINDS

EXPECTED = BriefExpectations(status_quo=True, numeric_target=True)
VECTORS = Path(__file__).resolve().parents[4] / "shared" / "vectors.json"


def scored(graph: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The scores of a graph, valid or not."""
    return graph_scores(read(graph), **{"expected": EXPECTED, **more})


# --------------------------------------------------------------------------------------------------------------- structure


def test_the_example_keeps_every_rule() -> None:
    assert rules_of(drawn()) == {}
    assert scored(drawn())["overall"] == 1.0


def _many_nodes(n: int) -> dict[str, Any]:
    """The example with factors up to so many nodes in all, each an influence on the fares."""
    graph = drawn()
    for k in range(n - len(graph["nodes"])):
        graph = with_edges(with_node(graph, f"more{k}", "factor"), (f"more{k}", "fares"))
    return graph


def _many_options(n: int) -> dict[str, Any]:
    """The example with so many options."""
    graph = drawn()
    for k in range(n - 2):
        graph = with_edges(with_node(graph, f"way{k}", "option"), ("decide", f"way{k}"), (f"way{k}", "seats"))
    return graph


BROKEN: dict[str, tuple[dict[str, Any], dict[str, tuple[str, ...]]]] = {
    "an edge to an unknown node is that alone, and no cycle": (
        with_edges(drawn(), ("seats", "weather")), {"INVALID_EDGE_REF": ("seats->weather",)},
    ),
    "an id of two nodes is no cycle": (
        with_node(drawn(), "seats", "factor"), {"INVALID_EDGE_REF": ("quo->seats", "seats->fares")},
    ),
    "no goal: what follows from it is not reported": (
        without_node(drawn(), "goal"), {"MISSING_GOAL": ("no goal",)},
    ),
    "two goals": (
        with_edges(with_node(drawn(), "goal2", "goal"), ("fares", "goal2")), {"MISSING_GOAL": ("goal", "goal2")},
    ),
    "no decision: what follows from it is not reported": (
        without_node(drawn(), "decide"), {"MISSING_DECISION": ("no decision",)},
    ),
    "one option": (
        with_edges(without_node(drawn(), "quo"), ("new", "seats")), {"INSUFFICIENT_OPTIONS": ("new",)},
    ),
    "no option": (
        without_node(without_node(drawn(), "quo"), "new"),
        {"INSUFFICIENT_OPTIONS": ("no option",), "CONTROLLABLE_NO_OPTION_EDGE": ("seats", "crew"),
         "OUTCOME_UNREACHABLE": ("fares", "delays")},
    ),
    "seven options": (
        _many_options(7), {"TOO_MANY_OPTIONS": ("quo", "new", "way0", "way1", "way2", "way3", "way4")},
    ),
    "no outcome and no risk": (
        with_edges(without_node(without_node(drawn(), "fares"), "delays"), ("crew", "storms")),
        {"MISSING_BRIDGE": ("no outcome and no risk",), "OPTION_NO_GOAL_PATH": ("quo", "new")},
    ),
    "51 nodes": (
        _many_nodes(51), {"NODE_LIMIT_EXCEEDED": ("51 nodes", "more41")},
    ),
    "101 edges, bidirected ones counted": (
        with_edges(drawn(), *[("seats", "crew")] * (101 - len(drawn()["edges"])), edge_type="bidirected"),
        {"EDGE_LIMIT_EXCEEDED": ("101 edges", "seats<->crew")},
    ),
    "a cycle": (
        with_edges(drawn(), ("fares", "seats")), {"CYCLE_DETECTED": ("seats", "fares")},
    ),
    "a node that leads to itself": (
        with_edges(drawn(), ("seats", "seats")), {"CYCLE_DETECTED": ("seats",)},
    ),
    "a controllable factor that no option sets": (
        with_edges(with_node(drawn(), "help", "factor", category="controllable"), ("help", "fares")),
        {"CONTROLLABLE_NO_OPTION_EDGE": ("help",)},
    ),
    "a risk that nothing controllable leads to": (
        with_edges(with_node(drawn(), "law", "risk"), ("law", "goal")), {"OUTCOME_UNREACHABLE": ("law",)},
    ),
    "an option without a way to the goal": (
        with_edges(with_node(drawn(), "wait", "option"), ("decide", "wait")), {"OPTION_NO_GOAL_PATH": ("wait",)},
    ),
    "an orphan": (
        with_node(drawn(), "aside", "factor"), {"ORPHAN_NODE": ("aside",)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_named_with_what_breaks_it(name: str) -> None:
    graph, wanted = BROKEN[name]

    assert rules_of(graph) == wanted


def test_every_rule_is_broken_by_one_of_these() -> None:
    """FORBIDDEN_EDGE has a test of its own."""
    assert {rule for _, wanted in BROKEN.values() for rule in wanted} | {"FORBIDDEN_EDGE"} == set(RULES)


@pytest.mark.parametrize(("one", "other"), [(a, b) for a in KINDS for b in KINDS])
def test_which_kinds_an_edge_may_join(one: str, other: str) -> None:
    """The specification's four pairs and the seven others that were first coded; as common causes all may be joined."""
    graph = drawn()
    for name, kind in (("start", one), ("end", other)):
        graph = with_node(graph, name, kind)

    found = rules_of(with_edges(graph, ("start", "end"))).get("FORBIDDEN_EDGE", ())

    assert found == (("start->end",) if (one, other) in FORBIDDEN else ())
    assert "FORBIDDEN_EDGE" not in rules_of(with_edges(graph, ("start", "end"), edge_type="bidirected"))
    assert {("option", "outcome"), ("option", "goal"), ("factor", "goal"), ("decision", "factor")} <= FORBIDDEN
    assert len(FORBIDDEN) == 11
    assert {
        *(("option", end) for end in ("outcome", "risk", "goal")), ("factor", "goal"),
        *(("decision", end) for end in ("factor", "outcome", "risk")),
        *((start, end) for start in ("outcome", "risk") for end in ("outcome", "risk")),
    } == FORBIDDEN  # fmt: skip


def test_paths_lead_through_options_that_can_be_chosen_and_factors_that_can_be_set() -> None:
    """A way past the factors is none; nor is one from a factor that nothing sets, or from an option that nobody can choose."""
    past = with_edges(without_edge(without_edge(drawn(), "seats", "fares"), "crew", "fares"), ("quo", "fares"))
    unset = with_edges(with_node(past, "price", "factor", category="controllable"), ("price", "fares"))
    alone = without_edge(without_edge(drawn(), "decide", "new"), "crew", "fares")

    for graph in (past, unset):
        found = rules_of(graph)
        assert found["OUTCOME_UNREACHABLE"] == ("fares",) and found["OPTION_NO_GOAL_PATH"] == ("quo",)
    assert rules_of(unset)["CONTROLLABLE_NO_OPTION_EDGE"] == ("price",)
    assert rules_of(alone)["OUTCOME_UNREACHABLE"] == ("delays",)
    assert controllable(read(unset)) == {"seats", "crew", "price"}
    two = rules_of(with_node(drawn(), "second", "decision"))
    assert two["MISSING_DECISION"] == ("decide", "second") and not {"OUTCOME_UNREACHABLE", "ORPHAN_NODE"} & {*two}
    assert "OUTCOME_UNREACHABLE" not in rules_of(with_node(alone, "second", "decision"))


def test_what_weakens_counts_in_the_range_as_what_strengthens() -> None:
    """0.7 and -0.7 come to 1.4, not to nothing."""
    graph = influences([(0.7, 0.1, 0.9), (-0.7, 0.1, 0.9)])

    assert scored(graph)["range_discipline"] == pytest.approx(2 / 3)
    nowhere = without_node(without_node(without_node(drawn(), "goal"), "fares"), "delays")
    inner = with_edges(nowhere, ("crew", "seats"), strength={"mean": 0.4, "std": 0.1})
    assert scored(inner)["range_discipline"] == 0, "where nothing comes in, nothing is kept"


@pytest.mark.parametrize(
    "graph", [_many_nodes(50), _many_options(6), _many_options(2),
              with_edges(drawn(), *[("seats", "crew")] * (100 - len(drawn()["edges"])), edge_type="bidirected")],
    ids=["50 nodes", "6 options", "2 options", "100 edges"],
)  # fmt: skip
def test_what_is_just_within_a_limit(graph: dict[str, Any]) -> None:
    assert rules_of(graph) == {}


def test_common_causes_count_in_no_path_and_no_cycle() -> None:
    both = with_edges(drawn(), ("fares", "seats"), ("goal", "decide"), edge_type="bidirected")
    alone = with_edges(with_node(drawn(), "aside", "factor"), ("aside", "fares"), edge_type="bidirected")

    assert rules_of(both) == {}
    assert rules_of(alone) == {"ORPHAN_NODE": ("aside",)}


def test_a_factor_is_controllable_because_an_option_sets_it() -> None:
    bare = drawn()
    for name in ("seats", "crew"):
        bare = changed(bare, name, category=None)

    assert rules_of(bare) == {}
    assert controllable(read(changed(drawn(), "seats", category=None))) == {"seats", "crew"}, "said of one, set of the other"


def test_an_external_factor_is_no_orphan() -> None:
    """The goal can be reached from it, if not it from the decision."""
    assert "ORPHAN_NODE" not in rules_of(drawn()) and any(n.id == "storms" for n in read(drawn()).nodes)


@given(GRAPHS, st.randoms())
def test_the_order_of_nodes_and_edges_changes_nothing(graph: dict[str, Any], dice: random.Random) -> None:
    other = {**graph, "nodes": dice.sample(graph["nodes"], len(graph["nodes"])),
             "edges": dice.sample(graph["edges"], len(graph["edges"]))}  # fmt: skip

    assert _sorted(rules_of(other)) == _sorted(rules_of(graph))
    assert scored(other) == pytest.approx(scored(graph))


@given(GRAPHS)
def test_other_ids_change_nothing(graph: dict[str, Any]) -> None:
    text = json.dumps(graph)
    for n in reversed(range(12)):
        text = text.replace(f'"n{n}"', f'"node {n * 7}"')

    assert list(rules_of(json.loads(text))) == list(rules_of(graph))
    assert scored(json.loads(text)) == scored(graph)


@given(GRAPHS)
def test_rules_come_in_their_order_and_name_something(graph: dict[str, Any]) -> None:
    found = broken_rules(read(graph))

    assert all(RULES.index(a.rule) < RULES.index(b.rule) for a, b in pairwise(found))
    assert all(one.where and one.sentence.startswith(one.rule) for one in found)


@given(GRAPHS)
def test_a_cycle_is_found_where_peeling_leaves_nodes(graph: dict[str, Any]) -> None:
    """Held against the other way to find out: taking away nodes to which nothing leads, until none is left."""
    known = {node["id"] for node in graph["nodes"]}
    edges = {(e["from"], e["to"]) for e in graph["edges"] if e["edge_type"] == "directed" and {e["from"], e["to"]} <= known}
    left = set(known)
    while free := {name for name in left if not any(end == name and start in left for start, end in edges)}:
        left -= free

    assert bool(left) == ("CYCLE_DETECTED" in rules_of(graph))
    assert set(rules_of(graph).get("CYCLE_DETECTED", ())) <= left


@settings(max_examples=40)
@given(sound_graphs())
def test_a_sound_graph_is_valid_and_an_orphan_more_is_not(graph: dict[str, Any]) -> None:
    assert rules_of(graph) == {}
    assert rules_of(with_node(graph, "aside", "factor")) == {"ORPHAN_NODE": ("aside",)}
    back = next(node["id"] for node in graph["nodes"] if node["kind"] in ("outcome", "risk"))
    lever = next(edge["from"] for edge in graph["edges"] if edge["to"] == back)
    assert set(rules_of(with_edges(graph, (back, lever)))) == {"CYCLE_DETECTED"}


def _sorted(found: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {rule: sorted(where) for rule, where in found.items()}


def test_a_chain_of_many_nodes_ends_soon() -> None:
    n = 10_000
    nodes = [{"id": k, "kind": "option" if k % 3 else "factor"} for k in range(n)]
    graph = read({"nodes": nodes, "edges": [{"from": k, "to": k + 1} for k in range(n - 1)]})
    began = time.process_time()

    found = broken_rules(graph)

    assert "NODE_LIMIT_EXCEEDED" in {one.rule for one in found}
    assert time.process_time() - began < 20
    assert all(len(one.sentence) < 500 for one in found)


# ------------------------------------------------------------------------------------------------------------------ quality


@settings(max_examples=40)
@given(sound_graphs(), st.booleans(), st.booleans())
def test_scores_lie_between_0_and_1_and_are_what_their_parts_come_to(graph: dict[str, Any], quo: bool, target: bool) -> None:
    found = scored(graph, expected=BriefExpectations(quo, target))

    assert tuple(found) == NAMES
    assert all(0 <= value <= 1 for value in found.values())
    assert found["overall"] == pytest.approx(sum(found[part] * weight for part, weight in OVERALL.items()))
    for part, weights in WEIGHTS.items():
        assert sum(weights.values()) == pytest.approx(1)
        assert found[part] == pytest.approx(sum(found[name] * weight for name, weight in weights.items()))


@pytest.mark.skipif(not VECTORS.exists(), reason="the shared papers are not here")
def test_the_shared_vectors() -> None:
    groups = json.loads(VECTORS.read_text())["numeric"]["graph_scores"]
    short = {"strength": "strength_diversity", "exists": "exists_probability_diversity", "std": "std_variation",
             "takeover": "default_takeover"}  # fmt: skip
    for case in groups["cases"]:
        given_, wanted = case["inputs"], case["expected"]
        found = scored(influences(given_["edges_mean_std_exists"]))
        for name, ours in short.items():
            assert found[ours] == pytest.approx(wanted[name], abs=groups["tol"])
        quality = weighted({**found, "range_discipline": given_["range_share"]}, WEIGHTS["parameter_quality"])
        overall = weighted({"parameter_quality": quality, "option_differentiation": given_["option_diff"],
                            "completeness": given_["completeness"]}, OVERALL)  # fmt: skip
        assert (quality, overall) == pytest.approx((wanted["param_quality"], wanted["overall"]), abs=groups["tol"])


@pytest.mark.parametrize(
    ("rows", "name", "value"),
    [
        ([(0.5, 0.125, 0.8), (0.5, 0.125, 0.9), (0.7, 0.2, 0.9), (0.3, 0.1, 0.8)], "strength_diversity", 1.0),
        ([(0.5, 0.1, 0.8), (-0.5, 0.1, 0.8)], "strength_diversity", 1 / 3),
        ([(0.25, 0.1, 0.9), (0.3, 0.1, 0.9), (-0.35, 0.1, 0.9)], "strength_diversity", 2 / 3),  # half up: 0.3, 0.3, 0.4
        ([(0.25, 0.1, 0.9)], "exists_probability_diversity", 0.5),
        ([(0.25, 0.1, 0.81), (0.25, 0.1, 0.82)], "exists_probability_diversity", 1.0),
        ([(0.25, 0.1, 0.9), (0.4, 0.1, 0.9)], "std_variation", 0.0),
        ([(0.25, 0.1, 0.9), (0.4, 0.11, 0.9)], "std_variation", 1.0),
        ([(-0.5, 0.125, 0.9), (0.5, 0.126, 0.9), (0.4, 0.125, 0.9), (0.1, 0.1, 1)], "default_takeover", 0.5),
        ([(0.5, 0.125, 0.9), (0.4, 0.125, 0.9)], "default_takeover", 0.0),
        ([(0.33, 0.1, 0.9), (0.56, 0.1, 0.9), (-0.11, 0.1, 0.9)], "range_discipline", 1.0),  # just 1, on the decimal text
        ([(0.33, 0.1, 0.9), (0.56, 0.1, 0.9), (0.12, 0.1, 0.9)], "range_discipline", 2 / 3),
    ],
)
def test_parameters_at_their_boundaries(rows: list[tuple[float, float, float]], name: str, value: float) -> None:
    assert scored(influences(rows))[name] == pytest.approx(value)


def test_the_rubric_that_was_first_coded_tells_probabilities_apart_by_one_decimal() -> None:
    graph = influences([(0.25, 0.1, 0.81), (0.25, 0.1, 0.82)])

    assert scored(graph, rubric="first-coded")["exists_probability_diversity"] == 0.5
    assert scored(graph, rubric="spec-002")["exists_probability_diversity"] == 1.0


def test_without_influences_nothing_is_earned_for_parameters() -> None:
    assert scored(influences([]))["parameter_quality"] == 0.0


def test_what_is_not_told_of_an_influence_counts_as_no_value() -> None:
    """A strength that is missing is neither 0 nor the usual 0.5."""
    graph = with_edges(influences([(0.4, 0.1, 0.9)]), ("crew", "delays"), ("crew", "fares"))

    found = scored(graph)

    assert (found["strength_diversity"], found["default_takeover"], found["std_variation"]) == (pytest.approx(1 / 3), 1.0, 0.0)
    usual = with_edges(influences([(0.5, 0.125, 0.9)]), ("crew", "delays"), ("crew", "fares"), ("storms", "delays"))
    assert scored(usual)["default_takeover"] == 0.0, "of the strengths that are there all are the usual one"
    assert scored(usual, rubric="first-coded")["default_takeover"] == pytest.approx(0.5)


LACKING = [edge if "strength" not in edge else {"from": edge["from"], "to": edge["to"]} for edge in drawn()["edges"]]


def test_a_graph_without_strengths_has_no_score_for_what_rests_on_them() -> None:
    """Neither 0 nor full marks: parameter quality is the weighted mean of what can be scored, and every edge is named."""
    bare = drawn(edges=LACKING)
    found = scored(bare)

    assert (found["default_takeover"], found["range_discipline"]) == (None, None)
    assert (found["strength_diversity"], found["parameter_quality"]) == (0.0, 0.0)
    assert found["overall"] == pytest.approx(0.7)
    assert [edge.name for edge, _ in missing_parameters(read(bare))] == [
        "seats->fares", "crew->fares", "storms->delays", "crew->delays", "fares->goal", "delays->goal"
    ]  # fmt: skip
    likely = drawn(edges=[{**edge, "exists_probability": 0.5 + n / 20} for n, edge in enumerate(LACKING)])
    assert scored(likely)["parameter_quality"] == pytest.approx(0.20 / 0.60)
    assert scored(bare, rubric="first-coded")["parameter_quality"] == pytest.approx(0.40), "as it was first coded"


def test_an_edge_without_a_parameter_is_named_with_what_it_lacks() -> None:
    edges = [{**edge, "strength": {"mean": 0.4}} if edge["from"] == "storms" else edge for edge in drawn()["edges"]]

    assert [(edge.name, lacks) for edge, lacks in missing_parameters(read(drawn(edges=edges)))] == [
        ("storms->delays", ("strength.std",))
    ]
    assert missing_parameters(read(drawn())) == []


def test_edges_that_build_the_graph_and_common_causes_have_no_parameters() -> None:
    strength = {"strength": {"mean": 0.9, "std": 0.9}, "exists_probability": 0.1}
    built = drawn(edges=[e if "strength" in e else {**e, **strength} for e in drawn()["edges"]])

    assert (
        scored(built) == scored(drawn()) == scored(with_edges(drawn(), ("seats", "crew"), edge_type="bidirected", **strength))
    )


def options(first: dict[str, Any] | None, second: dict[str, Any] | None) -> dict[str, Any]:
    """The example with other interventions of its two options."""
    graph = drawn()
    for name, found in (("quo", first), ("new", second)):
        graph = changed(graph, name, data={} if found is None else {"interventions": found})
    return graph


@pytest.mark.parametrize(
    ("first", "second", "same", "each", "unique"),
    [
        ({"seats": 1}, {"crew": 1}, 1, 1, 1),
        ({"seats": 1}, {"seats": 1.00001}, 0, 1, 0),  # four decimals
        ({"seats": 1}, {"seats": 1.0001}, 1, 1, 0),
        ({"seats": 1, "crew": 2}, {"crew": 2, "seats": 1}, 0, 1, 0),
        ({"seats": 1}, {"seats": 1, "crew": 2}, 1, 1, 0),  # the first has none of its own
        ({}, {"crew": 1}, 1, 0, 0),
        (None, None, 0, 0, 0),
        ({"seats": 1}, {"storms": 1}, 1, 1, 0),  # no option can set the storms
    ],
)
def test_options_at_their_boundaries(first: Any, second: Any, same: int, each: int, unique: int) -> None:
    found = scored(options(first, second))

    names = ("no_identical_interventions", "each_option_sets_factor", "unique_factor_per_option")
    assert tuple(found[name] for name in names) == (same, each, unique)


def test_a_factor_that_not_all_share_is_enough() -> None:
    """Of three options, two may share one: the rule asks for a factor that is not set by all of them."""
    graph = with_edges(with_node(drawn(), "wait", "option", data={"interventions": {"seats": 0.1}}), ("decide", "wait"),
                       ("wait", "seats"))  # fmt: skip

    assert scored(graph)["unique_factor_per_option"] == 1.0


@pytest.mark.parametrize(
    ("label", "found"),
    [("Status quo", 1), ("the STATUS-QUO", 1), ("status_quo", 1), ("Baseline", 1), ("Keep the boat", 1), ("Maintain it", 1),
     ("Do nothing", 1), ("A new boat", 0), ("", 0)],
)  # fmt: skip
def test_the_status_quo_is_told_by_its_label(label: str, found: int) -> None:
    graph = changed(drawn(), "quo", label=label)

    assert scored(graph)["status_quo_present"] == found
    assert scored(graph, expected=BriefExpectations(False, True))["status_quo_present"] == 1


@pytest.mark.parametrize(("n", "value"), [(9, 1.0), (12, 1.0), (13, 0.5), (20, 0.5), (21, 0.0), (50, 0.0)])
def test_readability_goes_by_the_number_of_nodes(n: int, value: float) -> None:
    assert scored(_many_nodes(n))["readability_band"] == value


def test_a_graph_of_fewer_than_six_nodes_tells_little() -> None:
    six = without_node(without_node(without_node(drawn(), "storms"), "delays"), "crew")

    assert scored(six)["readability_band"] == 1.0
    assert scored(without_node(six, "fares"))["readability_band"] == 0.0


@pytest.mark.parametrize("word", ["market risk", "competition", "cost", "revenue", "growth", "risk", "demand", "supply"])
def test_words_that_could_stand_in_any_graph_are_no_labels(word: str) -> None:
    """The eight of specification 002; a graph without factors has none that says something."""
    none = without_node(without_node(without_node(drawn(), "seats"), "crew"), "storms")

    assert scored(changed(drawn(), "seats", label=word.title()))["factor_label_specificity"] == pytest.approx(2 / 3)
    assert scored(none)["factor_label_specificity"] == 0


@pytest.mark.parametrize(
    ("coaching", "value"),
    [({"strengthen_items": ["a"], "summary": ""}, 1), ({"strengthen_items": [], "summary": "a"}, 1), ({"summary": " \n"}, 0),
     ({"strengthen_items": []}, 0), ({}, 0), (None, 0), ("well done", 0)],
)  # fmt: skip
def test_coaching(coaching: Any, value: float) -> None:
    assert scored(drawn(coaching=coaching))["coaching_populated"] == value


def test_threshold_external_factors_and_labels() -> None:
    without = changed(drawn(), "goal", data={})
    inside = changed(drawn(), "storms", category="controllable")
    generic = changed(changed(drawn(), "seats", label=" Market RISK "), "crew", label="costs")

    assert (
        scored(without)["goal_threshold"] == 0
        and scored(without, expected=BriefExpectations(True, False))["goal_threshold"] == 1
    )
    assert scored(changed(drawn(), "goal", data={"goal_threshold": 0}))["goal_threshold"] == 1
    assert scored(inside)["external_factor_present"] == 0
    assert scored(generic)["factor_label_specificity"] == pytest.approx(2 / 3)
