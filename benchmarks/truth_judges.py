"""Truth of what is said of judges: the corrected mean, the ladder, and three biases, each from planted truths.

A section of truth.py. The corrected mean: |bias| at most .02 from 20 labelled conversations, .05 at 8; coverage at least .92.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev
from typing import Any

import numpy as np
from truth_cells import Cell, Plan, Section

from tui_eval.statistics.judge_bias import partial_length_correlation, self_preference
from tui_eval.statistics.judge_correction import corrected_mean, lure_weights
from tui_eval.statistics.judge_ladder import STEPS, judge_ladder
from tui_eval.statistics.pairwise_choices import Choice, swapped_choices

Marks = np.ndarray[Any, np.dtype[np.float64]]
KEPT = 1 - np.array(STEPS)
PLACES = 200
"""Draws of a bootstrap, in place of 2,000."""
COVERAGE, WRONG = 0.92, 0.06
FEW, BIAS = 20, (0.05, 0.02)
"""From so many labelled conversations on the bias is at most the second, else the first."""
SURE = 2.576
"""Standard errors of a 99 % interval."""


def on_scale(values: Marks) -> Marks:
    """Marks of 1 to 5."""
    return np.clip(np.round(values), 1, 5).astype(float)


# --------------------------------------------------------------------------------------------------------- corrected mean

TURNS = ("1 or 9 turns, +1 in the long", "1 to 8 turns, +.15 a turn", "quality with length", "both", "3 turns each")
SIZES = ((8, 8, 30), (12, 8, 30), (20, 12, 30), (40, 20, 30), (40, 30, 30), (60, 40, 60), (120, 100, 100))
"""Conversations, those that are labelled, and labels."""


def conversations(random: np.random.Generator, many: int, design: str) -> list[tuple[Marks, Marks]]:
    """Of so many conversations a person's marks of every answer and the judge's."""
    found = []
    longs = random.permutation(many) < many // 2
    for place in range(many):
        turns = {TURNS[0]: 9 if longs[place] else 1, TURNS[4]: 3}.get(design, int(random.integers(1, 9)))
        better = {TURNS[2]: 0.15, TURNS[3]: -0.15}.get(design, 0.0) * (turns - 5)
        worth = random.normal(3.2, 0.8, turns) + random.normal(0, 0.4) + better
        off = {
            TURNS[0]: np.full(turns, float(longs[place])),
            TURNS[1]: 0.15 * np.arange(turns),
            TURNS[2]: 0.3 + random.normal(0, 0.5, turns),
            TURNS[3]: 0.12 * turns + random.normal(0, 0.5, turns),
            TURNS[4]: 0.4 + random.normal(0, 0.5, turns),
        }[design]
        found.append((on_scale(worth), on_scale(worth + off)))
    return found


@lru_cache(maxsize=16)
def truth_of(design: str) -> float:
    """The mean over conversations of a person's marks."""
    random = np.random.default_rng(99)
    return fmean(float(person.mean()) for _ in range(40) for person, _ in conversations(random, 2_000, design))


def labels_of(
    random: np.random.Generator, talks: Sequence[tuple[Marks, Marks]], size: tuple[int, int, int], active: bool
) -> dict[int, list[tuple[int, float]]]:
    """By conversation the answers that are labelled, round by round, each with its chance; active: where the judge errs."""
    many, labelled, left = size
    order = [int(c) for c in random.permutation(many)[:labelled]]
    got: dict[int, list[tuple[int, float]]] = {c: [] for c in order}
    gains = [np.abs(person - judge) + random.exponential(0.3, len(person)) + 0.05 for person, judge in talks]
    while left:
        before = left
        for c in order:
            pool = [i for i in range(len(talks[c][0])) if i not in {i for i, _ in got[c]}]
            if pool and left:
                even = np.full(len(pool), 1 / len(pool))
                chances = 0.5 * even + 0.5 * gains[c][pool] / gains[c][pool].sum() if active else even
                one = int(random.choice(len(pool), p=chances))
                got[c].append((pool[one], float(chances[one])))
                left -= 1
        if left == before:
            break
    return got


@dataclass(frozen=True, slots=True)
class Corrected:
    """A design of a corrected mean, by draws."""

    bias: float
    error: float
    coverage: Cell
    width: float

    def beyond(self, labelled: int) -> bool:
        """Whether a 99 % interval of the bias lies wholly beyond its bound."""
        return abs(self.bias) - SURE * self.error > BIAS[labelled >= FEW]


