"""From the log to every derived file: results, statistics, accuracy, report. The same log brings the same bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path, PurePath

from tui_eval.configuring.evaluation import Evaluation, RowsFromLog
from tui_eval.configuring.log_pass import LogPass, Told, not_told
from tui_eval.configuring.plugin_manifest import as_written
from tui_eval.configuring.provenance import about_run, stats_rows
from tui_eval.core.calls import Call, Json
from tui_eval.core.errors import FolderError
from tui_eval.core.money import MICRO, charged_or_unknown, how_much
from tui_eval.core.reports import FORMS, CheckedReporter, Reporter, VerdictReporter
from tui_eval.core.results import About, Table
from tui_eval.evaluation.report_parts import CertifiedReporter
from tui_eval.evaluation.score_report import BoardReporter
from tui_eval.reporting.figure_files import (
    FileSelection,
    forms_of,
    name_of_table,
    write_content,
    write_repeats,
    write_stats,
    write_table,
)
from tui_eval.reporting.gating import judged_gates
from tui_eval.reporting.result_writer import ResultWriter, RunOutcome
from tui_eval.reporting.row_feed import RowFeed, evaluation_of_run
from tui_eval.reporting.score_changes import OtherRule
from tui_eval.results.attempts import costs_apart
from tui_eval.results.certificate_files import copies_in
from tui_eval.results.read_report import SUMS
from tui_eval.results.report_head import HEAD, REPORT, head_of
from tui_eval.results.report_verdict import IN_SHORT
from tui_eval.results.sums.judge_certificates import by_served
from tui_eval.results.sums.leading.verdict_line import verdict_in_short
from tui_eval.results.sums.metrics import written_metrics
from tui_eval.results.sums.verdict import VerdictSubject
from tui_eval.results.tables import table_cells
from tui_eval.runs.folder import add_line
from tui_eval.runs.ledger import Ledger
from tui_eval.runs.person_marks import person_marks
from tui_eval.runs.reader import RunReader
from tui_eval.runs.writing import Inside

READ, DRIVEN = 0.2, 0.55
"""Shares of the work: the log is read, every flow is driven by it, what that comes to is written."""
ROWS_TOLD = 64


def derive(
    path: Path,
    evaluation: Evaluation,
    out: Inside | None = None,
    before: Evaluation | None = None,
    log: LogPass | None = None,
    told: Told = not_told,
    names: Collection[str] = (),
    feed: RowFeed | None = None,
) -> RunOutcome:
    """Write every derived file of a run folder (or into `out`), from its log, inputs and manifest alone.

    `before`: the same evaluation under its former rules; changes.csv then lists every score that differs.
    `log`: what was read of its log already; it is read on from there, and closed. `told`: how far the reports are.
    `names`: paths of files on demand that are written, too. `feed`: the rows that its reports have already.
    """
    out = out or Inside(path)
    manifest, evaluation = RunReader(path).table("manifest.json"), evaluation_of_run(path, evaluation)
    log = log or LogPass(path, evaluation.repeat)
    with log.recorded:
        log.read_on(told=lambda share: told(READ * share))
        log.end()
        changes = OtherRule(before, log.recorded) if before is not None else None
        results = (feed and feed.ready()) or ResultWriter(out, evaluation, FileSelection(evaluation.kind, out, names), changes)
        results.simulated, selection = log.buckets.simulated, results.selection
        _write_results(results, log, feed.n_rows if feed else 0, lambda share: told(READ + DRIVEN * share))
        outcome = results.outcome
        items = outcome.report["items"]
        about = about_run(manifest, evaluation, log, results.asked, (items["planned"], items["unfinished"]))
    told(READ + DRIVEN)
    stats = stats_rows(evaluation, log.buckets, about.simulated_models)
    about = replace(about, calls=[row for row in stats if row["scope"] == "stage_model"])
    reporter = results.whole.reporter
    files = reporter.files(about)
    _write_files(out, files, outcome.tables, about, told, forms_of(reporter), selection)
    write_repeats(out, evaluation, results.repeats, log.per_repeat, files, selection)
    write_stats(out, "stats", stats, about.simulated_models)
    outcome.tables = selection.stored(outcome.tables)
    outcome.report = _report(manifest, evaluation, log, about, outcome, stats, sorted(selection.on_demand))
    if evaluation.gates is not None:
        outcome.report["gates"] = judged_gates(path, out.path, evaluation, outcome.report, outcome.not_asked)
    outcome.report |= verdict_told(reporter, about, outcome.unfinished, results.unknown_words(about.simulated_models))
    if isinstance(reporter, VerdictReporter) and (own := reporter.verdicts()):
        outcome.report["gates"] = [*outcome.report.get("gates", ()), *own]
    write_content(out, REPORT, outcome.report)
    write_content(out, HEAD, head_of(outcome.report, (out / REPORT).path.stat().st_size))
    return outcome


def _write_files(
    out: Inside,
    files: Mapping[str, Json],
    tables: Mapping[str, Table],
    about: About,
    on_progress: Told,
    forms: Collection[str],
    selection: FileSelection,
) -> None:
    """The kind's own files, and those of its tables, so far as they are selected, in the forms that are wanted."""
    n = len(files) + len(tables) + 1
    for number, (name, content) in enumerate(files.items()):
        if PurePath(name).suffix not in FORMS - {*forms} and selection.selects(name):
            write_content(out, name, content)
        on_progress(READ + DRIVEN + (1 - READ - DRIVEN) * (number + 1) / n)
    for number, (name, table) in enumerate(tables.items(), start=len(files)):
        write_table(out, name_of_table(name, files), table, about.simulated_models, selection, forms)
        on_progress(READ + DRIVEN + (1 - READ - DRIVEN) * (number + 1) / n)


