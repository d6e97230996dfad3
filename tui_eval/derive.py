"""From the log to every derived file: results, statistics, accuracy, report. The same log brings the same bytes."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from operator import attrgetter
from pathlib import Path
from typing import Any

from tui_eval.drive import all_items, driven, recorded_answers
from tui_eval.providers import WIRES
from tui_eval.providers.wire import api_version_of
from tui_eval.stats import mean, median_of
from tui_eval.store.buckets import Buckets
from tui_eval.store.folder import RESULTS, AtomicFile, write_file
from tui_eval.store.ledger import Ledger
from tui_eval.store.reader import Recorded, RunReader
from tui_eval.store.report import content_text, json_text, rows_csv, table_cells, table_json, table_rows
from tui_eval.types import (
    About,
    Call,
    InputFile,
    Item,
    Json,
    Kind,
    ModelSpec,
    Provenance,
    Reply,
    Reporter,
    Row,
    Score,
    Table,
    call_key,
)

NOT_FAILED = {"ok", "ok_truncated", "refused", "not_sent"}
"""Ends that are no failure of their call: what was not sent for good had only refusals or failures to build on."""
STATS_KEYS = ("scope", "stage", "model", "model_id")

_SCORE = tuple(field.name for field in fields(Score))
_score_of = attrgetter(*_SCORE)
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_encode_ascii = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode


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
    headline: Sequence[Table] = ()
    """What a person reads first."""
    changes: Changes | None = None
    """What another rule made of the same replies, where a run was re-scored under one."""


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
        self.file.write(("\n" if self.first else ",\n") + _encode(item))
        self.first = False

    def end(self) -> None:
        self.file.write("\n]}\n")
        self.file.keep()


def derive(path: Path, evaluation: Evaluation, out: Path | None = None, before: Evaluation | None = None) -> Outcome:
    """Write every derived file of a run folder (or into `out`), from its log, inputs and manifest alone.

    `before`: the same evaluation under its former rules; changes.csv then lists every score that differs.
    """
    out = out or path
    reader = RunReader(path)
    manifest = reader.table("manifest.json")
    with Recorded(path) as recorded:
        log = _read_log(reader, recorded, evaluation.repeat)
        buckets, ledger = log.buckets, log.ledger
        outcome, reporter, asked = _write_results(out, evaluation, recorded, log, before)
        items = outcome.report["items"]
        about = _about(manifest, evaluation, log, recorded, asked, (items["planned"], items["unfinished"]))
    for name, content in reporter.files(about).items():
        write_file(out / name, content_text(name, content))
    stats = buckets.rows(evaluation.kind.stages, list(evaluation.models))
    _write_stats(out, "stats", stats, buckets.simulated)
    for name, table in outcome.tables.items():
        _write_table(out, name, table, buckets.simulated)
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
        "models": {name: asdict(about.models[name]) for name in evaluation.models},
        "calls": stats[0],
        "calls_by_stage_and_model": [row for row in stats if row["scope"] == "stage_model"],
        "headline": [table_cells(table) for table in outcome.headline],
        "tables": {name: table_cells(table) for name, table in outcome.tables.items()},
    }
    write_file(out / "report.json", json_text(outcome.report))
    return outcome


def reported(path: Path, evaluation: Evaluation) -> tuple[Reporter, About]:
    """A run's report and what to say of the run, from its log alone; nothing is written."""
    reader = RunReader(path)
    reporter: Reporter = evaluation.kind.report(evaluation.config)
    asked: dict[str, Call] = {}
    items = unfinished = 0
    with Recorded(path) as recorded:
        log = _read_log(reader, recorded, evaluation.repeat)
        for row in rows_from_log(evaluation, recorded):
            items += 1
            unfinished += not row.finished
            reporter.add(row)
            for reply in row.replies:
                asked.setdefault(reply.call.model, reply.call)
        return reporter, _about(reader.table("manifest.json"), evaluation, log, recorded, asked, (items, unfinished))


