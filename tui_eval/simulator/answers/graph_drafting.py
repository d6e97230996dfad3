"""Drafts a decision graph as JSON when a prompt asks for one with "nodes" and "edges"; well or badly, as skill goes.

The nodes come from the brief: its list are the options, what it depends on are factors, what is outside of control is
external, what is wanted is the goal. A draft may break one rule of structure (or be no JSON); the less skill, the more often,
and where the prompt states the rule, seldom. What a prompt says of strengths, thresholds and external factors is heeded, too.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_eval.simulator.answers.prompt import Message, plain_text
from tui_eval.simulator.personas import Persona
from tui_eval.simulator.seed import Seed

_ASKED = re.compile(r'\bgraphs?\b.*"nodes".*"edges"', re.I | re.S)
_OPTION = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(.{3,120}?)\s*$", re.M)
_LEVERS = re.compile(r"\b(?:depends on|hinges on|turns on)\s+([^.\n]+)", re.I)
_EXTERNAL = re.compile(r"\b(?:outside our control|beyond our control|nobody can change):?\s+([^.\n]+)", re.I)
_GOAL = re.compile(r"\b(?:we want|the aim is|the goal is)\s+([^.\n]+)", re.I)
_FIGURE = re.compile(r"\b(?:at least|at most|by|to)\s+(\d+(?:[.,]\d+)?)", re.I)
_LISTED = re.compile(r",\s*|\s+and\s+")
_STATUS_QUO = re.compile(r"status[ _-]quo|baseline|keep|maintain|do nothing", re.I)
_ONLY_JSON = re.compile(r"\b(?:nothing but|only|just)\s+(?:the\s+)?JSON|\bno (?:prose|other text)\b", re.I)
_VARIED = re.compile(r"\bvary\b|\bdiffer(?:ent)?\b[^.\n]*\bstrength|\bcalibrat", re.I)
_THRESHOLD, _SPEAKS_OF_EXTERNAL = re.compile(r"goal_threshold"), re.compile(r"\bexternal factor", re.I)
_FLAW, _HEEDED = 0.4, 0.12
"""The chance of each flaw where there is no skill at all; what is left of it where the prompt forbids it."""
_PROSE = "Here is how I would look at it: the options are weighed by what they change, and then by what that does to the goal."
_VALUES = (0.2, 0.3, 0.4, 0.25, 0.35, 0.15)
_MOST_LEVERS = 3


@dataclass
class _Graph:
    """A draft in the making: ids by what they stand for."""

    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)

    def node(self, name: str, kind: str, label: str, **more: Any) -> str:
        self.nodes.append({"id": name, "kind": kind, "label": label, **more})
        return name

    def edge(self, start: str, end: str) -> None:
        self.edges.append({"from": start, "to": end, "edge_type": "directed"})

    def ids(self, kind: str) -> list[str]:
        return [node["id"] for node in self.nodes if node["kind"] == kind]


def wanted(messages: Sequence[Message]) -> tuple[str, str] | None:
    """The prompt that asks for a graph, and the brief; None where none does."""
    told = [plain_text(message) for message in messages if message.get("role") in ("system", "developer")]
    said = [plain_text(message) for message in messages if message.get("role") == "user"]
    prompt = "\n".join(told) or "\n".join(said)
    return (prompt, said[-1]) if said and _ASKED.search(prompt) else None


def drafted(persona: Persona, prompt: str, brief: str, seed: Seed) -> str:
    """The reply: a graph as bare JSON, in a fenced block or in prose; now and then with a flaw, or no JSON at all."""
    desk = _Desk(persona, prompt, brief, seed)
    if desk.slips("no json", _ONLY_JSON):
        return f"[simulated] {_PROSE}"
    graph = desk.graph()
    for name, rule, spoil in _FLAWS:
        if desk.slips(name, rule):
            spoil(graph)
            break
    desk.measure(graph)
    text = json.dumps({"nodes": graph.nodes, "edges": graph.edges, "coaching": desk.coaching()}, ensure_ascii=False, indent=1)
    return desk.dressed(text)


class _Desk:
    """Who drafts what, by which prompt."""

    def __init__(self, persona: Persona, prompt: str, brief: str, seed: Seed) -> None:
        self._persona, self._prompt, self._brief, self._seed = persona, prompt, brief, seed

    def _chance(self, purpose: str) -> float:
        return self._seed.chance("graph", purpose, self._brief)

    def slips(self, purpose: str, rule: re.Pattern[str]) -> bool:
        """Return whether a mistake is made; one that the prompt warns of seldom."""
        warned = _HEEDED if rule.search(self._prompt) else 1.0
        return self._chance(purpose) < _FLAW * (1.05 - self._persona.skill) * warned

    def _heeds(self, rule: re.Pattern[str]) -> bool:
        return bool(rule.search(self._prompt)) and self._chance(rule.pattern) < self._persona.obeys

    def graph(self) -> _Graph:
        """A graph that keeps the rules."""
        graph, levers = _Graph(), _listed(_LEVERS, self._brief)[:_MOST_LEVERS] or ["Cost", "Effort"]
        wish = _GOAL.search(self._brief)
        figure = _FIGURE.search(wish[1]) if wish else None
        data = {"goal_threshold": float(figure[1].replace(",", "."))} if figure and self._heeds(_THRESHOLD) else {}
        goal = graph.node("goal", "goal", _label(wish[1] if wish else "A good outcome"), data=data)
        decision = graph.node("decision", "decision", self._title())
        own = [graph.node(f"factor_{n}", "factor", lever, category="controllable") for n, lever in enumerate(levers, 1)]
        for n, option in enumerate(self._options(), 1):
            self._add_option(graph, graph.node(f"option_{n}", "option", option), decision, own, n)
        outcome = graph.node("outcome", "outcome", f"What comes of {_inside(levers[0])}")
        risk = graph.node("risk", "risk", f"Trouble with {_inside(levers[-1])}")
        for lever in own:
            graph.edge(lever, outcome)
        graph.edge(own[-1], risk)
        if self._heeds(_SPEAKS_OF_EXTERNAL) or self._chance("external") < self._persona.skill / 2:
            for n, label in enumerate(_listed(_EXTERNAL, self._brief) or ["Market risk"], 1):
                graph.edge(graph.node(f"external_{n}", "factor", label, category="external"), risk)
        graph.edge(outcome, goal)
        graph.edge(risk, goal)
        return graph

    def _add_option(self, graph: _Graph, option: str, decision: str, levers: Sequence[str], n: int) -> None:
        """An option sets every factor, as models like to write it; now and then each has one of its own."""
        own = self._chance("own factor") < self._persona.skill / 4
        touched = [levers[n % len(levers)]] if own else levers
        graph.nodes[-1]["data"] = {"interventions": {one: round(0.1 + 0.2 * n + 0.1 * k, 2) for k, one in enumerate(touched)}}
        graph.edge(decision, option)
        for one in touched:
            graph.edge(option, one)

    def _title(self) -> str:
        return _label(next((line.strip("# ") for line in self._brief.splitlines() if line.strip()), "What to do"))

    def _options(self) -> list[str]:
        found = [_label(one) for one in _OPTION.findall(self._brief)][:6]
        if len(found) < 2:
            found = [*found, "Go ahead", "Keep things as they are"][:3]
        if not any(map(_STATUS_QUO.search, found)) and len(found) < 6 and self._chance("status quo") < 1 - self._persona.skill:
            found.append("Status quo")
        return found

    def measure(self, graph: _Graph) -> None:
        """Strengths and probabilities of influences: all alike, unless the prompt wants them varied and is heeded."""
        varied = self._heeds(_VARIED)
        kinds = {node["id"]: node["kind"] for node in graph.nodes}
        built = {("decision", "option"), ("option", "factor")}
        influences = [one for one in graph.edges if (kinds.get(one["from"]), kinds.get(one["to"])) not in built]
        for n, edge in enumerate(influences):
            mean = _VALUES[n % len(_VALUES)] if varied else 0.5
            mean = -mean if kinds.get(edge["from"]) == "risk" else mean
            edge["strength"] = {"mean": mean, "std": round(0.05 + 0.03 * (n % 4), 2) if varied else 0.125}
            edge["exists_probability"] = round(0.95 - 0.05 * (n % 4), 2) if varied else 0.8

    def coaching(self) -> dict[str, Any]:
        items = ["[simulated] Say how sure you are of each figure"] if self._chance("items") < self._persona.skill else []
        return {"strengthen_items": items, "summary": "[simulated] A draft from the brief's own words." if items else " "}

    def dressed(self, text: str) -> str:
        """The JSON as the persona hands it over."""
        if self._heeds(_ONLY_JSON) or self._persona.verbosity == "terse":
            return text
        if self._chance("loose") < (1 - self._persona.obeys) / 2:
            text = text.removesuffix("\n}") + ",\n}"
        fenced = f"```json\n{text}\n```"
        return fenced if self._persona.verbosity == "plain" else f"{_PROSE}\n\n{fenced}\n\nI can say more about any of it."


def _listed(what: re.Pattern[str], text: str) -> list[str]:
    found = what.search(text)
    return [_label(one) for one in _LISTED.split(found[1]) if len(one.strip()) > 2] if found else []


def _label(text: str) -> str:
    text = re.sub(r"^(?:the|an?)\s+", "", text.strip(" .,;:"), flags=re.I)
    return f"{text[:1].upper()}{text[1:80]}"


def _inside(label: str) -> str:
    return f"{label[:1].lower()}{label[1:]}"


def _cycle(graph: _Graph) -> None:
    graph.edge("outcome", "factor_1")


def _orphan(graph: _Graph) -> None:
    graph.node("aside", "factor", "What people say about it")


def _forbidden(graph: _Graph) -> None:
    graph.edge(graph.ids("option")[0], "outcome")


def _unset(graph: _Graph) -> None:
    graph.edge(graph.node("lever", "factor", "Help from the neighbours", category="controllable"), "outcome")


def _unreached(graph: _Graph) -> None:
    graph.edge(graph.node("rumour", "risk", "A change of the law"), "goal")


def _dangling(graph: _Graph) -> None:
    graph.edge("factor_1", "public_opinion")


_FLAWS: tuple[tuple[str, re.Pattern[str], Callable[[_Graph], None]], ...] = (
    ("cycle", re.compile(r"\bcycl|\bacyclic|\bloop", re.I), _cycle),
    ("orphan", re.compile(r"\borphan|\bisolated", re.I), _orphan),
    ("forbidden", re.compile(r"\bforbidden|\bnever points?\b|\bmust not point", re.I), _forbidden),
    ("unset", re.compile(r"\bcontrollable\"? is set|\bset by an option", re.I), _unset),
    ("unreached", re.compile(r"\bcan be reached|\breachable", re.I), _unreached),
    ("dangling", re.compile(r"\bids that exist|\bunknown id", re.I), _dangling),
)
"""What may go wrong, what in a prompt warns of it, and how."""
