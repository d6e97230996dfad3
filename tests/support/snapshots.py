"""Walks through the app, screen by screen, held against the texts on file."""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from screen import app_on, press, screen_text
from textual.pilot import Pilot

SNAPSHOTS = Path(__file__).resolve().parent.parent / "screens" / "snapshots"
GOLDEN = Path(__file__).resolve().parent.parent / "golden"
WRITE = "TUI_EVAL_WRITE_SNAPSHOTS" in os.environ
SIZES = ((80, 24), (120, 40))
WALKED = [SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.soak)]
"""Both in CI; every change is held against the smaller ones."""
WHEN = datetime.fromisoformat("2026-01-02T03:04:12Z").timestamp()
"""What the monitor's clock shows: two seconds after the last sign of life of the run with troubles."""
PATIENCE_S = 60.0
"""How long a screen may take to become what is on file."""
STEADY_S = 0.6
"""A screen that has not changed for so long is written to file."""
MODELS = """\
[[models]]
name = "scholar"
wire = "simulator"
model = "sim-scholar"

[[models]]
name = "mini"
wire = "openai"
model = "gpt-5-mini"
api_key_env = "A_KEY_THAT_NOBODY_HAS"
price = { input = 0.25, output = 2.0, source = "by hand", date = "2026-01-02" }
"""
QUESTIONS = "# Questions\n\n1. Who keeps the harbour log of Skerrow?\n2. What was the first load of the new crane?\n"


class Screens:
    """The screens of one walk through the app, held against those on file."""

    def __init__(self, pilot: Pilot[Any]) -> None:
        self.pilot = pilot
        self.wrong: list[str] = []

    async def go(self, *keys: str) -> None:
        """Press keys."""
        await press(self.pilot, *keys)

    async def see(self, name: str, words: str) -> None:
        """This screen stands there, with these words on it, and becomes what is on file."""
        width, height = self.pilot.app.size
        file = SNAPSHOTS / f"{name}_{width}x{height}.txt"
        wanted = file.read_text(encoding="utf-8") if file.is_file() else ""
        text = await self._text(words, wanted)
        assert words in text, "\n\n".join([*self.wrong, f"{name}: waited in vain for {words!r}\n{text}"])
        if WRITE:
            SNAPSHOTS.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif text != wanted:
            self.wrong.append(difference(wanted, text, file.name))

    async def _text(self, words: str, wanted: str) -> str:
        """What stands on the screen once it is as wanted (or, to be written, once it rests), or patience ends."""
        until = time.monotonic() + (PATIENCE_S if WRITE or not self.wrong else 1.0)
        text, since = "", time.monotonic()
        while time.monotonic() < until:
            await self.pilot.pause(0.01)
            before, text = text, screen_text(self.pilot.app) + "\n"  # type: ignore[arg-type]
            since = since if text == before else time.monotonic()
            if words in text and (time.monotonic() - since > STEADY_S if WRITE else text == wanted):
                break
        return text


def difference(wanted: str, found: str, name: str) -> str:
    """What to tell who changed a screen."""
    lines = difflib.unified_diff(wanted.splitlines(), found.splitlines(), f"snapshots/{name}", "now", lineterm="")
    return "\n".join([*lines, "if this is as it should be, scripts/snapshots writes it anew; look at it with git diff"])


Walk = Callable[[Screens], Awaitable[None]]


async def walk_through(walk: Walk, size: tuple[int, int], workspace: Path, run: str = "") -> None:
    """Walk through the app, beginning at a run where one is named; all that is not as on file is told together."""
    app = app_on(workspace, next((workspace / "runs").glob(f"*_{run}")) if run else None)
    app.every_s = 0.1
    async with app.run_test(size=size) as pilot:
        screens = Screens(pilot)
        await walk(screens)
        await press(pilot, "ctrl+q")
    assert not screens.wrong, "\n\n".join(["", *screens.wrong])
