"""Laws of picking a path: what is typed narrows what is listed, keys reach everything, and no folder does harm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from screen import press, quick_app, screen_text, sees, wait_for
from textual.pilot import Pilot
from textual.widgets import Input

from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.dialogs.pick_path import PickPath, look_in


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A few folders and files."""
    for name in ("alpha.csv", "alpine.json", "beta.txt", ".hidden.csv", "oil/wells.csv", "oil/deep/last.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x" * 1500)
    return tmp_path


async def picking(
    pilot: Pilot[None], start: Path, *, folders: bool = False, suffixes: tuple[str, ...] = ()
) -> list[Path | None]:
    """The picker opened; what was picked comes into the list."""
    picked: list[Path | None] = []
    pilot.app.push_screen(PickPath("Import which file?", start, folders, suffixes), picked.append)
    await sees(pilot, "Import which file?", "names")
    return picked


async def typed(pilot: Pilot[None], text: str) -> None:
    """Letters typed as keys."""
    await press(pilot, *("slash" if letter == "/" else "full_stop" if letter == "." else letter for letter in text))


async def test_by_keyboard_to_a_file(tree: Path) -> None:
    """The cursor begins on the first file that fits; typing narrows the list, Tab completes as far as names agree, Enter goes
    into folders and takes a file."""
    app = quick_app(tree)
    async with app.run_test(size=(80, 24)) as pilot:
        picked = await picking(pilot, tree, suffixes=(".csv",))
        await sees(pilot, "oil/", "alpha.csv", "beta.txt", "1.5 kB", "4 of 4 names", "Enter takes alpha.csv")
        assert ".hidden" not in screen_text(app)
        await typed(pilot, "a")
        await sees(pilot, "2 of 4 names")
        await press(pilot, "tab")
        await wait_for(pilot, lambda: app.screen.query_one(Input).value == "alp")
        await press(pilot, "backspace", "backspace", "backspace", "o", "tab")
        await sees(pilot, "deep/", "Enter takes wells.csv")
        await press(pilot, "up")
        await sees(pilot, "Enter opens deep/")
        await press(pilot, "enter")
        await sees(pilot, "last.csv", "Enter takes last.csv")
        await press(pilot, "enter")
        await wait_for(pilot, lambda: picked)
        assert picked == [tree / "oil" / "deep" / "last.csv"]


async def test_a_path_that_is_typed_behind_the_last_folder_is_meant_as_it_stands(tree: Path) -> None:
    """Typed from where the picker begins, it is not looked for in the folder that stands in the line already."""
    app = quick_app(tree)
    async with app.run_test(size=(80, 24)) as pilot:
        app.picked_from = tree / "oil"
        picked = await picking(pilot, tree)
        await typed(pilot, "oil/w")
        await wait_for(pilot, lambda: app.screen.query_one(Input).value == "oil/w")
        await sees(pilot, "Enter takes wells.csv")
        await press(pilot, "enter")
        await wait_for(pilot, lambda: picked)
        assert picked == [tree / "oil" / "wells.csv"]


@pytest.mark.soak
async def test_the_last_folder_is_remembered(tree: Path) -> None:
    """The next picker begins in the folder that a file was picked from; Esc picks nothing."""
    app = quick_app(tree)
    async with app.run_test(size=(80, 24)) as pilot:
        await picking(pilot, tree)
        await typed(pilot, "oil/w")
        await press(pilot, "enter")
        picked = await picking(pilot, tree)
        await sees(pilot, "oil/", "wells.csv", "deep/")
        await press(pilot, "escape")
        await wait_for(pilot, lambda: picked)
        assert picked == [None]


async def test_a_folder_can_be_taken_and_is_named(tree: Path) -> None:
    """Where folders are looked for, a key that the screen names takes the one under the cursor, or the one looked into."""
    app = quick_app(tree)
    async with app.run_test(size=(100, 24)) as pilot:
        picked = await picking(pilot, tree, folders=True)
        await sees(pilot, "./  this folder", "Enter opens oil/  F2 takes it")
        await press(pilot, "f2")
        await wait_for(pilot, lambda: picked)
        again = await picking(pilot, tree, folders=True)
        await press(pilot, "up", "up")
        await sees(pilot, "Enter takes this folder")
        await press(pilot, "enter")
        await wait_for(pilot, lambda: again)
        assert (picked, again) == ([tree / "oil"], [tree])


