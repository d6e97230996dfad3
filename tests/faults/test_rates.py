"""Requests and tokens per minute in real runs, with a minute that is short: kept, whatever held calls up, and no burden."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Served, Table, asked, by_model, panel, run_here, simulated_by, spoken_by, strict_lines
from invariants import check

from tui_eval.engine import limiter
from tui_eval.engine.progress import Progress

MINUTE_S = 0.6
LATE_S = 30.0
"""How late a slow machine may be; half of what a call would take that waits for a real minute."""


class Paces(list[list[float]]):
    """When calls began, by the clock that their rate is kept by: requests arrive later, and not all equally late."""

    def note(self, pace: limiter.RateWindow) -> None:
        """Have a rate note what begins."""
        begin, moments = pace.begin, []
        self.append(moments)

        def noted(now: float, tokens: int) -> float:
            start = begin(now, tokens)
            if start <= now:
                moments.append(now)
            return start

        pace.begin = noted  # type: ignore[method-assign]


@pytest.fixture
def paces(monkeypatch: pytest.MonkeyPatch) -> Paces:
    """A minute that is short, and what begins at each rate that is stated."""
    found = Paces()
    made = limiter.RateWindow.__init__

    def make(self: limiter.RateWindow, requests: int | None, tokens: int | None, window_s: float = MINUTE_S) -> None:
        made(self, requests, tokens, window_s)
        if (requests, tokens) != (None, None):
            found.note(self)

    monkeypatch.setattr(limiter, "MINUTE_S", MINUTE_S)
    monkeypatch.setattr(limiter.RateWindow, "__init__", make)
    return found


def limited(url: str, name: str, api: str = "bench", **limits: Any) -> Table:
    """A model with limits of its own."""
    return simulated_by(url, name, api, limits=limits)


def most_in_a_minute(moments: list[float]) -> int:
    """The most requests within any window."""
    ordered = sorted(moments)
    return max(sum(start <= moment < start + MINUTE_S for moment in ordered) for start in ordered)


async def test_no_minute_holds_more_requests(served: Served, tmp_path: Path, paces: Paces) -> None:
    """Ten calls at three a minute take three minutes, with three at once."""
    life = await run_here(panel([limited(served.url, "m", requests_per_minute=3)], [asked("m", 10)]), tmp_path)
    check(life.path, await served.stats())
    (moments,) = paces
    assert life.ended.exit_code == 0
    assert len(moments) == len(life.records) == 10
    assert most_in_a_minute(moments) == 3
    assert 3 * MINUTE_S <= max(moments) - min(moments) < LATE_S


async def test_no_minute_holds_more_tokens(served: Served, tmp_path: Path, paces: Paces) -> None:
    """What calls used counts, and what those under way may use: prompt and limit."""
    model = limited(served.url, "m", tokens_per_minute=1000)
    life = await run_here(panel([model], [asked("m", 30)], run={"max_output_tokens": 300}), tmp_path)
    records = check(life.path, await served.stats())
    assert [len(moments) for moments in paces] == [30]
    used = sorted((record["ended_at"], sum(_tokens(record))) for record in records)
    ends = [(datetime.fromisoformat(end).timestamp(), tokens) for end, tokens in used]
    for start, _ in ends:
        assert sum(tokens for end, tokens in ends if start <= end < start + MINUTE_S) <= 1000


def _tokens(record: Table) -> tuple[int, int]:
    return record["usage"]["prompt_tokens"], record["usage"]["completion_tokens"]


async def test_requests_are_spread_evenly(served: Served, tmp_path: Path, paces: Paces) -> None:
    """Six a minute begin a sixth of a minute apart, not all at once."""
    life = await run_here(panel([limited(served.url, "m", requests_per_minute=6)], [asked("m", 9)]), tmp_path)
    check(life.path, await served.stats())
    (moments,) = paces
    assert len(moments) == 9
    assert min(later - sooner for sooner, later in pairwise(moments)) >= MINUTE_S / 6


async def test_waiting_calls_hold_no_place(served: Served, tmp_path: Path) -> None:
    """While one model waits for its minutes, another has the whole run to itself."""
    models = [limited(served.url, "slow", requests_per_minute=1), simulated_by(served.url, "free", "bench-20ms")]
    config = panel(models, [asked("slow", 4), asked("free", 40)], run={"max_concurrency": 2})
    served.simulator.gather(2, "bench-20ms")

    def stop_when_free_is_done(progress: Progress) -> None:
        if progress.total.ok >= 41:
            (tmp_path / "run" / "STOP").touch(mode=0o600)

    life = await run_here(config, tmp_path, on_tick=stop_when_free_is_done)
    own = by_model(check(life.path, await served.stats()))
    assert [record["status"] for record in own["free"]] == ["ok"] * 40
    assert [record["status"] for record in own["slow"] if record["started_at"]] == ["ok"], "its minute is a real one"
    assert (await served.stats())["peak_by_model"]["bench-20ms"] == 2


async def test_retries_keep_the_rate(served: Served, tmp_path: Path, paces: Paces) -> None:
    """Every attempt counts, not only first ones."""
    model = limited(served.url, "m", "fault:429-retry-after-ms:1", requests_per_minute=2)
    life = await run_here(panel([model], [asked("m", 3)], run={"retries": 3}), tmp_path)
    check(life.path, await served.stats())
    assert len(life.records) == 6
    assert [len(moments) for moments in paces] == [6]
    assert most_in_a_minute(paces[0]) == 2


@pytest.mark.soak
async def test_a_pause_brings_no_burst(served: Served, tmp_path: Path, paces: Paces) -> None:
    """Calls that were held up by a pause still begin at the rate, and not all at once."""
    run = asyncio.create_task(
        run_here(panel([limited(served.url, "m", requests_per_minute=2)], [asked("m", 8)]), tmp_path, narrate=lambda text: None)
    )
    while not (tmp_path / "run" / "intents.jsonl").exists() or len(strict_lines(tmp_path / "run" / "intents.jsonl")) < 2:
        await asyncio.sleep(0.01)
    (tmp_path / "run" / "PAUSE").touch(mode=0o600)
    await asyncio.sleep(4 * MINUTE_S)
    (tmp_path / "run" / "PAUSE").unlink()
    life = await run
    check(life.path, await served.stats())
    assert [len(moments) for moments in paces] == [8]
    assert most_in_a_minute(paces[0]) == 2


@pytest.mark.soak
async def test_a_full_run_brings_no_burst(served: Served, tmp_path: Path, paces: Paces) -> None:
    """Calls whose turn came while every place was taken begin at the rate, too."""
    models = [simulated_by(served.url, "long", "bench-1500ms"), limited(served.url, "m", requests_per_minute=2)]
    config = panel(models, [asked("long", 3), asked("m", 6)], run={"max_concurrency": 3})
    life = await run_here(config, tmp_path)
    check(life.path, await served.stats())
    assert [len(moments) for moments in paces] == [6]
    assert most_in_a_minute(paces[0]) == 2


async def test_a_rate_that_is_not_reached_costs_no_time(served: Served, tmp_path: Path) -> None:
    """Six hundred a minute, five calls: within a second, with a minute of sixty seconds."""
    began = time.monotonic()
    life = await run_here(panel([limited(served.url, "m", requests_per_minute=600)], [asked("m", 5)]), tmp_path)
    assert life.ended.exit_code == 0
    assert time.monotonic() - began < LATE_S


async def test_a_stop_ends_the_wait(served: Served, tmp_path: Path) -> None:
    """A run whose calls wait for the next minute stops at once, and takes up the rest later."""
    config = panel([limited(served.url, "m", requests_per_minute=2)], [asked("m", 6)])
    run = asyncio.create_task(run_here(config, tmp_path))
    while not (tmp_path / "run" / "call_logs.jsonl").exists() or len(strict_lines(tmp_path / "run" / "call_logs.jsonl")) < 1:
        await asyncio.sleep(0.01)
    began = time.monotonic()
    (tmp_path / "run" / "STOP").touch(mode=0o600)
    life = await run
    assert time.monotonic() - began < LATE_S
    assert life.ended.exit_code == 130
    assert (await served.stats())["requests"] == 1
    check(life.path, await served.stats())


async def test_a_model_that_is_stopped_waits_for_nothing(served: Served, tmp_path: Path) -> None:
    """A wrong key ends the model's calls; they do not stand in line for minutes to hear so."""
    config = panel([limited(served.url, "m", "fault:401", requests_per_minute=2)], [asked("m", 6)], questions=10)
    began = time.monotonic()
    life = await run_here(config, tmp_path)
    assert time.monotonic() - began < LATE_S
    assert life.ended.exit_code == 3
    assert (await served.stats())["requests"] <= 2
    check(life.path, await served.stats())


