"""Each write into the logs fails once, one after the other: at none of them is a request lost, or a cap passed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from fault_bench import INTENTS, LOG, Life, Served, asked, panel, resume_here, run_here, spoken_by, strict_lines
from invariants import check
from soaking import quick_first

CALLS = 4
CONCURRENCY = 2
MOST_WRITES = 60


@dataclass
class FailingDisk:
    """Lets the n-th write into a log of the run folder fail: refuses it, or takes only half; and then all, or just that one."""

    folder: Path
    n: int
    half: bool
    for_good: bool
    arrivals: list[object]
    """What has come to the server so far."""
    writes: int = 0
    failed: int = 0
    came_before: int = 0
    """How many requests had come when the first write failed."""

    def patched(self, write: Callable[[int, bytes], int]) -> Callable[[int, bytes], int]:
        """os.write, but failing."""

        def failing(descriptor: int, data: bytes) -> int:
            if not self._is_log(descriptor):
                return write(descriptor, data)
            self.writes += 1
            if self.writes == self.n and self.half:
                return write(descriptor, data[: len(data) // 2])
            after_half = self.half and self.writes == self.n + 1
            if after_half or (not self.half and self.writes == self.n) or (self.for_good and self.writes > self.n):
                self.came_before = self.came_before if self.failed else len(self.arrivals)
                self.failed += 1
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(descriptor, data)

        return failing

    def _is_log(self, descriptor: int) -> bool:
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        return path.parent == self.folder and path.suffix == ".jsonl"


async def _run_on(disk: FailingDisk, served: Served, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Life:
    models = [spoken_by(served.url, "only", "fault:503:1")]
    config = panel(models, [asked("only", CALLS)], run={"retries": 1, "max_concurrency": CONCURRENCY, "max_calls": 4 * CALLS})
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", disk.patched(os.write))
        return await run_here(config, folder)


@pytest.mark.parametrize("for_good", quick_first([True, False]), ids=["for good", "once"])
@pytest.mark.parametrize("half", quick_first([True, False]), ids=["half", "none"])
async def test_the_nth_write_fails(
    half: bool, for_good: bool, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For every n: nothing is sent that is not written down first; the run says that it is incomplete; a resume finishes it,
    and asks nothing again of which the record was kept."""
    for n in range(1, MOST_WRITES):
        folder = tmp_path / str(n)
        folder.mkdir()
        before = {visit["id"] for visit in (await served.stats())["ids"]}
        disk = FailingDisk(folder / "run", n, half, for_good, served.simulator.arrivals)

        first = await _run_on(disk, served, folder, monkeypatch)

        if not disk.failed:
            assert n > 2 * CALLS
            assert first.ended.exit_code == 0
            return
        seen = {visit["id"] for visit in (await served.stats())["ids"]} - before
        assert len(served.simulator.arrivals) <= disk.came_before + CONCURRENCY
        assert seen <= {intent["attempt_id"] for intent in strict_lines(first.path / INTENTS)}
        assert len(seen - {record["attempt_id"] for record in strict_lines(first.path / LOG)}) <= CONCURRENCY
        second = await resume_here(first.path)
        assert second.ended.exit_code == 0
        _check_alone(second, await served.stats(), before)
    raise AssertionError("the run never came through")


def _check_alone(life: Life, stats: dict[str, object], before: set[str]) -> None:
    """The invariants, of what the server saw of this run alone."""
    ids = [visit for visit in stats["ids"] if visit["id"] not in before]  # type: ignore[attr-defined]
    check(life.path, {**stats, "ids": ids, "requests": len(ids)}, kills=1)
