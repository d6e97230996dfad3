"""Gates: whether scores are good enough, and no worse than a baseline's. Each passes, fails, or says what is missing."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of
from tui_eval.results.sums.differences import SIGNIFICANT, Difference, compared
from tui_eval.results.sums.in_words import p_value
from tui_eval.results.sums.means import Estimate, IndependentUnits
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG, is_binary, scale_of
from tui_eval.results.sums.pair_words import forecast
from tui_eval.results.sums.sentences import say
from tui_eval.results.sums.series import Items, Series
from tui_eval.statistics.paired import holm, mcnemar_below, tango_p
from tui_eval.statistics.power import (
    Futures,
    caught_drop,
    items_to_exclude,
    items_to_exclude_mean,
    items_to_exclude_share,
    more_items,
)
from tui_eval.statistics.score_differences import detectable_errors, floor_error
from tui_eval.statistics.share_forecast import more_answers

Outcome = Literal["PASS", "FAIL", "INCONCLUSIVE"]
Bound = Literal["value", "low", "high"]
"""What of an estimate must hold: the value itself, the worse end of its interval, or the better end."""
Rule = Literal["not_shown_worse", "shown_not_worse"]
"""What a baseline asks for: that no model is shown to be worse, or that each is shown to be no worse."""
SAME = 1e-9
"""Values nearer than this are the same value, reckoned in another order: 0.78 - 0.8 is -0.02."""
COMMON, FEWEST = 0.8, 10
"""The share of the baseline's scored items, and the number of items, below which nothing is said of the others."""
STEPS = 30
"""Rounds in which a drop and the variance that it brings settle."""
SIDE = "on which side it lies"
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_THRESHOLD = re.compile(r"(>=|<=|>|<)\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))\s*(%?)")


@dataclass(frozen=True, slots=True)
class Threshold:
    """On which side of which value an estimate must lie, such as ">= 0.8"."""

    sign: str
    value: float

    @property
    def upwards(self) -> bool:
        """Return whether more is better."""
        return self.sign.startswith(">")

    def holds(self, value: float) -> bool:
        """Return whether a value lies on the good side."""
        return _COMPARE[self.sign](self.value if abs(value - self.value) <= SAME else value, self.value)


@dataclass(frozen=True, slots=True)
class Ruling:
    """The outcome of a gate and its reason."""

    outcome: Outcome
    why: str = ""
    """What keeps it from being decided, or must be known besides."""
    needed: Futures | None = None
    """How many items more would tell; None where these are not what is missing."""
    stops: bool = True
    """Whether, inconclusive, it fails the build where the config does not say."""
    p: float | None = None
    """Holm's p of the test that it goes by; None without one."""
    caught: float | None = None
    """The drop that would have failed it in 4 of 5 builds, in the metric's unit; None where that is not known."""


def threshold_of(text: str) -> Threshold:
    """Parse a threshold as a person writes it. ValueError in words for anything else."""
    match = _THRESHOLD.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'must be a sign and a number, such as ">= 0.8" or ">= 80 %", not {text!r}')
    return Threshold(match[1], float(match[2]) / (100 if match[3] else 1))


def rule_on_value(
    estimate: Estimate,
    threshold: Threshold,
    bound: Bound = "value",
    item: str = "question",
    units: Callable[[], IndependentUnits | None] = lambda: None,
) -> Ruling:
    """Hold an estimate against a threshold: its value, the worse end of its interval ("low"), or the better end ("high").

    `units`: what the interval of marks rests on, for the forecast of how many more would tell; asked for where that is made.
    """
    if estimate.value is None or not estimate.n:
        return Ruling("INCONCLUSIVE", f"no {item} has a score")
    if bound == "value":
        return Ruling("PASS" if threshold.holds(estimate.value) else "FAIL")
    if estimate.low is None or estimate.high is None:
        return Ruling("INCONCLUSIVE", f"too few {item}s for an interval")
    worse, better = (estimate.low, estimate.high) if threshold.upwards else (estimate.high, estimate.low)
    if threshold.holds(worse) or (bound == "high" and threshold.holds(better)):
        return Ruling("PASS")
    if not threshold.holds(better):
        return Ruling("FAIL")
    needed = _items_to_decide(estimate, threshold.value, units)
    spans = "the interval spans the threshold"
    return Ruling("INCONCLUSIVE", f"{spans}: {forecast(needed, item, SIDE)}" if needed else spans, needed)


def _items_to_decide(estimate: Estimate, threshold: float, units: Callable[[], IndependentUnits | None]) -> Futures | None:
    """Return with how many items more the interval would leave out a threshold that it spans now; None where nothing tells."""
    if estimate.share:
        value, threshold = (min(max(each, 0.0), 1.0) for each in (estimate.value or 0.0, threshold))
        futures, size = items_to_exclude_share(value, estimate.n, threshold, effective=estimate.effective), 1.0
    elif (rests := units()) is not None and len(rests.means) > 1:
        threshold = min(max(threshold, rests.low), rests.high)
        futures = items_to_exclude_mean(rests.means, rests.low, rests.high, threshold, rests.sizes)
        size = sum(rests.sizes) / len(rests.sizes)
    else:
        return None
    few, many = (None if more is None else max(math.ceil(more * size), 1) for more in futures)
    return few, None if few is None else many


