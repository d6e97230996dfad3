"""Laws of the list of runs: it shows what is there, and every deed asks, is done, or says why not."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from made import CHOICE, PANEL, cut_off, exam_config, make_run, panel_config, write_exam
from screen import held, press, quick_app, screen_text, sees, toasts, told, wait_for
from soaking import quick_first
from textual.widgets import Input

from tui_eval.runs.destroyed_lines import asked_again
from tui_eval.runs.folder import LOG, PAUSE, PROGRESS, STOP
from tui_eval.runs.steering import Started
from tui_eval.simulator.server import Simulator
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.dialogs.confirm import Confirm
from tui_eval.tui.screens.runs import run_actions
from tui_eval.tui.screens.runs.screen import RunsScreen

SIZE = (120, 30)


def chosen(app: EvalApp) -> str:
    """The run under the cursor."""
    assert isinstance(app.screen, RunsScreen) and app.screen.chosen is not None
    return app.screen.chosen.run_id


async def test_runs_come_and_go_by_themselves(workspace: Path) -> None:
    """A folder that another process copies in appears, at its place; one that is removed vanishes; the cursor keeps its run."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "j")
        assert chosen(app) == PANEL
        source, copied = workspace / "runs" / CHOICE, workspace / "runs" / "20270101_000000_dddd_copied"
        code = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2])"
        await asyncio.to_thread(lambda: subprocess.run([sys.executable, "-c", code, source, copied], check=True))
        await sees(pilot, "3 runs", "20270101_000000_dddd")
        assert chosen(app) == PANEL
        shutil.rmtree(source)
        await sees(pilot, "2 runs")
        assert CHOICE not in screen_text(app) and chosen(app) == PANEL
        assert not toasts(app)


async def test_the_cursor_goes_to_a_run_that_began_meanwhile(workspace: Path) -> None:
    """Coming back to the list, it stands on the newest; runs of one name are told apart by a number at 80 columns, too."""
    app = quick_app(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "j", "1")
        await wait_for(pilot, lambda: app.current_mode == "models")
        for number, path in enumerate([PANEL, CHOICE]):
            copied = workspace / "runs" / f"2027010{number + 1}_000000_dddd_copied"
            made = Path(shutil.copytree(workspace / "runs" / path, workspace / "copied"))
            manifest = json.loads((made / "manifest.json").read_text())
            (made / "manifest.json").write_text(json.dumps({**manifest, "started_at": f"2027-01-0{number + 1}T00:00:00Z"}))
            made.rename(copied)  # whole at once, as a manifest is read once
        await wait_for(pilot, lambda: len(app.board.entries) == 4)
        await press(pilot, "4")
        await sees(pilot, "4 runs", "#1 small e", "#2 small e", "#1 small p", "#2 small p")
        await wait_for(pilot, lambda: chosen(app) == copied.name)
        await sees(pilot, "4 runs; #2 is set up as #1 is")
        app.board.begun = workspace / "runs" / PANEL
        await press(pilot, "slash", "s", "enter")
        await wait_for(pilot, lambda: chosen(app) == PANEL)


async def test_runs_of_one_name_say_what_changed(workspace: Path) -> None:
    """Under the list, of the one under the cursor against the one before it: a setting with both values."""
    source, copied = workspace / "runs" / CHOICE, workspace / "runs" / "20270101_000000_dddd_copied"
    made = Path(shutil.copytree(source, workspace / "copied"))
    manifest = json.loads((made / "manifest.json").read_text())
    (made / "manifest.json").write_text(json.dumps({**manifest, "started_at": "2027-01-01T00:00:00Z"}))
    config = (made / "config.toml").read_text()
    (made / "config.toml").write_text(config.replace("max_calls = 14", "max_calls = 15", 1))
    made.rename(copied)
    app = quick_app(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "3 runs; #2 since #1: run.max_calls 14 → 15")
        await press(pilot, "j")
        await wait_for(pilot, lambda: "since" not in screen_text(app) and "3 runs" in screen_text(app))


async def test_a_run_that_is_taken_up_is_starting_until_its_process_says_more(workspace: Path) -> None:
    """From the key on, with a clock; also while the lock is held and the folder still says how the run ended before."""
    path, app = workspace / "runs" / PANEL, quick_app(workspace)
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            await sees(pilot, "2 runs")
            app.run_actions.started[path] = Started(sleeper, path)
            app.open_run(path)
            await press(pilot, "3")
            await sees(pilot, "◔ starting", "starting for 0:0", "inputs are read")
            assert "Resume" not in screen_text(app) and app.board.since(path) is not None
            progress = json.loads((path / PROGRESS).read_text())
            (path / PROGRESS).write_text(json.dumps({**progress, "state": "running"}))
            with held(path):
                await sees(pilot, "▶ running")
                assert app.board.since(path) is None
                (path / STOP).touch()
                await sees(pilot, "◼ stopping", "stopping for 0:0")
    finally:
        sleeper.kill()
        sleeper.wait()


