"""Laws of long texts that many calls begin with: read once, then from the server's cache, and nobody waits in vain for that."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from chats import TEXT, chat, conversations
from fault_bench import CANARY_VARIABLE, LOG, Life, Table, resume_here, run_here, serving, simulated_by
from makers import call, model, strict_json

from tui_eval.core.calls import Message, ModelSpec
from tui_eval.engine.first_calls import PATIENCE_S, FirstCalls

LONG = TEXT * 3
PRICE = {"input": 3.0, "output": 15.0, "cached_input": 0.3, "cache_write": 3.75}


def claude(url: str, name: str, persona: str = "sim-grounded", wire: str = "anthropic", **more: Any) -> Table:
    """A model that is asked in Anthropic's way."""
    return {
        "name": name,
        "wire": wire,
        "model": persona,
        "base_url": url,
        "api_key_env": CANARY_VARIABLE,
        "price": PRICE,
        **more,
    }


def grounded(folder: Path, models: Sequence[Table], sizes: Sequence[int] = (1, 1, 1, 1), run: Table | None = None) -> Table:
    """Conversations about one document of some 2,500 tokens, each answer judged by groundedness and its claims."""
    judge = {"model": models[-1]["name"], "metrics": ["groundedness"], "duplicates": 0}
    return chat(folder, conversations(sizes, LONG), models, judge, run)


def sent_of(life: Life, name: str, stage: str = "answer") -> list[Table]:
    """The records of a model's calls that were sent, in the order of sending."""
    found = [one for one in life.records if one["model"] == name and one["stage"] == stage and one["started_at"]]
    return sorted(found, key=lambda one: str(one["started_at"]))


def kept(record: Table) -> tuple[int, int]:
    """What a reply says was written to the server's cache, and what was read from it."""
    return record["usage"]["cache_write_tokens"], record["usage"]["cached_tokens"]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CANARY_VARIABLE, "sk-any")


async def test_a_document_is_written_once_by_each_model_and_read_by_all_other_calls(tmp_path: Path) -> None:
    """Asked all at once, answers and judgements alike; the report says what that saved, at the prices that are stated."""
    async with serving(latency_scale=0.05) as served:
        life = await run_here(grounded(tmp_path, [claude(served.url, name) for name in ("one", "two", "judge")]), tmp_path)

    for name, stage, calls in (("one", "answer", 4), ("two", "answer", 4), ("judge", "judge", 16)):
        records = sent_of(life, name, stage)
        assert len(records) == calls
        assert Counter((written > 0, read > 0) for written, read in map(kept, records)) == {
            (True, False): 1,
            (False, True): calls - 1,
        }
        assert kept(records[0])[0] > 1_024
    rows = {row["model"]: row for row in strict_json((life.path / "caching.json").read_bytes())["rows"]}
    assert all(rows[name]["saved_usd"] > 0 and rows[name]["cached_share"] > 0.5 for name in ("one", "two", "judge"))


@pytest.mark.parametrize("wire", ["openai", "simulator"])
async def test_where_nothing_is_kept_no_call_waits_for_another(wire: str, tmp_path: Path) -> None:
    """A server of one's own, and a simulated one: as many calls are under way as may be, behind the very first of a model."""
    async with serving(latency_scale=0) as served:
        served.simulator.gather(7, "sim-inventive", after=1)
        models = [claude(served.url, "one", "sim-inventive", wire), simulated_by(served.url, "judge", "sim-arbiter")]
        if wire == "simulator":
            models[0] = simulated_by(served.url, "one", "sim-inventive")
        life = await run_here(grounded(tmp_path, models, (1,) * 8), tmp_path)

    assert len(sent_of(life, "one")) == 8


async def test_a_document_that_is_read_once_is_not_marked(tmp_path: Path) -> None:
    """To keep it would cost a fourth more, and nobody would come back for it. The judge reads it twice."""
    async with serving(latency_scale=0) as served:
        life = await run_here(grounded(tmp_path, [claude(served.url, "one"), claude(served.url, "judge")], (1,)), tmp_path)

    assert "cache_control" not in json.dumps([record["request"] for record in sent_of(life, "one")])
    assert "cache_control" in json.dumps([record["request"] for record in sent_of(life, "judge", "judge")])


