"""A plan and a result as a person reads them: plain text in columns."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from tui_eval.cli.standard_error import tell
from tui_eval.configuring.caps import left_over
from tui_eval.configuring.loading import Loaded
from tui_eval.configuring.stored_replies import CACHE, MOST_CALLS, OnFile
from tui_eval.core.calls import Json
from tui_eval.core.money import MadeUp, four_decimals, how_much, in_doubt_words, told_apart, usd
from tui_eval.core.plaintext import counted, one_line
from tui_eval.core.results import Table
from tui_eval.datasets.attachments import PDF
from tui_eval.evaluation.drivers import as_example
from tui_eval.models.chosen import asked_first
from tui_eval.models.destinations import Destination
from tui_eval.providers import WIRES
from tui_eval.reporting.derive import Outcome
from tui_eval.reporting.rule_changes import CHANGES, Changes
from tui_eval.results.attempts import Cost, costs_apart, ends_table
from tui_eval.results.tables import aligned
from tui_eval.results.verdicts import COLUMNS, Verdict, failed, failed_gates, summed_up, verdicts_of

WIDTH = 79
SHOWN = 20
"""Kinds of change that are printed."""


def plan_text(loaded: Loaded, on_file: OnFile | None = None) -> str:
    """The dry run: calls by stage and model, the formula behind their number, tokens and cost; `on_file`: what is not asked."""
    plan = loaded.plan
    factors = plan["factors"]
    rows = [_stage_row(stage) for stage in plan["stages"]]
    columns = ("stage", "model", "calls", "prompt tokens", "completion tokens", "cost", "at most")
    lines = [
        f"{loaded.evaluation.kind.name} {loaded.evaluation.name}: nothing is sent",
        "",
        aligned(columns, rows, (False, False, True, True, True, True, True)),
        "",
        "  ".join(f"{name} = {value}" for name, value in factors.items()),
        f"samples = {plan['items']:,} (repeat = {plan['repeat']})",
        f"BaseCalls = {plan['base_calls']:,}   ScoreCalls = {plan['score_calls']:,}   "
        f"TotalCallsEstimate = {plan['total_calls']:,}",
        *_up_to(plan),
        *_lines_on_file(on_file),
        *_attached(loaded),
        *destination_lines(loaded),
        *_preflight(loaded),
        *_in_batches(loaded),
        f"cap: max_calls = {loaded.run.max_calls:,}" + _cost_cap(loaded),
        *_not_again(loaded),
        f"tokens: {plan['prompt_tokens']:,} prompt, {plan['completion_tokens']:,} completion (4 characters a token)",
        "        for replies as short as they may be; a model that reasons takes far more",
        f"cost: {_planned(loaded, 'cost_usd')} estimated, at most {_planned(loaded, 'max_cost_usd')}" + _simulated(loaded),
        *_why_unknown(loaded),
    ]
    return "\n".join(lines)


def _stage_row(stage: dict[str, Json]) -> list[str]:
    counts = [f"{stage[name]:,}" for name in ("calls", "prompt_tokens", "completion_tokens")]
    return [stage["stage"], stage["model"], *counts, _usd(stage["cost_usd"]), _usd(stage["max_cost_usd"])]


def result_text(path: Path, loaded: Loaded, outcome: Outcome | None) -> str:
    """What a run came to: the kind's tables, the calls and their cost, and where everything lies."""
    if outcome is None:
        return str(path)
    items = outcome.report["items"]
    simulated = frozenset(outcome.report.get("simulated_models", ()))
    made_up: MadeUp = "some" if simulated else "all" if outcome.report["simulated"] else "nothing"
    rows = outcome.report["calls_by_stage_and_model"]
    parts = [_stage_models_text(rows, simulated)]
    parts.append(headline_text(outcome.headline))
    parts.append(_changes_text(outcome.changes))
    if items["unfinished"]:
        unasked = f"; in no table, since nothing is on file of them: {outcome.not_asked}" if outcome.not_asked else ""
        parts.append(f"PRELIMINARY: unfinished items: {items['unfinished']} of {items['planned']}{unasked}")
    if loaded.evaluation.repeat > 1:
        parts.append("each repeat in repeats/, mean and median over them in aggregate_*.csv")
    parts.append(_calls_text(outcome.report["calls"], _spent(outcome.report["calls"], rows, simulated, made_up)))
    parts.append(_in_doubt_text(outcome.report))
    parts.append(gates_text(outcome.report))
    parts.append(f"everything is in {path}")
    return "\n\n".join(part for part in parts if part)


def _in_doubt_text(report: dict[str, Json]) -> str:
    """Why the budget was charged more than the attempts cost, where calls were in flight at a kill."""
    if not report["in_doubt"]:
        return ""
    said = in_doubt_words(len(report["in_doubt"]), report["in_doubt_usd"], report.get("n_in_doubt_unknown", 0))
    return textwrap.fill(said, WIDTH)