async def test_hidden_names_need_a_dot_and_the_folder_above_is_a_row(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dot shows hidden names; "../" goes up; a path may be typed whole; ~ is the home folder."""
    monkeypatch.setenv("HOME", "/usr")  # there everywhere, and short enough to be shown whole
    app = quick_app(tree)
    async with app.run_test(size=(80, 24)) as pilot:
        picked = await picking(pilot, tree / "oil")
        await press(pilot, "up", "enter")
        await sees(pilot, "alpine.json")
        await typed(pilot, ".h")
        await sees(pilot, ".hidden.csv")
        line = app.screen.query_one(Input)
        line.value = ""
        await press(pilot, "~")
        await sees(pilot, "names in /usr")
        line.value = ""
        line.value = f"{tree}/bet"
        await press(pilot, "enter")
        await wait_for(pilot, lambda: picked)
        assert picked == [tree / "beta.txt"]


async def test_trouble_is_told_and_does_no_harm(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is not there, names that no terminal can show, pipes and dead links: told, walked into, or refused."""
    odd = tree / "odd"
    odd.mkdir()
    inner = os.fsencode(odd) + b"/in\x1b[2J\xff\nner"
    os.mkdir(inner)
    Path(os.fsdecode(inner), "deep.csv").touch()
    os.mkfifo(odd / "pipe")
    (odd / "dead").symlink_to("nowhere")
    (odd / ("w" * 250)).write_text("")
    app = quick_app(tree)
    async with app.run_test(size=(80, 24)) as pilot:
        picked = await picking(pilot, tree)
        await typed(pilot, "nowhere/")
        await sees(pilot, "There is no such folder")
        await press(pilot, "enter", "f2", "tab")
        app.screen.query_one(Input).value = "odd/"
        await sees(pilot, "pipe", "dead", "wwww…")
        assert "\x1b" not in screen_text(app)
        await typed(pilot, "pipe")
        await sees(pilot, "1 of 4 names")
        await press(pilot, "enter")
        await sees(pilot, "not a file that can be read")
        assert not picked
        app.screen.query_one(Input).value = "odd/"
        await sees(pilot, "4 of 4 names", "Enter opens")
        await press(pilot, "enter")
        await sees(pilot, "deep.csv")
        await press(pilot, "enter")
        await wait_for(pilot, lambda: picked)
        assert picked == [Path(os.fsdecode(inner)) / "deep.csv"]


async def test_a_key_waits_for_the_folder(tree: Path) -> None:
    """Enter and Tab that come before the folder was read act on what is typed, not on what stood there before."""
    app: EvalApp = quick_app(tree)
    async with app.run_test(size=(80, 24)) as pilot:
        picked = await picking(pilot, tree)
        line = app.screen.query_one(Input)
        line.value = "be"
        await line.action_submit()
        await wait_for(pilot, lambda: picked)
        assert picked == [tree / "beta.txt"]


def test_huge_folders_are_bounded(tmp_path: Path) -> None:
    """Of many names only so many are listed and looked at on disk; how many match is counted all the same."""
    for number in range(1_500):
        (tmp_path / f"f{number:05d}").touch()
    look = look_in(tmp_path, "f", (), lambda: False)
    assert (len(look.found), look.matching, look.names, look.more) == (1_000, 1_500, 1_500, False)
    assert look.common == "f0"
    assert look_in(tmp_path, "f", (), lambda: True).names == 0


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    """A file in place of a folder, no permission, a NUL in a path: words instead of an error."""
    (tmp_path / "file").touch()
    assert "this is a file, not a folder" in look_in(tmp_path / "file" / "x", "", (), lambda: False).trouble.lower()
    assert look_in(tmp_path / "a\0b", "", (), lambda: False).trouble
    assert look_in(tmp_path / ("x" * 300), "", (), lambda: False).trouble