def rule_on_missing(missing: int, answers: int, most: float) -> Ruling:
    """Allow at most a share of the answers to have no score."""
    if not answers:
        return Ruling("INCONCLUSIVE", "no answer was to be scored")
    return Ruling("PASS" if missing / answers <= most + SAME else "FAIL")


def rule_on_cost(spent: float, unknown: int, most: float) -> Ruling:
    """Allow a run to cost at most so much. `unknown`: calls whose cost nobody knows."""
    if spent > most + SAME:
        return Ruling("FAIL")
    if unknown:
        return Ruling("INCONCLUSIVE", f"what {unknown:,} call{'s' * (unknown != 1)} cost is not known")
    return Ruling("PASS")


def rule_on_critical(wrong: str, missing: str) -> Ruling:
    """Allow no wrong answer, by the ids of the questions that have one, and of those that have no score."""
    if wrong:
        return Ruling("FAIL", wrong)
    return Ruling("INCONCLUSIVE", f"no score of {missing}") if missing else Ruling("PASS")


# a baseline


@dataclass(frozen=True, slots=True)
class Change:
    """Change of a side's scores by one metric since a baseline, and how much worse they may be."""

    difference: Difference
    """Now less then, over the items that both have a score for."""
    metric: Metric
    baseline: int
    """Items that the baseline has a score for."""
    item: str = "question"
    margin: float = 0.0

    @property
    def differs(self) -> bool:
        """Return whether any item has another score now."""
        return self.difference.a_higher + self.difference.b_higher > 0

    @property
    def is_identical(self) -> bool:
        """Return whether every item that the baseline has a score for has the same one now."""
        return not self.differs and 0 < self.baseline == self.difference.n

    @property
    def p_worse(self) -> float:
        """One-sided p of the null that it is worse by no more than the margin: small where it is shown to be."""
        difference, margin = self.difference, self.margin
        if difference.scores is not None:
            return difference.scores.p_below(margin) if self._upwards else difference.scores.p_above(-margin)
        if not margin or not difference.n:
            return mcnemar_below(difference.a_higher, difference.b_higher)
        return tango_p(difference.a_higher, difference.b_higher, difference.n, margin)

    @property
    def p_no_worse(self) -> float:
        """One-sided p of the null that it is worse by the margin or more: small where it is shown not to be."""
        difference, margin = self.difference, self.margin
        if difference.scores is not None:
            return difference.scores.p_above(margin) if self._upwards else difference.scores.p_below(-margin)
        if not margin or not difference.n:
            return mcnemar_below(difference.b_higher, difference.a_higher)
        return 1 - tango_p(difference.a_higher, difference.b_higher, difference.n, margin)

    @property
    def _upwards(self) -> bool:
        return self.metric.better == "higher"

    def caught(self, tests: int) -> float | None:
        """The drop for which it fails in 4 of 5 builds, as one of so many tests; None where there is none.

        Of rates that of the one-sided exact test where as many items change besides as did here. Of scores that of the t test
        with its own degrees of freedom, and with the variance that such a drop would bring: items fall by as much as those
        that changed here, and besides these. Of marks 75 to 84 % of drops by single ones are caught, and 82 to 96 % where all
        fall a little, so that what changes besides is less (benchmarks/truth_gates.py).
        """
        difference, level, room = self.difference, SIGNIFICANT / max(tests, 1), self.difference.span
        if difference.mean_b is not None and self._upwards:
            room = difference.mean_b - self.metric.low
        share = (difference.a_higher + difference.b_higher) / difference.n
        if difference.scores is None:
            drop = caught_drop(difference.n, share, level, margin=self.margin)
            return drop if drop is not None and drop <= room else None
        if math.isinf(difference.scores.error):
            return None
        before, binary, drop = difference.scores.error**2 * difference.n, is_binary(self.metric), self.margin
        floor = floor_error(difference.scores.value, difference.scores.clusters, difference.span) ** 2 * difference.n
        fall = difference.span if binary or not share else min(math.sqrt(max(before - floor, 0.0) / share), difference.span)
        for _ in range(STEPS):
            error = math.sqrt(max(before + fall * drop - drop * drop, before) / difference.n)
            drop = self.margin + detectable_errors(difference.scores.degrees, 1 - level, sides=1) * error
        return drop if drop <= room else None

    def needed(self, tests: int = 1) -> Futures:
        """With how many items more the one-sided test would decide that now comes nearest to it.

        Where it is worse by more than the margin that of `p_worse`, as one of so many tests; else that of `p_no_worse`.
        """
        difference, b, c = self.difference, self.difference.a_higher, self.difference.b_higher
        off = (difference.value or 0.0) * (1 if self._upwards else -1) + self.margin
        level = 1 - 2 * SIGNIFICANT / (max(tests, 1) if off < 0 else 1)
        if abs(off) <= SAME or (difference.scores is not None and math.isinf(difference.scores.error)):
            return None, None
        if difference.scores is not None:
            return difference.in_items(
                more_items(off, difference.scores.error, difference.scores.clusters, level, difference.scores.degrees)
            )
        if self.margin:
            return difference.in_items(items_to_exclude(b, c, difference.n, self.margin, level))
        return more_answers(b, c, difference.n, level)

    def why_open(self) -> str:
        """Why nothing is said of what is not shown to be worse; empty where enough items are common."""
        n = self.difference.n
        if n < COMMON * self.baseline:
            return f"only {n:,} of {count_of(self.baseline, self.item)} with a score there have one here, too"
        return f"only {count_of(n, f'common {self.item}')}, where it takes {FEWEST}" if n < FEWEST else ""


