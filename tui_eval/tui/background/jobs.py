"""A tui-eval command as a child process of the app, watched without making a key wait."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from subprocess import DEVNULL, PIPE, Popen
from typing import IO

from tui_eval.runs.steering import own_command
from tui_eval.tui.sanitize import safe
from tui_eval.workspace.places import Workspace

MOST = 16_000_000
"""Bytes of what a command prints that are kept, of its data and of its words each; the rest is read and left out."""
CHUNK = 65_536
MOMENT_S = 0.01
"""How often a process is asked for its end once it has closed what it prints to, which is a moment before it."""
NOT_STARTED = 126
"""The code of a command that could not even be started, as in a shell."""

LineHandler = Callable[[str], None]


class CommandJob:
    """One command of this program, in a process and a session of its own.

    `arguments`: what comes after `tui-eval --workspace DIR`. `on_end` is called once it has ended by itself, or was killed
    after `limit_s` seconds; not after `end`. `stdin` is written to it and forgotten. `on_line` is told each line of its
    words (standard error, safe to show) as it comes, `on_output` each line of its data (standard output, as it is).
    All of these are called in the app's own thread, none of them after `end`. When the app ends, so do its jobs.

    The pipes are this class's own, not transports of asyncio: those close in later turns of the loop, and a loop that ends
    before leaves them open for good; and a task that is cancelled while asyncio starts a process waits for it for ever.
    """

    def __init__(
        self,
        workspace: Workspace,
        arguments: Sequence[str],
        on_end: Callable[[CommandJob], None],
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
        self._process: Popen[bytes] | None = None
        self._pipes: list[_Inlet | _Outlet] = []
        self._ended = False

    @property
    def running(self) -> bool:
        """Report whether it was started and has not ended."""
        return self._task is not None and self.code is None and not self._ended

    def start(self) -> CommandJob:
        """Start it, and return it; what it prints is collected beside what the app does."""
        if self._task is None and not self._ended:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="a tui-eval command")
        return self

    def end(self) -> None:
        """Kill it and every process it started; nobody is told of its end. Nothing happens where it has ended already."""
        self._ended = True
        self._stdin = None
        self._kill()
        self._close()

    async def _run(self) -> None:
        process = None if self._ended else self._started()
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
            await _killed(process)
        self._tell(process.returncode)

    def _started(self) -> Popen[bytes] | None:
        """The process; None where there is none, and that is told."""
        try:
            data, self._stdin = None if self._stdin is None else self._stdin.encode(), None
            inlet = DEVNULL if data is None else PIPE
            self._process = Popen(self._command, bufsize=0, stdin=inlet, stdout=PIPE, stderr=PIPE, start_new_session=True)
        except (OSError, ValueError) as error:
            self.words = f"the command could not be started: {safe(str(error))}"
            self._tell(NOT_STARTED)
            return None
        if self._process.stdin is not None and data is not None:
            self._pipes.append(_Inlet(self._process.stdin, data))
        return self._process

    async def _watched(self, process: Popen[bytes]) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        outlet, words = _Outlet(process.stdout, self._on_output), _Outlet(process.stderr, self._on_line, sanitize=True)
        self._pipes += outlet, words
        try:
            await outlet.ended
            await words.ended
            await _gone(process)
        finally:
            self._close()
            self.stdout, self.words = outlet.text, safe(words.text).strip()
            self.cut = outlet.cut or words.cut

    def _close(self) -> None:
        for pipe in self._pipes:
            pipe.close()

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            # its number is nobody else's before it is asked for its code
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _tell(self, code: int | None) -> None:
        if not self._ended:
            self.code = code
            self._on_end(self)


async def _gone(process: Popen[bytes]) -> None:
    """Wait for the end of a process that has nothing more to say."""
    while process.poll() is None:  # noqa: ASYNC110 - a thread that waits would outlive the loop it is to tell
        await asyncio.sleep(MOMENT_S)


async def _killed(process: Popen[bytes]) -> None:
    """Wait for the end of a process that was killed, which is near."""
    try:
        await _gone(process)
    except asyncio.CancelledError:  # the app ends meanwhile: nobody would take its exit code later
        process.wait()
        raise


class _Inlet:
    """Standard input of a process: written as it is taken, then closed and forgotten."""

    def __init__(self, pipe: IO[bytes], data: bytes) -> None:
        self._pipe, self._rest = pipe, memoryview(data)
        self._loop = asyncio.get_running_loop()
        os.set_blocking(pipe.fileno(), False)
        self._loop.add_writer(pipe.fileno(), self._write)

    def close(self) -> None:
        """Write no more."""
        self._rest = memoryview(b"")
        if not self._pipe.closed:
            self._loop.remove_writer(self._pipe.fileno())
            self._pipe.close()

    def _write(self) -> None:
        try:
            self._rest = self._rest[os.write(self._pipe.fileno(), self._rest) :]
        except BlockingIOError:
            return
        except OSError:  # it may have ended without reading
            self._rest = memoryview(b"")
        if not self._rest:
            self.close()


class _Outlet:
    """Output of a process: the beginning kept, each line reported as it comes."""

    def __init__(self, pipe: IO[bytes], on_line: LineHandler | None, sanitize: bool = False) -> None:
        self.cut = False
        self._loop = asyncio.get_running_loop()
        self.ended = self._loop.create_future()
        """Done once there is nothing more to read."""
        self._pipe = pipe
        self._on_line = on_line
        self._shown = sanitize
        self._kept = bytearray()
        self._line = bytearray()
        os.set_blocking(pipe.fileno(), False)
        self._loop.add_reader(pipe.fileno(), self._read)

    @property
    def text(self) -> str:
        """Output that is kept."""
        return self._kept.decode("utf-8", "replace")

    def close(self) -> None:
        """Read and tell no more."""
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe.fileno())
            self._pipe.close()
        if not self.ended.done():
            self.ended.set_result(None)

    def _read(self) -> None:
        try:
            chunk = os.read(self._pipe.fileno(), CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            self._end_line()
            self.close()
            return
        room = MOST - len(self._kept)
        self.cut = self.cut or len(chunk) > room
        self._kept += chunk[:room]
        if self._on_line is not None:
            self._split(chunk)

    def _split(self, chunk: bytes) -> None:
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._line += piece
            self._end_line()
        self._line += rest[: MOST - len(self._line)]

    def _end_line(self) -> None:
        line, self._line = bytes(self._line).decode("utf-8", "replace"), bytearray()
        if line and self._on_line is not None and not self._pipe.closed:
            self._on_line(safe(line) if self._shown else line)
