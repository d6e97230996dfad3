"""Forecast of gates: how many builds pass a model that is worse, and how many fail one that is not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of
from tui_eval.results.sums.differences import SIGNIFICANT
from tui_eval.results.sums.gates import SAME, Threshold, drop_words
from tui_eval.results.sums.metrics import NO_END, is_binary
from tui_eval.results.sums.sentences import say
from tui_eval.statistics.paired import tango_variance
from tui_eval.statistics.power import caught_share
from tui_eval.statistics.score_differences import floor_error, found_share

CHURN = 0.1
"""The share of items that change between two builds of one model, half of them for the worse: what is assumed of it."""
WORSE = 0.05
"""Of which drop the forecast speaks: this share of the metric's scale, beyond the margin."""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Forecast:
    """Gate of a baseline before anything is asked. Of scores a change is half of the scale."""

    n: int
    """Items that are planned."""
    tests: int
    """Sides and metrics that are held against the baseline."""
    metric: Metric
    """The first of them."""
    item: str = "question"
    margin: float = 0.0
    clusters: int = 0
    """What the items share, such as documents, where tests go by it; 0 where each item is independent."""
    degrees: float = 0.0
    """Degrees of freedom of these, by their sizes."""
    cluster: str = "document"

    @property
    def span(self) -> float:
        """By how much two scores can differ."""
        return 1.0 if self.metric.high >= NO_END else self.metric.high - self.metric.low

    @property
    def _error(self) -> float:
        """Standard error of the mean difference of two builds of one model, as their test has it."""
        if not self._by_t:
            return self._spread
        units = self.clusters or self.n
        return math.hypot(self._spread, floor_error(0.0, units, self.span))

    @property
    def _spread(self) -> float:
        """The same without what the t test adds to it."""
        return self.span * math.sqrt((CHURN if is_binary(self.metric) else CHURN / 4) / self.n)

    @property
    def _by_t(self) -> bool:
        """Return whether the test is the t test: of what is right or wrong that of clusters alone."""
        return self.clusters > 1 or (not is_binary(self.metric) and self.n > 1)

    @property
    def _degrees(self) -> float:
        return self.degrees if self.clusters else max(self.n - 1.0, 1.0)

    def fails(self, drop: float) -> float:
        """Return how often a model fails that is worse by so much, where it may not be shown worse."""
        level = SIGNIFICANT / self.tests
        if is_binary(self.metric) and not self._by_t:
            return caught_share(self.n, CHURN, min(drop, 1 - CHURN), level, self.margin)
        step = self.span if is_binary(self.metric) else self.span / 2
        added = drop * step - drop * drop if is_binary(self.metric) else (1 - CHURN) * drop * step
        error = math.sqrt(self._error**2 + max(added, 0.0) / self.n)
        return found_share((drop - self.margin) / error, self._degrees, 1 - level, sides=1)

    def unchanged_fails(self) -> float:
        """Return how often a build of unchanged models fails that must each be shown to be no worse."""
        error, changes = self._error, self.n * CHURN / 2
        if self._by_t:
            return 1 - found_share(self.margin / error, self._degrees, 1 - SIGNIFICANT, sides=1) ** self.tests
        if is_binary(self.metric) and self.margin:
            error = math.sqrt(tango_variance(changes, changes, self.n, -self.margin) / self.n)
        passes = _NORMAL.cdf((self.margin - _NORMAL.inv_cdf(1 - SIGNIFICANT) * error) / self._error)
        return 1 - passes**self.tests

    def misses(self, threshold: Threshold, mean: float) -> float:
        """Return how often an unchanged model misses a threshold by its value that had this mean before."""
        off = (threshold.value - mean) * (1 if threshold.upwards else -1)
        return _NORMAL.cdf(off / self._spread)

    def words(self) -> str:
        """Say how many builds pass a model that is WORSE; empty where the scale has no room for such a drop."""
        drop = self.margin + WORSE * self.span
        if drop > self._room + SAME:
            return ""
        builds = f"{100 * (1 - self.fails(drop)):.0f}"
        about = f" about {count_of(self.clusters, self.cluster)}" if self.clusters else ""
        sentence = say("passes", n=count_of(self.n, self.item) + about, size=drop_words(drop, self.metric), builds=builds)
        at = f" (p < {SIGNIFICANT} / {self.tests:,})" if self.tests > 1 else ""
        return f"{sentence}{at}, {self.assumed}"

    @property
    def _room(self) -> float:
        """By how much a model can become worse beside what changes anyway; a scale without an end has no such limit."""
        if is_binary(self.metric):
            return 1 - CHURN
        return math.inf if self.metric.high >= NO_END else self.span

    @property
    def assumed(self) -> str:
        """Assumption about two builds of one model, in words."""
        how = "" if is_binary(self.metric) else " by half the scale"
        each = f", those about one {self.cluster} independently of each other," if self.clusters else ""
        return f"if {100 * CHURN:g} % of the {self.item}s change{how}{each} between two builds of one model"