@dataclass(slots=True)
class _Log:
    """What one pass over the heads of a log brings."""

    buckets: Buckets
    per_repeat: list[Buckets]
    ledger: Ledger
    served: dict[str, Counter[str]]
    """By model: how many replies each served model gave."""
    spans: dict[str, tuple[str, str]]
    """By model: when its first attempt started and its last one ended."""
    answered: dict[str, int]
    """By model: where its last good reply stands."""
    cached: Counter[str]
    """By model: replies that were not asked for by this run."""


def _read_log(reader: RunReader, recorded: Recorded, repeats: int) -> _Log:
    """One pass over the heads of the log. A call that was not sent counts only if it was not sent later, either."""
    log = _Log(Buckets(), [Buckets() for _ in range(repeats)] if repeats > 1 else [], Ledger(), {}, {}, {}, Counter())
    unsent = array("Q")

    def count(head: Mapping[str, Any]) -> None:
        log.buckets.add(head)
        if 0 <= head["repeat"] < len(log.per_repeat):
            log.per_repeat[head["repeat"]].add(head)

    for offset, head in reader.heads():
        recorded.add(head, offset)
        log.ledger.end(head)
        if head["started_at"] is None and not head["cached"]:
            unsent.append(offset)
            continue
        count(head)
        model = head["model"]
        if head["served_model"]:
            log.served.setdefault(model, Counter())[head["served_model"]] += 1
        if head["started_at"]:
            first, last = log.spans.get(model, (head["started_at"], head["ended_at"]))
            log.spans[model] = (min(first, head["started_at"]), max(last, head["ended_at"]))
        log.cached[model] += head["cached"]
        if head["status"] == "ok":
            log.answered[model] = offset
    for offset in unsent:
        head = recorded.head_at(offset)
        if recorded.counts(head["call_key"], offset):
            count(head)
    log.ledger.begin(reader.intents())
    return log


def _about(
    manifest: Mapping[str, Json],
    evaluation: Evaluation,
    log: _Log,
    recorded: Recorded,
    asked: Mapping[str, Call],
    items: tuple[int, int],
) -> About:
    """`items`: how many there are, and how many of them are unfinished."""
    return About(
        run_id=str(manifest.get("run_id", "")),
        uid=str(manifest.get("uid", manifest.get("started_at", ""))),
        name=evaluation.name,
        started_at=str(manifest.get("started_at", "")),
        tool_version=str(manifest.get("tool_version", "")),
        simulated=log.buckets.simulated,
        items=items[0],
        unfinished=items[1],
        models={name: _provenance(spec, log, recorded, asked.get(name)) for name, spec in evaluation.models.items()},
    )


PROMPT_FIELDS = frozenset({"model", "messages", "system", "instructions", "input"})
"""Fields of a request that are no parameters, over all wires."""
SENT_AS: Mapping[str, set[str]] = {"reasoning_effort": {"reasoning_effort", "reasoning", "output_config"}}


def _provenance(spec: ModelSpec, log: _Log, recorded: Recorded, asked: Call | None) -> Provenance:
    """Who answered, when, and to which parameters: what was really sent, not what was meant to be."""
    first, last = log.spans.get(spec.name, (None, None))
    record = recorded.record_at(log.answered[spec.name]) if spec.name in log.answered else None
    request = record["request"] if record else None
    sent = {k: v for k, v in request.items() if k not in PROMPT_FIELDS} if isinstance(request, dict) else {}
    if "seed" in sent:
        sent["seed"] = "one per call"
    meant = {"temperature": asked.temperature if asked else None, "reasoning_effort": spec.reasoning_effort}
    left_out = [n for n, value in meant.items() if request and value is not None and not sent.keys() & SENT_AS.get(n, {n})]
    return Provenance(
        name=spec.name,
        wire=spec.wire,
        model=spec.model,
        base_url=spec.base_url,
        api_version=api_version_of(spec, WIRES[spec.wire]),
        served=dict(sorted(log.served.get(spec.name, Counter()).items())),
        parameters=sent,
        not_applicable=tuple(left_out),
        cached=log.cached[spec.name],
        first_at=first,
        last_at=last,
    )


