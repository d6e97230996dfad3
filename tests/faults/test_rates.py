"""Requests and tokens per minute in real runs, with a minute that is short: kept, whatever held calls up, and no burden."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Life, Served, Table, asked, by_model, panel, run_here, spoken_by, strict_lines
from invariants import check

from tui_eval.engine import room

MINUTE_S = 0.6
EARLY_S = 0.1
"""Requests arrive a little later than they begin, and not all equally late."""


@pytest.fixture
def _short_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MINUTE_S", MINUTE_S)


def limited(url: str, name: str, api: str = "bench", **limits: Any) -> Table:
    """A model with limits of its own."""
    return spoken_by(url, name, api, limits=limits)


def arrivals(served: Served, life: Life, name: str) -> list[float]:
    """When this model's requests came, monotonic clock."""
    own = {record["attempt_id"] for record in life.records if record["model"] == name}
    return [moment for moment, identity in served.simulator.arrivals if identity in own]


def most_in_a_minute(moments: list[float]) -> int:
    """The most requests within any window."""
    ordered = sorted(moments)
    return max(sum(start <= moment < start + MINUTE_S - EARLY_S for moment in ordered) for start in ordered)


@pytest.mark.usefixtures("_short_minute")
async def test_no_minute_holds_more_requests(served: Served, tmp_path: Path) -> None:
    """Ten calls at three a minute take three minutes, with three at once at the most and no idle time."""
    life = await run_here(panel([limited(served.url, "m", requests_per_minute=3)], [asked("m", 10)]), tmp_path)
    check(life.path, await served.stats())
    moments = arrivals(served, life, "m")
    assert life.ended.exit_code == 0
    assert most_in_a_minute(moments) == 3
    assert 3 * MINUTE_S - EARLY_S <= max(moments) - min(moments) < 3 * MINUTE_S + 0.5


@pytest.mark.usefixtures("_short_minute")
async def test_no_minute_holds_more_tokens(served: Served, tmp_path: Path) -> None:
    """What a call may use counts: prompt and limit."""
    model = limited(served.url, "m", tokens_per_minute=1000)
    life = await run_here(panel([model], [asked("m", 6)], run={"max_output_tokens": 300}), tmp_path)
    check(life.path, await served.stats())
    assert most_in_a_minute(arrivals(served, life, "m")) == 2


@pytest.mark.usefixtures("_short_minute")
async def test_waiting_calls_hold_no_place(served: Served, tmp_path: Path) -> None:
    """While one model waits for its minutes, another has the whole run to itself."""
    models = [limited(served.url, "slow", requests_per_minute=1), spoken_by(served.url, "free", "bench-20ms")]
    config = panel(models, [asked("slow", 4), asked("free", 40)], run={"max_concurrency": 2})
    life = await run_here(config, tmp_path)
    own = by_model(check(life.path, await served.stats()))
    assert len(own["free"]) == 40
    assert max(r["ended_at"] for r in own["free"]) < sorted(r["started_at"] for r in own["slow"])[-1]
    assert (await served.stats())["peak_by_model"]["bench-20ms"] == 2


@pytest.mark.usefixtures("_short_minute")
async def test_retries_keep_the_rate(served: Served, tmp_path: Path) -> None:
    """Every attempt counts, not only first ones."""
    model = limited(served.url, "m", "fault:429-retry-after-ms:1", requests_per_minute=2)
    life = await run_here(panel([model], [asked("m", 3)], run={"retries": 3}), tmp_path)
    check(life.path, await served.stats())
    assert len(life.records) == 6
    assert most_in_a_minute(arrivals(served, life, "m")) == 2


@pytest.mark.usefixtures("_short_minute")
async def test_a_pause_brings_no_burst(served: Served, tmp_path: Path) -> None:
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
    moments = arrivals(served, life, "m")
    assert len(moments) == 8
    assert most_in_a_minute(moments) == 2


@pytest.mark.usefixtures("_short_minute")
async def test_a_full_run_brings_no_burst(served: Served, tmp_path: Path) -> None:
    """Calls whose turn came while every place was taken begin at the rate, too."""
    models = [spoken_by(served.url, "long", "bench-1500ms"), limited(served.url, "m", requests_per_minute=2)]
    config = panel(models, [asked("long", 3), asked("m", 6)], run={"max_concurrency": 3})
    life = await run_here(config, tmp_path)
    check(life.path, await served.stats())
    moments = arrivals(served, life, "m")
    assert len(moments) == 6
    assert most_in_a_minute(moments) == 2


async def test_a_rate_that_is_not_reached_costs_no_time(served: Served, tmp_path: Path) -> None:
    """Six a minute, five calls: at once, with a minute of sixty seconds."""
    began = time.monotonic()
    life = await run_here(panel([limited(served.url, "m", requests_per_minute=6)], [asked("m", 5)]), tmp_path)
    assert life.ended.exit_code == 0
    assert time.monotonic() - began < 5


async def test_a_stop_ends_the_wait(served: Served, tmp_path: Path) -> None:
    """A run whose calls wait for the next minute stops at once, and takes up the rest later."""
    config = panel([limited(served.url, "m", requests_per_minute=2)], [asked("m", 6)])
    run = asyncio.create_task(run_here(config, tmp_path))
    while not (tmp_path / "run" / "call_logs.jsonl").exists() or len(strict_lines(tmp_path / "run" / "call_logs.jsonl")) < 2:
        await asyncio.sleep(0.01)
    began = time.monotonic()
    (tmp_path / "run" / "STOP").touch(mode=0o600)
    life = await run
    assert time.monotonic() - began < 3
    assert life.ended.exit_code == 130
    assert (await served.stats())["requests"] == 2
    check(life.path, await served.stats())


async def test_a_model_that_is_stopped_waits_for_nothing(served: Served, tmp_path: Path) -> None:
    """A wrong key ends the model's calls; they do not stand in line for minutes to hear so."""
    config = panel([limited(served.url, "m", "fault:401", requests_per_minute=2)], [asked("m", 6)], questions=10)
    began = time.monotonic()
    life = await run_here(config, tmp_path)
    assert time.monotonic() - began < 5
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


async def test_money_that_is_spent_is_not_waited_for(served: Served, tmp_path: Path) -> None:
    """The same where the cap holds: two calls fit, four are told so at once."""
    model = limited(served.url, "m", "bench", requests_per_minute=2)
    model["price"] = {"input": 1000.0, "output": 0.0}
    began = time.monotonic()
    life = await run_here(panel([model], [asked("m", 6)], run={"max_cost_usd": 0.65}), tmp_path)
    records = check(life.path, await served.stats())
    assert {record["status"] for record in records} == {"ok", "skipped_budget"}
    assert time.monotonic() - began < 10


@pytest.mark.usefixtures("_short_minute")
async def test_each_name_of_a_model_keeps_its_own_rate(served: Served, tmp_path: Path) -> None:
    """One model under three names: those that state a rate keep it together, the one that states none is free."""
    models = [spoken_by(served.url, "free", "bench")]
    models += [limited(served.url, name, requests_per_minute=2) for name in ("a", "b")]
    life = await run_here(panel(models, [asked("free", 6), asked("a", 3), asked("b", 3)]), tmp_path)
    check(life.path, await served.stats())
    assert most_in_a_minute(arrivals(served, life, "free")) == 6
    assert most_in_a_minute(arrivals(served, life, "a") + arrivals(served, life, "b")) == 2
