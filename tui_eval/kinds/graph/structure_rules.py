"""Check of how a decision graph is built: every rule that it breaks, with the nodes or edges that break it.

Source: specification 002, "Structural validity", with the rules as they were first coded. Every rule is looked at in one pass
over nodes and edges, so that a reply of 100,000 nodes takes no longer than reading it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.gathering import gathered
from tui_eval.reading.decision_graphs import Graph, Node

MOST_NODES, MOST_EDGES = 50, 100
"""Bidirected edges count, too."""
FEWEST_OPTIONS, MOST_OPTIONS = 2, 6
RULES = (
    "INVALID_EDGE_REF", "MISSING_GOAL", "MISSING_DECISION", "INSUFFICIENT_OPTIONS", "TOO_MANY_OPTIONS", "MISSING_BRIDGE",
    "NODE_LIMIT_EXCEEDED", "EDGE_LIMIT_EXCEEDED", "CYCLE_DETECTED", "FORBIDDEN_EDGE", "CONTROLLABLE_NO_OPTION_EDGE",
    "OUTCOME_UNREACHABLE", "OPTION_NO_GOAL_PATH", "ORPHAN_NODE",
)  # fmt: skip
"""In the order they are reported in."""
FORBIDDEN = frozenset({
    ("option", "outcome"), ("option", "risk"), ("option", "goal"), ("factor", "goal"), ("decision", "factor"),
    ("decision", "outcome"), ("decision", "risk"), ("outcome", "outcome"), ("risk", "risk"), ("outcome", "risk"),
    ("risk", "outcome"),
})  # fmt: skip
"""Kinds of the two ends of directed edges that may not be."""
_NAMED = 5
"""Offenders that a sentence names."""
Neighbours = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that a graph breaks."""

    rule: str
    where: tuple[str, ...]
    """Ids of nodes, or edges as `Edge.name`; of limits, how many there are and which are too many."""

    @property
    def sentence(self) -> str:
        """The rule and its first offenders."""
        more = f" and {len(self.where) - _NAMED} more" if len(self.where) > _NAMED else ""
        return f"{self.rule}: {', '.join(self.where[:_NAMED])}{more}"


def broken_rules(graph: Graph) -> list[Broken]:
    """Every rule that a graph breaks, in the order of RULES; none where it is valid."""
    forward = gathered((start.id, end.id) for _, start, end in graph.directed)
    backward = gathered((end.id, start.id) for _, start, end in graph.directed)
    by_rule = {**_of_counts(graph), **_of_edges(graph), **_of_paths(graph, forward, backward)}
    by_rule["CYCLE_DETECTED"] = _in_cycles([*graph.by_id], forward, backward)
    return [Broken(rule, tuple(by_rule[rule])) for rule in RULES if by_rule.get(rule)]


def controllable(graph: Graph) -> set[str]:
    """Ids of the factors that can be set: those that say so, and those that an option points to."""
    own = {node.id for node in graph.of_kind("factor") if node.category == "controllable"}
    return own | {end.id for _, start, end in graph.directed if (start.kind, end.kind) == ("option", "factor")}


def _of_counts(graph: Graph) -> dict[str, list[str]]:
    goals, decisions, options = (graph.of_kind(kind) for kind in ("goal", "decision", "option"))
    nodes, edges = len(graph.nodes), len(graph.edges)
    return {
        "MISSING_GOAL": [] if len(goals) == 1 else _ids(goals) or ["no goal"],
        "MISSING_DECISION": [] if len(decisions) == 1 else _ids(decisions) or ["no decision"],
        "INSUFFICIENT_OPTIONS": (_ids(options) or ["no option"]) if len(options) < FEWEST_OPTIONS else [],
        "TOO_MANY_OPTIONS": _ids(options) if len(options) > MOST_OPTIONS else [],
        "MISSING_BRIDGE": [] if graph.of_kind("outcome", "risk") else ["no outcome and no risk"],
        "NODE_LIMIT_EXCEEDED": [f"{nodes} nodes", *_ids(graph.nodes[MOST_NODES:])] if nodes > MOST_NODES else [],
        "EDGE_LIMIT_EXCEEDED": [f"{edges} edges", *(edge.name for edge in graph.edges[MOST_EDGES:])]
        if edges > MOST_EDGES
        else [],
    }


