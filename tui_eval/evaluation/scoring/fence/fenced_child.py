"""The fenced child seen from outside: started at the first job, reused, ended at a limit, started again for the next job."""

from __future__ import annotations

import hashlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
import weakref
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import one_line

_WORKER = "tui_eval.evaluation.scoring.fence.worker"
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""The only variables that the process is given: none of them is a key."""
_CHUNK = 65_536
_MOST_SAID = 16 * 1024 * 1024
"""Bytes of one result; a match may be as long as a reply."""
_START_S = 60.0
"""Seconds by the clock until the process must have begun, on a machine with much else to do."""
_GIVEN_UP_AFTER = 5
"""Samples of which one pattern, or one schema, hit a limit, after which it is tried on no other one."""
_MOST_DONE = 100_000
"""Jobs that are remembered: some megabytes."""
_NO_START = "the fenced process did not start, or ended by itself"


@dataclass(frozen=True, slots=True)
class FenceLimits:
    """Limits of one job."""

    seconds: float = 3.0
    """Of the processor; by the clock ten times as many, so that a busy machine changes no result."""
    memory: int = 1024 * 1024 * 1024
    """Bytes of the whole process."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """Result of a job, or the reason for none."""

    value: Json = None
    fault: str = ""
    """Why there is no value, as a person is told it; empty where there is one."""


class Fence:
    """Jobs done one after the other in a child process that cannot exceed its limits. Safe for threads. Close it at the end;
    what nobody closes ends with the object, or with the program. A job that hit a limit is not tried again: reports score what
    the run has scored. Of a pattern or a schema that hit it with five samples none is tried any more."""

    def __init__(self, limits: FenceLimits | None = None) -> None:
        self.limits = limits or FenceLimits()
        self.starts = 0
        """How often a process was started: once, and once more after each that was ended."""
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = False
        self._lock = threading.Lock()
        self._faults: dict[bytes, JobResult] = {}
        self._faults_by_rule: dict[tuple[str, Json], list[str]] = {}
        """What went wrong by sort of job and pattern or schema, in order."""
        self._done: set[bytes] = set()
        """Jobs that had a result: a report that does one again has it, too."""

    def __enter__(self) -> Fence:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, if there is one; a later job starts another."""
        with self._lock:
            self._end()

    def run(self, job: str, **details: Json) -> JobResult:
        """The result of one job of `worker.JOBS`, or the limit that it hit. OSError where no process can be had."""
        line = json.dumps({"job": job, **details}).encode() + b"\n"
        key = hashlib.blake2b(line, digest_size=16).digest()
        with self._lock:
            if key in self._faults:
                return self._faults[key]
            rule = (job, details.get("pattern", details.get("schema")))
            faults = self._faults_by_rule.get(rule, [])
            if len(faults) >= _GIVEN_UP_AFTER and key not in self._done:
                return JobResult(fault=f"{faults[-1]}; given up after {_GIVEN_UP_AFTER} samples")
            process = self._running()
            deadline = time.monotonic() + 10 * self.limits.seconds + (0 if self._ready else _START_S)
            output, in_time = self._response(process, line, deadline)
            result = _result_in(output) if output.endswith(b"\n") else None
            if result is not None:
                self._ready = True
                if rule[1] is not None and len(self._done) < _MOST_DONE:
                    self._done.add(key)
                return result
            fault = self._fault(self._end(), in_time)
            result = JobResult(fault=fault)
            if fault != _NO_START:
                self._faults[key] = result
                if rule[1] is not None:
                    self._faults_by_rule[rule] = [*faults, fault]
        return result

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            limits = json.dumps({"seconds": self.limits.seconds, "memory": self.limits.memory})
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", "-m", _WORKER, limits],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in _KEPT if name in os.environ},
                start_new_session=True,
            )
            weakref.finalize(self, _ended, self._process)
            self.starts += 1
            self._ready = False
        return self._process

    @staticmethod
    def _response(process: subprocess.Popen[bytes], line: bytes, deadline: float) -> tuple[bytes, bool]:
        """Return the process's output up to the first line end, and False where its time by the clock was up.

        The order is written as the process takes it, so that neither side waits for the other.
        """
        assert process.stdin is not None
        assert process.stdout is not None
        to, out = process.stdin.fileno(), process.stdout.fileno()
        os.set_blocking(to, False)
        rest, output = memoryview(line), bytearray()
        with selectors.DefaultSelector() as waiting:  # select.select takes no descriptor above 1,023
            waiting.register(out, selectors.EVENT_READ)
            waiting.register(to, selectors.EVENT_WRITE)
            while not output.endswith(b"\n") and len(output) <= _MOST_SAID:
                seconds_left = deadline - time.monotonic()
                ready = {key.fd for key, _ in waiting.select(max(seconds_left, 0))}
                if seconds_left <= 0 or not ready:
                    return bytes(output), False
                if to in ready:
                    try:
                        rest = rest[os.write(to, rest[:_CHUNK]) :]
                    except BrokenPipeError:
                        return bytes(output), True
                    if not rest:
                        waiting.unregister(to)
                if out in ready:
                    chunk = os.read(out, _CHUNK)
                    output += chunk
                    if not chunk:
                        break
        return bytes(output), True

    def _end(self) -> int | None:
        """End the process and whatever it may have started; its exit code, None where there was none."""
        process, self._process = self._process, None
        return None if process is None else _ended(process)

    def _fault(self, code: int | None, in_time: bool) -> str:
        if not in_time or code in (-signal.SIGPROF, -signal.SIGXCPU, -signal.SIGALRM):
            return f"took longer than {self.limits.seconds:g} s"
        if code is not None and code < 0:
            return f"needed more than {self.limits.memory // 1024**2:,} MB, or crashed"
        return _NO_START


def _ended(process: subprocess.Popen[bytes]) -> int:
    """End a process that may have ended, and whatever it may have started; its exit code."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(0.05)
    with suppress(ProcessLookupError, PermissionError):
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()
    return process.wait()


def _result_in(line: bytes) -> JobResult | None:
    """The result that a line holds; None where it holds none. The process is not taken at its word."""
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match entry:
        case {"fault": str(fault)}:
            return JobResult(fault=one_line(fault)[:300])
        case {"value": value}:
            return JobResult(value)
    return None
