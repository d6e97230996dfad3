"""What tests of screens need: the app on a copy of run folders, what stands on the screen, and waiting for it."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from textual.pilot import Pilot

from tui_eval.runs.folder import LOCK, PROGRESS, STOP
from tui_eval.tui.app import EvalApp
from tui_eval.tui.background.ordered_keys import OPENS
from tui_eval.workspace.places import Workspace

PATIENCE_S = 60.0
"""How long a condition may take on a slow machine that stands still now and then before the test fails."""

TOLD = "_told_in_tests"
"""Where the app keeps, in tests, what it told."""


def app_on(workspace: Path, attach: Path | None = None) -> EvalApp:
    """The app on a workspace."""
    return EvalApp(Workspace(workspace), attach)


def quick_app(workspace: Path, attach: Path | None = None) -> EvalApp:
    """The app, looking at its runs twenty times a second."""
    app = app_on(workspace, attach)
    app.board._every_s = 0.05
    return app


@contextmanager
def held(path: Path, state: str = "running") -> Iterator[None]:
    """A run folder that is worked on, by this process."""
    (path / STOP).unlink(missing_ok=True)  # as a process does that takes up a run
    progress = json.loads((path / PROGRESS).read_bytes())
    (path / PROGRESS).write_text(json.dumps({**progress, "state": state}))
    lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.pwrite(lock, b'{"pid": 1, "host": "here", "since": null}', 0)
        yield
    finally:
        os.close(lock)


def toasts(app: EvalApp) -> list[str]:
    """What was told in short messages, be they still on show or not."""
    return list(vars(app).get(TOLD, ()))


def screen_text(app: EvalApp) -> str:
    """What stands on the screen, without styles."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def awaited(app: EvalApp) -> bool:
    """Whether keys wait for something that leads to another screen, or to what they are for."""
    return any(worker.group.startswith(OPENS) and not worker.is_finished for worker in app.workers)


async def wait_for(pilot: Pilot[Any], condition: Callable[..., object], what: str = "") -> None:
    """Wait until a condition holds; fail with what stands on the screen."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        await pilot.pause()
        if condition():
            return
        await pilot.pause(0.02)
    raise AssertionError(f"waited in vain for {what or condition}\n{screen_text(pilot.app)}")  # type: ignore[arg-type]


async def sees(pilot: Pilot[Any], *words: str) -> None:
    """Wait until all these words stand on the screen."""
    await wait_for(pilot, lambda: all(word in screen_text(pilot.app) for word in words), repr(words))  # type: ignore[arg-type]


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys one after the other."""
    for key in keys:
        await pilot.press(key)


async def told(pilot: Pilot[Any], *words: str) -> None:
    """Wait until a short message tells all these words."""
    app = cast("EvalApp", pilot.app)
    try:
        await wait_for(pilot, lambda: any(all(word in said for word in words) for said in toasts(app)))
    except AssertionError as error:
        raise AssertionError(f"{words!r} was not told, but {toasts(app)!r}\n{error}") from None
