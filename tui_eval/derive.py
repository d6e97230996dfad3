"""From the log to every derived file: results, statistics, accuracy, report. The same log brings the same bytes."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tui_eval.drive import all_items, driven, recorded_answers
from tui_eval.stats import mean, median_of
from tui_eval.store.buckets import Buckets
from tui_eval.store.folder import RESULTS, AtomicFile, write_file
from tui_eval.store.ledger import Ledger
from tui_eval.store.reader import Recorded, RunReader
from tui_eval.store.report import json_text, rows_csv, table_cells, table_json, table_rows
from tui_eval.types import InputFile, Json, Kind, ModelSpec, Reply, Reporter, Row, Table

NOT_FAILED = {"ok", "ok_truncated", "refused", "not_sent"}
"""Ends that are no failure of their call: what was not sent for good had only refusals or failures to build on."""
NAMES = {"scope", "stage", "model", "model_id"}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation is made of, once its config is settled: enough to ask it, or to report on it."""

    kind: Kind
    name: str
    config: Any
    files: Sequence[InputFile]
    models: Mapping[str, ModelSpec]
    repeat: int


@dataclass(slots=True)
class Outcome:
    """What a run came to: the report, and how many items still have something to ask."""

    report: dict[str, Json]
    tables: dict[str, Table]
    unfinished: int
    failed: int
    """Calls that ended without a reply for good, refusals not counted, and items whose flow raised."""


class _Repeat:
    """One repeat's own files, and what the aggregates take from it."""

    def __init__(self, evaluation: Evaluation, folder: Path, simulated: bool) -> None:
        self.folder = folder
        self.reporter: Reporter = evaluation.kind.report(evaluation.config)
        self.results: _Results | None = _Results(folder, evaluation, simulated)

    def add(self, row: Row, item: Json) -> None:
        self.reporter.add(row)
        if self.results is not None:
            self.results.add(item)

    def drop(self) -> None:
        """Leave nothing half written behind."""
        if self.results is not None:
            self.results.file.drop()


class _Results:
    """results.json, written item by item."""

    def __init__(self, folder: Path, evaluation: Evaluation, simulated: bool) -> None:
        self.file = AtomicFile(folder / "results.json")
        head = {"kind": evaluation.kind.name, "name": evaluation.name, "simulated": simulated}
        self.file.write(json.dumps(head)[:-1] + ', "items": [')
        self.first = True

    def add(self, item: Json) -> None:
        self.file.write(("\n" if self.first else ",\n") + json.dumps(item, ensure_ascii=False, allow_nan=False))
        self.first = False

    def end(self) -> None:
        self.file.write("\n]}\n")
        self.file.keep()


def derive(path: Path, evaluation: Evaluation, out: Path | None = None) -> Outcome:
    """Write every derived file of a run folder (or into `out`), from its log, inputs and manifest alone."""
    out = out or path
    reader = RunReader(path)
    with Recorded(path) as recorded:
        buckets, per_repeat, ledger, served = _read_log(reader, recorded, evaluation.repeat)
        outcome = _write_results(out, evaluation, recorded, per_repeat, buckets.simulated)
    stats = buckets.rows(evaluation.kind.stages, list(evaluation.models))
    _write_stats(out, "stats", stats, buckets.simulated)
    for name, table in outcome.tables.items():
        _write_table(out, name, table, buckets.simulated)
    manifest = reader.table("manifest.json")
    outcome.report = {
        "run_id": manifest.get("run_id"),
        "kind": evaluation.kind.name,
        "name": evaluation.name,
        "simulated": buckets.simulated,
        "started_at": manifest.get("started_at"),
        "tool_version": manifest.get("tool_version"),
        **outcome.report,
        "attempts_sent": ledger.calls,
        "charged_usd": None if stats[0]["n_cost_unknown"] and not ledger.spent else round(ledger.spent / 1_000_000, 6),
        "in_doubt": [intent["attempt_id"] for intent in ledger.in_doubt],
        "served_models": {model: dict(sorted(names.items())) for model, names in sorted(served.items())},
        "calls": stats[0],
        "calls_by_stage_and_model": [row for row in stats if row["scope"] == "stage_model"],
        "tables": {name: table_cells(table) for name, table in outcome.tables.items()},
    }
    write_file(out / "report.json", json_text(outcome.report))
    return outcome


