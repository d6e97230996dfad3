"""Servers that answer while a test waits: its own in a thread, and aimock, which strangers wrote, as a process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import threading
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Table, closed_port

AIMOCK = Path(__file__).resolve().parents[2] / ".peers/node_modules/@copilotkit/aimock/dist/cli.js"
NODE = shutil.which("node")
has_aimock = AIMOCK.is_file() and NODE is not None
needs_aimock = pytest.mark.skipif(not has_aimock, reason="scripts/install-peers installs aimock; it needs node")


@contextlib.contextmanager
def in_a_thread(start: Callable[[], Awaitable[str]], stop: Callable[[], Awaitable[None]]) -> Iterator[str]:
    """Start a server in a loop of its own, and stop it at the end; yields what `start` returns, its URL."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="server", daemon=True)
    thread.start()

    def do(work: Callable[[], Awaitable[Any]]) -> Any:
        async def done() -> Any:
            return await work()

        return asyncio.run_coroutine_threadsafe(done(), loop).result(60)

    try:
        yield do(start)
    finally:
        do(stop)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()


class Aimock:
    """A running aimock; its fixtures are chosen by model name."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self._key = key

    def journal(self) -> list[Table]:
        """What it was really sent, oldest first; values of key headers are blotted out there."""
        return list(self._control("GET", "journal"))

    def teach(self, fixtures: Sequence[Table]) -> None:
        """Have it answer by these fixtures, too; the first that fits counts."""
        self._control("POST", "fixtures", {"fixtures": list(fixtures)})

    def chaos(self, **rates: float) -> None:
        """Have every request meet faults at these rates, from 0 to 1; no rates = none."""
        self._control("POST", "chaos", rates)

    def forget(self) -> None:
        """Drop fixtures, journal and faults."""
        self._control("POST", "reset")
        self._control("DELETE", "chaos")

    def _control(self, method: str, what: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json", "x-api-key": self._key}
        asked = urllib.request.Request(f"{self.url}/__aimock/{what}", data, headers, method=method)
        with urllib.request.urlopen(asked, timeout=60) as response:
            return json.loads(response.read())


@contextlib.contextmanager
def aimock(folder: Path, keys: Sequence[str] = ()) -> Iterator[Aimock]:
    """Start aimock on a free port of this machine; with keys, each request must show one of them. Ended by its pid."""
    assert NODE is not None
    (folder / "first.json").write_text('{"fixtures": [{"match": {"model": "nobody"}, "response": {"content": "nothing"}}]}')
    port = closed_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AIMOCK_")}
    if keys:
        environment["AIMOCK_API_KEYS"] = ",".join(keys)
    command = [NODE, str(AIMOCK), "-p", str(port), "-h", "127.0.0.1", "-f", str(folder / "first.json"), "--strict"]
    with open(folder / "aimock.log", "wb") as log:
        process = subprocess.Popen(
            [*command, "--log-level", "warn"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
        )
    try:
        found = Aimock(f"http://127.0.0.1:{port}", keys[0] if keys else "any")
        _wait_for(found, process, folder / "aimock.log")
        yield found
    finally:
        process.terminate()
        process.wait(60)


def _wait_for(server: Aimock, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 60
    while not _answers(server):
        assert process.poll() is None and time.monotonic() < end, f"aimock does not answer: {log.read_text()}"
        time.sleep(0.02)


def _answers(server: Aimock) -> bool:
    try:
        server.journal()
    except OSError:
        return False
    return True
