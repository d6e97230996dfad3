"""A comparison as flat rows and as JSON: its pairs, its sides, and the items on which they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.results.comparison import text as said
from tui_eval.results.comparison.comparing import ComparedPair, Comparison
from tui_eval.results.comparison.flips import answers_of
from tui_eval.results.comparison.sides import Run, RunSide, Standing
from tui_eval.results.sums.in_words import listed
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.metrics import upwards, written_metrics

FEW = 45
"""Pairs, those of ten sides, up to which all flips are listed."""
MOST = 10_000
"""Flips of significant pairs that are listed where there are more pairs."""
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


@dataclass(frozen=True, slots=True)
class FlipListing:
    """Pairs of a comparison whose flips are listed, by their places."""

    pairs: int
    """How many are tested."""
    listed: frozenset[int]
    asked: tuple[int, ...]
    """Those that were asked for by name."""

    @property
    def few(self) -> bool:
        """Return whether the pairs are so few that all is shown and listed."""
        return self.pairs <= FEW

    @property
    def words(self) -> str:
        """Sentence on the pairs that are listed; empty where these are all."""
        if self.few:
            return ""
        rule = f"of more than {FEW} pairs the significant ones, the smallest differences first, up to {MOST:,} flips"
        return f"Flips of {len(self.listed):,} of {self.pairs:,} pairs are listed: {rule}; --flips A,B lists those of one pair."


def listing_of(comparison: Comparison, names: Sequence[str] = ()) -> FlipListing:
    """Choose the pairs to be listed. `names`: pairs whose flips are listed whatever their result, each as "A,B".

    ConfigError where two sides make no pair.
    """
    pairs = comparison.pairs
    requested = tuple(place for pair in names for place in _places_of(comparison, pair))
    tested = [place for place, pair in enumerate(pairs) if pair.tests or pair.a.units.tests(pair.metric.name)]
    if len(tested) <= FEW:
        return FlipListing(len(tested), frozenset(range(len(pairs)) if len(pairs) <= FEW else tested), requested)
    places_listed, remaining = set(requested), MOST
    for place in nearest(pairs):
        remaining -= pairs[place].a_better + pairs[place].b_better
        if remaining < 0:
            break
        places_listed.add(place)
    return FlipListing(len(tested), frozenset(places_listed), requested)


def nearest(pairs: Sequence[ComparedPair]) -> list[int]:
    """The places of the significant pairs, the smallest differences, as shares of their scale, first."""
    places = [place for place, pair in enumerate(pairs) if pair.significant]
    return sorted(places, key=lambda place: abs(pairs[place].found.value or 0.0) / pairs[place].found.span)


def _places_of(comparison: Comparison, names: str) -> list[int]:
    """The pairs of two sides, named as in the tables or as their models; a comma may be part of a name."""
    cuts = [(names[:i].strip(), names[i + 1 :].strip()) for i, sign in enumerate(names) if sign == ","]
    matches = [place for place, pair in enumerate(comparison.pairs) if any(cut in _names(pair) for cut in cuts)]
    if not matches:
        sides = listed(list(dict.fromkeys(standing.label for standing in comparison.standings)), 20)
        raise ConfigError(f"--flips {one_line(names)!r}: no pair of that name; give two sides as A,B of {sides}")
    return matches


def _names(pair: ComparedPair) -> Iterator[tuple[str, str]]:
    for a, b in ((pair.a, pair.b), (pair.b, pair.a)):
        first, second = ((standing.label, standing.side.key.model) for standing in (a, b))
        yield from ((name, beside) for name in first for beside in second)


def as_json(comparison: Comparison, listing: FlipListing, flips: Callable[[ComparedPair], Iterator[Row]]) -> dict[str, Any]:
    """The whole comparison as values, with the flips of the pairs that are listed; its pairs are made when they are wanted."""
    return {
        "verdict": comparison.verdict,
        "runs": [_run(number, run) for number, run in enumerate(comparison.runs, 1)],
        "simulated": comparison.simulated,
        "units": comparison.units.words,
        **written_metrics(comparison.metrics),
        "notes": notes_of(comparison, listing),
        "sides": [standing_row(standing) for standing in comparison.standings],
        "pairs": (
            {**row, "flips": flips(pair) if place in listing.listed else []}
            for place, (row, pair) in enumerate(zip(pair_rows(comparison, listing), comparison.pairs, strict=True))
        ),
    }


def notes_of(comparison: Comparison, listing: FlipListing) -> list[str]:
    """Return what a reader must know before the numbers, and which pairs have flips listed where not all have."""
    return [*comparison.notes, *filter(None, [listing.words])]


def _run(number: int, run: Run) -> Row:
    return {
        "number": number,
        **{name: getattr(run, name) for name in ("run_id", "name", "kind", "state")},
        "items": run.planned,
        "unfinished": run.unfinished,
        "simulated": run.simulated,
    }


def pair_rows(comparison: Comparison, listing: FlipListing) -> Iterator[Row]:
    """Every pair; with whether its flips are listed, where not all are."""
    for place, pair in enumerate(comparison.pairs):
        yield pair_row(pair, comparison.named) | ({} if listing.few else {"flips_listed": place in listing.listed})


def pair_row(pair: ComparedPair, with_metric: bool = False) -> Row:
    """A pair as flat values; `with_metric`: with what was scored, and the scale of its marks."""
    metric, difference = pair.metric, pair.found
    more = difference.more(pair.tests) if pair.tests and not pair.significant else None
    scale = {"measure": metric.name, "scale_low": metric.low, "scale_high": metric.high, "better": metric.better}
    low, high = difference.bounds or (None, None)
    return {
        "stage": pair.a.side.key.stage,
        **(scale if with_metric else {}),
        **_side_cells("a", pair.a),
        **_side_cells("b", pair.b),
        "n": difference.n,
        "difference": difference.value,
        "low": difference.low,
        "high": difference.high,
        "p_holm": pair.p_holm,
        "p": difference.p if pair.tests else None,
        "told_apart": pair.significant if pair.tests else None,
        "tests": pair.tests,
        "smallest_detectable": pair.detectable,
        "more_for_50": None if more is None else more[0],
        "more_for_80": None if more is None else more[1],
        "a_better": pair.a_better,
        "b_better": pair.b_better,
        "mean_a": difference.mean_a,
        "mean_b": difference.mean_b,
        "of_a": difference.of_a,
        "of_b": difference.of_b,
        "answers": difference.answers,
        "answers_a": difference.answers_a,
        "answers_b": difference.answers_b,
        "only_a": pair.only_a,
        "only_b": pair.only_b,
        "changed": pair.changed,
        "missing_a": pair.missing_a,
        "missing_b": pair.missing_b,
        "bound_low": low,
        "bound_high": high,
        "method": difference.method,
        "verdict": said.verdict(pair),
        "simulated": pair.simulated,
    }


def _side_cells(name: str, standing: Standing) -> Row:
    cells = {f"{name}": standing.label, f"model_{name}": standing.side.key.model, f"run_{name}": standing.side.run.run_id}
    variant, column = standing.side.key.variant, f"{standing.units.variant}_{name}"
    return cells | ({column: variant} if variant and standing.units.variant and column not in cells else {})


def _figures(name: str, estimate: Estimate) -> Row:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def standing_row(standing: Standing) -> Row:
    """A side as flat values."""
    side, score, variant = standing.side, standing.score, standing.units.variant
    best, worst = standing.rank or (None, None)
    identity: Row = {"stage": side.key.stage, "side": standing.label, "model": side.key.model}
    return {
        **identity,
        **({variant: side.key.variant} if variant and side.key.variant and variant not in identity else {}),
        "run": side.run.run_id,
        "measure": side.key.metric,
        **_figures("score", score),
        "n": score.n,
        "rank_best": best,
        "rank_worst": worst,
        "missing": standing.missing,
        "why_missing": "; ".join(f"{one_line(why, 60)}: {n}" for why, n in side.series.why.most_common()),
        "answers": score.asked,
        "unscored_answers": score.missing,
        "cost_usd": said.cost(standing),
        "cost_usd_per_call": said.cost_each(standing),
        "n_cost_known": 0 if side.calls is None else side.calls.counts["cost_known"],
        "n_cost_unknown": None if side.calls is None else side.calls.counts["cost_unknown"],
        "p50_latency_ms": said.latency(standing, "p50"),
        "p90_latency_ms": said.latency(standing, "p90"),
        "n_latency": said.latency_n(standing),
        "tokens": said.tokens(standing),
        "simulated": side.simulated,
    }


class FlipRows:
    """Flips as flat values, read from the run folders; an answer that several pairs rest on is read once while it is kept."""

    def __init__(self, with_metric: bool = False) -> None:
        """`with_metric`: with what was scored, and by how much the two differ."""
        self.columns = MARKED_COLUMNS if with_metric else FLIP_COLUMNS
        self._named = with_metric
        self._cells = lru_cache(maxsize=KEPT)(_cells)

    def of(self, pair: ComparedPair) -> Iterator[Row]:
        """The items on which a pair differs, those on which a does better first."""
        for places in pair.differing():
            yield self._row(pair, *places)

    def _row(self, pair: ComparedPair, place_a: int, place_b: int) -> Row:
        score_a, score_b = pair.a.side.series.mean(place_a) or 0.0, pair.b.side.series.mean(place_b) or 0.0
        a, b = self._cells(pair.a.side, place_a), self._cells(pair.b.side, place_b)
        metric_cells: Row = {"measure": pair.metric.name, "by": abs(score_a - score_b)} if self._named else {}
        return {
            "stage": pair.a.side.key.stage,
            **metric_cells,
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


def _cells(side: RunSide, place: int) -> dict[str, str]:
    """An item and what a side said, several answers one after the other."""
    question, truth, answers = answers_of(side, place)
    judged = dict.fromkeys(f"{who}: {words}" for answer in answers for who, words in answer.judged)
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
    return {name: one_line(" | ".join(filter(None, texts)), LONGEST_CELL) for name, texts in cells.items()}