async def test_a_model_that_fails_or_hangs_holds_up_no_other(tmp_path: Path) -> None:
    """The first call of one fails, that of another never comes back: the others' are answered meanwhile."""
    async with serving(latency_scale=0) as served:
        done: list[int] = []
        served.simulator.hold(lambda: 4 in done, "sim-scholar")
        names = {"one": "fault:500", "two": "sim-scholar", "three": "sim-grounded"}
        models = [claude(served.url, name, persona) for name, persona in names.items()]
        config = grounded(tmp_path, [*models, simulated_by(served.url, "judge", "sim-arbiter")], run={"retries": 0})
        life = await run_here(config, tmp_path, on_tick=lambda progress: done.append(progress.models["three"].ok))

    assert [len(sent_of(life, name)) for name in ("one", "two", "three")] == [4, 4, 4]
    assert {record["status"] for record in sent_of(life, "one")} == {"error"}
    begun, *_, last = (datetime.fromisoformat(record["started_at"]) for record in sent_of(life, "one"))
    assert (last - begun).total_seconds() < PATIENCE_S, "others wait for an attempt of the first, not for its success"
    assert all(record["status"] == "ok" for name in ("two", "three") for record in sent_of(life, name))


async def test_a_run_that_is_taken_up_again_asks_what_is_missing_and_no_more(tmp_path: Path) -> None:
    """Marked calls are found in the log like any; of those that are left the first goes ahead again."""
    async with serving(latency_scale=0.02) as served:
        models = [claude(served.url, "one"), simulated_by(served.url, "judge", "sim-arbiter")]
        life = await run_here(grounded(tmp_path, models), tmp_path)
        log = life.path / LOG
        lines = [line for line in log.read_text().splitlines(keepends=True) if json.loads(line)["stage"] == "answer"]
        log.write_text(lines[0])
        again = await resume_here(life.path)

    first, *later = again.records
    assert "cache_control" in json.dumps(first["request"])
    assert first["call_key"] not in {record["call_key"] for record in later}
    assert {record["call_key"] for record in later} | {first["call_key"]} == {record["call_key"] for record in life.records}


# ------------------------------------------------------------------------------------------------- who waits for whom

SPEC: ModelSpec = model(wire="anthropic")
ASKED = call(messages=(Message("system", LONG, shared=len(LONG)), Message("user", "Q?")))


async def _in_turn(calls: FirstCalls, spec: ModelSpec, entered: list[str], leave: asyncio.Event) -> None:
    through = await calls.turn(ASKED, spec, asyncio.Event())
    entered.append(spec.name)
    await leave.wait()
    assert through is not None
    through.set()


async def _settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_others_wait_for_the_first() -> None:
    """Those of the same model and text, and no others; then they all go."""
    calls, entered, leave = FirstCalls(), list[str](), asyncio.Event()
    other = model(name="other", wire="anthropic")
    waiting = [asyncio.ensure_future(_in_turn(calls, spec, entered, leave)) for spec in (SPEC, SPEC, other, SPEC)]
    await _settled()
    assert entered == [SPEC.name, "other"]

    leave.set()
    await asyncio.gather(*waiting)
    assert sorted(entered) == sorted([SPEC.name] * 3 + ["other"])


async def test_a_first_call_that_takes_long_is_not_waited_for_to_its_end() -> None:
    """A prompt is kept when it has been read."""
    calls, entered, leave = FirstCalls(patience_s=0.01), list[str](), asyncio.Event()
    waiting = [asyncio.ensure_future(_in_turn(calls, SPEC, entered, leave)) for _ in range(3)]
    async with asyncio.timeout(60):
        while len(entered) < 3:
            await asyncio.sleep(0.005)
    leave.set()
    await asyncio.gather(*waiting)


async def test_nobody_waits_where_a_run_is_being_stopped() -> None:
    """They find out by themselves that nothing is sent any more."""
    calls, stopping, leave = FirstCalls(), asyncio.Event(), asyncio.Event()
    first = asyncio.ensure_future(_in_turn(calls, SPEC, [], leave))
    await _settled()
    stopping.set()
    async with asyncio.timeout(60):
        await calls.turn(ASKED, SPEC, stopping)
    leave.set()
    await first
