"""One run that is killed, taken up, killed again, and brought to its end at last; and what came of it."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kill_evidence import Evidence, Found, Kill, Table, calls_used, charged_usd, in_doubt, judged, left_out
from kill_lives import KEY, Playing, Shot, Usual
from kill_reports import NOT_DERIVED, differences, reports_of
from kill_scenarios import CONCURRENCY, Scenario
from nursery import Nursery

INTENTS, LOG, BATCHES = "intents.jsonl", "call_logs.jsonl", "batches.jsonl"
RAISED = ("--set", "run.max_calls=100000", "--set", "run.max_cost_usd=1000")
AT_THE_END = ("start", "reports", "reports", "rescore")
"""Where a run is killed that has nothing more to ask."""


@dataclass(slots=True)
class Case:
    """What is to be done to a run."""

    number: int
    seed: int
    scenario: Scenario
    shots: Sequence[Shot]
    """Under the caps; then come those while the caps are raised."""
    late_shots: Sequence[Shot]
    cap_calls: bool
    cap_usd: bool
    slack: float
    """How much room the caps leave, from 0 to 1."""
    rescored: bool


@dataclass(slots=True)
class Result:
    """What came of a case."""

    case: Case
    kills: list[str] = field(default_factory=list)
    """Where each kill hit."""
    lives: int = 0
    requests: int = 0
    batched: int = 0
    batches: int = 0
    """How many the server made."""
    in_doubt: int = 0
    bound: bool = False
    """Whether a cap kept the run from its end before it was raised."""
    found: Found = field(default_factory=Found)


def played(case: Case, usual: Usual, folder: Path, nursery: Nursery) -> Result:
    """Do to a run what the case says, and judge what came of it."""
    playing, result = Playing(folder, case.scenario, nursery), Result(case)
    try:
        _Played(case, usual, playing, result).play()
    except Exception as error:
        result.found.other.append(f"the campaign itself: {type(error).__name__}: {error}")
    finally:
        result.lives = playing.lives
        playing.close()
    return result


class _Played:
    def __init__(self, case: Case, usual: Usual, playing: Playing, result: Result) -> None:
        self.case, self.usual, self.playing, self.result = case, usual, playing, result
        self.kills: list[Kill] = []
        self.prefixes: dict[str, tuple[int, str]] = {}
        self.changed: list[str] = []
        self.torn = False
        if case.cap_calls:
            playing.caps["max_calls"] = usual.planned + int(case.slack * 4)
        if case.cap_usd:
            most = max(usual.charged_usd * 1.1, usual.planned_usd * 1.2)
            playing.caps["max_cost_usd"] = round(usual.planned_usd * 1.01 + case.slack * (most - usual.planned_usd), 6) + 1e-5

    def play(self) -> None:
        """All lives under the caps, the last of them undisturbed; the laws; then the rest without caps."""
        for shot in self.case.shots:
            if self._life(shot, ()) in (0, 3):  # it was quicker than its death: then it dies at its end
                self._life(replace(shot, where=AT_THE_END[int(shot.share * len(AT_THE_END))]), ())
        code = self._life(None, ())
        evidence = self._evidence()
        judged(evidence, self.result.found)
        self._judge_end(code, evidence)
        self.result.in_doubt = len(in_doubt(evidence))
        if code == 3:
            self.result.bound = True
            for shot in self.case.late_shots:
                self._life(shot, RAISED)
            code = self._life(None, RAISED)
            evidence = self._evidence(capped=False)
            judged(evidence, self.result.found)
        if code != 0:
            self.result.found.lost.append(f"exit code {code} at the end: {self.playing.said()[-1500:]}")
        self._judge_reports()
        visits = self.playing.visits()
        self.result.requests, self.result.batched = len(visits), sum(visit.batched for visit in visits)
        self.result.batches = len(self.playing.made())

    def _life(self, shot: Shot | None, more: Sequence[str]) -> int:
        playing, found = self.playing, self.result.found
        if shot is not None and shot.where == "rescore" and playing.begun and (playing.out / LOG).exists():
            arguments = ["rescore", str(playing.out)]
        else:
            arguments = playing.next_arguments()
            arguments += more if arguments[0] == "resume" else ()
            if arguments[0] == "run" and playing.visits():
                found.lost.append("requests were sent, and no run folder can be taken up again")
        code, at = playing.live(arguments, shot, self.usual)
        if code == -9 and shot is not None:
            self._killed(shot, at)
        elif code not in (0, 3):
            found.other.append(f"{arguments[0]} ended with exit code {code}: {playing.said()[-1500:]}")
        elif code == 3 and arguments[0] != "rescore" and not playing.caps:
            found.lost.append(f"incomplete without a cap: {playing.said()[-1500:]}")
        if "Traceback" in playing.said():
            found.other.append(f"a traceback: {playing.said()[-1500:]}")
        self._check_kept()
        return code

    def _killed(self, shot: Shot, at: float) -> None:
        """Note what stands in the folder; half a line may be left there."""
        out = self.playing.out
        records = whole_lines(out / LOG)
        self.kills.append(
            Kill(
                shot.where,
                at,
                len(whole_lines(out / INTENTS)),
                frozenset(record["attempt_id"] for record in records),
                frozenset(record["call_key"] for record in records if record["final"]),
                len(self.playing.visits()),
            )
        )
        self.result.kills.append(shot.where)
        self._check_kept()
        if shot.torn and self.playing.begun and (out / LOG).exists():  # half a folder is replaced whole
            self.torn = True
            for name in (LOG, INTENTS):
                with (out / name).open("ab") as stream:
                    stream.write(shot.torn)

    def _check_kept(self) -> None:
        """What was in the logs of a run is still there, byte for byte; what is there now is remembered."""
        if not self.playing.begun:
            return
        for name in (LOG, INTENTS):
            path = self.playing.out / name
            data = path.read_bytes() if path.exists() else b""
            size, digest = self.prefixes.get(name, (0, _digest(b"")))
            if _digest(data[:size]) != digest:
                self.changed.append(name)
            whole = data[: data.rfind(b"\n") + 1]
            self.prefixes[name] = (len(whole), _digest(whole))

    def _evidence(self, capped: bool = True) -> Evidence:
        out, caps = self.playing.out, self.playing.caps if capped else {}
        return Evidence(
            self.playing.visits(),
            every_line(out / INTENTS, self.result.found),
            every_line(out / LOG, self.result.found),
            tuple(self.kills),
            int(caps.get("max_calls", 100_000)),
            caps.get("max_cost_usd"),
            CONCURRENCY,
            self.playing.made(),
            whole_lines(out / BATCHES),
            tuple(self.changed),
        )

    def _judge_end(self, code: int, evidence: Evidence) -> None:
        """What the reports say of calls and money is what is on file; a cap on calls alone is used up before a planned call is
        given up. (One beyond the plan leaves room for planned ones, of which some may never come.)"""
        found, playing = self.result.found, self.playing
        report = json.loads((playing.out / "report.json").read_bytes())
        if report["attempts_sent"] != calls_used(evidence):
            found.reports.append(f"report.json: {report['attempts_sent']} attempts, {calls_used(evidence)} are on file")
        if abs((report["charged_usd"] or 0.0) - charged_usd(evidence)) > 1e-6 * (1 + len(evidence.records)):
            found.reports.append(f"report.json: ${report['charged_usd']} charged, ${charged_usd(evidence):.6f} on file")
        given_up = code == 3 and "max_cost_usd" not in playing.caps and not playing.scenario.faults
        if given_up and left_out(evidence) and calls_used(evidence) < evidence.max_calls:
            found.other.append(
                f"gave up with {calls_used(evidence)} of {evidence.max_calls} calls used: {playing.said()[-800:]}"
            )

    def _judge_reports(self) -> None:
        found, out = self.result.found, self.playing.out
        exact = self.case.scenario.exact and not self.result.bound
        found.reports += differences(self.usual.reports[exact], reports_of(out, exact))
        if left := [str(file.relative_to(out)) for file in out.rglob("*") if _is_left_over(file)]:
            found.other.append(f"left over: {', '.join(left[:5])}")
        if self.torn and b"unfinished last line" not in (out / "run.log").read_bytes():
            found.other.append("half a line was mended, and run.log does not say so")
        if any(KEY.encode() in file.read_bytes() for file in self.playing.folder.rglob("*") if file.is_file()):
            found.other.append("the key stands in a file")
        if not self.case.rescored:
            return
        before = _derived(out)
        code, _ = self.playing.live(["rescore", str(out)])
        after = _derived(out)
        if code != 0 or before != after:
            changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
            found.reports.append(f"rescore (exit code {code}) makes other files of the same log: {', '.join(changed[:5])}")


def whole_lines(path: Path) -> list[Table]:
    """The lines of a log up to its last newline; those that cannot be read are left out."""
    data = path.read_bytes() if path.exists() else b""
    found = []
    for line in data.split(b"\n")[:-1]:
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found


def every_line(path: Path, found: Found) -> list[Table]:
    """The lines of a log in which every line must be whole."""
    data = path.read_bytes() if path.exists() else b""
    entries = whole_lines(path)
    if len(entries) != data.count(b"\n") or not data.endswith((b"\n", b"")[not data :]):
        found.other.append(f"{path.name}: {data.count(chr(10).encode()) - len(entries)} broken lines, ends {data[-20:]!r}")
    return entries


def _derived(out: Path) -> dict[str, str]:
    files = [file for file in out.rglob("*") if file.is_file() and file.name not in NOT_DERIVED]
    return {str(file.relative_to(out)): _digest(file.read_bytes()) for file in files}


def _is_left_over(file: Path) -> bool:
    return file.is_file() and (file.name.endswith(".tmp") or file.name == ".reserve" or file.parent.name == "batches")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
