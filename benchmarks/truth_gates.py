"""Truth of gates: how often an unchanged build is red, and how often a drop of the size that a gate names is caught.

usage: python benchmarks/truth_gates.py [--short] [--draws N] [--seed N] [--only WORDS]

Builds are drawn with a planted truth and judged by the functions that the command line calls. A cell fails only where a 99 %
interval of its rate lies wholly beyond the bound: red in at most 5 % of unchanged builds, caught in 75 to 90 %, marks to 97 %.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from random import Random
from typing import Any

from tui_eval.core.kinds import Metric
from tui_eval.core.units import Unit
from tui_eval.results.sums.gate_forecast import WORSE, Forecast
from tui_eval.results.sums.gates import (
    Change,
    Rule,
    Ruling,
    Threshold,
    changes_of,
    rule_on_changes,
    rule_on_value,
    threshold_of,
)
from tui_eval.results.sums.means import Estimate, independent_units
from tui_eval.results.sums.series import Items, Series
from tui_eval.statistics.clusters import degrees_of_clusters
from tui_eval.statistics.estimates import wilson

RIGHT, MARK = Metric("correct", threshold=1.0), Metric("mark", 1, 5, threshold=3)
SEED = 20261126
DRAWS, SHORT = 2000, 100
RED, CAUGHT = (0.0, 0.05), (0.75, 0.90)
CAUGHT_MARKS = (0.75, 0.97)
"""Of marks more often, where all fall a little: what changes besides is then less than where single ones fall."""
NEAR = 0.05
"""By how much a forecast may be off."""
STRICT: Rule = "shown_not_worse"


@dataclass(frozen=True, slots=True)
class Cell:
    """One design, and how often what it asks for was so."""

    what: str
    design: str
    held: int
    draws: int
    least: float
    most: float

    @property
    def interval(self) -> tuple[float, float]:
        """99 % interval of the rate."""
        return wilson(self.held, self.draws, 0.99) or (0.0, 1.0)

    @property
    def holds(self) -> bool:
        """Whether the interval touches what is promised."""
        low, high = self.interval
        return high >= self.least and low <= self.most

    def row(self) -> str:
        """As a row of a Markdown table."""
        low, high = self.interval
        verdict = "" if self.holds else " **no**"
        share = self.held / self.draws if self.draws else 0.0
        return f"| {self.what} | {self.design} | {self.draws:,} | {share:.3f} [{low:.3f}, {high:.3f}]{verdict} |"


@dataclass(frozen=True, slots=True)
class Design:
    """Builds of a model: how many items, how many change between two builds, how many answers have no score."""

    n: int
    churn: float = 0.1
    metric: Metric = RIGHT
    missing: float = 0.0
    cluster: int = 1
    """Items of one document."""
    repeats: int = 1
    margin: float = 0.0
    """By how much a model may be worse."""

    def __str__(self) -> str:
        parts = [f"{self.metric.name}, n {self.n}, churn {self.churn:g}"]
        parts += [f"missing {self.missing:g}"] if self.missing else []
        parts += [f"{self.cluster} a document"] if self.cluster > 1 else []
        parts += [f"{self.repeats} repeats"] if self.repeats > 1 else []
        parts += [f"margin {self.margin:g}"] if self.margin else []
        return ", ".join(parts)

    def items(self) -> Items:
        """The items, by document."""
        found = Items()
        for place in range(self.n):
            found.place(Unit(f"q{place}", (f"d{place // self.cluster}", f"q{place}")), {})
        return found

    def builds(self, random: Random, drop: float = 0.0) -> tuple[Series, Series]:
        """The answers of one model now, worse by so much, and then."""
        levels = [self._level(random) for _ in range(self.n)]
        shift = _shift(self, drop) if self.metric == MARK else 0.0
        lost = [self.metric == RIGHT and level == 1.0 and random.random() < drop / _right(self.churn) for level in levels]
        now = [0.0 if gone else level - shift for level, gone in zip(levels, lost, strict=True)]
        return self._series(random, now), self._series(random, levels)

    def _level(self, random: Random) -> float:
        """An item's chance of being right: sure but for twice the churn, where it is a coin; or its mean mark."""
        if self.metric == MARK:
            return random.gauss(3.8, 0.9)
        return 0.5 if random.random() < 2 * self.churn else float(random.random() < 0.75)

    def _series(self, random: Random, levels: list[float]) -> Series:
        found = Series()
        for place, level in enumerate(levels):
            for repeat in range(self.repeats):
                value = None if random.random() < self.missing else self._answer(random, level)
                found.add(place, value, "no reply: timeout" if value is None else "", repeat)
        return found

    def _answer(self, random: Random, level: float) -> float:
        if self.metric == RIGHT:
            return float(random.random() < level)
        return float(min(max(round(level + random.gauss(0, 5 * self.churn)), 1), 5))


