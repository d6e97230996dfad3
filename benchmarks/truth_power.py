"""Is a difference that is said to be detectable found in four of five, and a drop that is said to be caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from truth_cells import Cell, Plan, Section
from truth_designs import CLUSTERS, LAWS, Design, Floats, Law, draw_items

from tui_eval.statistics.paired import mcnemar_below, mcnemar_exact
from tui_eval.statistics.power import caught_drop, detectable_share
from tui_eval.statistics.score_differences import ScoreDifference, score_difference

LEAST, MOST = 0.75, 0.90
"""How often what is said to be found in four of five must be."""
LEVELS = {"alone": 0.95, "as one of 18": 1 - 0.05 / 18}
SHARES = (0.03, 0.1, 0.2, 0.4)
USUALLY = 0.9
DRAWS = 200
"""As many draws as of so many units, since each is two comparisons."""
two_sides, one_side = lru_cache(maxsize=None)(mcnemar_exact), lru_cache(maxsize=None)(mcnemar_below)


@dataclass(frozen=True, slots=True)
class Case:
    """What is planted: units, the share of them that changes, or a law of their scores; the name of the level."""

    units: int
    named: str
    share: float = 0.0
    law: Law | None = None
    grouped: bool = False

    def __str__(self) -> str:
        many = ", 5 items each" if self.grouped else ""
        return f"{self.law.name if self.law else f'{self.share:.0%} change'}{many}, {self.named}"


def section(plan: Plan) -> Section:
    """The tables of detectable differences and of caught drops."""
    found = Section(["## Power: how often what is said to be found in 4 of 5 is found"])
    found.lines += [
        "",
        f"{LEAST} to {MOST} of draws, each of which says its own difference. In brackets the share of draws in which none is",
        "said, or none so large can be: without a bound where that is more than a tenth. None for error rates, either, which",
        "grow by a factor: how much further larger ones scatter a few do not tell.",
    ]
    units = plan.sizes((20, 40, 100, 200, 505), (40, 100))
    shares = [Case(n, named, share) for n in units for share in SHARES for named in LEVELS]
    laws = [law for law in LAWS if law.bounded]
    scores = [Case(n, named, 0, law, grouped) for n in units for law in laws for grouped in (False, True) for named in LEVELS]
    for title, work, cases in (
        ("detectable difference of accuracies, McNemar", detect_share, shares),
        ("caught drop of an accuracy", catch_share, shares),
        ("detectable difference of scores", detect_score, scores),
    ):
        rows = dict(zip(cases, plan.each(work, cases), strict=True))
        for case, (cell, _) in rows.items():
            found.check(f"{title}, {case}, n {case.units}", cell)
        cells = {(str(case), case.units): text_of(row) for case, row in rows.items()}
        names = dict.fromkeys(name for name, _ in cells)
        found.table([title, *map(str, units)], [[name, *(cells[name, n] for n in units)] for name in names])
    return found


def text_of(row: tuple[Cell, float]) -> str:
    """How often it is found, and how often nothing is said where that is more than never."""
    cell, silent = row
    return (str(cell) if cell.draws else "-") + (f" ({silent:.2f})" if silent else "")


def drawn_counts(random: np.random.Generator, n: int, one_way: float, other: float) -> tuple[int, int]:
    """Of n items how many change one way, and the other."""
    first, second, _ = random.multinomial(n, [one_way, other, max(1 - one_way - other, 0.0)])
    return int(first), int(second)


def detect_share(plan: Plan, case: Case) -> tuple[Cell, float]:
    """Two equal models are compared; then two that differ by what that comparison said it would show."""
    random, draws, level = plan.random("detect", case), plan.draws(DRAWS), LEVELS[case.named]
    found = said = 0
    for _ in range(draws):
        difference = detectable_share(case.units, sum(drawn_counts(random, case.units, case.share / 2, case.share / 2)), level)
        if difference is not None:
            differing = max(case.share, difference)
            b, c = drawn_counts(random, case.units, (differing + difference) / 2, (differing - difference) / 2)
            said, found = said + 1, found + (b > c and two_sides(b, c) < 1 - level)
    return within(found, said, draws), 1 - said / draws


def catch_share(plan: Plan, case: Case) -> tuple[Cell, float]:
    """An unchanged build is compared with its baseline; then one that dropped by what that line says it would catch."""
    random, draws, alpha = plan.random("catch", case), plan.draws(DRAWS), 1 - LEVELS[case.named]
    found = said = 0
    for _ in range(draws):
        churn = sum(drawn_counts(random, case.units, case.share / 2, case.share / 2)) / case.units
        drop = caught_drop(case.units, churn, alpha)
        if drop is not None and drop <= 1 - case.share:
            b, c = drawn_counts(random, case.units, case.share / 2, case.share / 2 + drop)
            said, found = said + 1, found + (one_side(b, c) < alpha)
    return within(found, said, draws), 1 - said / draws


def detect_score(plan: Plan, case: Case) -> tuple[Cell, float]:
    """The same of scores of one law: the second comparison is moved by what the first said."""
    level = LEVELS[case.named]

    def wanted(first: ScoreDifference) -> float | None:
        difference = first.detectable(level)
        return difference if difference <= first.span else None

    return moved_scores(plan, case, wanted, lambda second: second.value > 0 and second.p < 1 - level)


def moved_scores(
    plan: Plan, case: Case, wanted: Callable[[ScoreDifference], float | None], found: Callable[[ScoreDifference], bool]
) -> tuple[Cell, float]:
    """How often a second side that is worse by what the first comparison said is found to be: the first less the second."""
    law, draws = case.law, plan.draws(DRAWS)
    assert law is not None
    design, random = Design(law, CLUSTERS[case.grouped], case.units), plan.random("scores", case)
    a, b, c, d = (np.concatenate(draw_items(design, random, draws), axis=1) for _ in range(4))
    clusters = np.repeat(np.arange(case.units), a.shape[1] // case.units).tolist()
    sign, span = (-1 if law.sigma else 1), law.high - law.low
    firsts = [score_difference(row, clusters, span) for row in (sign * (a - b)).tolist()]
    moves = [wanted(first) for first in firsts]
    worse, possible = worsened(law, d, np.array([move or 0.0 for move in moves]), random)
    said = [place for place, move in enumerate(moves) if move is not None and possible[place]]
    rows = (sign * (c - worse)).tolist()
    right = sum(found(score_difference(rows[place], clusters, span)) for place in said)
    return within(right, len(said), draws, not law.sigma), 1 - len(said) / draws


def worsened(law: Law, scores: Floats, moves: Floats, random: np.random.Generator) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Each draw's scores, worse by its move on average: more of them one step down, error rates by a factor; and whether so
    much can be."""
    if law.sigma:
        return scores * (1 + moves / law.mean)[:, None], np.ones(len(moves), bool)
    values = np.sort(np.array(law.values))
    place = np.searchsorted(values, scores)
    lower = values[np.maximum(place - 1, 0)]
    steps = values - values[np.maximum(np.arange(len(values)) - 1, 0)]
    chances = dict(zip(law.values, law.shares, strict=True))
    share = moves / float(np.dot(steps, [chances[value] for value in values.tolist()]))
    falls = random.uniform(size=scores.shape) < np.minimum(share, 1)[:, None]
    return np.where(falls, lower, scores), share <= 1


def within(found: int, said: int, draws: int, bounded: bool = True) -> Cell:
    """How often what was said was found; without a bound where it is said, and can be, in less than nine of ten draws."""
    if bounded and said >= USUALLY * draws:
        return Cell(float(found), said, LEAST, MOST)
    return Cell(float(found), said)
