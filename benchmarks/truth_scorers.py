"""Is the scorer bench true: intervals of errors by ratings of two strata, for scorers fixed in advance and chosen by them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from truth_cells import Cell, Plan, Section

from tui_eval.results.sums.scorers.scorer_bench import (
    AGREE,
    CHOSEN_COVERAGE,
    BenchReply,
    agreeing_share,
    rating_order,
    scorer_errors,
)
from tui_eval.statistics.stratified_rates import StratumCount, stratified_rate

COVERED, CLAIMED = 0.93, 0.05
"""How often an interval must hold the error of a scorer that was fixed; how often equal models may be called different."""
WEIGHTS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
ERRORS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
RATINGS = (20, 40)
CANDIDATES = (1, 5, 10, 20)
UNITS = 10_000_000
"""Replies of a run that ratings do not exhaust: rates are then binomial."""
SPREADS = ((0.3, 0.3), (0.1, 0.1), (0.5, 0.5), (0.05, 0.5), (0.2, 0.3))
"""Errors of the candidates, from the first to the last, before replies on which they agree are left out."""


@dataclass(frozen=True, slots=True)
class Exact:
    """Coverage of one design, worked out over every outcome, and the mean width."""

    covered: float
    width: float


@dataclass(frozen=True, slots=True)
class Task:
    """What one cell draws."""

    sort: str
    values: tuple[float, ...]


def section(plan: Plan) -> Section:
    """The tables."""
    found = Section(["## Scorers: error by a person's ratings of two strata", ""])
    found.lines.append(
        f"A scorer fixed in advance: at least {COVERED} in every design, exactly, by every outcome. Bold: beyond."
    )
    _fixed(found)
    tasks = [Task("chosen", (n, weight, k)) for n in RATINGS for weight in (0.5, 0.8, 0.95) for k in CANDIDATES]
    tasks += [Task("run", (n, weight)) for n in RATINGS for weight in (0.5, 0.8)]
    tasks += [Task("gap", (n, models)) for n in (40, 120) for models in (2, 4)]
    cells = dict(zip(tasks, plan.each(measure, tasks), strict=True))
    for task, cell in cells.items():
        found.check(f"scorers, {task.sort} {task.values}", cell)
    found.lines.append("The scorer of least error by the same ratings: least coverage over how the candidates' errors lie.")
    found.table(["candidates", *map(str, CANDIDATES)], [
        [f"{n} ratings, weight {weight:g}", *(cells[Task("chosen", (n, weight, k))] for k in CANDIDATES)]
        for n in RATINGS for weight in (0.5, 0.8, 0.95)
    ] + [["stated", *(f"{CHOSEN_COVERAGE[k]:.2f}".removeprefix("0") for k in CANDIDATES)]])  # fmt: skip
    found.table(["through the bench: 120 replies, 3 scorers, without replacement", *(f"weight {w:g}" for w in (0.5, 0.8))], [
        [f"{n} ratings", *(cells[Task("run", (n, weight))] for weight in (0.5, 0.8))] for n in RATINGS
    ])  # fmt: skip
    found.table(["models on which a scorer errs alike are called different", "2 models", "4 models"], [
        [f"{n} ratings", *(cells[Task("gap", (n, models))] for models in (2, 4))] for n in (40, 120)
    ])  # fmt: skip
    return found


def _fixed(found: Section) -> None:
    """Coverage of every design of strata, errors and ratings, none drawn."""
    rows = []
    for n in RATINGS:
        for weight in WEIGHTS:
            n_agree = agreeing(n, weight)
            designs = {(a, d): each for (a, d), each in fixed(n, weight).items()}
            (a, d), least = min(designs.items(), key=lambda design: design[1].covered)
            cell = found.check(f"scorers, fixed {n} {weight} at {a} and {d}", exact_cell(least.covered))
            width = sum(each.width for each in designs.values()) / len(designs)
            rows.append((f"{n}: {n_agree} + {n - n_agree}", f"{weight:g}", cell, f"{a:g} / {d:g}", f"{width:.2f}"))
    columns = ["ratings: agree + differ", "weight of agreement", "least coverage", "at errors", "mean width"]
    found.table(columns, rows)


def exact_cell(covered: float) -> Cell:
    """A rate that is known, not drawn."""
    return Cell(covered * UNITS, UNITS, least=COVERED)


def agreeing(n: int, weight: float) -> int:
    """Ratings of the stratum of agreement, of the first n."""
    return math.ceil(n * agreeing_share(round(weight * UNITS), round((1 - weight) * UNITS)) - 1e-9)


def limits(n: int, weight: float) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends by the wrong ones of each stratum's ratings."""
    n_agree = agreeing(n, weight)
    sizes = round(weight * UNITS), round((1 - weight) * UNITS)
    ends = [
        [stratified_rate([StratumCount(sizes[0], n_agree, a), StratumCount(sizes[1], n - n_agree, d)])
         for d in range(n - n_agree + 1)]
        for a in range(n_agree + 1)
    ]  # fmt: skip
    return (np.array([[each.low for each in row] for row in ends]), np.array([[each.high for each in row] for row in ends]))


