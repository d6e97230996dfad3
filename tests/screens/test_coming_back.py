"""Law of lists with an inspector: cursor, filter, order and zoom survive another size, what comes in, and coming back."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from made import CHOICE, PANEL, write_exam
from pages_run import RUN as PAGES
from pages_run import pages_run
from screen import awaited, press, quick_app, screen_text, sees, wait_for
from snapshots import GOLDEN
from textual.pilot import Pilot

from tui_eval.datasets.conversation_files import read_conversations, written_conversations
from tui_eval.runs.folder import CONFIG, LOG, RESULTS
from tui_eval.tui.app import EvalApp
from tui_eval.tui.inspecting import Inspecting
from tui_eval.tui.widgets.filter import FilterLine
from tui_eval.tui.widgets.inspector import Split
from tui_eval.tui.widgets.table import RowTable

SIZE, SIZES = (120, 40), ((80, 24), (200, 50), (120, 40))


@pytest.fixture(scope="session")
def runs(made_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs that are over, by name; not to be changed."""
    root = tmp_path_factory.mktemp("pages")
    asyncio.run(pages_run(root / "made", root / "run"))
    return {name: made_runs / "runs" / name for name in (PANEL, CHOICE)} | {PAGES: root / "run", "choice": GOLDEN / "choice"}


def another_attempt(path: Path) -> None:
    """One more attempt is logged."""
    with (path / LOG).open("a") as file:
        records = map(json.loads, (path / LOG).read_text().splitlines())
        arbiter = next(record for record in records if record["model"] == "arbiter")
        file.write(json.dumps({**arbiter, "attempt_id": "abcd-999999"}) + "\n")


def another_sample(path: Path) -> None:
    """One more sample ends."""
    with (path / RESULTS).open("a") as file:
        first = json.loads((path / RESULTS).read_text().splitlines()[0])
        file.write(json.dumps({**first, "item_id": f"{first['item_id']}-more", "doc_id": "q9"}) + "\n")


def write_talks(folder: Path) -> None:
    """A set of turns about a document."""
    document = {"filename": "harbour.txt", "sha256": "", "pages": 1, "uploaded_at": "", "text": "The harbour is deep."}
    turns = [{"id": f"c/t{n}", "question": f"Question {n}?", "ground_truth": f"answer {n}"} for n in range(3)]
    talk = {"id": "c", "document": "harbour.txt", "turns": turns}
    content = {"format": 1, "name": "harbour", "documents": [document], "generator": {}, "conversations": [talk]}
    (folder / "harbour.json").write_text(written_conversations(read_conversations(content, "harbour.json")), encoding="utf-8")


class Case(NamedTuple):
    """A list, and how it is reached and left."""

    run: str | None
    """Of which run; None where it is of a set of questions."""
    ways: Sequence[str]
    """Keys that lead to it, from the list of runs or of sets."""
    query: str
    left_by: Sequence[str] = ("q",)
    more: Callable[[Path], None] | None = None
    """What comes in while it is looked at."""
    settled: str = ""
    """A word that says that the list is there."""


CASES = {
    "log": Case(PANEL, ("6",), "model:arbiter", ("4",), another_attempt, "attempts"),
    "answers": Case(CHOICE, ("v", "tab", "tab"), "rock", more=another_sample, settled="[Answers]"),
    "grid": Case(CHOICE, ("v", "shift+tab"), "rock", more=another_sample, settled="[Grid]"),
    "sources": Case(PAGES, ("v", "tab", "tab", "tab"), "text_by:opus", settled="4 texts of 2"),
    "flips": Case("choice", ("c", "tab", "tab"), "the", settled="[Flips]"),
    "questions": Case(None, ("2", "enter"), "rock", settled="6 of 6 selected"),
    "review": Case(None, ("2", "enter"), "question", settled="3 of 3 selected"),
}


class Seen(NamedTuple):
    """What must not change."""

    row: str
    """The entry under the cursor."""
    rows: Sequence[str]
    """All that are listed, in their order."""
    query: str
    zoom: frozenset[str]
    column: int
    """The cell under the cursor, in a grid."""


def the_list(app: EvalApp) -> Inspecting:
    """The list on show."""
    splits = [split for split in app.screen.query(Split) if split.region]
    return next(node for split in splits for node in split.ancestors_with_self if isinstance(node, Inspecting))


def row_text(table: RowTable, row: int) -> str:
    """A row's cells, without the brackets of a cell that has the cursor."""
    cells = [cell if isinstance(cell, str) else cell[0] for cell in table.rows.cells(row)]
    return " | ".join(cell.strip("[] ") for cell in cells)


def seen(app: EvalApp) -> Seen:
    """What stands there now."""
    owner = the_list(app)
    table, split = owner.query_one(Split).query_one(RowTable), owner.query_one(Split)
    rows = [row_text(table, row) for row in range(table.rows.count())]
    query, zoom = owner.query_one(FilterLine).value, split.classes & {"-zoom", "-alone"}
    return Seen(rows[table.cursor] if rows else "", rows, query, zoom, getattr(table, "chosen", 0))