def gates_text(report: Mapping[str, Json]) -> str:
    """The gates with their verdicts, what is missing for those that cannot be told, and how many hold; empty without any."""
    verdicts = verdicts_of(report)
    if not verdicts:
        return ""
    numeric = [name == "n" for name in COLUMNS]
    told = [f"{one_line(' '.join(filter(None, (v.title, v.model))))}: {one_line(v.text, 1000)}" for v in verdicts if v.text]
    notes = [textwrap.fill(line, WIDTH, subsequent_indent="    ", break_long_words=False) for line in told]
    preliminary = " so far: the run is not complete" if report["items"]["unfinished"] else ""
    parts = [aligned(COLUMNS, [verdict.cells for verdict in verdicts], numeric), "\n".join(notes)]
    return "\n\n".join([*filter(None, parts), summed_up(verdicts) + preliminary])


def newer_lines(outcome: Outcome) -> list[str]:
    """What a newer version of a rule changed in a run that was re-scored: which, how much, and for which models."""
    found = outcome.newer
    if found is None:
        return []
    rules = ", ".join(f"{after} instead of {before}" for before, after in found.versions)
    n, changed = counted(found.compared, "score"), found.changed.total()
    lines = [f"scores are made by {rules} now: {f'{changed:,}' if changed else 'none'} of {n} changed"]
    for model, many in found.changed.most_common():
        moved = f"{found.gained[model]:,} higher, {found.lost[model]:,} lower"
        lines.append(f"  {one_line(model, 60)}: {many:,} changed ({moved}, the others read otherwise)")
    return lines


def gates_line(report: Mapping[str, Json]) -> str:
    """Which gates do not hold, on a line."""
    return unheld_line(failed(report)) or "gates: they hold so far; the run is not complete"


def unheld_line(unheld: Sequence[Verdict]) -> str:
    """These gates, none of which holds, on a line; empty without any."""
    names = [" ".join(filter(None, (one_line(v.title), one_line(v.model)))) for v in unheld]
    return f"gates that do not hold: {', '.join(names)}" if names else ""


def told_gates(paths: Iterable[Path]) -> int:
    """The exit code that the gates of these runs come to; of each run, which of them do not hold is said."""
    worst = 0
    for path in paths:
        code, unheld = failed_gates(path)
        worst = max(worst, code)
        if code:
            tell(f"{path}: {unheld_line(unheld)}")
    return worst


def outcome_json(outcome: Outcome) -> dict[str, Json]:
    """What a run came to, for programs: its samples, its calls, what a person reads first, and its gates."""
    names = (
        "run_id", "kind", "name", "simulated", "simulated_models", "items", "outcomes", "charged_usd", "charged_simulated_usd",
        "charged_real_usd", "in_doubt_usd", "n_in_doubt_unknown", "calls", "headline", "gates",
    )  # fmt: skip
    return {name: outcome.report[name] for name in names if name in outcome.report}


def headline_text(tables: Sequence[Table]) -> str:
    """The tables that a person reads first."""
    return "\n\n".join(map(_table_text, tables))


def _changes_text(changes: Changes | None) -> str:
    """Which answers another rule reads differently: by model and pattern, and where all of them are."""
    if changes is None:
        return ""
    if not changes.rows:
        return f"No score is another under these settings ({changes.compared} compared)."
    rows = [[model, before or "-", after or "-", str(n)] for (model, before, after), n in changes.changed.most_common(SHOWN)]
    more = f"\n... and {len(changes.changed) - SHOWN} more kinds of change" if len(changes.changed) > SHOWN else ""
    return (
        f"{len(changes.rows)} of {changes.compared} scores are read differently (each with its text in {CHANGES})\n\n"
        + aligned(("model", "was read by", "now", "n"), rows, (False, False, False, True))
        + more
        + "\n\n"
        + "\n".join(_sums_lines(changes))
    )


def _sums_lines(changes: Changes) -> list[str]:
    """By how much each model's sum of scores is another, and how many scores there are under one of the rules alone."""
    gains = ", ".join(f"{one_line(model, 60)} {gain:+g}" for model, gain in changes.gained.items() if gain)
    lines = [f"sum of scores that have a value under both rules: {gains}"] if gains else []
    for found, words in ((changes.new, "new: none had a value before"), (changes.gone, "gone: none has a value now")):
        if found:
            by_model = ", ".join(f"{one_line(model, 60)} {n:,}" for model, n in found.most_common())
            lines.append(f"{counted(found.total(), 'score is', 'scores are')} {words} ({by_model})")
    return lines or ["no model's sum of scores is another"]


