"""Models of one run or of several on the items they have in common: which pairs, and what must be said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.units import QUESTIONS, Units
from tui_eval.results.comparison.flips import Flip, flip_of
from tui_eval.results.comparison.notes import notes_of, simulated
from tui_eval.results.comparison.sides import Asked, Run, RunSide, Standing, common_items, read_runs
from tui_eval.results.sums.differences import Difference, Tested, compared, holm_of, paired, tests_of, values_of_both
from tui_eval.results.sums.leading.contenders import Duel
from tui_eval.results.sums.metrics import is_binary, upwards
from tui_eval.results.sums.ranks import open_ranks
from tui_eval.results.sums.verdict import lacking_words, verdict_across, verdict_of
from tui_eval.statistics.paired import unpaired

__all__ = ["ComparedPair", "Comparison", "Flip", "RunSide", "Standing", "compare", "compare_runs", "match"]


@dataclass(frozen=True, slots=True)
class ComparedPair(Tested):
    """Two sides on the items that both have a score for. The difference is the score of a minus that of b."""

    a: Standing
    b: Standing
    found: Difference
    p_holm: float | None
    tests: int
    only_a: int
    """Items that only a was asked."""
    only_b: int
    changed: int
    """Items asked of both, but with another truth or other options: they are not compared."""
    missing_a: int
    """Common items without a score of a."""
    missing_b: int

    @property
    def n(self) -> int:
        """Common items with a score of both."""
        return self.found.n

    @property
    def metric(self) -> Metric:
        """Metric that both were scored by."""
        return self.a.metric

    @property
    def share(self) -> bool:
        """Return whether scores are right or wrong, so that differences are told in percentage points."""
        return is_binary(self.metric)

    @property
    def a_better(self) -> int:
        """Items on which a does better: has right what b has wrong, or a better mark."""
        return self.found.a_higher if self.metric.better == "higher" else self.found.b_higher

    @property
    def b_better(self) -> int:
        """Items on which b does better."""
        return self.found.b_higher if self.metric.better == "higher" else self.found.a_higher

    @property
    def better(self) -> Standing | None:
        """The side that does better on the common items, significantly or not; None where neither does."""
        gain = upwards(self.metric, self.found.value or 0.0)
        return self.a if gain > 0 else self.b if gain < 0 else None

    @property
    def simulated(self) -> bool:
        """Return whether the simulator answered for one of the two, or for both."""
        return self.a.side.simulated or self.b.side.simulated

    def differing(self) -> list[tuple[int, int]]:
        """The items on which the two differ, as both call them, in a's order: those on which a does better, then the others."""
        places, _ = common_items(self.a.side.run, self.b.side.run)
        values, _ = values_of_both(self.a.side.series, self.b.side.series, places)
        moved = [(n, places[n]) for n, (a, b) in values.items() if a != b]
        return sorted(moved, key=lambda both: upwards(self.metric, values[both[0]][0] - values[both[0]][1]) < 0)


