"""A decision graph as text: drawn in layers for a terminal, in short for a conversation, and for Graphviz and Mermaid.

What a model wrote stands in the last two as labels alone; the names of nodes are ours, so that no label can act as syntax.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from tui_eval.core.gathering import gathered
from tui_eval.core.plaintext import one_line
from tui_eval.kinds.graph.structure_rules import Broken
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


class Drawing:
    """A graph as it is drawn; labels and figures, which every drawing of it has, are made once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        size = f"{len(graph.nodes):,} nodes and {len(graph.edges):,} edges: too many to be drawn.\n"
        self._too_large = size if len(graph.nodes) > MOST_NODES else ""
        if self._too_large:
            return
        self._own = [_label(node) for node in graph.nodes]
        self._labels = dict(zip((node.id for node in reversed(graph.nodes)), reversed(self._own), strict=True))
        """By id; of several nodes with one id the first one's."""
        self._asides = [self._aside(node) for node in graph.nodes]
        self._ends = [f"{self._label_of(edge.end)}{_figures(edge)}" for edge in graph.edges]
        directed = ((edge.start, place) for place, edge in enumerate(graph.edges) if edge.edge_type == DIRECTED)
        self._leading = gathered(directed)
        """By the id of a node: places of the directed edges that begin there."""

    def text(self, broken: Sequence[Broken]) -> str:
        """In layers, each node with what it leads to; `!` marks what breaks a rule, and the rules stand first."""
        if self._too_large:
            return self._too_large
        graph, at_fault = self.graph, {name for violation in broken for name in violation.where}
        lines = [f"! {one_line(violation.sentence, 300)}" for violation in broken] or ["Every rule of structure is kept."]
        for kind, title in LAYERS:
            places = [place for place, node in enumerate(graph.nodes) if node.kind == kind]
            lines += ["", title] if places else []
            for place in places:
                node = graph.nodes[place]
                lines.append(f"{_mark(node.id, at_fault)}{self._own[place]}{self._asides[place]}")
                for at in self._leading.get(node.id, ()):
                    lines.append(f"{_mark(graph.edges[at].name, at_fault)}  -> {self._ends[at]}")
        both = [place for place, edge in enumerate(graph.edges) if edge.edge_type != DIRECTED]
        lines += ["", "COMMON CAUSES"] if both else []
        for at in both:
            edge = graph.edges[at]
            lines.append(f"{_mark(edge.name, at_fault)}{self._label_of(edge.start)} <-> {self._ends[at]}")
        return "\n".join(lines) + "\n"

    def short(self) -> list[str]:
        """A line for each node and its edges, for pasting into a conversation."""
        if self._too_large:
            return [self._too_large.strip()]
        lines = []
        for place, node in enumerate(self.graph.nodes):
            ends = [self._ends[at] for at in self._leading.get(node.id, ())]
            targets = f" -> {', '.join(ends)}" if ends else ""
            lines.append(f"{node.kind}: {self._own[place]}{self._asides[place]}{targets}")
        return lines

    def dot(self) -> str:
        """As a Graphviz digraph."""
        if self._too_large:
            return f"// {self._too_large}"
        graph, names = self.graph, _names(self.graph)
        lines = ["digraph {", "  rankdir=BT;"]
        for name, node in graph.by_id.items():
            lines.append(f'  {names[name]} [label="{self._plain(name)}", shape={_SHAPES[node.kind]}];')
        for edge in _known_edges(graph, names):
            attributes = [f'label="{_mean(edge)}"'] if edge.mean is not None else []
            attributes += [] if edge.edge_type == DIRECTED else ["dir=both", "style=dashed"]
            lines.append(f"  {names[edge.start]} -> {names[edge.end]}{_attributes(attributes)};")
        return "\n".join([*lines, "}"]) + "\n"

    def mermaid(self) -> str:
        """As a Mermaid flowchart."""
        if self._too_large:
            return f"%% {self._too_large}"
        graph, names = self.graph, _names(self.graph)
        lines = ["flowchart BT"]
        for name, node in graph.by_id.items():
            opened, closed = _MERMAID[node.kind]
            lines.append(f'  {names[name]}{opened}"{self._plain(name)}"{closed}')
        for edge in _known_edges(graph, names):
            arrow = "-->" if edge.edge_type == DIRECTED else "<-.->"
            mean = f"|{_mean(edge)}|" if _mean(edge) else ""
            lines.append(f"  {names[edge.start]} {arrow}{mean} {names[edge.end]}")
        return "\n".join(lines) + "\n"

    def _plain(self, name: str) -> str:
        return _NO_SYNTAX.sub(" ", self._labels[name])

    def _label_of(self, name: str) -> str:
        return self._labels[name] if name in self._labels else f"{one_line(name, _LONGEST_LABEL)} (no such node)"

    def _aside(self, node: Node) -> str:
        """Return the facts of a node besides its label."""
        parts = [node.category, f"to reach {node.goal_threshold}" if node.goal_threshold is not None else ""]
        parts += [f"{self._label_of(factor)} = {_number(value)}" for factor, value in node.interventions or ()]
        text = "; ".join(filter(None, parts))
        return f" ({one_line(text, 200)})" if text else ""


def _attributes(attributes: Sequence[str]) -> str:
    return f" [{', '.join(attributes)}]" if attributes else ""


def _names(graph: Graph) -> Mapping[str, str]:
    return {name: f"n{place}" for place, name in enumerate(graph.by_id)}


def _known_edges(graph: Graph, names: Mapping[str, str]) -> Iterator[Edge]:
    return (edge for edge in graph.edges if edge.start in names and edge.end in names)


def _mark(name: str, at_fault: Collection[str]) -> str:
    return "! " if name in at_fault else "  "


def _label(node: Node) -> str:
    return one_line(node.label or node.id, _LONGEST_LABEL)


def _figures(edge: Edge) -> str:
    """Strength, its spread and the probability of an influence, as far as they are told."""
    parts = [f"{_mean(edge)} ± {float(edge.std):.4g}" if edge.mean is not None and edge.std is not None else _mean(edge)]
    parts += [f"p {float(edge.exists):.4g}"] if edge.exists is not None else []
    text = ", ".join(filter(None, parts))
    return f" [{text}]" if text else ""


def _mean(edge: Edge) -> str:
    return "" if edge.mean is None else f"{float(edge.mean):+.4g}"


def _number(text: str) -> str:
    return text.rstrip("0").rstrip(".") if re.fullmatch(r"-?\d+\.\d{4}", text) else text
