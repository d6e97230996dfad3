"""From the log to every derived file: results, statistics, accuracy, report. The same log brings the same bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from tui_eval.core.calls import WITHOUT_TEXT, Call, Json, Reply
from tui_eval.core.kinds import Reporter
from tui_eval.core.money import how_much
from tui_eval.core.results import About, SampleResult, Table
from tui_eval.kinds.shared import sample_results
from tui_eval.results.sums.metrics import written_metrics
from tui_eval.results.tables import content_text, json_text, rows_csv, table_cells
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.reader import Recorded, RunReader
from tui_eval.runs.row_files import write_row_files
from tui_eval.runs.writing import AtomicFile, Inside, write_file
from tui_eval.session.brought import as_written
from tui_eval.session.evaluation import Evaluation, rows_from_log
from tui_eval.session.figure_files import write_stats, write_table
from tui_eval.session.gating import judged_gates
from tui_eval.session.item_files import Added, row_files
from tui_eval.session.provenance import LogPass, about_run, read_log
from tui_eval.session.repeats import Repeat, end_last, write_repeats
from tui_eval.session.result_lines import result_line
from tui_eval.session.rule_changes import CHANGE_COLUMNS, CHANGES, Changes

NOT_FAILED = {"ok", "ok_truncated", "not_sent", *WITHOUT_TEXT}
"""Ends that are no failure of their call: what was not sent for good had only refusals or failures to build on."""


@dataclass(slots=True)
class Outcome:
    """What a run came to: the report, and how many items still have something to ask."""

    report: dict[str, Json]
    tables: dict[str, Table]
    unfinished: int
    failed: int
    """Calls that ended without a reply for good, and items whose flow raised. A reply without a text is one."""
    broken: Counter[str] = field(default_factory=Counter)
    """What flows raised, and in how many items: bugs of a kind, or of ours."""
    headline: Sequence[Table] = ()
    """What a person reads first."""
    changes: Changes | None = None
    """What another rule made of the same replies, where a run was re-scored under one."""


def derive(path: Path, evaluation: Evaluation, out: Inside | None = None, before: Evaluation | None = None) -> Outcome:
    """Write every derived file of a run folder (or into `out`), from its log, inputs and manifest alone.

    `before`: the same evaluation under its former rules; changes.csv then lists every score that differs.
    """
    out = out or Inside(path)
    reader = RunReader(path)
    manifest = reader.table("manifest.json")
    with Recorded(path) as recorded:
        log = read_log(reader, recorded, evaluation.repeat)
        buckets, ledger = log.buckets, log.ledger
        outcome, reporter, asked = _write_results(out, evaluation, recorded, log, before)
        items = outcome.report["items"]
        about = about_run(manifest, evaluation, log, recorded, asked, (items["planned"], items["unfinished"]))
    for name, content in reporter.files(about).items():
        write_file(out / name, content_text(name, content))
    stats = buckets.rows(evaluation.kind.stage_names, list(evaluation.models))
    write_stats(out, "stats", stats, about.simulated_models)
    for name, table in outcome.tables.items():
        write_table(out, name, table, about.simulated_models)
    outcome.report = {
        "run_id": manifest.get("run_id"),
        "kind": evaluation.kind.name,
        "name": evaluation.name,
        "simulated": buckets.simulated,
        **written_metrics(evaluation.kind.metrics),
        "started_at": manifest.get("started_at"),
        "tool_version": manifest.get("tool_version"),
        **as_written(evaluation),
        **outcome.report,
        "attempts_sent": ledger.calls,
        "charged_usd": None if stats[0]["n_cost_unknown"] and not ledger.spent else round(ledger.spent / 1_000_000, 6),
        **_told_apart(evaluation, about.simulated_models, ledger.simulated),
        "in_doubt": [intent["attempt_id"] for intent in ledger.in_doubt],
        "models": {name: asdict(about.models[name]) for name in evaluation.models},
        "calls": stats[0],
        "calls_by_stage_and_model": [row for row in stats if row["scope"] == "stage_model"],
        "headline": [table_cells(table) for table in outcome.headline],
        "tables": {name: table_cells(table) for name, table in outcome.tables.items()},
    }
    if evaluation.gates is not None:
        outcome.report["gates"] = judged_gates(path, out.path, evaluation, stats[0], outcome.report["charged_usd"])
    write_file(out / "report.json", json_text(outcome.report))
    return outcome


def _told_apart(evaluation: Evaluation, simulated: Collection[str], charged: int) -> dict[str, Json]:
    """Of a run with real and simulated models: which are simulated, and what was charged for them."""
    if how_much(len(simulated), len(evaluation.models)) != "some":
        return {}
    return {"simulated_models": sorted(simulated), "charged_simulated_usd": round(charged / 1_000_000, 6)}


def reported(path: Path, evaluation: Evaluation) -> tuple[Reporter, About]:
    """A run's report and what to say of the run, from its log alone; nothing is written."""
    reader = RunReader(path)
    reporter = evaluation.reporter()
    asked: dict[str, Call] = {}
    items = unfinished = 0
    with Recorded(path) as recorded:
        log = read_log(reader, recorded, evaluation.repeat)
        for row in rows_from_log(evaluation, recorded):
            items += 1
            unfinished += not row.finished
            reporter.add(row)
            for reply in row.replies:
                asked.setdefault(reply.call.model, reply.call)
        return reporter, about_run(reader.table("manifest.json"), evaluation, log, recorded, asked, (items, unfinished))


