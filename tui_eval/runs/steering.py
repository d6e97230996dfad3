"""Runs of a workspace, seen and steered: list, status, stop, pause, continue, resume as a process of its own, delete."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tui_eval.core.calls import Json
from tui_eval.core.errors import FolderError
from tui_eval.core.plaintext import visible
from tui_eval.core.plugins import passed_on
from tui_eval.runs.entry import RunEntry, entry_of, limits_of, live_process, look, state_of
from tui_eval.runs.folder import CONFIG, INTENTS, LOG, MANIFEST, PAUSE, PROGRESS, STOP
from tui_eval.runs.log_counts import counts_on_file
from tui_eval.runs.opening import problem_of, table
from tui_eval.runs.reader import RunReader
from tui_eval.runs.writing import LOCK, own_file
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import file_stamp, stream_of

__all__ = [
    "CONSOLE", "REBUILT", "RunEntry", "RunList", "Started",
    "delete", "go_on", "own_command", "pause", "rescore", "resume", "status", "stop",
]  # fmt: skip

CONSOLE = "console.log"
"""What a process that was started here writes to stdout and stderr."""
REBUILT = "reports rebuilt in"
"""How a re-score begins to say where; what else it says, a person should know."""


class _ReadState(NamedTuple):
    """State that was read of a run, and the marks of its files by which one knows that it still holds."""

    marks: tuple[object, object]
    entry: RunEntry


class RunList:
    """The runs of a workspace and those watched besides, newest first. To look again costs two stat calls per ended run."""

    def __init__(self, workspace: Workspace) -> None:
        self.entries: tuple[RunEntry, ...] = ()
        self._runs = workspace.runs
        self._watched: tuple[Path, ...] = ()
        self._seen: dict[str, _ReadState] = {}
        """By the folder's path."""

    def watch(self, path: Path) -> Path:
        """List a run folder wherever it lies; the path of its entry."""
        folder, name = os.path.split(os.path.realpath(path))
        if folder == os.path.realpath(self._runs) and not name.startswith("."):
            return self._runs / name
        self._watched = tuple(dict.fromkeys((*self._watched, path)))
        return path

    def refresh(self) -> bool:
        """Look again; whether anything is another than before."""
        before = self._seen
        pairs = ((path, self._look(path)) for path in self._paths())
        self._seen = {path: snapshot for path, snapshot in pairs if snapshot is not None}
        same = self._seen.keys() == before.keys() and all(
            snapshot is before[path] or snapshot.entry == before[path].entry for path, snapshot in self._seen.items()
        )
        if not same:
            entries = [snapshot.entry for snapshot in self._seen.values()]
            self.entries = tuple(sorted(entries, key=lambda e: (e.started_at or "", e.run_id), reverse=True))
        return not same

    def _paths(self) -> Iterator[str]:
        try:
            with os.scandir(self._runs) as entries:
                inside = [entry.path for entry in entries if not entry.name.startswith(".") and _is_folder(entry)]
        except OSError:
            inside = []
        yield from inside
        yield from (str(path) for path in self._watched if _is_run(path))

    def _look(self, path: str) -> _ReadState | None:
        former, marks = self._seen.get(path), (file_stamp(f"{path}/{PROGRESS}"), file_stamp(f"{path}/{LOCK}"))
        same = former is not None and former.marks == marks and former.entry.started_at is not None  # else it is being copied
        if former is not None and same and (not former.entry.live or live_process(former.entry.path)):
            return former
        folder = Path(path)
        return _ReadState(marks, entry_of(folder)) if _is_run(folder) else None


_outliving: list[subprocess.Popen[bytes]] = []
"""Processes that go on when whoever started them has ended: they are never collected while they run, which would warn."""


class Started:
    """A process of its own that works on a run: it goes on when we end, whatever ends us."""

    def __init__(self, process: subprocess.Popen[bytes], path: Path, asks: bool = True) -> None:
        self._process = process
        self._path = path
        self.pid = process.pid
        self.asks = asks
        """Whether it asks models; else it makes the reports anew from the log."""

    def poll(self) -> int | None:
        """Its exit code; None while it works."""
        return self._process.poll()

    def last_words(self, limit: int = 2000) -> str:
        """The end of what it printed, safe to show: at most this many characters."""
        try:
            with stream_of(self._path / CONSOLE) as stream:
                stream.seek(max(os.fstat(stream.fileno()).st_size - 4 * limit, 0))
                return visible(stream.read(4 * limit).decode("utf-8", "replace")).strip()[-limit:]
        except OSError:
            return ""


def status(path: Path) -> dict[str, Json]:
    """Return the state of a run: state, counts, cost, in flight. Works on live runs, finished ones and crashed ones.

    Of a run whose process could not write down how it ended, counts are those of its log.
    """
    reader = RunReader(path)
    manifest, progress, alive = look(reader.path)
    if alive is None:
        progress.pop("workers", None)
        if progress.get("in_flight"):
            progress["in_flight"] = 0
    state = state_of(path, progress, alive)
    if state == "interrupted":
        planned = {"planned": manifest.get("planned_calls"), "max_calls": limits_of(path).get("max_calls")}
        progress = {**planned, **progress, **counts_on_file(reader, progress)}
    return {
        "run_id": manifest.get("run_id", path.name),
        "path": str(path),
        "kind": manifest.get("kind"),
        "name": manifest.get("name"),
        "simulated": manifest.get("simulated"),
        **({"unlocked": True} if manifest.get("unlocked") is True else {}),
        "state": state,
        "holder": alive,
        "started_at": manifest.get("started_at"),
        "planned_calls": manifest.get("planned_calls"),
        **{name: value for name, value in progress.items() if name not in ("state", "run_id")},
    }


