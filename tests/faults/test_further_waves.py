"""Places that a set lost since others ask the same: asked again once all have ended, always the same ones, whatever happens."""

from __future__ import annotations

import asyncio
import csv
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fault_bench import INTENTS, LOG, Life, resume_here, run_here, stats_of, strict_json, strict_lines, write_config
from invariants import check
from soaking import quick_first
from writing_twice import TEXT, WritingTwice, generating

from tui_eval.configuring.generated_sets import FILE
from tui_eval.kinds.generate.question_report import TWICE
from tui_eval.reporting.derive import derive
from tui_eval.reporting.resend import original
from tui_eval.workspace.places import Workspace

DOUBLED = (1, 5, 6, 8, 11)
"""Chapters 1, 5, 8 and 11 are asked about at first; then 6, 7 and 12, and of the second place at last 4."""
CALLS = 4 * 3 + 3 * 3 + 3
"""Three for each conversation."""


@pytest.fixture
async def server() -> AsyncIterator[WritingTwice]:
    """Who writes about DOUBLED chapters writes one question."""
    made = WritingTwice(DOUBLED)
    try:
        made.url = await made.start()
        yield made
    finally:
        await made.stop()


async def whole(folder: Path, server: WritingTwice, **run: Any) -> Life:
    """The run, undisturbed."""
    folder.mkdir(exist_ok=True)
    (folder / "doc.txt").write_text(TEXT)
    return await run_here(generating(server.url, **run), folder)


def made(path: Path) -> tuple[Any, bytes, Any]:
    """The set, what was dropped, and what is said while a run goes on."""
    counts = strict_json((path / "generated" / "progress.json").read_bytes())
    return strict_json((path / FILE).read_bytes())["conversations"], (path / "dropped.csv").read_bytes(), counts


async def test_a_lost_place_is_asked_again_at_its_next_passage(server: WritingTwice, tmp_path: Path) -> None:
    """Wave by wave, in the order of the places; what was there first stays; what is counted meanwhile is the set's own."""
    life = await whole(tmp_path, server)
    conversations, dropped, counts = made(life.path)

    first = {one["id"]: one["turns"][0]["question"] for one in conversations}
    assert first == {
        "doc/c1": "When is the harbour of Ardle open?",
        "doc/c2": "How many barrels does shed 4 hold?",
        "doc/c3": "How many barrels does shed 7 hold?",
        "doc/c4": "How many barrels does shed 12 hold?",
    }
    rows = list(csv.DictReader(dropped.decode("utf-8-sig").splitlines()))
    assert [one["sample"] for one in rows if one["reason"] == TWICE] == ["doc/c2", "doc/c2", "doc/c3", "doc/c4"]
    assert len(rows) == 8 and server.stats()["requests"] == CALLS == len(life.records)
    assert counts["documents"] == {"doc": {"wanted": 8, "made": 16, "kept": 8, "dropped": 8}}
    assert (life.ended.exit_code, life.ended.progress.items_done) == (0, 4)
    assert "wanted 8, kept 8 of 16 made: 4 asked twice" in life.report["headline"][0]["note"]
    places = [record["item_id"] for record in life.records if record["call_index"] and record["stage"] == "maker"]
    assert places[-1] == "doc/c2" and sorted(places[:-1]) == ["doc/c2", "doc/c3", "doc/c4"]


@pytest.mark.parametrize(
    "lines", quick_first([3, 12, 14, 20, 23, *(n for n in range(CALLS) if n not in (3, 12, 14, 20, 23))], 3)
)
async def test_wherever_the_log_ends_the_set_is_the_same(lines: int, server: WritingTwice, tmp_path: Path) -> None:
    """Killed after any call: a resume asks what is missing, nothing else, and comes to the same set."""
    life = await whole(tmp_path, server)
    before, log = made(life.path), (life.path / LOG).read_bytes().splitlines(keepends=True)
    (life.path / LOG).write_bytes(b"".join(log[:lines]))
    (life.path / INTENTS).write_bytes(b"".join((life.path / INTENTS).read_bytes().splitlines(keepends=True)[:lines]))

    second = await resume_here(life.path)

    assert made(second.path) == before and second.ended.exit_code == 0
    assert server.stats()["requests"] - CALLS == CALLS - lines
    keys = [record["call_key"] for record in strict_lines(second.path / LOG) if record["final"]]
    assert len(keys) == len(set(keys)) == CALLS


