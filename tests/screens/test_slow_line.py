"""Laws of a line that is slower than the app: what waits in it is little, and what is drawn at last is what there is."""

from __future__ import annotations

import fcntl
import os
import pty
import random
import sys
import termios
import time
import tty
from pathlib import Path
from queue import Queue
from types import SimpleNamespace
from typing import Any

import pytest
from made import PANEL
from screen import app_on, held, sees, wait_for
from soaking import quick_first
from terminal import Terminal
from textual import _time
from textual.app import App

from tui_eval.tui.background import frame_throttling
from tui_eval.tui.background.frame_throttling import MOST_PIECES, REST_S, Pacing, behind

MOST_WAITING = 120_000
"""Bytes from the key of another screen until it stands there: what the pseudo-terminal holds, and some frames; all those that
are left out would be ten times as many."""


def driver_on(descriptor: int) -> Any:
    """A driver whose writer writes to a descriptor, as far as it is asked."""
    return SimpleNamespace(_writer_thread=SimpleNamespace(_queue=Queue(), fileno=lambda: descriptor))


def _fill(descriptor: int) -> None:
    """Write until nothing more is taken, also once the kernel has moved on what was written, which it does in its own time."""
    refused = 0
    while refused < 20:
        try:
            os.write(descriptor, b"x" * 1000)
            refused = 0
        except BlockingIOError:
            refused += 1
            time.sleep(0.01)


def test_a_terminal_that_is_full_is_behind() -> None:
    """Until it is read, no frame is worth writing; then at first those that a person waits for."""
    master, slave = pty.openpty()
    try:
        tty.setraw(slave)
        fcntl.fcntl(slave, fcntl.F_SETFL, os.O_NONBLOCK)
        pacing, driver = Pacing(), driver_on(slave)
        assert pacing.may_draw(driver, float("-inf")) and not behind(driver)
        _fill(slave)
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


def test_a_thread_that_had_no_turn_yet_is_no_slow_line() -> None:
    """A frame that was just handed over waits for the thread that writes; many that do are another matter."""
    master, slave = pty.openpty()
    try:
        tty.setraw(slave)
        driver = driver_on(slave)
        for waiting in range(MOST_PIECES + 1):
            assert driver._writer_thread._queue.qsize() == waiting and not behind(driver)
            driver._writer_thread._queue.put("a piece of a frame")
        assert behind(driver)
    finally:
        os.close(master)
        os.close(slave)


def stands_still() -> float:
    """Textual's clock on a machine that stands still for a second whenever a timer for once is begun."""
    timer = sys._getframe(1).f_locals.get("self")
    stood = timer.__dict__.setdefault("stood", []) if getattr(timer, "_repeat", None) == 0 else [1, 1]
    stood.append(1)
    return time.monotonic() + (len(stood) > 1)


async def test_a_machine_that_stands_still_for_a_moment_draws_all_the_same(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a timer of the app is to do is done, be its moment past when it is first looked at."""
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small panel")
        monkeypatch.setattr(_time, "get_time", stands_still)
        for key in "1343":
            app.simulate_key(key)
            await wait_for(pilot, lambda: app._probe is None and not app._batch_count, "the screen to be drawn")
        done: list[bool] = []
        app.set_timer(0.001, lambda: done.append(True))
        await wait_for(pilot, lambda: done)
        monkeypatch.undo()


@pytest.mark.parametrize("seed", quick_first(range(3)))
async def test_the_last_frame_is_drawn(seed: int, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames are left out at random; when the terminal takes them again, the screen is drawn as it is then."""
    chance, left_out, drawn = random.Random(seed), [False], [0.0]
    full = [True]

    def at_times(driver: object) -> bool:
        left_out[0] = full[0] and chance.random() < 0.7
        return left_out[0]

    display = App._display

    def seen(self: App[Any], screen: Any, renderable: Any) -> None:
        if renderable is not None:
            drawn[0] = time.monotonic()
        display(self, screen, renderable)

    monkeypatch.setattr(frame_throttling, "behind", at_times)
    monkeypatch.setattr(App, "_display", seen)
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        for key in "13464326":
            app.simulate_key(key)
            await pilot.pause(chance.choice((0, 0.01, 0.05)))
        full[0], owed = False, left_out[0]
        taken_at = time.monotonic()
        await wait_for(
            pilot, lambda: not app._late and not app._batch_count and (not owed or drawn[0] > taken_at), "the last frame"
        )
        assert not left_out[0]


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
