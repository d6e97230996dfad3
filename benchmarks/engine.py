"""What a call costs in this program, beside two bare loops over the same requests. All of it against the simulator.

python benchmarks/engine.py [--quick] [--calls 2000,20000,100000]

Every figure comes from a child process that runs the real command line (or a bare loop) and from the kernel's account of
it. Compare CPU per call and ratios, not wall time: other work on the machine changes wall time first. The ratio of a pair is
the median over rounds in which both ran, one after the other.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import shutil
import signal
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import children
import workload
from children import Cost

IN_FLIGHT, FEW, MANY = 100, 50, 500
ROUNDS = 3
LARGE = 50_000
"""From this many calls on, one round is enough."""
STARTS = 5
DISTINCT, DISTINCT_QUICK = 10_000, 2_000
SERIES = tuple((kind, cache) for kind in ("panel", "choice", "qa") for cache in (False, True))
"""What is asked of distinct questions: which kind, and whether its replies are kept for other runs."""
MOST_DISTINCT = 1.6
BARE = Path(__file__).with_name("bare.py")
LIBRARIES = ("httpx", "httpx-aiohttp", "aiohttp", "pydantic")
ENGINE, HTTPX, AIOHTTP = "tui-eval --run", "bare httpx loop", "bare aiohttp loop"


@dataclass(slots=True)
class Bench:
    """A temporary folder, a simulator's address and the costs found so far."""

    folder: Path
    url: str
    costs: dict[tuple[str, int, int], list[Cost]] = field(default_factory=dict)
    """By program, calls and calls in flight; one cost a round."""
    log_bytes: dict[int, float] = field(default_factory=dict)
    rescores: dict[int, Cost] = field(default_factory=dict)
    starts: dict[str, list[Cost]] = field(default_factory=dict)
    distinct: dict[str, list[Cost]] = field(default_factory=dict)
    """Costs with distinct questions, by program; one cost a round."""

    @property
    def bodies(self) -> Path:
        """The requests of the bare loops."""
        return self.folder / "bodies"

    def run_engine(self, calls: int, in_flight: int) -> Path:
        """One run by the command line; its run folder."""
        config = workload.write(self.folder / "work", self.url, calls, in_flight)
        out = self.folder / f"run-{calls}-{in_flight}"
        shutil.rmtree(out, ignore_errors=True)
        self._keep((ENGINE, calls, in_flight), ["-m", "tui_eval", "--run", str(config), "--out", str(out)], calls)
        return out

    def run_bare(self, name: str, calls: int, in_flight: int) -> None:
        """One bare loop over as many requests."""
        library = "httpx" if name == HTTPX else "aiohttp"
        target = [f"{self.url}/chat/completions", str(self.bodies), str(calls), str(in_flight)]
        self._keep((name, calls, in_flight), [str(BARE), library, *target], calls)

    def run_distinct(self, kind: str, cache: bool, calls: int) -> Path:
        """One run over distinct questions, in a workspace of its own so that its cache is empty; its run folder."""
        name = distinct_name(kind, cache)
        work = self.folder / f"distinct-{kind}-{cache}-{calls}-{len(self.distinct.get(name, ()))}"
        config = workload.write_distinct(work, self.url, kind, calls, IN_FLIGHT, cache)
        command = ["-m", "tui_eval", "--run", config.name, "--out", "run"]
        self._keep_distinct(name, children.run(command, 60 + calls / 50, str(work)), calls)
        return work / "run"

    def run_distinct_bare(self, bodies: Path, calls: int) -> None:
        """The bare httpx loop over the same requests."""
        command = [str(BARE), "httpx", f"{self.url}/chat/completions", str(bodies), str(calls), str(IN_FLIGHT)]
        self._keep_distinct(HTTPX, children.run(command, 60 + calls / 50, str(self.folder)), calls)

    def _keep_distinct(self, name: str, cost: Cost, calls: int) -> None:
        self.distinct.setdefault(name, []).append(cost)
        print(f"{calls} distinct, {name}: {1000 * cost.cpu_s / calls:.3f} ms of CPU a call", file=sys.stderr)

    def distinct_ratio(self, name: str) -> float:
        """CPU to that of the bare httpx loop of the same round, the median over rounds."""
        pairs = zip(self.distinct[name], self.distinct[HTTPX], strict=True)
        return statistics.median(one.cpu_s / bare.cpu_s for one, bare in pairs)

    def _keep(self, key: tuple[str, int, int], arguments: Sequence[str], calls: int) -> None:
        cost = children.run(arguments, limit_s=60 + calls / 100, cwd=str(self.folder))
        self.costs.setdefault(key, []).append(cost)
        print(f"{key}: {1000 * cost.cpu_s / calls:.3f} ms of CPU a call, {cost.peak_mb:.0f} MB", file=sys.stderr)

    def per_call(self, name: str, calls: int, in_flight: int = IN_FLIGHT) -> float:
        """Milliseconds of CPU a call, start and reports included: the median of the rounds."""
        return statistics.median(1000 * cost.cpu_s / calls for cost in self.costs[name, calls, in_flight])

    def ratio(self, above: tuple[str, int, int], below: tuple[str, int, int]) -> float:
        """CPU of one program to that of another, the median over rounds."""
        pairs = zip(self.costs[above], self.costs[below], strict=True)
        return statistics.median(one.cpu_s / other.cpu_s for one, other in pairs)

    def peak(self, name: str, calls: int) -> float:
        """The highest peak of memory of any round, in MB."""
        return max(cost.peak_mb for cost in self.costs[name, calls, IN_FLIGHT])