def rule_on_changes(changes: Sequence[Change], rule: Rule = "not_shown_worse") -> list[Ruling]:
    """Hold sides against their baseline.

    Identical scores pass at any n. What is shown to be worse by more than the margin fails: the one-sided p of the pair's own
    test, after Holm over all of these changes, is below 0.05. Changes in which no item differs have no place in that family:
    their test cannot reject, and whether items differ does not depend on which way they do (Tarone 1990). Where less than
    80 % of the baseline's scored items are common, or fewer than 10, the rest is inconclusive. By "not_shown_worse" all else
    passes; by "shown_not_worse" only what the other one-sided test shows at 0.05. That one needs no correction, since a build
    passes only where every change does (intersection-union test, Berger 1982).
    """
    family = [change.p_worse for change in changes if change.differs]
    adjusted = iter(holm(family))
    return [_ruling(change, next(adjusted) if change.differs else None, len(family), rule) for change in changes]


def _ruling(change: Change, p: float | None, tests: int, rule: Rule) -> Ruling:
    if p is not None and p < SIGNIFICANT:
        by = f" by more than {drop_words(change.margin, change.metric)}" if change.margin else ""
        at = f" as one of {tests:,} tests" if tests > 1 else ""
        return Ruling("FAIL", say("shown_worse", by=by, p=p_value(p), at=at), p=p)
    if not change.is_identical and (why := change.why_open()):
        return Ruling("INCONCLUSIVE", why, stops=rule == "shown_not_worse", p=p)
    if rule == "shown_not_worse" and not change.is_identical:
        if change.p_no_worse < SIGNIFICANT:
            by = f" by {drop_words(change.margin, change.metric)}" if change.margin else ""
            return Ruling("PASS", say("shown_no_worse", by=by, p=p_value(change.p_no_worse)), p=p)
        needed = change.needed(tests)
        alone = p is not None and change.p_worse < SIGNIFICANT <= p and tests > 1
        reasons = [say("alone", tests=f"{tests:,}")] * alone + [forecast(needed, change.item, "whether it is worse")]
        return Ruling("INCONCLUSIVE", "; ".join(reasons), needed, p=p)
    caught = change.caught(tests + (not change.differs))
    drop = "drop" if change.metric.better == "higher" else "rise"
    if caught is None:
        power = say("caught_none", n=count_of(change.difference.n, change.item), drop=drop)
    else:
        power = say("caught", drop=drop, size=drop_words(caught, change.metric))
    same = f"the same scores on all of {count_of(change.baseline, change.item)}; " if change.is_identical else ""
    return Ruling("PASS", same + power, p=p, caught=caught)


def changes_of(
    now: Series, then: Series, metric: Metric, items: Items, places: Mapping[int, int], item: str, margin: float = 0.0
) -> list[Change]:
    """Return what became of a side's scores, and of the share of its answers that have one, where that has changed.

    `places`: by number of an item what the baseline calls it. Of missing answers the margin is the same share of their scale.
    """
    scores = _change(now, then, metric, items, places, item, margin)
    if now.asked == now.scored and then.asked == then.scored:
        return [scores]
    shares, margin = (_presence(now), _presence(then)), min(margin / scores.difference.span, 1 - SAME)
    answered = _change(*shares, RIGHT_OR_WRONG, items, places, item, margin)
    return [scores, answered] if answered.differs else [scores]


def _change(
    now: Series, then: Series, metric: Metric, items: Items, places: Mapping[int, int], item: str, margin: float
) -> Change:
    difference = compared(now, then, metric, items, places)
    difference = difference or Difference(0, 0, 0, None, None, None, None, "nothing common", span=metric.high - metric.low)
    return Change(difference, metric, sum(map(bool, then.scored)), item, margin)


def _presence(series: Series) -> Series:
    """Return the share of each item's answers that have a score."""
    shares = Series()
    for place, (n_asked, scored) in enumerate(zip(series.asked, series.scored, strict=True)):
        if n_asked:
            shares.add(place, scored / n_asked)
    return shares


def drop_words(drop: float, metric: Metric) -> str:
    """A drop in the metric's unit, rounded up to two digits."""
    share = is_binary(metric)
    value = 100 * drop if share else drop
    step = 10.0 ** (math.floor(math.log10(value)) - 1) if value > 0 else 1.0
    return f"{math.ceil(value / step - SAME) * step:.4g}" + (" points" if share else f" on {scale_of(metric)}")
