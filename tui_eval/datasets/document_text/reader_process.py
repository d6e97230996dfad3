"""The process that opens a PDF or a web page, started, watched and ended from outside; what it says is not taken on trust."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tui_eval.core.plaintext import one_line

LEAST_MEMORY = 2_000_000_000
"""Bytes of the machine's memory for each document that is open, of which there may always be two."""


def _places_for_documents() -> int:
    """Return as many as there are cores for us, where there is memory for so many."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        cores = os.cpu_count() or 1
    return max(2, min(cores, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // LEAST_MEMORY))


AT_ONCE = _places_for_documents()
"""How many documents are opened at the same time; the others wait, and their time does not run."""
whose_time_is_over: ContextVar[threading.Event | None] = ContextVar("whose_time_is_over", default=None)
"""Set once nobody wants what is being read."""
_LOOK_S = 0.1
"""Between two looks at whether anybody does."""
_CHILD = "tui_eval.datasets.document_text.child"
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""The only variables that the process is given: none of them is a key."""
ENCRYPTED = b"/Encrypt"
"""What stands, itself never encrypted or compressed, in every PDF that is encrypted."""
_CHUNK = 65_536
_BYTES_A_CHARACTER = 6
_BYTES_A_PAGE = 400
_places = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """Limits of the process: seconds by the clock and of the processor, bytes of memory, and how much it may print."""

    seconds: int
    memory: int
    characters: int
    pages: int
    keep_hidden: bool = False
    """Whether what a web page hides is text like any other."""


@dataclass(frozen=True, slots=True)
class ChildReport:
    """Report of the process on a file, and how it ended."""

    pages: tuple[str, ...]
    """The text of each page that was reached; empty for one that failed."""
    failed: tuple[tuple[int, str], ...]
    """Pages, counted from 1, that could not be read, and why."""
    expected: int
    """How many pages the file has; 0 where that was never told."""
    fault: str = ""
    """Why it has no text, one of those that `document_reader` has a sentence for; empty where it has."""
    detail: str = ""
    ends: tuple[Sequence[tuple[int, float]], ...] = ()
    """Of each page its highest and its lowest lines: which of its lines they are, and how many points down they stand; empty
    where that is not known."""
    hidden: tuple[str, ...] = ()
    """What a web page hides and its text leaves out."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Machines that open documents in this one's place."""

    report_of: Callable[[Literal["pdf", "html"], bytes, ChildLimits], ChildReport]
    places: int
    """How many documents they open at the same time."""


read_elsewhere: ContextVar[Elsewhere | None] = ContextVar("read_elsewhere", default=None)
"""Where documents are opened; None = here."""


def report_of(sort: Literal["pdf", "html"], data: bytes, limits: ChildLimits) -> ChildReport:
    """Have a file opened in a process of its own, and say what came of it: at the latest when its time is up.

    Whatever happens, the process is gone afterwards. It has a session of its own, and not our environment. OSError where no
    process, or no file to hand it the bytes, can be had.
    """
    if (elsewhere := read_elsewhere.get()) is not None:
        return elsewhere.report_of(sort, data, limits)
    order = {"sort": sort, "encrypted": ENCRYPTED in data, **asdict(limits)}
    most = limits.characters * _BYTES_A_CHARACTER + limits.pages * _BYTES_A_PAGE + _CHUNK
    with _places, tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", "-m", _CHILD, json.dumps(order)],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
            start_new_session=True,
        )
        try:
            printed, fault = _printed(process, time.monotonic() + limits.seconds, most)
        finally:
            code = _ended(process)
    report = _read(printed)
    if report.fault != "unfinished" and not fault:
        return report
    return ChildReport(report.pages, report.failed, report.expected, fault or _why(code), f"exit code {code}")


def _printed(process: subprocess.Popen[bytes], deadline: float, most: int) -> tuple[bytes, str]:
    """Return the process's output until it closes it, and the fault where it takes too long or prints too much."""
    assert process.stdout is not None
    pipe, output, is_over = process.stdout.fileno(), bytearray(), whose_time_is_over.get()
    while True:
        remaining = deadline - time.monotonic()
        if remaining <= 0 or (is_over is not None and is_over.is_set()):
            return bytes(output), "time"
        if not select.select([pipe], [], [], remaining if is_over is None else min(remaining, _LOOK_S))[0]:
            continue
        chunk = os.read(pipe, _CHUNK)
        output += chunk
        if len(output) > most:
            return bytes(output[:most]), "characters"
        if not chunk:
            return bytes(output), ""


def _ended(process: subprocess.Popen[bytes]) -> int:
    """End the process, if it has not ended in the moment since it closed its output, and whatever it may have started."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(0.2)
    with suppress(ProcessLookupError, PermissionError):  # Popen has not been asked since: the number may not be another's yet
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
    if process.stdout is not None:
        process.stdout.close()
    return process.wait()


def _why(code: int) -> str:
    """The fault of a process that ended without saying why."""
    if code in (-signal.SIGXCPU, -signal.SIGALRM):
        return "time"
    return "crashed" if code < 0 else "not_started"


def _read(printed: bytes) -> ChildReport:
    """The lines of the process; what is none of them counts as an end in the middle."""
    pages: list[str] = []
    ends: list[Sequence[tuple[int, float]]] = []
    failed: list[tuple[int, str]] = []
    hidden: list[str] = []
    expected = 0
    for line in printed.split(b"\n"):
        entry = _entry(line)
        match entry:
            case {"pages": int(number)}:
                expected = number
            case {"text": str(text)}:
                pages.append(text)
                ends.append(_ends(entry.get("ends")))
                hidden += _words_in(entry.get("hidden"))
            case {"failed": str(why)}:
                pages.append("")
                ends.append(())
                failed.append((len(pages), one_line(why)))
            case {"fault": str(fault)}:
                return ChildReport(tuple(pages), tuple(failed), expected, fault, one_line(str(entry.get("detail", ""))))
            case {"end": True}:
                return ChildReport(tuple(pages), tuple(failed), expected, ends=tuple(ends), hidden=tuple(hidden))
            case _:
                break
    return ChildReport(tuple(pages), tuple(failed), expected, "unfinished")


def _words_in(value: object) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _ends(value: object) -> Sequence[tuple[int, float]]:
    """Return where lines stand, as far as that is told in the form it should have."""
    ends = []
    for entry in value if isinstance(value, list) else ():
        match entry:
            case [int(at), int(depth) | float(depth)] if not isinstance(at, bool) and -1e6 < depth < 1e6:
                ends.append((at, float(depth)))
    return tuple(ends)


def _entry(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}
