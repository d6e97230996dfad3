"""Files that add up over the items of a run: there while it goes on, in the order of the samples, the same after kills."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
import sys
import tomllib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from fault_bench import INTENTS, LOG, Served, Table, resume_here, run_here, serving
from grounded import GROUNDED, part, summary
from samples import registered, sample, written

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import RunStamp, Totals
from tui_eval.engine.circuit_breaker import CircuitBreaker
from tui_eval.engine.totals import EVERY_S, LiveTotals
from tui_eval.evaluation.drivers import as_example
from tui_eval.evaluation.kind import Kind, SampleFiles
from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.runs.folder import RunFolder
from tui_eval.workspace.places import Workspace

SUPPORT = Path(__file__).resolve().parent.parent / "support"
NAME = "grounded, own history"
SUMMARY = "chats/_summary.json"
KILLS = 3


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


def config(folder: Path, url: str, repeat: int = 1, **run: Any) -> Table:
    """Conversations of two models."""
    found = tomllib.loads(written("grounded", NAME, folder, repeat).read_text())
    for model in found["models"]:
        model["base_url"] = url
    return {**found, "run": {**found["run"], **run}}


def ids(path: Path) -> list[str]:
    """Which conversations a summary has, and in which order; none where there is no summary yet."""
    return [part["id"] for part in json.loads(path.read_text())["results"]] if path.exists() else []


def order(folder: Path) -> list[str]:
    """All of them, in the order of the samples."""
    return [found.id for found in sample("grounded", NAME, folder, 1).evaluation.samples()]


async def test_they_grow_in_the_order_of_the_samples(served: Served, tmp_path: Path) -> None:
    """While one model's conversations are held up, the other's are in the summary; whichever ends first, each has its place."""
    path, seen = tmp_path / "run" / SUMMARY, list[list[str]]()
    table = config(tmp_path, served.url)
    late = set(order(tmp_path)[::2])
    served.simulator.hold(lambda: len(ids(path)) == 3, "sim-scholar")

    life = await run_here(table, tmp_path, on_tick=lambda _: seen.append(ids(path)))

    whole = order(tmp_path)
    assert ids(path) == whole and late == {name for name in whole if name.startswith("one/")}
    assert [name for name in whole if name not in late] in seen
    assert all(found == [name for name in whole if name in found] for found in seen)
    assert all(set(before) <= set(after) for before, after in itertools.pairwise(seen))
    assert life.ended.exit_code == 0


async def test_each_repeat_adds_up_for_itself_and_the_log_alone_does_it_again(served: Served, tmp_path: Path) -> None:
    """As an item's files do: those of the second lie in its folder; a re-score brings the same bytes."""
    life = await run_here(config(tmp_path, served.url, repeat=2), tmp_path)
    files = [life.path / SUMMARY, life.path / "repeats" / "02" / SUMMARY]
    before = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()

    rescoring.rescore(life.path, Workspace(tmp_path))

    assert [file.read_bytes() for file in files] == before
    assert [len(ids(file)) for file in files] == [6, 6]
    assert sum(json.loads(text)["replies"] for text in before) == len(life.records)


