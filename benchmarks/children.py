"""Child processes and what they cost: CPU, wall time and peak memory, each child by its own account."""

from __future__ import annotations

import contextlib
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
    The kernel counts the memory of the parent at the start towards the child's peak, so this process stays small. Where it is
    watched, the peak is that of the child's own memory, as it stood 10 ms before its end: the parent's is not in it.
    """
    with subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=cwd
    ) as process:
        assert process.stderr is not None
        os.set_blocking(process.stderr.fileno(), False)
        began, said, own_mb = time.monotonic(), b"", 0.0
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
                    own_mb = peak_mb_of(process.pid) or own_mb
                time.sleep(POLL_S if watch is None else WATCH_S)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        said = (said + (process.stderr.read() or b""))[-2000:]
        if process.returncode != 0:
            raise ChildError(f"{' '.join(arguments[:3])}: exit code {process.returncode}\n{said.decode('utf-8', 'replace')}")
    return Cost(used.ru_utime + used.ru_stime, wall_s, own_mb or used.ru_maxrss / 1024, said)


def peak_mb_of(pid: int) -> float:
    """The highest resident memory of a live process since its program began, MB; 0 when it is gone."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


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