def _write_results(
    out: Inside, evaluation: Evaluation, recorded: Recorded, log: LogPass, before: Evaluation | None
) -> tuple[Outcome, Reporter, dict[str, Call]]:
    """Drive every item from the log; write results.jsonl and results.json as rows come, count the rest."""
    whole = Repeat(evaluation, out, log.buckets.simulated)
    lines = AtomicFile(out / RESULTS)
    repeats: list[Repeat] = []
    outcomes: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    asked: dict[str, Call] = {}
    changes = Changes(before, recorded) if before is not None else None
    added = Added(evaluation)
    items = unfinished = 0
    try:
        for row in rows_from_log(evaluation, recorded):
            items += 1
            unfinished += not row.finished
            row = _with_files(out, evaluation, added, row)
            outcomes["internal"] += bool(row.error)
            broken.update([row.error] if row.error else ())
            outcomes.update(map(_outcome, row.replies))
            for reply in row.replies:
                asked.setdefault(reply.call.model, reply.call)
            item = sample_results.result(evaluation.kind, evaluation.task, row)
            lines.write(result_line(evaluation, row))
            whole.add(row, item)
            if changes is not None:
                changes.add(row)
            if log.per_repeat:
                if row.sample.repeat >= len(repeats):
                    end_last(repeats)
                    repeats.append(Repeat(evaluation, out / "repeats" / f"{len(repeats) + 1:02d}", log.buckets.simulated))
                repeats[-1].add(row, item)
        end_last(repeats)
        lines.keep()
        end_last([whole])
    finally:
        lines.drop()
        for repeat in (whole, *repeats):
            repeat.drop()
    write_row_files(out, added.files())
    tables = dict(whole.reporter.tables())
    if changes is not None:
        write_file(out / CHANGES, rows_csv(changes.rows, CHANGE_COLUMNS))
    write_repeats(out, evaluation, repeats, log.per_repeat)
    report: dict[str, Json] = {
        "items": {"planned": items, "finished": items - unfinished, "unfinished": unfinished},
        "outcomes": {why: n for why, n in sorted(outcomes.items()) if n},
    }
    failed = sum(n for why, n in outcomes.items() if why not in NOT_FAILED)
    outcome = Outcome(report, tables, unfinished, failed, broken, tuple(whole.reporter.headline()), changes)
    return outcome, whole.reporter, asked


def _with_files(out: Inside, evaluation: Evaluation, added: Added, row: SampleResult) -> SampleResult:
    """Write the item's own files and add it up; where the kind cannot make them, that costs this item and no other."""
    if not row.finished:
        return row
    try:
        added.add(row)
        files = row_files(evaluation, row)
    except Exception as error:
        return replace(row, error=f"its files: {type(error).__name__}: {error}")
    write_row_files(out, files)
    return row


def _outcome(reply: Reply) -> str:
    """How a call ended, in a word; a text that the token limit cut is told apart from one that ended by itself."""
    if reply.ok:
        return "ok_truncated" if reply.finish_reason == "length" else "ok"
    return reply.why