def _table_text(table: Table) -> str:
    """A headline table: text in columns, the first one to the left, numbers to the right."""
    rows = [[str(cell.value) for cell in row] for row in table.rows]
    columns = [[row[i] for row in rows] for i in range(len(table.columns))]
    numeric = [all(map(_is_figure, texts)) and any(text != "-" for text in texts) for texts in columns]
    note = "\n".join(textwrap.fill(line, WIDTH) for line in table.note.split("\n"))
    return "\n\n".join(part for part in (table.title, aligned(table.columns, rows, numeric), note) if part)


def _is_figure(text: str) -> bool:
    return not text.strip("0123456789.,%$+- []")


def _stage_models_text(rows: list[dict[str, Json]], simulated: Collection[str]) -> str:
    """Attempts by stage and model; `simulated`: models whose cost is marked."""
    streamed = any(row["n_ttft_ok"] for row in rows)
    ends, counts = ends_table(rows)
    columns = ("stage", "model", *ends, "median s")
    columns += ("first s", "tok/s", "cost") if streamed else ("cost",)
    shown = []
    for row, ended in zip(rows, counts, strict=True):
        latency = "-" if row["p50_latency_ms_ok"] is None else f"{row['p50_latency_ms_ok'] / 1000:.2f}"
        times = [latency, *(_stream(row) if streamed else [])]
        shown.append([row["stage"], row["model"], *ended, *times, _marked_cost(row, simulated)])
    heading = "Attempts by stage and model, retries included"
    return heading + "\n\n" + aligned(columns, shown, (False, False, *(True for _ in columns[2:])))


def _stream(row: dict[str, Json]) -> list[str]:
    """Median time to the first token, and median speed after it."""
    first, speed = row["p50_ttft_ms_ok"], row["p50_tokens_per_s_ok"]
    return ["-" if first is None else f"{first / 1000:.2f}", "-" if speed is None else f"{speed:.0f}"]


def _calls_text(calls: dict[str, Json], cost: str) -> str:
    unsent, cut = calls["calls_skipped_budget"] + calls["calls_not_sent"], calls["calls_truncated"]
    return (
        f"{calls['attempts_total']} attempts, {calls['calls_ok']} with a text"
        + (f", {cut} cut by the token limit (run.max_output_tokens raises it)" if cut else "")
        + (f"; {unsent} calls not sent" if unsent else "")
        + (f", {calls['calls_cached']} of them on file before" if calls["calls_cached"] else "")
        + f"; cost {cost}"
    )


def _marked_cost(row: dict[str, Json], simulated: Collection[str]) -> str:
    return _cost(_all_of(row)) + (" sim" if row["model"] in simulated else "")


def _spent(calls: dict[str, Json], rows: list[dict[str, Json]], simulated: Collection[str], made_up: MadeUp) -> str:
    """What all attempts cost, real and simulated apart."""
    whole = _cost(_all_of(calls))
    if made_up != "some":
        return whole + (" (simulated)" if made_up == "all" else "")
    real, pretended = map(_cost, costs_apart(rows, simulated))
    return told_apart(whole, real, pretended, made_up)


def _all_of(calls: dict[str, Json]) -> Cost:
    return Cost(calls["sum_cost_usd"], calls["n_cost_unknown"])


def _cost(cost: Cost) -> str:
    """What attempts cost: "-" where there was nothing to pay for, and never a zero for what is not known."""
    known, unknown = cost
    if known is None:
        return "unknown" if unknown else "-"
    return four_decimals(known) + (f" + {unknown} unknown" if unknown else "")


def _usd(value: float | None) -> str:
    return "unknown" if value is None else four_decimals(value)


def _why_unknown(loaded: Loaded) -> list[str]:
    """What is missing for a cost to be known, or bounded."""
    plan = loaded.plan
    unpriced = [name for name, spec in loaded.asked_models.items() if spec.price is None]
    if plan["max_cost_usd"] is not None:
        return []
    if unpriced:
        return [f"      no price for {', '.join(unpriced[:5])}: price = {{ input = ..., output = ... }} in [[models]]"]
    missing = {"no token limit": "run.max_output_tokens = N"} if _has_unlimited_call(loaded) else {}
    attached = [stage.get("attached", ()) for stage in plan["stages"] if stage["max_cost_usd"] is None]
    if loaded.run.pdf_tokens is None and any(PDF in types for types in attached):
        missing["PDFs of unknown length"] = "run.pdf_tokens = N"
    bound = "bounds" if len(missing) == 1 else "bound"
    return [f"      {' and '.join(missing)}: {' and '.join(missing.values())} {bound} the cost"] if missing else []


