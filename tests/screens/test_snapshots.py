"""Every screen as text, on the golden run folders: what stands there today is what stood there when somebody looked at it."""

from __future__ import annotations

import difflib
import fcntl
import json
import os
import shutil
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from screen import app_on, press, screen_text
from textual.pilot import Pilot

from tui_eval.store.folder import LOCK, PROGRESS
from tui_eval.tui.screens import live

SNAPSHOTS = Path(__file__).parent / "snapshots"
GOLDEN = Path(__file__).resolve().parent.parent / "golden"
WRITE = "TUI_EVAL_WRITE_SNAPSHOTS" in os.environ
SIZES = ((80, 24), (120, 40))
WALKED = [SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.soak)]
"""Both in CI; every change is held against the smaller ones."""
WHEN = datetime.fromisoformat("2026-01-02T03:04:12Z").timestamp()
"""What the monitor's clock shows: two seconds after the last sign of life of the run with troubles."""
PATIENCE_S = 10.0
"""How long a screen may take to become what is on file."""
STEADY_S = 0.6
"""A screen that has not changed for so long is written to file."""
MODELS = """\
[[models]]
name = "scholar"
wire = "simulator"
model = "sim-scholar"

[[models]]
name = "mini"
wire = "openai"
model = "gpt-5-mini"
api_key_env = "A_KEY_THAT_NOBODY_HAS"
price = { input = 0.25, output = 2.0, source = "by hand", date = "2026-01-02" }
"""
CHARTS = 4
"""How many charts either kind of run has here."""
QUESTIONS = "# Questions\n\n1. Who keeps the harbour log of Skerrow?\n2. What was the first load of the new crane?\n"


class Screens:
    """The screens of one walk through the app, held against those on file."""

    def __init__(self, pilot: Pilot[Any]) -> None:
        self.pilot = pilot
        self.wrong: list[str] = []

    async def go(self, *keys: str) -> None:
        """Press keys."""
        await press(self.pilot, *keys)

    async def see(self, name: str, words: str) -> None:
        """This screen stands there, with these words on it, and becomes what is on file."""
        width, height = self.pilot.app.size
        file = SNAPSHOTS / f"{name}_{width}x{height}.txt"
        wanted = file.read_text(encoding="utf-8") if file.is_file() else ""
        text = await self._text(words, wanted)
        assert words in text, "\n\n".join([*self.wrong, f"{name}: waited in vain for {words!r}\n{text}"])
        if WRITE:
            SNAPSHOTS.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif text != wanted:
            self.wrong.append(difference(wanted, text, file.name))

    async def _text(self, words: str, wanted: str) -> str:
        """What stands on the screen once it is as wanted (or, to be written, once it rests), or patience ends."""
        until = time.monotonic() + (PATIENCE_S if WRITE or not self.wrong else 1.0)
        text, since = "", time.monotonic()
        while time.monotonic() < until:
            await self.pilot.pause(0.01)
            before, text = text, screen_text(self.pilot.app) + "\n"  # type: ignore[arg-type]
            since = since if text == before else time.monotonic()
            if words in text and (time.monotonic() - since > STEADY_S if WRITE else text == wanted):
                break
        return text


def difference(wanted: str, found: str, name: str) -> str:
    """What to tell who changed a screen."""
    lines = difflib.unified_diff(wanted.splitlines(), found.splitlines(), f"snapshots/{name}", "now", lineterm="")
    return "\n".join([*lines, "if this is as it should be, scripts/snapshots writes it anew; look at it with git diff"])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace that is shown as ~/ws, with the golden runs, some models and a dataset in it; and a clock that stands."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(live, "time", SimpleNamespace(time=lambda: WHEN, monotonic=time.monotonic))
    monkeypatch.setattr(live, "TAKE_EVERY_S", 0.05)
    workspace = tmp_path / "ws"
    for name in ("panel", "choice", "stopped"):
        run_id = json.loads((GOLDEN / name / "manifest.json").read_text())["run_id"]
        shutil.copytree(GOLDEN / name, workspace / "runs" / run_id)
    for folder, file, text in ((".conf", "models.toml", MODELS), ("datasets", "harbour.md", QUESTIONS)):
        (workspace / folder).mkdir()
        (workspace / folder / file).write_text(text)
    for path in workspace.rglob("*"):
        os.utime(path, (WHEN, WHEN))
    return workspace


Walk = Callable[[Screens], Awaitable[None]]


