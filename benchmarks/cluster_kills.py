"""Runs by four local workers, with blows to workers, connections, scheduler and coordinator; and what must hold.

python benchmarks/cluster_kills.py [--runs 100] [--seed 1] [--case N] [--minutes 60] [--keep DIR]

Every kind and wire by turns, each run with one to three blows, half of the runs under a cap on calls, half under one in USD.
The server counts requests and their cost by itself. Loopback only; Linux only.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from clusters import BLOWS, Coordinator, end_all
from kill_case import RAISED, every_line
from kill_children import nursery_in
from kill_evidence import Found, Table, Visit
from kill_lives import KEY, Usual, left_alone
from kill_reports import differences, reports_of
from kill_scenarios import CONCURRENCY, KEY_VARIABLE, Scenario, scenario, written
from kill_server import Serving, Settings
from nursery import Nursery

WORKERS = 4
LATENCY_SCALE = 0.4
"""Of the simulator's usual latency: a run takes long enough to be struck."""
LATEST = 0.9
"""Of its requests: the part within which a run is struck."""
LONGEST_WAIT_S = 60.0
LIVES = 8
UNACKNOWLEDGED = 12
"""Records that a worker may lose beside what it has in flight: those of a bundle's interval and of the way."""


@dataclass(slots=True)
class Case:
    """One run, and what is done to it."""

    number: int
    scenario: Scenario
    blows: Sequence[tuple[str, float, int]]
    """Which, at what share of the requests, and to whom."""
    caps_calls: bool
    caps_usd: bool
    slack: float


@dataclass(slots=True)
class Result:
    """What came of a case."""

    case: Case
    struck: list[str] = field(default_factory=list)
    lives: int = 0
    requests: int = 0
    repeated: int = 0
    bound: bool = False
    found: Found = field(default_factory=Found)


def case_of(number: int, seed: int) -> Case:
    """The number-th case of a seed."""
    what, dice = scenario(number, seed), random.Random(f"cluster {seed} {number}")
    blows = sorted(
        ((dice.choice(list(BLOWS)), dice.uniform(0.0, LATEST), dice.randrange(WORKERS)) for _ in range(dice.randint(1, 3))),
        key=lambda blow: blow[1],
    )
    live = replace(what, mode="live", preflight=False)
    return Case(number, live, blows, dice.random() < 0.5, dice.random() < 0.5, dice.random())


def played(case: Case, usual: Usual, folder: Path) -> Result:
    """Do to a run what the case says, and judge what came of it."""
    result = Result(case)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    server = Serving(Settings(case.scenario.seed, LATENCY_SCALE, 0.3, case.scenario.faults), lambda moment: None)
    try:
        _Played(case, usual, folder, server, result).play()
    except Exception as error:
        result.found.other.append(f"the campaign itself: {type(error).__name__}: {error}")
    finally:
        end_all(folder)
        server.close()
    return result


