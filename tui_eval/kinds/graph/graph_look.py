"""A look at a reply with a graph: it is read, checked against the rules of structure, and scored where it keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tui_eval.core.calls import Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.evaluation.calls import truncated as truncated_words
from tui_eval.evaluation.calls import was_cut
from tui_eval.kinds.graph.drawings import Drawing
from tui_eval.kinds.graph.graph_scores import NAMES, VERSION, Expected, Rubric, graph_scores
from tui_eval.kinds.graph.structure_rules import Broken, broken_rules
from tui_eval.reading.decision_graphs import GraphReading, read_graph

VALID = Metric("valid", threshold=1.0)
"""Whether a reply holds a graph that keeps every rule of structure."""
METRICS = (VALID, *(Metric(name) for name in NAMES))
INVALID, UNREADABLE, NO_REPLY = "structure invalid", "unreadable", "no reply"
"""Why a graph has no scores; its value is never 0 for that."""
NO_STRENGTH = "no influence has a strength"
"""Why a graph that has scores lacks one of them."""


@dataclass(frozen=True)
class Look:
    """What was read of a reply, and the rules that its graph breaks."""

    found: GraphReading
    broken: tuple[Broken, ...] = ()

    @cached_property
    def drawing(self) -> Drawing | None:
        """Of the graph, where one was read."""
        return None if self.found.graph is None else Drawing(self.found.graph)


NO_LOOK = Look(GraphReading())
"""Of a call that brought no text."""


@lru_cache(maxsize=2)
def look_at(text: str | None) -> Look:
    """A look at a reply's text; the flow, its files and its reports take one after the other."""
    found = read_graph(text)
    return Look(found, tuple(broken_rules(found.graph)) if found.graph is not None else ())


def graph_in(text: str | None) -> object:
    """What is read of a reply: its graph, or None."""
    return look_at(text).found.graph


def ends_inside_graph(text: str | None) -> bool:
    """Whether a text ends inside the graph that would be read."""
    return look_at(text).found.cut


def scores_of(reply: Reply, expected: Expected, rubric: Rubric) -> list[Score]:
    """Of each metric one score. A reply that came without a graph that keeps the rules is not valid, and has no other score."""
    look = look_at(reply.text) if reply.ok else NO_LOOK
    found, broken = look.found, look.broken
    why = _why_not(reply, found, broken)
    values = graph_scores(found.graph, expected, rubric) if found.graph is not None and not broken else {}

    def score(name: str, value: float | None, why: str, read: str | None = None, pattern: str = "") -> Score:
        call = reply.call
        return Score(call.stage, call.model, call.call_index, name, value, why, VERSION[rubric], read, pattern)

    valid = float(not why) if came(reply) else None
    size = None if found.graph is None else f"{len(found.graph.nodes)} nodes, {len(found.graph.edges)} edges"
    first = score(VALID.name, valid, "; ".join(one.sentence for one in broken) or why, size, found.step or "")
    short = why.partition(":")[0] if broken else why
    lacks = {name: NO_STRENGTH for name, value in values.items() if value is None}
    return [first, *(score(name, values.get(name), lacks.get(name, short)) for name in NAMES)]


def came(reply: Reply) -> bool:
    """Whether there is a reply, be it a refusal or an empty one: whoever was not asked, or failed, has not drawn badly."""
    return reply.ok or reply.error_kind in ("refused", "truncated", "empty")


def truncated(reply: Reply, found: GraphReading) -> bool:
    """Whether a reply was cut, by what the server says or by its text, and no graph can be read of it."""
    return found.graph is None and (was_cut(reply) or (reply.ok and found.cut))


def _why_not(reply: Reply, found: GraphReading, broken: Sequence[Broken]) -> str:
    """Why a graph has no scores, in words of which those before a colon are counted together; empty where it has."""
    if truncated(reply, found):
        return truncated_words(reply)
    if not reply.ok:
        return f"{reply.error_kind}: no graph" if came(reply) else f"{NO_REPLY}: {reply.why}"
    if found.graph is None:
        return f"{UNREADABLE}: {found.reason}"
    return f"{INVALID}: {broken[0].rule}" if broken else ""
