"""What the rule for 429s reaches at servers of many kinds, beside the rule before it: simulated, no call.

python benchmarks/pace.py [--seeds 11,12,13,14,15,16] [--only bucket] [--limits]

Worst of the seeds; its constants were chosen on seeds 1 to 4. "x": the time for 3,000 calls over the time
without refusals (of coins: without any rule). "used": answers over what the server would have accepted, after a time to find
out; "refused": the share of attempts that were refused in that time. A call waits at least its Retry-After, and is tried
without end.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from refusing import (
    Bucket,
    Client,
    Free,
    Happened,
    Minutes,
    New,
    Old,
    Places,
    Rule,
    Server,
    Simulation,
    Stray,
    Stream,
    exact,
    rounded,
    side_by_side,
    silent,
)

HELD_OUT = "11,12,13,14,15,16"
ENDLESS = 10**6
LLM = Client(latency_s=4.0, spread=0.6)
"""A mean of four seconds, and a long tail."""
MIXED = Client(large=0.2)
"""Four calls in five have one token, the others ten."""
MOST_RATIO, MOST_BACK_S = 2.0, 15.0
"""What is aimed at where two clients share a limit, and after a capacity came back."""
HARDEST = ("tokens", "counts refused", "two clients", "size 1", "70%", "in flight, latency", "20/s, 4/s")
"""Words of the names of the servers that a table of its own is about."""


@dataclass(frozen=True, slots=True)
class Case:
    """A server, what is asked of it, and what is aimed at."""

    name: str
    server: Callable[[], Server]
    client: Client = field(default_factory=Client)
    capacity: float | None = None
    """Calls per second that it can accept; None where the time for all calls is measured."""
    warm_s: float = 10.0
    until_s: float = 110.0
    most: int = 100
    least_used: float = 0.95
    most_refused: float = 0.12
    most_times: float | None = None
    coin: bool = False
    drops: bool = False
    second_s: float | None = None
    """When a second client with the same rule begins; None where there is one client."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one simulation came to."""

    times: float = math.nan
    used: float = math.nan
    refused: float = math.nan
    tries: int = 0
    seconds: float = math.nan
    back_s: float = math.nan
    """How long after its return a capacity is used at 90 %."""
    ratio: float = math.nan
    """Answers of the client that got more over those of the other."""


def strays() -> Iterator[Case]:
    """A few refusals that mean nothing."""
    for refused, failed, most in ((0.01, 0.0, 1.2), (0.005, 0.015, 1.2), (0.03, 0.0, 1.35)):
        for wait_s in (None, 0.05, 1.0, 20.0):
            name = f"stray {refused:.1%} 429, {failed:.1%} 5xx, Retry-After {wait_s or 'none'}"
            yield Case(name, partial(Stray, refused, failed, wait_s), most_times=None if wait_s == 20.0 else most)


def rates() -> Iterator[Case]:
    """Token buckets and minutes."""
    for rate in (2, 10, 50):
        for asks in (silent, exact, rounded):
            yield Case(f"bucket {rate}/s, Retry-After {asks.__name__}", partial(Bucket, [(0, rate)], 10, asks), capacity=rate)
    for most in (500, 60):
        for sliding in (False, True):
            for asks in (silent, rounded):
                name = f"{most} in a {'sliding' if sliding else 'fixed'} minute, Retry-After {asks.__name__}"
                yield Case(name, partial(Minutes, most, sliding, asks), capacity=most / 60, warm_s=120, until_s=480)
    yield Case("bucket 2/s, latency of an LLM", partial(Bucket, [(0, 2)]), LLM, 2, 120, 360)
    yield Case("bucket 2/s, latency 20 s", partial(Bucket, [(0, 2)]), Client(latency_s=20), 2, 300, 900)
    yield Case("bucket 20/s of size 1", partial(Bucket, [(0, 20)], 1), capacity=20)
    drop = partial(Bucket, [(0, 20), (60, 4), (120, 20)])
    yield Case("20/s, 4/s after 60 s, 20/s after 120 s", drop, capacity=20, until_s=180, drops=True)


