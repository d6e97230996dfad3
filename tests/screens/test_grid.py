"""Laws of the grid of scores in the app: a cursor on a cell, each state told by a sign, and from a cell to what it rests on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from chat_run import RUN
from screen import press, quick_app, screen_text, sees, told, wait_for
from snapshots import WALKED, Screens, walk_through

from tui_eval.tui.screens.result.grid import GridTable
from tui_eval.tui.screens.result.sample import SampleScreen


async def grid(at: Screens) -> None:
    """By turns, by conversations, and a cell opened at its turn."""
    await at.go("v")
    await sees(at.pilot, "all 5 measures")
    await at.go("shift+tab", "M")
    await at.see("grid_turns", "12 turns")
    await at.go("right", "right", "t")
    await at.see("grid_conversations", "4 conversations")
    await at.go("t", "j", "j", "enter")
    await at.see("grid_cell", "── Turn 3 of 4")


@pytest.mark.soak
@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
async def test_the_grid_is_as_on_file(size: tuple[int, int], made_chat: Path, place: Path) -> None:
    """The screens as text."""
    shutil.copytree(made_chat, place / "runs" / RUN)
    await walk_through(grid, size, place, "canal")


async def test_a_cell_opens_its_turn_with_all_that_its_mark_rests_on(chat_workspace: Path) -> None:
    """Question, ground truth, the passage, the answer, the judge's reason and its raw reply; n goes on down the column."""
    app = quick_app(chat_workspace, chat_workspace / "runs" / RUN)
    async with app.run_test(size=(120, 60)) as pilot:
        await sees(pilot, "all 5 measures")
        await press(pilot, "shift+tab", "M")
        await sees(pilot, "12 turns", "[5]")
        await press(pilot, "enter")
        await sees(pilot, "alder/c1", "[/red] ␛[2J", "[@click=app.quit]x")
        assert "\x1b" not in screen_text(app)
        await press(pilot, "escape", "l", "j", "enter")
        await sees(pilot, "birch/c1", "── Turn 2 of 4", "When does gate 2 of the canal open?", "At 2 bells.", "canal.txt")
        await sees(pilot, "groundedness = ", "  judge ", "Reply · judge · judge · call 2 · about groundedness birch#1")
        await press(pilot, "n")
        await sees(pilot, "birch/c2")
        await press(pilot, "escape")
        await sees(pilot, "[Grid]")


@pytest.mark.soak
async def test_what_failed_is_told_by_a_sign_and_can_be_opened(chat_workspace: Path) -> None:
    """So can what was degraded; one measure after the other; the cursor stays within the grid."""
    app = quick_app(chat_workspace, chat_workspace / "runs" / RUN)
    async with app.run_test(size=(100, 40)) as pilot:
        await sees(pilot, "all 5 measures")
        await press(pilot, "shift+tab")
        await sees(pilot, "12 turns")
        await press(pilot, *["right"] * 9, "j")
        await sees(pilot, "[!]", "5 ~", "~ degraded", "! no answer")
        table = app.screen.query_one("#grid", GridTable)
        assert (table.cursor, table.chosen) == (1, 2)
        await press(pilot, "enter")
        await sees(pilot, "cedar/c1", "truncated")
        await press(pilot, "escape", *["left"] * 9, "M", "M", "M", "M", "M")
        await sees(pilot, "claims, 0 to 1")
        assert "\x1b" not in screen_text(app) and table.chosen == 0


async def test_a_grid_of_questions_has_no_turns(workspace: Path) -> None:
    """Multiple choice: a row for each question, right or wrong by a sign; a cell opens its sample."""
    app = quick_app(workspace)
    async with app.run_test(size=(100, 40)) as pilot:
        await sees(pilot, "small exam")
        await press(pilot, "enter")
        await sees(pilot, "[Summary]")
        await press(pilot, "shift+tab")
        await sees(pilot, "right or wrong   3 questions", "scholar", "arbiter")
        await press(pilot, "t")
        await told(pilot, "one answer of each model")
        await press(pilot, "enter")
        await wait_for(pilot, lambda: isinstance(app.screen, SampleScreen))
        await sees(pilot, "scholar/")