def _write_results(
    out: Path, evaluation: Evaluation, recorded: Recorded, log: _Log, before: Evaluation | None
) -> tuple[Outcome, Reporter, dict[str, Call]]:
    """Drive every item from the log; write results.jsonl and results.json as rows come, count the rest."""
    whole = _Repeat(evaluation, out, log.buckets.simulated)
    lines = AtomicFile(out / RESULTS)
    repeats: list[_Repeat] = []
    outcomes: Counter[str] = Counter()
    asked: dict[str, Call] = {}
    changes = Changes(before) if before is not None else None
    items = unfinished = 0
    try:
        for row in rows_from_log(evaluation, recorded):
            items += 1
            unfinished += not row.finished
            outcomes["internal"] += bool(row.error)
            outcomes.update(map(_outcome, row.replies))
            for reply in row.replies:
                asked.setdefault(reply.call.model, reply.call)
            item = evaluation.kind.result(evaluation.config, row)
            lines.write(result_line(evaluation, row))
            whole.add(row, item)
            if changes is not None:
                changes.add(row)
            if log.per_repeat:
                if row.item.repeat >= len(repeats):
                    _end(repeats)
                    repeats.append(_Repeat(evaluation, out / "repeats" / f"{len(repeats) + 1:02d}", log.buckets.simulated))
                repeats[-1].add(row, item)
        _end(repeats)
        lines.keep()
        _end([whole])
    finally:
        lines.drop()
        for repeat in (whole, *repeats):
            repeat.drop()
    tables = dict(whole.reporter.tables())
    if changes is not None:
        write_file(out / CHANGES, rows_csv(changes.rows, CHANGE_COLUMNS))
    _write_repeats(out, evaluation, repeats, log.per_repeat)
    report: dict[str, Json] = {
        "items": {"planned": items, "finished": items - unfinished, "unfinished": unfinished},
        "outcomes": {why: n for why, n in sorted(outcomes.items()) if n},
    }
    failed = sum(n for why, n in outcomes.items() if why not in NOT_FAILED)
    outcome = Outcome(report, tables, unfinished, failed, tuple(whole.reporter.headline()), changes)
    return outcome, whole.reporter, asked


CHANGES = "changes.csv"
CHANGE_COLUMNS = (
    "item_id", "model", "stage", "call_index", "score", "read_before", "pattern_before", "value_before", "why_before",
    "read_after", "pattern_after", "value_after", "why_after", "raw",
)  # fmt: skip
RAW_CHARACTERS = 500


class Changes:
    """What another rule makes of the same replies: every score that differs in value or in what was read."""

    def __init__(self, before: Evaluation) -> None:
        self.before = before
        self.items = {item.id: item for item in all_items(before.kind, before.config, before.files, before.repeat)}
        self.rows: list[dict[str, Json]] = []
        self.compared = 0
        self.changed: Counter[tuple[str, str, str]] = Counter()
        """By model, pattern before and pattern after."""
        self.gained: dict[str, float] = {}
        """By model: what its sum of values changed by, over the scores that have one under both rules."""

    def add(self, row: Row) -> None:
        """Compare one item with what the former rule made of it."""
        for old, new, reply in self.pairs(row):
            self.compared += 1
            self._compare(row.item.id, old, new, "" if reply is None else reply.text or "")

    def pairs(self, row: Row) -> Iterator[tuple[Score, Score, Reply | None]]:
        """An item's scores under the former rule and under this one, with their reply. A score that is new has no before."""
        item = self.items.get(row.item.id)
        if item is None:
            return
        replies = {(r.call.stage, r.call.model, r.call.call_index, r.call.about): r for r in row.replies}
        unasked = "not asked: the other rule asks other calls"

        def answer(call: Call) -> Reply:
            known = replies.get((call.stage, call.model, call.call_index, call.about))
            return known or Reply(call, "error", error_kind="not_sent", error_message=unasked)

        former = {_name_of(score): score for score in driven(self.before.kind, self.before.config, item, answer).scores}
        scored = {(r.call.stage, r.call.model, r.call.call_index): r for r in row.replies}
        for score in row.scores:
            old = former.get(_name_of(score))
            if old is not None:
                yield old, score, scored.get((score.stage, score.model, score.call_index))

    def _compare(self, item_id: str, old: Score, new: Score, text: str) -> None:
        if (old.value, old.read) == (new.value, new.read):
            return
        self.changed[new.model, old.pattern or old.why, new.pattern or new.why] += 1
        if new.value is not None and old.value is not None:
            self.gained[new.model] = self.gained.get(new.model, 0.0) + new.value - old.value
        values = (
            item_id, new.model, new.stage, new.call_index, new.name, old.read, old.pattern, old.value, old.why,
            new.read, new.pattern, new.value, new.why, text[:RAW_CHARACTERS],
        )  # fmt: skip
        self.rows.append(dict(zip(CHANGE_COLUMNS, values, strict=True)))


