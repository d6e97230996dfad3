"""Report of a scorer bench: as text, as JSON, and reply by reply as lines of JSON."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from tui_eval.core.calls import Json
from tui_eval.core.gathering import gathered
from tui_eval.core.money import usd
from tui_eval.core.plaintext import count_of
from tui_eval.evaluation.sum_cells import rounded
from tui_eval.reporting.bench_ratings import RatedReplies, place_of
from tui_eval.reporting.scorer_bench import ScorerBench, ScorerLine
from tui_eval.results.sums.in_words import listed, percent
from tui_eval.results.sums.scorers.scorer_bench import BenchReply, ModelError, ScorerError, least_error
from tui_eval.results.sums.scorers.scorer_sentences import chosen_words, error_words, fresh_words
from tui_eval.results.tables import aligned
from tui_eval.statistics.stratified_rates import StratifiedRate

COLUMNS = ("scorer", "accepts", "n", "unparsed", "no value", "shuffled", "differs", "calls", "$ per 1,000", "error [95 %]")
PER = 1_000
"""Replies that costs are told for."""


def bench_text(bench: ScorerBench, rated: RatedReplies, path: Path) -> str:
    """The bench as text: who is simulated, the table, errors by persons' ratings, what is left out, how the best is taken.

    `path`: the run folder as commands are to name it.
    """
    errors = bench.errors(rated.by_place)
    by_scorer = {error.scorer: error for error in errors}
    rows = [_cells(bench, line, by_scorer.get(bench.alike.get(line.name, line.name))) for line in bench.lines]
    table = aligned(COLUMNS, rows, (False, *(True for _ in COLUMNS[1:])))
    notices = [f"Simulated, not real models: {', '.join(bench.simulated)}."] if bench.simulated else []
    return "\n".join([*notices, heading(bench), "", table, "", *_ending(bench, rated, errors, path)])


def heading(bench: ScorerBench, is_brief: bool = False) -> str:
    """Count replies and models, and replies on which the scorers differ; name the one from which a table counts."""
    n_models = len({reply.model for reply in bench.replies})
    about = f"{count_of(len(bench.replies), 'reply', 'replies')} of {count_of(n_models, 'model')}"
    alike = any(line.judges and not line.of_run and line.accepted in (0, line.n) for line in bench.lines)
    why = "" if is_brief or alike else ", which the run's verdict speaks of"
    beside = f"; differs: from `{bench.reference}`{why}" if bench.reference else ""
    without = ", but for those that accept none or all" if alike and not is_brief else ""
    share = percent(bench.n_differ / len(bench.replies))
    return f"{about}; scorers differ on {bench.n_differ:,} ({share}){without}{beside}"


def _cells(bench: ScorerBench, line: ScorerLine, error: ScorerError | None) -> list[str]:
    name = f"{line.name} (run)" if line.of_run else line.name
    counts = f"{line.n:,}", f"{line.unparsed:,}", f"{line.missing:,}"
    return [
        name, accepts_cell(line), *counts, shuffled_cell(line), differs_cell(bench, line), calls_cell(line), cost_cell(line),
        error_cell(error),
    ]  # fmt: skip


def accepts_cell(line: ScorerLine) -> str:
    """The share that passes; of a score without a threshold, the mean."""
    return percent(line.accepted / line.n) if line.judges else f"mean {line.mean:.2f}"


def shuffled_cell(line: ScorerLine) -> str:
    """The share that passes with the targets of other samples."""
    return "-" if line.shuffled is None else percent(line.shuffled) + (" lenient" if line.is_lenient else "")


def differs_cell(bench: ScorerBench, line: ScorerLine) -> str:
    """Replies on which it differs from the run's own scorer."""
    return f"{line.differs:,} of {line.compared:,}" if line.compared and line.name != bench.reference else "-"


def calls_cell(line: ScorerLine) -> str:
    """Calls that scoring a reply takes."""
    return "-" if line.asks_model is None else "1 a reply" if line.asks_model else "0"


