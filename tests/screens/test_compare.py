"""Laws of comparing on the screen: what is marked is compared, every flip can be walked to, what is told can be read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from compared import items, write_run, written
from made import CHOICE
from screen import press, quick_app, screen_text, sees, told, wait_for
from snapshots import GOLDEN, SIZES, Screens, walk_through
from textual.pilot import Pilot

from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.compare.flip_list import FlipsPart
from tui_eval.tui.screens.compare.screen import CompareScreen
from tui_eval.tui.screens.runs.screen import RunsScreen
from tui_eval.tui.widgets.chart import Chart

SIZE = (120, 40)
FIRST, SECOND = "20260103_100000_cccc_first", "20260104_100000_dddd_second"
EVIL, SHOWN = "[bold]=1+1\x1b[31m", "[bold]=1+1␛[31m"


def exam(path: Path, right: dict[str, set[int]]) -> None:
    """A copy of the golden exam in which each model has just these questions right; its texts would do harm if they could."""
    shutil.copytree(GOLDEN / "choice", path)
    lines = [json.loads(line) for line in (path / "results.jsonl").read_text().splitlines()]
    places = {doc_id: number for number, doc_id in enumerate(dict.fromkeys(line["doc_id"] for line in lines))}
    for line in lines:
        for score in line["scores"]:
            score["value"] = int(places[line["doc_id"]] in right[score["model"]])
        line["question"] = EVIL + line["question"]
        line["replies"][0]["text"] = EVIL
    (path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A workspace with two exams of the same models on the same questions."""
    some = {"scholar": {0, 1, 2, 3, 4, 5}, "rambler": {0}, "guarded": {6, 7}}
    exam(tmp_path / "runs" / FIRST, some)
    exam(tmp_path / "runs" / SECOND, {**some, "scholar": {0, 6, 7}})
    return tmp_path


def compared(app: EvalApp) -> CompareScreen:
    """The comparison on show."""
    assert isinstance(app.screen, CompareScreen)
    return app.screen


async def read(pilot: Pilot[Any], app: EvalApp) -> None:
    """Wait until the comparison is there."""
    await wait_for(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen.comparison is not None)


async def test_marked_runs_are_compared_and_every_flip_is_walked(two: Path) -> None:
    """Space marks, c compares: pairs, then the flips of one, both answers in full, n and N, and out step by step."""
    app = quick_app(two)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "space", "down", "space")
        await sees(pilot, "2 marked")
        await press(pilot, "c")
        await read(pilot, app)
        await sees(pilot, "scholar @1", "scholar @2", "+37.5", "5/2", "flips", "Simulated")
        await press(pilot, "enter")
        await sees(pilot, "[Flips]", "5 for scholar @1, 2 for scholar @2", "✓ right", "✗ wrong", SHOWN)
        await press(pilot, "enter")
        await sees(pilot, "1 of 7", "scholar @1 does better", FIRST, SECOND, "TRUTH", SHOWN)
        assert "\x1b" not in screen_text(app)
        await press(pilot, "N")
        await sees(pilot, "7 of 7", "scholar @2 does better")
        await press(pilot, *"nnnnnn")
        await sees(pilot, "6 of 7")
        await press(pilot, "escape", "slash", *"a=1", "enter")
        await sees(pilot, "1 of 5")
        await press(pilot, "escape")
        await sees(pilot, "1 of 7", "[Flips]")
        await press(pilot, "escape")
        await sees(pilot, "[Pairs]")
        await press(pilot, "escape")
        await wait_for(pilot, lambda: isinstance(app.screen, RunsScreen))
        assert "2 marked" in screen_text(app)


@pytest.mark.soak
async def test_the_calls_of_either_side_are_read_in_the_log_of_its_run(two: Path) -> None:
    """Their keys stand on a flip at 80 columns; L opens the log of A's run, b that of B's, at the item; Esc leads back."""
    app = quick_app(two)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "space", "down", "space", "c")
        await read(pilot, app)
        await press(pilot, "enter")
        await sees(pilot, "✓ right")
        await press(pilot, "enter")
        await sees(pilot, "1 of 7", "L A's calls", "b B's calls", "Esc List", "? Help")
        for key, run in (("L", FIRST), ("b", SECOND)):
            await press(pilot, key)
            await sees(pilot, 'item="scholar/lighthouse', "calls of scholar/lighthouse")
            assert app.current_mode == "log" and app.opened is not None and app.opened.path == two / "runs" / run
            await press(pilot, "escape")
            await sees(pilot, "1 of 7", "scholar @1 ·")
        await press(pilot, "escape", "escape", "escape")
        await sees(pilot, "2 marked")


