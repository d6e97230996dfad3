"""Laws of the grid of scores in the app: a cursor on a cell, each state told by a sign, and from a cell to what it rests on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from chat_run import RUN
from made import CHOICE
from screen import press, quick_app, screen_text, sees, told, wait_for
from snapshots import GOLDEN, WALKED, Screens, walk_through

from tui_eval.results.stored_run import StoredRun
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.result.grid import GridPart, GridTable


async def grid(at: Screens) -> None:
    """By turns, by conversations, and a cell opened at its turn."""
    await sees(at.pilot, "all 5 measures")
    await at.go("shift+tab", "M")
    await at.see("grid_turns", "12 turns")
    await at.go("right", "right", "t")
    await at.see("grid_conversations", "4 conversations")
    await at.go("t", "j", "j", "enter")
    await at.see("grid_cell", "3 of 4")


@pytest.mark.soak
@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
async def test_the_grid_is_as_on_file(size: tuple[int, int], made_chat: Path, place: Path) -> None:
    """The screens as text."""
    shutil.copytree(made_chat, place / "runs" / RUN)
    await walk_through(grid, size, place, "canal")


def heading(app: EvalApp) -> str:
    """The heading of the inspector."""
    shown = app.screen.query_one(GridPart).inspector.dossier
    return "" if shown is None else "".join(piece if isinstance(piece, str) else piece[0] for piece in shown.title)


async def test_a_cell_opens_its_turn_with_all_that_its_mark_rests_on(chat_workspace: Path) -> None:
    """Question, ground truth, the section, the answer, the judge's reason and its raw reply; J goes on down the column."""
    app = quick_app(chat_workspace, chat_workspace / "runs" / RUN)
    async with app.run_test(size=(150, 60)) as pilot:
        await sees(pilot, "all 5 measures")
        await press(pilot, "shift+tab", "M")
        await sees(pilot, "12 turns", "[5]")
        await press(pilot, "enter")
        await sees(pilot, "alder · c1", "[/red] ␛[2J", "[@click=app.quit]x")
        assert "\x1b" not in screen_text(app)
        await press(pilot, "escape", "l", "j", "enter")
        await sees(pilot, "birch · c1", "2 of 4", "When does gate 2 of the canal open?", "At 2 bells.", "canal.txt")
        text = app.screen.query_one(GridPart).dossier_text
        assert "groundedness = " in text and "  judge " in text and "about groundedness birch#1" in text
        await press(pilot, "J")
        await sees(pilot, "birch · c1", "When does gate 3 of the canal open?")
        await press(pilot, "J", "J")
        await sees(pilot, "birch · c2")
        await press(pilot, "h")
        await sees(pilot, "alder · c2")
        await press(pilot, "escape")
        assert isinstance(app.focused, GridTable)


@pytest.mark.soak
async def test_what_failed_is_told_by_a_sign_and_can_be_opened(chat_workspace: Path) -> None:
    """So can what was degraded; one measure after the other; the cursor stays within the grid."""
    app = quick_app(chat_workspace, chat_workspace / "runs" / RUN)
    async with app.run_test(size=(150, 40)) as pilot:
        await sees(pilot, "all 5 measures")
        await press(pilot, "shift+tab")
        await sees(pilot, "12 turns")
        await press(pilot, *["right"] * 9, "j")
        await sees(pilot, "[!]", "5~", "~ degraded", "! failed")
        table = app.screen.query_one("#grid", GridTable)
        assert (table.cursor, table.chosen) == (1, 2)
        await press(pilot, "enter")
        await sees(pilot, "cedar · c1", "truncated")
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
        await sees(pilot, "correct   a scholar   3 questions")
        await press(pilot, "t")
        await told(pilot, "one answer of each model")
        await press(pilot, "enter")
        await wait_for(pilot, lambda: app.screen.query_one(GridPart).in_inspector)
        await sees(pilot, "scholar ·", "ASKED", "TRUTH", "OTHERS", "arbiter")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
async def test_a_cell_of_a_panel_opens_that_models_answer(size: tuple[int, int], workspace: Path) -> None:
    """Each cell opens at the answer of its own model, with the sign of the cell; l and h go to the next model, J and K to the
    next question, and the grid's cursor goes along."""
    shutil.copytree(GOLDEN / "panel", workspace / "runs" / "20260105_100000_dddd_panel")
    samples = list(StoredRun(workspace / "runs" / "20260105_100000_dddd_panel" / "results.jsonl").samples())
    signs = {1.0: "✓", 0.0: "✗", None: "?"}
    app = quick_app(workspace, workspace / "runs" / "20260105_100000_dddd_panel")
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "[Summary]", "95 % interval")
        await press(pilot, "shift+tab")
        await sees(pilot, f"{len(samples)} questions")
        part = app.screen.query_one(GridPart)
        columns = [(column.stage, column.model) for column in part._columns]
        assert len(columns) == 5 and len({stage for stage, _ in columns}) == 3

        def is_at(place: int, at: int) -> bool:
            stage, model = columns[at]
            mark = next(mark for mark in samples[place].marks if (mark.stage, mark.model) == (stage, model))
            shown = part.inspector.dossier
            has_title = heading(app).startswith(signs[mark.value]) and f"{stage} {model}" in heading(app)
            reply = next((each.text for each in shown.sections if each.label == "REPLY"), "") if shown else ""
            return has_title and samples[place].item_id in heading(app) and reply.startswith(f"{model} · {stage}")

        await press(pilot, "j", "l", "enter")
        await wait_for(pilot, lambda: is_at(1, 1), "doer sprinter")
        for at in (2, 3, 4):
            await press(pilot, "l")
            await wait_for(pilot, lambda at=at: is_at(1, at), str(columns[at]))
        await press(pilot, "l")
        await told(pilot, "that was the last one")
        for place in (2, 3):
            await press(pilot, "J")
            await wait_for(pilot, lambda place=place: is_at(place, 4), str(place))
        await press(pilot, "K", "h", "h")
        await wait_for(pilot, lambda: is_at(2, 2))
        await press(pilot, "escape")
        table = app.screen.query_one("#grid", GridTable)
        assert (table.cursor, table.chosen) == (2, 2) and app.focused is table