@dataclass(slots=True, repr=False)
class Comparison:
    """Result of a comparison."""

    runs: list[Run]
    standings: list[Standing]
    pairs: list[ComparedPair]
    notes: list[str] = field(default_factory=list)
    """What a reader must know before the numbers."""
    metrics: list[Metric] = field(init=False)
    """What its sides were scored by, each scale apart."""
    marked: bool = field(init=False)
    """Whether there are marks among them, beside or in place of what is right or wrong."""
    named: bool = field(init=False)
    """Whether it must be said of a figure what it measures: not where all are rates of what is right."""

    def __post_init__(self) -> None:
        """Known once, for a screen asks it of every row."""
        self.metrics = list(dict.fromkeys(standing.metric for standing in self.standings))
        self.marked = not all(map(is_binary, self.metrics))
        self.named = self.marked or any(metric.name not in ("", "correct") for metric in self.metrics)

    @property
    def simulated(self) -> bool:
        """Return whether a run of it was simulated, wholly or in part."""
        return any(run.simulated for run in self.runs)

    @property
    def counts(self) -> str:
        """Number of its sides, of its metrics where there are several, and of its pairs."""
        sides = {(id(standing.side.run), standing.side.key._replace(metric="")) for standing in self.standings}
        names = {metric.name for metric in self.metrics}
        metrics = [count_of(len(names), "metric")] if len(names) > 1 else []
        return ", ".join([count_of(len(sides), "side"), *metrics, count_of(len(self.pairs), "pair")])

    @property
    def stages(self) -> list[str]:
        """The stages of its sides."""
        return list(dict.fromkeys(standing.side.key.stage for standing in self.standings))

    @property
    def units(self) -> Units:
        """Units that its numbers are about: of runs of several kinds, questions."""
        distinct_units = {(run.board.units.item, run.board.units.answer): run.board.units for run in self.runs}
        return next(iter(distinct_units.values())) if len(distinct_units) == 1 else QUESTIONS

    @property
    def verdict(self) -> str:
        """Verdict in words: of one run who leads, of several what is shown to differ."""
        run = self.runs[0]
        if len(self.runs) == 1:
            duels = [Duel(pair.a.side.key, pair.b.side.key, pair) for pair in self.pairs]
            sides = [standing.side.key for standing in self.standings]
            return verdict_of(run.board, run.made_up, run.simulated and not run.asked, run.unfinished, sides, duels)
        first = next((pair for pair in self.pairs if pair.tests), self.pairs[0])
        same = [pair for pair in self.pairs if (pair.metric, pair.a.side.key.stage) == (first.metric, first.a.side.key.stage)]
        sentence = verdict_across(first.metric, self.units, [(pair.a.label, pair.b.label, pair) for pair in same])
        return " ".join(filter(None, [simulated(self.standings), sentence, lacking_words(self._missing(same), self.units)]))

    def _missing(self, pairs: Sequence[ComparedPair]) -> list[tuple[str, int, int]]:
        """Of the sides of some pairs: their names, and how many of how many answers have no score."""
        sides = {id(standing): standing for pair in pairs for standing in (pair.a, pair.b)}
        return [(standing.label, standing.score.missing, standing.score.asked) for standing in sides.values()]

    def by(self, metric: Metric) -> Comparison:
        """The same by one of its metrics alone, which need not be said of each figure; p stays corrected for all tests."""
        standings = [standing for standing in self.standings if standing.metric == metric]
        comparison = Comparison(self.runs, standings, [pair for pair in self.pairs if pair.metric == metric], self.notes)
        comparison.named = False
        return comparison

    def flips(self, pair: ComparedPair, is_wanted: Asked = lambda: True) -> list[Flip]:
        """The items on which a pair differs, those on which a does better first; read from the run folders."""
        return [flip_of(pair.a.side, pair.b.side, both) for both in pair.differing() if is_wanted()]


def compare_runs(
    paths: Sequence[Path], models: Sequence[str] = (), is_wanted: Asked = lambda: True, metric: str = ""
) -> Comparison:
    """Read the runs and compare them. FolderError for what is no run; ConfigError where there is nothing to compare."""
    return compare(read_runs(list(paths), is_wanted), models, metric)


def compare(runs: Sequence[Run], models: Sequence[str] = (), metric: str = "") -> Comparison:
    """Compare the sides of one run with each other, else every side with itself in the other runs.

    Where the runs share no side, all of one stage with each other. `models`: only these; `metric`: only scores of this one,
    which is then tested whatever the kind declares, and p is corrected for its pairs alone. ConfigError where no pair is
    left, with what there is instead.
    """
    every = [side for run in runs for side in run.sides.values()]
    selected = _by_metric(_sides_of_models(_scored_by(every, metric), models))
    pairs = _pairs(selected)
    if not pairs:
        raise ConfigError(_nothing(runs, every, models))
    standing_of = {
        id(side): Standing(side, label, side.run.board.estimate(side.key)) for side, label in _labels(selected, runs)
    }
    matched: dict[tuple[int, int], tuple[Mapping[int, int], int]] = {}
    compared_pairs = [match(standing_of[id(a)], standing_of[id(b)], matched) for a, b in pairs]
    tested = [bool(pair.n) and (bool(metric) or pair.a.units.tests(pair.metric.name)) for pair in compared_pairs]
    p_values = [pair.found.p if flag else None for pair, flag in zip(compared_pairs, tested, strict=True)]
    tests = tests_of(p_values)
    adjusted = zip(compared_pairs, tested, holm_of(p_values), strict=True)
    compared_pairs = [replace(pair, p_holm=p, tests=tests if flag else 0) for pair, flag, p in adjusted]
    standings, compared_pairs = _ranked(list(standing_of.values()), compared_pairs)
    return Comparison(
        list(runs),
        standings,
        compared_pairs,
        notes_of(runs, standings, max((pair.changed for pair in compared_pairs), default=0)),
    )


