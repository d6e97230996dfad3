"""A comparison as flat rows and as JSON: its pairs, its sides, and the questions on which they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import one_line
from tui_eval.results.comparison import wording
from tui_eval.results.comparison.comparing import Comparison
from tui_eval.results.comparison.flips import answers_of
from tui_eval.results.comparison.listing import Listing
from tui_eval.results.comparison.pairs import Pair, Standing, differing_keys
from tui_eval.results.comparison.sides import Run, Side
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.metrics import upwards, written_metrics

LONGEST_CELL = 500
"""Characters of a text in a row."""
KEPT = 20_000
"""Answers that are kept as cells: more than all those of 505 questions by 39 models."""
ANSWER_CELLS = ("answer", "read", "why", "judged", "items")
FLIP_COLUMNS = (
    "stage", "a", "b", "better", "score_a", "score_b", "question", "truth",
    *(f"{name}_a" for name in ANSWER_CELLS), *(f"{name}_b" for name in ANSWER_CELLS), "simulated",
)  # fmt: skip
MARKED_COLUMNS = ("stage", "measure", *FLIP_COLUMNS[1:4], "by", *FLIP_COLUMNS[4:])
"""Of flips, where it must be said what was scored."""
Row = dict[str, Json]


def as_json(comparison: Comparison, listing: Listing, flips: Callable[[Pair], Iterator[Row]]) -> dict[str, Any]:
    """The whole comparison as values, with the flips of the pairs that are listed; its pairs are made when they are wanted."""
    return {
        "runs": [_run(number, run) for number, run in enumerate(comparison.runs, 1)],
        "simulated": comparison.simulated,
        **written_metrics(comparison.metrics),
        "notes": notes_of(comparison, listing),
        "sides": [standing_row(standing) for standing in comparison.standings],
        "pairs": (
            {**row, "flips": flips(pair) if place in listing.listed else []}
            for place, (row, pair) in enumerate(zip(pair_rows(comparison, listing), comparison.pairs, strict=True))
        ),
    }


def notes_of(comparison: Comparison, listing: Listing) -> list[str]:
    """What a reader must know before the numbers, and of which pairs flips are listed where not of all."""
    return [*comparison.notes, *filter(None, [listing.words])]


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


def pair_rows(comparison: Comparison, listing: Listing) -> Iterator[Row]:
    """Every pair; with whether its flips are listed, where not all are."""
    for place, pair in enumerate(comparison.pairs):
        yield pair_row(pair, comparison.named) | ({} if listing.few else {"flips_listed": place in listing.listed})


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
        "told_apart": pair.significant,
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


class FlipRows:
    """Flips as flat values, read from the run folders; an answer that several pairs rest on is read once while it is kept."""

    def __init__(self, named: bool = False) -> None:
        """`named`: with what was scored, and by how much the two differ."""
        self.columns = MARKED_COLUMNS if named else FLIP_COLUMNS
        self._named = named
        self._cells = lru_cache(maxsize=KEPT)(_cells)

    def of(self, pair: Pair) -> Iterator[Row]:
        """The questions on which a pair differs, those on which a does better first."""
        for key in differing_keys(pair):
            yield self._row(pair, key)

    def _row(self, pair: Pair, key: bytes) -> Row:
        score_a, score_b = pair.a.side.scores[key], pair.b.side.scores[key]
        a, b = self._cells(pair.a.side, key), self._cells(pair.b.side, key)
        found: Row = {"measure": pair.metric.name, "by": abs(score_a - score_b)} if self._named else {}
        return {
            "stage": pair.a.side.stage,
            **found,
            "a": pair.a.label,
            "b": pair.b.label,
            "better": (pair.a if upwards(pair.metric, score_a - score_b) > 0 else pair.b).label,
            "score_a": score_a,
            "score_b": score_b,
            **{name: a[name] or b[name] for name in ("question", "truth")},
            **{f"{name}_a": a[name] for name in ANSWER_CELLS},
            **{f"{name}_b": b[name] for name in ANSWER_CELLS},
            "simulated": pair.simulated,
        }


def _cells(side: Side, key: bytes) -> dict[str, str]:
    """A question and what a side said, several answers one after the other."""
    question, truth, answers = answers_of(side, key)
    judged = dict.fromkeys(f"{who}: {said}" for answer in answers for who, said in answer.judged)
    cells = {
        "question": [question],
        "truth": [truth],
        "answer": [
            answer.text if answer.text is not None else f"({answer.why or answer.status or 'no reply'})" for answer in answers
        ],
        "read": [answer.read for answer in answers],
        "why": [answer.why for answer in answers],
        "judged": list(judged),
        "items": list(dict.fromkeys(answer.item_id for answer in answers)),
    }
    return {name: one_line(" | ".join(filter(None, found)), LONGEST_CELL) for name, found in cells.items()}