@pytest.mark.soak
@pytest.mark.parametrize("answered", [(13, 22), (5, 12, 16, 21), (14, 20)])
async def test_killed_within_a_further_wave_the_set_is_the_same(
    answered: tuple[int, ...], server: WritingTwice, tmp_path: Path
) -> None:
    """With calls in flight, once so many are answered: ended as by the system, and resumed by the next process."""
    alone, folder, other = await whole(tmp_path / "alone", server), tmp_path / "killed", WritingTwice(DOUBLED)
    other.url = await other.start()
    folder.mkdir()
    (folder / "doc.txt").write_text(TEXT)
    config, out = write_config(folder, generating(other.url)), folder / "run"
    for n in answered:
        goes_on = asyncio.Event()
        other.hold(goes_on.is_set, after=n - len(finals(out)))
        process = await command(folder, *(("resume", out) if out.exists() else ("--run", config, "--out", out)))
        while len(finals(out)) < n:
            assert process.returncode is None
            await asyncio.sleep(0.02)
        process.kill()
        await process.wait()
        goes_on.set()

    last = await command(folder, "resume", out)
    assert await last.wait() == 0

    stats = await asyncio.to_thread(stats_of, other.url)
    await other.stop()
    assert made(out) == made(alone.path) and len(finals(out)) == CALLS
    check(out, stats, kills=len(answered))


def finals(path: Path) -> list[str]:
    """The keys of the calls that are settled in a log, which may just be written."""
    log = path / LOG
    whole = log.read_bytes().rpartition(b"\n")[0] if log.exists() else b""
    return [record["call_key"] for record in map(strict_json, whole.splitlines()) if record["final"]]


async def command(folder: Path, *words: object) -> asyncio.subprocess.Process:
    """The program in a process of its own, in this workspace."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tui_eval", "--workspace", str(folder), *map(str, words),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip


async def test_a_run_that_ended_between_two_waves_is_told_as_unfinished(server: WritingTwice, tmp_path: Path) -> None:
    """Its reports say what is there, and that it is not all."""
    life = await whole(tmp_path, server)
    log = (life.path / LOG).read_bytes().splitlines(keepends=True)
    (life.path / LOG).write_bytes(b"".join(log[:12]))
    outcome = derive(life.path, life.loaded.evaluation)

    assert outcome.unfinished == 3
    assert strict_json((life.path / FILE).read_bytes())["incomplete"]


@pytest.mark.soak
async def test_a_further_wave_uses_what_the_plan_leaves_over(server: WritingTwice, tmp_path: Path) -> None:
    """Not one call more than the budget; raised, a resume goes on and comes to the same set."""
    alone = await whole(tmp_path / "alone", server)
    asked = server.stats()["requests"]
    capped = await whole(tmp_path / "capped", server, max_calls=14)

    assert server.stats()["requests"] - asked == 14 and capped.ended.exit_code != 0
    raised = await resume_here(capped.path, ["run.max_calls=300"])
    assert made(raised.path) == made(alone.path) and server.stats()["requests"] - asked == CALLS


@pytest.mark.soak
async def test_in_batches_it_is_the_same_set(server: WritingTwice, tmp_path: Path) -> None:
    """Whatever is handed over together."""
    alone = await whole(tmp_path / "alone", server)
    config = generating(server.url, mode="batch", poll_s=0.02)
    for model in config["models"]:
        model["wire"] = "openai"
    (tmp_path / "batch").mkdir()
    (tmp_path / "batch" / "doc.txt").write_text(TEXT)
    batch = await run_here(config, tmp_path / "batch")

    assert made(batch.path) == made(alone.path) and batch.ended.exit_code == 0


async def test_a_call_of_a_further_wave_can_be_sent_again(server: WritingTwice, tmp_path: Path) -> None:
    """It is found by its attempt, as any other."""
    life = await whole(tmp_path, server)
    record = next(one for one in reversed(life.records) if one["stage"] == "maker")
    shutil.copytree(life.path, tmp_path / "runs" / life.path.name)

    found = original(tmp_path / "runs" / life.path.name, record["attempt_id"], Workspace(tmp_path))

    assert "Chapter 4" in found.call.messages[-1].content
