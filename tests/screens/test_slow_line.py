"""Laws of a line that is slower than the app: what waits in it is little, and what is drawn at last is what there is."""

from __future__ import annotations

import fcntl
import os
import pty
import termios
import time
import tty
from contextlib import suppress
from pathlib import Path
from queue import Queue
from types import SimpleNamespace
from typing import Any

import pytest
from made import PANEL
from screen import held
from terminal import Terminal

from tui_eval.tui.pacing import REST_S, Pacing, behind

MOST_WAITING = 60_000
"""Bytes from the key of another screen until it stands there: what the pseudo-terminal holds, and two frames."""


def driver_on(descriptor: int) -> Any:
    """A driver whose writer writes to a descriptor, as far as it is asked."""
    return SimpleNamespace(_writer_thread=SimpleNamespace(_queue=Queue(), fileno=lambda: descriptor))


def test_a_terminal_that_is_full_is_behind() -> None:
    """Until it is read, no frame is worth writing; then at first those that a person waits for."""
    master, slave = pty.openpty()
    try:
        tty.setraw(slave)
        fcntl.fcntl(slave, fcntl.F_SETFL, os.O_NONBLOCK)
        pacing, driver = Pacing(), driver_on(slave)
        assert pacing.may_draw(driver, float("-inf")) and not behind(driver)
        with suppress(BlockingIOError):
            while os.write(slave, b"x" * 1000):
                pass
        assert behind(driver) and not pacing.may_draw(driver, time.monotonic())
        termios.tcflush(slave, termios.TCOFLUSH)
        while behind(driver):
            os.read(master, 65_536)
        assert not pacing.may_draw(driver, time.monotonic() - 2 * REST_S)
        assert pacing.may_draw(driver, time.monotonic())
    finally:
        os.close(master)
        os.close(slave)


def test_what_is_no_terminal_is_never_behind() -> None:
    """In tests, and in a browser, everything is drawn."""
    assert not behind(None) and Pacing().may_draw(None, float("-inf"))


@pytest.mark.soak
def test_a_stalled_line_shows_the_newest_at_once(workspace: Path) -> None:
    """While nothing is read, keys change the screen again and again; of all these frames next to none waits in the line."""
    with held(workspace / "runs" / PANEL), Terminal(["--workspace", workspace]) as terminal:
        terminal.wait_for("2 runs")
        terminal.wait_for_quiet(0.5)
        terminal.stop_reading()
        mark = terminal.mark
        for _ in range(40):
            terminal.send("12456")
            time.sleep(0.05)
        terminal.send("2")
        time.sleep(1.0)
        terminal.go_on_reading()
        terminal.wait_for("No datasets")
        assert len(terminal.bytes_since(mark)) < MOST_WAITING
        terminal.send("q")
        assert terminal.end() == 0