@pytest.mark.soak
async def test_answers_without_a_score_are_told_at_80_columns(two: Path) -> None:
    """Failed repeats stand in a note below the pairs and beside their side; where notes do not fit, it is said."""
    results = two / "runs" / FIRST / "results.jsonl"
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    failed = [{**line, "repeat": 1, "scores": [{**line["scores"][0], "value": None, "why": "no reply"}]} for line in lines]
    results.write_text("".join(json.dumps(line) + "\n" for line in [*lines, *failed]))
    app = quick_app(two)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "j", "c")
        await read(pilot, app)
        await sees(pilot, "scholar: 8 of 16 answers have no score")
        await press(pilot, "tab")
        await sees(pilot, "0 questions without a score; 8 of 16", "answers have no score")
        await press(pilot, "tab", "tab", "tab")
        assert compared(app).comparison is not None
        compared(app).comparison.notes.extend(["one more"] * 9)  # type: ignore[union-attr]
        await press(pilot, "j")
        await sees(pilot, "… a larger terminal shows the rest")


@pytest.mark.soak
async def test_a_flip_names_the_simulated_side(two: Path) -> None:
    """Where one run of two is simulated, a flip and its copy say which; that no model was asked is said nowhere."""
    for name in ("manifest.json", "progress.json", "call_logs.jsonl"):
        file = two / "runs" / SECOND / name
        file.write_text(file.read_text().replace('"simulated": true', '"simulated": false'))
    app = quick_app(two)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "space", "down", "space", "c")
        await read(pilot, app)
        await sees(pilot, "partly simulated", "scholar @1")
        assert "no model was asked" not in compared(app).text
        await press(pilot, "enter")
        await sees(pilot, "✓ right")
        await press(pilot, "enter")
        await sees(pilot, "1 of 7", "scholar @1 is simulated.")
        text = app.screen.query_one(FlipsPart).dossier_text
        assert "scholar @1 is simulated." in text and "no model was asked" not in text


@pytest.mark.soak
async def test_marks_stay_under_a_filter_and_go_by_the_same_key(two: Path) -> None:
    """A mark belongs to its run, whatever is shown; without marks c compares the models of the run under the cursor."""
    app = quick_app(two)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "space", "slash", *"first", "enter")
        await sees(pilot, "1 of 2 runs", "1 marked (●)")
        assert "● " not in screen_text(app).split("1 of 2 runs")[0]
        await press(pilot, "escape", "g", "space")
        await wait_for(pilot, lambda: "marked" not in screen_text(app))
        await press(pilot, "g", "c")
        await read(pilot, app)
        assert [run.run_id for run in compared(app).comparison.runs] == [SECOND]  # type: ignore[union-attr]
        await sees(pilot, "3 sides, 3 pairs")


@pytest.mark.soak
async def test_answers_stand_side_by_side_where_there_is_room(two: Path) -> None:
    """On a wide terminal both answers begin on one line; on a narrow one the second stands below the first."""
    app = quick_app(two, two / "runs" / FIRST)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "Summary")
        await press(pilot, "c")
        await read(pilot, app)
        await press(pilot, "enter")
        await sees(pilot, "✓ right")
        await press(pilot, "enter", "z")
        for width in (120, 80):
            await pilot.resize_terminal(width, 40)
            await sees(pilot, "A        scholar", "B        rambler")
            await wait_for(pilot, lambda width=width: beside(app) == (width == 120))
        await press(pilot, "escape", "escape", "q")
        await sees(pilot, "Summary")  # back in the result it was opened from


def beside(app: EvalApp) -> bool:
    """Whether both answers begin on one line."""
    return app.screen.query_one(FlipsPart).inspector.panes.has_class("-apart")


