"""Rates per minute: never more than allowed in any window by any count, evenly spread, and nearly all of it used."""

from __future__ import annotations

import math
import random
import time
from heapq import heappop, heappush

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.engine.rates import MARGIN, REQUESTS_PER_BURST, RateWindow

WINDOW = 60.0
Calls = list[tuple[int, int, int, float]]
"""Seconds since the call before, the tokens it may use, how many of them it does not use, and seconds until its end."""
Done = tuple[float, float, int, int]
"""When a call began and ended, what was booked, what it used."""

calls_made = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 50), st.integers(0, 50), st.integers(1, 40)), min_size=1, max_size=40
)


def driven(calls: Calls, requests: int | None, tokens: int | None) -> list[Done]:
    """Every call in the order of context, each begun at the first moment at which it is let."""
    pace, now = RateWindow(requests, tokens, WINDOW), 1000.0
    ends: list[tuple[float, int, int]] = []
    done: list[Done] = []

    def settle_until(moment: float) -> None:
        while ends and ends[0][0] <= moment:
            end, booked, used = heappop(ends)
            pace.settle(end, booked, used)

    for gap, may_use, unused, takes in calls:
        now += gap
        booked, used = pace.booking(may_use), max(may_use - unused, 0)
        settle_until(now)
        while (start := pace.begin(now, booked)) > now:
            now = min(start, ends[0][0] if ends else math.inf)
            assert now < math.inf, "nothing is under way, and yet it waits for an end"
            settle_until(now)
        heappush(ends, (now + takes, booked, used))
        done.append((now, now + takes, booked, used))
    return done


@few
@given(calls_made, st.integers(1, 400))
def test_no_window_holds_more_requests_even_if_some_arrive_late(calls: Calls, requests: int) -> None:
    """In no 60 seconds more requests arrive, though each takes up to a sixtieth of that to arrive."""
    chance = random.Random(requests)
    begun = [start for start, *_ in driven([(0, *call[1:]) for call in calls] * 3, requests, None)]
    arrived = sorted(start + chance.uniform(0.0, WINDOW * MARGIN * 0.99) for start in begun)
    for moment in arrived:
        assert sum(moment <= other < moment + WINDOW for other in arrived) <= requests


@pytest.mark.parametrize("requests", [1, 6, 60, 300, 5000])
def test_requests_are_spread_evenly(requests: int) -> None:
    """Beyond a small burst no two begin sooner after each other than the window shared by all; and little time is lost."""
    begun = [start for start, *_ in driven([(0, 1, 0, 1)] * (2 * requests + 2), requests, None)]
    burst = 1 + requests // REQUESTS_PER_BURST
    gaps = [later - sooner for sooner, later in zip(begun, begun[2 * burst :], strict=False)]
    assert min(gaps) >= burst * WINDOW / requests
    assert begun[-1] - begun[0] <= (2 * requests + 1) / requests * WINDOW * 1.03


@few
@given(calls_made, st.integers(20, 200), st.randoms(use_true_random=False))
def test_no_window_holds_more_tokens_whenever_a_server_counts_them(calls: Calls, tokens: int, chance: random.Random) -> None:
    """Whether at the beginning, at the end or between: no 60 seconds hold more; a call that is larger goes alone."""
    for at in (0.0, 1.0, None):
        counted = []
        for start, end, _, used in driven(calls, None, tokens):
            counted.append((start + (end - start) * (chance.random() if at is None else at), used))
        for moment, _ in counted:
            inside = [used for when, used in counted if moment <= when < moment + WINDOW]
            assert sum(inside) <= tokens or len(inside) == 1 or max(inside) > tokens


def test_nearly_all_tokens_are_used() -> None:
    """Calls of half a second that may use 2 % and use a part of it: every minute after the first holds at least 90 %."""
    chance = random.Random(7)
    calls = [(0, 180, chance.randint(60, 170), 0.5) for _ in range(1200)]
    done = driven(calls, None, 9000)
    last = done[-1][0]
    assert last - done[0][0] > 4 * WINDOW
    moments = range(int(done[0][0] + WINDOW), int(last - WINDOW))
    used_in = [sum(used for start, _, _, used in done if moment <= start < moment + WINDOW) for moment in moments]
    assert min(used_in) >= 0.9 * 9000, used_in


def test_calls_that_use_more_than_they_might_are_booked_higher() -> None:
    """A server that counts twice what was reckoned: the next calls are booked at twice."""
    pace = RateWindow(None, 1000)
    assert pace.booking(100) == 100
    assert pace.begin(0.0, 100) == 0.0
    pace.settle(1.0, 100, 200)
    assert pace.booking(100) == 200


def test_what_nobody_knows_is_what_was_booked() -> None:
    """A call that timed out counts in full, one that was refused not at all."""
    pace = RateWindow(None, 100, WINDOW)
    assert pace.begin(0.0, 100) == 0.0
    pace.settle(1.0, 100, None)
    assert pace.begin(59.0, 100) > 59.0
    pace = RateWindow(None, 100, WINDOW)
    assert pace.begin(0.0, 100) == 0.0
    pace.settle(1.0, 100, 0)
    assert pace.begin(59.0, 100) == 59.0


def test_without_limits_nothing_waits_and_nothing_is_kept() -> None:
    """No limit: every call begins at once."""
    pace = RateWindow(None, None)
    assert pace.free
    assert [pace.begin(moment, 10**9) for moment in (5.0, 5.0, 6.0)] == [5.0, 5.0, 6.0]
    assert pace.left_s(6.0, 10**6) == 0.0


def test_a_call_larger_than_the_limit_goes_alone() -> None:
    """It waits until nothing counts, and the next until it does not count any more."""
    done = driven([(0, 1, 0, 1), (0, 1000, 0, 1), (0, 1, 0, 1)], None, 100)
    (first, second, third) = (start for start, *_ in done)
    assert second - first >= 1 + WINDOW
    assert third - second >= 1 + WINDOW


def test_the_time_to_go_knows_the_pace() -> None:
    """Ninety more calls at sixty a minute take a minute and a half; tokens by what calls used so far."""
    assert RateWindow(60, None).left_s(0.0, 91) == pytest.approx(91.5, rel=0.01)
    pace = RateWindow(None, 1000)
    assert pace.left_s(0.0, 100) == 0.0, "nothing is known yet"
    assert pace.begin(0.0, 500) == 0.0
    pace.settle(1.0, 500, 100)
    assert pace.left_s(2.0, 109) == pytest.approx(600.0, rel=0.02)
    assert pace.left_s(2.0, 5) <= 0.0


def test_a_hundred_thousand_calls_take_no_time() -> None:
    """The work grows with the calls alone, however many count."""
    pace, began, now = RateWindow(100_000, 1_000_000, 60.0), time.process_time(), 0.0
    for _ in range(100_000):
        while (start := pace.begin(now, 10)) > now:
            now = start
        pace.settle(now, 10, 9)
    assert time.process_time() - began < 10