def fixed(n: int, weight: float, errors: Sequence[float] = ERRORS) -> dict[tuple[float, float], Exact]:
    """By the errors in both strata: how often the interval holds the error of all, and its mean width."""
    n_agree = agreeing(n, weight)
    low, high = limits(n, weight)
    designs = {}
    for a in errors:
        for d in errors:
            chance = np.outer(_binomial(n_agree, a), _binomial(n - n_agree, d))
            truth = weight * a + (1 - weight) * d
            held = (low <= truth + 1e-9) & (truth <= high + 1e-9)
            designs[a, d] = Exact(float((chance * held).sum()), float((chance * (high - low)).sum()))
    return designs


def _binomial(n: int, rate: float) -> np.ndarray:
    return np.array([comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)])


def measure(plan: Plan, task: Task) -> Cell:
    """Draws of one cell."""
    random = plan.random(task.sort, task.values)
    if task.sort == "chosen":
        n, weight, k = task.values
        draws = 500 if plan.short else 20_000
        cells = [chosen(random, int(n), weight, int(k), spread, agree, draws)
                 for spread in SPREADS for agree in (0.02, 0.1)]  # fmt: skip
        return min(cells, key=lambda cell: cell.rate)
    works: dict[str, Callable[[np.random.Generator, float, float], bool]] = {"run": _run, "gap": _gap}
    draws = 100 if plan.short else 2_000
    held = sum(works[task.sort](random, *task.values) for _ in range(draws))
    return Cell(held, draws, most=CLAIMED) if task.sort == "gap" else Cell(held, draws, least=COVERED)


def chosen(
    random: np.random.Generator, n: int, weight: float, k: int, spread: tuple[float, float], agree: float, draws: int
) -> Cell:
    """Draws of ratings by which the candidate of least error is taken; candidates err alike where all agree."""
    n_agree = agreeing(n, weight)
    low, high = limits(n, weight)
    rates = np.linspace(*spread, k)
    all_wrong, all_right = (rates.prod(), (1 - rates).prod()) if k > 1 else (0.0, 0.0)
    truths = weight * agree + (1 - weight) * (rates - all_wrong) / (1 - all_wrong - all_right)
    wrong = random.random((draws, n - n_agree, k)) < rates
    while k > 1 and (alike := wrong.all(axis=2) | (~wrong).all(axis=2)).any():
        wrong[alike] = random.random((int(alike.sum()), k)) < rates
    both = random.binomial(n_agree, agree, draws)
    counts = wrong.sum(axis=1)
    taken = counts.argmin(axis=1)
    least = counts[np.arange(draws), taken]
    held = (low[both, least] <= truths[taken] + 1e-9) & (truths[taken] <= high[both, least] + 1e-9)
    return Cell(int(held.sum()), draws, least=CHOSEN_COVERAGE[k])


def _run(random: np.random.Generator, n: float, weight: float) -> bool:
    """A run of 120 replies of two models, rated in the bench's order; whether the first scorer's interval holds its error."""
    right = random.random(120) < 0.6
    differ = np.arange(120) >= weight * 120
    wrong = np.where(differ, random.random(120) < 0.3, random.random(120) < 0.05)
    replies = []
    for place in range(120):
        first = bool(right[place] != wrong[place])
        other = first != bool(differ[place])
        replies.append(BenchReply(place, "ab"[place % 2], {"first": first, "second": other, "third": first}))
    order = rating_order(replies, int(random.integers(1 << 30)))
    ratings = {reply.place: bool(right[int(str(reply.place))]) for reply in order[: int(n)]}
    error = scorer_errors(replies, ratings)[0].error
    return error.low - 1e-9 <= float(wrong.mean()) <= error.high + 1e-9


def _gap(random: np.random.Generator, n: float, models: float) -> bool:
    """A run of 600 replies on which a scorer errs alike, too strictly and too leniently; whether it is said to move ranks."""
    replies, truths = [], {}
    for place in range(600):
        right, wrong, differs = (bool(random.random() < share) for share in (0.6, 0.15, 0.3))
        verdict = right != wrong
        replies.append(BenchReply(place, f"m{place % int(models)}", {"first": verdict, "second": verdict != differs}))
        truths[place] = right
    order = rating_order(replies, int(random.integers(1 << 30)))
    ratings = {reply.place: truths[int(str(reply.place))] for reply in order[: int(n)]}
    assert {reply.stratum for reply in order[:8]} > {AGREE}
    return bool(scorer_errors(replies, ratings)[0].gaps)