async def test_a_budget_that_is_spent_is_not_waited_for(served: Served, tmp_path: Path) -> None:
    """Calls for which no money is left end at once, not one by one at the rate."""
    model = limited(served.url, "m", "fault:cost-high", requests_per_minute=1)
    model["price"] = {"input": 1.0, "output": 1.0}
    life = await run_here(panel([model], [asked("m", 5)], run={"max_cost_usd": 1.0}), tmp_path)
    assert (await served.stats())["requests"] == 1
    assert life.ended.exit_code == 3


@pytest.mark.soak
async def test_money_that_is_spent_is_not_waited_for(served: Served, tmp_path: Path) -> None:
    """The same where the cap holds: two calls fit, four are told so at once."""
    model = limited(served.url, "m", "bench", requests_per_minute=20)
    model["price"] = {"input": 1000.0, "output": 0.0}
    began = time.monotonic()
    life = await run_here(panel([model], [asked("m", 6)], run={"max_cost_usd": 0.65}), tmp_path)
    records = check(life.path, await served.stats())
    assert {record["status"] for record in records} == {"ok", "skipped_budget"}
    assert time.monotonic() - began < LATE_S


async def test_each_name_of_a_model_keeps_its_own_rate(served: Served, tmp_path: Path, paces: Paces) -> None:
    """One model under three names: those that state a rate keep it together, the one that states none is free."""
    models = [spoken_by(served.url, "free", "bench")]
    models += [limited(served.url, name, requests_per_minute=2) for name in ("a", "b")]
    life = await run_here(panel(models, [asked("free", 6), asked("a", 3), asked("b", 3)]), tmp_path)
    check(life.path, await served.stats())
    assert life.ended.exit_code == 0
    assert [len(moments) for moments in paces] == [6], "a and b at one rate, the one that is free at none"
    assert most_in_a_minute(paces[0]) == 2
