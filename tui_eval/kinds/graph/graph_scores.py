"""Scores of a graph by a rubric, and a look at a reply with one: it is read, checked by the rules of structure, and scored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from functools import cached_property, lru_cache
from math import fsum
from typing import Literal

from tui_eval.core.calls import Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.evaluation.calls import truncated as truncated_words
from tui_eval.evaluation.calls import was_cut
from tui_eval.kinds.graph.drawings import Drawing
from tui_eval.kinds.graph.structure_rules import Broken, broken_rules, controllable
from tui_eval.reading.decision_graphs import Edge, Graph, GraphReading, read_graph

Rubric = Literal["spec-002", "first-coded"]
"""first-coded: as in the rules that scores published elsewhere rest on. Probabilities of existence are told apart by one
decimal, and influences without a strength have full marks for default takeover; all else is the same."""
VERSION = {"spec-002": "graph/spec-002/2", "first-coded": "graph/first-coded/1"}
"""What stands in every score as `version`, and as rubric_version in files. In spec-002/1 influences without a strength had full
marks for default takeover and range discipline."""
WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "parameter_quality": {
        "strength_diversity": 0.25, "exists_probability_diversity": 0.20, "std_variation": 0.15, "default_takeover": 0.25,
        "range_discipline": 0.15,
    },
    "option_differentiation": {
        "status_quo_present": 0.25, "no_identical_interventions": 0.25, "each_option_sets_factor": 0.25,
        "unique_factor_per_option": 0.25,
    },
    "completeness": {
        "external_factor_present": 0.20, "coaching_populated": 0.20, "goal_threshold": 0.20, "factor_label_specificity": 0.20,
        "readability_band": 0.20,
    },
}  # fmt: skip
"""By part of the score, its sub-scores and what each of them counts in it."""
OVERALL = {"parameter_quality": 0.30, "option_differentiation": 0.30, "completeness": 0.40}
SUB_SCORES = tuple(name for inner in WEIGHTS.values() for name in inner)
NAMES = ("overall", *WEIGHTS, *SUB_SCORES)
"""Everything that a valid graph is scored by."""
GENERIC = frozenset({"market risk", "competition", "cost", "revenue", "growth", "risk", "demand", "supply"})
"""Labels of factors that could stand in any graph."""
DEFAULT_MEAN, DEFAULT_STD = Decimal("0.5"), Decimal("0.125")
"""What models write who do not think about it."""
_STATUS_QUO = re.compile(r"status[ _-]quo|baseline|keep|maintain|do nothing")
_EXACT = Context(prec=5000, rounding=ROUND_HALF_UP, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Enough digits for any number of a reply."""
_ONE_DECIMAL = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class BriefExpectations:
    """The expectations that a brief allows of a graph."""

    status_quo: bool
    """Whether there is to be an option that leaves all as it is."""
    numeric_target: bool
    """Whether the brief names a figure that is to be reached."""


def graph_scores(graph: Graph, expected: BriefExpectations, rubric: Rubric = "spec-002") -> dict[str, float | None]:
    """Return every score of a valid graph by its name (NAMES), each between 0 and 1; None for what rests on no number."""
    parts = {**_parameters(graph, rubric), **_options(graph, expected), **_completeness(graph, expected)}
    sums = {part: weighted(parts, weights) for part, weights in WEIGHTS.items()}
    return {"overall": weighted(sums, OVERALL), **sums, **parts}


