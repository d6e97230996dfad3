"""A kind's own files of an item: there when the item has ended, the same after kills, and again from the log alone."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tomllib
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from fault_bench import Served, Table, resume_here, run_here, serving, strict_lines
from grounded import GROUNDED
from samples import registered, written

from tui_eval.core.errors import ConfigError
from tui_eval.core.results import SampleResult
from tui_eval.evaluation.kind import SampleFiles
from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.workspace.places import Workspace

SUPPORT = Path(__file__).resolve().parent.parent / "support"
NAME = "grounded, own history"
KILLS = 10


@pytest.fixture(autouse=True)
def own_kinds() -> Iterator[None]:
    """The tests' kinds stand in the registry."""
    with registered():
        yield


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """A simulator that takes a little time, and counts."""
    async with serving(latency_scale=0.02) as found:
        yield found


def config(folder: Path, url: str, repeat: int = 2) -> Table:
    """Conversations of two models."""
    found = tomllib.loads(written("grounded", NAME, folder, repeat).read_text())
    for model in found["models"]:
        model["base_url"] = url
    return found


def own_files(path: Path) -> dict[str, str]:
    """The items' files of a run folder, by their paths."""
    found = [*path.glob("chats/**/*.md"), *path.glob("repeats/*/chats/**/*.md")]
    return {str(file.relative_to(path)): file.read_text() for file in found}


async def test_every_item_has_its_files(served: Served, tmp_path: Path) -> None:
    """One for each model and conversation, those of the second repeat in its folder, with what was said in them."""
    life = await run_here(config(tmp_path, served.url), tmp_path)

    found = own_files(life.path)

    first = {f"chats/{model}/{name}" for model in ("one", "two") for name in ("harbour%2F1.md", "mill.md", "well.md")}
    assert set(found) == first | {f"repeats/02/{name}" for name in first}
    assert all(text.startswith("Q: ") and "\nA: " in text for text in found.values())


@pytest.mark.soak
async def test_files_are_there_while_the_run_goes_on(served: Served, tmp_path: Path) -> None:
    """An item that has ended has its file, before the run has."""
    seen: list[int] = []

    def look(_: Any) -> None:
        seen.append(len(own_files(tmp_path / "run")))

    served.simulator.hold(lambda: any(seen), after=100)  # the last calls wait until somebody has looked
    table = config(tmp_path, served.url)
    await run_here({**table, "run": {**table["run"], "max_concurrency": 2}}, tmp_path, on_tick=look)

    assert any(0 < n < 12 for n in seen)


async def test_the_log_alone_makes_them_again(served: Served, tmp_path: Path) -> None:
    """Taken away, they come back with the reports, the same; one that stands as it should is not touched."""
    life = await run_here(config(tmp_path, served.url), tmp_path)
    before = own_files(life.path)
    kept = life.path / "chats" / "one" / "mill.md"
    os.utime(kept, (1, 1))
    shutil.rmtree(life.path / "chats" / "two")

    rescoring.rescore(life.path, Workspace(tmp_path))

    assert own_files(life.path) == before
    assert kept.stat().st_mtime == 1


async def test_two_items_with_one_file_are_refused_before_anything_is_sent(served: Served, tmp_path: Path) -> None:
    """Told with both items; so is a path that would lie outside, as a bug of the kind."""

    def same(_: Any, row: SampleResult) -> dict[str, str]:
        return {"chats/all.md": row.sample.question}

    KINDS["grounded"] = replace(GROUNDED, sample_files=SampleFiles(same, GROUNDED.sample_files.totals))

    with pytest.raises(ConfigError, match=r"would both write chats/all\.md"):
        await run_here(config(tmp_path, served.url), tmp_path)

    assert (await served.stats())["requests"] == 0


async def test_files_that_cannot_be_made_cost_their_item_alone(served: Served, tmp_path: Path) -> None:
    """A bug in the kind's files, or a path that would lie outside: told at the end, every other item has its file."""

    def slips(task: Any, row: SampleResult) -> Any:
        if row.sample.doc_id == "mill" and any(reply.text != reply.call.example_text for reply in row.replies):
            raise KeyError("oops")
        files = GROUNDED.sample_files.files
        return files(task, row) if files else {}

    KINDS["grounded"] = replace(GROUNDED, sample_files=SampleFiles(slips, GROUNDED.sample_files.totals))

    life = await run_here(config(tmp_path, served.url, repeat=1), tmp_path)

    assert {Path(name).stem for name in own_files(life.path)} == {"harbour%2F1", "well"}
    assert life.ended.outcome is not None and life.ended.outcome.broken == {"its files: KeyError: 'oops'": 2}
    assert len(strict_lines(life.path / "results.jsonl")) == 6


async def test_a_full_disk_stops_the_run_and_loses_nothing(served: Served, tmp_path: Path) -> None:
    """Where an item's file cannot be written, the run stops, as it does for its log; a resume asks only what is missing."""
    table = config(tmp_path, served.url, repeat=1)

    def blocked(_: Any) -> None:
        if not (tmp_path / "run" / "chats").exists():
            (tmp_path / "run" / "chats").write_text("in the way")

    first = await run_here(table, tmp_path, on_tick=blocked)
    (first.path / "chats").unlink(missing_ok=True)

    second = await resume_here(first.path)

    assert first.ended.exit_code != 0 and second.ended.exit_code == 0
    assert len(own_files(second.path)) == 6
    assert (await served.stats())["requests"] == len({record["call_key"] for record in second.records})


@pytest.mark.soak
async def test_ten_kills_leave_the_files_of_a_run_left_alone(served: Served, tmp_path: Path) -> None:
    """Killed ten times, each after some further calls, and taken up again: the same tree, and nothing is asked twice."""
    table = config(tmp_path, served.url)
    (tmp_path / "whole").mkdir()
    whole = await run_here(table, tmp_path, out=tmp_path / "whole" / "run")
    asked = (await served.stats())["requests"]
    (tmp_path / "config.toml").write_text(tomli_w.dumps(table))
    path = tmp_path / "killed"
    command = ["--run", "config.toml", "--out", str(path)]
    for number in range(KILLS):
        child = await _child(tmp_path, *command)
        wanted = asked + (number + 1) * len(whole.records) // (KILLS + 2)
        while child.returncode is None and (await served.stats())["requests"] < wanted:
            await asyncio.sleep(0.01)
        if child.returncode is None:
            child.kill()
        await child.wait()
        command = ["resume", str(path)] if path.exists() else command

    last = await _child(tmp_path, *command)
    assert await last.wait() == 0

    assert own_files(path) == own_files(whole.path)


async def _child(folder: Path, *command: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, str(SUPPORT / "own_kind_run.py"), "--workspace", str(folder), *command,
        cwd=folder, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
