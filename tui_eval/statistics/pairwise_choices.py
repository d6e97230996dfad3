"""A judge's choices between two answers: both orders, win rates, strengths of several models, and what length does to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Literal

from tui_eval.statistics.clusters import degrees_of_clusters, inside_variance, unequal_widening
from tui_eval.statistics.estimates import clustered_wilson, student_t
from tui_eval.statistics.paired import mcnemar_exact, tango
from tui_eval.statistics.resampling import DRAWS, FEWEST, Interval, clustered, drawn_places, interval_of, too_few
from tui_eval.statistics.score_differences import score_difference

Choice = Literal["A", "B", "tie"]
"""Which of two models the judge prefers, whatever place its answer stood in."""
STEPS = 200
"""Of Newton's method at most; a few are usual."""
CONVERGED = 1e-10
ELO = 400 / math.log(10)


@dataclass(frozen=True, slots=True)
class SwappedChoices:
    """Model A against model B over n items that were judged in both orders, and how much the order decides."""

    n: int
    left_out: int
    """Items of which a choice is missing in either order."""
    wins: int
    """Both orders prefer A."""
    losses: int
    ties: int
    """Both say tie, or the orders contradict each other."""
    win_rate: float | None
    """(wins + ties / 2) / n."""
    low: float | None
    high: float | None
    consistency: float | None
    """Share of items with the same choice in both orders."""
    first_n: int
    """Choices that are no tie."""
    first_share: float | None
    """Share of these that prefer what stood first: one half without a bias."""
    p_position: float | None
    """Two-sided p of as many contradictions that take what stood first both times as of those that take the second."""
    first_first: int = 0
    """Items of which both choices took what stood first: a contradiction."""
    second_second: int = 0
    lean: float | None = None
    """(first_first - second_second) / n: above 0 where it prefers what stands first."""
    lean_low: float | None = None
    """The 95 % interval that goes with the p."""
    lean_high: float | None = None


def swapped_choices(
    choices: Sequence[tuple[Choice | None, Choice | None]], clusters: Sequence[Hashable] | None = None
) -> SwappedChoices:
    """Of items, each (choice with A's answer first, choice with B's answer first); None where a reply could not be read.

    Disagreement is a tie (METHOD.md 2.7, D9; Zheng et al. 2023). Intervals are Wilson's by cluster, such as conversations.
    Preference for a place shows in items whose two choices contradict each other: both took what stood first, or both the
    second. Where items share clusters, a t test by cluster over all items (1, -1, and 0 without a contradiction), since a taste
    for a model that varies by conversation also makes contradictions; else the exact sign test of them, and Tango's interval.
    ValueError where the lengths differ.
    """
    names = range(len(choices)) if clusters is None else clusters
    both = [(a, b, name) for (a, b), name in zip(choices, names, strict=True) if a is not None and b is not None]
    n, left_out = len(both), len(choices) - len(both)
    values = [{"A": 1.0, "B": 0.0, "tie": 0.5}[a] if a == b else 0.5 for a, b, _ in both]
    same = [float(a == b) for a, b, _ in both]
    wins, losses = values.count(1.0), values.count(0.0)
    decided = sum((a != "tie") + (b != "tie") for a, b, _ in both)
    first = sum((a == "A") + (b == "B") for a, b, _ in both)
    low, high = _wilson(values, [name for *_, name in both])
    places = [(a, b) == ("A", "B") for a, b, _ in both], [(a, b) == ("B", "A") for a, b, _ in both]
    p, *lean = _lean(*places, [name for *_, name in both]) if n else (None, None, None, None)
    return SwappedChoices(
        n, left_out, wins, losses, n - wins - losses, fmean(values) if n else None, low, high,
        fmean(same) if n else None, decided, first / decided if decided else None, p if decided else None,
        sum(places[0]), sum(places[1]), *lean,
    )  # fmt: skip