def measure(bench: Bench, calls: Sequence[int], around: int, rounds: int) -> None:
    """Everything, in turn; `around`: how many calls at 50 and at 500 in flight."""
    workload.sent_requests(bench.run_engine(workload.ITEMS, IN_FLIGHT), bench.bodies)
    bench.costs.clear()
    for n in calls:
        for _ in range(1 if n >= LARGE else rounds):
            out = bench.run_engine(n, IN_FLIGHT)
            bench.run_bare(HTTPX, n, IN_FLIGHT)
            bench.run_bare(AIOHTTP, n, IN_FLIGHT)
        bench.log_bytes[n] = (out / "call_logs.jsonl").stat().st_size / n
        bench.rescores[n] = children.run(["-m", "tui_eval", "rescore", str(out)], 60 + n / 100, str(bench.folder))
        shutil.rmtree(out)
    for _ in range(rounds):
        for in_flight in (FEW, MANY):
            shutil.rmtree(bench.run_engine(around, in_flight))
    for arguments in (["--help"], ["--run", "quickstart", "--dry-run"]):
        found = [children.run(["-m", "tui_eval", *arguments], 30, str(bench.folder)) for _ in range(STARTS)]
        bench.starts[" ".join(arguments)] = found


def distinct_name(kind: str, cache: bool) -> str:
    """What a series is called in tables."""
    return f"{kind}, {'filling the cache' if cache else 'no cache'}"


def measure_distinct(bench: Bench, calls: int, rounds: int) -> None:
    """Each series in turn, and the bare loop, as often as there are rounds."""
    bodies = bench.folder / "distinct-bodies"
    for _ in range(rounds):
        for kind, cache in SERIES:
            out = bench.run_distinct(kind, cache, calls)
            if not bodies.exists():
                workload.sent_requests(out, bodies)
        bench.run_distinct_bare(bodies, calls)


def distinct_table(bench: Bench, calls: int) -> str:
    """What a call costs where every question is another one, with a key."""
    lines = [
        "| distinct questions | program | CPU ms/call | x bare httpx | peak RSS MB | at most 1.6 x |",
        "|---:|---|---:|---:|---:|---|",
    ]
    for name in (*(distinct_name(*series) for series in SERIES), HTTPX):
        costs, ratio = bench.distinct[name], bench.distinct_ratio(name)
        met = "-" if name == HTTPX else "yes" if ratio <= MOST_DISTINCT else "NO"
        peak = max(cost.peak_mb for cost in costs)
        lines.append(f"| {calls:,} | {name} | {1000 * _cpu(costs) / calls:.3f} | {ratio:.2f} | {peak:.1f} | {met} |")
    return "\n".join(lines)


def costs_table(bench: Bench, calls: Sequence[int]) -> str:
    """CPU, rate, memory and log by calls and program."""
    lines = [
        "| calls | program | CPU ms/call | x bare httpx | calls/s (wall) | peak RSS MB | log bytes/call |",
        "|---:|---|---:|---:|---:|---:|---:|",
    ]
    for n in calls:
        for name in (ENGINE, HTTPX, AIOHTTP):
            wall = statistics.median(cost.wall_s for cost in bench.costs[name, n, IN_FLIGHT])
            ratio = bench.ratio((name, n, IN_FLIGHT), (HTTPX, n, IN_FLIGHT))
            log = f"{bench.log_bytes[n]:.0f}" if name == ENGINE else "-"
            figures = f"{bench.per_call(name, n):.3f} | {ratio:.2f} | {n / wall:.0f} | {bench.peak(name, n):.1f} | {log}"
            lines.append(f"| {n:,} | {name} | {figures} |")
    return "\n".join(lines)


