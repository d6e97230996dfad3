"""The verdict on the list of runs and on a result, never cut; the ranking of many models; one of them in full."""

from __future__ import annotations

import csv
import json
import re
import shutil
import textwrap
from pathlib import Path

import pytest
from made import CHOICE
from screen import held, press, quick_app, screen_text, sees, wait_for
from snapshots import Screens, walk_through

from tui_eval.cli.command_line import main
from tui_eval.results.report_verdict import verdict_in
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.result.summary import SummaryPart
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import Reading

WIDE = (200, 50)
SIZES = ((80, 24), (120, 40), WIDE)
OWNERS = ("deepseek/deepseek-", "anthropic/claude-", "openrouter/meta-llama/llama-")
MANY = [f"{OWNERS[n % 3]}{('r', 'v', 'chat-')[n % 3]}{n}-instruct-0528" for n in range(72)]


@pytest.fixture
def exam_of_72(tmp_path: Path) -> Path:
    """A workspace with an imported exam that 72 models sat: no latency and no cost is known."""
    (tmp_path / "exam.json").write_text(
        json.dumps(
            [{"id": f"q{n}", "question": "Which?", "choices": ["a", "b", "c"], "answer": "ABC"[n % 3]} for n in range(20)]
        )
    )
    with (tmp_path / "answers.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "model", "raw_response"])
        rows.writerows(
            [f"q{n}", name, f"Answer: {'ABC'[(n + (n < place // 6)) % 3]}"]
            for place, name in enumerate(MANY)
            for n in range(20)
        )
    assert (
        main(
            [
                "--workspace",
                str(tmp_path),
                "-q",
                "import",
                str(tmp_path / "answers.csv"),
                "--dataset",
                str(tmp_path / "exam.json"),
            ]
        )
        == 0
    )
    return tmp_path


def verdict(path: Path) -> str:
    """The line of a run's report."""
    return verdict_in(json.loads((path / "report.json").read_text())).line


def unwrapped(app: EvalApp) -> str:
    """What stands on the screen as one line, without the bar before a verdict."""
    return re.sub(r"\s+", " ", screen_text(app).replace("▌", " "))


@pytest.mark.parametrize("size", [(80, 24), (60, 20), WIDE])
async def test_the_list_has_the_verdict_of_the_run_under_the_cursor(workspace: Path, size: tuple[int, int]) -> None:
    """In a few words in its row, and whole below the list, on as many lines as it takes; y copies it."""
    path, app = workspace / "runs" / CHOICE, quick_app(workspace)
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "2 runs")
        await wait_for(pilot, lambda: verdict(path) in unwrapped(app), verdict(path))
        if size[0] >= 80:
            assert "no leader of 2" in screen_text(app)
        copied: list[str] = []
        app.copy_text = lambda text, shown=False: copied.append(text)  # type: ignore[method-assign]
        await press(pilot, "y")
        await wait_for(pilot, lambda: copied and verdict(path) in copied[0])
        await press(pilot, "j")
        await wait_for(pilot, lambda: verdict(path) not in unwrapped(app))


async def test_a_run_that_goes_on_has_no_verdict_yet(workspace: Path) -> None:
    """A live one, whatever report it had before; one whose report is gone; both plainly, and the row says it, too."""
    path, app = workspace / "runs" / CHOICE, quick_app(workspace)
    copied = Path(shutil.copytree(path, workspace / "runs" / "20270101_000000_dddd_copied"))
    (copied / "report.json").unlink()
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "3 runs", "no verdict yet")
        with held(path):
            await wait_for(pilot, lambda: screen_text(app).count("no verdict yet") == 2)
            await press(pilot, "g")
            await sees(pilot, "No verdict yet: this run has no report.")
            await press(pilot, "v")
            await sees(pilot, "[Summary]", "No verdict yet: this run has no report.")
            await press(pilot, "escape", "j")
            await sees(pilot, "No verdict yet: it comes when the run has ended.")
        await wait_for(pilot, lambda: screen_text(app).count("no verdict yet") == 1)


