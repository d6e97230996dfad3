"""A finished run taken up again, re-scored, replayed offline, or asked again where it failed."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fault_bench import (
    LOG,
    Peer,
    Served,
    Table,
    asked,
    by_model,
    derived_files,
    panel,
    resume_here,
    run_here,
    spoken_by,
    write_config,
)
from invariants import check
from nursery import Nursery
from victim import Victim, scores_of, three_stages
from waiting import until

from tui_eval.configuring import preparing, reopening
from tui_eval.configuring.loading import load
from tui_eval.core.errors import StorageError
from tui_eval.runs.folder import PROGRESS
from tui_eval.workspace.places import Workspace

MakePeer = Callable[..., Peer]


@pytest.fixture
def finished(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> Victim:
    """A run of three stages that has come to its end."""
    victim = Victim(nursery, peers(latency_scale=0), tmp_path, questions=2, run={"repeat": 2})
    assert victim.live_on().code == 0
    return victim


def test_a_finished_run_is_not_asked_again(finished: Victim) -> None:
    """Taking up a finished run sends nothing, changes no byte of its log or reports, and ends with 0."""
    before, derived = (finished.out / LOG).read_bytes(), derived_files(finished.out)
    asked_before = finished.peer.stats()["requests"]

    again = finished.live_on()

    assert again.code == 0
    assert finished.peer.stats()["requests"] == asked_before
    assert (finished.out / LOG).read_bytes() == before
    assert derived_files(finished.out) == derived
    check(finished.out, finished.peer.stats())


def test_lives_add_up_to_how_long_a_run_worked(finished: Victim) -> None:
    """What it was stopped in between is not in it; where an earlier life does not say, it is not known."""
    file = finished.out / PROGRESS
    first = json.loads(file.read_bytes())
    told: list[float | None] = []
    for before in ({"worked_s": 1000.0}, {}, {"worked_s": "long"}):
        file.write_text(json.dumps({**{name: value for name, value in first.items() if name != "worked_s"}, **before}))
        finished.live_on()
        told.append(json.loads(file.read_bytes())["worked_s"])

    file.unlink()  # the log says that there were lives
    finished.live_on()
    told.append(json.loads(file.read_bytes())["worked_s"])

    assert 0 < first["worked_s"] < 120
    assert 1000 <= (told[0] or 0) < 1120 and told[1:] == [None, None, None]


def test_a_second_run_into_the_same_folder_is_refused(finished: Victim, nursery: Nursery) -> None:
    """--run into a folder that exists sends nothing, ends with 2, and says how to go on."""
    asked_before = finished.peer.stats()["requests"]

    second = nursery.run("--run", finished.folder / "cfg.toml", "--out", finished.out)

    assert second.code == 2
    assert b"tui-eval resume" in second.stderr
    assert finished.peer.stats()["requests"] == asked_before


def test_reports_are_pure(finished: Victim, nursery: Nursery) -> None:
    """With every derived file deleted, rescore brings back the same files with the same bytes, and sends nothing."""
    derived = derived_files(finished.out)
    asked_before = finished.peer.stats()["requests"]
    for name in derived:
        (finished.out / name).unlink()

    again = nursery.run("rescore", finished.out)

    assert again.code == 0
    assert len(derived) > 10
    assert derived_files(finished.out) == derived
    assert finished.peer.stats()["requests"] == asked_before


def test_rescoring_survives_a_kill_between_any_two_files(finished: Victim, nursery: Nursery) -> None:
    """A rescore that is killed halfway leaves a folder from which the next one makes the same bytes."""
    derived = derived_files(finished.out)
    for delay_s in (0.02, 0.05, 0.08):
        child = nursery.start("rescore", finished.out)
        time.sleep(delay_s)
        child.kill()

    again = nursery.run("rescore", finished.out)

    assert again.code == 0
    left = {name: found for name, found in derived_files(finished.out).items() if not name.endswith(".tmp")}
    assert left == derived


def test_offline_answers_from_the_log_alone(finished: Victim, nursery: Nursery) -> None:
    """--offline on a finished run sends nothing and ends with 0, with the same scores."""
    scores, asked_before = scores_of(finished.out), finished.peer.stats()["requests"]

    replayed = finished.live_on("--offline")

    assert replayed.code == 0
    assert finished.peer.stats()["requests"] == asked_before
    assert scores_of(finished.out) == scores


def test_offline_names_a_call_that_is_not_in_the_log(finished: Victim) -> None:
    """--offline sends nothing for a call the log does not hold; the run is incomplete and does not end with 0."""
    log = (finished.out / LOG).read_bytes()
    (finished.out / LOG).write_bytes(b"".join(log.splitlines(keepends=True)[:-3]))
    asked_before = finished.peer.stats()["requests"]

    replayed = finished.live_on("--offline")

    assert replayed.code == 3
    assert finished.peer.stats()["requests"] == asked_before
    assert b"offline: this call is not in the log" in (finished.out / LOG).read_bytes()


def test_another_run_may_be_answered_from_this_one(finished: Victim, nursery: Nursery) -> None:
    """--run on a run folder's config with --offline makes a second folder with the same scores, and sends nothing."""
    asked_before = finished.peer.stats()["requests"]
    out = finished.folder / "replayed"

    replayed = nursery.run("--run", finished.out / "config.toml", "--offline", "--out", out)

    assert replayed.code == 0, replayed.stderr
    assert finished.peer.stats()["requests"] == asked_before
    assert scores_of(out) == scores_of(finished.out)
    assert nursery.run("resume", out).code == 0
    assert finished.peer.stats()["requests"] == asked_before