def _lean(first: Sequence[bool], second: Sequence[bool], names: Sequence[Hashable]) -> tuple[float, float, float, float]:
    """p, lean and its interval of items whose two choices both took what stood first, or both the second."""
    if len(set(names)) == len(names):
        b, c, n = sum(first), sum(second), len(names)
        return mcnemar_exact(b, c), (b - c) / n, *tango(b, c, n)
    off = [float(first_choice) - float(second_choice) for first_choice, second_choice in zip(first, second, strict=True)]
    difference = score_difference(off, names, 1.0)
    return difference.p, difference.value, *difference.interval()


def _wilson(values: Sequence[float], names: Sequence[Hashable]) -> tuple[float, float] | tuple[None, None]:
    groups = clustered(values, names)
    interval = clustered_wilson(list(map(math.fsum, groups)), list(map(len, groups)))
    return interval[:2] if interval else (None, None)


Wins = Sequence[Sequence[float]]
"""How often each model (row) is preferred to each other (column); a tie is half a win for both."""


@dataclass(frozen=True, slots=True)
class Strengths:
    """Bradley-Terry strengths of models, in the order of the table; none where `why` says so."""

    beta: tuple[float, ...] | None
    """Natural logarithms of the odds, with mean 0."""
    elo: tuple[float, ...] | None
    """1000 + 400/ln 10 · beta."""
    pseudo_wins: bool
    """Whether half a win was added to both sides of every pair that met: a model that won or lost everything has no
    finite strength otherwise."""
    n: float
    """Choices that they rest on."""
    why: str = ""

    def chance(self, a: int, b: int) -> float | None:
        """Return the probability that model a is preferred to model b."""
        return None if self.beta is None else _sigma(self.beta[a] - self.beta[b])


def bradley_terry(wins: Wins) -> Strengths:
    """Strengths by maximum likelihood: the β that maximise Σ w_ij·ln σ(β_i - β_j) (METHOD.md 2.7), Newton's method.

    None where the models fall into groups that never met. ValueError unless the table is square without negative counts.
    """
    if any(len(row) != len(wins) or min(row, default=0) < 0 for row in wins):
        raise ValueError("wins are a square table of counts")
    n = math.fsum(wins[i][j] for i in range(len(wins)) for j in range(len(wins)) if i != j)
    if len(wins) < 2 or not _connected(wins, lambda i, j: wins[i][j] + wins[j][i] > 0):
        return Strengths(None, None, False, n, "some of the models never met, not even through others")
    pseudo = not _connected(wins, lambda i, j: wins[i][j] > 0)
    beta = _fitted(_padded(wins) if pseudo else wins)
    return Strengths(tuple(beta), tuple(1000 + ELO * value for value in beta), pseudo, n)


def bradley_terry_intervals(tables: Sequence[Wins], draws: int = DRAWS) -> list[Interval]:
    """Percentile intervals of Elo by model: whole questions, each given by its table of wins, are drawn (METHOD.md 2.7)."""
    whole = _total(tables)
    strengths = bradley_terry(whole)
    many, models = len(tables), len(whole)
    if strengths.beta is None:
        return [Interval(None, None, many, 0, why=strengths.why)] * models
    if many < FEWEST:
        return [too_few(many, "questions or conversations")] * models
    ordered = sorted(tables, key=lambda table: [list(row) for row in table])
    elos = [bradley_terry(_total([ordered[place] for place in places])).elo for places in drawn_places(many, draws)]
    degrees = degrees_of_clusters([math.fsum(map(math.fsum, table)) for table in tables])
    return [interval_of([None if elo is None else elo[model] for elo in elos], many, degrees) for model in range(models)]


def _total(tables: Sequence[Wins]) -> list[list[float]]:
    return [[math.fsum(column) for column in zip(*rows, strict=True)] for rows in zip(*tables, strict=True)]


def _padded(wins: Wins) -> list[list[float]]:
    """With half a win more on both sides of every pair that met."""
    return [
        [w + 0.5 * (i != j and w + wins[j][i] > 0) for j, w in enumerate(row)]
        for i, row in enumerate(wins)
    ]  # fmt: skip


def _connected(wins: Wins, linked: Callable[[int, int], bool]) -> bool:
    """Return whether every model is reached from the first along the links, and the first from every one."""

    def reached(step: Callable[[int, int], bool]) -> int:
        visited, new = {0}, [0]
        while new:
            i = new.pop()
            more = [j for j in range(len(wins)) if j not in visited and step(i, j)]
            visited.update(more)
            new += more
        return len(visited)

    return reached(linked) == len(wins) == reached(lambda i, j: linked(j, i))


