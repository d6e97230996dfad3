"""The result of a run as a person reads it, plain text in columns, and its gates and score changes."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from tui_eval.cli.standard_error import tell
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Json
from tui_eval.core.money import MadeUp, four_decimals, in_doubt_words, told_apart
from tui_eval.core.plaintext import count_of, one_line, visible
from tui_eval.core.results import Table
from tui_eval.evaluation.scoring.own_code.code_scores import CODE
from tui_eval.reporting.result_writer import RunOutcome
from tui_eval.reporting.score_changes import CHANGES, Changes, OtherRule
from tui_eval.results.attempts import Cost, costs_apart, ends_table, from_cache_words
from tui_eval.results.tables import aligned
from tui_eval.results.verdicts import COLUMNS, Verdict, failed, failed_gates, summed_up, verdicts_of

WIDTH = 79
SHOWN = 20
"""Kinds of change that are printed."""


def result_text(path: Path, loaded: Loaded, outcome: RunOutcome | None) -> str:
    """Return the results of a run: the kind's tables, the calls and their cost, and where everything lies."""
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
        unasked = f"; in no table, since not asked yet: {outcome.not_asked}" if outcome.not_asked else ""
        parts.append(f"PRELIMINARY: unfinished samples: {items['unfinished']} of {items['planned']}{unasked}")
    if loaded.evaluation.repeat > 1:
        parts.append("each repeat in repeats/, mean and median over them in aggregate_*.csv")
    parts.append(_calls_text(outcome.report["calls"], _spent(outcome.report["calls"], rows, simulated, made_up)))
    parts.append(_in_doubt_text(outcome.report))
    parts.append(gates_text(outcome.report))
    parts.append(f"everything is in {path}")
    parts.append(textwrap.fill(visible(str(outcome.report.get("verdict") or "")), WIDTH))
    return "\n\n".join(part for part in parts if part)


def _in_doubt_text(report: dict[str, Json]) -> str:
    """Why the budget was charged more than the attempts cost, where calls were in flight at a kill."""
    if not report["in_doubt"]:
        return ""
    message = in_doubt_words(
        len(report["in_doubt"]), report["in_doubt_usd"], *(report.get(f"n_in_doubt_{of}", 0) for of in ("unknown", "granted"))
    )
    return textwrap.fill(message, WIDTH)


def gates_text(report: Mapping[str, Json]) -> str:
    """The gates with their verdicts, what is missing for those that cannot be told, and how many hold; empty without any."""
    verdicts = verdicts_of(report)
    if not verdicts:
        return ""
    numeric = [name == "n" for name in COLUMNS]
    reasons = [f"{one_line(' '.join(filter(None, (v.title, v.who))))}: {one_line(v.text, 1000)}" for v in verdicts if v.text]
    notes = [textwrap.fill(line, WIDTH, subsequent_indent="    ", break_long_words=False) for line in reasons]
    preliminary = " so far: the run is not complete" if report["items"]["unfinished"] else ""
    parts = [aligned(COLUMNS, [verdict.cells for verdict in verdicts], numeric), "\n".join(notes)]
    return "\n\n".join([*filter(None, parts), summed_up(verdicts) + preliminary])


OTHER_SUMS = (
    "means, intervals and tests are computed by a newer method than in the earlier report. They may differ even if no"
    " score does"
)


def newer_lines(outcome: RunOutcome) -> list[str]:
    """Return the changes by newer rules in a re-scored run: of scores which, how much, and for which models; of sums that."""
    newer, sums = outcome.newer, [OTHER_SUMS] if outcome.other_sums else []
    if newer is None:
        return sums
    pairs = ((before.partition(CODE)[0], after.partition(CODE)[0], before, after) for before, after in newer.versions)
    rules = ", ".join(
        f"{after} instead of {before}"
        if was != now
        else f"other code of {now}"
        if CODE in before
        else "code that had not run before"
        for was, now, before, after in pairs
    )
    n, changed = count_of(newer.compared, "score"), newer.changed.total()
    by_model: Counter[str] = Counter()
    for (model, _, _), many in newer.changed.items():
        by_model[model] += many
    lines = [f"scores are made by {rules} now: {f'{changed:,}' if changed else 'none'} of {n} changed"]
    for model, many in by_model.most_common():
        counts = {"higher": newer.higher[model], "lower": newer.lower[model], "with a value now": newer.new[model]}
        counts["missing now"] = newer.gone[model]
        counts["parsed differently"] = many - sum(counts.values())
        moved = ", ".join(f"{n:,} {words}" for words, n in counts.items() if n)
        lines.append(f"  {one_line(model, 60)}: {many:,} changed ({moved})")
    return lines + sums


def gates_line(report: Mapping[str, Json]) -> str:
    """Return the gates that do not hold, on a line."""
    return unheld_line(failed(report)) or "gates: they hold so far; the run is not complete"