@pytest.mark.soak
async def test_the_filter_works_as_one_types(workspace: Path) -> None:
    """Words in any order, !word leaves out, the count says of how many; models are looked for where they have no column;
    nothing found is told; Esc brings all back."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "small exam", "small panel", "2 runs")
        await press(pilot, "slash", *"ANEL")
        await sees(pilot, "1 of 2 runs", "small panel")
        assert "small exam" not in screen_text(app)
        for words, shown in (
            ("!panel", "small exam"), ("exam choice", "small exam"), ("! small !choice", "small panel"),
            ("model:arbiter panel", "small panel"),
        ):  # fmt: skip
            app.screen.query_one(Input).value = ""
            await press(pilot, *(letter if letter != " " else "space" for letter in words))
            await sees(pilot, "1 of 2 runs", shown)
        await press(pilot, "space", *"nosuch")
        await sees(pilot, "Nothing matches", "0 of 2 runs")
        await press(pilot, "enter", "D", "x", "p", "r", "i", "v", "L", "enter", "escape")
        await sees(pilot, "2 runs", "small exam", "small panel")
        assert all("does nothing here" in words or "no run is open" in words for words in toasts(app))


async def test_stopping_asks_and_pausing_goes_back(workspace: Path) -> None:
    """A live run: x asks, only y stops; p pauses, p again lets go on. Each says what was done."""
    path = workspace / "runs" / CHOICE
    app = quick_app(workspace)
    with held(path):
        async with app.run_test(size=SIZE) as pilot:
            await sees(pilot, "▶ running", "1 live")
            await press(pilot, "x")
            await sees(pilot, f"Stop {CHOICE}?")
            await press(pilot, "n")
            assert not (path / STOP).exists()
            await press(pilot, "p")
            await told(pilot, "pausing")
            assert (path / PAUSE).exists()
            await press(pilot, "p")
            await told(pilot, "goes on")
            assert not (path / PAUSE).exists()
            await press(pilot, "x", "y")
            await told(pilot, "stopping")
            assert (path / STOP).exists()


async def test_what_cannot_be_done_is_told(workspace: Path) -> None:
    """A live run is neither deleted nor resumed; one that is over is neither stopped nor paused."""
    app = quick_app(workspace)
    with held(workspace / "runs" / PANEL):
        async with app.run_test(size=SIZE) as pilot:
            await sees(pilot, "1 live")
            await press(pilot, "x")
            await told(pilot, "not running; there is nothing to stop")
            await press(pilot, "p")
            await told(pilot, "no live process")
            await press(pilot, "j", "D", "y")
            await told(pilot, "stop it first")
            await press(pilot, "r")
            await told(pilot, "it is running")
            assert not isinstance(app.screen, Confirm)
    assert (workspace / "runs" / PANEL / "config.toml").is_file()
    assert not (workspace / "runs" / CHOICE / PAUSE).exists()


async def test_deleting_and_the_path(workspace: Path) -> None:
    """i shows the whole path and copies it; D asks, names what is lost, and only y deletes: that run, no other."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "i")
        await told(pilot, str((workspace / "runs" / CHOICE).resolve()), "clipboard")
        assert app.clipboard == str((workspace / "runs" / CHOICE).resolve())
        await press(pilot, "D")
        await sees(pilot, f"Delete {CHOICE} for good?", "the replies of")
        await press(pilot, "enter", "space", "n", "D", "y")
        await told(pilot, f"deleted {CHOICE}")
        await sees(pilot, "1 run", "small panel")
    assert [path.name for path in (workspace / "runs").iterdir()] == [PANEL]


async def test_a_run_that_went_on_meanwhile_is_kept_and_stays_open(workspace: Path) -> None:
    """A run that a process took between the question and the answer is not deleted, and is still the open one."""
    path = workspace / "runs" / CHOICE
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        app.open_run(path)
        await press(pilot, "D")
        await sees(pilot, f"Delete {CHOICE} for good?")
        with held(path):
            await press(pilot, "y")
            await told(pilot, "stop it first")
        assert (path / "config.toml").is_file() and app.opened is not None and app.opened.path.name == CHOICE