def others() -> Iterator[Case]:
    """Places, coins, and a stream of refusals."""
    for most in (5, 20):
        for wait_s in (None, 1.0):
            name = f"{most} in flight, Retry-After {wait_s or 'none'}"
            yield Case(name, partial(Places, most, wait_s), capacity=2 * most, least_used=0.9)
        yield Case(f"{most} in flight, latency of an LLM", partial(Places, most), LLM, most / 4, 120, 360, least_used=0.9)
    for share in (0.1, 0.3, 0.5, 0.7):
        yield Case(f"{share:.0%} refused whatever the pace", partial(Stray, share), most_times=3, coin=True)
    yield Case("50 %, Retry-After 1", partial(Stray, 0.5, 0, 1.0), most_times=3, coin=True)
    yield Case("every second one refused", partial(Stray, 0.5, in_turn=True), most_times=3, coin=True)
    yield Case("50 %, calls of 1 and 10 tokens", partial(Stray, 0.5), MIXED, most_times=3, coin=True)
    yield Case("50 %, 60 calls", partial(Stray, 0.5), Client(calls=60), most_times=3, coin=True)
    for most in (100, 4):
        name = f"a 429 every 2 s, Retry-After 89, {most} at once"
        yield Case(name, partial(Stream, 2, 89), capacity=2 * most, most=most, least_used=0.9)


def cases() -> Iterator[Case]:
    """All of them, in the order of the table."""
    yield from strays()
    yield from rates()
    yield from others()
    yield from unequal()


def unequal() -> Iterator[Case]:
    """Calls of unequal tokens, refusals that count, and two clients."""
    for asks in (silent, exact):
        bucket = partial(Bucket, [(0, 28)], 60, asks)
        yield Case(f"28 tokens/s, calls of 1 and 10, Retry-After {asks.__name__}", bucket, MIXED, 28, 20, 140)
    for asks in (silent, rounded):
        minute = partial(Minutes, 500, True, asks, counts_refused=True)
        name = f"500 in a sliding minute that counts refused calls, Retry-After {asks.__name__}"
        yield Case(name, minute, capacity=500 / 60, warm_s=120, until_s=480)
    for second_s in (0.0, 60.0):
        name = f"two clients at 20/s, the second after {second_s:.0f} s"
        yield Case(name, partial(Bucket, [(0, 20)]), capacity=20, warm_s=120, until_s=480, second_s=second_s)


def met(rule: Callable[[int], Rule], case: Case, seed: int, slow: bool = False) -> Figures:
    """Simulate one case with one seed; `slow`: a refusal takes as long as an answer."""
    client = replace(case.client, slow=slow)
    if case.second_s is not None:
        return _shared(rule, case, seed, client)
    if case.capacity is None:
        found = Simulation(rule(case.most), case.server(), client, seed).run()
        ideal = Simulation(Free(case.most), case.server() if case.coin else Stray(0.0), client, seed).run()
        refused = sum(status == 429 for _, status in found.begun) / len(found.begun)
        return Figures(found.end_s / ideal.end_s, refused=refused, tries=max(found.tries.values()), seconds=found.end_s)
    found = Simulation(rule(case.most), case.server(), replace(client, calls=ENDLESS, until_s=case.until_s), seed).run()
    if case.drops:
        return _dropped(found)
    return replace(_used(found, case.warm_s, case.until_s, case.capacity), tries=max(found.tries.values()))


def _used(found: Happened, warm_s: float, until_s: float, capacity: float) -> Figures:
    tokens = zip(found.answered, found.tokens, strict=True)
    answered = sum(tokens for end, tokens in tokens if warm_s <= end < until_s)
    late = [status for began, status in found.begun if began >= warm_s]
    return Figures(used=answered / (until_s - warm_s) / capacity, refused=late.count(429) / max(len(late), 1))


def _shared(rule: Callable[[int], Rule], case: Case, seed: int, client: Client) -> Figures:
    """Two clients of one server: what both used together, and how evenly."""
    assert case.capacity is not None
    assert case.second_s is not None
    server = case.server()
    endless = replace(client, calls=ENDLESS, until_s=case.until_s)
    clients = (endless, replace(endless, starts_s=case.second_s))
    both = side_by_side([Simulation(rule(case.most), server, one, seed + 1000 * i) for i, one in enumerate(clients)])
    first, second = (_used(found, case.warm_s, case.until_s, case.capacity) for found in both)
    begun = [status for found in both for began, status in found.begun if began >= case.warm_s]
    more, fewer = max(first.used, second.used), min(first.used, second.used)
    refused = begun.count(429) / max(len(begun), 1)
    return Figures(used=more + fewer, refused=refused, ratio=more / fewer if fewer else math.inf)


