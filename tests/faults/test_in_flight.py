"""How many at once, and how soon again: the run's limit, each endpoint's, and what a server asks for."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from fault_bench import LOG, Life, Served, Table, asked, by_model, panel, run_here, simulated_by, spoken_by
from invariants import check

from tui_eval.engine.progress import Progress
from tui_eval.runs import steering
from tui_eval.simulator.apis import faults
from tui_eval.simulator.apis.replies import Reply, failure


def _at(record: Table, name: str) -> datetime:
    return datetime.fromisoformat(record[name])


@pytest.mark.parametrize("most", [1, 60])
async def test_the_limit_is_reached_and_never_passed(served: Served, tmp_path: Path, most: int) -> None:
    """With work queued, exactly max_concurrency requests are in flight at the peak: retries and all models together."""
    models = [
        simulated_by(served.url, "one", "bench-200ms"),
        simulated_by(served.url, "two", "bench-200ms"),
        simulated_by(served.url, "shaky", "fault:503:1"),
    ]
    rows = [asked("one", most), asked("two", most), asked("shaky", 3)]
    served.simulator.gather(most)

    life = await run_here(panel(models, rows, run={"max_concurrency": most, "retries": 2}), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert stats["peak_in_flight"] == most
    assert life.ended.exit_code == 0


async def test_a_model_may_have_a_limit_of_its_own(served: Served, tmp_path: Path) -> None:
    """limits.max_in_flight holds for its model alone; the others use the rest."""
    models = [
        simulated_by(served.url, "narrow", "bench-50ms", limits={"max_in_flight": 2}),
        simulated_by(served.url, "wide", "bench-60ms"),
    ]
    served.simulator.gather(12)

    life = await run_here(panel(models, [asked("narrow", 10), asked("wide", 30)], run={"max_concurrency": 12}), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert stats["peak_by_model"]["bench-50ms"] == 2
    assert stats["peak_in_flight"] == 12


async def test_a_429_shrinks_the_endpoint_and_nobody_else(served: Served, tmp_path: Path) -> None:
    """Many refusals lower that model's limit to what gets through, with the reason on show; its neighbour keeps the rest."""
    models = [simulated_by(served.url, "busy", "fault:429:1"), simulated_by(served.url, "free", "bench-100ms")]
    served.simulator.gather(10, "bench-100ms")
    shown: set[tuple[int, str]] = set()

    def look(progress: Progress) -> None:
        shown.add((progress.limit, progress.limit_reason))

    life = await run_here(
        panel(models, [asked("busy", 40), asked("free", 60)], run={"max_concurrency": 10, "retries": 2}), tmp_path, on_tick=look
    )

    stats = await served.stats()
    check(life.path, stats)
    assert life.ended.exit_code == 0
    lowered = {limit for limit, reason in shown if reason == "the server said 429"}
    assert lowered
    assert max(lowered) < 10
    assert stats["peak_by_model"]["bench-100ms"] == 10


async def test_retry_after_holds_for_the_call_that_was_refused(served: Served, tmp_path: Path) -> None:
    """No call is asked again earlier than its 429 asked for."""
    models = [spoken_by(served.url, "busy", "fault:429-retry-after-ms:1"), spoken_by(served.url, "free", "bench-50ms")]
    run = {"max_concurrency": 4, "retries": 3}

    life = await run_here(panel(models, [asked("busy", 4), asked("free", 20)], run=run), tmp_path)

    records = check(life.path, await served.stats())
    assert life.ended.exit_code == 0
    _assert_patient(records, 0.2)


def _assert_patient(records: list[Table], wait_s: float) -> None:
    """No attempt of a call begins within the wait that its 429 asked for."""
    refused = {record["call_key"]: _at(record, "ended_at") for record in records if record["http_status"] == 429}
    again = [record for record in records if record["call_key"] in refused and record["http_status"] != 429]
    assert refused
    assert len(again) == len(refused)
    for record in again:
        waited = _at(record, "started_at") - refused[record["call_key"]]
        assert waited >= timedelta(seconds=wait_s) - timedelta(milliseconds=2), f"asked again after {waited}"