def weighted(parts: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """Return the weighted mean of the parts that have a value, to twelve decimals; None where none has one."""
    values = {name: value for name in weights if (value := parts[name]) is not None}
    whole = fsum(weights[name] for name in values) if len(values) < len(weights) else 1.0
    return round(fsum(weights[name] * value for name, value in values.items()) / whole, 12) if values else None


def missing_parameters(graph: Graph) -> list[tuple[Edge, tuple[str, ...]]]:
    """List the influences that lack a strength, its spread or a probability, each with what it lacks."""
    of = (("strength.mean", "mean"), ("strength.std", "std"), ("exists_probability", "exists"))
    lacks = [(edge, tuple(name for name, field in of if getattr(edge, field) is None)) for edge, _, _ in graph.causal]
    return [(edge, names) for edge, names in lacks if names]


def _parameters(graph: Graph, rubric: Rubric) -> dict[str, float | None]:
    """Of the causal edges alone; without any of them nothing is earned."""
    edges = [edge for edge, _, _ in graph.causal]
    if not edges:
        return dict.fromkeys(WEIGHTS["parameter_quality"], 0.0)
    with_mean = [(edge.mean.copy_abs(), edge.std) for edge in edges if edge.mean is not None]
    stds = {edge.std for edge in edges if edge.std is not None}
    judged = len(edges) if rubric == "first-coded" else len(with_mean)
    return {
        "strength_diversity": min(len({_one_decimal(mean) for mean, _ in with_mean}) / 3, 1.0),
        "exists_probability_diversity": min(len(_existences(edges, rubric)) / 2, 1.0),
        "std_variation": float(len(stds) > 1),
        "default_takeover": max(1 - (with_mean.count((DEFAULT_MEAN, DEFAULT_STD)) / judged) / 0.5, 0.0) if judged else None,
        "range_discipline": _range_discipline(graph) if judged else None,
    }


def _existences(edges: Sequence[Edge], rubric: Rubric) -> set[Decimal]:
    values = [edge.exists for edge in edges if edge.exists is not None]
    return {_one_decimal(value) for value in values} if rubric == "first-coded" else set(values)


def _range_discipline(graph: Graph) -> float:
    """The share of outcomes, risks and goals whose incoming strengths come to at most 1."""
    sums: dict[str, Decimal] = {}
    for edge, _, end in graph.causal:
        if edge.mean is not None:
            sums[end.id] = _EXACT.add(sums.get(end.id, Decimal(0)), edge.mean.copy_abs())
    nodes = graph.of_kind("outcome", "risk", "goal")
    return sum(sums.get(node.id, Decimal(0)) <= 1 for node in nodes) / len(nodes) if nodes else 0.0


def _options(graph: Graph, expected: BriefExpectations) -> dict[str, float | None]:
    options, levers = graph.of_kind("option"), controllable(graph)
    maps = Counter(node.interventions or () for node in options)
    touched = [{factor for factor, _ in node.interventions or ()} & levers for node in options]
    shared = set.intersection(*touched) if touched else set()
    quo = not expected.status_quo or any(_STATUS_QUO.search(node.label.lower()) for node in options)
    return {
        "status_quo_present": float(quo),
        "no_identical_interventions": float(all(n == 1 for n in maps.values())),
        "each_option_sets_factor": float(all(node.interventions for node in options)),
        "unique_factor_per_option": float(bool(options) and all(factors - shared for factors in touched)),
    }


def _completeness(graph: Graph, expected: BriefExpectations) -> dict[str, float | None]:
    factors, n = graph.of_kind("factor"), len(graph.nodes)
    specific = sum(node.label.strip().lower() not in GENERIC for node in factors)
    threshold = any(node.goal_threshold is not None for node in graph.of_kind("goal"))
    return {
        "external_factor_present": float(any(node.category == "external" for node in factors)),
        "coaching_populated": float(bool(graph.strengthen_items or graph.summary)),
        "goal_threshold": float(threshold or not expected.numeric_target),
        "factor_label_specificity": specific / len(factors) if factors else 0.0,
        "readability_band": 1.0 if 6 <= n <= 12 else 0.5 if 13 <= n <= 20 else 0.0,
    }


def _one_decimal(value: Decimal) -> Decimal:
    """Half up: 0.25 is 0.3, 0.35 is 0.4."""
    return value.quantize(_ONE_DECIMAL, context=_EXACT).normalize(_EXACT)


VALID = Metric("valid", threshold=1.0)
"""Whether a reply holds a graph that keeps every rule of structure."""
METRICS = (VALID, *(Metric(name) for name in NAMES))
INVALID, UNREADABLE, NO_REPLY = "structure invalid", "unreadable", "no reply"
"""Why a graph has no scores; its value is never 0 for that."""
NO_STRENGTH = "no influence has a strength"
"""Why a graph that has scores lacks one of them."""


@dataclass(frozen=True)
class GraphCheck:
    """The reading of a reply, and the rules that its graph breaks."""

    found: GraphReading
    broken: tuple[Broken, ...] = ()

    @cached_property
    def drawing(self) -> Drawing | None:
        """Of the graph, where one was read."""
        return None if self.found.graph is None else Drawing(self.found.graph)


NO_LOOK = GraphCheck(GraphReading())
"""Of a call that brought no text."""


@lru_cache(maxsize=2)
def look_at(text: str | None) -> GraphCheck:
    """A look at a reply's text; the flow, its files and its reports take one after the other."""
    reading = read_graph(text)
    return GraphCheck(reading, tuple(broken_rules(reading.graph)) if reading.graph is not None else ())


def scores_of(reply: Reply, expected: BriefExpectations, rubric: Rubric) -> list[Score]:
    """Of each metric one score. A reply that came without a graph that keeps the rules is not valid, and has no other score."""
    look = look_at(reply.text) if reply.ok else NO_LOOK
    reading, broken = look.found, look.broken
    why = _why_not(reply, reading, broken)
    values = graph_scores(reading.graph, expected, rubric) if reading.graph is not None and not broken else {}

    def score(name: str, value: float | None, why: str, read: str | None = None, pattern: str = "") -> Score:
        call = reply.call
        return Score(call.stage, call.model, call.call_index, name, value, why, VERSION[rubric], read, pattern)

    valid = float(not why) if came(reply) else None
    size = None if reading.graph is None else f"{len(reading.graph.nodes)} nodes, {len(reading.graph.edges)} edges"
    first = score(VALID.name, valid, "; ".join(violation.sentence for violation in broken) or why, size, reading.step or "")
    short = why.partition(":")[0] if broken else why
    lacks = {name: NO_STRENGTH for name, value in values.items() if value is None}
    return [first, *(score(name, values.get(name), lacks.get(name, short)) for name in NAMES)]


def came(reply: Reply) -> bool:
    """Return whether there is a reply, also a refused or empty one: whoever was not asked, or failed, has not drawn badly."""
    return reply.ok or reply.error_kind in ("refused", "truncated", "empty")


def truncated(reply: Reply, reading: GraphReading) -> bool:
    """Return whether a reply was cut, by what the server says or by its text, and no graph can be read of it."""
    return reading.graph is None and (was_cut(reply) or (reply.ok and reading.cut))


def _why_not(reply: Reply, reading: GraphReading, broken: Sequence[Broken]) -> str:
    """Why a graph has no scores, in words of which those before a colon are counted together; empty where it has."""
    if truncated(reply, reading):
        return truncated_words(reply)
    if not reply.ok:
        return f"{reply.error_kind}: no graph" if came(reply) else f"{NO_REPLY}: {reply.why}"
    if reading.graph is None:
        return f"{UNREADABLE}: {reading.reason}"
    return f"{INVALID}: {broken[0].rule}" if broken else ""