def unheld_line(unheld: Sequence[Verdict]) -> str:
    """These gates, none of which holds, on a line; empty without any."""
    names = [" ".join(filter(None, (one_line(v.title), one_line(v.who)))) for v in unheld]
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


def outcome_json(outcome: RunOutcome) -> dict[str, Json]:
    """Return the outcome of a run, for programs: its samples, its calls, what a person reads first, and its gates."""
    names = (
        "run_id", "kind", "name", "simulated", "simulated_models", "items", "outcomes", "charged_usd", "charged_simulated_usd",
        "charged_real_usd", "in_doubt_usd", "n_in_doubt_unknown", "n_in_doubt_granted", "calls", "headline", "gates", "verdict",
    )  # fmt: skip
    return {name: outcome.report[name] for name in names if name in outcome.report}


def headline_text(tables: Sequence[Table]) -> str:
    """The tables that a person reads first."""
    return "\n\n".join(map(_table_text, tables))


def _changes_text(former: OtherRule | None) -> str:
    """Return the answers that another rule reads differently: by model and pattern, and where all of them are."""
    if former is None:
        return ""
    changes, added = former.sums, ", ".join(f"{one_line(name, 60)} {n:,}" for name, n in former.sums.added.items())
    new = f"New scores: {added}." if added else ""
    if not former.rows:
        same = f"No score changes under these settings ({changes.compared} compared)." if changes.compared else ""
        return " ".join(filter(None, [same, new]))
    rows = [[model, before or "-", after or "-", str(n)] for (model, before, after), n in changes.changed.most_common(SHOWN)]
    more = f"\n... and {len(changes.changed) - SHOWN} more kinds of change" if len(changes.changed) > SHOWN else ""
    return (
        f"{len(former.rows)} of {changes.compared} scores change (each with its text in {CHANGES})\n\n"
        + aligned(("model", "was read by", "now", "n"), rows, (False, False, False, True))
        + more
        + "\n\n"
        + "\n".join([*_sums_lines(changes), *filter(None, [new])])
    )


def _sums_lines(changes: Changes) -> list[str]:
    """By how much each model's sum of scores is another, and how many scores there are under one of the rules alone."""
    gains = ", ".join(f"{one_line(model, 60)} {gain:+g}" for model, gain in changes.gained.items() if gain)
    lines = [f"sum of scores that have a value under both rules: {gains}"] if gains else []
    for tally, words in ((changes.new, "new: none had a value before"), (changes.gone, "gone: none has a value now")):
        if tally:
            by_model = ", ".join(f"{one_line(model, 60)} {n:,}" for model, n in tally.most_common())
            lines.append(f"{count_of(tally.total(), 'score is', 'scores are')} {words} ({by_model})")
    return lines or ["no model's sum of scores changes"]


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
    cells = []
    for row, ended in zip(rows, counts, strict=True):
        latency = "-" if row["p50_latency_ms_ok"] is None else f"{row['p50_latency_ms_ok'] / 1000:.2f}"
        times = [latency, *(_stream(row) if streamed else [])]
        cells.append([row["stage"], row["model"], *ended, *times, _marked_cost(row, simulated)])
    heading = "Attempts by stage and model, retries included"
    return heading + "\n\n" + aligned(columns, cells, (False, False, *(True for _ in columns[2:])))


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
        + (f"; {from_cache_words(calls['calls_cached'])}" if calls["calls_cached"] else "")
        + f"; cost {cost}"
    )


def _marked_cost(row: dict[str, Json], simulated: Collection[str]) -> str:
    return _cost(_all_of(row)) + (" sim" if row["model"] in simulated else "")


def _spent(calls: dict[str, Json], rows: list[dict[str, Json]], simulated: Collection[str], made_up: MadeUp) -> str:
    """Return the cost of all attempts, real and simulated apart."""
    whole = _cost(_all_of(calls))
    if made_up != "some":
        return whole + (" (simulated)" if made_up == "all" else "")
    real, pretended = map(_cost, costs_apart(rows, simulated))
    return told_apart(whole, real, pretended, made_up)


def _all_of(calls: dict[str, Json]) -> Cost:
    return Cost(calls["sum_cost_usd"], calls["n_cost_unknown"])


def _cost(cost: Cost) -> str:
    """Return the cost of attempts: "-" where there was nothing to pay for, and never a zero for what is not known."""
    known_usd, unknown = cost
    if known_usd is None:
        return "unknown" if unknown else "-"
    return four_decimals(known_usd) + (f" + {unknown} unknown" if unknown else "")


def usd_or_unknown(value: float | None) -> str:
    """Format an amount in USD; None is unknown."""
    return "unknown" if value is None else four_decimals(value)
