"""A run's scores side by side: what every report, comparison, gate and export adds up, in one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of
from tui_eval.core.results import Score, StoredScore
from tui_eval.core.units import Unit, Units
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
        """Return the metric that a side was scored by; right or wrong where nothing is said of it."""
        return self.metrics.get(side.metric, RIGHT_OR_WRONG)

    @property
    def variants(self) -> list[str]:
        """Those that there are, such as versions of the prompt, in the order of the config; one alone counts as none."""
        present = dict.fromkeys(side.variant for side in self.series)
        ordered = [name for name in dict.fromkeys(self.units.variants) if name in present]
        return [*ordered, *(name for name in present if name not in self.units.variants)] if len(present) > 1 else []

    def named(self, side: Side) -> str:
        """A side within its stage: its model, with the variant where there are several."""
        return f"{side.model} {side.variant}" if self.variants else side.model

    @property
    def groups(self) -> list[Group]:
        """Groups of items that have something in common, such as a difficulty."""
        return grouped(self.items.groups)

    def estimate(self, side: Side, group: Group | None = None) -> Estimate:
        """The mean of a side over all its items, or over a group of them."""
        cache = self._estimates = {} if self._estimates is None else self._estimates
        key = (side, *(("", "") if group is None else (group.by, group.value)))
        if key not in cache:
            cache[key] = estimate(self.series[side], self.items, self.metric(side), group)
        return cache[key]

    @property
    def pairs(self) -> list[Pair[Side]]:
        """Every two sides of a stage and metric that differ in one thing alone, with Holm's correction over the headline."""
        if self._pairs is None:
            self._pairs = corrected(*self.found(self.series))
        return self._pairs

    def found(self, sides: Collection[Side], tested: str = "") -> tuple[list[tuple[Side, Side, Difference]], list[bool]]:
        """The pairs of some sides, not yet corrected, and which are tested: of a metric that is named, else the headline's."""
        pairs, flags = [], []
        for a, b in _comparable(sides):
            difference = paired(self.series[a], self.series[b], self.metric(a), self.items)
            if difference is not None:
                pairs.append((a, b, difference))
                flags.append(a.metric == tested if tested else self.units.tests(a.metric))
        return pairs, flags

    @property
    def without_pair(self) -> list[tuple[Side, Side]]:
        """Sides that would be a pair and both have scores, of not one and the same answer."""
        met = {(pair.a, pair.b) for pair in self.pairs}
        apart = (both for both in _comparable(self.series) if both not in met)
        return [(a, b) for a, b in apart if any(self.series[a].scored) and any(self.series[b].scored)]

    def apart_words(self, sides: Container[Side] | None = None) -> str:
        """Say which pairs (of these sides) are not compared, since they have no answer in common; empty of none."""
        unpaired = [(a, b) for a, b in self.without_pair if sides is None or (a in sides and b in sides)]
        if not unpaired:
            return ""
        a, b = unpaired[0]
        by = f" by {a.metric}" if len(self.metrics) > 1 else ""
        more = f", nor have {count_of(len(unpaired) - 1, 'pair')} more" * (len(unpaired) > 1)
        return f"{self.named(a)} and {self.named(b)} have no answer in common{by}{more}: not compared."

    @property
    def ranks(self) -> dict[Side, Rank]:
        """Ranks that the tested pairs leave open, among the sides of a stage, metric and variant; none of others."""
        if self._ranks is None:
            scored = gathered((side._replace(model=""), side) for side in self.series if self.estimate(side).n)
            tested = (pair.a for pair in self.pairs if pair.tests and pair.a.variant == pair.b.variant)
            won = (win for pair in self.pairs for win in won_by([pair], self.metric(pair.a).better))
            self._ranks = open_ranks(scored, Counter(side._replace(model="") for side in tested), won)
        return self._ranks

    def by_rank(self, sides: Sequence[Side]) -> list[Side]:
        """Sides with the better ones first: by the worse end of the interval, those without a score last.

        By the mean alone a model with one right answer of one would stand above all others.
        """
        return sorted(sides, key=lambda side: worst_case(self.estimate(side), self.metric(side)))

    def shared_words(self) -> str:
        """Say what intervals take into account of what items share, or cannot, in sentences; empty where nothing is shared."""
        clusters, level = self.items.clustered
        item, sentences = f"{self.units.item}s", []
        if clusters is not None:
            level_name, values = self._level(level)
            alike = "that are the same" if level_name == self.units.item else f"about one {level_name}"
            sentences.append(
                f"Intervals go by {level_name}: {item} {alike} are no independent evidence ({values:,} {level_name}s)."
            )
        for level_name, values in map(self._level, range(level) if clusters is not None else [level] if level >= 0 else ()):
            subjects = f"this {level_name}" if values == 1 else f"these {values} {level_name}s"
            sentences.append(f"Intervals speak of {item} about {subjects}, not about others.")
        return " ".join(sentences)

    def _level(self, level: int) -> tuple[str, int]:
        """Return the name of a level, and how many values it takes."""
        name = self.units.levels[level] if level < len(self.units.levels) else "group"
        return name, len({unit.clusters[min(level, len(unit.clusters) - 1)] for unit in self.items.units})


def _comparable(sides: Iterable[Side]) -> Iterator[tuple[Side, Side]]:
    """Every two sides of a stage and metric that differ in one thing alone."""
    for a, b in combinations(sides, 2):
        if (a.stage, a.metric) == (b.stage, b.metric) and (a.model == b.model or a.variant == b.variant):
            yield a, b


def worst_case(score: Estimate, metric: Metric) -> tuple[bool, float]:
    """Return the sort key of a side: whether it has no score, and the worse end of its interval."""
    end = score.low if metric.better == "higher" else score.high
    end = score.value if end is None else end
    return end is None, 0.0 if end is None else -end if metric.better == "higher" else end