def stop(path: Path) -> None:
    """Ask a live run to stop starting calls."""
    _wish(path, STOP)


def pause(path: Path) -> None:
    """Ask a live run to wait."""
    _wish(path, PAUSE)


def go_on(path: Path) -> None:
    """Take a pause back. FolderError when no live process waits."""
    _unlink(path / PAUSE)
    if live_process(path) is None:
        raise FolderError(f"{path}: no live process is working on it; tui-eval resume {path} resumes it")


def nothing_to_resume(entry: RunEntry, failed: bool) -> str:
    """Why a run cannot be taken up again; empty where it can."""
    if entry.live:
        return "it is running"
    if failed or entry.state not in ("done", "incomplete"):
        return ""
    if entry.state == "done" or not ((entry.skipped or 0) + (entry.not_sent or 0)):
        return "every call has ended; there is nothing to resume. R asks failed calls and unparsed replies again"
    return ""


def resume(path: Path, workspace: Workspace, failed: bool = False, ask_again: bool = False) -> Started:
    """Take a run up again, in a process of its own that outlives this one. FolderError when one is at it already.

    `failed`: ask again what failed for good, too. `ask_again`: and calls whose lines of the log are destroyed.
    """
    return _begun(path, workspace, ["resume", str(path.absolute()), *_switches(failed, ask_again)], "resumed")


def rescore(path: Path, workspace: Workspace) -> Started:
    """Make a run's reports anew from its log, likewise; nothing is sent. FolderError when one is at it already.

    What a person should know is in its last words; the tables themselves are not printed.
    """
    return _begun(path, workspace, ["rescore", str(path.absolute())], "re-scored", asks=False)


def _begun(path: Path, workspace: Workspace, words: list[str], verb: str, asks: bool = True) -> Started:
    """Start a process of its own that works on a run. FolderError when one is at it already, or it cannot be `verb`."""
    if live_process(RunReader(path).path) is not None:
        raise FolderError(f"{path}: a live process is working on it already")
    console = path / CONSOLE
    try:
        console.unlink(missing_ok=True)
        descriptor = os.open(console, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        try:
            process = subprocess.Popen(
                [*own_command(workspace), *words],
                stdin=subprocess.DEVNULL,
                stdout=descriptor if asks else subprocess.DEVNULL,
                stderr=descriptor,
                start_new_session=True,
            )
        finally:
            os.close(descriptor)
        _outliving[:] = [each for each in _outliving if each.poll() is None] + [process]
    except OSError as error:
        raise FolderError(f"{path}: cannot be {verb}: {error.filename or CONSOLE}: {error.strerror}") from None
    return Started(process, path, asks)


def _switches(failed: bool, ask_again: bool) -> list[str]:
    return ["--failed"] * failed + ["--ask-again"] * ask_again


def delete(path: Path) -> None:
    """Remove a run folder for good. FolderError when it is live, a link, or no folder that a run was made in."""
    path = Path(os.path.abspath(path))
    if path.is_symlink():
        raise FolderError(f"{path}: a link to a folder, not a run folder; delete the link itself")
    if not _is_run(path) or not _made_by_us(path):
        raise FolderError(f"{path}: not a folder that a run was made in; nothing was deleted")
    _refuse_live(path)
    hidden = path.with_name(f".deleted-{os.urandom(8).hex()}")
    try:
        path.rename(hidden)
    except OSError as error:
        raise FolderError(f"{path}: cannot be deleted: {error.strerror}") from None
    try:
        _refuse_live(hidden)
    except FolderError:
        hidden.rename(path)  # a process took it in the meantime
        raise
    try:
        (hidden / CONFIG).unlink()
        shutil.rmtree(hidden)
    except OSError as error:
        raise FolderError(f"{path}: cannot be deleted wholly: {error.strerror}; the rest is in {hidden}") from None


def _made_by_us(path: Path) -> bool:
    """Return whether its manifest, or else its logs, show that a run was made in it: a config.toml alone may be anybody's."""
    manifest = table(path / MANIFEST)
    return {"run_id", "config_sha256"} <= manifest.keys() or ((path / LOG).is_file() and (path / INTENTS).is_file())


def _refuse_live(path: Path) -> None:
    if live_process(path) is not None:
        raise FolderError(f"{path}: a live process is working on it; stop it first")


def _wish(path: Path, name: str) -> None:
    if live_process(path) is None:
        raise FolderError(f"{path}: no live process is working on it; nothing to {name.lower()}")
    try:
        os.close(own_file(path / name, os.O_WRONLY))
    except OSError as error:
        raise FolderError(problem_of(path / name) or f"{path / name}: cannot be written: {error.strerror}") from None


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise FolderError(problem_of(path) or f"{path}: cannot be removed: {error.strerror}") from None


def own_command(workspace: Workspace) -> list[str]:
    """Return the command that starts this program once more for a workspace: what it is to do there comes behind."""
    return [sys.executable, *_safe_path(), "-m", "tui_eval", "--workspace", str(workspace.root.absolute()), *passed_on()]


def _safe_path() -> list[str]:
    """Python's -m looks for modules in the current folder first, whosever that is: only where we look there ourselves."""
    return [] if {"", os.getcwd()} & set(sys.path) else ["-P"]


def _is_run(path: Path) -> bool:
    try:
        return (path / CONFIG).is_file()
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
