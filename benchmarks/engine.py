"""What every kind of evaluation costs in this program, in three budgets, beside a bare loop. All of it against the simulator.

python benchmarks/engine.py [--quick] [--only KIND[,KIND]] [--calls N] [--rounds N]

A run's CPU is split into its imports, its start, asking and reports (`phases.py` says how, and how exactly). Every figure comes
from a child process that runs the real command line (or the bare loop) and from the kernel's account of it. Other work on the
machine changes CPU time, too: read ratios, each of two children of the same round, and their spread. In a round every program
has its turn, in every second round in the opposite order. The bare loop is the same on all days: `BARE_SHA256`. What is met or
not is said of the counts that were asked for: on few calls what is done once a run weighs much.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path

import budget_tables
import children
import needed_imports
import other_budgets
import workload
from budget_tables import Bare, Document, Findings, program_name
from kind_workloads import IN_FLIGHT, LATENCY_SCALE, WORKLOADS, check_coverage
from other_budgets import OUT, Slope
from phases import Spread

BARE = Path(__file__).with_name("bare.py")
BARE_SHA256 = "c37029622b5de5aec51cd24e78458f4910f6b5d9e349012e93c63746f1f4909d"
"""The bare loop that figures of all days are held against. Who changes it begins new figures in RESULTS.md and says so."""
ROUNDS, CALLS, QUICK_CALLS = 5, 10_000, 500
QUICK_SLOPE = 10
"""How many times fewer samples a quick slope has."""
PAGES, QUICK_PAGES = 1_000, 100
LIBRARIES = ("httpx", "aiohttp", "pydantic")
ROOT = Path(__file__).resolve().parents[1]
_ADDITIONS = "import time\nfor i in range(5_000_000): pass\nimport sys\nprint(time.process_time(), file=sys.stderr)"


class OtherLoopError(Exception):
    """The bare loop is another one than that of the figures it is compared with."""


@dataclass(slots=True)
class Bench:
    """A temporary folder, a simulator's address, how much is asked, and what was found so far."""

    folder: Path
    url: str
    kinds: Sequence[str]
    found: Findings
    rounds: int = 1
    quick: bool = False
    speeds: list[float] = field(default_factory=list)
    """CPU seconds of one and the same loop of Python, once a round."""
    _names: dict[str, list[str]] = field(default_factory=dict)

    @property
    def programs(self) -> list[tuple[str, bool]]:
        """The kinds, each without the reply cache, and some while it is being filled."""
        return [(kind, cache) for kind in self.kinds for cache in (False, True) if not cache or WORKLOADS[kind].has_cache]

    @property
    def bodies(self) -> Path:
        """The requests of the bare loop."""
        return self.folder / "bodies"

    def prepare(self) -> None:
        """Find out what each kind imports, and write down the requests of the bare loop."""
        for kind in self.kinds:
            with self._place() as place:
                config = WORKLOADS[kind].write(place, self.url, WORKLOADS[kind].samples(100), cache=False)
                self._names[kind] = needed_imports.needed_imports(config, place / "said")
        with self._place() as place:
            other_budgets.run(WORKLOADS["panel"], place, self.url, min(self.found.calls, 2_000))
            workload.sent_requests(place / OUT, self.bodies)

    def round(self, backwards: bool) -> None:
        """Every program in turn, its imports before it; the bare loop between."""
        self.speeds.append(_seconds_said(children.run(["-c", _ADDITIONS], 60)))
        for program in self.programs[:: -1 if backwards else 1]:
            kind, cache = program
            if not cache:
                cost = needed_imports.cost_of_imports(self._names[kind], self.folder)
                self.found.imports.setdefault(kind, []).append(cost)
            with self._place() as place:
                run = other_budgets.run(WORKLOADS[kind], place, self.url, WORKLOADS[kind].samples(self.found.calls), cache)
            self.found.runs.setdefault(program, []).append(run)
            tell(f"{program_name(program)}: {1000 * run.whole_s / max(run.calls, 1):.3f} ms of CPU a call, {run}")
            if program == ("choice", False):
                self.ask_barely()
        if any(WORKLOADS[kind].has_cache for kind in self.kinds) and "choice" not in self.kinds:
            self.ask_barely()

    def ask_barely(self) -> None:
        """The bare httpx loop over as many requests."""
        calls = self.found.calls
        words = [str(BARE), "httpx", f"{self.url}/chat/completions", str(self.bodies), str(calls), str(IN_FLIGHT)]
        cost = children.run(words, 300 + calls / 20, str(self.folder))
        said = dict(line.rsplit(" ", 1) for line in cost.said.decode().splitlines() if " " in line)
        first, last = float(said["first request"]), float(said["last reply"])
        self.found.bare.append(Bare(first, last - first, cost.cpu_s, cost.peak_mb))
        tell(f"bare: {1000 * cost.cpu_s / calls:.3f} ms of CPU a call")

    def weigh(self) -> None:
        """Memory by samples, and what needs those runs: the verbs that look at them, a re-score of a pipeline's."""
        for program in self.programs:
            kind, cache = program
            work, times = WORKLOADS[kind], QUICK_SLOPE if self.quick else 1
            if kind in ("generate", "call") or (self.quick and cache):
                continue
            samples = (work.slope[0] // times, work.slope[1] // times)
            with self._place() as few, self._place() as many:
                peaks = [
                    other_budgets.run(work, at, self.url, n, cache).peak_mb for at, n in zip((few, many), samples, strict=True)
                ]
                self.found.memory[program] = slope = Slope(*samples, *peaks)
                tell(f"{program_name(program)}: {slope.told()}")
                if program == ("choice", False):
                    self.found.files = other_budgets.of_a_file(few, many, samples)
                if kind == "pipeline":
                    self.found.rescored = [other_budgets.rescore(many) for _ in range(min(self.rounds, 3))]
                    tell(f"{self.found.rescored}")

    def measure_the_rest(self) -> None:
        """A long document, and runs that were killed and are taken up."""
        pages = QUICK_PAGES if self.quick else PAGES
        for _ in range(min(self.rounds, 3)):
            if "generate" in self.kinds:
                with self._place() as place:
                    took = other_budgets.run(WORKLOADS["generate"], place, self.url, pages)
                self.found.documents.append(Document(pages, took))
                tell(f"{pages:,} pages: {took}")
            if "choice" in self.kinds:
                with self._place() as place:
                    self.found.resumed.append(other_budgets.resume(place, self.url, self.found.calls))
                tell(f"{self.found.resumed[-1]}")

    @contextmanager
    def _place(self) -> Iterator[Path]:
        """A workspace of its own, which is gone when the block ends."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            yield Path(folder) / "work"


def tell(text: str) -> None:
    """Tell progress on standard error."""
    print(text, file=sys.stderr, flush=True)


def check_bare(path: Path = BARE) -> None:
    """Raise OtherLoopError where bare.py is not the one whose hash stands here."""
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != BARE_SHA256:
        raise OtherLoopError(
            f"{path} has the SHA-256 {found}, and BARE_SHA256 in engine.py says {BARE_SHA256}: figures beside it cannot be "
            "compared with earlier ones. Restore it, or set the hash and say in RESULTS.md that the loop is another one"
        )


def _seconds_said(cost: children.Cost) -> float:
    return float(cost.said.split()[-1])


def measure(bench: Bench, most: bool = True) -> None:
    """Everything of the kinds that are asked for; `most`: what needs runs of its own, too."""
    check_bare()
    check_coverage()
    bench.prepare()
    for number in range(bench.rounds):
        bench.round(backwards=number % 2 == 1)
    if most:
        bench.weigh()
        bench.measure_the_rest()


def heading(bench: Bench, load: float) -> str:
    """What was measured, where and when."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    slow = Spread.of(bench.speeds).shown(".3f")
    return (
        f"{date.today()}, commit {commit}: `{' '.join(['python benchmarks/engine.py', *sys.argv[1:]])}`; {bench.found.calls:,} "
        f"calls, {IN_FLIGHT} in flight, a key; medians of {bench.rounds} rounds (least..most). {os.cpu_count()} cores, load "
        f"{load:.1f} before and {os.getloadavg()[0]:.1f} after; five million turns of an empty loop took {slow} s. "
        f"Python {platform.python_version()}, {libraries}."
    )


def _kinds(text: str) -> list[str]:
    found = text.split(",")
    if unknown := [kind for kind in found if kind not in WORKLOADS]:
        raise argparse.ArgumentTypeError(f"no workload for {', '.join(unknown)}; there are: {', '.join(WORKLOADS)}")
    return found


def main() -> int:
    """Measure and print; progress goes to stderr. SIGTERM ends it with its children and its temporary folder."""
    parser = argparse.ArgumentParser(description="What every kind costs in tui-eval, measured against its simulator.")
    parser.add_argument("--quick", action="store_true", help=f"one round, {QUICK_CALLS} calls, small slopes: below 3 minutes")
    parser.add_argument("--only", type=_kinds, default=list(WORKLOADS), metavar="KIND[,KIND]", help="default: every kind")
    parser.add_argument("--calls", type=int, help=f"how many (default {CALLS:,}, quick {QUICK_CALLS})")
    parser.add_argument("--rounds", type=int, help=f"how many (default {ROUNDS}, quick 1)")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(128 + signal.SIGTERM))
    found = Findings(options.calls or (QUICK_CALLS if options.quick else CALLS))
    rounds = options.rounds or (1 if options.quick else ROUNDS)
    os.environ[workload.KEY_NAME] = workload.KEY
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(ROOT / "tui_eval")], check=True)  # else imports compile
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as folder, children.simulator(LATENCY_SCALE) as url:
        bench = Bench(Path(folder), url, options.only, found, rounds, options.quick)
        measure(bench)
    print(heading(bench, load), budget_tables.budgets_table(found), budget_tables.phases_table(found), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
