"""Laws of what is told in passing: on one row that covers nothing, no longer than it must, and never lost."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from screen import app_on, awaited, press, quick_app, screen_text, sees, toasts, wait_for
from soaking import quick_first

from tui_eval.tui import notifications
from tui_eval.tui.app import EvalApp
from tui_eval.tui.page import Page
from tui_eval.tui.screens.dialogs.help import Help
from tui_eval.tui.screens.dialogs.pick_path import PickPath
from tui_eval.tui.widgets.chrome import StatusLine
from tui_eval.tui.widgets.table import RowTable

LONG = "the first of many words\n" + "and more of them " * 30 + "\nthe last"


@pytest.mark.parametrize("size", quick_first([(80, 24), (200, 50), (60, 20)]))
@pytest.mark.parametrize("screen", range(1, 7))
async def test_it_stands_in_the_status_row_alone(size: tuple[int, int], screen: int, workspace: Path) -> None:
    """On every screen, however long, and in the middle of a dialog: no other row changes."""
    app = app_on(workspace)
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, str(screen))
        page = app.screen
        assert isinstance(page, Page)
        row = page.query_one(StatusLine).region.y
        app.say(LONG, bad=True)
        await sees(pilot, "the first of many words", "; all of it")
        lines = screen_text(app).splitlines()
        assert [y for y, line in enumerate(lines) if "many words" in line or "and more" in line] == [row]
        assert len(lines[row]) <= size[0] and not app.screen.query("Toast")


async def test_what_is_bad_stays_until_a_key(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not goes by itself; both are found again, in full, by a key."""
    monkeypatch.setattr(notifications, "FOR_S", 0.2)
    monkeypatch.setattr(notifications, "BAD_FOR_S", 0.2)
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "2 runs")
        app.say("it was copied")
        assert app.told is not None
        await wait_for(pilot, lambda: app.told is None)
        await wait_for(pilot, lambda: "it was copied" not in screen_text(app))
        app.say("it went wrong: [/b] $x \x1b[2J", bad=True)
        told_at = time.monotonic()
        await wait_for(pilot, lambda: time.monotonic() - told_at > 1)
        assert "it went wrong: [/b] $x" in screen_text(app) and "\x1b" not in screen_text(app)
        await press(pilot, "j")
        await wait_for(pilot, lambda: "it went wrong" not in screen_text(app))
        await press(pilot, "semicolon")
        await sees(pilot, "Notices, the newest first", "it was copied", "it went wrong")
        await press(pilot, "escape")
        await wait_for(pilot, lambda: not isinstance(app.screen, Help))


async def test_two_bad_things_at_once_are_told_together(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None takes the place of the other; what comes later does."""
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "2 runs")
        app.say("the theme is wrong", bad=True)
        app.say("a key is wrong", bad=True)
        app.say("a key is wrong", bad=True)
        await sees(pilot, "the theme is wrong; a key is wrong")
        monkeypatch.setattr(notifications, "FOR_S", 60.0)
        app.say("all is well")
        await sees(pilot, "all is well")
        assert "wrong" not in screen_text(app)


async def test_below_a_dialog_it_is_seen(workspace: Path) -> None:
    """The row of the page below says it at once, though a dialog has the keys."""
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "2", "i")
        await wait_for(pilot, lambda: isinstance(app.screen, PickPath))
        app.say("something happened", bad=True)
        await sees(pilot, "something happened", "Import questions")


COPYING = ("copy", "copy_record", "path")
"""Actions that copy."""
COPIED = {
    "runs": ("4",),
    "log": ("6",),
    "log, inspector": ("6", "enter"),
    "summary": ("4", "v"),
    "notes": ("4", "v", "a"),
    "tables": ("4", "v", "tab", "enter"),
    "answers": ("4", "v", "tab", "tab"),
    "charts": ("4", "v", "tab", "tab", "tab"),
    "files": ("4", "v", "tab", "tab", "tab", "tab"),
    "grid": ("4", "v", "tab", "tab", "tab", "tab", "tab"),
    "compare": ("4", "c"),
}
"""Screens with something to copy, and the keys that lead there."""


def copying(app: EvalApp) -> dict[str, str]:
    """The keys that copy on the screen on show, by what they do."""
    active = app.screen.active_bindings.items()
    return {each.binding.action: key for key, each in active if each.enabled and each.binding.action in COPYING}


@pytest.mark.parametrize("name", COPIED)
async def test_what_is_said_of_copying_has_the_whole_row(
    name: str, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """At 80 columns, by every key that copies there: nothing of it is cut, nor anything beside it; where a path is said, too,
    and both are longer than the row, the key that shows all of it stands there."""
    monkeypatch.setattr(notifications, "FOR_S", 60.0)
    app = quick_app(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "2 runs", "no leader")
        for key in COPIED[name]:
            await press(pilot, key)
            await wait_for(pilot, lambda: not awaited(app))
        tables = [table for table in app.screen.query(RowTable) if table.region]
        await wait_for(pilot, lambda: copying(app) and all(table.rows.count() for table in tables))
        for action, key in copying(app).items():
            before = len(toasts(app))
            await press(pilot, key)
            await wait_for(pilot, lambda before=before: len(toasts(app)) > before, f"{action} says something")
            said = toasts(app)[-1]
            assert "clipboard" in said
            page = next(screen for screen in reversed(app.screen_stack) if isinstance(screen, Page))

            def is_whole(said: str = said, y: int = page.query_one(StatusLine).region.y) -> bool:
                row = screen_text(app).splitlines()[y].strip()
                return row == said if "\n" not in said else row.startswith(said[:40]) and row.endswith("; all of it")

            await wait_for(pilot, is_whole, said)
