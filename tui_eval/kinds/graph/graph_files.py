"""The files of each graph: its row of scores.csv, its response.json, and drawings of it; statuses as 002 names them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tui_eval.core.calls import Json, Reply
from tui_eval.core.results import SampleResult
from tui_eval.core.row_paths import path_of
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import TRUNCATED, counting, cut_words
from tui_eval.kinds.graph.graph_scores import (
    NO_LOOK,
    SUB_SCORES,
    VALID,
    VERSION,
    GraphCheck,
    look_at,
    missing_parameters,
    truncated,
)
from tui_eval.kinds.graph.graph_task import DraftRequest, GraphTask
from tui_eval.reading.decision_graphs import Graph, GraphReading

AS_WRITTEN = {"overall_score": "overall", "param_quality": "parameter_quality", "option_diff": "option_differentiation",
              "completeness": "completeness"}  # fmt: skip
"""What 002 calls the parts of the score, and what our metrics are called."""
RESPONSE, DRAWINGS = "response.json", ("graph.txt", "graph.mmd", "graph.dot")
"""The files of a graph."""
AUTH_FAILED = (401, 402, 403, 429)
"""Where such a response cannot pass by itself, the key, its permissions or its quota are at fault."""


def status_of(reply: Reply, reading: GraphReading) -> str:
    """Return how a graph ended, as 002 names it; what it has no name for keeps ours, such as truncated."""
    if truncated(reply, reading):
        return TRUNCATED
    if reply.ok:
        return "ok" if reading.graph is not None else "parse_failed"
    if reply.status == "timeout":
        return "timeout_failed"
    if reply.status == "skipped_budget":
        return "skipped_budget"
    if reply.error_kind == "rate_limit":
        return "rate_limited"
    if reply.error_kind == "permanent" and reply.http_status in AUTH_FAILED:
        return "auth_failed"
    return "server_error" if reply.error_kind in ("transient", "protocol") else reply.why


def reply_of(row: SampleResult) -> Reply | None:
    """Return the reply that counts of a row: the last that was sent, of one or two; None where nothing was asked."""
    sent = [reply for reply in row.replies if not reply.unsent]
    if sent and row.replies[-1].unsent:
        return counting(sent[-1], row.replies[-1])
    return sent[-1] if sent else row.replies[0] if row.replies else None


def look_at_row(row: SampleResult) -> GraphCheck:
    """Look at a row's reply."""
    reply = reply_of(row)
    return look_at(reply.text) if reply is not None and reply.ok else NO_LOOK


def why_no_graph(row: SampleResult, look: GraphCheck) -> str:
    """Say why a row has no graph, with the remedy where there is one; empty where it has one."""
    reply = reply_of(row)
    if reply is None:
        return "nothing was asked"
    if truncated(reply, look.found):
        return f"{cut_words(reply)} ({look.found.reason})" if look.found.reason else cut_words(reply)
    return look.found.reason if reply.ok else reply.error_message or reply.why


def without_parameters(look: GraphCheck) -> list[tuple[str, tuple[str, ...]]]:
    """Name the influences of a graph that lack a strength, its spread or a probability, each with what it lacks."""
    graph = look.found.graph
    return [] if graph is None else [(edge.name, lacks) for edge, lacks in missing_parameters(graph)]


def entry_of(task: GraphTask, row: SampleResult) -> dict[str, Json]:
    """A row of scores.csv: names, status, scores, sub-scores, and what the graph took. What is not known is None."""
    draft: DraftRequest = row.sample.data
    drafter, look = task.drafters[row.sample.queue], look_at_row(row)
    reply = reply_of(row) or row.replies[0]
    graph = look.found.graph
    values = {score.name: score.value for score in row.scores}
    valid, usages = values.get(VALID.name), [each.usage for each in row.replies if not each.unsent]
    return {
        "model": row.sample.queue,
        "model_id": next(model.model_id for model in task.models if model.name == row.sample.queue),
        "target_mode": drafter.target_mode or None,
        "brief": draft.brief.id,
        "complexity": draft.brief.complexity,
        "prompt": draft.version.id,
        "repeat": row.sample.repeat,
        "status": status_of(reply, look.found),
        "rubric_version": VERSION[task.config.rubric],
        "structural_valid": None if valid is None else bool(valid),
        "broken_rules": "; ".join(violation.rule for violation in look.broken) if graph is not None else None,
        **{ours: values.get(name) for ours, name in AS_WRITTEN.items()},
        **{name: values.get(name) for name in SUB_SCORES},
        "latency_ms": reply.waited_ms,
        "input_tokens": _total(usage.prompt_tokens for usage in usages),
        "output_tokens": _total(usage.completion_tokens for usage in usages),
        "reasoning_tokens": _total(usage.reasoning_tokens for usage in usages),
        "cost_usd": _total(each.spent_usd for each in row.replies if not each.unsent),
        **_sizes(graph),
        "cached": reply.cached,
    }


def _sizes(graph: Graph | None) -> dict[str, Json]:
    """Count the parts of a graph; None of each where none was read."""
    if graph is None:
        return dict.fromkeys(("nodes", "edges", "edges_without_parameters"))
    return {"nodes": len(graph.nodes), "edges": len(graph.edges), "edges_without_parameters": len(missing_parameters(graph))}


def _total(amounts: Iterable[float | None]) -> float | None:
    """Add up what one or two calls took; None where nothing was sent, or any of it is not known."""
    each = [*amounts]
    reported = [amount for amount in each if amount is not None]
    return sum(reported) if reported and len(reported) == len(each) else None


def folder_of(task: GraphTask, sample: Sample) -> tuple[str, ...]:
    """Return where a graph's files lie: {model}/{brief}, and /{prompt} where there are several."""
    draft: DraftRequest = sample.data
    version = (draft.version.id,) if len(task.versions) > 1 else ()
    return (task.drafters[sample.queue].folder, draft.brief.id, *version)


def row_paths(task: GraphTask, sample: Sample) -> Sequence[str]:
    """Return the paths of all files that a graph may have."""
    folder = path_of(*folder_of(task, sample))
    return [f"{folder}/{name}" for name in (RESPONSE, *DRAWINGS)]


def row_files(task: GraphTask, row: SampleResult) -> Mapping[str, Json]:
    """Return response.json, and where a graph was read its drawings: graph.txt, graph.mmd and graph.dot.

    `graph` is the graph as the model gave it, `normalized` the same under the names and with the values that are scored.
    """
    look = look_at_row(row)
    reading = look.found
    folder, reply = path_of(*folder_of(task, row.sample)), reply_of(row) or row.replies[0]
    response = {
        **entry_of(task, row),
        "extraction": reading.extraction or None,
        "reason": why_no_graph(row, look) or None,
        "broken_rules": [{"rule": violation.rule, "where": list(violation.where)} for violation in look.broken],
        "finish_reason": reply.finish_reason,
        "raw_response": reply.text,
        "edges_without_parameters": [{"edge": name, "missing": [*lacks]} for name, lacks in without_parameters(look)]
        if reading.graph is not None
        else None,
        "graph": None if reading.source is None else dict(reading.source),
        "normalized": None if reading.graph is None else reading.graph.normalized(),
    }
    files: dict[str, Json] = {f"{folder}/{RESPONSE}": response}
    drawing = look.drawing
    if drawing is not None:
        texts = (drawing.text(look.broken), drawing.mermaid(), drawing.dot())
        files |= {f"{folder}/{name}": text for name, text in zip(DRAWINGS, texts, strict=True)}
    return files
