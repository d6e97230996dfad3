"""The one writer of a run folder: it appends, mends a torn line, holds the lock, and redacts what it writes."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tui_eval.core.errors import FolderError, StorageError
from tui_eval.core.plaintext import visible
from tui_eval.runs.opening import LONGEST_LINE, MOST_BYTES, check_files, endless, object_of, table
from tui_eval.runs.writing import LOCK, Inside, own_file, remove_leftovers, write_file
from tui_eval.workspace.file_locks import NoLocksError, take_lock, why_no_locks
from tui_eval.workspace.memory_limits import lacks_memory
from tui_eval.workspace.plain_files import opened

FORMAT = 1
"""The form of a run folder's files. What an older version would misread makes it one higher; one more field does not."""
WITH_GRANTS = 2
"""The form of one whose calls were made by workers: intents.jsonl has what each was granted, in place of their calls."""
NEWEST = WITH_GRANTS
"""The highest form that this version reads."""

CONFIG = "config.toml"
MANIFEST = "manifest.json"
INTENTS = "intents.jsonl"
LOG = "call_logs.jsonl"
RESULTS = "results.jsonl"
PROGRESS = "progress.json"
RUN_LOG = "run.log"
BATCHES = "batches.jsonl"
"""What became of each batch: submitting, submitted, fetched, refused, gone or lost."""
STOP = "STOP"
PAUSE = "PAUSE"
RESERVE = ".reserve"
FILES = {
    **dict.fromkeys((INTENTS, LOG, RESULTS, RUN_LOG, BATCHES, LOCK, STOP, PAUSE), None),
    **dict.fromkeys((CONFIG, MANIFEST, PROGRESS), MOST_BYTES),
}
"""What has to be a regular file, where it is there, before anything else of a run is read or written; and its most bytes."""

UNLOCKED = "none: the file system keeps no locks, and that one process alone writes this run is left to you (--no-lock)"
RESERVE_BYTES = 4 * 1024 * 1024
"""Kept free on disk, given back when it is full, so that calls in flight can still be written down."""

OURS = frozenset(
    {
        "attempt_id", "call_key", "status", "error_kind", "final", "attempt", "run_id", "stage", "repeat", "q_index",
        "call_index", "started_at", "ended_at", "latency_ms", "queue_ms", "ttft_ms", "ttft_visible_ms", "http_status",
        "usage", "cost_source", "charged_usd", "worst_usd", "cached", "simulated", "state", "heartbeat", "planned",
        "done", "items_done", "items", "in_flight", "limit", "calls_used", "max_calls", "eta_s", "total", "reported",
        "in_flight_extra", "log_bytes", "results_bytes",
    }
)  # fmt: skip
"""Fields whose values are our own words and numbers: no server and no user writes into them."""

Redact = Callable[[str], str]


