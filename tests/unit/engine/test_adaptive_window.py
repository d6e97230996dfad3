"""Laws of the window for 429s, by simulation: servers of many kinds, given seeds, no clock."""

from __future__ import annotations

import math
import random

import pytest
from refusing import Bucket, Client, Free, Minutes, New, Places, Server, Simulation, Stray, Stream, exact, silent

from tui_eval.engine.adaptive_window import AdaptiveWindow, CallGroup

MOST = 100
ENDLESS = 10**6


def used_and_refused(server: Server, capacity: float, client: Client, warm_s: float, most: int = MOST) -> tuple[float, float]:
    """Answers over what the server could give, and the share of attempts that were refused, after a time to find out."""
    found = Simulation(New(most), server, client, seed=21).run()
    answered = sum(end >= warm_s for end in found.answered)
    late = [status for began, status in found.begun if began >= warm_s]
    return answered / (client.until_s - warm_s) / capacity, late.count(429) / len(late)


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize(("refused", "failed", "times"), [(0.01, 0.0, 1.2), (0.005, 0.015, 1.2), (0.03, 0.0, 1.35)])
def test_stray_refusals_slow_nothing_down(refused: float, failed: float, times: float, slow: bool) -> None:
    """A few 429s and 5xx among good replies cost hardly more than the calls that are asked again."""
    client = Client(calls=2000, slow=slow)
    with_them = Simulation(New(MOST), Stray(refused, failed, 1.0), client, seed=22).run()
    without = Simulation(New(MOST), Stray(0.0), client, seed=22).run()
    assert with_them.end_s <= times * without.end_s


def test_a_stray_retry_after_holds_up_its_own_call_alone() -> None:
    """One call in a hundred is told to wait 20 s: the others are answered as soon as without."""
    client = Client(calls=2000)
    found = Simulation(New(MOST), Stray(0.01, 0.0, 20.0), client, seed=23).run()
    without = Simulation(New(MOST), Stray(0.0), client, seed=23).run()
    assert sum(end <= 1.2 * without.end_s for end in found.answered) >= 0.98 * client.calls


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("asks", [silent, exact])
@pytest.mark.parametrize("rate", [2, 10, 50])
def test_a_rate_is_found_and_kept(rate: int, asks: object, slow: bool) -> None:
    """A token bucket is used nearly whole, and few calls are refused."""
    server = Bucket([(0, rate)], asks=silent if asks is silent else exact)
    used, refused = used_and_refused(server, rate, Client(ENDLESS, 70.0, slow=slow), 15.0)
    assert used >= 0.95
    assert refused <= 0.14


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("most", [5, 20])
def test_a_number_of_places_is_found_and_kept(most: int, slow: bool) -> None:
    """So many at once, and no more: used nearly whole."""
    used, refused = used_and_refused(Places(most), 2 * most, Client(ENDLESS, 90.0, slow=slow), 15.0)
    assert used >= 0.88
    assert refused <= 0.14


@pytest.mark.parametrize("sliding", [False, True])
@pytest.mark.parametrize("most", [60, 500])
def test_a_minute_is_found_and_kept(most: int, sliding: bool) -> None:
    """What a server allows a minute is used nearly whole from the third minute on."""
    used, refused = used_and_refused(Minutes(most, sliding), most / 60, Client(ENDLESS, 360.0), 120.0)
    assert used >= 0.9
    assert refused <= 0.16


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("server", [Stray(0.5), Stray(0.5, in_turn=True)], ids=["by chance", "in turn"])
def test_refusals_whatever_the_pace_are_borne(server: Stray, slow: bool) -> None:
    """Half of the calls are refused at any pace: the run ends in three times the time that it takes without any rule."""
    client = Client(calls=2000, slow=slow)
    found = Simulation(New(MOST), server, client, seed=24).run()
    without = Simulation(Free(MOST), Stray(0.5), client, seed=24).run()
    assert found.end_s <= 3 * without.end_s


def test_a_capacity_that_comes_back_is_used_again() -> None:
    """20 calls a second, then 4, then 20 again: nine tenths of that within twenty seconds."""
    server = Bucket([(0, 20), (40, 4), (80, 20)])
    found = Simulation(New(MOST), server, Client(ENDLESS, 115.0), seed=25).run()
    assert sum(100 <= end < 110 for end in found.answered) >= 0.9 * 10 * 20


def test_a_stream_of_long_waits_freezes_nothing() -> None:
    """A 429 every two seconds that asks to wait 89 s, among good replies: nine tenths of the calls go on."""
    used, _ = used_and_refused(Stream(2, 89), 2 * MOST, Client(ENDLESS, 100.0), 10.0)
    assert used >= 0.9


def test_an_endpoint_that_refuses_everything_is_asked_with_one_call() -> None:
    """Closed for a minute: a call every few seconds, not a hundred; and a Retry-After is kept."""
    window = AdaptiveWindow(MOST)
    now, begun = 0.0, 0
    while now < 60:
        opens = window.opens_at(now)
        if opens > now:
            now = opens
            continue
        window.refused(now + 0.02, window.begin(now), now, None)
        begun += 1
        now += 0.02
    assert begun <= 2 * MOST + 25
    assert window.closed_until is not None
    now = window.opens_at(now)
    window.refused(now + 0.02, window.begin(now), now, 89.0)
    assert window.opens_at(now + 0.03) == pytest.approx(now + 89.02)


def test_places_come_out_even_and_the_limit_is_never_passed() -> None:
    """Whatever is answered, refused, failed or withdrawn: never more in flight than may be, and none is lost."""
    for seed in range(20):
        chance, window, now = random.Random(seed), AdaptiveWindow(10), 0.0
        flying: list[tuple[float, CallGroup]] = []
        for _ in range(2000):
            now += chance.random() * 0.1
            if window.opens_at(now) <= now and chance.random() < 0.7:
                flying.append((now, window.begin(now)))
            elif flying:
                began, group = flying.pop(chance.randrange(len(flying)))
                match chance.randrange(4):
                    case 0:
                        window.accepted(now, group, began)
                    case 1:
                        window.refused(now, group, began, chance.choice([None, 0.0, 3.0]))
                    case 2:
                        window.ended(now, group)
                    case _:
                        window.withdraw(now, group)
            assert window.in_flight == len(flying) <= 10
            assert 0 < window.window <= 10
        for _, group in flying:
            window.ended(now, group)
        assert window.in_flight == 0
        assert window.opens_at(now) < math.inf
