"""Budgets that are no phase of a run: memory by samples, a re-score, settled calls on resume, peaks of `status`, `export`."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import children
import phases
from kind_workloads import WORKLOADS, Workload
from phases import Phases

from tui_eval.runs.folder import LOG

LEFT = 200
"""Calls of a killed run that are not answered yet."""
OUT = "run"


@dataclass(frozen=True, slots=True)
class Slope:
    """Peak memory of a small and of a large number of samples, whole processes, MB."""

    few: int
    many: int
    few_mb: float
    many_mb: float

    @property
    def kb(self) -> float:
        """What one more sample takes, kB."""
        return 1000 * self.mb_each

    @property
    def mb_each(self) -> float:
        """What one more sample takes, MB."""
        return (self.many_mb - self.few_mb) / (self.many - self.few)

    def at(self, samples: int) -> float:
        """The peak at so many samples, MB, if it goes on as it did."""
        return self.many_mb + self.mb_each * (samples - self.many)

    def told(self) -> str:
        """The two peaks."""
        return f"{self.few_mb:.0f} MB at {self.few:,}, {self.many_mb:.0f} MB at {self.many:,}"


@dataclass(frozen=True, slots=True)
class OfAFile:
    """Peaks of verbs that look at finished runs: `status`, and `export --format csv`."""

    status: Slope
    export: Slope


@dataclass(frozen=True, slots=True)
class Resumed:
    """A run that was killed when nearly all was answered, and taken up to its end."""

    settled: int
    took: Phases


@dataclass(frozen=True, slots=True)
class Rescored:
    """A re-score of a run of so many log lines."""

    lines: int
    cpu_s: float
    peak_mb: float


class EnoughError(Exception):
    """As many calls are answered as were to be."""


def run(work: Workload, folder: Path, url: str, samples: int, cache: bool = False) -> Phases:
    """One run of a workload in a new workspace, whose cache is empty; its run folder is `folder`/run."""
    config = work.write(folder, url, samples, cache)
    arguments = ["run", config.name, "--out", OUT, "--no-preflight"]
    found = phases.phases_of(arguments, folder / OUT, _limit_s(work, samples), folder)
    return phases.with_samples(found, samples)


def rescore(folder: Path) -> Rescored:
    """Score the run of this workspace again."""
    lines = phases.lines_of(folder / OUT / LOG)
    cost = children.run(["-m", "tui_eval", "rescore", OUT], 300 + lines / 20, str(folder))
    return Rescored(lines, cost.cpu_s, cost.peak_mb)


def resume(folder: Path, url: str, samples: int) -> Resumed:
    """Kill a run of choice when all but some 200 of its questions are answered; take it up to its end."""
    work = WORKLOADS["choice"]
    config = work.write(folder, url, samples, cache=False)
    log, settled, size = folder / OUT / LOG, 0, 0

    def look(pid: int) -> None:
        nonlocal settled, size
        if (now := phases.size_of(log)) > size:
            size, settled = now, phases.lines_of(log)
        if settled >= samples - LEFT:
            raise EnoughError

    try:
        command = ["-m", "tui_eval", "run", config.name, "--out", OUT, "--no-preflight"]
        children.run(command, _limit_s(work, samples), str(folder), look)
    except EnoughError:
        settled = phases.lines_of(log)
        words = ["resume", OUT, "--set", f"run.max_calls={2 * samples}"]  # what was in flight counts as spent
        return Resumed(settled, phases.phases_of(words, folder / OUT, _limit_s(work, samples), folder))
    raise children.ChildError(f"a run of {samples:,} questions ended before it was killed")


def of_a_file(few: Path, many: Path, samples: tuple[int, int]) -> OfAFile:
    """The peaks of `status` and of `export --format csv` on two finished runs of so many samples."""
    verbs = (["status", OUT], ["export", OUT, "--format", "csv", "--out", "table.csv"])
    found = [
        [children.run(["-m", "tui_eval", *verb], 600, str(folder), lambda pid: None).peak_mb for folder in (few, many)]
        for verb in verbs
    ]
    status, export = (Slope(*samples, *peaks) for peaks in found)
    return OfAFile(status, export)


def remove(*folders: Path) -> None:
    """Remove workspaces, with their runs."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _limit_s(work: Workload, samples: int) -> float:
    return 300 + samples * work.shrink / 10
