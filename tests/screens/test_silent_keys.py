"""Law of keys: on every screen each shipped key does something, or says in the status line that it does nothing here."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from screen import awaited, press, quick_app, screen_text, toasts, wait_for
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tui_eval.tui.app import EvalApp
from tui_eval.tui.keymap import KEYS

WALKS: dict[str, tuple[str, ...]] = {
    "runs": ("4",),
    "models": ("1",),
    "datasets": ("2",),
    "prompts": ("5",),
    "monitor": ("3",),
    "log": ("6",),
    "attempt": ("6", "enter"),
    "send again": ("6", "e"),
    "summary": ("4", "v"),
    "tables": ("4", "v", "tab"),
    "answers": ("4", "v", "tab", "tab"),
    "sample": ("4", "v", "tab", "tab", "enter"),
    "charts": ("4", "v", "tab", "tab", "tab"),
    "files": ("4", "v", "tab", "tab", "tab", "tab"),
    "grid": ("4", "v", "tab", "tab", "tab", "tab", "tab"),
    "compare": ("4", "c"),
    "prompt": ("5", "enter"),
    "help": ("question_mark",),
    "new run": ("s",),
    "delete": ("4", "D"),
}
"""Keys that lead to each screen."""
BUSY = ("run.stop", "run.pause", "run.resume", "run.resume_failed", "record.pager", "prompt.edit")
"""Keys that begin a process; what they say is tested where they are."""
MOVES = ("list.down", "list.up", "list.first", "list.last", "list.half", "list.left", "list.right", "chart.", "path.")
"""Keys that move: at an end they stand still."""
STILL = {("attempt", "a")}
"""Keys that change nothing where all of a text is on show."""


REST_S = 0.4
"""A screen that has not changed for so long stands."""


def keys_of(*but: str) -> list[str]:
    """The shipped keys without those of some names."""
    without = {key for name, keys in KEYS.items() if name.startswith(but) for key in keys.split(",")}
    return sorted({key for keys in KEYS.values() for key in keys.split(",")} - without)


async def go_to(pilot: Pilot[Any], app: EvalApp, screen: str) -> None:
    """Begin anew, and go to a screen."""
    await at_rest(pilot, app)
    while len(app.screen_stack) > 1:
        await app.pop_screen()
        await at_rest(pilot, app)
    for key in WALKS[screen]:
        await press(pilot, key)
        await at_rest(pilot, app)


async def at_rest(pilot: Pilot[Any], app: EvalApp) -> None:
    """Wait until what a key led to stands there, and stays as it is for a while."""
    before, since = "", time.monotonic()
    while awaited(app) or time.monotonic() - since < REST_S:
        await pilot.pause(0.02)
        if (text := screen_text(app)) != before:
            before, since = text, time.monotonic()


async def has_effect(pilot: Pilot[Any], app: EvalApp, before: tuple[object, ...]) -> bool:
    """Wait until something is another than before; whether it is."""
    until = time.monotonic() + 1.5
    while state(app) == before and time.monotonic() < until:
        await pilot.pause(0.02)
    return state(app) != before


def state(app: EvalApp) -> tuple[object, ...]:
    """What a key may change."""
    return app.screen, app.focused, len(toasts(app)), screen_text(app)


@pytest.mark.parametrize("screen", WALKS)
async def test_a_key_without_a_meaning_here_says_so(workspace: Path, screen: str) -> None:
    """Every key that another screen has and this one has not."""
    app = quick_app(workspace)
    async with app.run_test(size=(100, 40)) as pilot:
        await wait_for(pilot, lambda: app.board.version and "2 runs" in screen_text(app))
        await go_to(pilot, app, screen)
        silent = []
        for key in keys_of("go.", "app."):
            if key in app.screen.active_bindings or isinstance(app.focused, Input | TextArea):
                continue
            before = len(toasts(app))
            await press(pilot, key)
            silent += [key] * (not any("does nothing here" in words for words in toasts(app)[before:]))
        assert not silent, f"keys that say nothing on {screen}: {silent}"


@pytest.mark.soak
@pytest.mark.parametrize("screen", WALKS)
async def test_a_key_with_a_meaning_does_something(workspace: Path, screen: str) -> None:
    """Another screen, another focus, other text, or a message."""
    app = quick_app(workspace)
    async with app.run_test(size=(100, 40)) as pilot:
        await wait_for(pilot, lambda: app.board.version and "2 runs" in screen_text(app))
        await go_to(pilot, app, screen)
        silent = []
        for key in keys_of("go.", "app.", "back", *MOVES, *BUSY):
            if key not in app.screen.active_bindings or isinstance(app.focused, Input | TextArea):
                continue
            here, before = app.screen, state(app)
            await press(pilot, key)
            silent += [key] * (not await has_effect(pilot, app, before) and (screen, key) not in STILL)
            if app.screen is not here or isinstance(app.focused, Input | TextArea):
                await go_to(pilot, app, screen)
        assert not silent, f"keys that do nothing on {screen}, and say nothing: {silent}"


async def test_letters_that_are_typed_are_no_such_keys(workspace: Path) -> None:
    """In a filter every key is text."""
    app = quick_app(workspace)
    async with app.run_test(size=(100, 40)) as pilot:
        await wait_for(pilot, lambda: app.board.version and "2 runs" in screen_text(app))
        before = len(toasts(app))
        await press(pilot, "slash", *"zkwYK")
        await wait_for(pilot, lambda: "zkwYK" in screen_text(app))
        assert len(toasts(app)) == before
