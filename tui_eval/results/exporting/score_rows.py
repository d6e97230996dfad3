"""CSV: a row for each score of each sample, with what was asked and replied; safe against spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui_eval.core.calls import Json
from tui_eval.results.answers import StoredSample
from tui_eval.results.exporting.exported_run import ExportedRun, Scored, scored
from tui_eval.results.exporting.exporter import Exporter
from tui_eval.results.tables import csv_lines

COLUMNS = (
    "run_id", "name", "kind", "state", "simulated",
    "item_id", "repeat", "doc_id", "q_index", "groups", "finished", "error",
    "stage", "model", "call_index", "metric", "value", "passed", "low", "high", "better", "threshold", "why", "read", "pattern",
    "version", "status", "status_why", "finish_reason", "latency_ms", "question", "truth", "reply",
)  # fmt: skip
"""`value` and `passed` are empty where nothing is known, and `why` says the reason; `passed` also where the metric has no
threshold. An answer without any score is a row without a metric."""


def score_rows(runs: Sequence[ExportedRun]) -> Iterator[str]:
    """The table of all runs, row by row."""
    rows = (_flagged(run, _row(item, found)) for run in runs for item in run.items() for found in scored(item))
    return csv_lines(COLUMNS, ([row.get(name) for name in COLUMNS] for row in rows))


def _flagged(run: ExportedRun, row: dict[str, Json]) -> dict[str, Json]:
    """A row with what is said of its run, and of its model."""
    return {**run.about(), "simulated": run.is_simulated(row.get("model")), **row}


def _row(item: StoredSample, found: Scored) -> dict[str, Json]:
    mark, answer = found
    row: dict[str, Json] = {
        **{name: getattr(item, name) for name in ("item_id", "repeat", "doc_id", "q_index", "finished", "error", "question")},
        "truth": item.truth,
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
    return row


CSV = Exporter("a row for each score, with question, truth and reply, safe in spreadsheets", ".csv", score_rows)