def _mixed(url: str, **run: object) -> Table:
    """Models that answer, that fail for good the first time, that time out the first time, and that refuse."""
    whats = {"good": "bench", "bad": "fault:500:1", "slow": "bench-1ms", "shy": "fault:refusal:1", "wrong": "fault:400:1"}
    models = [spoken_by(url, name, what) for name, what in whats.items()]
    rows = [asked(name, 2, **({} if name == "slow" else {"timeout_s": 120.0})) for name in whats]
    return panel(models, rows, run={"timeout_s": 0.25, **run})


async def test_failed_asks_only_what_failed(served: Served, tmp_path: Path) -> None:
    """--failed asks again what failed or timed out, and nothing that was answered; a plain resume asks nothing."""
    in_time = asyncio.Event()
    served.simulator.hold(in_time.is_set, "bench-1ms")
    first = await run_here(_mixed(served.url), tmp_path)
    in_time.set()
    assert first.ended.exit_code == 3
    plain = await resume_here(first.path)
    after_plain = await served.stats()

    second = await resume_here(first.path, ["run.timeout_s=120"], reopen_failed=True)

    stats = await served.stats()
    records = by_model(check(second.path, stats, reopened=True))
    answered = {model: number for model, number in after_plain["by_model"].items() if model != "bench-1ms"}
    assert sorted(answered.values()) == [2] * 4 and after_plain["requests"] <= 10
    assert plain.ended.exit_code == 3
    assert stats["by_model"]["bench"] == 2
    assert {name: [r["status"] for r in own] for name, own in records.items() if name != "good"} == {
        "bad": ["error", "error", "ok", "ok"],
        "slow": ["timeout", "timeout", "ok", "ok"],
        "shy": ["error", "error", "ok", "ok"],
        "wrong": ["error", "error", "ok", "ok"],
    }
    assert second.ended.exit_code == 0


async def test_failed_asks_for_a_text_at_any_temperature(served: Served, tmp_path: Path) -> None:
    """Refused, empty and cut replies are asked for again once each, at temperature 0, too: the person asks for it."""
    whats = {"shy": "fault:refusal:1", "mute": "fault:empty:2", "cut": "fault:length-empty:1"}
    models = [spoken_by(served.url, name, what) for name, what in whats.items()]
    rows = {degrees: [asked(name, 1, temperature=degrees) for name in whats] for degrees in (0.0, 0.5)}
    lives = []
    for degrees in rows:
        (place := tmp_path / f"{degrees}").mkdir()
        lives.append(await run_here(panel(models, rows[degrees]), place))
    before = await served.stats()

    cold = await resume_here(lives[0].path, reopen_failed=True)
    between = await served.stats()
    await resume_here(lives[1].path, reopen_failed=True)

    assert between["requests"] == before["requests"] + 3 and cold.ended.exit_code == 0
    assert (await served.stats())["requests"] == between["requests"] + 3


async def test_what_builds_on_a_failed_call_is_asked_once_that_succeeds(served: Served, tmp_path: Path) -> None:
    """A judge that had nothing to build on is unasked and unpaid; after --failed brought the answers, it is asked."""
    models = [spoken_by(served.url, "bad", "fault:500:1"), spoken_by(served.url, "judge", "bench")]
    first = await run_here(panel(models, [asked("bad")], judges=[asked("judge")]), tmp_path)
    unasked = [record["error_kind"] for record in by_model(first.records)["judge"]]
    before = await served.stats()

    second = await resume_here(first.path, reopen_failed=True)

    assert before["by_model"] == {"fault:500:1": 1}
    assert unasked == ["not_sent"]
    assert (await served.stats())["by_model"] == {"fault:500:1": 2, "bench": 1}
    assert second.ended.exit_code == 0


async def test_a_crash_while_limits_are_changed_leaves_a_run_that_resumes(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the files that --set changes is the last one written, the run can be taken up again."""
    first = await run_here(panel([spoken_by(served.url, "quick", "bench")], [asked("quick")]), tmp_path)
    whole = reopening.write_file

    def only_the_first(path: Path, content: str | bytes) -> None:
        whole(path, content)
        raise StorageError("the machine went down here")

    with monkeypatch.context() as patch:
        patch.setattr(reopening, "write_file", only_the_first)
        with pytest.raises(StorageError):
            await resume_here(first.path, ["run.max_calls=9999"])

    assert reopening.reopen(first.path, Workspace(tmp_path)).evaluation.name == "faults"


def test_a_changed_limit_is_refused_while_another_process_runs_it(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """resume --set on a live run is refused, and refused means that not a byte of its config has changed."""
    victim = Victim(nursery, peers(latency_scale=0.5), tmp_path)
    victim.start()
    until(lambda: victim.peer.simulator.arrivals)
    config = (victim.out / "config.toml").read_bytes()

    second = nursery.run("resume", victim.out, "--set", "run.max_calls=9999")

    assert second.code == 2
    assert (victim.out / "config.toml").read_bytes() == config


def test_a_folder_is_private_under_any_umask(peers: MakePeer, tmp_path: Path) -> None:
    """Whoever prepares a run, with whatever umask: folders 0700, files 0600."""
    loaded = load(write_config(tmp_path, three_stages(peers().url, 1)), Workspace(tmp_path))
    before = os.umask(0)
    try:
        preparing.prepare(loaded, tmp_path / "run", lambda text: text, [])
    finally:
        os.umask(before)

    modes = {str(p.relative_to(tmp_path)): oct(p.stat().st_mode & 0o077) for p in (tmp_path / "run").rglob("*")}
    assert {name for name, mode in modes.items() if mode != "0o0"} == set()
