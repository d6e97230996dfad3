"""A tui-eval command as a child process of the app, watched without making a key wait."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress

from tui_eval.runs import own_command
from tui_eval.tui.safe import safe
from tui_eval.workspace import Workspace

MOST = 16_000_000
"""Bytes of what a command prints that are kept, of its data and of its words each; the rest is read and left out."""
CHUNK = 65_536
NOT_STARTED = 126
"""The code of a command that could not even be started, as in a shell."""

LineHandler = Callable[[str], None]


class Job:
    """One command of this program, in a process and a session of its own.

    `arguments`: what comes after `tui-eval --workspace DIR`. `on_end` is called once it has ended by itself, or was killed
    after `limit_s` seconds; not after `end`. `stdin` is written to it and forgotten. `on_line` is told each line of its
    words (standard error, safe to show) as it comes, `on_output` each line of its data (standard output, as it is).
    All of these are called in the app's own thread. When the app ends, so do its jobs.
    """

    def __init__(
        self,
        workspace: Workspace,
        arguments: Sequence[str],
        on_end: Callable[[Job], None],
        stdin: str | None = None,
        limit_s: float | None = None,
        on_line: LineHandler | None = None,
        on_output: LineHandler | None = None,
    ) -> None:
        self.code: int | None = None
        """Its exit code: None while it runs, and where it was ended; negative where a signal killed it."""
        self.stdout = ""
        """What it printed as data, not made safe: at most the first 16 MB."""
        self.words = ""
        """What it said on standard error, safe to show."""
        self.cut = False
        """Whether it printed more than is kept."""
        self.timed_out = False
        self._command = [*own_command(workspace), *arguments]
        self._on_end = on_end
        self._stdin = stdin
        self._limit_s = limit_s
        self._on_line, self._on_output = on_line, on_output
        self._task: asyncio.Task[None] | None = None
        self._process: Process | None = None
        self._ended = False

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._task is not None and self.code is None and not self._ended

    def start(self) -> None:
        """Start it; what it prints is collected beside what the app does."""
        if self._task is None and not self._ended:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="a tui-eval command")

    def end(self) -> None:
        """Kill it and every process it started; nobody is told of its end. Nothing happens where it has ended already."""
        self._ended = True
        self._stdin = None
        self._kill()

    async def _run(self) -> None:
        process = await self._started()
        if process is None:
            return
        try:
            async with asyncio.timeout(self._limit_s):
                await self._watched(process)
        except TimeoutError:
            self.timed_out = True
            self.words += f"\nit took longer than {self._limit_s:g} s and was ended"
        finally:  # also where the app ends, which cancels this
            self._kill()
            await process.wait()
        self._tell(process.returncode)

    async def _started(self) -> Process | None:
        """The process; None where there is none, and that is told."""
        inlet = DEVNULL if self._stdin is None else PIPE
        try:
            starting = asyncio.create_subprocess_exec(
                *self._command, stdin=inlet, stdout=PIPE, stderr=PIPE, start_new_session=True
            )
            self._process = await starting
        except (OSError, ValueError) as error:
            self.words = f"the command could not be started: {safe(str(error))}"
            self._tell(NOT_STARTED)
        if self._ended:
            self._kill()
        return self._process

    async def _watched(self, process: Process) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        outlet, words = _Outlet(self._on_output), _Outlet(self._on_line, shown=True)
        try:
            await asyncio.gather(outlet.read(process.stdout), words.read(process.stderr), self._feed(process))
            await process.wait()
        finally:
            self.stdout, self.words = outlet.text, safe(words.text).strip()
            self.cut = outlet.cut or words.cut

    async def _feed(self, process: Process) -> None:
        """Write to it what it is to read, and forget that."""
        if process.stdin is None:
            return
        data, self._stdin = (self._stdin or "").encode(), None
        with suppress(BrokenPipeError, ConnectionResetError):  # it may have ended without reading
            process.stdin.write(data)
            await process.stdin.drain()
        process.stdin.close()

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):  # it has ended a moment ago
                os.killpg(self._process.pid, signal.SIGKILL)

    def _tell(self, code: int | None) -> None:
        if not self._ended:
            self.code = code
            self._on_end(self)


class _Outlet:
    """What comes out of a process: the beginning kept, each line told as it comes."""

    def __init__(self, on_line: LineHandler | None, shown: bool = False) -> None:
        self.cut = False
        self._on_line = on_line
        self._shown = shown
        self._kept = bytearray()
        self._line = bytearray()

    @property
    def text(self) -> str:
        """What is kept of it."""
        return self._kept.decode("utf-8", "replace")

    async def read(self, stream: asyncio.StreamReader) -> None:
        """Read it to its end, however much there is."""
        while chunk := await stream.read(CHUNK):
            room = MOST - len(self._kept)
            self.cut = self.cut or len(chunk) > room
            self._kept += chunk[:room]
            if self._on_line is not None:
                self._split(chunk)
        self._end_line()

    def _split(self, chunk: bytes) -> None:
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._line += piece
            self._end_line()
        self._line += rest[: MOST - len(self._line)]

    def _end_line(self) -> None:
        line, self._line = bytes(self._line).decode("utf-8", "replace"), bytearray()
        if line and self._on_line is not None:
            self._on_line(safe(line) if self._shown else line)