def _read_log(
    reader: RunReader, recorded: Recorded, repeats: int
) -> tuple[Buckets, list[Buckets], Ledger, dict[str, Counter[str]]]:
    """One pass over the heads of the log. A call that was not sent counts only if it was not sent later, either."""
    buckets, ledger = Buckets(), Ledger()
    per_repeat = [Buckets() for _ in range(repeats)] if repeats > 1 else []
    served: dict[str, Counter[str]] = {}
    unsent = array("Q")

    def count(head: Mapping[str, Any]) -> None:
        buckets.add(head)
        if 0 <= head["repeat"] < len(per_repeat):
            per_repeat[head["repeat"]].add(head)

    for offset, head in reader.heads():
        recorded.add(head, offset)
        ledger.end(head)
        if head["started_at"] is None:
            unsent.append(offset)
        else:
            count(head)
        if head["served_model"]:
            served.setdefault(head["model"], Counter())[head["served_model"]] += 1
    for offset in unsent:
        head = recorded.head_at(offset)
        if recorded.counts(head["call_key"], offset):
            count(head)
    ledger.begin(reader.intents())
    return buckets, per_repeat, ledger, served


def _write_results(
    out: Path, evaluation: Evaluation, recorded: Recorded, per_repeat: list[Buckets], simulated: bool
) -> Outcome:
    """Drive every item from the log; write results.jsonl and results.json as rows come, count the rest."""
    whole = _Repeat(evaluation, out, simulated)
    lines = AtomicFile(out / RESULTS)
    repeats: list[_Repeat] = []
    outcomes: Counter[str] = Counter()
    items = unfinished = 0
    try:
        for row in rows_from_log(evaluation, recorded):
            items += 1
            unfinished += not row.finished
            outcomes["internal"] += bool(row.error)
            outcomes.update(map(_outcome, row.replies))
            item = evaluation.kind.result(evaluation.config, row)
            lines.write(result_line(row))
            whole.add(row, item)
            if per_repeat:
                if row.item.repeat >= len(repeats):
                    _end(repeats)
                    repeats.append(_Repeat(evaluation, out / "repeats" / f"{len(repeats) + 1:02d}", simulated))
                repeats[-1].add(row, item)
        _end(repeats)
        lines.keep()
        _end([whole])
    finally:
        lines.drop()
        for repeat in (whole, *repeats):
            repeat.drop()
    tables = dict(whole.reporter.tables())
    _write_repeats(out, evaluation, repeats, per_repeat)
    report: dict[str, Json] = {
        "items": {"planned": items, "finished": items - unfinished, "unfinished": unfinished},
        "outcomes": {why: n for why, n in sorted(outcomes.items()) if n},
    }
    failed = sum(n for why, n in outcomes.items() if why not in NOT_FAILED)
    return Outcome(report, tables, unfinished, failed)


def _outcome(reply: Reply) -> str:
    """How a call ended, in a word; a text that the token limit cut is told apart from one that ended by itself."""
    if reply.ok:
        return "ok_truncated" if reply.finish_reason == "length" else "ok"
    return reply.why


def _end(repeats: Sequence[_Repeat]) -> None:
    if repeats and repeats[-1].results is not None:
        repeats[-1].results.end()
        repeats[-1].results = None


def rows_from_log(evaluation: Evaluation, recorded: Recorded) -> Iterator[Row]:
    """Every item in order, its flow driven by what the log holds."""
    answer = recorded_answers(evaluation.models, recorded.reply)
    for item in all_items(evaluation.kind, evaluation.config, evaluation.files, evaluation.repeat):
        yield driven(evaluation.kind, evaluation.config, item, answer)