async def walk_through(walk: Walk, size: tuple[int, int], workspace: Path, run: str = "") -> None:
    """Walk through the app, beginning at a run where one is named; all that is not as on file is told together."""
    app = app_on(workspace, next((workspace / "runs").glob(f"*_{run}")) if run else None)
    app.every_s = 0.1
    async with app.run_test(size=size) as pilot:
        screens = Screens(pilot)
        await walk(screens)
        await press(pilot, "ctrl+q")
    assert not screens.wrong, "\n\n".join(["", *screens.wrong])


async def lists(at: Screens) -> None:
    """The runs, help, a question, and the plain lists."""
    await at.see("runs", "3 runs")
    await at.go("question_mark")
    await at.see("help", "Keys of")
    await at.go("escape", "D")
    await at.see("confirm", "Delete")
    await at.go("escape", "1")
    await at.see("models", "gpt-5-mini")
    await at.go("j", "enter")
    await at.see("model", "A_KEY_THAT_NOBODY_HAS")
    await at.go("escape", "2")
    await at.see("datasets", "harbour.md")
    await at.go("5")
    await at.see("prompts", "doer_system")


async def troubles(at: Screens) -> None:
    """The run that was stopped: monitor, log, an attempt in all its parts."""
    await at.go("3")
    await at.see("live_stopped", "mean")
    await at.go("6")
    await at.see("log", "47 attempts")
    await at.go("slash", *"status:failed", "enter")
    await at.see("log_failed", "25 of 47 attempts")
    await at.go("enter")
    for part in ("Reply", "Prompt", "Parameters", "Usage", "Headers", "JSON", "Attempts"):
        await at.see(f"attempt_{part.lower()}", f"[{part}]")
        await at.go("tab")


async def results_of_a_panel(at: Screens) -> None:
    """A panel that is done: monitor, results in all their parts, a number's basis, an item."""
    await at.go("3")
    await at.see("live_done", "mean")
    await at.go("v")
    await at.see("panel_summary", "95 % interval")
    await at.go("enter")
    await at.see("panel_basis", "rests on")
    await at.go("escape", "tab")
    await at.see("panel_tables", "[Tables]")
    await at.go("enter")
    await at.see("panel_table", "Enter: what a row rests")
    await at.go("escape", "tab")
    await at.see("panel_answers", "[Answers]")
    await at.go("enter")
    await at.see("panel_item", "Truth")
    await at.go("escape", "tab")
    await at.see("panel_chart", f"‹ 1 of {CHARTS} ›")
    await at.go("tab")
    await at.see("panel_files", "[Files]")


async def results_of_an_exam(at: Screens) -> None:
    """A multiple-choice exam: the same, with every chart."""
    await at.go("3")
    await at.see("live_exam", "mean")
    await at.go("v")
    await at.see("choice_summary", "95 % interval")
    await at.go("enter")
    await at.see("choice_basis", "rests on")
    await at.go("escape", "tab")
    await at.see("choice_tables", "[Tables]")
    await at.go("enter")
    await at.see("choice_table", "Enter: what a row rests")
    await at.go("escape", "tab")
    await at.see("choice_answers", "[Answers]")
    await at.go("enter")
    await at.see("choice_item", "Truth")
    await at.go("escape", "tab")
    for number in range(1, CHARTS + 1):
        await at.see(f"choice_chart_{number}", f"‹ {number} of {CHARTS} ›")
        await at.go("right")


@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
@pytest.mark.parametrize(
    ("walk", "run"),
    [(lists, ""), (troubles, "troubles"), (results_of_a_panel, "harbour"), (results_of_an_exam, "lighthouse")],
    ids=["lists", "troubles", "panel", "choice"],
)
async def test_the_screens_are_as_on_file(walk: Walk, run: str, size: tuple[int, int], place: Path) -> None:
    """Whatever a change of the code does to a screen is seen: every screen is, letter by letter, the one on file."""
    await walk_through(walk, size, place, run)


@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
async def test_the_monitor_of_a_live_run_is_as_on_file(size: tuple[int, int], place: Path) -> None:
    """The same for a run that a process is at work on, with a limit that was lowered."""
    path = next((place / "runs").glob("*_troubles"))
    progress = json.loads((path / PROGRESS).read_text())
    told = {"state": "running", "why": "", "in_flight": 2, "done": 30, "eta_s": 75.0}
    (path / PROGRESS).write_text(json.dumps({**progress, **told}))
    with (path / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write('{"pid": 1, "host": "here", "since": null}')
        lock.flush()

        async def walk(at: Screens) -> None:
            await at.see("live_running", "now ")

        await walk_through(walk, size, place, "troubles")


async def test_too_small_a_terminal_is_told_as_on_file(place: Path) -> None:
    """A terminal of fewer places than the app needs gets one sentence."""

    async def walk(at: Screens) -> None:
        await at.see("too_small", "make it larger")

    await walk_through(walk, (50, 15), place)
