"""Sentences on a pair of sides, which speak of the test that was used and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import counted
from tui_eval.core.units import Units
from tui_eval.results.sums.differences import SIGNIFICANT, Difference, Owner, Pair, Power, each_of, power_of
from tui_eval.results.sums.in_words import clusters, p_value, percent, points
from tui_eval.results.sums.metrics import is_binary, scale_of, upwards
from tui_eval.results.sums.sentences import say
from tui_eval.statistics.power import Futures


def pair_verdict(
    found: Difference, p_holm: float | None, tests: int, metric: Metric, names: tuple[str, str], units: Units
) -> str:
    """What may be concluded of a's scores less b's, in one sentence; `names`: a and b; `tests`: 0 = it is not tested."""
    share = is_binary(metric)
    unit = " points" if share else f" on {scale_of(metric)}"
    interval = f"{points(found.value, share)} [{points(found.low, share)}, {points(found.high, share)}]{unit}"
    if not found.n:
        told = f"; unpaired, over other {units.item}s each: {interval}" if found.value is not None else ""
        return f"no {units.item} in common{told}"
    if found.n < 2:
        return f"nothing can be said: {counted(found.n, units.item)} in common"
    if not tests:
        return f"{interval}; not tested: a part of what is, or beside it"
    if p_holm is not None and p_holm < SIGNIFICANT and found.value:
        better = names[0] if upwards(metric, found.value) > 0 else names[1]
        how = "better" if metric.better == "higher" else "better (lower)"
        size = f"{points(abs(found.value), share, sign=False)}{unit}"
        return say("better", better=better, how=how, size=size) + _bounds(found, metric)
    return f"no difference shown: {_why_none(found, tests, metric, units)}{_bounds(found, metric)}"


def _why_none(found: Difference, tests: int, metric: Metric, units: Units) -> str:
    share = is_binary(metric)
    unit = " points" if share else f" on {scale_of(metric)}"
    n, apart = counted(found.n, units.item), found.a_higher + found.b_higher
    if not apart:
        return f"the same scores on all {n}"
    if found.p is not None and found.p < SIGNIFICANT and tests > 1:
        return say("alone", tests=f"{tests:,}")
    if found.fewest(tests) > found.independent:
        n = n if found.independent == found.n else clusters(found.independent, units)
        return say("cannot", n=n, at=_at(tests), fewest=f"{found.fewest(tests):,}")
    clause = f"; {say('differ_at_n')}" if found.disagrees else ""
    seen = found.detectable(tests)
    if seen is None and found.scores is None and not found.could_show(tests):
        return say("few_differ", apart=f"{apart:,}", n=n) + clause
    if seen is not None and abs(found.value or 0.0) < seen:
        return say("detectable", n=n, seen=points(seen, share, sign=False) + unit, at=_at(tests)) + clause
    if seen is None:
        n += f" of {clusters(found.independent, units)}" if found.independent < found.n else ""
        return say("none_reliable", n=n, at=_at(tests)) + clause
    return say("p_alone", p=p_value(found.p), at=_at(tests)) + clause


def _at(tests: int) -> str:
    """The p below which it would count as shown, where there are several tests."""
    return f" at p < {SIGNIFICANT} / {tests:,}" if tests > 1 else ""


def _bounds(found: Difference, metric: Metric) -> str:
    """What the missing answers of one side could make of it, where they are more than a few."""
    if found.bounds is None:
        return ""
    low, high = (points(end, is_binary(metric)) for end in found.bounds)
    return f" ({say('bounds', low=low, high=high)})"


def more_words(found: Difference, tests: int, units: Units, whom: str = "") -> str:
    """How many items more would tell (`whom`: a from b); empty where that is not known, or where the pair is told apart."""
    more = found.more(tests) if tests and found.n > 1 else None
    return "" if more is None else forecast(more, units.item, whom)


def forecast(more: Futures, item: str, whom: str = "") -> str:
    """How many items more would tell, in 50 and in 80 of 100 futures."""
    few, many = more
    if few is None or many is None:
        return say("far_more", items=f"{item}s", whom=f" {whom or 'them apart'}")
    range_ = f"about {few:,} to {many:,}" if many > few else f"about {few:,}"
    return say("more", range=range_, items=f"{item}s", whom=f" {whom}" * bool(whom))


def over_words(found: Difference, units: Units) -> str:
    """Over 18 common of 20 and 23; empty where both have scores for the same items."""
    if found.n == found.of_a == found.of_b:
        return ""
    return f"over {counted(found.n, f'common {units.item}')} of {found.of_a:,} and {found.of_b:,}"


# all pairs of a run


def pairs_words(pairs: Sequence[Pair[Owner]], units: Units) -> list[str]:
    """How many pairs differ, and which difference could not have shown; nothing where none was tested."""
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
    """Which differences pairs `without` one that is shown could not show; nothing where all of theirs are larger."""
    seen, at = power.detectable, each_of(power.tests)
    if not any(seen is None or abs(pair.found.value or 0.0) < seen for pair in without):
        return
    n = counted(power.common, f"common {units.item}")
    if power.fewest > (power.independent or power.common):
        n = clusters(power.independent, units) if power.independent else n
        yield say("cannot", n=n, at=at, fewest=f"{power.fewest:,}") + "."
        return
    n = f"{n}, disagreed on in {percent(power.disagreement, 0)},"
    size = f"{points(seen, sign=False)} points"
    yield (say("no_power", n=n, at=at) if seen is None else say("typical_power", n=n, seen=size, at=at)) + "."