def _right(churn: float) -> float:
    """The share of items that are right for sure."""
    return 0.75 * (1 - 2 * churn)


@lru_cache(maxsize=64)
def _means(design: Design) -> list[tuple[float, float]]:
    """By how much marks fall on average where the level of every item falls by so much."""
    random = Random(1)
    pairs = [(random.gauss(3.8, 0.9), random.gauss(0, 5 * design.churn)) for _ in range(40_000)]

    def mean(shift: float) -> float:
        return sum(min(max(round(level - shift + noise), 1), 5) for level, noise in pairs) / len(pairs)

    top = mean(0.0)
    return [(step / 20, top - mean(step / 20)) for step in range(61)]


def _shift(design: Design, drop: float) -> float:
    before = (0.0, 0.0)
    for shift, fall in _means(Design(1, design.churn, design.metric)):
        if fall >= drop:
            return before[0] + (shift - before[0]) * (drop - before[1]) / max(fall - before[1], 1e-9)
        before = (shift, fall)
    return before[0]


def judge(design: Design, random: Random, models: int = 1, drop: float = 0.0, rule: Rule = "not_shown_worse") -> list[Ruling]:
    """The gates of a build of so many models, of which the first has become worse."""
    items, changes = design.items(), list[Change]()
    places = {place: place for place in range(design.n)}
    for model in range(models):
        now, then = design.builds(random, 0.0 if model else drop)
        changes += changes_of(now, then, design.metric, items, places, "question", design.margin)
    return rule_on_changes(changes, rule)


def red(design: Design, models: int, draws: int, random: Random) -> Cell:
    """Unchanged builds that fail."""
    held = sum(any(one.outcome == "FAIL" for one in judge(design, random, models)) for _ in range(draws))
    return Cell("unchanged is red", f"{design}, {models} models", held, draws, *RED)


def caught(design: Design, models: int, draws: int, random: Random) -> Cell:
    """Builds that fail of which a model is worse by what the build before said it would have caught."""
    held = tried = 0
    for _ in range(draws):
        before = judge(design, random, models)[0]
        if before.caught is not None and before.caught < _most(design):
            tried += 1
            held += judge(design, random, models, before.caught)[0].outcome == "FAIL"
    bounds = CAUGHT if design.metric == RIGHT else CAUGHT_MARKS
    return Cell("named drop is caught", f"{design}, {models} models", held, tried, *bounds)


def caught_steps(design: Design, draws: int, random: Random) -> Cell:
    """The same of marks where the drop comes by single answers that fall by one, the others being what they were."""
    held = tried = 0
    items, places = design.items(), {place: place for place in range(design.n)}
    for _ in range(draws):
        before = judge(design, random)[0]
        if before.caught is not None and before.caught < 1:
            (now, then), worse = design.builds(random), Series()
            for place, mark in enumerate(now.total):
                worse.add(place, mark - (mark > 1 and random.random() < before.caught))
            tried += 1
            held += rule_on_changes(changes_of(worse, then, design.metric, items, places, "question"))[0].outcome == "FAIL"
    return Cell("named drop by single marks is caught", str(design), held, tried, *CAUGHT_MARKS)


def none_caught(design: Design, models: int, draws: int, random: Random) -> Cell:
    """Builds that fail of which a model has lost all it can, where it is said that no drop is caught."""
    held = tried = 0
    for _ in range(draws):
        before = judge(design, random, models)[0]
        if "can catch no drop" in before.why:
            tried += 1
            held += judge(design, random, models, _most(design))[0].outcome == "FAIL"
    return Cell("no drop is caught", f"{design}, {models} models", held, tried, 0.0, 0.8)


def passed_worse(design: Design, draws: int, random: Random) -> Cell:
    """Builds that pass of a model that is worse by as much as the dry run says."""
    forecast = replace(Forecast(design.n, 1, design.metric), **_sharing(design))
    drop = WORSE * forecast.span
    held = sum(judge(design, random, 1, drop)[0].outcome == "PASS" for _ in range(draws))
    share = 1 - forecast.fails(drop)
    return Cell("worse passes as forecast", str(design), held, draws, share - NEAR, share + NEAR)