def corrected(random: np.random.Generator, design: str, size: tuple[int, int, int], active: bool, draws: int) -> Corrected:
    """So many runs, corrected by the function that reports call."""
    truth, off, held, widths = truth_of(design), [], 0, []
    for _ in range(draws):
        talks = conversations(random, size[0], design)
        errors = {}
        for c, labels in labels_of(random, talks, size, active).items():
            person, judge = talks[c]
            weights = lure_weights(len(person), [chance for _, chance in labels])
            errors[c] = [(float(person[i] - judge[i]), weight) for (i, _), weight in zip(labels, weights, strict=True)]
        judged = {c: float(judge.mean()) for c, (_, judge) in enumerate(talks)}
        found = corrected_mean(judged, {c: own for c, own in errors.items() if own}, {c: c for c in judged}, (1, 5))
        off.append(found.value - truth)
        held += found.low <= truth <= found.high
        widths.append(found.high - found.low)
    return Corrected(fmean(off), stdev(off) / draws**0.5, Cell(held, draws, least=COVERAGE), fmean(widths))


def _corrected(plan: Plan, task: tuple[str, tuple[int, int, int], bool]) -> Corrected:
    return corrected(plan.random("corrected", *task), *task, 60 if plan.short else 1_000)


def _corrected_table(plan: Plan, section: Section) -> None:
    tasks = [
        (design, size, active)
        for design in TURNS
        for size in ((SIZES[1], SIZES[3]) if plan.short else SIZES)
        for active in (False, True)
    ]
    rows = []
    for (design, size, active), found in zip(tasks, plan.each(_corrected, tasks), strict=True):
        name = f"{design}, {size[1]} of {size[0]} conversations, {size[2]} labels{', active' * active}"
        cell = section.check(f"corrected mean, {name}", found.coverage)
        if found.beyond(size[1]):
            section.broken.append(f"corrected mean, {name}: bias {found.bias:+.3f} (standard error {found.error:.3f})")
        rows.append((name, f"{found.bias:+.3f}", f"{found.error:.3f}", cell, f"{found.width:.2f}"))
    section.lines.append("Corrected mean: bias at most .02 from 20 labelled conversations, .05 below; coverage at least .92.")
    section.table(("design", "bias", "its error", "coverage", "width"), rows)