def match(
    a: Standing, b: Standing, matched: dict[tuple[int, int], tuple[Mapping[int, int], int]] | None = None
) -> ComparedPair:
    """Two sides on their common items, not corrected for any number of pairs; unpaired where there are none.

    `matched`: what items of two runs are the same, worked out once.
    """
    side_a, side_b, cache = a.side, b.side, {} if matched is None else matched
    places: Mapping[int, int]
    items, key = side_a.run.board.items, (id(side_a.run), id(side_b.run))
    if side_a.run is side_b.run:
        places, changed = {}, 0
        difference = paired(side_a.series, side_b.series, a.metric, items)
    else:
        if key not in cache:
            cache[key] = common_items(side_a.run, side_b.run)
        places, changed = cache[key]
        difference = compared(side_a.series, side_b.series, a.metric, items, places)
    only_a, only_b, missing_a, missing_b = _unpaired_counts(side_a, side_b, places)
    difference = _unpaired(a, b) if difference is None else difference
    return ComparedPair(a, b, difference, None, 0, only_a - changed, only_b - changed, changed, missing_a, missing_b)


def _unpaired_counts(a: RunSide, b: RunSide, places: Mapping[int, int]) -> tuple[int, int, int, int]:
    """Items that only a, and only b was asked, and of the common ones those without a score of a, and of b."""
    if a.run is b.run:
        asked_a, scored_a, _ = a.series.sets()
        asked_b, scored_b, _ = b.series.sets()
        both = asked_a & asked_b
        masks = (asked_a & ~both, asked_b & ~both, both & ~scored_a, both & ~scored_b)
        return tuple(mask.bit_count() for mask in masks)  # type: ignore[return-value]
    series_a, series_b = a.series, b.series
    mine, theirs = ({n for n, is_asked in enumerate(series.asked) if is_asked} for series in (series_a, series_b))
    common = [(n, places[n]) for n in mine if places.get(n, -1) in theirs]
    lacking = (sum(not series_a.scored[n] for n, _ in common), sum(not series_b.scored[m] for _, m in common))
    return len(mine) - len(common), len(theirs) - len(common), *lacking


def _unpaired(a: Standing, b: Standing) -> Difference:
    """Two sides without a common item: what can be said of their own ones (METHOD.md 2.3)."""
    score_a, score_b = a.score, b.score
    if score_a.value is None or score_b.value is None or None in (score_a.low, score_a.high, score_b.low, score_b.high):
        return Difference(0, 0, 0, None, None, None, None, f"no common {a.units.item}")
    low, high = unpaired(
        (score_a.value, score_a.low or 0.0, score_a.high or 0.0), (score_b.value, score_b.low or 0.0, score_b.high or 0.0)
    )
    most = max(a.metric.high - a.metric.low, abs(score_a.value - score_b.value))
    method = f"unpaired: no common {a.units.item}, interval from both sides' own ones"
    return Difference(0, 0, 0, score_a.value - score_b.value, max(low, -most), min(high, most), None, method)


