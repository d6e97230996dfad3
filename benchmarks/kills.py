"""Kills runs with SIGKILL, at random and at chosen moments, takes them up again, and judges what came of them. All simulated.

python benchmarks/kills.py [--kills 300] [--seed 1] [--case N] [--kinds A,B] [--ways "in batches"] [--workers 2] [--minutes 60]
    [--keep DIR]

Each case is a run of one shape of one kind (of all that the registry has) over one wire (of all), killed one to five times by
chance, some under a cap on calls, some under one on cost, some in batches, some with streamed replies; then brought to its end,
and to its very end without caps. The same seed makes the same cases. Exit codes: 0 no violation, 1 violations, 2 not as many
kills as were asked for.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from kill_case import Case, Result, played
from kill_children import nursery_in
from kill_evidence import Found
from kill_lives import Usual, left_alone, shots_of
from kill_scenarios import WAYS, Scenario, scenario
from nursery import Nursery

from tui_eval.kinds import KINDS

FEWEST_KILLS, MOST_KILLS = 2, 6
"""Of one run."""


def case_of(number: int, seed: int) -> Case:
    """The number-th case of a seed."""
    what, dice = scenario(number, seed), random.Random(f"case {seed} {number}")
    kills = dice.randint(FEWEST_KILLS, MOST_KILLS)
    return Case(
        number,
        seed,
        what,
        shots_of(dice, what, kills),
        shots_of(dice, what, dice.choice((0, 0, 1))),
        cap_calls=dice.random() < 1 / 2,
        cap_usd=dice.random() < 1 / 3,
        slack=dice.random(),
        rescored=dice.random() < 0.3,
    )


@dataclass(slots=True)
class Campaign:
    """Many cases, some at once, until there were enough kills."""

    folder: Path
    seed: int
    nursery: Nursery
    keep: bool = False
    kinds: Sequence[str] = ()
    """Cases of these alone; none = of all."""
    ways: Sequence[str] = ()
    """Cases whose replies come in these ways alone; none = in all."""
    usual: dict[Scenario, Usual] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    _turns: dict[Scenario, threading.Lock] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def play(self, number: int) -> Result:
        """One case from its start to its verdict."""
        case = case_of(number, self.seed)
        folder = self.folder / f"case-{number:04d}"
        with self._turn:
            turn = self._turns.setdefault(case.scenario, threading.Lock())
        try:
            with turn:
                if case.scenario not in self.usual:
                    self.usual[case.scenario] = left_alone(self.folder / f"alone-{number:04d}", case.scenario, self.nursery)
        except RuntimeError as error:
            return Result(case, found=Found(other=[str(error)]))
        shutil.rmtree(self.folder / f"alone-{number:04d}", ignore_errors=True)
        result = played(case, self.usual[case.scenario], folder, self.nursery)
        if not self.keep or not any(result.found.lines()):
            shutil.rmtree(folder, ignore_errors=True)
        return result

    def run(self, kills: int, workers: int, limit_s: float, told: Callable[[Result], None]) -> None:
        """Cases in their order until so many kills have hit, or the time is up."""
        end, going = time.monotonic() + limit_s, set[Future[Result]]()
        numbers = filter(self._wanted, count())
        with ThreadPoolExecutor(workers) as pool:
            while going or (self.kills < kills and time.monotonic() < end):
                while len(going) < workers and self.kills < kills and time.monotonic() < end:
                    going.add(pool.submit(self.play, next(numbers)))
                done, going = wait(going, return_when=FIRST_COMPLETED)
                for future in done:
                    self.results.append(future.result())
                    told(self.results[-1])

    def _wanted(self, number: int) -> bool:
        what = scenario(number, self.seed)
        return (not self.kinds or what.kind in self.kinds) and (not self.ways or what.way in self.ways)

    @property
    def kills(self) -> int:
        """How many kills have hit so far."""
        return sum(len(result.kills) for result in self.results)

    @property
    def violations(self) -> int:
        """How many violations were found."""
        return sum(1 for result in self.results for _ in result.found.lines())


def told_of(result: Result) -> str:
    """A case in a line, and each violation in one."""
    what, case = result.case.scenario, result.case
    caps = [name for name, there in (("calls", case.cap_calls), ("USD", case.cap_usd)) if there]
    line = (
        f"case {case.number}: {what.kind}, {what.shape}, over {what.wire}, {what.way}"
        f"{', capped in ' + ' and '.join(caps) if caps else ''}: {len(result.kills)} kills ({', '.join(result.kills)})"
    )
    wrong = [f"  VIOLATION {text}" for text in result.found.lines()]
    again = [f"  again: python benchmarks/kills.py --seed {case.seed} --case {case.number} --keep DIR"] if wrong else []
    return "\n".join([line, *wrong, *again])


HEADINGS = (
    "", "runs", "kills", "requests", "batches", "in doubt", "lost", "repeated", "handed over twice", "over a cap",
    "reports differ", "other",
)  # fmt: skip


def table(results: Sequence[Result]) -> str:
    """The results as a Markdown table: in all, by how replies come, by kind and shape, by wire, by what binds, and by where
    kills hit.
    """
    rows = [_row("all", results)]
    groups: tuple[Callable[[Result], str], ...] = (
        lambda r: r.case.scenario.way,
        lambda r: f"{r.case.scenario.kind}, {r.case.scenario.way}",
        lambda r: f"kind {r.case.scenario.kind}",
        lambda r: f"{r.case.scenario.kind}, {r.case.scenario.shape}",
        lambda r: f"wire {r.case.scenario.wire}",
    )
    for of in groups:
        rows += [_row(name, [r for r in results if of(r) == name]) for name in sorted(set(map(of, results)))]
    parts: dict[str, Callable[[Result], bool]] = {
        "servers that fail now and then": lambda r: r.case.scenario.faults > 0,
        "cap on calls, near the plan": lambda r: r.case.cap_calls,
        "cap on cost": lambda r: r.case.cap_usd,
        "a cap that ended the run": lambda r: r.bound,
    }
    rows += [_row(name, [r for r in results if holds(r)]) for name, holds in parts.items()]
    places = Counter(place for result in results for place in result.kills)
    lines = [HEADINGS, tuple("---" if place == 0 else "---:" for place in range(len(HEADINGS))), *rows]
    hit = ", ".join(f"{name} {n}" for name, n in places.most_common())
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in lines) + f"\n\nWhere kills hit: {hit}."


def _row(name: str, results: Sequence[Result]) -> tuple[str | int, ...]:
    def total(count: Callable[[Result], int]) -> int:
        return sum(map(count, results))

    return (
        name,
        len(results),
        total(lambda r: len(r.kills)),
        total(lambda r: r.requests),
        total(lambda r: r.batches),
        total(lambda r: r.in_doubt),
        total(lambda r: len(r.found.lost)),
        total(lambda r: len(r.found.repeated)),
        total(lambda r: len(r.found.handed_over)),
        total(lambda r: len(r.found.over_caps)),
        total(lambda r: len(r.found.reports)),
        total(lambda r: len(r.found.other)),
    )


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    """Where runs are: a folder that is to be kept, or one for a while."""
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        yield Path(name)


def main(arguments: Sequence[str] | None = None) -> int:
    """The campaign, or one case of it."""
    parser = argparse.ArgumentParser(description="SIGKILL, resume, and what must hold")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="this case alone, once")
    parser.add_argument("--kinds", default="", help="cases of these kinds alone, comma-separated")
    parser.add_argument("--ways", default="", help=f"cases of these alone, comma-separated: {', '.join(WAYS)}")
    parser.add_argument("--workers", type=int, default=2, help="cases at once")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no case after so long")
    parser.add_argument("--keep", type=Path, help="a folder in which runs with violations are kept")
    given = parser.parse_args(arguments)
    with _folder(given.keep) as folder, nursery_in(folder) as nursery:
        kinds = [name for name in given.kinds.split(",") if name]
        if unknown := [name for name in kinds if name not in KINDS]:
            parser.error(f"no kind named {unknown[0]}")
        ways = [name.strip() for name in given.ways.split(",") if name.strip()]
        if odd := [name for name in ways if name not in WAYS]:
            parser.error(f"no way named {odd[0]}: {', '.join(WAYS)}")
        campaign = Campaign(folder, given.seed, nursery, keep=given.keep is not None, kinds=kinds, ways=ways)
        began = time.monotonic()
        if given.case is not None:
            campaign.results.append(campaign.play(given.case))
            print(told_of(campaign.results[-1]), flush=True)
        else:
            campaign.run(given.kills, given.workers, given.minutes * 60, lambda result: print(told_of(result), flush=True))
    in_all = f"seed {given.seed}: {campaign.kills} kills of {len(campaign.results)} runs in {time.monotonic() - began:.0f} s"
    print(f"\n{in_all}\n\n{table(campaign.results)}")
    if campaign.violations:
        print(f"\n{campaign.violations} violations")
        return 1
    return 0 if given.case is not None or campaign.kills >= given.kills else 2


if __name__ == "__main__":
    sys.exit(main())
