"""A pretend terminal: starts a program on a pseudo-terminal, types, resizes, hangs up, and knows what stands on the screen."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte

PATIENCE_S = 60.0
"""How long anything may take on a slow machine that stands still now and then before it counts as lost."""
UNWANTED = ("NO_COLOR", "COLORTERM", "TERM_PROGRAM", "TMUX", "STY", "SSH_CONNECTION", "SSH_TTY", "COLUMNS", "LINES")
"""Variables of the terminal that the tests were started in; those of TEXTUAL_* are left out, too."""
READ_BYTES = 65_536
APP = ("-m", "tui_eval")
_STRANGE = re.compile(rb"\x1b(?:\[[<>=][0-9;:]*[A-Za-z]|\[[?>=0-9;]*\$[a-z])")
"""Sequences that the small emulator would print instead of passing over: keyboard modes and questions about modes."""
_LEFT = b"\x1b[?1049l"
Seen = str | Callable[[str], object]


def clean_environment(more: Mapping[str, str]) -> dict[str, str]:
    """Our environment without what steers colours and screens; `more` is added."""
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED and not name.startswith("TEXTUAL_")}
    return {**kept, "TERM": "xterm-256color", **more}


class Terminal:
    """A program on a terminal of its own, in a session of its own: closing the terminal hangs up on it, as a lost SSH does."""

    def __init__(
        self,
        arguments: Sequence[object],
        size: tuple[int, int] = (80, 24),
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        program: Sequence[object] = APP,
    ) -> None:
        """Start `python -m tui_eval <arguments>` (or another `program`) on a terminal of `size` columns and rows."""
        self._master, slave = pty.openpty()
        self._set_size(*size)
        self.before = self.attributes
        """The terminal's attributes before the program began."""
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, *map(str, program), *map(str, arguments)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=clean_environment(environment or {}),
            cwd=folder,
            preexec_fn=_own_terminal,
        )
        os.close(slave)
        self._wake, self._waker = os.pipe()
        self._chunks: list[tuple[float, bytes]] = []
        self._changed = threading.Condition()
        self._may_read = threading.Event()
        self._may_read.set()
        self._ended = False
        self._closed = False
        self._drawn = 0
        self._screen = pyte.Screen(*size)
        self._emulator = pyte.ByteStream(self._screen)
        self._tail = b""
        self._reader = threading.Thread(target=self._read, name="terminal", daemon=True)
        self._reader.start()

    # what came

    @property
    def received(self) -> bytes:
        """Everything that was written to the terminal so far."""
        return self.bytes_since(0)

    @property
    def mark(self) -> int:
        """A place in what came, for `bytes_since`, `chunks_since` and `wait_for_bytes`."""
        return len(self._chunks)

    @property
    def drawn(self) -> int:
        """The mark up to which the screen is drawn."""
        return self._drawn

    def chunks_since(self, mark: int) -> list[tuple[float, bytes]]:
        """What came since, in pieces, each with the moment (monotonic clock) it was read."""
        return self._chunks[mark:]

    def bytes_since(self, mark: int) -> bytes:
        """What came since."""
        return b"".join(data for _, data in self._chunks[mark:])

    def wait_for_bytes(self, mark: int, timeout_s: float = PATIENCE_S) -> float | None:
        """The moment the first bytes came since; None when none came in time."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._chunks) > mark or self._ended, timeout_s)
            return self._chunks[mark][0] if len(self._chunks) > mark else None

    def wait_for_quiet(self, quiet_s: float, timeout_s: float = PATIENCE_S) -> None:
        """Wait until nothing came for so long, but no longer than the time limit."""
        until = time.monotonic() + timeout_s
        while time.monotonic() < until and self.wait_for_bytes(self.mark, quiet_s) is not None:
            pass

    @property
    def text(self) -> str:
        """What stands on the visible screen now."""
        return "\n".join(line.rstrip() for line in self._draw().display)

    @property
    def screen(self) -> pyte.Screen:
        """The visible screen itself, with colours and the cursor."""
        return self._draw()

    def draw_until(self, holds: Callable[[pyte.Screen], object]) -> int | None:
        """Draw what came, piece by piece, until a condition on the screen holds; the mark behind that piece, None in vain."""
        for mark in range(self._drawn + 1, self.mark + 1):
            if holds(self._draw(mark)):
                return mark
        return None

    def wait_for(self, seen: Seen, timeout_s: float = PATIENCE_S) -> str:
        """Wait until a text stands on the screen, or a condition on its text holds; the text. AssertionError in vain.

        A machine that stood still meanwhile, so that its clock leapt, has waited a moment and not as long as the clock says.
        """
        left = timeout_s
        while True:
            mark, text = self.mark, self.text
            if seen in text if isinstance(seen, str) else seen(text):
                return text
            if left <= 0 or (self._ended and self.mark == mark):
                ended = f"it ended with {self.process.poll()}" if self._ended else f"{timeout_s:g} s went by"
                raise AssertionError(f"waited in vain for {seen!r}: {ended}; on the screen stands\n{text}")
            began = time.monotonic()
            self.wait_for_bytes(mark, 0.25)
            left -= min(time.monotonic() - began, 1.0)

    # what is done

    def send(self, keys: str | bytes) -> float:
        """Type; the moment before, since whoever reads it may run before we do again."""
        moment = time.monotonic()
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)
        return moment

    def resize(self, columns: int, rows: int) -> None:
        """Make the window another size; the program is told by SIGWINCH."""
        self._draw().resize(rows, columns)
        self._set_size(columns, rows)
        self.signal(signal.SIGWINCH)

    def signal(self, number: signal.Signals) -> None:
        """Send the program a signal, if it still lives."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def stop_reading(self) -> None:
        """Be a terminal that takes nothing any more, as a stalled connection is."""
        self._may_read.clear()

    def go_on_reading(self) -> None:
        """Take again what is written."""
        self._may_read.set()

    def close(self) -> None:
        """Drop the terminal: the program is hung up on."""
        if self._closed:
            return
        self._closed = True
        self._may_read.set()
        os.close(self._waker)
        self._reader.join()
        os.close(self._wake)
        os.close(self._master)

    def end(self, timeout_s: float = PATIENCE_S) -> int:
        """Wait for the program's end; its exit code. AssertionError when it does not end in time."""
        try:
            code = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {timeout_s} s; on the screen stands\n{self.text}") from None
        with self._changed:
            self._changed.wait_for(lambda: self._ended, 2)
        self.wait_for_quiet(0.1, 2)
        return code

    @property
    def attributes(self) -> list[object]:
        """The terminal's attributes now: echo, line mode and the like."""
        return termios.tcgetattr(self._master)

    @property
    def left_behind(self) -> str:
        """What a person finds below the prompt when the program has ended: the text after it left the alternate screen."""
        _, _, rest = self.received.rpartition(_LEFT)
        return (
            re.sub(rb"\x1b(?:\[[?<>=0-9;]*[ -/]?[@-~]|[=>78])", b"", rest)
            .decode("utf-8", "replace")
            .replace("\r\n", "\n")
            .strip()
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _draw(self, mark: int | None = None) -> pyte.Screen:
        end = self.mark if mark is None else mark
        data = self._tail + b"".join(piece for _, piece in self._chunks[self._drawn : end])
        self._drawn = end
        whole, self._tail = _without_torn_end(data)
        self._emulator.feed(_STRANGE.sub(b"", whole))
        return self._screen

    def _read(self) -> None:
        while not self._ended:
            ready, _, _ = select.select([self._master, self._wake], [], [])
            self._may_read.wait()
            data = b"" if self._wake in ready else self._piece()
            with self._changed:
                if data:
                    self._chunks.append((time.monotonic(), data))
                else:
                    self._ended = True
                self._changed.notify_all()

    def _piece(self) -> bytes:
        try:
            return os.read(self._master, READ_BYTES)
        except OSError as error:  # Linux says EIO where nobody holds the other end any more
            if error.errno != errno.EIO:
                raise
            return b""


def _own_terminal() -> None:
    """In the child: a session of its own, with the pseudo-terminal as what it is hung up by."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _without_torn_end(data: bytes) -> tuple[bytes, bytes]:
    """Bytes and, apart, the beginning of a sequence whose end has not come yet."""
    start = data.rfind(b"\x1b", max(0, len(data) - 64))
    if start < 0 or re.match(rb"\x1b(?:\[[?<>=0-9;:]*[ -/]*[@-~]|[^\[])", data[start:]):
        return data, b""
    return data[:start], data[start:]
