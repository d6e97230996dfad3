"""The lives of one run: each a process that ends by itself, or is killed at a time or at a moment that its server sees."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kill_children import Process, Started, forked
from kill_evidence import Made, Moment, Visit
from kill_reports import Reports, reports_of
from kill_scenarios import KEY_VARIABLE, Scenario, written
from kill_server import MOMENTS, Serving, Settings
from nursery import Nursery

KEY = "sk-kills-9f2KX7Lq0wB5rJ"
"""Shown to the server, and found nowhere else."""
LONGEST_LIFE_S = 240.0
POLL_S = 0.002
LATENCY_SCALE = 0.06
BATCH_S = 0.3
STARTED_ANEW = 4
"""Every so many lives are started as `python -m tui_eval`, the first one always; the others are forked."""
BATCH_MOMENTS = {"batch request": 8, "batch made": 2, "batch answered": 8}
"""How many of these a life has at least, as a rule."""
LOADING = 0.3
"""The share of a start before anything is written; so many kills in it come within that."""
SOON = 0.6
"""Of what is still to be asked: the part within which a life ends, so that something is left for the next one."""
TORN = (b"", b"", b"", b'{"attempt_id": "ab', b"\x00" * 300, b'\xc3"}, "request": ')
"""What may stand behind the last newline once power failed in a write; SIGKILL alone leaves nothing there."""


@dataclass(frozen=True, slots=True)
class Shot:
    """When a life is ended."""

    where: str
    """"start", "asking", "reports", "rescore", or a moment in the server."""
    share: float
    """Of the time that the place usually takes, or of the requests that are still to come."""
    delay_s: float = 0.0
    """After the moment; the server does nothing meanwhile."""
    torn: bytes = b""


@dataclass(frozen=True, slots=True)
class Usual:
    """How the run goes when nobody kills it."""

    reports: dict[bool, Reports]
    """With costs and counts of attempts (True), and without."""
    start_s: float
    """Until the first request."""
    asking_s: float
    """From the first to the last."""
    reports_s: float
    """From the last to the end."""
    requests: int
    planned: int
    planned_usd: float
    charged_usd: float


class Playing:
    """A case while it goes on: its folder, its server, and the life that is to end."""

    def __init__(self, folder: Path, scenario: Scenario, nursery: Nursery, anew: bool = True) -> None:
        """`anew`: some lives are started as a person starts them."""
        self.folder = folder
        self.nursery = nursery
        self.anew = anew
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.out = folder / "run"
        self.scenario = scenario
        settings = Settings(scenario.seed, LATENCY_SCALE, BATCH_S, scenario.faults)
        self.server = Serving(settings, self._told)
        self.caps: dict[str, float] = {}
        self.lives = 0
        self.first_request: float | None = None
        self._process: Process | None = None
        self._aimed: tuple[Moment, int, float] | None = None
        self._seen = 0

    @property
    def begun(self) -> bool:
        """Whether there is a whole run folder."""
        return (self.out / "config.toml").exists()

    def live(self, arguments: Sequence[str], shot: Shot | None = None, usual: Usual | None = None) -> tuple[int, float]:
        """One process to its end, natural or not: its exit code, and when it ended (monotonic clock)."""
        self.lives += 1
        self.first_request, self._seen = None, 0
        self._aimed = self._aim(shot, usual)
        wall = time.time_ns()
        whole = ["--workspace", str(self.folder), *arguments]
        if self.anew and self.lives % STARTED_ANEW == 1:
            self._process = Started(whole, self.folder / f"said-{self.lives:02d}", {KEY_VARIABLE: KEY})
        else:
            self._process = forked(self.nursery, whole, {KEY_VARIABLE: KEY})
        if shot is not None and usual is not None:
            self._await(shot, usual, self._process, wall)
        return self._process.wait(LONGEST_LIFE_S), time.monotonic()

    def said(self) -> str:
        """What the last life said."""
        return self._process.said() if self._process is not None else ""

    def next_arguments(self) -> list[str]:
        """How a person goes on: runs the config, replaces half a folder, or resumes."""
        more = [] if self.scenario.preflight else ["--no-preflight"]
        if self.begun:
            return ["resume", str(self.out), *more]
        config = written(self.scenario, self.server.url, self.folder, **self.caps)
        return ["run", str(config), "--out", str(self.out), *(["--force"] if self.out.exists() else []), *more]

    def visits(self) -> list[Visit]:
        """What the server counted."""
        return self.server.visits()

    def made(self) -> list[Made]:
        """The batches that the server made."""
        return self.server.made()

    def close(self) -> None:
        """End what still runs."""
        if self._process is not None and not self._process.over():
            self._process.kill()
            self._process.wait(LONGEST_LIFE_S)
        self.server.close()

    def _aim(self, shot: Shot | None, usual: Usual | None) -> tuple[Moment, int, float] | None:
        if shot is None or usual is None:
            return None
        for moment in MOMENTS:
            if shot.where == moment:
                alone = self.scenario.mode == "batch"  # the first of a model goes alone, all others within batches
                left = BATCH_MOMENTS.get(moment) or (0 if alone else (usual.requests - len(self.server.visits())) * SOON)
                return moment, 1 + int(shot.share * max(left, 0)), shot.delay_s
        return None

    def _told(self, moment: Moment) -> None:
        """In the server's thread: nothing else happens in the server until this returns."""
        if self.first_request is None:
            self.first_request = time.monotonic()
        aimed, process = self._aimed, self._process
        if aimed is None or process is None or aimed[0] != moment:
            return
        self._seen += 1
        if self._seen == aimed[1]:
            time.sleep(aimed[2])
            process.kill()

    def _await(self, shot: Shot, usual: Usual, process: Process, wall: int) -> None:
        """Wait for the time of a kill that no moment of the server brings, and kill."""
        if shot.where in ("start", "rescore"):
            if shot.share > LOADING:
                while not process.over() and not self._touched(wall):
                    time.sleep(POLL_S)
            time.sleep(shot.share * (usual.reports_s if shot.where == "rescore" else usual.start_s) * LOADING)
        elif shot.where == "asking":
            while self.first_request is None and not process.over():
                time.sleep(POLL_S)
            time.sleep(shot.share * usual.asking_s * max(1 - len(self.server.visits()) / (usual.requests + 1), 0.05))
        elif shot.where == "reports":
            while not process.over() and not self._reporting(wall):
                time.sleep(POLL_S)
            time.sleep(shot.share * usual.reports_s)
        else:
            return
        process.kill()

    def _touched(self, since_ns: int) -> bool:
        """Whether this life has written anything into the run folder."""
        with contextlib.suppress(OSError), os.scandir(self.out) as found:
            return any(entry.stat().st_mtime_ns > since_ns for entry in found)
        return False

    def _reporting(self, since_ns: int) -> bool:
        """Whether this life writes its reports."""
        progress = self.out / "progress.json"
        with contextlib.suppress(OSError):
            return progress.stat().st_mtime_ns > since_ns and b'"state": "reporting"' in progress.read_bytes()
        return False


