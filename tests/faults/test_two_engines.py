"""One folder, one writer: a second engine is refused in words, whoever looks on meanwhile."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from fault_bench import Peer, asked, panel, simulated_by, write_config
from invariants import check
from nursery import Nursery
from waiting import until

from tui_eval.core.errors import FolderError
from tui_eval.runs.entry import entry_of
from tui_eval.runs.folder import RunFolder, holder
from tui_eval.runs.steering import delete


def _config(folder: Path, peer: Peer) -> Path:
    return write_config(folder, panel([simulated_by(peer.url, "only", "bench-100ms")], [asked("only", 60)]))


def test_the_second_engine_is_refused(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A second engine on the same folder ends with 2, names the process that holds it, and sends nothing."""
    out = tmp_path / "run"
    slow = panel([simulated_by(peer.url, "only", "bench-200ms")], [asked("only", 60)], run={"max_concurrency": 2})
    peer.simulator.hold(threading.Event().is_set, after=2)
    first = nursery.start("--run", write_config(tmp_path, slow), "--out", out)
    until(lambda: peer.simulator.arrivals)

    resumed = nursery.run("resume", out)
    rescored = nursery.run("rescore", out)
    forced = nursery.run("--run", tmp_path / "cfg.toml", "--out", out, "--force")

    assert (resumed.code, rescored.code, forced.code) == (2, 2, 2)
    assert f"pid {first.pid}".encode() in resumed.stderr
    first.kill()
    check(out, peer.stats(), kills=1)


def test_a_removed_lock_lets_no_second_engine_in(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """While a run is live, its lock file deleted: resume, re-score, --force and deletion are refused."""
    out = tmp_path / "run"
    peer.simulator.hold(threading.Event().is_set, after=2)
    first = nursery.start("--run", _config(tmp_path, peer), "--out", out)
    until(lambda: peer.simulator.arrivals)
    (out / "lock").unlink()

    resumed = nursery.run("resume", out)
    rescored = nursery.run("rescore", out)
    forced = nursery.run("--run", tmp_path / "cfg.toml", "--out", out, "--force")

    assert (resumed.code, rescored.code, forced.code) == (2, 2, 2)
    assert b"a live process is writing it" in resumed.stderr
    assert entry_of(out).live
    with pytest.raises(FolderError):
        delete(out)
    first.kill()
    check(out, peer.stats(), kills=1)


def test_the_lock_of_a_killed_engine_is_free(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """After SIGKILL nobody has to remove a lock by hand."""
    out = tmp_path / "run"
    first = nursery.start("--run", _config(tmp_path, peer), "--out", out)
    until(lambda: peer.simulator.arrivals)
    first.kill()
    peer.wait_for_silence()

    second = nursery.run("resume", out)

    assert second.code == 0
    check(out, peer.stats(), kills=1)


def test_of_many_resumes_at_once_exactly_one_works(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Five resumes that start together: one finishes the run, the others are refused, or find it done where they come late;
    each call is asked once."""
    out = tmp_path / "run"
    killed = threading.Event()
    peer.simulator.hold(killed.is_set)
    first = nursery.start("--run", _config(tmp_path, peer), "--out", out)
    until(lambda: peer.simulator.arrivals)
    first.kill()
    peer.wait_for_silence()
    killed.set()

    children = [nursery.start("resume", out) for _ in range(5)]

    assert {child.wait() for child in children} <= {0, 2}
    assert [b"nothing was sent" in child.stderr for child in children if child.code == 0].count(False) == 1
    check(out, peer.stats(), kills=1)


def test_looking_at_a_run_never_keeps_it_from_starting(tmp_path: Path) -> None:
    """Whoever asks for a run's status at the very moment a process takes its lock does not make that process give up."""
    looking = threading.Event()

    def look() -> None:
        while not looking.is_set():
            holder(tmp_path)

    threads = [threading.Thread(target=look) for _ in range(2)]
    RunFolder(tmp_path).close()
    for thread in threads:
        thread.start()
    refused = 0
    try:
        for _ in range(50):
            try:
                RunFolder(tmp_path).close()
            except FolderError:
                refused += 1
    finally:
        looking.set()
        for thread in threads:
            thread.join()
    assert refused == 0