async def test_a_stray_retry_after_holds_up_no_other_call(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call is told to wait a minute: the others are asked and answered meanwhile."""
    monkeypatch.setitem(faults.FAULTS, "429-retry-after", _wait_a_minute)
    same = served.url
    models = [simulated_by(same, "stray", "fault:429-retry-after:1"), simulated_by(same, "other", "bench")]

    def stop_when_the_rest_is_done(progress: Progress) -> None:
        if progress.total.ok >= 60:
            steering.stop(tmp_path / "run")

    life = await run_here(
        panel(models, [asked("stray", 1), asked("other", 60)], run={"max_concurrency": 4, "retries": 2}),
        tmp_path,
        on_tick=stop_when_the_rest_is_done,
    )

    own = by_model(check(life.path, await served.stats()))
    assert _spread_s(life) < 60
    assert [record["status"] for record in own["other"]] == ["ok"] * 60


async def test_a_waiting_call_holds_no_place(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While every call of one model backs off, another model has the whole run to itself."""
    monkeypatch.setitem(faults.FAULTS, "429-retry-after", _wait_a_minute)
    models = [simulated_by(served.url, "waiting", "fault:429-retry-after:1"), simulated_by(served.url, "free", "bench-20ms")]
    served.simulator.gather(2, "bench-20ms")

    def stop_when_free_is_done(progress: Progress) -> None:
        if progress.total.ok >= 40:
            steering.stop(tmp_path / "run")

    life = await run_here(
        panel(models, [asked("waiting", 2), asked("free", 40)], run={"max_concurrency": 2, "retries": 2}),
        tmp_path,
        on_tick=stop_when_free_is_done,
    )

    own = by_model(check(life.path, await served.stats()))
    assert [record["status"] for record in own["free"]] == ["ok"] * 40
    assert [record["http_status"] for record in own["waiting"] if record["started_at"]] == [429, 429]


def _wait_a_minute(order: faults.Order) -> Reply:
    """Too many requests; longer than any machine takes for what goes on meanwhile."""
    return failure(429, "Too many requests (simulated).", "rate_limit_exceeded", headers={"Retry-After": "100"})


async def test_nonsense_and_eternity_are_not_waited_for(served: Served, tmp_path: Path) -> None:
    """A Retry-After of nan is as if there were none; one of a day fails the call at once, with that reason."""
    models = [spoken_by(served.url, "odd", "fault:429-nonsense:1"), spoken_by(served.url, "eternal", "fault:429-long:1")]

    life = await run_here(panel(models, [asked("odd", 2), asked("eternal", 2)], run={"retries": 2}), tmp_path)

    own = by_model(check(life.path, await served.stats()))
    assert _spread_s(life) < 60
    assert [record["status"] for record in own["odd"] if record["final"]] == ["ok", "ok"]
    assert [(record["error_kind"], record["final"]) for record in own["eternal"]] == [("rate_limit", True)] * 2


def _spread_s(life: Life) -> float:
    ends = [_at(record, "ended_at") for record in life.records]
    return (max(ends) - min(ends)).total_seconds()


async def test_a_slow_model_holds_up_no_other(served: Served, tmp_path: Path) -> None:
    """A model that does not answer does not keep its neighbours' calls waiting, as long as there is room."""
    models = [simulated_by(served.url, "mute", "bench-1ms"), simulated_by(served.url, "quick", "bench-20ms")]
    rows = [asked("mute", 3), asked("quick", 40)]
    served.simulator.hold(lambda: (tmp_path / "run" / LOG).read_bytes().count(b"\n") >= 40, "bench-1ms")

    life = await run_here(panel(models, rows, run={"max_concurrency": 6}), tmp_path)

    records = check(life.path, await served.stats())
    assert [(record["model"], record["status"]) for record in records] == [("quick", "ok")] * 40 + [("mute", "ok")] * 3
