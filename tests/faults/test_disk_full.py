"""A disk that is full: nothing is sent that cannot be written down, nothing answered is lost unnamed, and it can go on."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from pathlib import Path
from shutil import copytree

import pytest
from fault_bench import (
    INTENTS,
    LOG,
    Life,
    MakeDisk,
    Peer,
    Served,
    Table,
    asked,
    panel,
    resume_here,
    run_here,
    simulated_by,
    strict_lines,
    write_config,
)
from invariants import check
from nursery import Nursery
from waiting import until

from tui_eval.runs.steering import status

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""A file that is left open is told once, by the test for it, and not by whichever test comes next."""
CONCURRENCY = 8
CALLS = 260
"""Far more than the disk has room for."""


def _config(url: str) -> Table:
    models = [simulated_by(url, "only", "bench-20ms")]
    return panel(models, [asked("only", CALLS)], run={"max_concurrency": CONCURRENCY, "max_calls": CALLS + 100})


async def _filled(served: Served, folder: Path, disk: Path, room: int) -> tuple[Life, int]:
    """A run on a disk with little room left; and how many requests had come when it said that it stops."""
    (disk / "filler").write_bytes(b"x" * room)
    came_before: list[int] = []

    def hear(text: str) -> None:
        if text.startswith("stopping:"):
            came_before.append(len(served.simulator.arrivals))

    life = await run_here(_config(served.url), folder, out=disk / "run", narrate=hear)
    assert len(came_before) == 1
    return life, came_before[0]


RESERVE_KIB = 4096
"""What a run keeps free on a disk that has it."""
SIZES = pytest.mark.parametrize(("kib", "room_kib"), [(600, 300), (RESERVE_KIB + 600, 300)], ids=["no reserve", "reserve"])


@SIZES
async def test_a_full_disk_stops_the_run(served: Served, tmp_path: Path, disk: MakeDisk, kib: int, room_kib: int) -> None:
    """From the first write that fails nothing more is sent: exit 3, and why; no half-written report is left. Every request
    the server saw is on file, or one of the few in doubt; where there was room for the reserve, none is in doubt. With space
    freed, a resume asks what is missing, no more, and ends with 0."""
    place = disk(kib)
    life, came_before = await _filled(served, tmp_path, place, room_kib * 1024)

    stats = await served.stats()
    assert 20 < stats["requests"] < CALLS - 50
    assert stats["requests"] <= came_before + CONCURRENCY
    assert life.ended.exit_code == 3
    assert (life.ended.outcome is None) == (kib < RESERVE_KIB)
    assert "No space left" in life.ended.stopped
    assert ("cannot be kept in reserve" in (life.path / "run.log").read_text()) == (kib < RESERVE_KIB)
    assert list(life.path.rglob("*.tmp")) == []
    records = strict_lines(life.path / LOG)
    seen = {visit["id"] for visit in stats["ids"]}
    begun = {intent["attempt_id"] for intent in strict_lines(life.path / INTENTS)}
    ended = {record["attempt_id"] for record in records if record["request"]}
    assert seen <= begun
    assert len(seen - ended) <= (0 if kib > RESERVE_KIB else CONCURRENCY)
    answered = sum(record["status"] == "ok" for record in records)
    subprocess.run(["mount", "-o", "remount,size=64m", str(place)], check=True)
    second = await resume_here(life.path, ["run.max_concurrency=50"])
    assert second.ended.exit_code == 0
    assert (await served.stats())["requests"] - stats["requests"] == CALLS - answered
    answers = {record["call_key"] for record in second.records if record["status"] == "ok"}
    assert len(answers) == CALLS


@pytest.mark.parametrize("kib", [300, 700])
def test_what_was_sent_and_lost_is_counted_apart(
    kib: int, nursery: Nursery, peer: Peer, tmp_path: Path, disk: MakeDisk
) -> None:
    """The last line and `status` count what the server answered and no disk took, and what was never asked: both by what the
    server and the log have, though progress.json is older. A rescore elsewhere counts the same as in doubt."""
    out, config = disk(kib) / "run", write_config(tmp_path, _config(peer.url))
    ended = nursery.run("run", config, "--out", out)
    requests = peer.stats()["requests"]
    records = strict_lines(out / LOG)
    ok = sum(record["status"] == "ok" for record in records)
    lost = requests - sum(record["request"] is not None for record in records)
    told = status(out)

    assert ended.code == 3
    words = f"{lost} sent, reply lost (paid, cost unknown); " if lost else ""
    assert f"0 over budget, {words}{CALLS - requests} not asked." in ended.stderr.decode()
    assert (told["total"]["ok"], told["total"]["lost"], told["calls_used"]) == (ok, lost, len(strict_lines(out / INTENTS)))
    assert told["models"]["only"]["ok"] == ok
    whole = tmp_path / "copy"
    copytree(out, whole)
    assert nursery.run("rescore", whole).code == 0
    assert len(json.loads((whole / "report.json").read_text())["in_doubt"]) == lost


def test_status_of_a_killed_run_is_that_of_its_log(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """progress.json is as old as the last tick; the log has every call that ended, the intents those in flight."""
    out, config = tmp_path / "run", write_config(tmp_path, _config(peer.url))
    child = nursery.start("run", config, "--out", out)
    until(lambda: (out / LOG).exists() and (out / LOG).read_bytes().count(b"\n") > 30)
    child.kill()
    records = strict_lines(out / LOG)
    told = status(out)

    assert told["state"] == "interrupted" and told["in_flight"] == 0
    assert told["total"]["ok"] == sum(record["status"] == "ok" for record in records) > 30
    assert told["total"]["lost"] == len(strict_lines(out / INTENTS)) - len(records)


@pytest.mark.parametrize("kib", [24, 90])
def test_a_file_that_may_not_grow_is_a_full_disk(kib: int, nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """With a limit on file sizes: no request that was not written down, exit 3, and once the limit is gone the rest."""
    config = _config(peer.url)
    config["panel"]["doers"][0]["calls"] = 150
    out = tmp_path / "run"
    limited = nursery.run("--run", write_config(tmp_path, config), "--out", out, FSIZE=(kib * 1024, 10**9))
    stopped_at = peer.stats()

    finished = nursery.run("resume", out)

    assert limited.code == 3
    assert 0 < stopped_at["requests"] < 150
    assert finished.code == 0, finished.stderr
    check(out, peer.stats(), kills=1)


async def test_a_disk_that_loses_what_it_took_is_told(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the system says that written bytes did not reach the disk (fsync fails), the run does not end as if all was well."""

    def lost(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    models = [simulated_by(served.url, "only", "bench-200ms")]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lost)
        life = await run_here(panel(models, [asked("only", 12)], run={"max_concurrency": 2}), tmp_path)

    assert [line for line in life.said if "Input/output error" in line]
    assert life.ended.exit_code == 3


async def test_a_folder_that_goes_away_stops_the_run(served: Served, tmp_path: Path) -> None:
    """A run folder that is moved away under a live run stops it within seconds: nothing is spent that nobody will find."""
    moved = tmp_path / "moved"

    def move(text: object) -> None:
        if len(served.simulator.arrivals) > 20 and not moved.exists():
            (tmp_path / "run").rename(moved)

    life = await run_here(_config(served.url), tmp_path, on_tick=move)

    stats = await served.stats()
    assert stats["requests"] < CALLS
    assert life.ended.exit_code == 3
    assert {visit["id"] for visit in stats["ids"]} == {
        record["attempt_id"] for record in strict_lines(moved / LOG) if record["request"]
    }
