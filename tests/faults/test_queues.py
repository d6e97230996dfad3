"""Each model of a multiple-choice run has its own queue: nothing is asked twice, nobody waits for another, one may fail."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path

import pytest
from choice_bench import ANSWERS, FAILS, answers_of, choice, figures_of, run_cached
from fault_bench import LOG, Life, Served, Table, by_model, resume_here, run_here, serving, simulated_by, spoken_by
from invariants import check
from scripted import answering
from soaking import quick_first

from tui_eval.engine.progress import Progress
from tui_eval.runs import steering
from tui_eval.simulator.apis import faults
from tui_eval.simulator.apis.replies import failure

PERSONAS = ("sim-scholar", "sim-sprinter", "sim-rambler", "sim-guarded", "sim-longest")


def _moments(served: Served, life: Life, model: str) -> list[float]:
    """When this model's requests came, monotonic clock."""
    own = {record["attempt_id"] for record in life.records if record["model"] == model}
    return [moment for moment, identity in served.simulator.arrivals if identity in own]


# ------------------------------------------------------------------------------------------- who is asked what


@pytest.mark.parametrize("concurrency", quick_first([3, 1, 20]))
async def test_every_model_is_asked_every_question_once(tmp_path: Path, concurrency: int) -> None:
    """Every question, repeat and order goes to every model exactly once, in the words of that question and under that
    model's id; and each has a result."""
    run = {"repeat": 2, "max_concurrency": concurrency, "timeout_s": 60.0}
    async with serving(latency_scale=0) as served:
        models = [spoken_by(served.url, name.removeprefix("sim-"), name) for name in PERSONAS]
        life = await run_here(choice(tmp_path, models, 7, run=run, permutations=2), tmp_path)
        stats = await served.stats()
        records = check(life.path, stats)

    assert life.ended.exit_code == 0
    assert stats["by_model"] == dict.fromkeys(PERSONAS, 28)
    asked = Counter((r["model"], r["doc_id"], r["repeat"], r["call_index"]) for r in records)
    names = [model["name"] for model in models]
    assert asked == {(m, f"q{q}", r, n): 1 for m in names for q in range(7) for r in range(2) for n in range(2)}
    for record in records:
        assert record["request"]["model"] == f"sim-{record['model']}" == record["served_model"]
        assert f"rock number {record['doc_id'][1:]} " in record["request"]["messages"][-1]["content"]
        assert record["item_id"].startswith(f"{record['model']}/{record['doc_id']}")
    assert {name: row["n_replies"] for name, row in figures_of(life.path).items()} == dict.fromkeys(names, "28")


async def test_lanes_of_different_ends_change_no_answer(tmp_path: Path) -> None:
    """However many calls are under way at once, and whichever model is first, the answers are the same."""
    answers = set()
    async with serving(latency_scale=0) as served:
        models = [spoken_by("${SIMULATED_URL}", name.removeprefix("sim-"), name) for name in PERSONAS]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SIMULATED_URL", served.url)
            for number, concurrency in enumerate((1, 4, 40)):
                config = choice(tmp_path, models, 5, run={"max_concurrency": concurrency})
                life = await run_here(config, tmp_path, out=tmp_path / f"run{number}")
                answers.add(answers_of(life.path))

    assert len(answers) == 1