@pytest.mark.soak
async def test_w_writes_what_compare_writes(two: Path) -> None:
    """The files are those of the verb compare, letter by letter, and where they are is told."""
    app = quick_app(two)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "space", "down", "space", "c")
        await read(pilot, app)
        await press(pilot, "w")
        await told(pilot, "written to", "compare.md, compare.csv, flips.csv")
    folder = next((two / "comparisons").iterdir())
    wanted = written(compare_runs([two / "runs" / FIRST, two / "runs" / SECOND]), two / "wanted")

    assert {path.name: path.read_text() for path in folder.iterdir()} == wanted


@pytest.mark.soak
async def test_sides_and_charts_say_their_n(two: Path) -> None:
    """Sides show score, ranks, cost and latency; the charts draw scores, cost and categories, and mark who is not beaten."""
    app = quick_app(two)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "c")
        await read(pilot, app)
        await press(pilot, "tab")
        await sees(pilot, "[Sides]", "37.5 % [13.7, 69.4]", "1-3", "USD/call", "n = 8")
        await press(pilot, "tab", "tab")
        await sees(pilot, "‹ 1 of 3 ›", "n = 8 questions each", "├", "●")
        await press(pilot, "l")
        await sees(pilot, "Cost against score", "★", "no other side is both cheaper and better")
        assert len([line for line in app.screen.query_one(Chart).lines if "★" in line]) == 2  # rambler costs more for less
        await press(pilot, "l")
        await sees(pilot, "difficulty, 1 of 4", "easy (5)")
        await press(pilot, "j")
        await sees(pilot, "domain, 2 of 4")
        await press(pilot, "p")
        await sees(pilot, "[Pairs]")


async def test_nothing_to_compare_is_told_with_the_way_out(workspace: Path) -> None:
    """A panel without truths has no scores: the screen says so and what to do; no key does harm there, and Esc leads back."""
    app = quick_app(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "j", "c")
        await sees(pilot, "Nothing to compare", "no scores yet", "truths", "Esc goes back")
        await press(pilot, "enter", "w", "o", "y", "tab", "n", "tab", "enter", "n", "tab", "l", "j", "p", "q")
        await sees(pilot, "2 runs", "small panel")
        shutil.rmtree(workspace / "runs" / CHOICE / "inputs")
        await press(pilot, "g", "c")
        await read(pilot, app)
        await sees(pilot, "scholar", "arbiter")


@pytest.mark.soak
@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.soak)], ids=["80x24", "120x40"])
async def test_comparing_is_as_on_file(size: tuple[int, int], place: Path) -> None:
    """Pairs, a flip and the chart of costs are, letter by letter, those on file."""

    async def walk(at: Screens) -> None:
        await sees(at.pilot, "3 runs")
        await at.go("j", "c")
        await at.see("compare_pairs", "+37.5 [-7.1, +69.4]")
        await at.go("enter", "enter")
        await at.see("compare_flip", "1 of 3")
        await at.go("escape", "escape", "tab", "tab", "tab", "l")
        await at.see("compare_costs", "★")

    await walk_through(walk, size, place)


@pytest.mark.soak
async def test_of_many_pairs_the_one_on_show_is_written_in_full(tmp_path: Path) -> None:
    """Every pair of twelve models can be gone to; what w writes from a pair's flips holds them, told apart or not."""
    write_run(tmp_path / "runs" / FIRST, items({f"m{i:02}": [float(n % 12 <= i) for n in range(12)] for i in range(12)}))
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "1 run")
        await press(pilot, "c")
        await read(pilot, app)
        await sees(pilot, "12 sides, 66 pairs")
        await press(pilot, "end")
        await sees(pilot, "m10 - m11")
        await press(pilot, "enter")
        await sees(pilot, "[Flips]", "1 for m11")
        await press(pilot, "w")
        await told(pilot, "written to", "flips.csv")
    flips = next((tmp_path / "comparisons").glob("*/flips.csv")).read_text()

    assert [line.split(",")[1:4] for line in flips.splitlines()[1:]] == [["m10", "m11", "m11"]]
