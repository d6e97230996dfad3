"""Processes of tui-eval to be killed: started as a person starts them, or forked from one that has imported everything."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from nursery import Child, Nursery


class Process(Protocol):
    """One process, until it has ended."""

    def over(self) -> bool:
        """Whether it has ended."""

    def kill(self) -> None:
        """End it with SIGKILL; from any thread, and nothing happens where it has ended."""

    def wait(self, timeout_s: float) -> int:
        """Its exit code (negative: the signal that ended it). One that does not end in time is killed."""

    def said(self) -> str:
        """What it wrote to stdout and stderr."""


class Started:
    """`python -m tui_eval`, as a person starts it."""

    def __init__(self, arguments: Sequence[str], said: Path, environment: Mapping[str, str]) -> None:
        self._said = said
        command = [sys.executable, "-m", "tui_eval", *arguments]
        with said.open("wb") as stream:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, env={**os.environ, **environment}
            )

    def over(self) -> bool:
        """See Process."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """See Process."""
        self._process.kill()

    def wait(self, timeout_s: float) -> int:
        """See Process."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def said(self) -> str:
        """See Process."""
        return self._said.read_text(encoding="utf-8", errors="replace")


class Forked:
    """The same command line in a process forked from one that has imported everything: it starts at a tenth of the cost."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._descriptor = os.pidfd_open(child.pid)
        self._turn = threading.Lock()

    def over(self) -> bool:
        """See Process."""
        return self._child.code is not None or self._ended(0)

    def kill(self) -> None:
        """See Process."""
        with self._turn:
            self._child.send(signal.SIGKILL)

    def wait(self, timeout_s: float) -> int:
        """See Process."""
        if self._child.code is None and not self._ended(timeout_s):
            self.kill()
            self._ended(timeout_s)
        with self._turn:
            code = self._child.wait()
            os.close(self._descriptor)
        return code

    def said(self) -> str:
        """See Process."""
        try:
            return (self._child.stdout + self._child.stderr).decode("utf-8", "replace")
        except FileNotFoundError:  # killed before it could say anything
            return ""

    def _ended(self, timeout_s: float) -> bool:
        return bool(select.select([self._descriptor], [], [], timeout_s)[0])


def forked(nursery: Nursery, arguments: Sequence[str], environment: Mapping[str, str]) -> Forked:
    """Such a process."""
    return Forked(nursery.start(*arguments, environment=dict(environment), preflight=True))


@contextmanager
def nursery_in(folder: Path) -> Iterator[Nursery]:
    """The process from which others are forked, with a new folder for what they say."""
    with Nursery(Path(tempfile.mkdtemp(prefix="nursery-", dir=folder))) as nursery:
        yield nursery
