"""Child process of an own scorer seen from outside: given jobs, watched, ended at a limit, started again for the next job."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import one_line
from tui_eval.evaluation.scoring.own_code.code_jobs import CodeJob
from tui_eval.evaluation.scoring.own_code.code_scores import LONGEST_REASON
from tui_eval.reporting.own_code.process_usage import usage_of

_CHILD = "tui_eval.reporting.own_code.child"
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""The only variables that the process is given from ours: none of them is a key."""
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_CHUNK = 65_536
_MOST_WAITING, _MOST_BYTES = 256, 1 << 20
"""Jobs, and their bytes, that the process is given ahead."""
_LONGEST_RESULT = 1 << 20
_WATCHED_S = 0.2
_MOMENT_S = 1.0
_ENDED = "ended the process of the scorer"


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """Limits of a scorer's process."""

    seconds: float = 10.0
    """Of one sample, by the clock."""
    start_seconds: float = 60.0
    """Until its imports are done."""
    memory: int = 2 << 30
    """Bytes of memory, of the process with all that it starts."""
    address_space: int = 16 << 30
    """Bytes that one process may reserve: libraries of numbers reserve much that they never touch."""
    processes: int = 64
    in_a_row: int = 3
    """Limits hit by samples one after the other, after which no other sample is tried."""
    in_all: int = 20


Result = Mapping[str, Json]
"""A record's own fields: `value`; or `why`, with `again` where a limit was hit."""