def _ranked(standings: Sequence[Standing], pairs: Sequence[ComparedPair]) -> tuple[list[Standing], list[ComparedPair]]:
    """Both, with the best and the worst rank that the pairs leave open.

    Among the sides of a stage, metric and variant that have a score, where every two of them were tested; none of others, such
    as one model over runs.
    """
    groups = gathered((_group(standing), id(standing)) for standing in standings if standing.score.n)
    tested = Counter(_group(pair.a) for pair in pairs if pair.tests and _group(pair.a) == _group(pair.b))
    won = [(id(pair.better), id(pair.b if pair.better is pair.a else pair.a)) for pair in pairs if pair.significant]
    ranks = open_ranks(groups, tested, won)
    ranked = {id(standing): replace(standing, rank=ranks.get(id(standing))) for standing in standings}
    return list(ranked.values()), [replace(pair, a=ranked[id(pair.a)], b=ranked[id(pair.b)]) for pair in pairs]


def _group(standing: Standing) -> tuple[str, Metric, str]:
    return standing.side.key.stage, standing.metric, standing.side.key.variant


def _scored_by(sides: Sequence[RunSide], metric: str) -> Sequence[RunSide]:
    """Those of a metric, all where none is named."""
    matching = [side for side in sides if metric in ("", side.key.metric)]
    if sides and not matching:
        names = ", ".join(dict.fromkeys(one_line(side.key.metric, 40) for side in sides))
        raise ConfigError(f"--metric {one_line(repr(metric), 60)}: the runs have no such scores; they have {names}")
    return matching


def _sides_of_models(sides: Sequence[RunSide], models: Sequence[str]) -> list[RunSide]:
    scored = {side.key.model for side in sides}
    unknown = [name for name in models if name not in scored]
    if unknown:
        raise ConfigError(
            f"no scores of {', '.join(map(repr, unknown))}; the runs have scores of {', '.join(sorted(map(one_line, scored)))}"
            if scored
            else "the runs have no scores"
        )
    return [side for side in sides if not models or side.key.model in models]


def _by_metric(sides: Sequence[RunSide]) -> list[RunSide]:
    """Those of one metric under one another."""
    order = {metric: place for place, metric in enumerate(dict.fromkeys(side.key.metric for side in sides))}
    return sorted(sides, key=lambda side: order[side.key.metric])


def _pairs(sides: Sequence[RunSide]) -> list[tuple[RunSide, RunSide]]:
    """Within one run all of one stage and metric that differ in one thing; over several the same model; else all of those."""
    every = [(a, b) for a, b in combinations(sides, 2) if a.key.stage == b.key.stage and _scale(a) == _scale(b)]
    if len({id(side.run) for side in sides}) == 1:
        return [(a, b) for a, b in every if a.key.model == b.key.model or a.key.variant == b.key.variant]
    across = [(a, b) for a, b in every if a.run is not b.run]
    same = [(a, b) for a, b in across if a.key.model == b.key.model]
    return [(a, b) for a, b in same if a.key.variant == b.key.variant] or same or across


def _scale(side: RunSide) -> tuple[str, float, float, str]:
    metric = side.metric
    return side.key.metric, metric.low, metric.high, metric.better


def _nothing(runs: Sequence[Run], sides: Sequence[RunSide], models: Sequence[str]) -> str:
    """Why there is nothing to compare, and what to do."""
    if not sides:
        subject = "the run has" if len(runs) == 1 else "the runs have"
        return (
            f"{subject} no scores yet, so there is nothing to compare: a panel needs truths ([panel.benchmark]), and a run that"
            " was interrupted is finished by tui-eval resume"
        )
    sides = [side for side in sides if any(side.series.scored)]
    if not sides:
        return (
            "no answer of these runs has a score, so there is nothing to compare: tui-eval export says what became of each call"
        )
    if len(runs) == 1:
        only = f"{sorted({side.key.model for side in sides})[0]!r} alone" if len(sides) == 1 else "one model in each stage"
        return f"the run has scores of {only if not models else 'one of these models'}: give a second run, or more models"
    return "no stage has scores in two of the runs: runs of one kind can be compared with each other"


def _labels(sides: Sequence[RunSide], runs: Sequence[Run]) -> list[tuple[RunSide, str]]:
    """A short name for each side: model and variant, and its run's number where there are several."""
    number = {id(run): place for place, run in enumerate(runs, 1)}
    return [(side, side.name + (f" @{number[id(side.run)]}" if len(runs) > 1 else "")) for side in sides]