def result_line(row: Row) -> str:
    """An item's line of results.jsonl: its replies and its scores with their reasons."""
    item = row.item
    entry = {
        "item_id": item.id,
        "repeat": item.repeat,
        "lane": item.lane,
        "doc_id": item.doc_id,
        "q_index": item.q_index,
        "finished": row.finished,
        "error": row.error,
        "replies": [
            {
                "stage": reply.call.stage,
                "model": reply.call.model,
                "call_index": reply.call.call_index,
                "about": reply.call.about,
                "status": reply.status,
                "why": reply.why,
                "finish_reason": reply.finish_reason,
                "latency_ms": reply.latency_ms,
                "text": reply.text,
            }
            for reply in row.replies
        ],
        "scores": [asdict(score) for score in row.scores],
    }
    return json.dumps(entry, ensure_ascii=True, allow_nan=False) + "\n"


def _write_stats(out: Path, name: str, rows: list[dict[str, Json]], simulated: bool) -> None:
    write_file(out / f"{name}.json", json_text({"simulated": simulated, "buckets": rows}))
    write_file(out / f"{name}.csv", rows_csv([{**row, "simulated": simulated} for row in rows]))


def _write_table(out: Path, name: str, table: Table, simulated: bool) -> None:
    write_file(out / f"{name}.json", json_text({"simulated": simulated, **table_json(table)}))
    write_file(out / f"{name}.csv", rows_csv([{**row, "simulated": simulated} for row in table_rows(table)]))


def _write_repeats(out: Path, evaluation: Evaluation, repeats: list[_Repeat], per_repeat: list[Buckets]) -> None:
    """Each repeat's own reports, and mean and median of every figure over the repeats."""
    if not repeats:
        return
    simulated = any(buckets.simulated for buckets in per_repeat)
    stats = [buckets.rows(evaluation.kind.stages, list(evaluation.models)) for buckets in per_repeat]
    tables = [dict(repeat.reporter.tables()) for repeat in repeats]
    for repeat, rows, own in zip(repeats, stats, tables, strict=True):
        _write_stats(repeat.folder, "stats", rows, simulated)
        for name, table in own.items():
            _write_table(repeat.folder, name, table, simulated)
    _write_stats(out, "aggregate_stats", aggregate(stats), simulated)
    for name in tables[0]:
        figures: list[list[dict[str, Json]]] = [table_json(own[name])["rows"] for own in tables]
        rows = aggregate(figures)
        write_file(out / f"aggregate_{name}.json", json_text({"simulated": simulated, "rows": rows}))
        write_file(out / f"aggregate_{name}.csv", rows_csv([{**row, "simulated": simulated} for row in rows]))


def aggregate(repeats: Sequence[Sequence[Mapping[str, Json]]]) -> list[dict[str, Json]]:
    """Rows of the same bucket over the repeats to one row: of each figure its mean, median and the n that had it."""
    grouped: dict[tuple[Json, ...], list[Mapping[str, Json]]] = {}
    for rows in repeats:
        for row in rows:
            grouped.setdefault(tuple(row.get(name) for name in sorted(NAMES)), []).append(row)
    found = []
    for rows in grouped.values():
        entry: dict[str, Json] = {name: value for name, value in rows[0].items() if name in NAMES}
        entry["n_repeats"] = len(rows)
        for name in rows[0]:
            if name not in NAMES and _numbers(rows, name) is not None:
                _aggregate_figure(entry, name, _numbers(rows, name) or [])
        found.append(entry)
    return found


def _aggregate_figure(entry: dict[str, Json], name: str, values: list[float]) -> None:
    middle, average = median_of(values), mean(values)
    entry[f"{name}_mean"] = None if average is None else round(average, 6)
    entry[f"{name}_median"] = None if middle is None else round(middle, 6)
    entry[f"{name}_n"] = len(values)


def _numbers(rows: Sequence[Mapping[str, Json]], name: str) -> list[float] | None:
    """The figure's known values, or None when it is no figure."""
    values = [row.get(name) for row in rows]
    if any(isinstance(value, str | dict | bool) for value in values):
        return None
    return [float(value) for value in values if value is not None]