@pytest.mark.soak
async def test_an_interrupted_run_is_finished_from_here(tmp_path: Path) -> None:
    """r starts a process of its own that asks what is left; the list shows the run done, with every call."""
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / PANEL
    simulator = Simulator(latency_scale=0.0)
    config = panel_config(await simulator.start(), max_concurrency=1)
    config["models"] = [{**model, "model": "sim-scholar"} if model["name"] == "broken" else model for model in config["models"]]
    try:
        await make_run(path, config)
        cut_off(path, 2)
        app = quick_app(tmp_path)
        async with app.run_test(size=SIZE) as pilot:
            await sees(pilot, "✗ interrupt")
            await press(pilot, "r")
            await told(pilot, "resumed")
            await sees(pilot, "✓ done", "100 %")
            await wait_for(pilot, lambda: not app.run_actions.started)
            assert len(toasts(app)) == 1
    finally:
        await simulator.stop()
    assert len((path / LOG).read_bytes().splitlines()) > 2


@pytest.mark.soak
async def test_a_resume_that_fails_tells_why(workspace: Path) -> None:
    """The config was changed since: what the process said stands in a message."""
    with (workspace / "runs" / CHOICE / "config.toml").open("a") as file:
        file.write("\n[nonsense]\n")
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "R")
        await told(pilot, CHOICE, "config.toml")
        assert not app.run_actions.started


@pytest.mark.parametrize("size", quick_first([(80, 24), SIZE]))
async def test_destroyed_lines_are_asked_about(size: tuple[int, int], tmp_path: Path) -> None:
    """Before a resume pays again for what stood in them: no starts nothing, yes asks just these, once."""
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / CHOICE
    simulator = Simulator(latency_scale=0.0)
    write_exam(tmp_path)
    config = exam_config(await simulator.start())
    config["models"], config["choice"]["models"] = config["models"][:1], ["scholar"]
    try:
        await make_run(path, config)
        lines = (path / LOG).read_bytes().splitlines(keepends=True)
        (path / LOG).write_bytes(b"".join([lines[0], lines[1][:-40] + b"\n", *lines[2:]]))
        asked = size_in_lines(path / LOG)
        app = quick_app(tmp_path)
        async with app.run_test(size=size) as pilot:
            await sees(pilot, "1 run")
            await press(pilot, "R")
            await sees(pilot, "Ask again what stood in 1 destroyed line", "line 2 cannot be read", "sound copy", "y  yes")
            await press(pilot, "n")
            await wait_for(pilot, lambda: not isinstance(app.screen, Confirm))
            assert not app.run_actions.started and size_in_lines(path / LOG) == asked
            await press(pilot, "R")
            await sees(pilot, "1 destroyed line")
            await press(pilot, "y")
            await told(pilot, "resumed")
            await wait_for(pilot, lambda: not app.run_actions.started)
            assert size_in_lines(path / LOG) == asked + 1 and not asked_again(path)
    finally:
        await simulator.stop()


def size_in_lines(file: Path) -> int:
    """How many lines a file has."""
    return len(file.read_bytes().splitlines())


async def test_a_question_that_comes_late_is_not_put(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that takes long to read: keys go on meanwhile, and none of them may be the answer."""
    monkeypatch.setattr(run_actions, "HOLD_S", 0.0)
    log = workspace / "runs" / CHOICE / LOG
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([lines[0][:-40] + b"\n", *lines[1:]]))
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "R")
        await told(pilot, "resume it once more to be asked")
        assert not isinstance(app.screen, Confirm) and not app.run_actions.started
        monkeypatch.setattr(run_actions, "HOLD_S", 60.0)
        monkeypatch.setattr(run_actions, "asked_again", lambda path: pytest.fail("read a second time"))
        await press(pilot, "R")
        await sees(pilot, "1 destroyed line")


@pytest.mark.soak
async def test_a_run_that_fails_a_gate_has_ended_well(tmp_path: Path) -> None:
    """Its process ends with 1: that is told as what it is, no failure of the run, and the list shows it done."""
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / CHOICE
    simulator = Simulator(latency_scale=0.0)
    write_exam(tmp_path)
    config = exam_config(await simulator.start())
    config["models"], config["choice"]["models"] = config["models"][:1], ["scholar"]
    try:
        await make_run(path, {**config, "gate": {"correct": "> 1"}})
        cut_off(path, 2)
        app = quick_app(tmp_path)
        async with app.run_test(size=SIZE) as pilot:
            await sees(pilot, "✗ interrupt")
            await press(pilot, "r")
            await told(pilot, "not all of its gates hold")
            await sees(pilot, "✓ done", "100 %")
    finally:
        await simulator.stop()


@pytest.mark.parametrize("key", ["m", "L", "enter"])
async def test_a_run_is_opened(key: str, workspace: Path) -> None:
    """The monitor, the log and the results are those of the run under the cursor."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "j", key)
        await wait_for(pilot, lambda: app.opened is not None and app.opened.run_id == PANEL)
        await sees(pilot, "small panel")
        assert app.current_mode == {"m": "run", "L": "log"}.get(key, "results")
