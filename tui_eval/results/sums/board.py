"""A run's scores side by side: what every report, comparison, gate and export adds up, in one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import counted
from tui_eval.core.results import Score, StoredScore
from tui_eval.core.units import Unit, Units, clusters_of
from tui_eval.results.sums.differences import Difference, Pair, corrected, paired
from tui_eval.results.sums.means import Estimate, estimate
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG
from tui_eval.results.sums.ranks import Rank, open_ranks, won_by
from tui_eval.results.sums.series import Group, Items, Series, grouped


class Side(NamedTuple):
    """One model in one stage, by one metric and one variant of what is asked."""

    stage: str
    model: str
    metric: str
    variant: str = ""


@dataclass(slots=True)
class Board:
    """Items and the series of every side, with their means, pairs and ranks; nothing here is worked out twice."""

    units: Units
    metrics: dict[str, Metric]
    items: Items
    series: dict[Side, Series]
    _pairs: list[Pair[Side]] | None = None
    _ranks: dict[Side, Rank] | None = None
    _estimates: dict[tuple[Side, str, str], Estimate] | None = None

    @classmethod
    def empty(cls, units: Units, metrics: Iterable[Metric], expected: Iterable[Side] = ()) -> Board:
        """One without a score. `expected`: sides that it has whatever happens."""
        return cls(units, {metric.name: metric for metric in metrics}, Items(), {side: Series() for side in expected})

    def add(
        self,
        unit: Unit,
        groups: Mapping[str, Sequence[str]],
        repeat: int,
        scores: Iterable[Score | StoredScore],
        model: str | None = None,
    ) -> int:
        """Take in the scores of a sample; the number of its item. `model`: under whose name they stand, None = their own."""
        place = self.items.place(unit, groups)
        for score in scores:
            side = Side(score.stage, score.model if model is None else model, score.name, unit.variant)
            series = self.series.get(side)
            if series is None:
                series = self.series[side] = Series()
            series.add(place, score.value, score.why, repeat << 24 | score.call_index)
        self._pairs = self._ranks = self._estimates = None
        return place

    def metric(self, side: Side) -> Metric:
        """What a side was scored by; right or wrong where nothing is said of it."""
        return self.metrics.get(side.metric, RIGHT_OR_WRONG)

    @property
    def variants(self) -> list[str]:
        """Those that there are, such as versions of the prompt, in the order of the config; one alone counts as none."""
        found = dict.fromkeys(side.variant for side in self.series)
        ordered = [name for name in dict.fromkeys(self.units.variants) if name in found]
        return [*ordered, *(name for name in found if name not in self.units.variants)] if len(found) > 1 else []

    def named(self, side: Side) -> str:
        """A side within its stage: its model, with the variant where there are several."""
        return f"{side.model} {side.variant}" if self.variants else side.model

    @property
    def groups(self) -> list[Group]:
        """What items have in common, such as a difficulty."""
        return grouped(self.items.groups)

    def estimate(self, side: Side, group: Group | None = None) -> Estimate:
        """The mean of a side over all its items, or over a group of them."""
        known = self._estimates = {} if self._estimates is None else self._estimates
        key = (side, *(("", "") if group is None else (group.by, group.value)))
        if key not in known:
            known[key] = estimate(self.series[side], self.items, self.metric(side), group)
        return known[key]

    @property
    def pairs(self) -> list[Pair[Side]]:
        """Every two sides of a stage and metric that differ in one thing alone, with Holm's correction over the headline."""
        if self._pairs is None:
            self._pairs = corrected(*self.found(self.series))
        return self._pairs

    def found(self, sides: Collection[Side], tested: str = "") -> tuple[list[tuple[Side, Side, Difference]], list[bool]]:
        """The pairs of some sides, not yet corrected, and which are tested: of a metric that is named, else the headline's."""
        found, flags = [], []
        for a, b in _comparable(sides):
            difference = paired(self.series[a], self.series[b], self.metric(a), self.items)
            if difference is not None:
                found.append((a, b, difference))
                flags.append(a.metric == tested if tested else self.units.tests(a.metric))
        return found, flags

    @property
    def without_pair(self) -> list[tuple[Side, Side]]:
        """Sides that would be a pair and both have scores, of not one and the same answer."""
        met = {(pair.a, pair.b) for pair in self.pairs}
        apart = (both for both in _comparable(self.series) if both not in met)
        return [(a, b) for a, b in apart if any(self.series[a].scored) and any(self.series[b].scored)]

    def apart_words(self, sides: Container[Side] | None = None) -> str:
        """Which pairs (of these sides) are not compared, since they have no answer in common, in a sentence; empty of none."""
        found = [(a, b) for a, b in self.without_pair if sides is None or (a in sides and b in sides)]
        if not found:
            return ""
        a, b = found[0]
        by = f" by {a.metric}" if len(self.metrics) > 1 else ""
        more = f", nor have {counted(len(found) - 1, 'pair')} more" * (len(found) > 1)
        return f"{self.named(a)} and {self.named(b)} have no answer in common{by}{more}: not compared."

    @property
    def ranks(self) -> dict[Side, Rank]:
        """Which ranks the tested pairs leave open, among the sides of a stage, metric and variant; none of others."""
        if self._ranks is None:
            scored = gathered((side._replace(model=""), side) for side in self.series if self.estimate(side).n)
            tested = (pair.a for pair in self.pairs if pair.tests and pair.a.variant == pair.b.variant)
            won = (one for pair in self.pairs for one in won_by([pair], self.metric(pair.a).better))
            self._ranks = open_ranks(scored, Counter(side._replace(model="") for side in tested), won)
        return self._ranks

    def by_rank(self, sides: Sequence[Side]) -> list[Side]:
        """Sides with the better ones first: by the worse end of the interval, those without a score last.

        By the mean alone a model with one right answer of one would stand above all others.
        """
        return sorted(sides, key=lambda side: worst_case(self.estimate(side), self.metric(side)))

    def shared_words(self) -> str:
        """What intervals take into account of what items share, or cannot, in sentences; empty where nothing is shared."""
        clusters, level = clusters_of(self.items.units)
        item, told = f"{self.units.item}s", []
        if clusters is not None:
            what, values = self._level(level)
            alike = "that are the same" if what == self.units.item else f"about one {what}"
            told.append(f"Intervals go by {what}: {item} {alike} are no independent evidence ({values:,} {what}s).")
        for what, values in map(self._level, range(level) if clusters is not None else [level] if level >= 0 else ()):
            these = f"this {what}" if values == 1 else f"these {values} {what}s"
            told.append(f"Intervals speak of {item} about {these}, not about others.")
        return " ".join(told)

    def _level(self, level: int) -> tuple[str, int]:
        """What a level is called, and how many values it takes."""
        what = self.units.levels[level] if level < len(self.units.levels) else "group"
        return what, len({unit.clusters[min(level, len(unit.clusters) - 1)] for unit in self.items.units})


def _comparable(sides: Iterable[Side]) -> Iterator[tuple[Side, Side]]:
    """Every two sides of a stage and metric that differ in one thing alone."""
    for a, b in combinations(sides, 2):
        if (a.stage, a.metric) == (b.stage, b.metric) and (a.model == b.model or a.variant == b.variant):
            yield a, b


def worst_case(found: Estimate, metric: Metric) -> tuple[bool, float]:
    """What a side is sorted by: whether it has no score, and the worse end of its interval."""
    end = found.low if metric.better == "higher" else found.high
    end = found.value if end is None else end
    return end is None, 0.0 if end is None else -end if metric.better == "higher" else end