def _sharing(design: Design) -> dict[str, Any]:
    """What a forecast is told of documents of several items."""
    if design.cluster == 1:
        return {}
    sizes = list(Counter(place // design.cluster for place in range(design.n)).values())
    return {"clusters": len(sizes), "degrees": degrees_of_clusters(sizes)}


def strict_wrong(design: Design, draws: int, random: Random) -> Cell:
    """Builds that the strict form passes of a model that is worse by just the margin."""
    held = sum(judge(design, random, 1, design.margin, STRICT)[0].outcome == "PASS" for _ in range(draws))
    return Cell("strict passes what is worse", str(design), held, draws, *RED)


def strict_red(design: Design, draws: int, random: Random) -> Cell:
    """Unchanged builds that do not pass the strict form, beside the dry run's warning."""
    share = replace(Forecast(design.n, 1, design.metric, margin=design.margin), **_sharing(design)).unchanged_fails()
    held = sum(judge(design, random, 1, 0.0, STRICT)[0].outcome != "PASS" for _ in range(draws))
    return Cell("strict fails unchanged as forecast", str(design), held, draws, share - NEAR, share + NEAR)


def on_threshold(n: int, draws: int, random: Random) -> Cell:
    """Builds that fail by the value of a model that sits on its threshold."""
    held = 0
    for _ in range(draws):
        right = sum(random.random() < 0.8 for _ in range(n))
        held += rule_on_value(Estimate(n, right / n), threshold_of(">= 80 %")).outcome == "FAIL"
    return Cell("fails on its threshold", f"correct, n {n}", held, draws, 0.4, 0.6)


def more_decide(futures: int, draws: int, random: Random) -> Cell:
    """Futures in which the threshold is decided with as many more questions as are said."""
    held = tried = 0
    while tried < draws:
        n, share = random.choice((40, 100)), random.uniform(0.6, 0.95)
        right = sum(random.random() < share for _ in range(n))
        needed = rule_on_value(_rate(right, n), threshold_of(">= 80 %"), "low").needed
        more = needed[futures] if needed else None
        if more:
            tried += 1
            right += sum(random.random() < share for _ in range(more))
            held += rule_on_value(_rate(right, n + more), threshold_of(">= 80 %"), "low").outcome != "INCONCLUSIVE"
    share = (0.5, 0.8)[futures]
    return Cell("more decide", f"correct >= 80 %, low, {100 * share:g} of 100", held, tried, share - 0.08, share + 0.08)


LAWS = ((MARK, (1.0, 2.0, 3.0, 4.0, 5.0)), (Metric("claims", 0, 1, threshold=0.5), (0.0, 0.5, 1.0)))
"""Marks that are drawn for thresholds of their mean."""


def more_decide_marks(futures: int, document: int, draws: int, random: Random) -> Cell:
    """The same of thresholds of marks, whose interval is Gaffke's; `document`: how many share one, and lean one way."""
    held = tried = 0
    while tried < draws:
        (metric, marks), n = LAWS[tried % 2], random.choice((10, 25, 60)) * document
        law = [random.expovariate(1) for _ in marks]
        threshold = threshold_of(f">= {random.uniform(metric.low + 0.3 * (metric.high - metric.low), metric.high):.2f}")

        def drawn(many: int, marks: tuple[float, ...] = marks, law: list[float] = law) -> list[float]:
            leans = [random.choices(marks, law)[0] for _ in range(-(-many // document))]
            both = [random.choice((leans[place // document], random.choices(marks, law)[0])) for place in range(many)]
            return both if document > 1 else leans

        values = drawn(n)
        needed = _by_interval(values, document, metric, threshold).needed
        if needed and (more := needed[futures]) is not None:
            tried += 1
            more = -(-more // document) * document
            held += _by_interval(values + drawn(more), document, metric, threshold).outcome != "INCONCLUSIVE"
    share = (0.5, 0.8)[futures]
    what = f"marks, low, {100 * share:g} of 100" + f", {document} a document" * (document > 1)
    return Cell("more decide", what, held, tried, share - 0.1, share + 0.12)


def _by_interval(values: list[float], document: int, metric: Metric, threshold: Threshold) -> Ruling:
    clusters = [f"d{place // document}" for place in range(len(values))] if document > 1 else None
    units = independent_units(values, clusters, metric)
    found = Estimate(len(values), sum(values) / len(values), *units.interval())
    return rule_on_value(found, threshold, "low", units=lambda: units)


def more_decide_strict(design: Design, futures: int, draws: int, random: Random) -> Cell:
    """The same of the strict form, of a model that is no worse or a little, which nobody knows."""
    held = tried = 0
    scale = 1 if design.metric == RIGHT else 4  # wide beside what is known of it, so that nothing else is
    while tried < draws:
        drop = scale * random.uniform(0, 0.15)
        now, then = design.builds(random, drop)
        needed = _strict(design, now, then).needed
        if needed and (more := needed[futures]) is not None:
            tried += 1
            longer = replace(design, n=design.n + more)
            for series, tail in zip((now, then), longer.builds(random, drop), strict=True):
                for place in range(design.n, longer.n):
                    series.add(place, tail.total[place])
            held += _strict(longer, now, then).outcome != "INCONCLUSIVE"
    share = (0.5, 0.8)[futures]
    return Cell("more decide", f"strict, {design}, {100 * share:g} of 100", held, tried, share - 0.1, share + 0.1)


def _strict(design: Design, now: Series, then: Series) -> Ruling:
    places = {place: place for place in range(design.n)}
    return rule_on_changes(changes_of(now, then, design.metric, design.items(), places, "question", design.margin), STRICT)[0]


def _rate(right: int, n: int) -> Estimate:
    return Estimate(n, right / n, *(wilson(right, n) or (0.0, 1.0)), effective=n, share=True)


def _most(design: Design) -> float:
    """The largest drop that there can be in such builds."""
    return _right(design.churn) if design.metric == RIGHT else 2.0


def trials(draws: int, seed: int, short: bool) -> list[Callable[[], Cell]]:
    """Every cell of the table, to be drawn; each from numbers of its own."""
    found: list[Callable[[], Cell]] = []

    def add(trial: Callable[..., Cell], *design: object, many: int = draws) -> None:
        found.append(partial(trial, *design, many, Random(f"{seed} {trial.__name__} {list(map(str, design))}")))

    for n, metric, models in product((20, 100) if short else (20, 40, 100, 200, 500, 1000), (RIGHT, MARK), (1, 5)):
        for churn in (0.1,) if short else (0.02, 0.1, 0.2):
            many = max(draws // (1 if n < 500 else 4), 50)
            add(red, Design(n, churn, metric), models, many=many)
            if n >= 200 or (n >= 40 and models == 1):
                add(caught, Design(n, churn, metric), models, many=many)
    for design in (
        Design(200, missing=0.05), Design(200, metric=MARK, missing=0.05), Design(200, cluster=5), Design(60, repeats=3),
        Design(200, metric=MARK, cluster=5), Design(200, margin=0.02), Design(200, metric=MARK, margin=0.1),
    ):  # fmt: skip
        add(red, design, 2)
        add(caught, design, 2)
    for n in (100,) if short else (40, 200):
        add(caught_steps, Design(n, metric=MARK))
    add(none_caught, Design(12), 5)
    for n in (100,) if short else (40, 100, 200, 500):
        add(passed_worse, Design(n))
        add(strict_wrong, Design(n, margin=0.05))
        add(strict_wrong, Design(n, metric=MARK, margin=0.2))
        add(strict_red, Design(n, margin=0.05))
    for design in (Design(200, cluster=5), Design(200, metric=MARK), Design(60, cluster=6)):
        add(passed_worse, design)
    add(strict_red, Design(200, margin=0.05, cluster=5))
    add(on_threshold, 100)
    for futures in (0, 1):
        add(more_decide, futures)
        add(more_decide_marks, futures, 1)
        add(more_decide_marks, futures, 3)
        for design in (Design(40), Design(100, margin=0.05), Design(60, metric=MARK, margin=0.2, cluster=5)):
            add(more_decide_strict, design, futures, many=max(draws // 4, 50))
    return found


def section(plan: Any) -> Any:
    """The table as a section of `truth.py`."""
    from truth_cells import Section

    found = Section(
        ["## Gates: how often an unchanged build is red, and how often a drop that a gate names is caught", "", HEAD]
    )
    for cell in plan.each(_drawn, trials(SHORT if plan.short else DRAWS, plan.seed, plan.short)):
        found.lines.append(cell.row())
        found.broken += [] if cell.holds else [cell.row()]
    return found


def _drawn(_: object, trial: Callable[[], Cell]) -> Cell:
    return trial()


HEAD = "| what | design | builds | share [99 %] |\n|---|---|---:|---|"


def main() -> int:
    """Print the table; 1 where a cell does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="few designs and draws")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", default="", help="cells whose row has these words")
    options = parser.parse_args()
    begun, good = time.monotonic(), True
    print(f"Seed {options.seed}.\n\n{HEAD}")
    for trial in trials(SHORT if options.short else options.draws, options.seed, options.short):
        if options.only in f"{trial}":
            cell = trial()
            good &= cell.holds
            print(cell.row(), flush=True)
    print(f"\n{time.monotonic() - begun:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