async def test_a_resume_begins_with_what_was_there(served: Served, tmp_path: Path) -> None:
    """Nothing is asked before what earlier lives finished is in the summary; at the end it is that of a run left alone."""
    whole = await run_here(config(tmp_path, served.url), tmp_path, out=tmp_path / "whole")
    half = Path(shutil.copytree(whole.path, tmp_path / "half"))
    path = half / SUMMARY
    for name in (LOG, INTENTS):
        kept = (half / name).read_text().splitlines(keepends=True)
        (half / name).write_text("".join(kept[: len(kept) * 2 // 3]))
    rescoring.rescore(half, Workspace(tmp_path))
    had = ids(path)
    path.unlink()
    seen: list[list[str]] = []
    served.simulator.hold(lambda: any(seen))

    again = await resume_here(half, on_tick=lambda _: seen.append(ids(path)))

    assert 0 < len(had) < 6 and next(filter(None, seen)) == had
    assert again.ended.exit_code == 0
    assert path.read_bytes() == (whole.path / SUMMARY).read_bytes()


async def test_in_batches_they_grow_with_the_waves(served: Served, tmp_path: Path) -> None:
    """The same file where calls are handed over in batches."""
    one_by_one = await run_here(config(tmp_path, served.url), tmp_path, out=tmp_path / "one")
    table = config(tmp_path, served.url, mode="batch", poll_s=0.02)
    table["models"] = [{**model, "wire": "openai"} for model in table["models"]]

    life = await run_here(table, tmp_path)

    assert life.ended.exit_code == 0
    assert ids(life.path / SUMMARY) == ids(one_by_one.path / SUMMARY) == order(tmp_path)


class Held:
    """A pause that ends when the test says so, and the seconds that were asked for."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[float] = asyncio.Queue()
        self.over: asyncio.Queue[None] = asyncio.Queue()

    async def __call__(self, seconds: float) -> None:
        await self.asked.put(seconds)
        await self.over.get()


async def test_they_are_written_once_a_second_at_most_and_the_newest_state_wins(tmp_path: Path) -> None:
    """However many items end meanwhile, one write follows a pause of a second, with all of them."""
    made: list[int] = []

    def counted(task: Any, parts: Sequence[dict[str, Json]], run: RunStamp) -> Mapping[str, Json]:
        made.append(len(parts))
        return summary(task, parts, run)

    loaded = sample("grounded", NAME, tmp_path, 1)
    evaluation = replace(
        loaded.evaluation, kind=replace(GROUNDED, sample_files=SampleFiles(GROUNDED.sample_files.files, Totals(part, counted)))
    )
    rows = [evaluation.driven(found, as_example) for found in evaluation.samples()]
    (tmp_path / "run").mkdir()
    folder, pause = RunFolder(tmp_path / "run"), Held()
    live = LiveTotals(folder, CircuitBreaker(0, False, print), evaluation, pause)
    writing = asyncio.create_task(live.write_on())
    live.add(rows[3])
    waited = [await pause.asked.get()]
    for row in reversed(rows):
        live.add(row)
    await pause.over.put(None)
    waited.append(await pause.asked.get())
    writing.cancel()
    await asyncio.wait({writing})
    folder.close()

    assert made == [1, 6] and all(seconds >= EVERY_S for seconds in waited)
    assert ids(tmp_path / "run" / SUMMARY) == order(tmp_path)


def apart(task: Any, parts: Sequence[dict[str, Json]], run: RunStamp) -> Mapping[str, Json]:
    """A summary in a folder in which nothing else lies."""
    return {"sums/_summary.json": [found["id"] for found in parts]}


async def test_a_disk_that_refuses_them_stops_the_run(served: Served, tmp_path: Path) -> None:
    """As it does for the log: exit 3, and why; a resume asks only what is missing and has them whole."""

    def change(kind: Kind) -> Kind:
        return replace(kind, sample_files=replace(kind.sample_files, totals=Totals(part, apart)))

    def blocked(_: Any) -> None:
        (tmp_path / "run" / "sums").touch()

    table, stopped = config(tmp_path, served.url, max_concurrency=2), asyncio.Event()
    served.simulator.hold(stopped.is_set, "sim-scholar")

    first = await run_here(
        table, tmp_path, change, on_tick=blocked, narrate=lambda said: stopped.set() if "stopp" in said else None
    )
    (first.path / "sums").unlink()
    second = await resume_here(first.path, change=change)

    assert first.ended.exit_code == 3 and "the run folder cannot be written" in first.ended.stopped
    assert second.ended.exit_code == 0
    assert (await served.stats())["requests"] == sum(record["status"] == "ok" for record in second.records)
    assert json.loads((second.path / "sums" / "_summary.json").read_text()) == order(tmp_path)


async def test_a_file_of_an_item_is_no_place_for_them(served: Served, tmp_path: Path) -> None:
    """Refused before anything is sent, with both owners."""
    KINDS["grounded"] = replace(
        GROUNDED,
        sample_files=replace(GROUNDED.sample_files, totals=Totals(part, lambda task, parts, run: {"chats/one/Mill.md": "all"})),
    )

    with pytest.raises(ConfigError, match=r"one/mill and the files that add up would both write chats/one/Mill\.md"):
        await run_here(config(tmp_path, served.url), tmp_path)

    assert (await served.stats())["requests"] == 0


@pytest.mark.soak
async def test_kills_leave_what_a_run_left_alone_has(served: Served, tmp_path: Path) -> None:
    """Killed several times on the way, each time as the summary has grown, and taken up again: the same bytes."""
    table = config(tmp_path, served.url)
    whole = await run_here(table, tmp_path, out=tmp_path / "whole")
    asked = (await served.stats())["requests"]
    (tmp_path / "config.toml").write_text(tomli_w.dumps(table))
    path = tmp_path / "killed"
    command, seen = ["--run", "config.toml", "--out", str(path)], [0]
    for number in range(KILLS):
        wanted = asked + (number + 1) * len(whole.records) // (KILLS + 1)
        child = await _child(tmp_path, *command)
        while child.returncode is None and (await served.stats())["requests"] < wanted:
            await asyncio.sleep(0.01)
        if child.returncode is None:
            child.kill()
        await child.wait()
        seen.append(len(ids(path / SUMMARY)))
        command = ["resume", str(path)] if path.exists() else command

    last = await _child(tmp_path, *command)

    assert await last.wait() == 0 and seen == sorted(seen)
    assert (path / SUMMARY).read_bytes() == (whole.path / SUMMARY).read_bytes()


async def _child(folder: Path, *command: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, str(SUPPORT / "own_kind_run.py"), "--workspace", str(folder), *command,
        cwd=folder, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