class ScorerProcess:
    """A function scoring replies one after the other in a process of its own. Close it: its whole group ends with it."""

    def __init__(self, folder: str, file: str, function: str, limits: CodeLimits | None = None) -> None:
        self.limits = limits or CodeLimits()
        self.files: dict[str, str] = {}
        """What it imported from its folder so far, by path, each with its SHA-256."""
        self.stopped = ""
        """Why no other sample is tried; empty while it goes on."""
        self.starts = 0
        self._order = {"folder": folder, "file": file, "function": function, "memory": self.limits.address_space}
        self._process: subprocess.Popen[bytes] | None = None
        self._finalizer: weakref.finalize[Any, Any] | None = None
        self._jobs = self._results = -1
        self._to_write, self._output = bytearray(), bytearray()
        self._since = self._watched_at = 0.0

    def __enter__(self) -> ScorerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, and whatever it has started in its group."""
        self._end()

    def start_up(self) -> None:
        """Start the process and wait until the function is imported; `stopped` tells why it cannot be."""
        self._start()
        lines, fault = self._wait(self.limits.start_seconds)
        entry = _entry(lines[0]) if lines else {}
        if isinstance(entry.get("files"), dict):
            self.files |= {str(path): str(digest) for path, digest in entry["files"].items()}
            return
        self._end()
        reason = entry.get("fault") or fault or "ended by itself while it was imported"
        self.stopped = one_line(f"{self._order['file']}: {reason}", LONGEST_REASON)

    def score(self, jobs: Iterable[CodeJob]) -> Iterator[tuple[CodeJob, Result]]:
        """Yield each job with its result, in order, until it is stopped: a job without a result was not tried, then."""
        source, waiting, faults, in_all = iter(jobs), deque[CodeJob](), 0, 0
        while not self.stopped:
            self._fill(source, waiting)
            if not waiting:
                return
            lines, fault = self._wait(self.limits.seconds)
            for line in lines:
                if (result := self._result(line)) is None:
                    fault = "wrote into the channel of its results"
                    break
                yield waiting.popleft(), result
                faults = 0
            if fault and waiting:
                faults, in_all = faults + 1, in_all + 1
                yield waiting.popleft(), {"why": fault, "again": True}
                self._after(fault, faults, in_all, waiting)

    def _fill(self, source: Iterator[CodeJob], waiting: deque[CodeJob]) -> None:
        """Have as many jobs on their way as may be."""
        is_idle = not waiting
        while len(waiting) < _MOST_WAITING and len(self._to_write) < _MOST_BYTES and (job := next(source, None)) is not None:
            waiting.append(job)
            self._to_write += job.line.encode() + b"\n"
        if is_idle:
            self._since = time.monotonic()

    def _result(self, line: bytes) -> Result | None:
        """The result that a line holds; None where it holds none."""
        entry = _entry(line)
        if isinstance(entry.get("files"), dict):
            self.files |= {str(path): str(digest) for path, digest in entry["files"].items()}
        if isinstance(entry.get("why"), str):
            return {"why": one_line(entry["why"], LONGEST_REASON)}
        return {"value": entry["value"]} if "value" in entry else None

    def _after(self, fault: str, faults: int, in_all: int, waiting: Iterable[CodeJob]) -> None:
        """End what hit a limit; start it again for the jobs that wait, unless it has hit too many."""
        self._end()
        times = f"{faults} samples in a row" if faults >= self.limits.in_a_row else f"{in_all} samples"
        if faults >= self.limits.in_a_row or in_all >= self.limits.in_all:
            self.stopped = f"stopped after {times}, of which the last {fault}"
            return
        self.start_up()
        for job in waiting:
            self._to_write += job.line.encode() + b"\n"
        self._since = time.monotonic()

    def _start(self) -> None:
        jobs, self._jobs = os.pipe()
        self._results, results = os.pipe()
        for descriptor in (self._jobs, self._results):
            os.set_blocking(descriptor, False)
        order = json.dumps({**self._order, "jobs": jobs, "results": results})
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-B", "-X", "utf8", "-m", _CHILD, order],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # what it prints is no result, and there may be no end of it
                stderr=subprocess.DEVNULL,
                env={**{name: os.environ[name] for name in _KEPT if name in os.environ}, **_ONE_THREAD},
                pass_fds=(jobs, results),
                start_new_session=True,
            )
        finally:
            os.close(jobs)
            os.close(results)
        self._finalizer = weakref.finalize(self, _end_group, self._process)
        self.starts += 1
        self._to_write.clear()
        self._output.clear()
        self._since = self._watched_at = time.monotonic()

    def _wait(self, seconds: float) -> tuple[list[bytes], str]:
        """Write jobs until there are results; these, and the limit that the job behind them was hit by."""
        with selectors.DefaultSelector() as waiting:  # select.select takes no descriptor above 1,023
            waiting.register(self._results, selectors.EVENT_READ)
            if self._to_write:
                waiting.register(self._jobs, selectors.EVENT_WRITE)
            while True:
                seconds_left = self._since + seconds - time.monotonic()
                ready = {key.fd for key, _ in waiting.select(min(max(seconds_left, 0), _WATCHED_S))}
                if self._jobs in ready and not self._write():
                    waiting.unregister(self._jobs)
                end = self._end_seen()  # before the pipe is read: what it wrote is in there by then
                lines, is_open = self._read()
                if lines:
                    self._since = time.monotonic()
                    return lines, self._usage_fault()
                if end or not is_open:
                    return [], end or self._end_soon()
                if fault := self._usage_fault():
                    return [], fault
                if seconds_left <= 0:
                    return [], f"took longer than {seconds:g} s"

    def _write(self) -> bool:
        """Write what the process takes; False where nothing is left, or it takes no more."""
        try:
            del self._to_write[: os.write(self._jobs, self._to_write[:_CHUNK])]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        return bool(self._to_write)

    def _read(self) -> tuple[list[bytes], bool]:
        """The whole lines that the process has written; and whether it may write more."""
        is_open = True
        with suppress(BlockingIOError):
            chunk = os.read(self._results, _CHUNK)
            self._output += chunk
            is_open = bool(chunk) and len(self._output) < _LONGEST_RESULT + _CHUNK
        end = self._output.rfind(b"\n") + 1
        lines = bytes(self._output[:end]).splitlines()
        del self._output[:end]
        return lines, is_open

    def _usage_fault(self) -> str:
        """The limit of memory or processes that is exceeded; empty while none is. Looked at a few times a second."""
        if time.monotonic() - self._watched_at < _WATCHED_S:
            return ""
        usage = usage_of(self._running().pid)
        self._watched_at = time.monotonic()
        if len(usage.processes) > self.limits.processes:
            return f"started more than {self.limits.processes} processes"
        return f"needed more than {self.limits.memory >> 20:,} MB" if usage.memory > self.limits.memory else ""

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def _end_seen(self) -> str:
        """Return the way in which the process ended; empty while it has not. Its number stays its group's: it is not reaped."""
        process = self._running()
        if not hasattr(os, "waitid"):
            return "" if process.poll() is None else _ENDED
        about = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if about is None:
            return ""
        is_exit = about.si_code == os.CLD_EXITED
        return _ENDED if is_exit else f"crashed the process of the scorer ({signal.Signals(about.si_status).name})"

    def _end_soon(self) -> str:
        """The same of a process that has closed its results, which may end a moment later."""
        until = time.monotonic() + _MOMENT_S
        while not (end := self._end_seen()) and time.monotonic() < until:
            time.sleep(_MOMENT_S / 50)
        return end or "closed the channel of its results"

    def _end(self) -> None:
        if self._process is None:
            return
        if self._finalizer is not None:
            self._finalizer()
        for descriptor in (self._jobs, self._results):
            os.close(descriptor)
        self._process, self._jobs, self._results = None, -1, -1


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process, its group, which has its number until it is waited for, and what they started in other groups."""
    if process.returncode is None:
        started = usage_of(process.pid).processes
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        for number in started:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
    process.wait()


def _entry(line: bytes) -> dict[str, Any]:
    """A line as a table; an empty one where it is none. The process is not taken at its word."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}