# -------------------------------------------------------------------------------------------------------------------- ladder


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge of degraded texts, and how often at least it must be usable, at most, and pass."""

    name: str
    noise: float = 0.0
    top: float = 5.0
    bottom: float = 1.0
    usable: tuple[float, float] = (0.0, 1.0)
    passes: tuple[float, float] = (0.0, 1.0)

    def marks(self, random: np.random.Generator) -> list[float]:
        """Of one text."""
        if self.name == "random":
            return [float(mark) for mark in random.integers(1, 6, len(STEPS))]
        if self.name == "5 where whole, else 1":
            return [5.0 if kept == 1 else 1.0 for kept in KEPT]
        line = self.bottom + (self.top - self.bottom) * KEPT
        return [float(mark) for mark in on_scale(line + random.normal(0, self.noise, len(STEPS)))]


JUDGES = (
    *(Judge(f"linear, noise {sd}", sd, usable=(0.95, 1.0)) for sd in (0.2, 0.4, 0.6, 0.8)),
    Judge("linear, noise 1.5", 1.5),
    Judge("3 to 5, noise .4", 0.4, bottom=3.0, usable=(0.9, 1.0)),
    Judge("lenient by 1, noise .4", 0.4, top=6.0, bottom=2.0, usable=(0.95, 1.0)),
    Judge("5 where whole, else 1", usable=(0.0, 0.0), passes=(1.0, 1.0)),
    Judge("random", usable=(0.0, 0.01), passes=(0.0, 0.01)),
    Judge("always 4", top=4.0, bottom=4.0, usable=(0.0, 0.0), passes=(0.0, 0.0)),
)


def ladders(random: np.random.Generator, judge: Judge, texts: int, draws: int) -> tuple[Cell, Cell, float]:
    """How often a judge is called usable, how often it passes, and how wide its interval is."""
    found = [judge_ladder([judge.marks(random) for _ in range(texts)], 5) for _ in range(draws)]
    widths = fmean((one.high or 0.0) - (one.low or 0.0) for one in found)
    usable, passes = sum(one.usable is True for one in found), sum(one.passes for one in found)
    return Cell(usable, draws, *judge.usable), Cell(passes, draws, *judge.passes), widths


def _ladder_table(plan: Plan, section: Section) -> None:
    rows = []
    for texts in (10, 4):
        for judge in JUDGES:
            draws = 60 if plan.short else 1_000
            usable, passes, width = ladders(plan.random("ladder", judge.name, texts), judge, texts, draws)
            name = f"{judge.name}, {texts} texts"
            rows.append(
                (name, section.check(f"{name}: usable", usable), section.check(f"{name}: passes", passes), f"{width:.2f}")
            )
    section.lines.append("Ladder: how often a judge is called usable, and passes.")
    section.table(("judge", "usable", "passes", "width"), rows)


# -------------------------------------------------------------------------------------------------------------------- biases


PLACED: Sequence[tuple[int, int]] = ((4, 5), (6, 4), (12, 5), (40, 2), (60, 1))
"""Conversations and items of each."""


def choices(
    random: np.random.Generator, talks: int, each: int, taste: float, bias: float
) -> tuple[list[tuple[Choice | None, Choice | None]], list[int]]:
    """Choices in both orders; the taste for a place varies by conversation, the bias does not."""
    found: list[tuple[Choice | None, Choice | None]] = []
    for _ in range(talks):
        lean = random.normal(0, taste)
        for _ in range(each):
            worth = 1 / (1 + np.exp(-random.normal(0, 1)))
            first, second = (random.uniform() < worth + sign * (lean + bias) for sign in (1, -1))
            found.append(("A" if first else "B", "A" if second else "B"))
    return found, [place // each for place in range(talks * each)]


def places(random: np.random.Generator, size: tuple[int, int], taste: float, bias: float, draws: int) -> int:
    """In how many runs a preference for a place is shown."""
    return sum((swapped_choices(*choices(random, *size, taste, bias)).p_position or 1.0) < 0.05 for _ in range(draws))


def family(random: np.random.Generator, own: int, kin: int, likes: float, talks: int = 12) -> tuple[float, bool]:
    """The preference of the first of `kin` judges of a family for its `own` models of four, and whether it is shown."""
    tables = []
    for _ in range(talks * 3):
        worth = random.normal(3.5, 0.7, 4)
        liking = likes * (np.arange(4) < own)
        tables.append([list(on_scale(worth + random.normal(0, 0.5, 4) + liking * (j < kin))) for j in range(kin + 1)])
    mine = [*[list(range(own))] * kin, []]
    names = [place // 3 for place in range(len(tables))]
    found = self_preference(tables, mine, [*["one"] * kin, "other"], names, (1, 5))[0]
    return found.preference or 0.0, found.found


def beside_person(random: np.random.Generator, talks: int, likes: float) -> int:
    """Which way marks of answers lean, of which the good ones are long: the direction that is said.

    Two answers a conversation.
    """
    lengths = random.integers(50, 900, talks * 2)
    person = on_scale(1 + lengths / 250 + random.normal(0, 0.8, talks * 2))
    marks = on_scale(person + likes * (lengths / 450 - 1) + random.normal(0, 0.6, talks * 2))
    names = [place // 2 for place in range(talks * 2)]
    return partial_length_correlation(list(marks), [int(one) for one in lengths], list(person), names, PLACES).direction


def _bias_table(plan: Plan, section: Section) -> None:
    draws, rows = 100 if plan.short else 2_000, []
    for size in PLACED[::2] if plan.short else PLACED:
        for taste, bias, least, most in (
            (0.0, 0.0, 0.0, WRONG),
            (0.25, 0.0, 0.0, WRONG),
            (0.0, 0.1, 0.5 * (size[1] == 1), 1.0),
        ):
            if taste and size[1] == 1:
                continue  # one item a conversation: a taste that varies is no other thing than noise, and is tested as such
            cell = Cell(places(plan.random("place", size, taste, bias), size, taste, bias, draws), draws, least, most)
            name = f"place: {size[0]} x {size[1]} items, taste {taste:g}, bias {bias:g}"
            rows.append((name, section.check(name, cell), ""))
    for own, kin in ((1, 1), (2, 1), (1, 2), (2, 2)):
        for likes in (0.0, 0.3):
            found = [family(plan.random("family", own, kin, likes, n), own, kin, likes) for n in range(draws // 4)]
            cell = Cell(sum(shown for _, shown in found), len(found), most=1.0 if likes else 0.05)
            name = f"own family: {own} own models, {kin} judges of it, liking {likes:g}"
            rows.append((name, section.check(name, cell), f"{fmean(size for size, _ in found):+.3f}"))
    for talks in plan.sizes((8, 12, 30), (8, 30)):
        for likes in (0.0, 0.8):
            random = plan.random("length", talks, likes)
            cell = Cell(sum(beside_person(random, talks, likes) != 0 for _ in range(draws // 4)), draws // 4)
            cell = Cell(cell.held, cell.draws, most=1.0 if likes else WRONG)
            name = f"length beside a person: {talks} conversations, liking {likes:g}"
            rows.append((name, section.check(name, cell), ""))
    section.lines.append("Biases: how often one is shown; without one at most 6 %, of the own family 5 %.")
    section.table(("design", "shown", "mean estimate"), rows)


def section(plan: Plan) -> Section:
    """What is said of judges."""
    found = Section(["## Judges"])
    _corrected_table(plan, found)
    _ladder_table(plan, found)
    _bias_table(plan, found)
    return found
