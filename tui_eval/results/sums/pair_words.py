"""Sentences on a pair of sides, which speak of the test that was used and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of
from tui_eval.core.units import Units
from tui_eval.results.sums.differences import SIGNIFICANT, Difference, Owner, Pair, Power, each_of, power_of
from tui_eval.results.sums.in_words import clusters, p_value, percent, points
from tui_eval.results.sums.metrics import is_binary, scale_of, upwards
from tui_eval.results.sums.sentences import say
from tui_eval.statistics.power import Futures


def pair_verdict(
    difference: Difference, p_holm: float | None, tests: int, metric: Metric, names: tuple[str, str], units: Units
) -> str:
    """Say what may be concluded of a's scores less b's; `names`: a and b; `tests`: 0 = it is not tested."""
    share = is_binary(metric)
    unit = " points" if share else f" on {scale_of(metric)}"
    interval = f"{points(difference.value, share)} [{points(difference.low, share)}, {points(difference.high, share)}]{unit}"
    if not difference.n:
        unpaired_words = f"; unpaired, over other {units.item}s each: {interval}" if difference.value is not None else ""
        return f"no {units.item} in common{unpaired_words}"
    if difference.n < 2:
        return f"nothing can be said: {count_of(difference.n, units.item)} in common"
    if not tests:
        return f"{interval}; not tested: a part of what is, or beside it"
    if p_holm is not None and p_holm < SIGNIFICANT and difference.value:
        better = names[0] if upwards(metric, difference.value) > 0 else names[1]
        how = "better" if metric.better == "higher" else "better (lower)"
        size = f"{points(abs(difference.value), share, sign=False)}{unit}"
        return say("better", better=better, how=how, size=size) + _bounds(difference, metric)
    return f"no difference shown: {_why_none(difference, tests, metric, units)}{_bounds(difference, metric)}"


def _why_none(difference: Difference, tests: int, metric: Metric, units: Units) -> str:
    share = is_binary(metric)
    unit = " points" if share else f" on {scale_of(metric)}"
    n, apart = count_of(difference.n, units.item), difference.a_higher + difference.b_higher
    if not apart:
        return f"the same scores on all {n}"
    if difference.p is not None and difference.p < SIGNIFICANT and tests > 1:
        return say("alone", tests=f"{tests:,}")
    if difference.fewest(tests) > difference.independent:
        n = n if difference.independent == difference.n else clusters(difference.independent, units)
        return say("cannot", n=n, at=_at(tests), fewest=f"{difference.fewest(tests):,}")
    clause = f"; {say('differ_at_n')}" if difference.disagrees else ""
    smallest = difference.detectable(tests)
    if smallest is None and difference.scores is None and not difference.could_show(tests):
        return say("few_differ", apart=f"{apart:,}", n=n) + clause
    if smallest is not None and abs(difference.value or 0.0) < smallest:
        return say("detectable", n=n, seen=points(smallest, share, sign=False) + unit, at=_at(tests)) + clause
    if smallest is None:
        n += f" of {clusters(difference.independent, units)}" if difference.independent < difference.n else ""
        return say("none_reliable", n=n, at=_at(tests)) + clause
    return say("p_alone", p=p_value(difference.p), at=_at(tests)) + clause


def _at(tests: int) -> str:
    """The p below which it would count as shown, where there are several tests."""
    return f" at p < {SIGNIFICANT} / {tests:,}" if tests > 1 else ""


def _bounds(difference: Difference, metric: Metric) -> str:
    """Say what the missing answers of one side could make of it, where they are more than a few."""
    if difference.bounds is None:
        return ""
    low, high = (points(end, is_binary(metric)) for end in difference.bounds)
    return f" ({say('bounds', low=low, high=high)})"


def more_words(difference: Difference, tests: int, units: Units, whom: str = "") -> str:
    """Say how many items more would tell (`whom`: a from b); empty where unknown, or where the pair differs significantly."""
    more = difference.more(tests) if tests and difference.n > 1 else None
    return "" if more is None else forecast(more, units.item, whom)


def forecast(more: Futures, item: str, whom: str = "") -> str:
    """Say how many items more would tell, in 50 and in 80 of 100 futures."""
    few, many = more
    if few is None or many is None:
        return say("far_more", items=f"{item}s", whom=f" {whom or 'them apart'}")
    range_ = f"about {few:,} to {many:,}" if many > few else f"about {few:,}"
    return say("more", range=range_, items=f"{item}s", whom=f" {whom}" * bool(whom))


def over_words(difference: Difference, units: Units) -> str:
    """Over 18 common of 20 and 23; empty where both have scores for the same items."""
    if difference.n == difference.of_a == difference.of_b:
        return ""
    return f"over {count_of(difference.n, f'common {units.item}')} of {difference.of_a:,} and {difference.of_b:,}"


# all pairs of a run


def pairs_words(pairs: Sequence[Pair[Owner]], units: Units) -> list[str]:
    """Say how many pairs differ, and which difference could not have shown; nothing where none was tested."""
    power = power_of(pairs)
    if power is None or not power.tests:
        return []
    apart = sum(pair.significant for pair in pairs)
    test = "exact McNemar" if all(pair.found.scores is None for pair in pairs) else f"t of the {units.item}s' means"
    differ = f"{apart or 'None'} of {len(pairs):,} pairs differ"
    if len(pairs) == 1:
        differ = "The one pair differs" if apart else "The one pair shows no difference"
    differ += f" (paired on common {units.item}s, {test}, p < 0.05 after Holm)."
    return [differ, *_power_words(power, [pair for pair in pairs if not pair.significant], units)]


def _power_words(power: Power, without: Sequence[Pair[Owner]], units: Units) -> Iterator[str]:
    """Say which differences pairs `without` a shown one could not show; nothing where all of theirs are larger."""
    smallest, at = power.detectable, each_of(power.tests)
    if not any(smallest is None or abs(pair.found.value or 0.0) < smallest for pair in without):
        return
    n = count_of(power.common, f"common {units.item}")
    if power.fewest > (power.independent or power.common):
        n = clusters(power.independent, units) if power.independent else n
        yield say("cannot", n=n, at=at, fewest=f"{power.fewest:,}") + "."
        return
    n = f"{n}, disagreed on in {percent(power.disagreement, 0)},"
    size = f"{points(smallest, sign=False)} points"
    yield (say("no_power", n=n, at=at) if smallest is None else say("typical_power", n=n, seen=size, at=at)) + "."
