"""Truth of what repeats of a run show: noise floors, how often a gate is red by chance, and the drop that it catches.

A run is drawn with two builds of each model, the functions that `tui-eval aa` calls say what they show, and further builds of
the same models try it. A cell fails only where a 99 % interval of its rate lies wholly beyond the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from random import Random
from statistics import fmean
from typing import Any

from truth_gates import CAUGHT, CAUGHT_MARKS, HEAD, MARK, NEAR, RIGHT, SHORT, Cell

from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.core.units import QUESTIONS, Unit
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.gate_noise import GatedSide, GateForm, changes, drawn_builds, gate_noise, is_red, pairs_of
from tui_eval.results.sums.gates import rule_on_changes, threshold_of
from tui_eval.results.sums.noise_floor import noise_floor
from tui_eval.results.sums.series import Series
from tui_eval.statistics.estimates import Z

DRAWS = 1000
COVERED = (0.92, 0.98)
"""Of pairs of builds that differ by less than the floor, which says 19 of 20."""
HELD = (0.93, 1.0)
"""Of intervals and upper ends that hold the true floor."""
TRULY = 300
"""Builds that say how often a gate is truly red."""
Values = list[float]


@dataclass(frozen=True, slots=True)
class Models:
    """Models of which each item has a level of its own: a chance of being right, or a mean mark."""

    n: int
    churn: float = 0.2
    metric: Metric = RIGHT
    models: int = 1
    document: int = 1
    """Items of one document."""

    def __str__(self) -> str:
        parts = [f"{self.metric.name}, n {self.n}, churn {self.churn:g}"]
        parts += [f"{self.models} models"] if self.models > 1 else []
        return ", ".join(parts + ([f"{self.document} a document"] if self.document > 1 else []))

    def levels(self, random: Random) -> list[Values]:
        """Of each model. Items are sure but for twice the churn, where they are coins; marks vary by five times the churn."""
        return [[self._level(random) for _ in range(self.n)] for _ in range(self.models)]

    def _level(self, random: Random) -> float:
        if self.metric == MARK:
            return random.gauss(3.5, 0.9)
        return 0.5 if random.random() < 2 * self.churn else float(random.random() < 0.75)

    def build(self, random: Random, levels: Values) -> Values:
        """The answers of one build."""
        if self.metric == RIGHT:
            return [float(random.random() < level) for level in levels]
        return [float(min(max(round(level + random.gauss(0, 5 * self.churn)), 1), 5)) for level in levels]

    def board(self, builds: Sequence[Sequence[Values]]) -> Board:
        """A run of these builds, of each model, as its repeats."""
        found = Board.empty(QUESTIONS, [self.metric])
        for model, repeats in enumerate(builds):
            for repeat, values in enumerate(repeats):
                for place, value in enumerate(values):
                    unit = Unit(f"q{place}", (f"d{place // self.document}", f"q{place}"))
                    found.add(unit, {}, repeat, [Score("answer", f"m{model}", 0, self.metric.name, value)])
        return found

    def run(self, random: Random, repeats: int = 2) -> tuple[list[Values], Board]:
        """Levels, and a run with repeats."""
        levels = self.levels(random)
        return levels, self.board([[self.build(random, own) for _ in range(repeats)] for own in levels])

    def within(self, levels: Values) -> float:
        """The true variance between builds of an item, as a mean over items."""
        if self.metric == RIGHT:
            return fmean(level * (1 - level) for level in levels)
        random = Random(1)
        return fmean(_variance([self.build(random, [level])[0] for _ in range(200)]) for level in levels)


def _variance(values: Values) -> float:
    mean = fmean(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def gated(board: Board, threshold: str = "") -> list[GatedSide]:
    """Every side of a run, held against the gate."""
    limit = threshold_of(threshold) if threshold else None
    return [GatedSide(side, board.metric(side), pairs_of(series), limit) for side, series in board.series.items()]


def covered(design: Models, answers: int, draws: int, random: Random) -> Cell:
    """Two further builds, of the means of so many answers each, that differ by less than the floor, where that is a figure."""
    held = tried = 0
    for _ in range(draws):
        (levels,), board = design.run(random)
        found = noise_floor(next(iter(board.series.values())), design.metric)
        if found is not None and found.known:
            tried += 1
            one, other = (fmean(fmean(design.build(random, levels)) for _ in range(answers)) for _ in range(2))
            held += abs(one - other) < found.floor(design.n, answers)[0]
    return Cell("two builds differ by less than the floor", f"{design}, {answers} answers each", held, tried, *COVERED)


def floor_held(design: Models, repeats: int, draws: int, random: Random) -> Cell:
    """Intervals of the floor that hold the true one."""
    held = 0
    for _ in range(draws):
        (levels,), board = design.run(random, repeats)
        found = noise_floor(next(iter(board.series.values())), design.metric)
        assert found is not None
        true, (_, low, high) = Z * sqrt(2 * design.within(levels) / design.n), found.floor(design.n)
        held += low <= true <= high and low < high
    return Cell("the interval holds the floor", f"{design}, {repeats} repeats", held, draws, *HELD)


def below(design: Models, draws: int, random: Random) -> Cell:
    """Floors that lie below the upper end, where that alone is said."""
    held = tried = 0
    for _ in range(draws):
        (levels,), board = design.run(random)
        found = noise_floor(next(iter(board.series.values())), design.metric)
        if found is not None and not found.known:
            tried += 1
            held += Z * sqrt(2 * design.within(levels) / design.n) <= found.floor(design.n)[2]
    return Cell("the floor is below its upper end", str(design), held, tried, *HELD)


def shuffled(n: int, draws: int, random: Random) -> Cell:
    """Floors of builds that ask in one order, which lie below what repeats in two orders give as their upper end."""
    design, held = Models(n), 0
    for _ in range(draws):
        likes = [[random.random() for _ in range(4)] for _ in range(n)]  # the chance of being right, by the order
        (repeats,) = [[design.build(random, [random.choice(own) for own in likes]) for _ in range(2)]]
        found = noise_floor(next(iter(design.board([repeats]).series.values())), design.metric)
        assert found is not None
        within = fmean(fmean(chance * (1 - chance) for chance in own) for own in likes)
        held += Z * sqrt(2 * within / n) <= found.floor(n)[2]
    return Cell("orders of options are below the upper end", f"n {n}", held, draws, *HELD)


def red_by_chance(design: Models, draws: int, random: Random) -> Cell:
    """Runs of which the gate is red as often by chance as is said, give or take 5 of 100."""
    held, form = 0, GateForm()
    for number in range(draws):
        levels, board = design.run(random)
        said = gate_noise(board, gated(board), form, design.n, str(number), 200)
        red = 0
        for _ in range(TRULY):
            again = design.board([[design.build(random, own) for _ in range(2)] for own in levels])
            sides = gated(again)
            red += is_red(form, sides, [drawn_builds(one.pairs, 0) for one in sides], again.items, "question")
        held += abs(said.red / said.draws - red / TRULY) <= NEAR
    return Cell("red by chance as often as is said", str(design), held, draws, 0.95, 1.0)


def red_at_a_threshold(design: Models, threshold: str, draws: int, random: Random) -> Cell:
    """The same of builds that score on average what the two did, held against a threshold."""
    held, form = 0, GateForm(against=False)
    for number in range(draws):
        _, board = design.run(random)
        sides = gated(board, threshold)
        said = gate_noise(board, sides, form, design.n, str(number))
        red = 0
        for _ in range(TRULY * 5):
            builds = [drawn_builds(one.pairs, random.getrandbits(design.n)) for one in sides]
            red += is_red(form, sides, builds, board.items, "question")
        held += abs(said.red / said.draws - red / (TRULY * 5)) <= NEAR
    return Cell("red at a threshold as often as is said", f"{design}, {threshold}", held, draws, 0.95, 1.0)


def planted(random: Random, board: Board, sides: Sequence[GatedSide], worse: Side, drop: float) -> bool | None:
    """Whether a build fails of which one side is worse by so much, while as much changes besides as in the two that there are.

    The drop is planted among answers that are right in both builds, or marks above the least in both, so that it comes on top.
    None where there is no room for it.
    """
    builds = [drawn_builds(one.pairs, random.getrandbits(len(board.items))) for one in sides]
    at = next(at for at, one in enumerate(sides) if one.side == worse)
    now, then = builds[at]
    low, step = sides[at].metric.low, 1.0
    sure = [place for place in range(len(board.items)) if min(now.total[place], then.total[place]) > low]
    share = drop * len(board.items) / step / max(len(sure), 1)
    if share > 1:
        return None
    builds[at] = (_fallen(now, {place for place in sure if random.random() < share}, step), then)
    found = changes(GateForm(), sides, builds, board.items, "question")
    rulings = rule_on_changes(found)
    return any(one.outcome == "FAIL" for one, change in zip(rulings, found, strict=True) if change is found[at])


def _fallen(series: Series, places: set[int], step: float) -> Series:
    """The same scores, less by a step at some places; each item has one."""
    found = Series()
    for place, total in enumerate(series.total):
        found.add(place, total - step * (place in places))
    return found


def caught(design: Models, tries: int, draws: int, random: Random) -> Cell:
    """Builds that fail of which a model is worse by what is named."""
    held = tried = 0
    for number in range(draws):
        _, board = design.run(random)
        sides = gated(board)
        side, drop = gate_noise(board, sides, GateForm(), design.n, str(number), 1).caught[0]
        found = [planted(random, board, sides, side, drop) for _ in range(tries)] if drop is not None else []
        known = [one for one in found if one is not None]
        tried, held = tried + len(known), held + sum(known)
    bounds = CAUGHT if design.metric == RIGHT else CAUGHT_MARKS
    return Cell("named drop is caught", str(design), held, tried, *bounds)


def none_caught(design: Models, draws: int, random: Random) -> Cell:
    """Builds that fail of which a model has lost all it can, where it is said that no drop is caught."""
    held = tried = 0
    for number in range(draws):
        levels, board = design.run(random)
        sides = gated(board)
        _, drop = gate_noise(board, sides, GateForm(), design.n, str(number), 1).caught[0]
        if drop is None:
            tried += 1
            lost = [[0.0] * design.n if own is levels[0] else design.build(random, own) for own in levels]
            both = design.board([[now, design.build(random, own)] for now, own in zip(lost, levels, strict=True)])
            ends = gated(both)
            found = changes(GateForm(), ends, [drawn_builds(one.pairs, 0) for one in ends], both.items, "question")
            held += rule_on_changes(found)[0].outcome == "FAIL"
    return Cell("no drop is caught", str(design), held, tried, 0.0, 0.8)


def trials(draws: int, seed: int, short: bool) -> list[Callable[[], Cell]]:
    """Every cell of the table, to be drawn; each from numbers of its own."""
    found: list[Callable[[], Cell]] = []

    def add(trial: Callable[..., Cell], *design: object, many: int = draws) -> None:
        found.append(partial(trial, *design, max(many, 10), Random(f"{seed} {trial.__name__} {list(map(str, design))}")))

    for n in (20, 100) if short else (20, 40, 100, 200):
        add(covered, Models(n), 1)
        add(covered, Models(n, 0.2, MARK), 1)
        add(covered, Models(n, 0.05, MARK), 3)
        add(floor_held, Models(n, 0.1), 2, many=draws if n < 100 else draws // 4)
    for n in (4, 12):
        add(floor_held, Models(n, 0.2), 2)
        add(floor_held, Models(n, 0.2, MARK), 3, many=draws // 4)
        add(below, Models(n, 0.1))
    for n in (4, 40):
        add(shuffled, n)
    for n, models in ((4, 1), (20, 3)) if short else ((4, 1), (10, 1), (20, 3), (40, 6), (100, 2)):
        add(red_by_chance, Models(n, models=models), many=draws // 20)
    add(red_by_chance, Models(20, 0.2, MARK, 2), many=draws // 20)
    add(red_at_a_threshold, Models(20), ">= 75 %", many=draws // 20)
    for design in (Models(60), Models(200, 0.1, models=3), Models(100, 0.2, MARK)) if short else (
        Models(40, 0.1), Models(60), Models(100, 0.05, models=2), Models(200, 0.1, models=3), Models(500, 0.1),
        Models(40, 0.2, MARK), Models(100, 0.2, MARK), Models(200, 0.1, MARK, 3), Models(100, 0.1, document=5),
    ):  # fmt: skip
        add(caught, design, 10, many=draws // 10)
    for n in (4, 10):
        add(none_caught, Models(n, models=3), many=draws // 4)
    return found


def section(plan: Any) -> Any:
    """The table as a section of `truth.py`."""
    from truth_cells import Section

    found = Section(["## Repeats: noise floors, gates that are red by chance, and the drops that are named", "", HEAD])
    for cell in plan.each(_drawn, trials(SHORT if plan.short else DRAWS, plan.seed, plan.short)):
        found.lines.append(cell.row())
        found.broken += [] if cell.holds else [cell.row()]
    return found


def _drawn(_: object, trial: Callable[[], Cell]) -> Cell:
    return trial()