def this_moment() -> str:
    """This moment as run folders note it: ISO 8601 in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def add_line(path: Path, text: str) -> None:
    """Add a line to a folder's run.log. Never fails: without a disk there is nobody left to tell."""
    try:
        descriptor = own_file(path / RUN_LOG, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(descriptor, f"{this_moment()} {visible(text)}\n".encode("utf-8", "replace"))
        finally:
            os.close(descriptor)
    except (OSError, FolderError):
        return


class RunFolder:
    """A run folder opened for writing: only one process at a time can hold it."""

    def __init__(self, path: Path, redact: Redact = lambda text: text, unlocked: bool = False) -> None:
        """Take the lock, mend torn lines, open the logs. FolderError when another process holds it.

        `unlocked`: a person sees to it that no other process writes it; without that, FolderError where the file system keeps
        no locks.
        """
        self.path = path
        self.redact = redact
        self.mended: list[str] = []
        """What a person should know of the folder as it was found: lines that were mended, a reserve that there is not. It is
        in run.log already."""
        check_files(path, FILES)
        self._lock, self._unlocked = _take_lock(path, unlocked)
        remove_leftovers(path)
        try:
            self._files = {name: self._open_log(name) for name in (LOG, INTENTS, RESULTS)}
            _sign(self._lock)
        except FolderError:
            os.close(self._lock)
            raise
        self.sizes = {name: os.fstat(self._files[name]).st_size for name in (LOG, RESULTS)}
        """Bytes of what is appended to, as far as this process wrote it."""
        self._dirty = threading.Event()
        self._closed = threading.Event()
        self.lost = ""
        """What the system said when bytes it had taken did not reach the disk; empty while all is well."""
        if self._unlocked:
            self._note(f"lock: {UNLOCKED}")
            self.replace(MANIFEST, json.dumps({**table(path / MANIFEST), "unlocked": True}, indent=2) + "\n")
        self._reserve()
        self._syncer = threading.Thread(target=self._sync_loop, name="fsync", daemon=True)
        self._syncer.start()

    def append(self, name: str, line: str) -> bytes:
        """Append one line (newline included) in one write; what was written. StorageError when the disk refuses it."""
        return self._append(name, self._clean(line).encode("ascii"))

    def _append(self, name: str, data: bytes) -> bytes:
        if name not in self._files:
            self._files[name] = self._open_log(name)
        descriptor = self._files[name]
        try:
            _write_whole(descriptor, data)
        except OSError as error:
            raise StorageError(f"{self.path / name}: cannot be written: {error.strerror}") from error
        if name in self.sizes:
            self.sizes[name] += len(data)
        if not self._dirty.is_set():  # to look is cheap; whoever clears it syncs afterwards what was written before
            self._dirty.set()
        return data

    def append_lines(self, name: str, lines: Sequence[str]) -> None:
        """Append lines (newlines included) in one write. StorageError when the disk refuses it."""
        text = "".join(lines)
        self._append(name, (text if self.redact(text) == text else "".join(map(self._clean, lines))).encode("ascii"))

    def append_last(self, name: str, line: str) -> None:
        """Append after the disk was found full: give back the reserve first, so that what was answered is kept."""
        (self.path / RESERVE).unlink(missing_ok=True)
        self.append(name, line)

    def append_now(self, name: str, line: str) -> None:
        """Append one line and have it on the disk before anything else is done. StorageError when the disk refuses it."""
        self.append(name, line)
        try:
            os.fsync(self._files[name])
        except OSError as error:
            raise StorageError(f"{self.path / name}: did not reach the disk: {error.strerror}") from error

    def truncate_results(self) -> None:
        """Empty results.jsonl: its lines are written anew as items finish."""
        os.ftruncate(self._files[RESULTS], 0)
        self.sizes[RESULTS] = 0

    def replace(self, name: str, content: str) -> None:
        """Write a whole file, atomically: a reader sees the old one or the new one."""
        write_file(Inside(self.path) / name, self._clean(content))

    def _clean(self, line: str) -> str:
        """A line of JSON without any key: inside its values, so that a key that is a plain word spoils no record."""
        if self.redact(line) == line:
            return line
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            return self.redact(line)
        cleaned = {name: value if name in OURS else self._blotted(value) for name, value in entry.items()}
        return json.dumps(cleaned, ensure_ascii=True, allow_nan=False) + "\n"

    def _blotted(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict):
            return {self.redact(name): self._blotted(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._blotted(inner) for inner in value]
        return value if self.redact(str(value)) == str(value) else self.redact(str(value))

    def narrate(self, text: str) -> None:
        """Add a line to run.log. Never fails the run: without a disk there is nobody left to tell."""
        add_line(self.path, self.redact(text))

    def narrate_exception(self, message: str, error: BaseException) -> None:
        """Add a traceback to run.log. A lack of memory is no bug of anything's: it is raised again, and ends the run."""
        if lacks_memory(error):
            raise error
        self.narrate(message + "\n" + "".join(traceback.format_exception(error)).rstrip())

    def wishes(self, name: str) -> bool:
        """Return whether somebody put a STOP or PAUSE file into the folder."""
        return (self.path / name).exists()

    def clear_wishes(self) -> None:
        """Remove STOP and PAUSE: a run that starts is meant to run."""
        for name in (STOP, PAUSE):
            (self.path / name).unlink(missing_ok=True)

    def disturbed(self) -> str:
        """Return what others did to the log: it is another file than the one written, or not just as long; empty if nothing."""
        try:
            there, ours = os.stat(self.path / LOG), os.fstat(self._files[LOG])
        except OSError:
            return "the log was moved or replaced while the run was writing it"
        if (there.st_ino, there.st_dev) != (ours.st_ino, ours.st_dev):
            return "the log was moved or replaced while the run was writing it"
        if ours.st_size == self.sizes[LOG]:
            return ""
        return (
            "the log was cut short by another program while the run was writing it"
            if ours.st_size < self.sizes[LOG]
            else "another program wrote into the log while the run was writing it"
        )

    def sync(self) -> None:
        """Have everything that was appended reach the disk."""
        for name, descriptor in list(self._files.items()):
            try:
                os.fsync(descriptor)
            except OSError as error:
                self.lost = f"{self.path / name}: did not reach the disk: {error.strerror}"

    def close(self) -> None:
        """Sync and close everything, and let go of the lock."""
        self._closed.set()
        self._dirty.set()
        self._syncer.join(timeout=30)
        for descriptor in self._files.values():
            os.close(descriptor)
        (self.path / RESERVE).unlink(missing_ok=True)
        if self._unlocked:
            os.ftruncate(self._lock, 0)  # nobody holds it any more; there is no lock that says so
        os.close(self._lock)

    def _reserve(self) -> None:
        try:
            (self.path / RESERVE).unlink(missing_ok=True)
            descriptor = (Inside(self.path) / RESERVE).create()
            try:
                os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
            finally:
                os.close(descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                (self.path / RESERVE).unlink(missing_ok=True)
            self._note(
                f"{RESERVE_BYTES // 2**20} MB cannot be kept in reserve here ({error.strerror}). On a full disk, replies "
                "of calls in flight are lost, and these calls are paid for again. Free some space before going on"
            )

    def _open_log(self, name: str) -> int:
        path = self.path / name
        try:
            descriptor = own_file(path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise FolderError(f"{path}: cannot be written: {error.strerror}") from None
        if (
            name == LOG and not self._unlocked and not _locked(descriptor)
        ):  # the lock file may have been removed beneath a live run
            os.close(descriptor)
            raise _refused(self.path)
        torn = _torn_bytes(descriptor)
        if torn > LONGEST_LINE:
            os.close(descriptor)
            raise FolderError(endless(path))
        if torn:
            self._note(f"{name}: cut {torn} bytes of an unfinished last line")
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - torn)
        return descriptor

    def _note(self, text: str) -> None:
        """Say it in run.log before it is done: whoever is killed in between has said it."""
        self.narrate(text)
        self.mended.append(text)

    def _sync_loop(self) -> None:
        """Fsync at most once a second, off the event loop."""
        while not self._closed.is_set():
            self._dirty.wait()
            self._dirty.clear()
            self.sync()
            self._closed.wait(1.0)


def create_folder(path: Path) -> None:
    """Make a run folder that only its owner can read. FolderError when something is already there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700)
    except (FileExistsError, NotADirectoryError):
        raise FolderError(
            f"{path}: already exists; choose another --out, finish it with tui-eval resume {path}, or replace it with --force"
        ) from None
    except OSError as error:
        raise FolderError(f"{path}: cannot be made: {error.strerror}") from None
    os.chmod(path, 0o700)


def holder(path: Path) -> dict[str, Any] | None:
    """Who holds the folder's lock (pid, host, since), or None when nobody does.

    A live run holds its log, too: where the lock file was removed, or replaced, it is live all the same, and nobody knows who.
    """
    return _holder_of(path / LOCK) or _holder_of(path / LOG)


def _holder_of(path: Path) -> dict[str, Any] | None:
    """Who holds a file; nobody holds what is no regular file.

    Where there are no locks, whoever signed the lock file, unless that is a process of this machine that is gone.
    """
    try:
        descriptor = opened(path)
    except OSError:
        return None
    try:
        signature = object_of(os.pread(descriptor, 4096, 0)) if path.name == LOCK else {}
        if take_lock(descriptor, shared=True):
            return None
        return signature or {"pid": None, "host": None, "since": None}
    except NoLocksError:
        return signature if signature and _may_live(signature) else None
    except OSError:
        return {"pid": None, "host": None, "since": None}
    finally:
        os.close(descriptor)


def _may_live(signature: dict[str, Any]) -> bool:
    """Return whether a process that signed a lock file may be at work: of another machine nobody can tell."""
    pid = signature.get("pid")
    if signature.get("host") != socket.gethostname() or type(pid) is not int or pid <= 0:
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return pid != os.getpid()


def reported_of(progress: dict[str, Any]) -> float | None:
    """Return the share of the reports that is written, by progress.json; None where they are not being written."""
    share = progress.get("reported") if progress.get("state") == "reporting" else None
    return float(share) if isinstance(share, int | float) and 0 <= share <= 1 else None


def _take_lock(path: Path, unlocked: bool) -> tuple[int, bool]:
    """The lock file's descriptor, and whether there is no lock on it: the file system keeps none, and a person allowed that."""
    try:
        descriptor = own_file(path / LOCK, os.O_RDWR)
    except OSError as error:
        raise FolderError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        if _locked(descriptor):
            return descriptor, False
        refused = _refused(path)
    except NoLocksError as error:
        if unlocked and holder(path) is None:
            return descriptor, True
        refused = _refused(path) if unlocked else lockless(path, error.strerror or str(error))
    os.close(descriptor)
    raise refused


def check_locks(path: Path, unlocked: bool) -> None:
    """FolderError where a folder, made or not, is on a file system that keeps no locks, unless a person allowed that."""
    why = "" if unlocked else why_no_locks(path)
    if why:
        raise lockless(path, why)


def lockless(path: Path, why: str) -> FolderError:
    """Return the error of a run folder that cannot be locked."""
    return FolderError(
        f"{path}: its file system keeps no locks ({why}), so a second process could write this run, too. Use a "
        "folder on another disk (--out, --workspace), or --no-lock if you make sure that no other process works on it"
    )


def _sign(lock: int) -> None:
    """Write down who holds the lock."""
    os.ftruncate(lock, 0)
    os.pwrite(lock, json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": this_moment()}).encode(), 0)


def _refused(path: Path) -> FolderError:
    process = holder(path) or {}
    who = "its lock file was removed" if process.get("pid") is None else f"pid {process['pid']} on {process.get('host')}"
    progress = table(path / PROGRESS)
    if progress.get("state") == "reporting":
        share = reported_of(progress)
        who += "" if share is None else f", {100 * share:.0f} % so far"
        return FolderError(f"{path}: a live process has ended all calls and is writing its reports ({who}); wait for it")
    return FolderError(
        f"{path}: a live process is writing it ({who}); "
        f"watch it with tui-eval status {path}, or stop it with tui-eval stop {path}"
    )


def _locked(descriptor: int) -> bool:
    """Take the lock; NoLocksError where there are none.

    Whoever only looks who holds it shares it for an instant: so try for a moment before giving up.
    """
    for _ in range(50):
        if take_lock(descriptor):
            return True
        time.sleep(random.uniform(0.002, 0.01))
    return False


def _torn_bytes(descriptor: int) -> int:
    """Return the number of bytes after the last newline; no more are looked at than a line can have."""
    size = position = os.fstat(descriptor).st_size
    while position > 0 and size - position <= LONGEST_LINE:
        start = max(position - 65_536, 0)
        newline = os.pread(descriptor, position - start, start).rfind(b"\n")
        if newline >= 0:
            return size - (start + newline + 1)
        position = start
    return size


def _write_whole(descriptor: int, data: bytes) -> None:
    """Write all of it; where the disk takes only a part, cut that part off again and raise."""
    n_written = os.write(descriptor, data)
    if n_written == len(data):
        return
    start = os.fstat(descriptor).st_size - n_written
    try:
        while n_written < len(data):
            n_written += os.write(descriptor, data[n_written:])
    except OSError:
        os.ftruncate(descriptor, start)
        raise
