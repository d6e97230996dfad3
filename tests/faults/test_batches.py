"""Batch mode against a server with the documented batch interfaces: same answers, half the cost, nothing asked twice.

Whatever is killed in between: what was handed over is picked up, what was not is not charged. A model of which nothing is
known is asked its first call alone, before anything of it is handed over.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from fault_bench import (
    LOG,
    Life,
    Peer,
    Served,
    Table,
    asked,
    panel,
    resume_here,
    run_here,
    serving,
    strict_json,
    strict_lines,
    write_config,
)
from nursery import Nursery
from soaking import quick_first
from victim import scores_of
from waiting import until

from tui_eval.configuring.loading import load
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace

BATCHES = "batches.jsonl"
TRUTH = "The share of the rock that is pore space."
WIRES = ("openai", "openai-responses", "anthropic")
NAMED = {"scholar": "sim-scholar", "sprinter": "sim-sprinter", "judge": "sim-arbiter", "scorer": "sim-scorer"}


def in_batches(url: str, wire: str, questions: int = 4, **run: Any) -> Table:
    """Two doers and a judge, graded by a scorer: three waves, or four where a grading must be asked again."""
    return panel(
        [{"name": name, "wire": wire, "model": model, "base_url": url} for name, model in NAMED.items()],
        [asked("scholar"), asked("sprinter")],
        questions,
        run={"mode": "batch", "poll_s": 0.02, **run},
        truths=[TRUTH] * questions,
        judges=[asked("judge")],
        benchmark={"mode": "llm", "scorer": {"model": "scorer"}},
    )


@pytest.fixture
async def quick() -> AsyncIterator[Served]:
    """A simulator that answers at once."""
    async with serving(latency_scale=0.005) as found:
        yield found


def told(path: Path) -> list[tuple[Any, ...]]:
    """What every call was told for good, in an order of its own."""
    names = ("stage", "item_id", "model", "call_index", "about", "status", "response_text")
    return sorted(tuple(str(record[name]) for name in names) for record in strict_lines(path / LOG) if record["final"])


def events(path: Path) -> list[Table]:
    """What is on file about the batches of a run; nothing where there is none yet."""
    return strict_lines(path / BATCHES) if (path / BATCHES).exists() else []


def handed_over(path: Path) -> bool:
    """Whether a batch is on file as handed over."""
    return any(event["state"] == "submitted" for event in events(path))


async def run_in(folder: Path, config: Table, **options: Any) -> Life:
    """The config run in a folder of its own."""
    folder.mkdir()
    return await run_here(config, folder, **options)


@pytest.mark.parametrize("wire", WIRES)
async def test_the_same_answers_at_half_the_cost(quick: Served, tmp_path: Path, wire: str) -> None:
    live = await run_in(tmp_path / "live", in_batches(quick.url, wire, mode="live"))
    before = await quick.stats()
    batch = await run_in(tmp_path / "batch", in_batches(quick.url, wire))
    after = await quick.stats()
    assert (live.ended.exit_code, batch.ended.exit_code) == (0, 0), batch.said
    assert told(batch.path) == told(live.path)
    assert scores_of(batch.path)[0] == scores_of(live.path)[0]
    batched = {record["call_key"]: record for record in batch.records if record["batch_id"]}
    assert after["requests"] == before["requests"] + len(NAMED)
    assert after["batched"] == len(batched) == len(batch.records) - len(NAMED)
    assert {record["latency_ms"] for record in batched.values()} == {None}
    paid = sum(record["usage"]["cost_usd"] for record in live.records if record["call_key"] in batched)
    assert sum(record["usage"]["cost_usd"] for record in batched.values()) == pytest.approx(paid / 2, rel=1e-4)
    assert batch.ended.progress.fetched == len(batched)
    assert strict_json((batch.path / "report.json").read_bytes())["attempts_sent"] == len(batch.records)
    assert not list((batch.path / "batches").iterdir())


async def test_a_wave_hands_over_one_batch_a_model(quick: Served, tmp_path: Path) -> None:
    life = await run_in(tmp_path / "run", in_batches(quick.url, "openai"))
    made = Counter(event["model"] for event in events(life.path) if event["state"] == "submitted")
    gradings = [record for record in life.records if record["stage"] == "scorer"]
    again = any("#" in record["about"] or record["call_index"] > 2 for record in gradings)
    assert made == {"scholar": 1, "sprinter": 1, "judge": 1, "scorer": made["scorer"]}
    assert made["scorer"] <= 2 + again


async def test_prices_are_halved_where_the_server_tells_no_cost(quick: Served, tmp_path: Path) -> None:
    """Priced by our own table: the same tokens cost half."""
    price = {"input": 2.0, "output": 10.0}
    models = [{"name": "m", "wire": "openai", "model": "bench", "base_url": quick.url, "price": price}]
    config = panel(models, [asked("m", 3)], 1)
    live = await run_in(tmp_path / "live", config)
    batch = await run_in(tmp_path / "batch", {**config, "run": {**config["run"], "mode": "batch", "poll_s": 0.02}})
    batched = [record for record in batch.records if record["batch_id"]]
    costs = [{record["usage"]["cost_usd"] for record in records} for records in (live.records, batched)]
    assert {record["cost_source"] for life in (live, batch) for record in life.records} == {"priced"}
    assert len(batched) == len(live.records) - 1
    assert sorted(costs[1]) == [pytest.approx(cost / 2) for cost in sorted(costs[0])]
    assert batch.loaded.plan["cost_usd"] == pytest.approx(live.loaded.plan["cost_usd"] / 2)


@pytest.mark.soak
@pytest.mark.parametrize("wire", quick_first(["openai", "anthropic"]))
def test_killed_between_handing_over_and_fetching(
    peers: Callable[..., Peer], tmp_path: Path, nursery: Nursery, wire: str
) -> None:
    """(The issue) the batch is picked up again: nothing is handed over twice, and the results are the same."""
    peer = peers(latency_scale=0.01, batch_s=0.3)
    file = write_config(tmp_path, in_batches(peer.url, wire))
    whole = nursery.run("--run", file, "--out", tmp_path / "whole")
    assert whole.code == 0, whole.stderr
    handed = peer.stats()["batches"]
    child = nursery.start("--run", file, "--out", tmp_path / "run")
    until(lambda: sum(event["state"] == "submitted" for event in events(tmp_path / "run")) == 2)
    child.kill()
    resumed = nursery.run("resume", tmp_path / "run")
    assert resumed.code == 0, resumed.stderr
    assert told(tmp_path / "run") == told(tmp_path / "whole")
    assert scores_of(tmp_path / "run") == scores_of(tmp_path / "whole")
    assert peer.stats()["batches"] == 2 * handed
    settled = Counter(record["call_key"] for record in strict_lines(tmp_path / "run" / LOG))
    assert set(settled.values()) == {1}


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_killed_before_the_making_of_a_batch_was_heard_of(
    peers: Callable[..., Peer], tmp_path: Path, nursery: Nursery, wire: str
) -> None:
    """Made at the server, not on file here: found by its name, or by the ids of its calls, and not made again."""
    peer = peers(latency_scale=0.01, batch_s=0.2)
    run = tmp_path / "run"
    child = nursery.start("--run", write_config(tmp_path, in_batches(peer.url, wire)), "--out", run)
    until(lambda: sum(event["state"] == "submitted" for event in events(run)) == 2)
    child.kill()
    made = peer.stats()["batches"]
    heard_of = [event for event in events(run) if event["state"] == "submitting"]
    (run / BATCHES).write_text("".join(json.dumps(event) + "\n" for event in heard_of))
    resumed = nursery.run("resume", run)
    assert resumed.code == 0, resumed.stderr
    assert {event["state"] for event in events(run)} == {"submitting", "submitted", "fetched"}
    settled = Counter(record["call_key"] for record in strict_lines(run / LOG))
    assert set(settled.values()) == {1}
    after = {event["name"] for event in events(run)} - {event["name"] for event in heard_of}
    assert peer.stats()["batches"] == made + len(after)


async def test_what_never_reached_the_server_is_not_charged(quick: Served, tmp_path: Path) -> None:
    """A batch that was about to be handed over, and is not there: its calls are asked, and counted once."""
    stopped = await run_in(tmp_path / "one", in_batches(quick.url, "openai", 2, mode="live", only=["__no_doc__/q0"]))
    folder = stopped.path / "batches"
    folder.mkdir()
    event = {"name": "dead-001", "state": "submitting", "model": "scholar", "path": "/chat/completions", "began_at": 0.0}
    (stopped.path / BATCHES).write_text(json.dumps(event) + "\n")
    line = (stopped.path / LOG).read_bytes().splitlines(keepends=True)[0]
    prepared = {**json.loads(line), "attempt_id": "dead00-000001", "call_key": "0" * 32}
    (folder / "dead-001.calls.jsonl").write_text(json.dumps(prepared) + "\n")
    before = len(stopped.records)
    life = await resume_here(stopped.path, ["run.mode=batch"])
    assert life.ended.exit_code == 0, life.said
    assert [entry["state"] for entry in events(life.path)] == ["submitting", "lost"]
    assert len(life.records) == before == strict_json((life.path / "progress.json").read_bytes())["calls_used"]


@pytest.mark.soak
def test_killed_again_and_again_at_any_moment(tmp_path: Path, nursery: Nursery, peers: Callable[..., Peer]) -> None:
    """Every moment of a batch's life is hit by some kill, on a slow machine by a later one; nothing is asked twice, and the
    results are the same in the end."""
    peer = peers(latency_scale=0.005, batch_s=0.12)
    file = write_config(tmp_path, in_batches(peer.url, "openai", 3))
    run, whole = tmp_path / "run", tmp_path / "whole"
    assert nursery.run("--run", file, "--out", whole).code == 0
    code = None
    for turn in range(60):
        begun = (run / "config.toml").exists()
        verb = ("resume", run) if begun else ("--run", file, "--out", run, "--force")
        child = nursery.start(*verb)
        time.sleep(0.08 * 1.08**turn)
        child.kill()
        code = child.code
        if code == 0:
            break
    assert code == 0
    assert turn > 3
    assert told(run) == told(whole)
    assert scores_of(run) == scores_of(whole)
    assert set(Counter(record["call_key"] for record in strict_lines(run / LOG) if record["final"]).values()) == {1}
    report = strict_json((run / "report.json").read_bytes())
    assert report["attempts_sent"] == len(strict_lines(run / LOG)) + len(report["in_doubt"])


@pytest.mark.parametrize(("cap", "code"), [(4, 3), (6, 3), (8, 0)])
async def test_the_call_cap_holds(quick: Served, tmp_path: Path, cap: int, code: int) -> None:
    """Every call fails once, so that four calls want eight attempts: never one above the cap, the rest on record."""
    models = [{"name": "m", "wire": "openai", "model": "fault:500:1", "base_url": quick.url, "send_seed": True}]
    run = {"mode": "batch", "poll_s": 0.02, "max_calls": cap, "retries": 2}
    life = await run_in(tmp_path / "run", panel(models, [asked("m", 4)], 1, run=run))
    stats = await quick.stats()
    assert stats["batched"] + stats["requests"] == cap
    assert life.ended.exit_code == code
    assert Counter(record["status"] for record in life.records)["ok"] == cap - 4
    assert Counter(record["status"] for record in life.records)["skipped_budget"] == (8 - cap)


def test_a_run_whose_models_take_no_batches_is_refused(tmp_path: Path) -> None:
    config = in_batches("http://127.0.0.1:9/v1", "ollama")
    with pytest.raises(ConfigError, match=r"run\.mode: no model of this run can be asked in batches"):
        load(write_config(tmp_path, config), Workspace(tmp_path))


def test_a_resume_without_batches_fetches_the_open_ones_first(
    peers: Callable[..., Peer], tmp_path: Path, nursery: Nursery
) -> None:
    """(`--set run.mode=live`) what was handed over is paid for: it is waited for, and not asked again."""
    peer = peers(latency_scale=0.005, batch_s=0.2)
    run = tmp_path / "run"
    child = nursery.start("--run", write_config(tmp_path, in_batches(peer.url, "openai")), "--out", run)
    until(lambda: handed_over(run))
    child.kill()
    submitted = [event for event in events(run) if event["state"] == "submitted"]
    before, begun = peer.stats()["requests"], len(strict_lines(run / LOG))
    resumed = nursery.run("resume", run, "--set", "run.mode=live")
    assert resumed.code == 0, resumed.stderr
    records = strict_lines(run / LOG)
    assert set(Counter(record["call_key"] for record in records).values()) == {1}
    batched = [record for record in records if record["batch_id"]]
    assert len(batched) >= sum(event["calls"] for event in submitted) > 0
    assert peer.stats()["requests"] - before == len(records) - len(batched) - begun