def _report(
    manifest: Mapping[str, Json],
    evaluation: Evaluation,
    log: LogPass,
    about: About,
    outcome: RunOutcome,
    stats: Sequence[dict[str, Json]],
    on_demand: Sequence[str],
) -> dict[str, Json]:
    """Return the content of report.json, but for the gates."""
    ledger = log.ledger
    return {
        "run_id": manifest.get("run_id"),
        "kind": evaluation.kind.name,
        "name": evaluation.name,
        "simulated": log.buckets.simulated,
        **written_metrics(evaluation.kind.metrics),
        "units": evaluation.kind.units.words,
        **evaluation.kind.judged(evaluation.task),
        "sums": SUMS,
        "started_at": manifest.get("started_at"),
        "tool_version": manifest.get("tool_version"),
        **as_written(evaluation),
        **outcome.report,
        "attempts_sent": ledger.calls,
        "charged_usd": charged_or_unknown(ledger.spent, stats[0]["n_cost_unknown"]),
        **_told_apart(evaluation, about, ledger),
        "in_doubt": [intent["attempt_id"] for intent in ledger.in_doubt],
        **_in_doubt(ledger),
        "models": {name: asdict(about.models[name]) for name in evaluation.models},
        "on_demand": on_demand,
        "calls": stats[0],
        "calls_by_stage_and_model": [row for row in stats if row["scope"] == "stage_model"],
        "headline": [table_cells(table) for table in outcome.headline],
        "tables": {name: table_cells(table) for name, table in outcome.tables.items()},
    }


def verdict_told(reporter: Reporter, about: About, unfinished: int, also: str) -> dict[str, Json]:
    """The verdict of a run whose scores stand on a board, and what is `also` to be said; nothing of others."""
    if not isinstance(reporter, BoardReporter) or not reporter.board.series:
        return {}
    every = about.simulated_models >= about.models.keys()
    subject = VerdictSubject(reporter.board, about.simulated_models, every, unfinished)
    in_short = verdict_in_short(subject)
    rest = " ".join(filter(None, [str(in_short["rest"]), also]))
    return {"verdict": " ".join(filter(None, [subject.verdict, also])), IN_SHORT: {**in_short, "rest": rest}}


def _in_doubt(ledger: Ledger) -> dict[str, Json]:
    """Return the charge for calls that were in flight at a kill, beside the cost of attempts; nothing where none were."""
    unknown = {"n_in_doubt_unknown": ledger.in_doubt_unknown} if ledger.in_doubt_unknown else {}
    granted = {"n_in_doubt_granted": ledger.granted} if ledger.granted else {}
    most = None if ledger.in_doubt_usd is None else round(ledger.in_doubt_usd, 6)
    return {"in_doubt_usd": most, **unknown, **granted} if ledger.in_doubt else {}


