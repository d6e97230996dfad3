"""The first look at a folder of others: shown before anything of it takes effect, answered by three keys, asked once."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_bench import asked, panel, write_config
from foreign_folder import theirs
from own_folder import own
from snapshots import SIZES, Screens
from terminal import Terminal

from tui_eval.configuring.first_look import first_look
from tui_eval.tui.first_look_app import FirstLookApp, looked_at, may_bring
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import LOOKS_ONLY, Permit, record_of


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, and no session that only looks."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-persons-own")
    monkeypatch.setenv(LOOKS_ONLY, "")


@pytest.mark.parametrize("size", SIZES)
async def test_the_screen_is_as_on_file(size: tuple[int, int], tmp_path: Path) -> None:
    """At 80x24 and larger: what it brings, what needs a yes, and the keys; nothing of it steers the terminal."""
    look = first_look(Workspace(theirs(tmp_path / "theirs")))
    app = FirstLookApp(Path("/home/me/theirs"), look.lines())
    async with app.run_test(size=size) as pilot:
        screens = Screens(pilot)
        await screens.see("first_look", "y  trust it")
    assert not screens.wrong, "\n\n".join(["", *screens.wrong])


@pytest.mark.parametrize(
    ("key", "answer"),
    [("y", "y"), ("s", "s"), ("n", "n"), ("escape", "n"), ("q", "n"), ("ctrl+c", "n")],
)
async def test_each_key_answers(key: str, answer: str, tmp_path: Path) -> None:
    """Every way out but y and s is no; y counts once the end was in view; scrolling answers nothing."""
    app = FirstLookApp(tmp_path, [f"line {number}" for number in range(60)])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "down", "k", "enter", "space")
        assert app.return_value is None
        await pilot.press(key)
        if key == "y":
            assert app.return_value is None  # what was not in view is trusted by no key
            for _ in range(5):
                await pilot.press(key)
    assert app.return_value == answer


def test_what_brings_nothing_is_not_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, results of others alone, a config with simulated models; and one's own, whatever is in it."""
    monkeypatch.setattr(FirstLookApp, "run", lambda self: pytest.fail("was asked"))
    folders = [tmp_path / name for name in ("empty", "results", "simulated", "own")]
    for folder in folders[:3]:
        folder.mkdir()
    (folders[1] / "runs" / "a").mkdir(parents=True)
    write_config(folders[2], panel([{"name": "m", "wire": "simulator", "model": "sim-scholar"}], [asked("m")]), of_others=True)
    own(theirs(folders[3]))

    assert all(looked_at(Workspace(folder)) for folder in folders)
    assert [may_bring(Workspace(folder)) for folder in folders] == [False, False, True, True]


def test_a_folder_with_nothing_readable_in_it_is_looked_at_all_the_same(tmp_path: Path) -> None:
    """What cannot be read is told, and the rest is listed."""
    folder = theirs(tmp_path / "theirs")
    (folder / ".conf" / "models.toml").write_text("[[models")
    (folder / "broken.toml").write_text("kind = ")
    (folder / "deep.toml").write_text(f"{'.'.join('a' * 40)} = 1\n")
    lines = first_look(Workspace(folder)).lines()

    assert sum(line.startswith("cannot be read") for line in lines) == 3
    assert any(line.startswith("needs a yes: to 203.0.113.5:8080: the value of OPENAI_API_KEY") for line in lines)
    assert not any("\x1b" in line or "\x07" in line for line in lines)


def test_the_app_asks_once_and_a_change_is_asked_about_alone(tmp_path: Path) -> None:
    """n leaves; y lets the app begin, which then begins at once; a host that is new later is asked about where it is sent."""
    folder = theirs(tmp_path / "theirs")
    with Terminal(["--workspace", folder]) as terminal:
        terminal.wait_for("was not made here")
        terminal.send("n")
        assert terminal.end() == 0
    assert not record_of(folder).own
    with Terminal(["--workspace", folder]) as terminal:
        terminal.wait_for("was not made here")
        terminal.send("y")
        terminal.wait_for("? help")
        terminal.send("q")
        assert terminal.end() == 0
    record = record_of(folder)
    assert record.own and record.allows(Permit("key", "OPENAI_API_KEY", "203.0.113.5:8080"))
    with Terminal(["--workspace", folder]) as terminal:
        terminal.wait_for("? help")
        terminal.send("q")
        assert terminal.end() == 0
