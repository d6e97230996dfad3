"""A gate under builds that differ by chance alone: how often it is red, and the drop that it catches 4 times in 5.

Two builds of a run are two answers to each item. As nothing but chance tells them apart, either may have come first: builds are
drawn by exchanging the two answers of each item, or not, with even odds, and are held against the gate as any build is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import shake_128
from itertools import chain

from tui_eval.core.kinds import Metric
from tui_eval.core.units import Unit
from tui_eval.results.sums import gates as rules
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.gates import Bound, Change, Rule, Threshold
from tui_eval.results.sums.means import estimate
from tui_eval.results.sums.noise_floor import Build, builds_of
from tui_eval.results.sums.series import Items, Series
from tui_eval.statistics.estimates import wilson

DRAWS, LEAST_DRAWS = 2_000, 100
"""Builds that are drawn; fewer where there are so many answers that it would take long."""
WORK = 1_000_000
"""Answers that are drawn, in all."""
Pairs = Mapping[int, tuple[Build, Build]]
"""By item the answers of one build and of another."""


@dataclass(frozen=True, slots=True)
class GateForm:
    """Demands of a gate, in plain values."""

    against: bool = True
    """Whether a build may not be shown to be worse than the one before."""
    rule: Rule = "not_shown_worse"
    margin: float = 0.0
    bound: Bound = "value"
    max_missing: float | None = None
    inconclusive: str | None = None
    """What an undecided gate counts as, "fail" or "pass"; None = as the gate has it."""

    def passes(self, ruling: rules.Ruling) -> bool:
        """Return whether a build goes on."""
        stops = ruling.stops if self.inconclusive is None else self.inconclusive == "fail"
        return ruling.outcome == "PASS" or (ruling.outcome == "INCONCLUSIVE" and not stops)


@dataclass(frozen=True, slots=True)
class GatedSide:
    """A side that is held against the gate, with two builds of it."""

    side: Side
    metric: Metric
    pairs: Pairs
    threshold: Threshold | None = None


@dataclass(frozen=True, slots=True)
class GateNoise:
    """Result of the drawn builds."""

    red: int
    """Those that the gate failed."""
    draws: int
    items: int
    caught: list[tuple[Side, float | None]] = field(default_factory=list)
    """By side the drop that fails in 4 of 5 builds, in the metric's unit; None where none does."""

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the share that is red, as far as it is left open by the number of draws."""
        return wilson(self.red, self.draws) or (0.0, 1.0)


def pairs_of(series: Series, first: int = 0, second: int = 1) -> dict[int, tuple[Build, Build]]:
    """Two repeats of a side, of the items that were asked in both."""
    builds = builds_of(series)
    return {place: (own[first], own[second]) for place, own in builds.items() if first in own and second in own}


def tiled_items(items: Items, sides: Sequence[GatedSide], n: int) -> tuple[Items, list[GatedSide]]:
    """The same for as many items as are wanted: some were asked again, and stand for the others, each as often as the next.

    What items share is kept: each round of them is about documents of its own.
    """
    if n == len(items):
        return items, list(sides)
    many = Items()
    for number in range(n):
        turn, place = divmod(number, len(items))
        unit = items.units[place]
        tail = f" {turn}" if turn else ""
        many.place(Unit(unit.item + tail, tuple(name + tail for name in unit.clusters), unit.variant), {})
    stretched = [
        GatedSide(gated.side, gated.metric, dict(_stretched(gated.pairs, len(items), n)), gated.threshold) for gated in sides
    ]
    return many, stretched


def _stretched(pairs: Pairs, many: int, n: int) -> Iterator[tuple[int, tuple[Build, Build]]]:
    return ((number, pairs[number % many]) for number in range(n) if number % many in pairs)


def changes(
    form: GateForm, sides: Sequence[GatedSide], builds: Sequence[tuple[Series, Series]], items: Items, item: str
) -> list[Change]:
    """Return the changes of each side from one build to the next: the family that `against` tests."""
    places = {place: place for place in range(len(items))}
    side_changes = (
        rules.changes_of(now, then, gated.metric, items, places, item, form.margin)
        for gated, (now, then) in zip(sides, builds, strict=True)
    )
    return [*chain.from_iterable(side_changes)]


def is_red(
    form: GateForm, sides: Sequence[GatedSide], builds: Sequence[tuple[Series, Series]], items: Items, item: str
) -> bool:
    """Return whether the gate fails a build. `builds`: of each side the build that is judged, and the one before."""
    rulings: list[rules.Ruling] = []
    if form.against:
        rulings += rules.rule_on_changes(changes(form, sides, builds, items, item), form.rule)
    for gated, (now, _) in zip(sides, builds, strict=True):
        if gated.threshold is None and form.max_missing is None:
            continue
        score = estimate(now, items, gated.metric)
        if gated.threshold is not None:
            rulings.append(rules.rule_on_value(score, gated.threshold, form.bound, item))
        if form.max_missing is not None:
            rulings.append(rules.rule_on_missing(score.missing, score.asked, form.max_missing))
    return not all(map(form.passes, rulings))


def drawn_builds(pairs: Pairs, coins: int) -> tuple[Series, Series]:
    """Two builds, by a number that has a bit for each item: which of its two answers is of the first."""
    both = Series(), Series()
    for place, own in pairs.items():
        coin = coins >> place & 1
        for series, build in zip(both, (own[coin], own[1 - coin]), strict=True):
            for answer, value in build:
                series.add(place, value, "" if value is not None else "no reply", answer)
    return both


def gate_noise(board: Board, sides: Sequence[GatedSide], form: GateForm, n: int, seed: str, most: int = DRAWS) -> GateNoise:
    """Draw builds of n items by the two that there are, hold them against the gate, and name the drops that it catches.

    `seed`: what the draws depend on, and on nothing else; `most`: how many of them.
    """
    items, many = tiled_items(board.items, sides, n)
    answers = sum(len(gated.pairs) for gated in many)
    draws = min(max(WORK // max(answers, 1), LEAST_DRAWS), most)
    red = 0
    for number in range(draws):
        coins = (_coins(n, seed, number, place) for place in range(len(many)))
        builds = [drawn_builds(gated.pairs, each) for gated, each in zip(many, coins, strict=True)]
        red += is_red(form, many, builds, items, board.units.item)
    return GateNoise(red, draws, n, caught_drops(form, many, items, board.units.item) if form.against else [])


def caught_drops(form: GateForm, sides: Sequence[GatedSide], items: Items, item: str) -> list[tuple[Side, float | None]]:
    """By side the drop that the gate fails in 4 of 5 builds of which as many answers change besides as in these two.

    None is named of the strict form, which fails what it cannot show to be no worse.
    """
    if form.rule != "not_shown_worse":
        return []
    builds = [drawn_builds(gated.pairs, 0) for gated in sides]
    family = [change.differs for change in changes(form, sides, builds, items, item)]
    drops: list[tuple[Side, float | None]] = []
    for gated, both in zip(sides, builds, strict=True):
        change = changes(form, [gated], [both], items, item)[0]
        small = change.difference.n == 0 or bool(change.why_open())
        drops.append((gated.side, None if small else change.caught(sum(family) + (not change.differs))))
    return drops


def _coins(n: int, seed: str, number: int, place: int) -> int:
    digest = shake_128(f"{seed}\0{number}\0{place}".encode("utf-8", "surrogatepass")).digest((n + 7) // 8)
    return int.from_bytes(digest, "big")
