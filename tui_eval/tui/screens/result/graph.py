"""A decision graph as an inspector shows it: drawn in layers, and beside it that of another model for the same brief."""

from __future__ import annotations

from collections.abc import Iterator

from tui_eval.results.graphs_on_file import DrawnGraph, DrawnGraphs
from tui_eval.results.stored_samples import StoredSample
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.widgets.cells import Tone
from tui_eval.tui.widgets.inspector import Dossier, Section, labelled
from tui_eval.tui.widgets.lines import Piece
from tui_eval.tui.widgets.text import Paragraph

SIDE_BY_SIDE_FROM = 60
"""Columns of the inspector from which on two graphs stand side by side: below each other they are hard to compare."""
FIRST = 4
"""The score and its parts, which stand first; the others are what these are made of."""
AT_FAULT = "! "
"""What a line begins with that breaks a rule."""
STRENGTH = " ± "
LEGEND = "In brackets: an edge's strength, mean ± std, and p, its exists_probability."


def graph_text(graph: DrawnGraph | None, model: str) -> list[Paragraph]:
    """One model's graph, or why there is none."""
    if graph is None:
        return [(safe_line(model, 60), "accent"), ("There is nothing on file of it.", "warn")]
    return [(safe_line(model, 60), "accent"), _verdict(graph), ("", ""), *_drawing(graph), *_scores(graph)]


def _verdict(graph: DrawnGraph) -> Paragraph:
    if not graph.drawing:
        return f"no graph: {safe_line(graph.status, 40)}: {safe_line(graph.reason or '-', 300)}", "bad"
    if graph.broken:
        return f"✗ not valid: {safe_line(', '.join(graph.broken), 300)}", "bad"
    overall = next(iter(graph.scores.values()), None)
    return f"✓ valid, overall {'-' if overall is None else f'{overall:.2f}'}", "good"


def _drawing(graph: DrawnGraph) -> Iterator[Paragraph]:
    """Line by line; a heading stands at the left edge, and so does the mark of what breaks a rule."""
    for line in safe(graph.drawing[:LONGEST_TEXT]).splitlines():
        tone: Tone = "bad" if line.startswith(AT_FAULT) else "strong" if line[:1].strip() else ""
        yield line, tone
    if STRENGTH in graph.drawing:
        yield LEGEND, "dim"
    if graph.drawing:
        yield "", ""


def _scores(graph: DrawnGraph) -> Iterator[Paragraph]:
    if not any(value is not None for value in graph.scores.values()):
        yield "No scores: a graph that is not valid has none.", "dim"
        return
    yield "SCORES", "strong"
    for place, (name, value) in enumerate(graph.scores.items()):
        if place == FIRST:
            yield "", ""
            yield "WHAT THEY ARE MADE OF", "strong"
        yield f"  {'-   ' if value is None else f'{value:.2f}'}  {safe_line(name, 60)}", _tone(value)


def _tone(value: float | None) -> Tone:
    return "dim" if value is None else "warn" if value < 1 else ""


def graph_dossier(graphs: DrawnGraphs, sample: StoredSample, other: str) -> Dossier:
    """Say of a sample's graph what is on file; beside it that of another model for the same brief, where one is named."""
    prompt = [safe_line(name, 60) for name in sample.groups.get("prompt", ())]
    repeat = [f"repeat {sample.repeat + 1}"] if sample.repeat else []
    title = " · ".join([f"graph of {safe_line(sample.doc_id, 60)}", *prompt, *repeat])
    own = labelled("", graph_text(graphs.of(sample), sample.queue))
    _, *beside = labelled("", graph_text(graphs.of(sample, other), other)) if other else [Section("", "")]
    above: tuple[Piece, ...] = ((safe_line(other, 60), "accent"),) if other else ()
    return Dossier(
        ((title, "strong"),),
        tuple(own),
        tuple(beside),
        name=f"graph-{sample.doc_id}-{sample.queue}",
        beside_title=above,
        apart=SIDE_BY_SIDE_FROM,
    )
