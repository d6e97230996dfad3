"""JSON lines: a line for each reply, with its sample and its scores, for data frames and scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.plaintext import json_safe
from tui_eval.results.answers import Answer, Mark, StoredSample
from tui_eval.results.exporting.exported_run import ExportedRun, Owner, owner_of
from tui_eval.results.exporting.exporter import Exporter

_encode = json_encoder(ensure_ascii=False)
_SAMPLE = ("item_id", "repeat", "doc_id", "q_index", "groups", "question", "truth", "finished", "error")
_REPLY = ("stage", "model", "call_index", "about", "text", "status", "why", "finish_reason", "latency_ms")


def sample_lines(runs: Sequence[ExportedRun]) -> Iterator[str]:
    """A line for each reply: run, sample, reply, and by metric its scores; `answer` tells answers from what led to them.

    A sample without any reply is a line all the same, and so is a score whose reply is not on file.
    """
    for run in runs:
        about = run.about()
        for item in run.items():
            sample = {**about, **{name: getattr(item, name) for name in _SAMPLE}}
            for reply in _replies(item):
                yield json_safe(_encode({**sample, **reply})) + "\n"


def _replies(item: StoredSample) -> Iterator[dict[str, Any]]:
    marks: dict[Owner, list[Mark]] = {}
    for mark in item.marks:
        marks.setdefault(owner_of(mark), []).append(mark)
    kept = set(item.primary)
    for place, answer in enumerate(item.answers):
        yield _reply(answer, place in kept, marks.pop(owner_of(answer), []))
    for (stage, model, call_index), alone in marks.items():
        yield {**_reply(None, True, alone), "stage": stage, "model": model, "call_index": call_index}
    if not item.answers and not item.marks:
        yield _reply(None, False, [])


def _reply(answer: Answer | None, kept: bool, marks: Sequence[Mark]) -> dict[str, Any]:
    found = {name: getattr(answer, name, None) for name in _REPLY}
    return {**found, "answer": kept or bool(marks), "scores": _scores(marks)}


def _scores(marks: Sequence[Mark]) -> Mapping[str, Any]:
    """Scores by their metric; a second one of a name, which no kind of ours brings, is numbered."""
    found: dict[str, Any] = {}
    for mark in marks:
        scale = {name: value for name, value in asdict(mark.metric).items() if name != "name"}
        said = {"value": mark.value, "passed": mark.passes}
        said |= {name: getattr(mark, name) for name in ("why", "version", "read", "pattern")}
        number = sum(name.partition("#")[0] == mark.name for name in found)
        found[f"{mark.name}#{number + 1}" if number else mark.name] = {**said, **scale}
    return found


JSONL = Exporter("a line for each reply, with its sample and its scores", ".jsonl", sample_lines)
