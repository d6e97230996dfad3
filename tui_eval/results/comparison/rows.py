"""A comparison as flat rows and as JSON: its pairs, its sides, and the questions on which they differ."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import one_line
from tui_eval.results.comparison import wording
from tui_eval.results.comparison.comparing import Comparison
from tui_eval.results.comparison.flips import Answer, Flip
from tui_eval.results.comparison.pairs import Pair, Standing
from tui_eval.results.comparison.sides import Run
from tui_eval.results.metrics import written_metrics
from tui_eval.results.sums.means import Estimate

LONGEST_CELL = 500
"""Characters of a text in a row."""
FLIP_COLUMNS = (
    "stage", "a", "b", "better", "score_a", "score_b", "question", "truth",
    "answer_a", "read_a", "why_a", "judged_a", "items_a", "answer_b", "read_b", "why_b", "judged_b", "items_b", "simulated",
)  # fmt: skip
MARKED_COLUMNS = ("stage", "measure", *FLIP_COLUMNS[1:4], "by", *FLIP_COLUMNS[4:])
"""Of flips, where it must be said what was scored."""
Row = dict[str, Json]


def as_json(comparison: Comparison, flips: Sequence[Sequence[Flip]] = ()) -> dict[str, Json]:
    """The whole comparison as values, with the flips of each pair."""
    found = flips or [comparison.flips(pair) for pair in comparison.pairs]
    pairs: list[Json] = [
        {**pair_row(pair, comparison.named), "flips": [flip_row(pair, flip, comparison.named) for flip in inside]}
        for pair, inside in zip(comparison.pairs, found, strict=True)
    ]
    return {
        "runs": [_run(number, run) for number, run in enumerate(comparison.runs, 1)],
        "simulated": comparison.simulated,
        **written_metrics(comparison.metrics),
        "notes": list(comparison.notes),
        "sides": [standing_row(standing) for standing in comparison.standings],
        "pairs": pairs,
    }


def _run(number: int, run: Run) -> Row:
    return {
        "number": number,
        "run_id": run.run_id,
        "name": run.name,
        "kind": run.kind,
        "state": run.state,
        "items": run.items,
        "unfinished": run.unfinished,
        "simulated": run.simulated,
    }


def pair_row(pair: Pair, named: bool = False) -> Row:
    """A pair as flat values; `named`: with what was scored, and the scale of its marks."""
    metric, found = pair.metric, Row()
    if named:
        found = {"measure": metric.name, "scale_low": metric.low, "scale_high": metric.high, "better": metric.better}
    return {
        "stage": pair.a.side.stage,
        **found,
        **_named("a", pair.a),
        **_named("b", pair.b),
        "n": pair.n,
        "difference": pair.difference,
        "low": pair.low,
        "high": pair.high,
        "p_holm": pair.p_holm,
        "p": pair.p,
        "told_apart": pair.told_apart,
        "smallest_detectable": pair.detectable,
        "questions_needed": pair.needed,
        "a_better": pair.a_better,
        "b_better": pair.b_better,
        **_figures("score_a", pair.score_a),
        **_figures("score_b", pair.score_b),
        "only_a": pair.only_a,
        "only_b": pair.only_b,
        "changed": pair.changed,
        "missing_a": pair.missing_a,
        "missing_b": pair.missing_b,
        "method": pair.method,
        "verdict": wording.verdict(pair),
        "simulated": pair.simulated,
    }


def _named(name: str, standing: Standing) -> Row:
    return {f"{name}": standing.label, f"model_{name}": standing.side.model, f"run_{name}": standing.side.run.run_id}


def _figures(name: str, found: Estimate) -> Row:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def standing_row(standing: Standing) -> Row:
    """A side as flat values."""
    side = standing.side
    best, worst = standing.rank or (None, None)
    return {
        "stage": side.stage,
        "side": standing.label,
        "model": side.model,
        "run": side.run.run_id,
        "measure": side.measure,
        **_figures("score", standing.score),
        "n": standing.score.n,
        "rank_best": best,
        "rank_worst": worst,
        "missing": standing.missing,
        "why_missing": "; ".join(f"{why}: {n}" for why, n in side.missing.most_common()),
        "answers": side.answers,
        "unscored_answers": side.unscored,
        "cost_usd": wording.cost(standing),
        "cost_usd_per_call": wording.cost_each(standing),
        "n_cost_known": 0 if side.calls is None else side.calls.counts["cost_known"],
        "n_cost_unknown": None if side.calls is None else side.calls.counts["cost_unknown"],
        "p50_latency_ms": wording.latency(standing, "p50"),
        "p90_latency_ms": wording.latency(standing, "p90"),
        "n_latency": wording.latency_n(standing),
        "tokens": wording.tokens(standing),
        "simulated": side.simulated,
    }


def flip_row(pair: Pair, flip: Flip, named: bool = False) -> Row:
    """A question on which a pair differs as flat values; `named`: with what was scored, and by how much they differ."""
    found: Row = {"measure": pair.metric.name, "by": abs(flip.score_a - flip.score_b)} if named else {}
    return {
        "stage": pair.a.side.stage,
        **found,
        "a": pair.a.label,
        "b": pair.b.label,
        "better": (pair.a if flip.a_better else pair.b).label,
        "score_a": flip.score_a,
        "score_b": flip.score_b,
        "question": one_line(flip.question, LONGEST_CELL),
        "truth": one_line(flip.truth, LONGEST_CELL),
        **_answer_cells("a", flip.answers_a),
        **_answer_cells("b", flip.answers_b),
        "simulated": pair.simulated,
    }


def _answer_cells(name: str, answers: Sequence[Answer]) -> Row:
    """What a side said, several answers one after the other."""
    judged = dict.fromkeys(f"{who}: {said}" for answer in answers for who, said in answer.judged)
    cells = {
        "answer": [
            answer.text if answer.text is not None else f"({answer.why or answer.status or 'no reply'})" for answer in answers
        ],
        "read": [answer.read for answer in answers],
        "why": [answer.why for answer in answers],
        "judged": list(judged),
        "items": list(dict.fromkeys(answer.item_id for answer in answers)),
    }
    return {f"{cell}_{name}": one_line(" | ".join(filter(None, found)), LONGEST_CELL) for cell, found in cells.items()}