def _told_apart(evaluation: Evaluation, about: About, ledger: Ledger) -> dict[str, Json]:
    """Of a run with real and simulated models: which are simulated, what was charged for them, and for the others."""
    simulated = about.simulated_models
    if how_much(len(simulated), len(evaluation.models)) != "some":
        return {}
    real, _ = costs_apart(about.calls, simulated)
    return {
        "simulated_models": sorted(simulated),
        "charged_simulated_usd": ledger.simulated / MICRO,
        "charged_real_usd": charged_or_unknown(ledger.spent - ledger.simulated, real.unknown),
    }


def reported(path: Path, evaluation: Evaluation) -> tuple[Reporter, About]:
    """A run's report by its kind's own metrics, and what to say of the run, from its log alone; nothing is written."""
    reporter = evaluation.own_reporter()
    first_calls: dict[str, Call] = {}
    unfinished = 0
    log = LogPass(path, evaluation.repeat)
    with log.recorded:
        log.read_on()
        log.end()
        rows = RowsFromLog(evaluation, log.recorded)
        for row in rows:
            unfinished += not row.finished and not row.sample.checks_judge
            reporter.add(evaluation.own_part(row))
            for reply in row.replies:
                first_calls.setdefault(reply.call.model, reply.call)
        items = rows.passed, unfinished + rows.not_asked
        return reporter, about_run(RunReader(path).table("manifest.json"), evaluation, log, first_calls, items)


def check_by_person(path: Path, reporter: Reporter, noted: bool = True) -> None:
    """Give a reporter that knows what to do with them the marks that a person made of a run's answers, if there are any.

    A file of marks that cannot be read costs the run nothing but a line in its log, where it is to be `noted`.
    """
    if not isinstance(reporter, CheckedReporter):
        return
    try:
        reporter.check([mark.rating for mark in person_marks(path).values()])
    except FolderError as error:
        if noted:
            add_line(path, f"human ratings are left out: {error}")


def certify_by_copies(path: Path, reporter: Reporter, served: Mapping[str, Collection[str]], noted: bool = True) -> None:
    """Give a reporter of scores the certificates of the run's judges that lie in its folder, if there are any.

    `served`: by model what its API calls itself: one that calls itself otherwise than when the certificate was made is another
    judge. A file that cannot be read costs the run nothing but a line in its log, where it is to be `noted`.
    """
    if not isinstance(reporter, CertifiedReporter):
        return
    try:
        reporter.certify([by_served(copy, served) for copy in copies_in(path)])
    except FolderError as error:
        if noted:
            add_line(path, f"certificates of judges are left out: {error}")


def _write_results(results: ResultWriter, log: LogPass, n_rows: int, on_progress: Told) -> None:
    """Drive what was asked from the log; write results.jsonl, and results.json if wanted, as rows come, count the rest.

    `n_rows`: samples whose rows were written already, the first ones.
    """
    evaluation = results.evaluation
    rows = RowsFromLog(evaluation, log.recorded, n_rows)
    if not n_rows:
        check_by_person(log.path, results.whole.reporter, noted=results.out.folder == log.path)
        certify_by_copies(log.path, results.whole.reporter, log.served, noted=results.out.folder == log.path)
    planned = max(evaluation.repeat * sum(map(len, evaluation.queues.values())), 1)
    try:
        for n, row in enumerate(rows):
            results.add(row)
            if n % ROWS_TOLD == 0:
                on_progress(min(rows.passed / planned, 1.0))
        results.end()
    finally:
        results.drop()
    unfinished = results.unfinished + rows.not_asked
    items = {"planned": rows.passed, "finished": rows.passed - unfinished, "unfinished": unfinished}
    outcome = results.outcome
    outcome.unfinished, outcome.not_asked = unfinished + results.open_checks + rows.checks_not_asked, rows.not_asked
    outcome.report = {
        "items": {**items, "not_asked": rows.not_asked} if rows.not_asked else items,
        "outcomes": {why: n for why, n in sorted(results.outcomes.items()) if n},
    }
