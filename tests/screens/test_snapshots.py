"""Every screen as text, on the golden run folders: what stands there today is what stood there when somebody looked at it."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest
from snapshots import (
    WALKED,
    Screens,
    Walk,
    walk_through,
)
from soaking import quick_first_rows

from tui_eval.runs.folder import LOCK, PROGRESS
from tui_eval.tui.screens.result.result_charts import CHARTS


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
    await at.see("log", "44 attempts")
    await at.go("slash", *"status:failed", "enter")
    await at.see("log_failed", "25 of 47 lines")
    await at.go("enter", "z")
    await at.see("log_inspector", "WHY")
    await at.go("a", *(["enter"] if at.pilot.app.size.width > 100 else []), "G")
    await at.see("log_json", '"response_body_b64"')


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
    await at.see("panel_item", "TRUTH")
    await at.go("escape", "tab")
    await at.see("panel_chart", f"‹ 1 of {len(CHARTS)} ›")
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
    await at.see("choice_item", "TRUTH")
    await at.go("escape", "tab")
    for number in range(1, len(CHARTS) + 1):
        await at.see(f"choice_chart_{number}", f"‹ {number} of {len(CHARTS)} ›")
        await at.go("right")


@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
@pytest.mark.parametrize(
    ("walk", "run"),
    quick_first_rows(
        [(results_of_a_panel, "harbour"), (lists, ""), (troubles, "troubles"), (results_of_an_exam, "lighthouse")], 2
    ),
    ids=["panel", "lists", "troubles", "choice"],
)
async def test_the_screens_are_as_on_file(walk: Walk, run: str, size: tuple[int, int], place: Path) -> None:
    """Whatever a change of the code does to a screen is seen: every screen is, letter by letter, the one on file."""
    await walk_through(walk, size, place, run)


@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
async def test_the_monitor_of_a_live_run_is_as_on_file(size: tuple[int, int], place: Path) -> None:
    """The same for a run that a process is at work on, with a limit that was lowered."""
    path = next((place / "runs").glob("*_troubles"))
    progress = json.loads((path / PROGRESS).read_text())
    (path / "STOP").unlink(missing_ok=True)  # as a process does that takes up a run
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
