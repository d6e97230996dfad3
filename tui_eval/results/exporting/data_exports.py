"""Exports for programs: scores as rows of CSV, replies as JSON lines, the reports as one JSON object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tui_eval import __version__
from tui_eval.core.calls import Json
from tui_eval.core.errors import FolderError
from tui_eval.core.gathering import gathered
from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.plaintext import json_safe
from tui_eval.core.samples import NO_DOCUMENT, plain_id
from tui_eval.results.exporting.exported_run import ExportedRun, ScoredReply, means, scored
from tui_eval.results.exporting.exporter import Exporter
from tui_eval.results.read_report import list_of, table_of
from tui_eval.results.stored_samples import Mark, StoredReply, StoredSample, owner_of
from tui_eval.results.tables import csv_lines, json_text

COLUMNS = (
    "run_id", "name", "kind", "state", "simulated",
    "item_id", "repeat", "doc_id", "q_index", "variant", "groups", "finished", "error",
    "stage", "model", "call_index", "metric", "value", "passed", "low", "high", "better", "threshold", "why", "read", "pattern",
    "version", "status", "status_why", "finish_reason", "latency_ms", "question", "truth", "reply",
    "person_marks", "person_mark",
)  # fmt: skip
"""`value` and `passed` are empty where nothing is known, and `why` says the reason; `passed` also where the metric has no
threshold. An answer without any score is a row without a metric. `person_marks`: how many marks of persons there are;
`person_mark`: their mean, of claims the share that is borne out."""


def score_rows(runs: Sequence[ExportedRun]) -> Iterator[str]:
    """The table of all runs, row by row."""
    rows = (_score_row(run, item, scored_reply) for run in runs for item in run.items() for scored_reply in scored(item))
    return csv_lines(COLUMNS, ([row.get(name) for name in COLUMNS] for row in rows))


def _score_row(run: ExportedRun, item: StoredSample, scored_reply: ScoredReply) -> dict[str, Json]:
    """A score with what is said of its run, and of its model."""
    mark, answer = scored_reply
    row: dict[str, Json] = {
        **_sample(item, ("item_id", "repeat", "doc_id", "q_index", "variant", "finished", "error", "question", "truth")),
        "groups": "; ".join(f"{name}: {', '.join(values)}" for name, values in item.groups.items()),
    }
    if answer is not None:
        row |= {
            name: getattr(answer, name) for name in ("stage", "model", "call_index", "status", "finish_reason", "latency_ms")
        }
        row |= {"status_why": answer.why, "reply": answer.text}
    if mark is not None:
        row |= {name: getattr(mark, name) for name in ("stage", "model", "call_index", "value", "why", "read", "pattern")}
        row |= {"metric": mark.name, "passed": mark.passes, "version": mark.version}
        row |= {name: getattr(mark.metric, name) for name in ("low", "high", "better", "threshold")}
        row |= run.rated(item, mark)
    return {**run.about(), "simulated": run.is_simulated(row.get("model")), **row}


def _sample(item: StoredSample, names: Sequence[str]) -> dict[str, Json]:
    """These fields of a sample; where it is about no document, nothing stands for one."""
    about = "" if item.doc_id == NO_DOCUMENT else item.doc_id
    own = {"item_id": plain_id(item.item_id), "doc_id": about, "variant": item.unit.variant}
    return {name: own[name] if name in own else getattr(item, name) for name in names}


CSV = Exporter("a row for each score, with question, truth and reply, safe in spreadsheets", ".csv", score_rows)


_encode = json_encoder(ensure_ascii=False)
_SAMPLE = ("item_id", "repeat", "doc_id", "q_index", "variant", "groups", "question", "truth", "finished", "error")
_REPLY = ("stage", "model", "call_index", "about", "text", "status", "why", "finish_reason", "latency_ms")


def sample_lines(runs: Sequence[ExportedRun]) -> Iterator[str]:
    """A line for each reply: run, sample, reply, and by metric its scores; `answer` tells answers from what led to them.

    A sample without any reply is a line all the same, and so is a score whose reply is not on file.
    """
    for run in runs:
        about = run.about()
        for item in run.items():
            sample = {**about, **_sample(item, _SAMPLE)}
            for reply in _replies(run, item):
                yield json_safe(_encode({**sample, **reply})) + "\n"


def _replies(run: ExportedRun, item: StoredSample) -> Iterator[dict[str, Any]]:
    marks = gathered((owner_of(mark), mark) for mark in item.marks)
    primary = set(item.primary)
    for place, answer in enumerate(item.answers):
        yield _reply(answer, place in primary, _scores(run, item, marks.pop(owner_of(answer), [])))
    for (stage, model, call_index), alone in marks.items():
        yield {**_reply(None, True, _scores(run, item, alone)), "stage": stage, "model": model, "call_index": call_index}
    if not item.answers and not item.marks:
        yield _reply(None, False, {})


def _reply(answer: StoredReply | None, is_primary: bool, scores: Mapping[str, Any]) -> dict[str, Any]:
    cells = {name: getattr(answer, name, None) for name in _REPLY}
    return {**cells, "answer": is_primary or bool(scores), "scores": scores}


def _scores(run: ExportedRun, item: StoredSample, marks: Sequence[Mark]) -> Mapping[str, Any]:
    """Scores by their metric; a second one of a name, which no kind of ours brings, is numbered."""
    scores: dict[str, Any] = {}
    for mark in marks:
        scale = {name: value for name, value in asdict(mark.metric).items() if name != "name"}
        record = {"value": mark.value, "passed": mark.passes}
        record |= {name: getattr(mark, name) for name in ("why", "version", "read", "pattern")}
        number = sum(name.partition("#")[0] == mark.name for name in scores)
        scores[f"{mark.name}#{number + 1}" if number else mark.name] = {**record, **scale, **run.rated(item, mark)}
    return scores


JSONL = Exporter("a line for each reply, with its sample and its scores", ".jsonl", sample_lines)


def report_object(runs: Sequence[ExportedRun]) -> Iterator[str]:
    """`runs`: of each, what it is, its notes, and its report; of one without a report, the means of what is on file."""
    document = {"exported_by": f"tui-eval {__version__}", "runs": [_report_of(run) for run in runs]}
    try:
        yield json_text(document)
    except ValueError:  # an infinity, which JSON has none of
        raise FolderError("a report.json holds a value that is not finite; tui-eval rescore RUN rebuilds it") from None


def _report_of(run: ExportedRun) -> dict[str, Any]:
    report = dict(run.report)
    if report:
        report["headline"] = [_by_column(table) for table in list_of(report.get("headline"))]
        report["tables"] = {name: _by_column(table) for name, table in table_of(report.get("tables")).items()}
    else:
        report["means"] = means(run)
    return {**report, **run.about(), "samples": run.samples, "notes": list(run.notes)}


def _by_column(content: Any) -> Mapping[str, Any]:
    """A table whose rows are objects: {column: {value, and n, interval, formula where it has them}}."""
    table = table_of(content)
    columns = [str(column) for column in list_of(table.get("columns"))]
    return {**table, "rows": [dict(zip(columns, list_of(row), strict=False)) for row in list_of(table.get("rows"))]}


JSON = Exporter("everything that the reports say, as one object", ".json", report_object, by_sample=False)