async def reach(pilot: Pilot[Any], keys: Sequence[str]) -> None:
    """Press keys, each when what the one before led to is there."""
    app = pilot.app
    assert isinstance(app, EvalApp)
    for key in keys:
        await press(pilot, key)
        await wait_for(pilot, lambda: not awaited(app))


async def stands(pilot: Pilot[Any], expected: Seen, grown: bool = False) -> None:
    """Wait until all is as it was; `grown`: more rows may have come between those there were, and must have."""
    app = pilot.app
    assert isinstance(app, EvalApp)

    def holds() -> bool:
        if not any(split.region for split in app.screen.query(Split)):
            return False
        now = seen(app)
        left = iter(now.rows)
        as_before = all(row in left for row in expected.rows) and len(now.rows) > len(expected.rows)
        return now._replace(rows=()) == expected._replace(rows=()) and (as_before if grown else now.rows == expected.rows)

    try:
        await wait_for(pilot, holds)
    except AssertionError as error:
        raise AssertionError(f"{expected}\nis now\n{seen(app)}\n{error}") from None


async def prepared(pilot: Pilot[Any], case: Case) -> Seen:
    """The list filtered and sorted the other way round, with the cursor on its second row, or second cell, zoomed."""
    app = pilot.app
    assert isinstance(app, EvalApp)
    await wait_for(pilot, lambda: app.board.version and (case.run is None or "1 run" in screen_text(app)))
    await reach(pilot, case.ways)
    await sees(pilot, case.settled)
    await wait_for(pilot, lambda: len(seen(app).rows) > 1)
    every = seen(app).rows
    await press(pilot, "slash", *case.query, "enter", "comma", "full_stop")
    await wait_for(pilot, lambda: seen(app).query == case.query and 1 < len(seen(app).rows) <= len(every))
    await wait_for(pilot, lambda: not app.screen.query_one(FilterLine).has_focus)
    await wait_for(pilot, lambda: seen(app).rows[:2] != [*every][:2] or len(seen(app).rows) < len(every))
    await press(pilot, "g", "l", "j", "z")
    await wait_for(pilot, lambda: seen(app).zoom and seen(app).row == seen(app).rows[1])
    return seen(app)


@pytest.mark.parametrize("name", CASES)
async def test_a_list_stands_there_as_it_was_left(name: str, runs: dict[str, Path], tmp_path: Path) -> None:
    """At every size; with what comes in; after another screen; left and opened again."""
    case = CASES[name]
    path = tmp_path / "runs" / str(case.run)
    if case.run is not None:
        shutil.copytree(runs[case.run], path)
    else:
        (tmp_path / "datasets").mkdir()
        write_talks(tmp_path / "datasets") if name == "review" else write_exam(tmp_path / "datasets", 6)
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        before = await prepared(pilot, case)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await wait_for(pilot, lambda size=size: tuple(app.size) == size)
            await stands(pilot, before)
        await reach(pilot, ("5", "2" if case.run is None else "6" if name == "log" else "4"))
        if name != "log":  # its number leads back to the list that it stands on where it stands there itself
            await stands(pilot, before)
        await stands(pilot, before)
        if case.more is not None:
            case.more(path)
            await stands(pilot, before, grown=True)
            before = seen(app)
        await reach(pilot, case.left_by)
        await wait_for(pilot, lambda: not app.screen.query(Split))
        ways = case.ways[1:] if case.run is None else case.ways[:1] if name == "flips" else case.ways
        await reach(pilot, ways)
        await stands(pilot, before)
        assert app.failure is None


async def test_keys_go_to_the_pane_that_has_the_screen(runs: dict[str, Path], tmp_path: Path) -> None:
    """The inspector of a part alone: the next part and back, and there it is, with the keys."""
    shutil.copytree(runs[CHOICE], tmp_path / "runs" / CHOICE)
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await wait_for(pilot, lambda: app.board.version and "1 run" in screen_text(app))
        await reach(pilot, ("v", "tab", "tab"))
        await wait_for(pilot, lambda: len(seen(app).rows) > 1)
        await press(pilot, "enter", "z")
        await wait_for(pilot, lambda: the_list(app).in_inspector and seen(app).zoom == {"-zoom"})
        await press(pilot, "tab", "shift+tab")
        await wait_for(pilot, lambda: the_list(app).in_inspector and seen(app).zoom == {"-zoom"})


async def test_another_run_in_the_folder_has_its_own_results(runs: dict[str, Path], tmp_path: Path) -> None:
    """A folder that was replaced while its results were left shows nothing of what had stood there."""
    path = tmp_path / "runs" / CHOICE
    shutil.copytree(runs[CHOICE], path)
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await prepared(pilot, CASES["answers"])
        await press(pilot, "q")
        shutil.rmtree(path)
        shutil.copytree(runs[CHOICE], path)
        (path / CONFIG).write_text(f"{(path / CONFIG).read_text()}\n# another")
        await wait_for(pilot, lambda: "1 run" in screen_text(app))
        await reach(pilot, ("v", "tab", "tab"))
        await wait_for(pilot, lambda: seen(app).rows and not seen(app).query and not seen(app).zoom)