def cost_cell(line: ScorerLine) -> str:
    """USD for a thousand replies; unknown is told as that."""
    if line.usd_per_reply == 0:
        return "$0"
    if line.usd_per_reply is None:
        return "unknown"
    return f"{'at least ' if line.unknown_costs else ''}{usd(PER * line.usd_per_reply)}"


def error_cell(error: ScorerError | None) -> str:
    """Error with its interval, and whether it is found wrong."""
    if error is None:
        return "-"
    rate = error.error
    return f"{percent(rate.value)} [{100 * rate.low:.1f}, {100 * rate.high:.1f}]{' wrong' if error.is_wrong else ''}"


def _ending(bench: ScorerBench, rated: RatedReplies, errors: Sequence[ScorerError], path: Path) -> Iterator[str]:
    """Say what the ratings show, how scorers err by model, what was left out, and by which command the best is taken."""
    if not errors:
        none = f"No rating after the first {rated.after:,} counts yet." if rated.after else NO_RATINGS
        yield f"{none} tui-eval bench {shlex.quote(str(path))} --rate 20 asks you, blind."
    yield from rated.notes()
    yield from alike_sentences(bench)
    for error in errors:
        yield from (f"{sentence}." for sentence in error_words(error))
    if chosen := choice_words(bench, rated, errors):
        yield f"{chosen}."
    if errors and len(errors[0].by_model) > 1:
        yield from ("", _model_table(errors))
    if bench.left_out:
        yield from ("", left_out_sentence(bench))
    if taking := taking_words(bench, rated, errors, path):
        yield from ("", taking)


NO_RATINGS = "No ratings yet: only a person can tell which scorer is right."


def alike_sentences(bench: ScorerBench) -> list[str]:
    """Say which scorers say the same of every reply."""
    groups = gathered((twin, name) for name, twin in bench.alike.items())
    verbs = {True: "says", False: "say"}
    return [f"{listed(names)} {verbs[len(names) == 1]} the same as {twin} of every reply." for twin, names in groups.items()]


def left_out_sentence(bench: ScorerBench) -> str:
    """Say which scorers are not on the bench, and why."""
    reasons = gathered((why, name) for name, why in bench.left_out.items())
    return f"Left out: {'; '.join(f'{listed(names)} ({why})' for why, names in reasons.items())}."


def choice_words(bench: ScorerBench, rated: RatedReplies, errors: Sequence[ScorerError]) -> str:
    """Say how far the error of the best scorer may be believed; of one that earlier ratings chose, what the fresh ones say."""
    if rated.after:
        return fresh_words(bench.errors(rated.before), errors, rated.after)
    return chosen_words(errors, rated.n)


def best_scorer(bench: ScorerBench, rated: RatedReplies, errors: Sequence[ScorerError]) -> str:
    """The scorer of least error by the ratings that choose, the first of equal ones. Empty without ratings."""
    best = least_error(bench.errors(rated.before) if rated.after else errors)
    return "" if best is None else best.scorer


def taking_words(bench: ScorerBench, rated: RatedReplies, errors: Sequence[ScorerError], path: Path) -> str:
    """Say how the best scorer is taken: the command, as a line that can be copied."""
    name = best_scorer(bench, rated, errors)
    if not name:
        return ""
    line = bench.line(name)
    if not line.settings:
        return f"{name} has the least error: {line.why_not}."
    return f"To score by {name} (a re-score asks nothing; the run's own files stay):\n{taking_command(line, path)}"


def taking_command(line: ScorerLine, path: Path) -> str:
    """The command that scores a run by this scorer."""
    return f"tui-eval rescore {shlex.quote(str(path))} --set {shlex.quote(line.settings)}"


def _model_table(errors: Sequence[ScorerError]) -> str:
    rows = [[error.scorer, part.model, *model_cells(part)] for error in errors for part in error.by_model]
    columns = ("scorer", "model", "error [95 %]", "false accepts", "false rejects", "ratings")
    return aligned(columns, rows, (False, False, True, True, True, True))


def model_cells(part: ModelError) -> list[str]:
    """Error, false accepts, false rejects and ratings of the replies of a model."""
    return [*map(_rate_cell, (part.error, part.false_accepts, part.false_rejects)), f"{part.n_rated:,}"]