async def test_all_lanes_together_keep_the_bound(served: Served, tmp_path: Path) -> None:
    """max_concurrency holds over all queues together, and is reached."""
    models = [simulated_by(served.url, f"m{number}", f"bench-2{number}ms") for number in range(6)]
    served.simulator.gather(5)

    life = await run_here(choice(tmp_path, models, 10, run={"max_concurrency": 5}), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert stats["requests"] == 60
    assert stats["peak_in_flight"] == 5


# ------------------------------------------------------------------------------------------- nobody waits for another


@pytest.mark.parametrize("speaks", [simulated_by, spoken_by])
async def test_a_model_that_hangs_holds_nobody_up(served: Served, tmp_path: Path, speaks: object) -> None:
    """While one model does not answer at all, the others come to their end."""
    make = simulated_by if speaks is simulated_by else spoken_by
    models = [
        make(served.url, "stuck", "bench-1ms", limits={"max_in_flight": 4}),
        make(served.url, "one", "bench-10ms"),
        make(served.url, "two", "bench-20ms"),
    ]
    _hold_until_logged(served, tmp_path, "bench-1ms", 80)

    life = await run_here(choice(tmp_path, models, 40, run={"timeout_s": 60.0, "max_concurrency": 10}), tmp_path)

    records = check(life.path, await served.stats())
    assert Counter(record["model"] for record in records[:80]) == {"one": 40, "two": 40}
    assert Counter(record["status"] for record in records) == {"ok": 120}


def _hold_until_logged(served: Served, folder: Path, model: str, ended: int) -> None:
    """Answer nothing that a model is asked before so many calls, of others then, have ended and are on file."""
    served.simulator.hold(lambda: (folder / "run" / LOG).read_bytes().count(b"\n") >= ended, model)


async def test_a_slow_model_holds_nobody_up(served: Served, tmp_path: Path) -> None:
    """A model that takes its time, one call after the other, is still at its first when the others have ended."""
    models = [
        simulated_by(served.url, "slow", "bench-60ms", limits={"max_in_flight": 1}),
        simulated_by(served.url, "quick", "bench-5ms"),
    ]

    _hold_until_logged(served, tmp_path, "bench-60ms", 12)

    life = await run_here(choice(tmp_path, models, 12, run={"max_concurrency": 3, "timeout_s": 60.0}), tmp_path)

    check(life.path, await served.stats())
    slow = _moments(served, life, "slow")
    assert sum(moment > _moments(served, life, "quick")[-1] for moment in slow) == 11
    assert life.ended.exit_code == 0


async def test_a_model_that_waits_between_attempts_holds_nobody_up(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that asks to wait keeps its own model waiting, not the others."""
    models = [
        simulated_by(served.url, "limited", "fault:429-retry-after:1"),
        simulated_by(served.url, "free", "bench-5ms"),
    ]
    wait = {"Retry-After": "100"}
    too_many = failure(429, "Too many requests (simulated).", "rate_limit_exceeded", headers=wait)
    monkeypatch.setitem(faults.FAULTS, "429-retry-after", lambda order: too_many)

    def stop_when_free_is_done(progress: Progress) -> None:
        if progress.total.ok >= 40:
            steering.stop(tmp_path / "run")

    config = choice(tmp_path, models, 40, run={"max_concurrency": 8})
    life = await run_here(config, tmp_path, on_tick=stop_when_free_is_done)

    own = by_model(check(life.path, await served.stats()))
    assert [record["status"] for record in own["free"]] == ["ok"] * 40
    assert {record["http_status"] for record in own["limited"] if record["started_at"]} == {429}
    assert life.ended.exit_code == 130


# ------------------------------------------------------------------------------------------- one fails, the others go on


def _two(folder: Path, url: str, questions: int = 8, **run: object) -> Table:
    models = [spoken_by(url, name, name, limits={"max_in_flight": 1}) for name in ("fails", "fine")]
    return choice(folder, models, questions, run={"retries": 0, **run})


async def test_a_failing_model_is_stopped_and_its_rows_are_missing(tmp_path: Path) -> None:
    """Three calls in a row that failed for good stop the model, by default; the others are asked everything; the reports show
    what is missing and why, and --failed asks exactly that."""
    answers = {"fails": FAILS, "fine": ANSWERS}
    async with answering(answers) as (server, url):
        first = await run_here(_two(tmp_path, url, max_calls=40), tmp_path)
        before = Counter(visit["model"] for visit in server.stats()["ids"])
        check(first.path, server.stats())
        figures, board = figures_of(first.path), (first.path / "leaderboard.md").read_text()
        answers["fails"] = ANSWERS

        second = await resume_here(first.path, reopen_failed=True)

        after = Counter(visit["model"] for visit in server.stats()["ids"])
        check(second.path, server.stats(), reopened=True)

    assert first.ended.exit_code == 3
    assert before == {"fails": 3, "fine": 8}
    assert [line for line in first.said if "fails: no more calls" in line and "3 calls in a row" in line]
    row = figures["fails"]
    assert (row["n_total"], row["n_replies"], row["n_missing"], row["accuracy"]) == ("8", "0", "8", "")
    assert (row["accuracy_strict"], row["accuracy_best_case"]) == ("0.0", "1.0")
    assert (figures["fine"]["n_replies"], figures["fine"]["n_missing"]) == ("8", "0")
    missing = [line for line in board.splitlines() if line.startswith("| fails | 8 |")]
    assert len(missing) == 1
    assert "not sent" in missing[0] or "not_sent" in missing[0] or "5 " in missing[0]
    assert second.ended.exit_code == 0
    assert after - before == {"fails": 8}
    assert figures_of(second.path)["fails"]["n_missing"] == "0"
    assert "Every call brought a reply." in (second.path / "leaderboard.md").read_text()


async def test_a_plain_resume_asks_what_was_never_sent(tmp_path: Path) -> None:
    """Without --failed, what failed for good stays as it is, and only what was not sent is asked."""
    answers = {"fails": FAILS, "fine": ANSWERS}
    async with answering(answers) as (server, url):
        first = await run_here(_two(tmp_path, url, max_calls=40), tmp_path)
        answers["fails"] = ANSWERS

        second = await resume_here(first.path)

        asked = Counter(visit["model"] for visit in server.stats()["ids"])
        check(second.path, server.stats())
    assert asked == {"fails": 8, "fine": 8}
    assert figures_of(second.path)["fails"]["n_missing"] == "3"
    assert second.ended.exit_code == 3


async def test_a_model_that_fails_now_and_then_is_not_stopped(served: Served, tmp_path: Path) -> None:
    """Failures that answers come between are not in a row: such a model is asked everything."""
    models = [spoken_by(served.url, "moody", "fault:500:1", limits={"max_in_flight": 1})]
    config = choice(tmp_path, models, 6, run={"retries": 1, "max_calls": 40})

    life = await run_here(config, tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert stats["requests"] == 12
    assert life.ended.exit_code == 0


async def test_zero_never_stops_a_model(tmp_path: Path) -> None:
    """stop_model_after = 0: a model that only fails is asked everything all the same."""
    async with answering({"fails": FAILS, "fine": ANSWERS}) as (server, url):
        life = await run_here(_two(tmp_path, url, stop_model_after=0), tmp_path)
        stats = server.stats()
        check(life.path, stats)

    assert Counter(visit["model"] for visit in stats["ids"]) == {"fails": 8, "fine": 8}
    assert figures_of(life.path)["fails"]["n_missing"] == "8"
    assert life.ended.exit_code == 3


async def test_a_model_that_the_server_does_not_know_stops_alone(served: Served, tmp_path: Path) -> None:
    """An unknown model costs one request; every other model answers everything."""
    models = [spoken_by(served.url, "unknown", "no-such-model"), spoken_by(served.url, "known", "bench-5ms")]

    life = await run_here(choice(tmp_path, models, 9), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert stats["by_model"] == {"no-such-model": 1, "bench-5ms": 9}
    assert figures_of(life.path)["unknown"]["n_missing"] == "9"


async def test_a_model_that_refuses_is_not_stopped(served: Served, tmp_path: Path) -> None:
    """Refusals, however many in a row, are replies, and wrong: nothing is missing, and nothing is left for a resume."""
    models = [spoken_by(served.url, "shy", "fault:refusal"), spoken_by(served.url, "cut", "fault:length-empty")]

    life = await run_here(choice(tmp_path, models, 6), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert stats["by_model"] == {"fault:refusal": 6, "fault:length-empty": 6}
    rows = figures_of(life.path)
    assert {name: (row["n_replies"], row["n_missing"], row["accuracy"]) for name, row in rows.items()} == {
        "shy": ("6", "0", "0.0"),
        "cut": ("6", "0", "0.0"),
    }
    assert (rows["shy"]["n_refusal"], rows["cut"]["n_truncated"]) == ("6", "6")


async def test_a_failing_models_retries_leave_the_others_their_calls(served: Served, tmp_path: Path) -> None:
    """With the kind's own limits (three retries, half as many calls again as planned) a model that is down uses up no more
    than its own share: the one beside it, at its own pace, is asked everything."""
    fine = spoken_by(served.url, "fine", "bench-200ms", limits={"max_in_flight": 2})
    models = [spoken_by(served.url, "down", "fault:500"), fine]

    life = await run_here(choice(tmp_path, models, 20), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert figures_of(life.path)["fine"]["n_missing"] == "0"
    assert stats["by_model"]["bench-200ms"] == 20


async def test_a_model_is_stopped_even_where_no_retry_can_be_paid(served: Served, tmp_path: Path) -> None:
    """With a cap that is just the plan no call is retried; still three failures in a row end the model, with its reason."""
    fine = spoken_by(served.url, "fine", "bench-20ms")
    models = [spoken_by(served.url, "down", "fault:500", limits={"max_in_flight": 1}), fine]

    life = await run_here(choice(tmp_path, models, 12, run={"max_calls": 24}), tmp_path)

    stats = await served.stats()
    records = check(life.path, stats)
    assert stats["by_model"] == {"fault:500": 3, "bench-20ms": 12}
    assert figures_of(life.path)["fine"]["n_missing"] == "0"
    assert any("500" in str(r["error_message"]) for r in records if r["status"] == "skipped_budget")
    assert any("calls in a row failed" in line for line in life.said)


async def test_abort_holds_where_no_retry_can_be_paid(served: Served, tmp_path: Path) -> None:
    """on_failure = "abort" ends the run at the first call that cannot be had, be it for want of budget for a retry."""
    models = [spoken_by(served.url, "down", "fault:500", limits={"max_in_flight": 1})]

    run = {"max_calls": 12, "on_failure": "abort"}
    life = await run_here(choice(tmp_path, models, 12, run=run), tmp_path)

    stats = await served.stats()
    check(life.path, stats)
    assert stats["requests"] == 1
    assert life.ended.exit_code == 3 and "aborted" in life.ended.stopped


async def test_a_resume_keeps_room_for_what_was_never_asked(served: Served, tmp_path: Path) -> None:
    """Stopped in the middle and taken up again: the retries of a model that is down still leave the other every call."""
    fine = spoken_by(served.url, "fine", "bench-200ms", limits={"max_in_flight": 2})
    models = [spoken_by(served.url, "down", "fault:500"), fine]
    run = {"max_calls": 32, "stop_model_after": 0, "max_concurrency": 6}

    def stop_early(progress: Progress) -> None:
        if progress.total.ok >= 3:
            steering.stop(tmp_path / "run")

    first = await run_here(choice(tmp_path, models, 12, run=run), tmp_path, on_tick=stop_early)
    second = await resume_here(first.path)

    stats = await served.stats()
    check(second.path, stats)
    assert stats["by_model"]["bench-200ms"] == 12
    assert figures_of(second.path)["fine"]["n_missing"] == "0"


async def test_abort_ends_the_run_and_a_resume_finishes_it(tmp_path: Path) -> None:
    """on_failure = "abort": the first call that failed for good ends the run with 3 and its reason; what was answered is kept,
    and a resume asks the rest."""
    answers = {"fails": FAILS, "fine": ANSWERS}
    async with answering(answers) as (server, url):
        config = _two(tmp_path, url, questions=30, on_failure="abort", max_concurrency=2)
        first = await run_here(config, tmp_path)
        before = Counter(visit["model"] for visit in server.stats()["ids"])
        answered = sum(record["status"] == "ok" for record in check(first.path, server.stats()))
        answers["fails"] = ANSWERS

        second = await resume_here(first.path, reopen_failed=True)

        after = Counter(visit["model"] for visit in server.stats()["ids"])
        check(second.path, server.stats(), reopened=True)
    assert first.ended.exit_code == 3
    assert first.ended.stopped.startswith("aborted: fails")
    assert before["fails"] == 1
    assert answered == before["fine"] < 10
    assert (first.path / "leaderboard.md").exists()
    assert second.ended.exit_code == 0
    assert after == {"fails": 31, "fine": 30}


# ------------------------------------------------------------------------------------------- many


@pytest.mark.soak
async def test_many_lanes_start_at_once(served: Served, tmp_path: Path) -> None:
    """20 models x 100 questions: the first requests come soon after the start (by this process's own time, whatever else runs),
    each queue starts, and a stop ends them all."""
    models = [simulated_by(served.url, f"m{number}", f"bench-2{number:02}ms") for number in range(20)]
    began: list[float] = []
    asked: list[float] = []

    async def stop_when_all_began() -> None:
        while len(served.simulator.arrivals) < 40:
            await asyncio.sleep(0.01)
        asked.append(time.process_time())
        (tmp_path / "run" / "STOP").touch()

    def tick(progress: object) -> None:
        began.append(time.process_time())

    stopper = asyncio.create_task(stop_when_all_began())
    life = await run_here(choice(tmp_path, models, 100, run={"max_concurrency": 40}), tmp_path, on_tick=tick)
    await stopper

    stats = await served.stats()
    check(life.path, stats)
    assert len(stats["by_model"]) == 20
    assert asked[0] - began[0] < 5.0
    assert life.ended.exit_code == 130
    assert stats["requests"] < 1000


async def test_lanes_are_answered_from_the_log_alike(tmp_path: Path) -> None:
    """A log that was cut in the middle of all queues is completed: each model's missing calls, no other, the same answers."""
    async with serving(latency_scale=0) as served:
        models = [spoken_by(served.url, name.removeprefix("sim-"), name) for name in PERSONAS]
        config = choice(tmp_path, models, 6, run={"max_concurrency": 2, "cache": False, "max_calls": 90})
        first = await run_cached(config, tmp_path)
        answers, lines = answers_of(first.path), (first.path / LOG).read_bytes().splitlines(keepends=True)
        (first.path / LOG).write_bytes(b"".join(lines[:13]) + lines[13][:70])

        second = await resume_here(first.path)

        stats = await served.stats()
    assert stats["requests"] == 30 + 17
    assert {name: len(own) for name, own in by_model(second.records).items()} == {m["name"]: 6 for m in models}
    assert answers_of(second.path) == answers
    assert second.ended.exit_code == 0