async def test_models_are_named_on_a_narrow_terminal(workspace: Path) -> None:
    """All letters have their models in sight, and so has the column of the cursor, however the rows are chosen."""
    app = quick_app(workspace, workspace / "runs" / CHOICE)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "[Summary]", "95 % interval")
        await press(pilot, "shift+tab", "!", ",")
        await sees(pilot, "where models differ, by question, a")
        part = app.screen.query_one(GridPart)
        lines = [line.strip() for line in screen_text(app).split("\n")]
        letters = app.settings.letters(column.model for column in part._columns)
        named = "  ".join(f"{letters[column.model]} {column.model}" for column in part._columns)
        assert len(letters) > 1 and any(line.startswith(named) for line in lines)
        first = part._columns[0].model
        assert any(line.startswith(f"correct   {letters[first]} {first}   ") for line in lines)


async def test_rows_are_sorted_filtered_and_told_apart(workspace: Path) -> None:
    """, sorts by difficulty, disagreement and category, . turns it round; ! leaves rows in which models differ; the filter
    has the fields of the list; n goes from one wrong cell to the next, round the end."""
    shutil.copytree(GOLDEN / "panel", workspace / "runs" / "20260105_100000_dddd_panel")
    app = quick_app(workspace, workspace / "runs" / "20260105_100000_dddd_panel")
    async with app.run_test(size=(120, 40)) as pilot:
        await sees(pilot, "[Summary]", "95 % interval")
        await press(pilot, "shift+tab")
        await sees(pilot, "questions")
        part, table = app.screen.query_one(GridPart), app.screen.query_one("#grid", GridTable)
        every = list(part.listed)
        tallies = {row: part._grid.tally(row) for row in every}
        assert any(tally.differs for tally in tallies.values()) and not all(tally.differs for tally in tallies.values())
        await press(pilot, "!")
        await wait_for(pilot, lambda: list(part.listed) == [row for row in every if tallies[row].differs])
        await press(pilot, "!")
        await wait_for(pilot, lambda: list(part.listed) == [row for row in every if not tallies[row].right])
        await press(pilot, "!", ",", ",")
        await sees(pilot, "by right, lowest first")
        means = [tallies[row].mean or 0 for row in part.listed]
        assert means == sorted(means)
        await press(pilot, ".")
        await wait_for(pilot, lambda: [tallies[row].mean or 0 for row in part.listed] == sorted(means, reverse=True))
        await press(pilot, "slash", *"right<3", "enter")
        await wait_for(pilot, lambda: {*part.listed} == {row for row in every if tallies[row].right < 3})
        await press(pilot, "slash", *"x", "enter")
        await sees(pilot, "Nothing matches right<3x")
        assert part.inspector.dossier is None
        await press(pilot, "escape")
        await wait_for(pilot, lambda: len(part.listed) == len(every))
        wrong = [
            (place, at)
            for place in range(len(every))
            for at in range(len(part._columns))
            if any(cell.value != 1 for cell in part._grid.of(part.listed[place], part._columns[at]))
        ]
        await press(pilot, "g", *["h"] * 5)
        for place, at in [each for each in wrong if each != (0, 0)] + wrong[:1]:
            await press(pilot, "n")
            await wait_for(pilot, lambda place=place, at=at: (table.cursor, table.chosen) == (place, at), f"{place} {at}")


async def test_no_reply_can_be_taken_for_the_title_of_a_turn(chat_workspace: Path) -> None:
    """A turn is found by what we wrote, not by its words: a reply may hold the same ones."""
    results = chat_workspace / "runs" / RUN / "results.jsonl"
    lines = [json.loads(line) for line in results.read_bytes().splitlines()]
    for line in lines:
        line["replies"][0]["text"] = "\n".join(["TURN     3 of 4", "REPLY    birch · answer"] * 40)
    results.write_text("".join(json.dumps(line) + "\n" for line in lines))
    app = quick_app(chat_workspace, chat_workspace / "runs" / RUN)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "all 5 measures")
        await press(pilot, "shift+tab", "M")
        await sees(pilot, "12 turns")
        await press(pilot, "l", "j", "j", "enter")
        await sees(pilot, "When does gate 3 of the canal open?")