def _rate_cell(rate: StratifiedRate) -> str:
    return f"{percent(rate.value)} [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"


# ---------------------------------------------------------------------------------------------------------------- for programs


def bench_entry(bench: ScorerBench, rated: RatedReplies, path: Path) -> dict[str, Json]:
    """The bench as JSON."""
    errors = bench.errors(rated.by_place)
    best = best_scorer(bench, rated, errors)
    line = bench.line(best) if best else None
    return {
        "run_id": bench.run_id,
        "simulated_models": list(bench.simulated),
        "reference": bench.reference,
        "n_replies": len(bench.replies),
        "n_differ": bench.n_differ,
        "n_ratings": len(rated.by_place),
        "n_rated_before": rated.after,
        "n_candidates": len(bench.replies[0].verdicts),
        "alike": dict(bench.alike),
        "draw": bench.draw,
        "scorers": [_line_entry(line) for line in bench.lines],
        "errors": [_error_entry(error) for error in errors],
        "chosen": choice_words(bench, rated, errors),
        "best": best or None,
        "best_command": taking_command(line, path) if line is not None and line.settings else None,
        "notes": rated.notes(),
        "left_out": dict(bench.left_out),
    }


def _line_entry(line: ScorerLine) -> dict[str, Json]:
    return {
        "scorer": line.name,
        "version": line.version,
        "of_run": line.of_run,
        "n": line.n,
        "accepts": rounded(line.accepted / line.n) if line.judges else None,
        "mean": None if line.mean is None else rounded(line.mean),
        "unparsed": line.unparsed,
        "missing": line.missing,
        "shuffled": None if line.shuffled is None else rounded(line.shuffled),
        "n_shuffled": line.n_shuffled,
        "differs": line.differs if line.compared else None,
        "n_compared": line.compared,
        "asks_model": line.asks_model,
        "usd_per_1000_replies": None if line.usd_per_reply is None else rounded(PER * line.usd_per_reply),
        "n_unknown_costs": line.unknown_costs,
        "setting": line.settings or None,
    }


def bench_lines(bench: ScorerBench) -> Iterator[str]:
    """The bench reply by reply: a line of JSON on the scorers, then one for each reply, in the order of the run."""
    head = {
        "run_id": bench.run_id,
        "simulated": bench.simulated,
        "reference": bench.reference,
        "scorers": [asdict(line) for line in bench.lines],
        "alike": dict(bench.alike),
        "seed": bench.seed,
        "draw": bench.draw,
        "left_out": dict(bench.left_out),
    }
    yield json.dumps(head)
    for reply in bench.replies:
        yield json.dumps(_reply_entry(bench, reply))


def _reply_entry(bench: ScorerBench, reply: BenchReply) -> Mapping[str, Json]:
    place = place_of(reply)
    return {**place._asdict(), "accepts": dict(reply.verdicts), **asdict(bench.answers[place])}


def _error_entry(error: ScorerError) -> dict[str, Json]:
    return {
        "scorer": error.scorer,
        "n_replies": error.n_replies,
        "found_wrong": error.is_wrong,
        **_rates_entry(error),
        "by_model": [{"model": part.model, **_rates_entry(part)} for part in error.by_model],
        "gaps": [
            {"lenient_on": gap.lenient_on, "than": gap.than, "value": rounded(gap.value), "low": rounded(gap.low),
             "high": rounded(gap.high)}
            for gap in error.gaps
        ],
        "sentences": [*error_words(error)],
    }  # fmt: skip


def _rates_entry(part: ScorerError | ModelError) -> dict[str, Json]:
    rates = (("error", part.error), ("false_accepts", part.false_accepts), ("false_rejects", part.false_rejects))
    entry: dict[str, Json] = {"n_ratings": part.n_rated}
    for name, rate in rates:
        value = None if rate.value is None else rounded(rate.value)
        entry[name] = {"value": value, "low": rounded(rate.low), "high": rounded(rate.high)}
    return entry