def _of_edges(graph: Graph) -> dict[str, list[str]]:
    ids = Counter(node.id for node in graph.nodes)
    pointed = {end.id for _, start, end in graph.directed if (start.kind, end.kind) == ("option", "factor")}
    return {
        "INVALID_EDGE_REF": [edge.name for edge in graph.edges if ids[edge.start] != 1 or ids[edge.end] != 1],
        "FORBIDDEN_EDGE": [edge.name for edge, start, end in graph.directed if (start.kind, end.kind) in FORBIDDEN],
        "CONTROLLABLE_NO_OPTION_EDGE": [
            node.id for node in graph.of_kind("factor") if node.category == "controllable" and node.id not in pointed
        ],
    }


def _of_paths(graph: Graph, forward: Neighbours, backward: Neighbours) -> dict[str, list[str]]:
    """Rules about what can be reached. Without exactly one goal, or one decision, those that begin there say nothing new."""
    goals, decisions, levers = graph.of_kind("goal"), graph.of_kind("decision"), controllable(graph)
    from_decision, to_goal = _reached(_ids(decisions), forward), _reached(_ids(goals), backward)
    by_rule: dict[str, list[str]] = {}
    if len(decisions) == 1:
        options = [node.id for node in graph.of_kind("option") if node.id in from_decision]
        reached = _reached(levers & _reached(options, forward), forward)
        by_rule["OUTCOME_UNREACHABLE"] = [node.id for node in graph.of_kind("outcome", "risk") if node.id not in reached]
    if len(goals) == 1:
        leading = _reached(levers & to_goal, backward)
        by_rule["OPTION_NO_GOAL_PATH"] = [node.id for node in graph.of_kind("option") if node.id not in leading]
    if len(goals) == len(decisions) == 1:
        by_rule["ORPHAN_NODE"] = [
            node.id
            for node in graph.nodes
            if node.kind not in ("decision", "goal") and node.id not in from_decision and node.id not in to_goal
        ]
    return by_rule


def _ids(nodes: Iterable[Node]) -> list[str]:
    return [node.id for node in nodes]


def _reached(starts: Collection[str], neighbours: Neighbours) -> set[str]:
    """All that can be reached from some nodes, these included."""
    reached, waiting = set(starts), list(starts)
    while waiting:
        for end in neighbours.get(waiting.pop(), ()):
            if end not in reached:
                reached.add(end)
                waiting.append(end)
    return reached


def _in_cycles(ids: Sequence[str], forward: Neighbours, backward: Neighbours) -> list[str]:
    """The nodes that lie on a cycle, in order: components of more than one node, and nodes that point to themselves.

    Kosaraju's two passes over what is left when nodes to which nothing leads have been taken away, without recursion: a
    graph from a model may be as deep as it is long.
    """
    remaining = _left_over(ids, forward, backward)
    inner = {name: [end for end in forward.get(name, ()) if end in remaining] for name in ids if name in remaining}
    component: dict[str, str] = {}
    for root in reversed(list(_finished([*inner], inner))):
        waiting = [root] if root not in component else []
        while waiting:
            name = waiting.pop()
            if name not in component:
                component[name] = root
                waiting += [before for before in backward.get(name, ()) if before in remaining and before not in component]
    sizes = Counter(component.values())
    return [name for name in inner if sizes[component[name]] > 1 or name in inner[name]]


def _left_over(ids: Sequence[str], forward: Neighbours, backward: Neighbours) -> set[str]:
    """Return the nodes left when those to which no other of them leads are taken away one by one; all cycles are in it."""
    leading = {name: len(backward.get(name, ())) for name in ids}
    remaining, free = set(ids), [name for name, n in leading.items() if not n]
    while free:
        name = free.pop()
        remaining.discard(name)
        for end in forward.get(name, ()):
            leading[end] -= 1
            if not leading[end]:
                free.append(end)
    return remaining


def _finished(ids: Sequence[str], forward: Neighbours) -> Iterator[str]:
    """Every node once, when all that it leads to has been left."""
    visited: set[str] = set()
    for first in ids:
        if first in visited:
            continue
        visited.add(first)
        path = [(first, iter(forward.get(first, ())))]
        while path:
            name, ends = path[-1]
            end = next((end for end in ends if end not in visited), None)
            if end is None:
                path.pop()
                yield name
            else:
                visited.add(end)
                path.append((end, iter(forward.get(end, ()))))
