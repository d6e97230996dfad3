"""Signals, closed terminals and wishes from a second process: what each of them does to a run, and what it leaves alone."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_bench import LOG, Peer, Table, asked, panel, simulated_by, strict_json, strict_lines, write_config
from invariants import check
from nursery import Child, Nursery
from waiting import until

from tui_eval.engine.circuit_breaker import CircuitBreaker
from tui_eval.runs.folder import PROGRESS
from tui_eval.runs.steering import status
from tui_eval.simulator.apis import faults
from tui_eval.simulator.apis.replies import failure

LONG_S = 300.0
"""Longer than any test may take: what waits for its end has failed."""


def _config(folder: Path, peer: Peer, model: str, calls: int, **run: object) -> Path:
    models = [simulated_by(peer.url, "only", model)]
    return write_config(folder, panel(models, [asked("only", calls)], run={"max_concurrency": 5, "timeout_s": LONG_S, **run}))


def _started(
    nursery: Nursery, peer: Peer, folder: Path, calls: int, model: str = "bench", answered: int = 0
) -> tuple[Child, Path, threading.Event]:
    """A run in a process of its own that has five calls in flight, after so many that were answered; and what lets the
    server answer on: no call ends before the test has done what it is about."""
    out, go_on = folder / "run", threading.Event()
    peer.simulator.hold(go_on.is_set, after=answered)
    child = nursery.start("--run", _config(folder, peer, model, calls), "--out", out)
    until(lambda: (stats := peer.simulator.stats())["in_flight"] == 5 and stats["requests"] >= 5 + answered)
    return child, out, go_on


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_lets_calls_in_flight_finish(number: signal.Signals, nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """SIGINT or SIGTERM once: nothing new is sent, what is in flight finishes and is kept, exit 130 with the command that
    goes on; that command then asks exactly the rest."""
    child, out, go_on = _started(nursery, peer, tmp_path, 40)

    child.send(number)
    until(lambda: b"stopping" in child.stderr)
    go_on.set()

    assert child.wait() == 130
    stats = peer.stats()
    records = check(out, stats)
    assert stats["requests"] == 5
    assert [record["status"] for record in records if record["request"]] == ["ok"] * 5
    assert f"tui-eval resume {out}".encode() in child.stderr
    assert status(out)["state"] == "stopped"
    assert nursery.run("resume", out, "--set", "run.max_concurrency=40").code == 0
    assert peer.stats()["requests"] == 40


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_cancels_what_is_in_flight(
    number: signal.Signals, nursery: Nursery, peer: Peer, tmp_path: Path
) -> None:
    """The second signal ends calls in flight at once; each is on record as cancelled, and the run can be resumed."""
    child, out, _ = _started(nursery, peer, tmp_path, 9, "fault:hang")
    child.send(number)
    until(lambda: b"stopping" in child.stderr)

    child.send(number)

    assert child.wait(LONG_S / 3) == 130
    records = [record for record in check(out, peer.stats()) if record["request"]]
    assert [(record["error_kind"], record["final"]) for record in records] == [("cancelled", False)] * 5
    assert all(record["latency_ms"] is not None for record in records)


async def test_breaking_off_reaches_every_call() -> None:
    """The second signal ends every call in flight, even when one of them runs into its own time limit at that moment."""
    switch = CircuitBreaker(0, False, lambda text: None)
    ends: list[str] = []

    async def call(limit_s: float) -> None:
        try:
            async with asyncio.timeout(None) as deadline:
                switch.deadlines.enter(deadline, asyncio.get_running_loop().time() + limit_s)
                try:
                    await asyncio.sleep(LONG_S)
                finally:
                    await asyncio.sleep(0)
                    switch.deadlines.leave(deadline)
        except TimeoutError:
            ends.append("ended")

    async with asyncio.timeout(LONG_S / 3), asyncio.TaskGroup() as group:
        for limit_s in (LONG_S, LONG_S, LONG_S, 0.01):
            group.create_task(call(limit_s))
        await asyncio.sleep(0)
        deadline = asyncio.get_running_loop().time() + 0.01
        while asyncio.get_running_loop().time() < deadline + 0.005:
            pass
        await asyncio.sleep(0)
        await asyncio.sleep(0)

        switch.break_off()

    assert ends == ["ended"] * 4


def test_a_dropped_terminal_changes_nothing(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """SIGHUP, as a dropped connection sends it, does not stop a run that costs money."""
    child, out, go_on = _started(nursery, peer, tmp_path, 15)

    child.send(signal.SIGHUP)
    go_on.set()

    assert child.wait() == 0
    assert peer.stats()["requests"] == 15
    check(out, peer.stats())


@pytest.fixture
def go_on(peer: Peer) -> threading.Event:
    """What lets the server answer."""
    found = threading.Event()
    peer.simulator.hold(found.is_set)
    return found


@pytest.fixture
def terminal(peer: Peer, tmp_path: Path, go_on: threading.Event) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A run in a terminal of its own with five calls in flight, and our end of that terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "tui_eval", "--run", str(_config(tmp_path, peer, "bench", 20)), "--out", "run"]
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env=environment, preexec_fn=_take_terminal
    )
    os.close(theirs)
    until(lambda: peer.simulator.stats()["in_flight"] == 5)
    yield process, ours
    if process.poll() is None:
        process.kill()
    process.wait(60)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.soak
def test_a_closed_terminal_changes_nothing(
    terminal: tuple[subprocess.Popen[bytes], int], go_on: threading.Event, peer: Peer, tmp_path: Path
) -> None:
    """A run whose terminal is closed under it goes on to its end, and its exit code still says how it ended."""
    process, ours = terminal
    command_line = Path(f"/proc/{process.pid}/cmdline").read_bytes()

    os.close(ours)
    go_on.set()

    assert process.wait(LONG_S / 3) == 0
    assert peer.stats()["requests"] == 20
    check(tmp_path / "run", peer.stats())
    assert status(tmp_path / "run")["state"] == "done"
    assert b"sk-" not in command_line


@pytest.mark.soak
def test_a_terminal_that_stops_reading_does_not_stop_the_run(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Nobody reads the pipe that a run narrates to: its calls go on all the same."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writing, b"x" * 4096)
    command = [sys.executable, "-m", "tui_eval", "--run", str(_config(tmp_path, peer, "bench-20ms", 60)), "--out", "run"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=writing, start_new_session=True)
    try:
        until(lambda: peer.simulator.stats()["requests"] == 60)
    finally:
        os.close(reading)
        os.close(writing)
        process.kill()
        process.wait(60)


def _wished(nursery: Nursery, verb: str, out: Path) -> None:
    assert nursery.run(verb, out).code == 0


def _status(nursery: Nursery, out: Path) -> Table:
    told = nursery.run("status", out, "--json")
    assert told.code == 0
    return dict(strict_json(told.stdout))


def test_stop_from_a_second_process(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """stop: nothing new is sent, what is in flight finishes, exit 130; a resume takes the wish away and finishes."""
    child, out, go_on = _started(nursery, peer, tmp_path, 60)

    _wished(nursery, "stop", out)
    until(lambda: b"stopping" in child.stderr)
    go_on.set()

    assert child.wait() == 130
    stats = peer.stats()
    records = check(out, stats)
    assert stats["requests"] < 60
    assert sum(record["status"] == "ok" for record in records) == stats["requests"]
    assert _status(nursery, out)["state"] == "stopped"
    assert nursery.run("resume", out, "--set", "run.max_concurrency=60").code == 0
    assert peer.stats()["requests"] == 60
    assert not (out / "STOP").exists()


def test_pause_and_continue_from_a_second_process(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """pause: calls in flight finish and nothing new is sent until continue; status --json says where it stands."""
    child, out, go_on = _started(nursery, peer, tmp_path, 60, answered=7)

    _wished(nursery, "pause", out)
    until(lambda: _status(nursery, out)["state"] == "paused")
    go_on.set()
    until(lambda: status(out)["total"]["ok"] == 12)
    time.sleep(0.3)
    told = _status(nursery, out)

    assert peer.stats()["requests"] == 12
    assert told["holder"]["pid"] == child.pid
    assert (told["in_flight"], told["total"]["ok"], told["calls_used"]) == (0, 12, 12)
    _wished(nursery, "continue", out)
    assert child.wait() == 0
    assert peer.stats()["requests"] == 60
    check(out, peer.stats())


def test_stop_ends_a_pause(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A paused run that is stopped ends; it does not wait to be continued first."""
    child, out, go_on = _started(nursery, peer, tmp_path, 40)
    _wished(nursery, "pause", out)
    until(lambda: status(out)["state"] == "paused")
    go_on.set()
    until(lambda: peer.stats()["in_flight"] == 0)

    _wished(nursery, "stop", out)

    assert child.wait() == 130
    assert peer.stats()["requests"] == 5


