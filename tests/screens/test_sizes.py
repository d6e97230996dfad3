"""Laws of places: any terminal, any workspace, any folder of a run, and two apps at one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from made import CHOICE, PANEL
from screen import app_on, press, quick_app, screen_text, sees, toasts, wait_for
from soaking import quick_first

from tui_eval.runs import steering
from tui_eval.tui.widgets.chrome import SCREENS


async def test_a_terminal_that_is_too_small(workspace: Path) -> None:
    """It says how large it must be; as soon as it is, everything is back and the keys work."""
    app = app_on(workspace)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "small panel")
        for number, (width, height) in enumerate(((20, 5), (59, 40), (100, 19)), start=1):
            await pilot.resize_terminal(width, height)
            await wait_for(pilot, lambda words=f"{width} x {height}": words in " ".join(screen_text(app).split()))
            assert "small panel" not in screen_text(app)
            await press(pilot, "j", "slash", "escape")
            await pilot.resize_terminal(100, 30)
            await sees(pilot, "small panel", "2 runs")
            assert "This terminal" not in screen_text(app)
            await press(pilot, str(number))
            await wait_for(pilot, lambda mode=SCREENS[number - 1][0]: app.current_mode == mode)
            await press(pilot, "4")
        assert {words for words in toasts(app) if "does nothing here" not in words} == set()


async def test_it_may_begin_too_small(workspace: Path) -> None:
    """Started on too small a terminal, it is there as soon as there is room."""
    app = app_on(workspace)
    async with app.run_test(size=(60, 16)) as pilot:
        await sees(pilot, "60 x 16")
        await pilot.resize_terminal(100, 30)
        await sees(pilot, "small panel", "2 runs")
        await press(pilot, "6")
        await sees(pilot, "attempts")


def framed(lines: list[str], height: int) -> bool:
    """Whether the line of screens, the status and the keys stand where they belong."""
    at_the_top = "1 Models" in lines[0] and "6 Log" in lines[0]
    return len(lines) == height and at_the_top and lines[-2].startswith(" no run is running") and "? Help" in lines[-1]


@pytest.mark.parametrize(
    "size", [(60, 20), pytest.param((80, 24), marks=pytest.mark.soak), pytest.param((200, 50), marks=pytest.mark.soak)]
)
async def test_every_screen_has_its_frame_at_every_size(size: tuple[int, int], workspace: Path) -> None:
    """The line of screens, the status and the keys stand at its edges; the screens are whole from 80 columns on."""
    app = app_on(workspace)
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "2 runs")
        for keys in ("1", "2", "3", "v", "4", "5", "6", "enter"):
            await press(pilot, keys)
            await wait_for(pilot, lambda: framed(screen_text(app).split("\n"), size[1]), f"the frame after {keys}")
        assert not toasts(app)


@pytest.mark.soak
async def test_two_apps_on_one_workspace(workspace: Path) -> None:
    """What one deletes vanishes from the other, even while that looks at it."""
    one, other = quick_app(workspace), quick_app(workspace)
    async with one.run_test(size=(100, 30)) as pilot, other.run_test(size=(100, 30)) as beside:
        await sees(pilot, "small panel", "small exam")
        await sees(beside, "small panel", "small exam")
        await press(beside, "L")
        await sees(beside, "attempts")
        await press(pilot, "D", "y")
        await sees(pilot, "1 run")
        assert not (workspace / "runs" / CHOICE).exists()
        await press(beside, "enter", "escape", "v", "3", "4", "4")
        await sees(beside, "1 run", "small panel")
        assert other.failure is None


@pytest.mark.parametrize("how", quick_first(["outside", "relative", "link"]))
async def test_a_run_from_elsewhere(how: str, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is asked for by any path is opened, listed once, and read."""
    outside = tmp_path / "elsewhere" / "20250101_000000_cccc_other"
    shutil.copytree(workspace / "runs" / PANEL, outside)
    link = tmp_path / "link"
    link.symlink_to(outside)
    monkeypatch.chdir(tmp_path)
    path = {"outside": outside, "relative": Path("elsewhere") / outside.name, "link": link}[how]
    app = quick_app(workspace, path)
    async with app.run_test(size=(120, 30)) as pilot:
        await sees(pilot, "small panel")
        assert app.current_mode == "results" and len(app.screen_stack) == 2, "a finished run opens with its results"
        assert app.opened is not None and app.opened.path.resolve() == outside
        await press(pilot, "6")
        await sees(pilot, "attempts", "simulated")
        await press(pilot, "4", "4")
        await sees(pilot, "3 runs")
        assert not toasts(app)


@pytest.mark.soak
@pytest.mark.parametrize("there", quick_first([True, False]), ids=["empty", "missing"])
async def test_an_empty_workspace_stays_empty(there: bool, tmp_path: Path) -> None:
    """Every screen says what to do, and nothing is made by looking."""
    root = tmp_path / "space"
    root.mkdir() if there else None
    app = app_on(root)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "No runs in this workspace", "run quickstart")
        for key, words in (
            ("1", "2 without a key"),
            ("2", "No datasets"),
            ("3", "No run"),
            ("6", "No run is open"),
            ("4", "No run"),
        ):
            await press(pilot, key)
            await sees(pilot, words)
        await press(pilot, "x", "p", "r", "D", "i", "L", "v", "y", "enter", "slash", "a", "escape")
        assert app.failure is None
    assert not root.exists() or not list(root.iterdir())


def test_a_folder_of_runs_may_be_gone_at_once(workspace: Path) -> None:
    """The board's list is empty then, and nothing is told."""
    board = quick_app(workspace).board
    board._once()
    board.take_up()
    assert len(board.entries) == 2
    for name in (PANEL, CHOICE):
        steering.delete(workspace / "runs" / name)
    (workspace / "runs").rmdir()
    board._once()
    board.take_up()
    assert board.entries == () and not board.trouble