def _has_unlimited_call(loaded: Loaded) -> bool:
    """Whether a reply may be of any length; those of a queue's samples are all limited alike."""
    evaluation = loaded.evaluation
    firsts = (sample for queue in evaluation.queues for sample in islice(evaluation.samples(queue), 1))
    rows = (evaluation.driven(sample, as_example) for sample in firsts)
    return any(reply.call.max_output_tokens is None for row in rows for reply in row.replies)


def _up_to(plan: dict[str, Json]) -> list[str]:
    return [f"up to +{plan['up_to_more']:,} where replies cannot be read"] if plan["up_to_more"] else []


def _not_again(loaded: Loaded) -> list[str]:
    """What the cap leaves no place for, when replies cannot be read."""
    plan, asked = loaded.plan, len(asked_first(loaded.asked_models))
    left = left_over(plan, loaded.run.max_calls, asked)
    if left is None:
        return []
    more = plan["up_to_more"]
    return [
        f"     of {more:,} calls that may follow, {left:,} fit below it: where more replies cannot be read, they are not asked",
        f"     again, and the run is incomplete (--set run.max_calls={plan['total_calls'] + more + asked} has room for all)",
    ]


def _lines_on_file(on_file: OnFile | None) -> list[str]:
    """Replies that are there before anything is sent, a line for each place they come from."""
    entries = on_file.entries() if on_file is not None else []
    lines = []
    for source in dict.fromkeys(entry["from"] for entry in entries):
        own = [entry for entry in entries if entry["from"] == source]
        found, missing = (sum(entry[name] for entry in own) for name in ("found", "missing"))
        lacks = f"; {missing:,} are not there: missing, and not asked" if missing else ""
        by_model = ", ".join(f"{entry['stage']} {one_line(entry['model'], 60)} {entry['found']:,}" for entry in own)
        cached = "of these calls are not sent: their replies are in the cache"
        whence = cached if source == CACHE else f"replies are taken from {source}"
        lines.append(f"{found:,} {whence} ({by_model}){lacks}")
    if on_file is not None and on_file.cache_read is False:
        lines += [
            f"how many of these calls the cache has is not known: it is looked through for at most {MOST_CALLS:,}; whatever it",
            "        has is not sent",
        ]
    return lines


def _attached(loaded: Loaded) -> list[str]:
    """What is shown to models as such, beside the text."""
    shown = {mime for stage in loaded.plan["stages"] for mime in stage.get("attached", ())}
    return [f"shown as such: documents of type {', '.join(sorted(shown))}"] if shown else []


def destination_lines(loaded: Loaded) -> list[str]:
    """Where what is sent goes, and by whose key: a line for each host and key."""
    return [destination_line(found) for found in loaded.destinations]


def destination_line(found: Destination) -> str:
    """One of them."""
    return f"asked: {one_line(found.words, 400)}"


def _preflight(loaded: Loaded) -> list[str]:
    """The calls that a run makes before the planned ones."""
    asked = len(asked_first(loaded.asked_models))
    return [f"+{asked} for the preflight, one tiny question a model (--no-preflight)"] if asked else []


def _in_batches(loaded: Loaded) -> list[str]:
    if loaded.run.mode == "live":
        return []
    models = loaded.asked_models.values()
    batched = ", ".join(spec.name for spec in models if WIRES[spec.wire].batches)
    alone = ", ".join(spec.name for spec in models if not WIRES[spec.wire].batches)
    lines = [f"in batches, at half the price and within a day (tui-eval resume picks them up): {batched}"]
    return lines + ([f"call by call, since their providers take no batches: {alone}"] if alone else [])


def _cost_cap(loaded: Loaded) -> str:
    return "" if loaded.run.max_cost_usd is None else f"   max_cost_usd = {usd(loaded.run.max_cost_usd)}"


def _pretended(loaded: Loaded) -> tuple[frozenset[str], MadeUp]:
    specs = loaded.asked_models
    names = frozenset(name for name, spec in specs.items() if WIRES[spec.wire].simulated)
    return names, how_much(len(names), len(specs))


def _simulated(loaded: Loaded) -> str:
    return " (simulated)" if _pretended(loaded)[1] == "all" else ""


def _planned(loaded: Loaded, what: str) -> str:
    """An amount of the plan, real and simulated apart where there are both."""
    pretended, made_up = _pretended(loaded)
    if made_up != "some":
        return _usd(loaded.plan[what])
    found: dict[bool, list[float | None]] = {True: [], False: []}
    for stage in loaded.plan["stages"]:
        found[stage["model"] in pretended].append(stage[what])
    real, simulated = (_usd(None if None in found[flag] else sum(filter(None, found[flag]))) for flag in (False, True))
    return told_apart(_usd(loaded.plan[what]), real, simulated, made_up)