def _dropped(found: Happened) -> Figures:
    """Use while the capacity was low, and how soon after its return five seconds had 90 % of it."""
    low = _used(found, 70, 120, 4)
    in_five_s = (sum(120 + late <= end < 125 + late for end in found.answered) for late in range(60))
    back = next((late for late, answered in enumerate(in_five_s) if answered >= 0.9 * 5 * 20), math.inf)
    return replace(low, refused=_used(found, 10, 180, 20).refused, tries=max(found.tries.values()), back_s=back)


def worst(rule: Callable[[int], Rule], case: Case, seeds: list[int], slow: bool) -> tuple[str, bool]:
    """The figures of the worst seed, and whether they are what is aimed at."""
    found = [met(rule, case, seed, slow) for seed in seeds]
    times, seconds = max(one.times for one in found), max(one.seconds for one in found)
    used, refused = min(one.used for one in found), max(one.refused for one in found)
    if case.capacity is None:
        text = f"x {times:.2f}, {seconds:.0f} s" if times < math.inf else f"not in {case.client.until_s:,.0f} s"
        return text, case.most_times is None or times <= case.most_times
    back, ratio = max(one.back_s for one in found), max(one.ratio for one in found)
    good = used >= case.least_used - 0.005 and refused <= case.most_refused + 0.005
    text = f"{used:.0%}, {refused:.0%}"
    text += "" if math.isnan(back) else f"; back in {back:.0f} s"
    text += "" if math.isnan(ratio) else f"; {ratio:.1f} : 1"
    return text, good and not back > MOST_BACK_S and not ratio > MOST_RATIO


def limits_row(case: Case, seeds: list[int], slow: bool) -> str:
    """One line of the table of what is reached and what is not: middle and worst of the seeds."""
    results = [met(New, case, seed, slow) for seed in seeds]
    columns = (
        ("{:.0%}", [one.used for one in results], min),
        ("{:.0%}", [one.refused for one in results], max),
        ("{:.0f} s", [one.back_s for one in results], max),
        ("{:.1f} : 1", [one.ratio for one in results], max),
        ("x {:.1f}", [one.times for one in results], max),
    )
    texts = ["-" if math.isnan(values[0]) else spread(form, values, worst_of) for form, values, worst_of in columns]
    is_met = worst(New, case, seeds, slow)[1]
    how = "slow" if slow else "quick"
    return f"| {case.name} | {how} | {' | '.join(texts)} | {aim(case)} | {'yes' if is_met else 'NO'} |"


def spread(form: str, values: list[float], worst_of: Callable[[list[float]], float]) -> str:
    """The middle value, and the worst in brackets."""
    return f"{form.format(statistics.median(values))} ({form.format(worst_of(values))})"


def aim(case: Case) -> str:
    """What is aimed at, for the worst seed."""
    if case.capacity is None:
        return f"x {case.most_times:g}"
    text = f"{case.least_used:.0%} used, {case.most_refused:.0%} refused"
    text += f", back in {MOST_BACK_S:.0f} s" if case.drops else ""
    return text if case.second_s is None else f"{text}, {MOST_RATIO:.0f} : 1"


def print_limits(seeds: list[int]) -> None:
    """Print the table of what is reached and what is not."""
    print("| server | refusals | used | refused | back at 90 % | larger : smaller | time | aim | met |")
    print("|---|---|---:|---:|---:|---:|---:|---|---|")
    for case in cases():
        if any(words in case.name for words in HARDEST):
            for slow in (False, True):
                print(limits_row(case, seeds, slow), flush=True)


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--seeds", default=HELD_OUT)
    asked.add_argument("--only", default="")
    asked.add_argument("--old", action=argparse.BooleanOptionalAction, default=True, help="the rule before, too")
    asked.add_argument("--limits", action="store_true", help="the hardest servers alone, with the middle and the worst seed")
    given = asked.parse_args()
    seeds = [int(seed) for seed in given.seeds.split(",")]
    if given.limits:
        print_limits(seeds)
        return
    print("| server | old rule | new rule | new rule, refusals as slow as answers |\n|---|---|---|---|")
    for case in cases():
        if given.only in case.name:
            texts = [worst(Old, case, seeds, False)[0]] if given.old else ["-"]
            for slow in (False, True):
                text, good = worst(New, case, seeds, slow)
                texts.append(text if good else f"{text} (missed)")
            print(f"| {case.name} | {' | '.join(texts)} |", flush=True)


if __name__ == "__main__":
    main()