async def test_a_verdict_is_the_first_of_a_result_and_of_its_copy(workspace: Path) -> None:
    """What the line leaves out stands in the notes, and is not said twice."""
    path, app = workspace / "runs" / CHOICE, quick_app(workspace, workspace / "runs" / CHOICE)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "v")
        await sees(pilot, "95 % interval")
        await wait_for(pilot, lambda: verdict(path) in unwrapped(app), verdict(path))
        assert unwrapped(app).count("No leader is shown") == 1
        part = app.screen.query_one(SummaryPart)
        assert part._text().startswith(verdict(path))
        lines = [line for line in screen_text(app).split("\n") if line.startswith("▌")]
        assert 1 <= len(lines) <= 2 and len(textwrap.wrap(verdict(path), 78)) == len(lines)


@pytest.mark.parametrize("size", SIZES)
async def test_72_models_are_told_apart(exam_of_72: Path, size: tuple[int, int]) -> None:
    """Rank in a column of its own, no column that is empty everywhere, and no two names that look alike, all the way down."""
    app = quick_app(exam_of_72)
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "1 run")
        await press(pilot, "v")
        await sees(pilot, "rank model", "95 % interval")
        table = app.screen.query_one("#standings", RowTable)
        heading = next(line for line in screen_text(app).split("\n") if "rank model" in line)
        assert "cost" not in heading and " s " not in heading
        names = set()
        await wait_for(pilot, lambda: table.rows.count() == 72)
        for row in range(72):
            await wait_for(pilot, lambda row=row: table.cursor == row)
            at = heading.index("model")
            line = next(line for line in screen_text(app).split("\n") if line.startswith("›"))
            assert re.match(r"› *\d+(-\d+)? [^ ]", line), line
            names.add(line[at : at + 48].split()[0])
            await press(pilot, "j")
        assert len(names) == 72
        said = [line for line in screen_text(app).split("\n") if line.startswith("▌")]
        assert len(said) <= 4


async def test_the_model_under_the_cursor_stands_beside_the_table_in_full(workspace: Path) -> None:
    """From 140 columns on; it follows the cursor, through every line, and says how the model differs from the others."""
    app = quick_app(workspace, workspace / "runs" / CHOICE)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "v")
        await sees(pilot, "95 % interval", "Difference from each other one", "p Holm", "Every figure")
        pane, table = app.screen.query_one("#line", Reading), app.screen.query_one("#standings", RowTable)
        await wait_for(pilot, lambda: table.has_focus)
        first = pane.lines[0][0]
        assert first in screen_text(app)
        await press(pilot, "j")
        await wait_for(pilot, lambda: pane.lines[0][0] != first)
        await press(pilot, "k")
        await wait_for(pilot, lambda: pane.lines[0][0] == first)
        await pilot.resize_terminal(130, 40)
        await wait_for(pilot, lambda: "Difference from each other one" not in screen_text(app))
        await pilot.resize_terminal(140, 40)
        await sees(pilot, "Difference from each other one", "no value")


@pytest.mark.parametrize("size", SIZES)
async def test_z_shows_the_model_alone(workspace: Path, size: tuple[int, int]) -> None:
    """z and z again, z and Esc; the keys scroll the text meanwhile, and the cursor is where it was."""
    app = quick_app(workspace, workspace / "runs" / CHOICE)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "v")
        await sees(pilot, "rank", "95 % interval")
        table, pane = app.screen.query_one("#standings", RowTable), app.screen.query_one("#line", Reading)
        await wait_for(pilot, lambda: table.has_focus)
        await press(pilot, "j")
        for back in ("z", "escape"):
            await press(pilot, "z")
            await wait_for(pilot, lambda: pane.has_focus and not app.screen.query_one("#list").display)
            assert table.cursor == 1 and "without a value" in screen_text(app)
            await press(pilot, back)
            await wait_for(pilot, lambda: table.has_focus and app.screen.query_one("#list").display)
            assert table.cursor == 1 and "rank" in screen_text(app)


async def verdicts(at: Screens) -> None:
    """The list of runs, a result, the model in full."""
    await at.see("verdict_runs", "no leader of 3")
    await at.go("j")
    await at.see("verdict_choice", "(62.5 %)")
    await at.go("v")
    await at.see("verdict_summary", "95 % interval")
    await at.go("j")
    await at.see("verdict_second", "95 % interval")
    await at.go("z")
    await at.see("verdict_alone", "Difference from each other one")


@pytest.mark.parametrize("size", SIZES)
async def test_every_screen_is_as_on_file(place: Path, size: tuple[int, int]) -> None:
    """At three sizes."""
    await walk_through(verdicts, size, place)