def _sigma(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _log_sigma(x: float) -> float:
    return -math.log1p(math.exp(-x)) if x >= 0 else x - math.log1p(math.exp(x))


def _fitted(wins: Wins) -> list[float]:
    """The strengths of most likelihood, with mean 0."""
    k = len(wins)
    pairs = [(i, j) for i in range(k) for j in range(k) if i != j and wins[i][j]]

    def likelihood(at: Sequence[float]) -> float:
        return math.fsum(wins[i][j] * _log_sigma(at[i] - at[j]) for i, j in pairs)

    def slope_and_curve(beta: Sequence[float]) -> tuple[list[float], list[list[float]]]:
        slope, curve = [0.0] * k, [[1.0 / k] * k for _ in range(k)]  # the added constant fixes the mean
        for i, j in pairs:
            lost = _sigma(beta[j] - beta[i])
            push, bend = wins[i][j] * lost, wins[i][j] * lost * (1 - lost)
            slope[i], slope[j] = slope[i] + push, slope[j] - push
            curve[i][i], curve[j][j] = curve[i][i] + bend, curve[j][j] + bend
            curve[i][j], curve[j][i] = curve[i][j] - bend, curve[j][i] - bend
        return slope, curve

    beta = _most_likely([0.0] * k, likelihood, slope_and_curve)
    centre = fmean(beta)
    return [value - centre for value in beta]


def _most_likely(
    at: list[float],
    likelihood: Callable[[Sequence[float]], float],
    slope_and_curve: Callable[[Sequence[float]], tuple[list[float], list[list[float]]]],
) -> list[float]:
    """Newton's method on a concave likelihood, from a place, a step halved until it is no worse."""
    best = likelihood(at)
    for _ in range(STEPS):
        slope, curve = slope_and_curve(at)
        step = _solved(curve, slope)
        at, gained = _damped_step(at, step, likelihood, best)
        best += gained
        if max(map(abs, step)) < CONVERGED or gained == 0:
            break
    return at


def _damped_step(
    at: list[float], step: Sequence[float], likelihood: Callable[[Sequence[float]], float], best: float
) -> tuple[list[float], float]:
    """The step, or as much of it as does not lower the likelihood, and what that gains."""
    share = 1.0
    while share > CONVERGED:
        there = [value + share * change for value, change in zip(at, step, strict=True)]
        gained = likelihood(there) - best
        if gained >= 0:
            return there, gained
        share /= 2
    return at, 0.0


def _solved(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """Of a symmetric positive definite matrix: Gauss's elimination from the top down."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    n = len(rows)
    for i in range(n):
        for j in range(i + 1, n):
            factor = rows[j][i] / rows[i][i]
            if factor:
                rows[j] = [below - factor * above for below, above in zip(rows[j], rows[i], strict=True)]
    solution = [0.0] * n
    for i in reversed(range(n)):
        solution[i] = (rows[i][n] - math.fsum(rows[i][j] * solution[j] for j in range(i + 1, n))) / rows[i][i]
    return solution


@dataclass(frozen=True, slots=True)
class LengthControlled:
    """A win rate as it would be if both answers were equally long; a diagnostic beside the raw one."""

    n: int
    raw: float
    rate: float | None
    """σ(theta); None where `why` says so."""
    theta: float | None
    phi: float | None
    """How much length counts: 0 not at all, above 0 where the longer answer is preferred."""
    why: str = ""
    low: float | None = None
    """95 % interval of the rate; None for fewer than two clusters."""
    high: float | None = None


def length_controlled(
    values: Sequence[float], longer_by: Sequence[float], clusters: Sequence[Hashable] | None = None
) -> LengthControlled | None:
    """From each item's value for model A (1 win, 0.5 tie, 0 loss) and by how much A's answer is longer than B's.

    P(win) = σ(θ + φ·tanh(Δ / sd(Δ))), fitted by logistic regression; rate σ(θ) (Dubois et al. 2024, 2404.04475, without
    its penalty; METHOD.md 4.5). The interval is that of θ, by the error of the fit clustered as CR1 (Liang and Zeger 1986) and
    Student's t with C - 1 degrees of freedom, as of a mean (METHOD.md 1.3), wider of clusters of unequal size
    (`unequal_widening`, `degrees_of_clusters`); each item is a cluster where none are given. It is never narrower than that of
    as many items by themselves, each won or lost: so many ties do not show that nothing else can come.
    None of no item; no rate where all are equally longer, or where length alone parts wins
    from losses, which has no finite fit. ValueError where the lengths differ.
    """
    if len(values) != len(longer_by):
        raise ValueError(f"{len(values)} choices and {len(longer_by)} differences of length")
    if not values:
        return None
    n, raw = len(values), fmean(values)
    spread = stdev(longer_by) if n > 1 else 0.0
    if not spread:
        return LengthControlled(n, raw, None, None, None, "every answer is longer by the same")
    x = [math.tanh(by / spread) for by in longer_by]
    if _parted(values, x):
        return LengthControlled(n, raw, None, None, None, "length alone parts wins from losses: the fit has no end")
    theta, phi = _logistic(values, x)
    half = _error(values, x, (theta, phi), range(n) if clusters is None else clusters)
    low, high = (None, None) if half is None else (_sigma(theta - half), _sigma(theta + half))
    return LengthControlled(n, raw, _sigma(theta), theta, phi, low=low, high=high)


def _error(values: Sequence[float], x: Sequence[float], fit: tuple[float, float], clusters: Sequence[Hashable]) -> float | None:
    """Half the 95 % interval of a fit's intercept, whole clusters varying; None for fewer than two."""
    chances = [_sigma(fit[0] + fit[1] * place) for place in x]
    row = _solved(_bend(chances, x), [1.0, 0.0])
    leaning = [(value - chance) * (row[0] + row[1] * p) for value, chance, p in zip(values, chances, x, strict=True)]
    groups = clustered(leaning, clusters)
    sums, sizes, many = list(map(math.fsum, groups)), list(map(len, groups)), len(groups)
    if many < 2:
        return None
    variance = math.fsum(total * total for total in sums) * many / (many - 1)
    variance *= unequal_widening(sums, inside_variance(groups), sizes)
    variance = max(variance, row[0])
    return student_t(0.975, degrees_of_clusters(sizes)) * math.sqrt(variance)


def _parted(values: Sequence[float], x: Sequence[float]) -> bool:
    """Return whether a threshold of x has everything that counts as a win on one side, and as a loss on the other."""
    wins = [at for value, at in zip(values, x, strict=True) if value > 0]
    losses = [at for value, at in zip(values, x, strict=True) if value < 1]
    return not wins or not losses or min(wins) >= max(losses) or max(wins) <= min(losses)


def _logistic(values: Sequence[float], x: Sequence[float]) -> list[float]:
    """Intercept and slope by maximum likelihood."""

    def likelihood(at: Sequence[float]) -> float:
        lines = [at[0] + at[1] * place for place in x]
        return math.fsum(
            value * _log_sigma(line) + (1 - value) * _log_sigma(-line) for value, line in zip(values, lines, strict=True)
        )

    def slope_and_curve(at: Sequence[float]) -> tuple[list[float], list[list[float]]]:
        chances = [_sigma(at[0] + at[1] * place) for place in x]
        off = [value - chance for value, chance in zip(values, chances, strict=True)]
        return [math.fsum(off), math.fsum(o * p for o, p in zip(off, x, strict=True))], _bend(chances, x)

    return _most_likely([0.0, 0.0], likelihood, slope_and_curve)


def _bend(chances: Sequence[float], x: Sequence[float]) -> list[list[float]]:
    """Return the curvature of the likelihood of an intercept and a slope where wins have these chances."""
    bend = [chance * (1 - chance) for chance in chances]
    across = math.fsum(b * place for b, place in zip(bend, x, strict=True))
    return [[math.fsum(bend), across], [across, math.fsum(b * p * p for b, p in zip(bend, x, strict=True))]]
