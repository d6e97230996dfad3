"""Runs by workers in processes of their own, and what can be done to these: kill, stop for a while, cut a connection."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

END_S = 240.0
STOPPED_S = 20.0
_PIDFD_GETFD = 438
"""The number of the system call that has a file of another process here."""


class Coordinator:
    """A run in a process of its own, with a scheduler and workers of its own."""

    def __init__(self, folder: Path, *words: object, environment: Mapping[str, str] | None = None) -> None:
        """`folder`: where it runs, and by which its processes are known."""
        self.folder, self.said_in = folder, folder / f"said-{time.monotonic_ns()}"
        with self.said_in.open("wb") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tui_eval", *map(str, words)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env={**os.environ, **(environment or {}), **marks(folder)},
                cwd=folder,
                start_new_session=True,
            )

    def end(self) -> tuple[int, str]:
        """Its exit code and what it said, once it has ended."""
        try:
            code = self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = -1
        return code, self.said_in.read_text(encoding="utf-8", errors="replace")

    @property
    def workers(self) -> list[int]:
        """Processes that ask: those that nannies watch."""
        return [pid for pid in processes_in(self.folder) if "spawn_main" in command_of(pid)]

    @property
    def schedulers(self) -> list[int]:
        """The scheduler's process."""
        return [pid for pid in processes_in(self.folder) if "dask scheduler" in command_of(pid)]


def marks(folder: Path) -> dict[str, str]:
    """Variables by which processes of a run are known, and that keep what they write in its folder."""
    return {"TUI_EVAL_SPOOLS": str(folder / "spools"), "TMPDIR": str(folder)}


def command_of(pid: int) -> str:
    """The words of a process; nothing where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def processes_in(folder: Path) -> Iterator[int]:
    """Processes that were started for a run in this folder."""
    mark = f"TUI_EVAL_SPOOLS={folder}/spools".encode() + b"\0"
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with suppress(OSError):
                if mark in (entry / "environ").read_bytes():
                    yield int(entry.name)


def end_all(folder: Path) -> None:
    """Leave no process of a run behind."""
    for pid in processes_in(folder):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def kill_worker(run: Coordinator, number: int) -> bool:
    """End a worker's process at once; whether there was one."""
    return _on_one(run.workers, number, lambda pid: os.kill(pid, signal.SIGKILL))


def stop_worker(run: Coordinator, number: int) -> bool:
    """Have a worker stand still for a while."""

    def stand(pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(STOPPED_S, go_on, (pid,)).start()

    def go_on(pid: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    return _on_one(run.workers, number, stand)


def cut_connection(run: Coordinator, number: int) -> bool:
    """Cut the connection between the coordinator and a worker; both find it broken."""
    return _on_one(run.workers, number, lambda pid: cut_between(run.process.pid, pid))


def kill_scheduler(run: Coordinator, number: int) -> bool:
    """End the scheduler's process at once."""
    return _on_one(run.schedulers, 0, lambda pid: os.kill(pid, signal.SIGKILL))


def kill_coordinator(run: Coordinator, number: int) -> bool:
    """End the coordinator's process at once."""
    run.process.kill()
    run.process.wait()
    return True


BLOWS: Mapping[str, Callable[[Coordinator, int], bool]] = {
    "kill a worker": kill_worker,
    "stop a worker": stop_worker,
    "cut a connection": cut_connection,
    "kill the scheduler": kill_scheduler,
    "kill the coordinator": kill_coordinator,
}


def _on_one(pids: list[int], number: int, blow: Callable[[int], object]) -> bool:
    if not pids:
        return False
    with suppress(ProcessLookupError):
        blow(sorted(pids)[number % len(pids)])
    return True


def cut_between(one: int, other: int) -> int:
    """Cut every connection between two processes; return how many."""
    ports = {local for local, _ in _sockets(other).values()}
    cut = 0
    for descriptor, (_, peer) in _sockets(one).items():
        if peer in ports:
            cut += _shut(one, descriptor)
    return cut


def _sockets(pid: int) -> dict[int, tuple[int, int]]:
    """The TCP connections of a process: own and other port, by descriptor."""
    established = {}
    for line in Path(f"/proc/{pid}/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        fields = line.split()
        established[fields[9]] = int(fields[1].rpartition(":")[2], 16), int(fields[2].rpartition(":")[2], 16)
    found = {}
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            place = os.readlink(entry)
            inode = place.removeprefix("socket:[").rstrip("]")
            if place.startswith("socket:") and inode in established:
                found[int(entry.name)] = established[inode]
    return found


def _shut(pid: int, descriptor: int) -> bool:
    """Shut a connection of another process."""
    process = os.pidfd_open(pid)
    try:
        ours = ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, process, descriptor, 0)
        if ours < 0:
            return False
        with socket.socket(fileno=ours) as duplicate, suppress(OSError):
            duplicate.shutdown(socket.SHUT_RDWR)
        return True
    finally:
        os.close(process)
