"""Processes of tui-eval that start at once: forked from one that has already imported it, each in a session of its own."""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import json
import os
import pkgutil
import resource
import select
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tui_eval
from tui_eval.cli import command_line

TIMEOUT_S = 120.0


@dataclass(slots=True)
class Child:
    """One process of tui-eval and what it wrote."""

    pid: int
    folder: Path
    nursery: Nursery
    code: int | None = None
    peak_mib: float = 0.0
    """Most memory it held; known once it has ended."""

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        if self.code is None:
            os.kill(self.pid, number)

    def wait(self, timeout_s: float = TIMEOUT_S) -> int:
        """Its exit code (negative: the signal that ended it). AssertionError when it does not end in time."""
        if self.code is None:
            self.nursery.wait(self, timeout_s)
        assert self.code is not None, f"still running after {timeout_s} s: {self.stderr[-2000:]!r}"
        return self.code

    def kill(self) -> None:
        """End it with SIGKILL."""
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()

    @property
    def stdout(self) -> bytes:
        """What it has written to stdout so far."""
        return (self.folder / "stdout").read_bytes()

    @property
    def stderr(self) -> bytes:
        """What it has written to stderr so far."""
        return (self.folder / "stderr").read_bytes()


class Nursery:
    """The parent of the processes, itself a process: forking this one, which has threads, would not be sound."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._children: list[Child] = []
        self._numbers = itertools.count()
        self._turn = threading.Lock()
        self._process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(
        self,
        *arguments: object,
        environment: dict[str, str] | None = None,
        preflight: bool = False,
        stdin: str = "",
        **limits: tuple[int, int],
    ) -> Child:
        """Start `tui-eval <arguments>` in the current folder.

        `stdin`: what it finds there. `limits`: soft and hard, by the name of resource.RLIMIT_*.
        Tests count requests: no preflight is made unless a test is about it.
        """
        if not preflight and arguments[0] in ("--run", "run", "resume"):
            arguments = (*arguments, "--no-preflight")
        folder = self._folder / str(next(self._numbers))
        folder.mkdir()
        (folder / "stdin").write_text(stdin, encoding="utf-8")
        order = {
            "arguments": [str(argument) for argument in arguments],
            "folder": str(folder),
            "current": os.getcwd(),
            "environment": {**os.environ, **(environment or {})},
            "limits": limits,
        }
        child = Child(self._ask(order)["pid"], folder, self)
        self._children.append(child)
        return child

    def run(self, *arguments: object, **more: Any) -> Child:
        """Start it and wait for its end."""
        child = self.start(*arguments, **more)
        child.wait()
        return child

    def wait(self, child: Child, timeout_s: float) -> None:
        """Wait for the end of a process. It stays a zombie until then, so that its pid is nobody else's."""
        descriptor = os.pidfd_open(child.pid)
        try:
            ended, _, _ = select.select([descriptor], [], [], timeout_s)
        finally:
            os.close(descriptor)
        if ended:
            answer = self._ask({"reap": child.pid})
            child.code, child.peak_mib = answer["code"], answer["peak_mib"]

    def kill_all(self) -> None:
        """End every process that still runs."""
        for child in self._children:
            with contextlib.suppress(ProcessLookupError):
                child.kill()

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *unused: object) -> None:
        self.kill_all()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(60)

    def _ask(self, order: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._turn:
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            return dict(json.loads(self._process.stdout.readline()))


def _serve() -> int:
    """Take orders from stdin, one a line; in a forked child, be tui-eval."""
    for found in pkgutil.walk_packages(tui_eval.__path__, "tui_eval."):
        if not found.name.endswith("__main__") and ".tui" not in found.name:
            importlib.import_module(found.name)
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        if "reap" in order:
            answer = _reaped(order["reap"])
        else:
            pid = os.fork()
            if pid == 0:
                _become(order)
                code = command_line.main(order["arguments"])
                sys.stdout.flush()
                os._exit(code)
            answer = {"pid": pid}
        print(json.dumps(answer), flush=True)
    return 0


def _reaped(pid: int) -> dict[str, Any]:
    _, status, used = os.wait4(pid, 0)
    return {"code": os.waitstatus_to_exitcode(status), "peak_mib": used.ru_maxrss / 1024}


def _become(order: dict[str, Any]) -> None:
    """The child's own session, streams, folder, environment and limits."""
    os.setsid()
    folder = Path(order["folder"])
    for number, name in enumerate(folder / name for name in ("stdin", "stdout", "stderr")):
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(order["current"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = ["tui-eval", *order["arguments"]]
    for name, (soft, hard) in order["limits"].items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (soft, hard))


if __name__ == "__main__":
    sys.exit(_serve())