class _Played:
    def __init__(self, case: Case, usual: Usual, folder: Path, server: Serving, result: Result) -> None:
        self.case, self.usual, self.folder, self.server, self.result = case, usual, folder, server, result
        self.out = folder / "run"
        self.blows = list(case.blows)
        self.caps: dict[str, float] = {}
        if case.caps_calls:
            self.caps["max_calls"] = usual.planned + int(case.slack * 12)
        if case.caps_usd:
            self.caps["max_cost_usd"] = round(usual.planned_usd * (1.01 + case.slack), 6) + 1e-5

    def play(self) -> None:
        """Lives until one ends whole, or at a cap; then the rest without caps, by one process."""
        code = -9
        while code not in (0, 3) or (code == 3 and not self._is_capped()):
            if self.result.lives >= LIVES:
                self.result.found.lost.append(f"not at an end after {LIVES} lives, the last with exit code {code}")
                break
            code = self._life(())
        self._judge()
        if code == 3:
            self.result.bound = True
            code = self._life(RAISED, alone=True)
        if code != 0:
            self.result.found.lost.append(f"exit code {code} at the end")
        exact = False
        self.result.found.reports += differences(self.usual.reports[exact], reports_of(self.out, exact))
        if self._shows_key():
            self.result.found.other.append("a key is in a file")

    def _is_capped(self) -> bool:
        """Whether the last life ended at a cap, and not for want of workers."""
        return bool(self.caps) and '"state": "incomplete"' in (self.out / "progress.json").read_text(encoding="utf-8")

    def _life(self, more: Sequence[str], alone: bool = False) -> int:
        self.result.lives += 1
        begun = (self.out / "config.toml").exists()
        words = ["resume", self.out] if begun else ["run", self._config(), "--out", self.out]
        cluster = [] if alone else ["--cluster", f"local:{WORKERS}"]
        run = Coordinator(self.folder, *words, *cluster, "--no-preflight", *more, environment={KEY_VARIABLE: KEY})
        while self.blows and not alone:
            name, share, whom = self.blows[0]
            if not self._comes_to(run, int(share * self.usual.requests)):
                break
            self.blows.pop(0)
            if BLOWS[name](run, whom):
                self.result.struck.append(name)
        code, said = run.end()
        if "Traceback" in said or "a bug" in said:
            self.result.found.other.append(f"a traceback: {said[-1500:]}")
        if code not in (0, 3, -9):
            self.result.found.other.append(f"exit code {code}: {said[-1500:]}")
        return code

    def _config(self) -> Path:
        return written(self.case.scenario, self.server.url, self.folder, **self.caps)

    def _comes_to(self, run: Coordinator, requests: int) -> bool:
        """Wait until the server has counted so many; whether it did before the run ended."""
        end = time.monotonic() + LONGEST_WAIT_S
        while run.process.poll() is None and time.monotonic() < end:
            if len(self.server.visits()) > requests:
                return True
            time.sleep(0.005)
        return False

    def _judge(self) -> None:
        visits, records = self.server.visits(), every_line(self.out / "call_logs.jsonl", self.result.found)
        self.result.requests = len(visits)
        self.result.found.over_caps += self._over_caps(visits)
        self.result.found.repeated += self._repeated(visits, records)
        grants: dict[str, int] = {}
        for line in (self.out / "intents.jsonl").read_text(encoding="ascii").splitlines():
            entry = json.loads(line)
            if "grant" in entry:
                grants[entry["grant"]] = max(grants.get(entry["grant"], 0), entry["upto"])
            else:
                grants[entry["attempt_id"]] = 0
        for visit in visits:
            life, _, number = visit.id.rpartition("-")
            if visit.id not in grants and int(number or 0) > grants.get(life, 0):
                self.result.found.other.append(f"{visit.id}: was sent, and never granted")

    def _over_caps(self, visits: Sequence[Visit]) -> Iterator[str]:
        most, report = self.caps.get("max_calls"), json.loads((self.out / "report.json").read_bytes())
        if most is not None and (len(visits) > most or report["attempts_sent"] > most):
            yield f"{len(visits)} requests, {report['attempts_sent']} on file, the cap is {most}"
        cap, told = self.caps.get("max_cost_usd"), sum(visit.usd for visit in visits)
        if cap is not None and told > cap + 1e-6:
            yield f"the server charged ${told:.6f}, the cap is ${cap:.6f}"
        if cap is not None and (report["charged_usd"] or 0.0) > cap + 1e-6 * len(visits):
            yield f"${report['charged_usd']:.6f} are on file as charged, the cap is ${cap:.6f}"

    def _repeated(self, visits: Sequence[Visit], records: Sequence[Table]) -> Iterator[str]:
        keys = {record["attempt_id"]: record["call_key"] for record in records}
        settled: set[str] = set()
        for record in records:
            if record["call_key"] in settled:
                yield f"call {record['call_key'][:12]}: has a record behind the one that settled it"
            if record["final"]:
                settled.add(record["call_key"])
        for identity, n in Counter(visit.id for visit in visits).items():
            if n > 1:
                yield f"{identity}: reached the server {n} times"
        lost = [visit for visit in visits if visit.answered and visit.id not in keys]
        self.result.repeated = len(lost)
        kills = self.result.struck.count("kill a worker")
        if len(lost) > kills * (CONCURRENCY + UNACKNOWLEDGED):
            yield f"{len(lost)} answered calls have no record, after {kills} kills of a worker"

    def _shows_key(self) -> bool:
        for file in self.folder.rglob("*"):
            with suppress(OSError):
                if file.is_file() and KEY.encode() in file.read_bytes():
                    return True
        return False


def told_of(result: Result) -> str:
    """A case in a line, and each violation in one."""
    what, case = result.case.scenario, result.case
    caps = [name for name, there in (("calls", case.caps_calls), ("USD", case.caps_usd)) if there]
    line = (
        f"case {case.number}: {what.kind}, {what.shape}, over {what.wire}{', capped in ' + ' and '.join(caps) if caps else ''}"
        f"{', bound' if result.bound else ''}: {', '.join(result.struck) or 'no blow'}; {result.lives} lives, "
        f"{result.requests} requests, {result.repeated} without a record"
    )
    return "\n".join([line, *(f"  VIOLATION {text}" for text in result.found.lines())])


def campaign(numbers: Sequence[int], seed: int, folder: Path, nursery: Nursery, minutes: float, keep: bool) -> list[Result]:
    """Play cases until the time is up."""
    usual: dict[Scenario, Usual] = {}
    results: list[Result] = []
    end = time.monotonic() + 60 * minutes
    for number in numbers:
        if time.monotonic() > end:
            break
        case = case_of(number, seed)
        if case.scenario not in usual:
            usual[case.scenario] = left_alone(folder / "alone", case.scenario, nursery)
        place = folder / f"case-{number:04d}"
        results.append(played(case, usual[case.scenario], place))
        print(told_of(results[-1]), flush=True)
        if not keep or not any(results[-1].found.lines()):
            shutil.rmtree(place, ignore_errors=True)
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """The campaign, or one case of it."""
    parser = argparse.ArgumentParser(description="runs by workers, and blows to them")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int)
    parser.add_argument("--minutes", type=float, default=90.0, help="begin no case after so long")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args(arguments)
    folder = given.keep or Path(tempfile.mkdtemp(prefix="cluster-kills-"))
    folder.mkdir(parents=True, exist_ok=True)
    numbers = [given.case] if given.case is not None else range(given.first, given.first + given.runs)
    with nursery_in(folder) as nursery:
        results = campaign(numbers, given.seed, folder.resolve(), nursery, given.minutes, given.keep is not None)
    violations = sum(1 for result in results for _ in result.found.lines())
    blows = Counter(name for result in results for name in result.struck)
    struck = ", ".join(f"{n} x {blow}" for blow, n in blows.items())
    requests, repeated = sum(result.requests for result in results), sum(result.repeated for result in results)
    print(f"\nseed {given.seed}: {len(results)} runs, {sum(blows.values())} blows ({struck}), {requests} requests, ", end="")
    print(f"{repeated} without a record, {sum(result.bound for result in results)} bound by a cap, {violations} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
