"""The budget holds whatever happens: a thousand calls in flight, faults, retries, repairs, kills and resumes."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import tomllib
from datetime import datetime
from pathlib import Path

import pytest
from fault_bench import (
    INTENTS,
    LOG,
    Peer,
    Served,
    Table,
    asked,
    panel,
    resume_here,
    run_here,
    serving,
    simulated_by,
    spoken_by,
    strict_lines,
    write_config,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invariants import check
from nursery import Nursery
from samples import ALL_SAMPLES, registered, written
from soaking import FEW_SAMPLES

from tui_eval.configuring.loading import load
from tui_eval.core.calls import Reply
from tui_eval.core.errors import ConfigError
from tui_eval.engine.progress import Progress
from tui_eval.evaluation.calls import AGAIN
from tui_eval.workspace.places import Workspace

PRICE = {"input": 100.0, "output": 1000.0}
"""Dear output: the worst case of a call, 200 tokens of it, is far above what a short reply comes to."""


async def test_a_thousand_in_flight_never_pass_the_cap_by_one(served: Served, tmp_path: Path) -> None:
    """With 1,000 calls in flight, faults and retries mixed, the server sees exactly max_calls; the rest is skipped_budget."""
    models = [
        simulated_by(served.url, "steady", "bench-20ms"),
        simulated_by(served.url, "shaky", "fault:503:1"),
        simulated_by(served.url, "cut", "fault:reset:2"),
        simulated_by(served.url, "empty", "fault:empty:1"),
    ]
    rows = [asked("steady", 700), asked("shaky", 150), asked("cut", 100), asked("empty", 50)]
    run = {"max_calls": 1050, "max_concurrency": 1000, "retries": 3}

    life = await run_here(panel(models, rows, run=run), tmp_path)

    stats = await served.stats()
    records = check(life.path, stats)
    assert stats["requests"] == 1050
    skipped = [record for record in records if record["status"] == "skipped_budget"]
    assert len(skipped) + sum(record["final"] for record in records) == 1000
    assert len(skipped) > 100
    assert all("max_calls = 1050" in record["error_message"] and not record["final"] for record in skipped)
    assert life.ended.exit_code == 3
    assert life.ended.progress.calls_used == 1050


FAULTS = st.sampled_from(
    ["bench", "503:1", "reset:1", "429-retry-after-ms:1", "empty:1", "reject-max-tokens", "400", "502-html"]
)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    whats=st.lists(FAULTS, min_size=1, max_size=4, unique=True),
    calls=st.integers(1, 8),
    spare=st.integers(0, 6),
    retries=st.integers(0, 1),
    concurrency=st.integers(1, 12),
)
async def test_no_mixture_of_faults_passes_the_caps(
    whats: list[str], calls: int, spare: int, retries: int, concurrency: int
) -> None:
    """For any mixture of faults, caps and retries: no request beyond max_calls, no more in flight than allowed, and a
    call is skipped only when the budget is used up to the last."""
    run = {"max_calls": calls * len(whats) + spare, "max_concurrency": concurrency, "retries": retries}
    with tempfile.TemporaryDirectory() as folder:
        async with serving() as served:
            names = {what: what if what == "bench" else f"fault:{what}" for what in whats}
            models = [spoken_by(served.url, what, name, max_output_tokens=50) for what, name in names.items()]

            life = await run_here(panel(models, [asked(what, calls) for what in whats], run=run), Path(folder))

            stats = await served.stats()
            records = check(life.path, stats)
    skipped = sum(record["status"] == "skipped_budget" for record in records)
    assert not skipped or stats["requests"] == run["max_calls"]
    assert sum(record["final"] or record["request"] is None for record in records) == calls * len(whats)


async def test_money_held_and_spent_never_passes_the_cap(served: Served, tmp_path: Path) -> None:
    """At every start, what is spent and the worst case of all that is in flight stay below max_cost_usd; a call that has
    to wait for held money is sent once it is there, so that the run ends less than one worst case below the cap."""
    models = [simulated_by(served.url, "dear", "bench-20ms", price=PRICE)]
    run = {"max_cost_usd": 1.0, "max_concurrency": 50, "max_output_tokens": 200}

    life = await run_here(panel(models, [asked("dear", 46)], run=run), tmp_path)

    records = check(life.path, await served.stats())
    worst = max(_worst(life.path).values())
    assert _highest(records, _worst(life.path)) <= 1.0
    assert 1.0 - worst < life.report["charged_usd"] <= 1.0
    assert sum(record["status"] == "ok" for record in records) > 4 * int(1.0 / worst)
    assert [record for record in records if record["status"] == "skipped_budget"]
    assert life.ended.exit_code == 3


def _worst(path: Path) -> dict[str, float]:
    """The worst case of each attempt, in USD."""
    return {intent["attempt_id"]: intent["worst_usd"] for intent in strict_lines(path / INTENTS)}


def _highest(records: list[Table], worst: dict[str, float]) -> float:
    """The most that was ever spent and held at once, by the times on record; of equal times, ends come first."""
    events = []
    for record in records:
        if record["request"] is not None:
            held = worst[record["attempt_id"]]
            events.append((datetime.fromisoformat(record["started_at"]), 1, held))
            events.append((datetime.fromisoformat(record["ended_at"]), 0, record["charged_usd"] - held))
    total = highest = 0.0
    for _, _, change in sorted(events):
        total += change
        highest = max(highest, total)
    return highest


@pytest.mark.parametrize("extra", [{"max_tokens": 5000}, {"max_completion_tokens": 5000}, {"n": 25}])
async def test_extra_fields_cannot_undo_the_worst_case(served: Served, tmp_path: Path, extra: Table) -> None:
    """A token limit or a number of answers in extra_body is part of the worst case that is held, or is refused with a cap."""
    models = [simulated_by(served.url, "dear", "bench", price=PRICE, extra_body=extra)]
    config = panel(models, [asked("dear", 2)], run={"max_cost_usd": 50.0, "max_output_tokens": 200})
    try:
        life = await run_here(config, tmp_path)
    except ConfigError:
        assert (await served.stats())["requests"] == 0
        return
    assert min(_worst(life.path).values()) >= 5.0


@pytest.mark.parametrize("what", ["fault:hang", "fault:reset", "fault:cut", "fault:garbage"])
async def test_an_unknown_outcome_is_charged_its_worst_case(served: Served, tmp_path: Path, what: str) -> None:
    """What may have been answered and billed is charged as if it had used its whole token limit."""
    models = [simulated_by(served.url, "dear", what, price=PRICE)]
    run = {"max_cost_usd": 1.0, "timeout_s": 0.3 if what == "fault:hang" else 120.0, "max_output_tokens": 200}

    life = await run_here(panel(models, [asked("dear", 3)], run=run), tmp_path)

    records = check(life.path, await served.stats())
    assert [record["charged_usd"] for record in records] == list(_worst(life.path).values())
    assert all(record["charged_usd"] >= 0.2 for record in records)
    assert all(record["usage"]["cost_usd"] is None for record in records)


async def test_a_server_that_charges_more_than_the_worst_case_ends_the_run(served: Served, tmp_path: Path) -> None:
    """A reported cost beyond what was held passes the cap only once: the run is aborted and says so."""
    models = [simulated_by(served.url, "greedy", "fault:cost-high", price=PRICE)]
    run = {"max_cost_usd": 2.0, "max_concurrency": 2, "max_output_tokens": 200}

    life = await run_here(panel(models, [asked("greedy", 10)], run=run), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert stats["requests"] <= 2
    assert life.ended.exit_code == 3
    assert any("charged more than the worst case" in line for line in life.said)


@pytest.mark.parametrize(("kind", "name"), FEW_SAMPLES, ids=[name for _, name in ALL_SAMPLES])
async def test_with_a_cap_of_the_plan_every_planned_call_is_asked(served: Served, tmp_path: Path, kind: str, name: str) -> None:
    """Replies that no flow can read bring reminders, and these take no planned call's place: in one life, and over two. Where
    what follows rests on what was read, fewer calls are asked than planned, and reminders may have what these leave.
    """
    with registered():
        config = tomllib.loads(written(kind, name, tmp_path, repeat=2).read_text())
        for model in config["models"]:
            model.update(base_url=served.url, model="bench")
        config["run"] = {"max_calls": 1000, "max_concurrency": 2, "repeat": 2, "retries": 0}
        loaded = load(write_config(tmp_path, config), Workspace(tmp_path))
        plan, evaluation = loaded.plan, loaded.evaluation
        driven = [evaluation.driven(sample, lambda call: Reply(call, "ok", text="bench")) for sample in evaluation.samples()]
        planned = sum(not reply.call.about.endswith(AGAIN) for row in driven for reply in row.replies)
        follows = any(reply.call.about.endswith(AGAIN) for row in driven for reply in row.replies)
        config["run"]["max_calls"] = plan["total_calls"]

        life = await run_here(config, tmp_path)
        again = await resume_here(life.path)

        records = check(life.path, await served.stats())
    asked = [record for record in records if record["request"] is not None]
    reminders = [record for record in asked if record["about"].endswith(AGAIN)]
    assert len(asked) - len(reminders) == planned and len(reminders) <= plan["total_calls"] - planned
    left = {record["about"][-len(AGAIN) :] for record in records if record["status"] == "skipped_budget"}
    assert left == ({AGAIN} if follows else set()) or (planned < plan["total_calls"] and left <= {AGAIN})
    still = {
        record["about"] for record in {record["call_key"]: record for record in records}.values() if record["status"] != "ok"
    }
    assert life.ended.exit_code == (3 if left else 0) and again.ended.exit_code == (3 if still else 0)


async def test_a_resume_leaves_planned_calls_their_place(served: Served, tmp_path: Path) -> None:
    """Reminders that were sent before a run was stopped are no planned calls: what the rest needs is still kept for it."""
    models = [simulated_by(served.url, name, "bench") for name in ("doer", "scorer")]
    scored = {"truths": ["a"] * 8, "benchmark": {"mode": "llm", "scorer": {"model": "scorer"}}}
    config = panel(models, [asked("doer")], 8, run={"max_calls": 18, "max_concurrency": 1}, **scored)
    stopped: list[Progress] = []
    served.simulator.hold(lambda: stopped, after=9)

    def stop_soon(progress: Progress) -> None:
        if progress.calls_used >= 10 and not stopped:
            os.kill(os.getpid(), signal.SIGINT)
            stopped.append(progress)

    life = await run_here(config, tmp_path, on_tick=stop_soon)
    assert stopped and len(life.records) < 18
    await resume_here(life.path)

    records = [record for record in check(life.path, await served.stats()) if record["request"] is not None]
    again = [record["about"].endswith(AGAIN) for record in records]
    assert (len(again), sum(again)) == (18, 2)


async def test_what_is_never_asked_is_not_kept_for(served: Served, tmp_path: Path) -> None:
    """Answers that failed are not scored: the calls that were planned for it are there for the retries of others."""
    models = [simulated_by(served.url, name, what) for name, what in
              (("dead", "fault:400"), ("shaky", "fault:503:1"), ("scorer", "sim-scorer"))]  # fmt: skip
    scored = {"truths": ["a"] * 4, "benchmark": {"mode": "llm", "scorer": {"model": "scorer"}}}
    config = panel(models, [asked("dead"), asked("shaky")], 4, run={"max_calls": 16, "retries": 1}, **scored)
    config["run"]["max_concurrency"] = 1

    life = await run_here(config, tmp_path)

    shaky = [record for record in check(life.path, await served.stats()) if record["model"] == "shaky"]
    assert sum(record["status"] == "ok" for record in shaky) == 3, "the first retry comes before the first sample is through"


async def test_a_repair_is_paid_from_the_same_budget(served: Served, tmp_path: Path) -> None:
    """The second request of a repaired call counts: with a cap of exactly the plan, one call is left over."""
    models = [spoken_by(served.url, "strict", "fault:reject-max-tokens")]

    life = await run_here(panel(models, [asked("strict", 6)], run={"max_calls": 6, "max_output_tokens": 50}), tmp_path)

    stats = await served.stats()
    records = check(life.path, stats)
    assert stats["requests"] == 6
    assert sorted(record["status"] for record in records) == ["error"] + ["ok"] * 5 + ["skipped_budget"]


async def test_a_raised_cap_finishes_what_was_skipped(served: Served, tmp_path: Path) -> None:
    """A resume counts the calls of all lives against the cap; raising it asks exactly what was skipped."""
    models = [spoken_by(served.url, "shaky", "fault:503:1")]
    first = await run_here(panel(models, [asked("shaky", 10)], run={"max_calls": 12, "retries": 1}), tmp_path)
    check(first.path, before := await served.stats())

    same = await resume_here(first.path)
    check(same.path, unchanged := await served.stats())
    last = await resume_here(first.path, ["run.max_calls=20"])

    stats = await served.stats()
    records = check(last.path, stats)
    assert before["requests"] == unchanged["requests"] == 12
    assert same.ended.exit_code == 3
    assert stats["requests"] == 20
    assert last.ended.exit_code == 0
    assert sum(record["status"] == "ok" for record in records) == 10


async def test_a_cap_that_cannot_be_held_is_refused_on_resume(
    served: Served, tmp_path: Path, nursery: Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A USD cap on a model without a price is refused when a run is taken up again, as it is when a run begins."""
    monkeypatch.setenv("UNTOLD_URL", served.url)  # of a server on this machine the price is known
    models = [spoken_by("${UNTOLD_URL}", "unpriced", "bench")]
    life = await run_here(panel(models, [asked("unpriced", 5)]), tmp_path)
    (life.path / LOG).write_bytes(b"")
    before = (await served.stats())["requests"]

    child = await asyncio.to_thread(nursery.run, "resume", life.path, "--set", "run.max_cost_usd=1.0")

    assert child.code == 2
    assert (await served.stats())["requests"] == before


def test_the_cap_that_held_a_retry_back_is_the_one_to_raise(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A retry that the plan leaves no call for is held back by max_calls, even where not all of it is used."""
    models = [spoken_by(peer.url, "doer", "fault:500:1"), simulated_by(peer.url, "scorer", "sim-scorer")]
    graded = {"truths": ["Pore space."], "benchmark": {"mode": "llm", "scorer": {"model": "scorer"}}}
    config = panel(models, [asked("doer")], run={"max_calls": 2, "retries": 1}, **graded)

    capped = nursery.run("--run", write_config(tmp_path, config), "--out", tmp_path / "run")
    raised = nursery.run("resume", tmp_path / "run", "--set", "run.max_calls=3")

    assert (capped.code, raised.code) == (3, 0)
    assert b"--set run.max_calls=6\n" in capped.stderr  # a grade may be asked for again, and the doer is not known yet
    assert peer.stats()["requests"] == 3
