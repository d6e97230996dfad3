"""The phases of a child's run, found from outside: start, asking and reports, in seconds of CPU.

Every 10 ms the child's CPU time is read from the kernel, beside the sizes of two files of its run folder. Asking begins with a
reading that finds intents.jsonl grown for the first time, and ends with the last one that finds call_logs.jsonl grown. The CPU
of the child's own threads comes from its CPU clock, to the microsecond; that of the children it has waited for, from
/proc/PID/stat, to 10 ms. A reading comes up to 10 ms of wall time late, longer when cores are busy: a phase is right to about
10 ms of CPU, 1 us a call of 10,000, and what one phase has too much its neighbour has too little. `tests/unit/test_phases.py`
holds readings against what a child says of itself. Linux only.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import children

from tui_eval.runs.folder import INTENTS, LOG, RESULTS

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Moment:
    """CPU seconds of a live process, and of the children it has waited for."""

    own_s: float = 0.0
    children_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Phases:
    """What a run took, by phase; `start_s` has the imports in it, and not what children did."""

    start_s: float
    """Own CPU until the first request."""
    read_s: float
    """CPU of children until the first request: those that extract text from documents."""
    asking_s: float
    reports_s: float
    whole_s: float
    peak_mb: float
    wall_s: float
    calls: int = 0
    """Lines of its log."""
    rows: int = 0
    """Lines of results.jsonl."""
    samples: int = 0


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of what rounds found, the least and the most."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, found: Iterable[float]) -> Spread:
        """The spread of these figures."""
        every = list(found)
        return cls(statistics.median(every), min(every), max(every))

    def shown(self, form: str = ".2f") -> str:
        """The median, with the spread where there is any."""
        if self.least == self.most:
            return f"{self.median:{form}}"
        return f"{self.median:{form}} ({self.least:{form}}..{self.most:{form}})"


@dataclass(slots=True)
class Watcher:
    """Notes the CPU of a run's process at its first request and at its last reply, as its folder shows them."""

    folder: Path
    at_first: Moment | None = None
    at_last: Moment | None = None
    _size: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take note of what an earlier life of the run left behind."""
        self._size = {name: size_of(self.folder / name) for name in (INTENTS, LOG)}

    def __call__(self, pid: int) -> None:
        """Look once."""
        begun = self.at_first is None and self._has_grown(INTENTS)
        if self._has_grown(LOG) or begun:
            moment = moment_of(pid)
            if moment is None:
                return
            self.at_last = moment
            self.at_first = self.at_first or moment

    def _has_grown(self, name: str) -> bool:
        size = size_of(self.folder / name)
        grown, self._size[name] = size > self._size[name], size
        return grown


def size_of(path: Path) -> int:
    """The size of a file; 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def moment_of(pid: int) -> Moment | None:
    """The CPU time of a process at this moment; None when it is gone."""
    try:
        own = time.clock_gettime(~pid << 3 | 2)  # the number that clock_getcpuclockid(3) gives: CPUCLOCK_SCHED of the process
        ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return Moment(own, (int(ticks[13]) + int(ticks[14])) / TICKS)


def phases_of(arguments: Sequence[str], folder: Path, limit_s: float, cwd: Path) -> Phases:
    """Run the program with these arguments, which write or take up the run in `folder`; ChildError when it never asked."""
    watcher = Watcher(folder)
    return split(watcher, children.run(["-m", "tui_eval", *arguments], limit_s, str(cwd), watcher))


def split(watcher: Watcher, cost: children.Cost) -> Phases:
    """What a child took, by the moments that were noted while it lived; ChildError where it never asked."""
    first, last = watcher.at_first, watcher.at_last
    if first is None or last is None:
        raise children.ChildError(f"{watcher.folder}: it asked nothing")
    return Phases(
        start_s=first.own_s,
        read_s=first.children_s,
        asking_s=last.own_s + last.children_s - first.own_s - first.children_s,
        reports_s=cost.cpu_s - last.own_s - last.children_s,
        whole_s=cost.cpu_s,
        peak_mb=cost.peak_mb,
        wall_s=cost.wall_s,
        calls=lines_of(watcher.folder / LOG),
        rows=lines_of(watcher.folder / RESULTS),
    )


def with_samples(found: Phases, samples: int) -> Phases:
    """The same phases, of a run of so many samples."""
    return replace(found, samples=samples)


def lines_of(path: Path) -> int:
    """How many lines a file has; 0 where there is none."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(2**20), b""))
