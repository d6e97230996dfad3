"""Replies with a decision graph in all the places where models put one, and where the graph ends in each of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from graphs import changed, drawn, with_edges, with_node

Table = dict[str, Any]
EARLIER = json.dumps(drawn(coaching={"strengthen_items": ["An earlier version"]}), indent=1)
AROUND: Mapping[str, tuple[str, str]] = {
    "whole text": ("", ""),
    "fenced block": ("Here it is:\n```json\n", "\n```\nI hope that it helps: see [1] and {a}."),
    "in prose": ("I would draw this, as [1] and {2} say: ", " since all depends on it. Nothing else [does]."),
    "behind thinking": ('<think>A draft: {"nodes": [], "edges": []} or {"nodes": </think>\n', "\n"),
    "in a list": ("[", "]"),
    "in a list in a block": ("```json\n[\n", "\n]\n```"),
    "one key deep": ('{"draft": ', ', "note": "done"}'),
    "one key deep in a block": ('Well.\n```\n{"note": "a", "graph": ', "}\n```\nDone."),
    "behind an earlier version": (f"```json\n{EARLIER}\n```\nI forgot the storms. Better:\n```json\n", "\n```\n"),
    "behind an earlier version in prose": (f"{EARLIER}\nI forgot the storms. Better:\n", "\n"),
}
"""What stands before and behind the graph; in each of these it is read, and in none of them once it is cut."""


def random_graph(chance: Random) -> Table:
    """A graph as models write them: sound, or with parts that break a rule, of several sizes and with texts of all sorts."""
    graph = drawn()
    for n in range(chance.randint(0, 6)):
        kind = chance.choice(["factor", "outcome", "risk", "option"])
        label = chance.choice(['Say "no" {now}', "Größe [m]", "// no comment", "back\\slash", "a, }", "Plain", "```", "# one"])
        graph = with_node(graph, f"more_{n}", kind, label, category=chance.choice(["external", "Controllable", None]))
        strength = {"mean": chance.randint(-99, 99) / 100, "std": 0.1}
        graph = with_edges(graph, ("seats", f"more_{n}"), strength=strength, exists_probability=chance.choice([0.5, "0.75", 1]))
    return changed(graph, "goal", data={"goal_threshold": {"value": chance.random(), "unit": "EUR"}})


def broken_texts(graph: Table, chance: Random) -> Iterator[str]:
    """The graph as JSON: sound, with stray commas, with comments, with brackets in many of them, with a kind that is none, and
    with a field missing."""
    indent = chance.choice([None, 1, 2])
    sound = json.dumps(graph, indent=indent, ensure_ascii=chance.random() < 0.5)
    yield sound
    yield sound.replace("]", ",]", 1)
    yield json.dumps(graph, indent=1).replace('"edges"', '// don\'t } "close\n "edges"', 1)
    *lines, end = json.dumps(graph, indent=1).split("\n")
    yield "\n".join([*(line + chance.choice(["", "", "  // ]", "  # it's }", '  /* "a": { */']) for line in lines), end])
    yield json.dumps(changed(graph, "goal", kind="wish"), indent=indent)
    yield json.dumps({key: value for key, value in graph.items() if key != "edges"}, indent=indent)


FORMS: Mapping[str, Callable[[str], tuple[str, int, int]]] = {
    name: lambda text, ends=ends: (ends[0] + text + ends[1], len(ends[0]), len(ends[0]) + len(text))  # type: ignore[misc]
    for name, ends in AROUND.items()
} | {"as a JSON text": lambda text: (json.dumps(text), 1, len(json.dumps(text)) - 1)}
"""By place: the reply, where its last graph begins, and where it ends."""


def last_end(name: str, reply: str, end: int) -> int:
    """Where the JSON around a graph ends: before that the reply is cut, though the graph in it may be whole."""
    if name.startswith(("in a list", "one key deep")):
        return end + 1 + reply[end:].index("]" if name.startswith("in a list") else "}")
    return end
