"""The form of a new run, opened by keyboard: what tests of it share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from screen import app_on, press, sees
from textual.pilot import Pilot

from tui_eval.tui.screens.setup.screen import SetupScreen

SIZE = (100, 30)
READY = "ready: F5 starts it"


@asynccontextmanager
async def setting_up(workspace: Path, start: str, size: tuple[int, int] = SIZE) -> AsyncIterator[Pilot[Any]]:
    """The form of a new run, begun from what has these words."""
    async with app_on(workspace).run_test(size=size) as pilot:
        await press(pilot, "s")
        await sees(pilot, "start from")
        await press(pilot, "slash")
        await typed(pilot, start)
        await press(pilot, "enter", "enter")
        await sees(pilot, "New run:")
        yield pilot


async def typed(pilot: Pilot[Any], text: str) -> None:
    """Type a text."""
    for letter in text:
        await pilot.press({" ": "space"}.get(letter, letter))


def form_of(pilot: Pilot[Any]) -> SetupScreen:
    """The screen of the form."""
    screen = next(screen for screen in reversed(pilot.app.screen_stack) if isinstance(screen, SetupScreen))
    return screen