PROBED = 200
"""Items on which two configs are compared."""


def asks_otherwise(before: Evaluation, after: Evaluation) -> bool:
    """Whether a changed config makes calls that the former one did not make; looked up on a sample of its items."""

    def keys(evaluation: Evaluation, item: Item) -> set[str]:
        row = driven(evaluation.kind, evaluation.config, item, lambda call: Reply(call, "ok", text=call.example))
        return {call_key(reply.call, evaluation.models[reply.call.model]) for reply in row.replies}

    known = {item.id: item for item in all_items(before.kind, before.config, before.files, before.repeat)}
    items = list(all_items(after.kind, after.config, after.files, after.repeat))
    sample = items[:: max(len(items) // PROBED, 1)]
    return any(item.id not in known or not keys(after, item) <= keys(before, known[item.id]) for item in sample)


def _name_of(score: Score) -> tuple[str, str, int, str]:
    return score.stage, score.model, score.call_index, score.name


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


def result_line(evaluation: Evaluation, row: Row) -> str:
    """An item's line of results.jsonl: what was asked, its replies, and its scores with their reasons."""
    item, shown = row.item, evaluation.kind.shown(evaluation.config, row)
    entry = {
        "item_id": item.id,
        "repeat": item.repeat,
        "lane": item.lane,
        "doc_id": item.doc_id,
        "q_index": item.q_index,
        "finished": row.finished,
        "error": row.error,
        "question": shown.question,
        "truth": shown.truth,
        "groups": {name: list(values) for name, values in shown.groups.items()},
        "primary": list(shown.primary),
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
        "scores": [dict(zip(_SCORE, _score_of(score), strict=True)) for score in row.scores],
    }
    return _encode_ascii(entry) + "\n"


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
    _write_stats(out, "aggregate_stats", aggregate(stats, STATS_KEYS), simulated)
    for name, table in tables[0].items():
        if not table.keys:
            continue
        figures: list[list[dict[str, Json]]] = [table_json(own[name])["rows"] for own in tables if name in own]
        rows = aggregate(figures, table.keys)
        write_file(out / f"aggregate_{name}.json", json_text({"simulated": simulated, "rows": rows}))
        write_file(out / f"aggregate_{name}.csv", rows_csv([{**row, "simulated": simulated} for row in rows]))


def aggregate(repeats: Sequence[Sequence[Mapping[str, Json]]], keys: Sequence[str]) -> list[dict[str, Json]]:
    """Rows of the same keys over the repeats to one row: of each figure its mean, median and the n that had it."""
    grouped: dict[tuple[Json, ...], list[Mapping[str, Json]]] = {}
    for rows in repeats:
        for row in rows:
            grouped.setdefault(tuple(row.get(name) for name in keys), []).append(row)
    found = []
    for rows in grouped.values():
        entry: dict[str, Json] = {name: value for name, value in rows[0].items() if name in keys}
        entry["n_repeats"] = len(rows)
        for name in rows[0]:
            if name not in keys and _numbers(rows, name) is not None:
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
