"""A decision graph as text: drawn in layers for a terminal, in short for a conversation, and for Graphviz and Mermaid.

What a model wrote stands in it as labels alone; the names of nodes are ours, so that no label can act as syntax.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from tui_eval.core.plaintext import one_line
from tui_eval.kinds.shared.drafted_graphs.structure_rules import Broken
from tui_eval.reading.decision_graphs import DIRECTED, Edge, Graph, Node

LAYERS = (("goal", "GOAL"), ("outcome", "OUTCOMES"), ("risk", "RISKS"), ("factor", "FACTORS"), ("option", "OPTIONS"),
          ("decision", "DECISION"))  # fmt: skip
"""From what is wanted down to what is decided."""
MOST_NODES = 200
"""Of larger graphs only the size is told: nobody could look at them."""
_LONGEST_LABEL = 60
_NO_SYNTAX = re.compile(r"[^\w .,:;%()/+?!'’-]")
_SHAPES = {"goal": "ellipse", "decision": "diamond", "option": "box", "factor": "box", "outcome": "ellipse", "risk": "hexagon"}
_MERMAID = {"goal": ("([", "])"), "decision": ("{", "}"), "option": ("[", "]"), "factor": ("(", ")"), "outcome": ("([", "])"),
            "risk": ("{{", "}}")}  # fmt: skip


def text_of_graph(graph: Graph, broken: Sequence[Broken]) -> str:
    """The graph in layers, each node with what it leads to; `!` marks what breaks a rule, and the rules stand first."""
    if len(graph.nodes) > MOST_NODES:
        return _too_large(graph)
    at_fault = {name for one in broken for name in one.where}
    lines = [f"! {one_line(one.sentence, 300)}" for one in broken] or ["Every rule of structure is kept."]
    leading = _leading(graph)
    for kind, title in LAYERS:
        nodes = graph.of_kind(kind)
        lines += ["", title] if nodes else []
        for node in nodes:
            lines.append(f"{_mark(node.id, at_fault)}{_label(node)}{_aside(graph, node)}")
            lines += [
                f"{_mark(edge.name, at_fault)}  -> {_end(graph, edge)}{_figures(edge)}" for edge in leading.get(node.id, ())
            ]
    both = [edge for edge in graph.edges if edge.edge_type != DIRECTED]
    lines += ["", "COMMON CAUSES"] if both else []
    lines += [f"{_mark(e.name, at_fault)}{_start(graph, e)} <-> {_end(graph, e)}{_figures(e)}" for e in both]
    return "\n".join(lines) + "\n"


def short_form(graph: Graph) -> list[str]:
    """A line for each node and its edges, for pasting into a conversation."""
    if len(graph.nodes) > MOST_NODES:
        return [_too_large(graph).strip()]
    leading = _leading(graph)
    return [
        f"{node.kind}: {_label(node)}{_aside(graph, node)}{_targets(graph, leading.get(node.id, ()))}" for node in graph.nodes
    ]


def dot_of_graph(graph: Graph) -> str:
    """The graph as a Graphviz digraph."""
    if len(graph.nodes) > MOST_NODES:
        return f"// {_too_large(graph)}"
    names = _names(graph)
    lines = ["digraph {", "  rankdir=BT;"]
    lines += [f'  {names[node.id]} [label="{_plain(node)}", shape={_SHAPES[node.kind]}];' for node in graph.by_id.values()]
    for edge in _known_edges(graph, names):
        told = [f'label="{_mean(edge)}"'] if edge.mean is not None else []
        told += [] if edge.edge_type == DIRECTED else ["dir=both", "style=dashed"]
        lines.append(f"  {names[edge.start]} -> {names[edge.end]}{_attributes(told)};")
    return "\n".join([*lines, "}"]) + "\n"


def mermaid_of_graph(graph: Graph) -> str:
    """The graph as a Mermaid flowchart."""
    if len(graph.nodes) > MOST_NODES:
        return f"%% {_too_large(graph)}"
    names = _names(graph)
    lines = ["flowchart BT"]
    for node in graph.by_id.values():
        opened, closed = _MERMAID[node.kind]
        lines.append(f'  {names[node.id]}{opened}"{_plain(node)}"{closed}')
    for edge in _known_edges(graph, names):
        arrow = "-->" if edge.edge_type == DIRECTED else "<-.->"
        mean = f"|{_mean(edge)}|" if _mean(edge) else ""
        lines.append(f"  {names[edge.start]} {arrow}{mean} {names[edge.end]}")
    return "\n".join(lines) + "\n"


def _attributes(told: Sequence[str]) -> str:
    return f" [{', '.join(told)}]" if told else ""


def _too_large(graph: Graph) -> str:
    return f"{len(graph.nodes):,} nodes and {len(graph.edges):,} edges: too many to be drawn.\n"


def _leading(graph: Graph) -> Mapping[str, list[Edge]]:
    found: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        if edge.edge_type == DIRECTED:
            found.setdefault(edge.start, []).append(edge)
    return found


def _names(graph: Graph) -> Mapping[str, str]:
    return {name: f"n{place}" for place, name in enumerate(graph.by_id)}


def _known_edges(graph: Graph, names: Mapping[str, str]) -> Iterator[Edge]:
    return (edge for edge in graph.edges if edge.start in names and edge.end in names)


def _mark(name: str, at_fault: Collection[str]) -> str:
    return "! " if name in at_fault else "  "


def _label(node: Node) -> str:
    return one_line(node.label or node.id, _LONGEST_LABEL)


def _plain(node: Node) -> str:
    return _NO_SYNTAX.sub(" ", _label(node))


def _start(graph: Graph, edge: Edge) -> str:
    return _named(graph, edge.start)


def _end(graph: Graph, edge: Edge) -> str:
    return _named(graph, edge.end)


def _named(graph: Graph, name: str) -> str:
    node = graph.by_id.get(name)
    return f"{one_line(name, _LONGEST_LABEL)} (no such node)" if node is None else _label(node)


def _aside(graph: Graph, node: Node) -> str:
    """What there is to say of a node besides its label."""
    parts = [node.category, f"to reach {node.goal_threshold}" if node.goal_threshold is not None else ""]
    parts += [f"{_named(graph, factor)} = {_number(value)}" for factor, value in node.interventions or ()]
    told = one_line("; ".join(filter(None, parts)), 200)
    return f" ({told})" if told else ""


def _targets(graph: Graph, edges: Sequence[Edge]) -> str:
    return f" -> {', '.join(f'{_end(graph, edge)}{_figures(edge)}' for edge in edges)}" if edges else ""


def _figures(edge: Edge) -> str:
    """Strength, its spread and the probability of an influence, as far as they are told."""
    said = [f"{_mean(edge)} ± {edge.std:.4g}" if edge.mean is not None and edge.std is not None else _mean(edge)]
    said += [f"p {edge.exists:.4g}"] if edge.exists is not None else []
    told = ", ".join(filter(None, said))
    return f" [{told}]" if told else ""


def _mean(edge: Edge) -> str:
    return "" if edge.mean is None else f"{edge.mean:+.4g}"


def _number(text: str) -> str:
    return text.rstrip("0").rstrip(".") if re.fullmatch(r"-?\d+\.\d{4}", text) else text
