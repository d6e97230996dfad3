"""Rates per minute: never more than allowed in any window, first come first served, and no wait longer than it must be."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.engine.limiter import Pace

WINDOW = 60
Arrivals = list[tuple[int, int]]
"""Seconds since the call before, and the tokens it may use: whole numbers, so that sums are exact."""

arrivals = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 50)), max_size=40)
limits = st.one_of(st.none(), st.integers(1, 6)), st.one_of(st.none(), st.integers(1, 90))


def starts_of(calls: Arrivals, requests: int | None, tokens: int | None) -> list[tuple[float, float, int]]:
    """(asked at, may begin at, tokens) of each call."""
    pace = Pace(requests, tokens, WINDOW)
    now, found = 1000, []
    for gap, used in calls:
        now += gap
        found.append((float(now), pace.turn(now, used), used))
    return found


def fits(begun: list[tuple[float, int]], start: float, used: int, requests: int | None, tokens: int | None) -> bool:
    """Whether a call may begin at that moment, by the words of the law alone."""
    inside = [spent for when, spent in begun if start - WINDOW < when <= start]
    if requests is not None and len(inside) >= requests:
        return False
    return not inside or tokens is None or sum(inside) + used <= tokens


@few
@given(arrivals, *limits)
def test_no_window_holds_more_than_is_allowed(calls: Arrivals, requests: int | None, tokens: int | None) -> None:
    """In no 60 seconds more requests or tokens begin; a call that is larger than the limit goes alone."""
    begun = [(start, used) for _, start, used in starts_of(calls, requests, tokens)]
    for start, _ in begun:
        inside = [used for when, used in begun if start - WINDOW < when <= start]
        assert requests is None or len(inside) <= requests
        assert tokens is None or sum(inside) <= tokens or len(inside) == 1


@few
@given(arrivals, *limits)
def test_the_order_is_kept_and_nothing_begins_early(calls: Arrivals, requests: int | None, tokens: int | None) -> None:
    """Calls begin in the order in which they asked, never before they asked."""
    found = starts_of(calls, requests, tokens)
    assert all(start >= asked for asked, start, _ in found)
    assert [start for _, start, _ in found] == sorted(start for _, start, _ in found)


@few
@given(arrivals, *limits)
def test_no_call_waits_longer_than_it_must(calls: Arrivals, requests: int | None, tokens: int | None) -> None:
    """Each begins at the first moment that the calls before it allow (tried second by second)."""
    begun: list[tuple[float, int]] = []
    for asked, start, used in starts_of(calls, requests, tokens):
        moment = max(asked, begun[-1][0]) if begun else asked
        while not fits(begun, moment, used, requests, tokens):
            moment += 1
        assert start == moment
        begun.append((start, used))


@few
@given(arrivals, st.lists(st.integers(0, 200), min_size=40, max_size=40), *limits)
def test_calls_that_are_held_up_keep_the_rate(
    calls: Arrivals, delays: list[int], requests: int | None, tokens: int | None
) -> None:
    """Each tries when its turn has come, or later, and again when it is told to: none begins too early, or much too late."""
    pace = Pace(requests, tokens, WINDOW)
    now, waiting = 1000, []
    for number, (gap, used) in enumerate(calls):
        now += gap
        waiting.append((pace.turn(now, used) + delays[number], number, used))
    begun: list[tuple[float, int]] = []
    while waiting:
        waiting.sort()
        moment, number, used = waiting.pop(0)
        start = pace.begin(moment, used)
        assert (start == moment) == fits(begun, moment, used, requests, tokens)
        if start > moment:
            assert start <= moment + WINDOW
            waiting.append((start, number, used))
        else:
            begun.append((moment, used))


@few
@given(arrivals, *limits)
def test_a_call_that_comes_in_time_need_not_wait_again(calls: Arrivals, requests: int | None, tokens: int | None) -> None:
    """Whoever tries at its turn goes."""
    pace = Pace(requests, tokens, WINDOW)
    now = 1000
    for gap, used in calls:
        now += gap
        start = pace.turn(now, used)
        assert pace.begin(start, used) == start


def test_without_limits_nothing_waits_and_nothing_is_kept() -> None:
    """No limit: every call begins at once."""
    pace = Pace(None, None)
    assert [pace.turn(moment, 10**9) for moment in (5.0, 4.0, 6.0)] == [5.0, 4.0, 6.0]
    assert [pace.begin(moment, 10**9) for moment in (5.0, 4.0, 6.0)] == [5.0, 4.0, 6.0]


def test_a_call_larger_than_the_limit_goes_alone() -> None:
    """It waits for an empty window, and the next waits for its end."""
    pace = Pace(None, 100, 10.0)
    assert [pace.turn(0.0, used) for used in (1, 1000, 1)] == [0.0, 10.0, 20.0]


def test_a_hundred_thousand_turns_take_no_time() -> None:
    """The work grows with the calls alone, however many stand in line."""
    pace = Pace(1000, 1_000_000, 60.0)
    began = time.process_time()
    last = max(pace.turn(0.0, 900) for _ in range(100_000))
    assert last == 60.0 * (100_000 // 1000 - 1)
    assert time.process_time() - began < 10
