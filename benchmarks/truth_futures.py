"""Do so many more items tell as often as is said: in 50 and in 80 of 100 futures that are drawn from estimate and error."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from truth_cells import Cell, Plan, Section

from tui_eval.statistics.bounded_means import bounded_mean
from tui_eval.statistics.estimates import wilson
from tui_eval.statistics.paired import mcnemar_exact, tango_p
from tui_eval.statistics.power import (
    Futures,
    items_to_exclude,
    items_to_exclude_mean,
    items_to_exclude_share,
    more_items,
)
from tui_eval.statistics.score_differences import score_difference
from tui_eval.statistics.share_forecast import more_answers

FIFTY, EIGHTY = (0.40, 0.60), (0.70, 0.90)
"""Between which shares of the futures those lie that are said to be 50 and 80 of 100."""
DRAWS = 200
LEVELS = (0.95, 1 - 0.05 / 18)
TIMES = (1.2, 1.6, 1.9)
"""How many standard errors the difference lies off 0 that is not shown yet."""
COUNTS = ((40, 5, 1), (40, 9, 3), (100, 5, 1), (100, 12, 5), (200, 10, 4), (505, 20, 10))
MARGINS = ((40, 2, 1, 0.05), (40, 1, 1, 0.02), (100, 3, 5, 0.05), (200, 8, 12, 0.05), (505, 20, 20, 0.02))
RIGHT = ((40, 36, 0.8), (40, 34, 0.8), (100, 84, 0.8), (100, 99, 0.97), (200, 170, 0.8))
MEANS = (
    ((5.0,) * 9 + (4.0,) * 3, 1.0, 5.0, 4.5),
    ((3.0, 4.0, 2.0, 5.0, 1.0, 4.0, 4.0, 3.0) * 2, 1.0, 5.0, 2.75),
    ((1.0,) * 30 + (0.5,) * 4, 0.0, 1.0, 0.9),
)
JEFFREYS = 0.5
Told = Callable[[int], bool]
"""Whether one future of so many more items tells."""


def section(plan: Plan) -> Section:
    """The table."""
    found = Section(["## Futures: how often so many more items tell"])
    low, high = FIFTY, EIGHTY
    found.lines += [
        "",
        f"{low[0]} to {low[1]} of futures at the first number, {high[0]} to {high[1]} at the second; - where none is said.",
    ]
    rows = []
    for name, futures, told in (*differences(plan), *counts(plan), *margins(plan), *shares(plan), *means(plan)):
        draws = plan.draws(DRAWS)
        cells = [cell_of(more, told, draws, bounds) for more, bounds in zip(futures, (FIFTY, EIGHTY), strict=True)]
        for cell, said in zip(cells, ("50", "80"), strict=True):
            found.check(f"futures, {name}, {said} of 100", cell)
        rows.append([name, *(f"{more:,}: {cell}" if more else "-" for more, cell in zip(futures, cells, strict=True))])
    found.table(["what is known", "50 of 100", "80 of 100"], rows)
    return found


def cell_of(more: int | None, told: Told, draws: int, bounds: tuple[float, float]) -> Cell:
    """Draws of futures of so many more items."""
    return Cell(float(sum(told(more) for _ in range(draws))), draws, *bounds) if more else Cell(0.0, 0)


def differences(plan: Plan) -> list[tuple[str, Futures, Told]]:
    """Scores whose difference lies so many errors off 0."""
    return [scores_of(plan, n, times, level) for n in (8, 12, 40, 100) for times in TIMES for level in LEVELS]


def scores_of(plan: Plan, n: int, times: float, level: float) -> tuple[str, Futures, Told]:
    """Normal differences of mean such that t is as asked; the future's spread is that of the error."""
    random, span = plan.random("scores", n, times, level), 8.0
    seen = random.normal(size=n)
    seen = (seen - seen.mean()) / seen.std(ddof=1) + times / math.sqrt(n)
    first = score_difference(seen.tolist(), range(n), span)
    futures = more_items(first.value, first.error, n, level)

    def told(more: int) -> bool:
        truth = random.normal(first.value, first.error)
        pooled = np.concatenate([seen, random.normal(truth, first.error * math.sqrt(n), more)])
        return score_difference(pooled.tolist(), range(n + more), span).p < 1 - level

    return f"scores, n {n}, {times} errors off, level {level:.3f}", futures, told