def parts_table(bench: Bench, calls: Sequence[int], around: int) -> str:
    """What a further call costs, what deriving the reports takes, and what starting takes."""
    lines = ["| what | figure |", "|---|---:|"]
    for few, many in itertools.pairwise(calls):
        for name in (ENGINE, HTTPX, AIOHTTP):
            more = (many * bench.per_call(name, many) - few * bench.per_call(name, few)) / (many - few)
            lines.append(f"| CPU per further call, {few:,} to {many:,}: {name} | {more:.3f} ms |")
    for in_flight in (FEW, MANY):
        lines.append(
            f"| CPU per call at {in_flight} in flight, {around:,} calls | {bench.per_call(ENGINE, around, in_flight):.3f} ms |"
        )
    start = _cpu(bench.starts["--run quickstart --dry-run"])
    for n in calls:
        derive = max(bench.rescores[n].cpu_s - start, 1e-9)
        share = derive * 1000 / n / bench.per_call(ENGINE, n)
        lines.append(f"| rescore of {n:,} calls, start not counted | {derive:.2f} s, {n / derive:,.0f} lines/s |")
        lines.append(f"| the same as a share of the run's CPU | {share:.0%} |")
        lines.append(f"| peak RSS of that rescore | {bench.rescores[n].peak_mb:.1f} MB |")
    lines += [f"| CPU of `{name}` | {_cpu(found):.3f} s |" for name, found in bench.starts.items()]
    return "\n".join(lines)


def aims_table(bench: Bench, calls: Sequence[int], around: int) -> str:
    """The aims and whether they are met."""
    most, few = max(calls), min(calls)
    ratio = bench.ratio((ENGINE, most, IN_FLIGHT), (HTTPX, most, IN_FLIGHT))
    crowd = bench.ratio((ENGINE, around, MANY), (ENGINE, around, FEW))
    rows = [
        (f"CPU at most twice the bare httpx loop's, {most:,} calls", f"{ratio:.2f}", ratio <= 2),
        (
            f"CPU per call below 1 ms, {most:,} calls",
            f"{bench.per_call(ENGINE, most):.3f} ms",
            bench.per_call(ENGINE, most) < 1,
        ),
        (f"CPU at {MANY} in flight at most 1.5 x that at {FEW}", f"{crowd:.2f}", crowd <= 1.5),
    ]
    if most > few:
        growth = bench.peak(ENGINE, most) - bench.peak(ENGINE, few)
        rows.append((f"peak memory at {most:,} at most 10 MB above {few:,}", f"{growth:+.1f} MB", growth <= 10))
    help_s = _cpu(bench.starts["--help"])
    rows.append(("CPU of --help below 0.3 s", f"{help_s:.3f} s", help_s < 0.3))
    lines = ["| aim | found | met |", "|---|---:|---|"]
    return "\n".join([*lines, *(f"| {aim} | {found} | {'yes' if met else 'NO'} |" for aim, found, met in rows)])


def _cpu(costs: Sequence[Cost]) -> float:
    return statistics.median(cost.cpu_s for cost in costs)


def _calls(text: str) -> list[int]:
    found = sorted({int(part) for part in text.split(",")})
    if any(n < workload.ITEMS or n % workload.ITEMS or n > 10_000 * workload.ITEMS for n in found):
        raise argparse.ArgumentTypeError(f"each must be a multiple of {workload.ITEMS:,}")
    return found


def main() -> int:
    """Measure and print; progress goes to stderr. SIGTERM ends it with its children and its temporary folder."""
    parser = argparse.ArgumentParser(description="What a call costs in tui-eval, measured against its simulator.")
    parser.add_argument("--quick", action="store_true", help="one round, and 2,000 calls where --calls does not say otherwise")
    parser.add_argument(
        "--distinct", type=int, help=f"how many distinct questions (default {DISTINCT}, quick {DISTINCT_QUICK})"
    )
    parser.add_argument("--only-distinct", action="store_true", help="nothing but distinct questions")
    parser.add_argument("--calls", type=_calls, help="how many, comma-separated (default 2000,20000,100000)")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(128 + signal.SIGTERM))
    calls: list[int] = options.calls or _calls("2000" if options.quick else "2000,20000,100000")
    around = workload.ITEMS if options.quick else 10 * workload.ITEMS
    distinct = options.distinct or (DISTINCT_QUICK if options.quick else DISTINCT)
    rounds = 1 if options.quick else ROUNDS
    os.environ[workload.KEY_NAME] = workload.KEY
    with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as folder, children.simulator() as url:
        bench = Bench(Path(folder), url)
        measure_distinct(bench, distinct, rounds)
        if options.only_distinct:
            print(distinct_table(bench, distinct))
            return 0
        measure(bench, calls, around, rounds)
        body = bench.bodies.stat().st_size // workload.ITEMS - 1
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    print(f"Measured against the simulator (model {workload.MODEL}), {IN_FLIGHT} in flight, request bodies of {body} bytes.")
    print(f"Python {platform.python_version()}, {libraries}.\n")
    print(distinct_table(bench, distinct), end="\n\n")
    print(costs_table(bench, calls), parts_table(bench, calls, around), aims_table(bench, calls, around), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
