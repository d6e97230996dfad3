"""Every attempt ends at its deadline or before, none is ended earlier, and one timer serves them all."""

from __future__ import annotations

import asyncio
import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.engine.circuit_breaker import GRACE_S, STOOD_STILL_S, Deadlines

LONG_S = 60.0
"""Far beyond the end of any of these tests."""


async def attempt(deadlines: Deadlines, allowed_s: float, works_s: float) -> tuple[bool, float]:
    """Work for so long within a deadline: whether it was ended, and after how many seconds."""
    clock = asyncio.get_running_loop().time
    began = clock()
    try:
        async with asyncio.timeout(None) as deadline:
            deadlines.enter(deadline, began + allowed_s)
            try:
                await asyncio.sleep(works_s)
            finally:
                deadlines.leave(deadline)
    except TimeoutError:
        return True, clock() - began
    return False, clock() - began


def timers() -> int:
    """How many timers the running loop holds that have not been cancelled."""
    waiting: list[asyncio.TimerHandle] = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
    return sum(not timer.cancelled() for timer in waiting)


@settings(few, max_examples=12)
@given(st.lists(st.sampled_from([0.0, 0.01, 0.02, 0.05]), min_size=1, max_size=30))
def test_each_ends_at_its_own(allowed: list[float]) -> None:
    """Long and short ones mixed, in any order of entering: what would never end is ended, and not before its time."""

    async def together() -> list[tuple[bool, float]]:
        deadlines = Deadlines()
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(attempt(deadlines, seconds, LONG_S)) for seconds in allowed]
            quick = [group.create_task(attempt(deadlines, LONG_S, 0.001)) for _ in range(5)]
        assert [ended for ended, _ in (task.result() for task in quick)] == [False] * 5
        return [task.result() for task in running]

    for (ended, after), seconds in zip(asyncio.run(asyncio.wait_for(together(), LONG_S)), allowed, strict=True):
        assert ended
        assert after >= seconds - 0.001


async def test_what_came_while_the_process_stood_still_is_read_before_anything_is_ended() -> None:
    """The deadline passed meanwhile (the process was stopped, the machine slept), and so did the reply: it counts, even where
    reading it takes some turns of the loop. What has no reply is ended a little later."""
    deadlines = Deadlines()

    async def read(came: asyncio.Event, turns: int) -> bool:
        began = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(None) as deadline:
                deadlines.enter(deadline, began + 0.05)
                try:
                    await came.wait()
                    for _ in range(turns):
                        await asyncio.sleep(0)
                finally:
                    deadlines.leave(deadline)
        except TimeoutError:
            return False
        return True

    came, never = asyncio.Event(), asyncio.Event()
    tasks = [asyncio.create_task(read(event, turns)) for event, turns in ((came, 0), (came, 20), (never, 0))]
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_soon(came.set)
    time.sleep(STOOD_STILL_S + 0.1)  # the loop stands still, as a stopped process does

    assert await asyncio.wait_for(asyncio.gather(*tasks), GRACE_S + LONG_S) == [True, True, False]


async def test_a_shorter_one_that_enters_later_is_ended_first() -> None:
    """The one timer is set for whatever is due next."""
    deadlines = Deadlines()
    long = asyncio.create_task(attempt(deadlines, LONG_S, LONG_S))
    await asyncio.sleep(0)

    assert (await asyncio.wait_for(attempt(deadlines, 0.02, LONG_S), LONG_S / 2))[0]
    assert not long.done()
    deadlines.end_all()
    assert (await long)[0]


async def test_thousands_under_way_have_one_timer() -> None:
    """None of an attempt's own: most would be made and cancelled for nothing. None is left where all have ended."""
    deadlines = Deadlines()
    before = timers()
    released = asyncio.Event()

    async def waiting() -> None:
        async with asyncio.timeout(None) as deadline:
            deadlines.enter(deadline, asyncio.get_running_loop().time() + 0.2)
            await released.wait()
            deadlines.leave(deadline)

    tasks = [asyncio.create_task(waiting()) for _ in range(1000)]
    await asyncio.sleep(0)
    assert timers() == before + 1
    released.set()
    await asyncio.gather(*tasks)
    await asyncio.sleep(0.25)
    assert timers() == before


async def test_a_work_that_is_ended_from_outside_is_no_timeout() -> None:
    """Who cancels the task is told so: no deadline swallows it."""
    task = asyncio.create_task(attempt(Deadlines(), math.inf, LONG_S))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