def counts(plan: Plan) -> list[tuple[str, Futures, Told]]:
    """Accuracies and the exact McNemar test."""
    return [counts_of(plan, n, b, c, level) for n, b, c in COUNTS for level in LEVELS]


def counts_of(plan: Plan, n: int, b: int, c: int, level: float) -> tuple[str, Futures, Told]:
    """b only the one has right, c only the other; the shares drawn from what these counts say after Jeffreys."""
    random = plan.random("counts", n, b, c, level)

    def told(more: int) -> bool:
        new = random.multinomial(more, random.dirichlet([b + JEFFREYS, c + JEFFREYS, n - b - c + JEFFREYS]))
        return mcnemar_exact(b + int(new[0]), c + int(new[1])) < 1 - level

    return f"right and wrong, {b} to {c} of {n}, level {level:.3f}", more_answers(b, c, n, level), told


def margins(plan: Plan) -> list[tuple[str, Futures, Told]]:
    """Tango's interval and a margin."""
    return [margin_of(plan, n, b, c, margin) for n, b, c, margin in MARGINS]


def margin_of(plan: Plan, n: int, b: int, c: int, margin: float) -> tuple[str, Futures, Told]:
    """The interval leaves the margin out on the value's side."""
    random, above = plan.random("margins", n, b, c, margin), (b - c) / n > -margin

    def told(more: int) -> bool:
        new = random.multinomial(more, random.dirichlet([b + JEFFREYS, c + JEFFREYS, n - b - c + JEFFREYS]))
        p = tango_p(b + int(new[0]), c + int(new[1]), n + more, margin)
        return (1 - p if above else p) < 0.025

    return f"margin {margin:.0%}, {b} to {c} of {n}", items_to_exclude(b, c, n, margin), told


def shares(plan: Plan) -> list[tuple[str, Futures, Told]]:
    """Wilson's interval and a threshold."""
    return [share_of(plan, n, right, threshold) for n, right, threshold in RIGHT]


def share_of(plan: Plan, n: int, right: int, threshold: float) -> tuple[str, Futures, Told]:
    """The interval leaves the threshold out on the share's side."""
    random, above = plan.random("shares", n, right, threshold), right / n > threshold

    def told(more: int) -> bool:
        pooled = right + int(random.binomial(more, random.beta(right + JEFFREYS, n - right + JEFFREYS)))
        low, high = wilson(pooled, n + more) or (0.0, 1.0)
        return low > threshold if above else high < threshold

    return f"threshold {threshold:.0%}, {right} of {n} right", items_to_exclude_share(right / n, n, threshold), told


def means(plan: Plan) -> list[tuple[str, Futures, Told]]:
    """The interval of a bounded mean and a threshold."""
    return [mean_of(plan, *known) for known in MEANS]


def mean_of(plan: Plan, values: tuple[float, ...], low: float, high: float, threshold: float) -> tuple[str, Futures, Told]:
    """The shares of the values drawn from a Dirichlet distribution with their counts."""
    random, n = plan.random("means", values, threshold), len(values)
    above = sum(values) / n > threshold
    support, counted = np.unique(np.array(values), return_counts=True)

    def told(more: int) -> bool:
        new = counted + random.multinomial(more, random.dirichlet(counted))
        ends = bounded_mean(np.repeat(support, new).tolist(), low, high)
        return ends[0] > threshold if above else ends[1] < threshold

    name = f"threshold {threshold:g} on {low:g} to {high:g}, mean {sum(values) / n:.2f} of {n}"
    return name, items_to_exclude_mean(values, low, high, threshold), told