def left_alone(folder: Path, scenario: Scenario, nursery: Nursery) -> Usual:
    """The scenario's run when nobody kills it. RuntimeError where even that does not end well."""
    playing = Playing(folder, scenario, nursery, anew=False)
    try:
        began = time.monotonic()
        code, ended = playing.live(playing.next_arguments())
        if code != 0:
            raise RuntimeError(f"{scenario}: exit code {code} without any kill\n{playing.said()[-2000:]}")
        visits = playing.visits()
        last = max(visit.sent_at or visit.arrived for visit in visits)
        plan = json.loads((playing.out / "plan.json").read_bytes())
        report = json.loads((playing.out / "report.json").read_bytes())
        first = playing.first_request or began
        return Usual(
            {exact: reports_of(playing.out, exact) for exact in (True, False)},
            first - began,
            last - first,
            ended - last,
            len(visits),
            plan["total_calls"],
            plan["cost_usd"],
            report["charged_usd"],
        )
    finally:
        playing.close()


def shots_of(dice: random.Random, scenario: Scenario, number: int) -> tuple[Shot, ...]:
    """So many places to die at, by chance; batches have places of their own."""
    live = ["start", "asking", "asking", "request", "half a reply", "reply", "reply", "reports", "rescore"]
    batch = ["start", "asking", "request", "reply", *BATCH_MOMENTS, "batch made", "batch made", "reports", "rescore"]
    places = batch if scenario.mode == "batch" else live
    return tuple(
        Shot(dice.choice(places), dice.random(), dice.choice((0.0, dice.uniform(0, 0.004))), dice.choice(TORN))
        for _ in range(number)
    )