@pytest.mark.parametrize("calls", [5, 9])
def test_stop_ends_a_long_backoff(
    nursery: Nursery, peer: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    """A call that waits for its next attempt, or for its first since another was told to wait, does not keep a stopped run
    waiting."""
    too_many = failure(429, "Too many requests (simulated).", "rate_limit_exceeded", headers={"Retry-After": "119"})
    monkeypatch.setitem(faults.FAULTS, "429-retry-after", lambda order: too_many)
    config = _config(tmp_path, peer, "fault:429-retry-after", calls, retries=20)
    child = nursery.start("--run", config, "--out", tmp_path / "run")
    until(lambda: peer.stats()["completed"] >= 5)

    child.send(signal.SIGINT)

    assert child.wait(60) == 130
    assert peer.stats()["requests"] == 5
    check(tmp_path / "run", peer.stats())


def test_wishes_for_a_run_that_is_over_are_refused(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """stop and pause on a run that nobody is working on say so (exit 2) and leave no file behind."""
    out = tmp_path / "run"
    assert nursery.run("--run", _config(tmp_path, peer, "bench", 2), "--out", out).code == 0

    codes = [nursery.run(verb, out).code for verb in ("stop", "pause")]

    assert codes == [2, 2]
    assert not {"STOP", "PAUSE"} & set(os.listdir(out))


def test_a_finished_run_says_what_it_came_to(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """status of a killed run says interrupted, of a finished one done; what it counts is what the log holds."""
    child, out, go_on = _started(nursery, peer, tmp_path, 30, answered=5)
    until(lambda: (out / LOG).stat().st_size)
    child.kill()
    go_on.set()
    interrupted = json.loads(nursery.run("status", out, "--json").stdout)

    assert nursery.run("resume", out).code == 0

    finished = _status(nursery, out)
    assert interrupted["state"] == "interrupted"
    assert finished["state"] == "done"
    assert finished["holder"] is None
    assert finished["total"]["ok"] == 30 == sum(record["status"] == "ok" for record in strict_lines(out / LOG))


@pytest.mark.soak
def test_a_signal_while_the_reports_are_written(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A SIGTERM that comes when everything has been asked and the reports are being written ends the process in words, with
    an exit code of its own; rescore writes the reports."""
    out = tmp_path / "run"
    child = nursery.start("--run", _config(tmp_path, peer, "fault:big", 1), "--out", out)
    until(lambda: (out / PROGRESS).exists() and strict_json((out / PROGRESS).read_bytes())["state"] in ("reporting", "done"))

    child.send(signal.SIGTERM)

    code = child.wait()
    assert code in (0, 130) or (code == -signal.SIGTERM and _status(nursery, out)["state"] == "done")  # it came after the end
    assert b"Traceback" not in child.stderr
    assert nursery.run("rescore", out).code == 0
    check(out, peer.stats(), kills=1)
