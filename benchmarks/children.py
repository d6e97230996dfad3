"""Child processes and what they cost: CPU, wall time and peak memory, each child by its own account."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

POLL_S, WATCH_S = 0.05, 0.01
GRACE_S = 5.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What one child process took."""

    cpu_s: float
    """User and system time, of the child and of the children it waited for."""
    wall_s: float
    peak_mb: float
    said: bytes = b""
    """The end of its standard error."""


class ChildError(Exception):
    """A child ended other than it should, or did not end in time."""


def run(arguments: Sequence[str], limit_s: float, cwd: str | None = None, watch: Callable[[int], None] | None = None) -> Cost:
    """Run Python with these arguments to its end; ChildError when it fails or takes longer than `limit_s`.

    `watch` is called with the child's number every 10 ms while it lives; what it raises ends the child.
    The kernel counts the memory of the parent at the start towards the child's peak, so this process stays small.
    """
    with subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=cwd
    ) as process:
        assert process.stderr is not None
        os.set_blocking(process.stderr.fileno(), False)
        began, said = time.monotonic(), b""
        try:
            while True:
                said = (said + (process.stderr.read() or b""))[-2000:]
                pid, status, used = os.wait4(process.pid, os.WNOHANG)
                wall_s = time.monotonic() - began
                if pid:
                    break
                if wall_s > limit_s:
                    raise ChildError(f"{' '.join(arguments[:3])}: not done after {limit_s:.0f} s; ended")
                if watch is not None:
                    watch(process.pid)
                time.sleep(POLL_S if watch is None else WATCH_S)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        said = (said + (process.stderr.read() or b""))[-2000:]
        if process.returncode != 0:
            raise ChildError(f"{' '.join(arguments[:3])}: exit code {process.returncode}\n{said.decode('utf-8', 'replace')}")
    return Cost(used.ru_utime + used.ru_stime, wall_s, used.ru_maxrss / 1024, said)


@contextmanager
def simulator(latency_scale: float = 1.0) -> Iterator[str]:
    """A simulator in a process of its own; its base URL."""
    arguments = [sys.executable, "-m", "tui_eval.simulator", "--port", "0", "--latency-scale", str(latency_scale)]
    process = subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
