"""Workers of a run on its monitor and in `status`: one line, a table by a key, who died, and nothing where there are none."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_folder import RUN_ID, Folder
from screen import press, quick_app, screen_text, sees, told
from snapshots import Screens, walk_through

from tui_eval.cli.command_line import main
from tui_eval.runs.folder import LOCK, PROGRESS
from tui_eval.tui.screens.live import live_lines
from tui_eval.tui.screens.live import screen as live
from tui_eval.tui.widgets.table import RowTable

ADDRESS = "tls://127.0.0.1:4000"
HOSTILE = "\x1b[2J\x1b]52;c;AAAA\x07[@click=app.quit]x[/ \u202eright\u2066"


def worker(number: int, state: str = "working", **changes: Any) -> dict[str, Any]:
    """A worker as progress.json has it."""
    fields = {"name": f"w{number}", "address": f"{ADDRESS}{number}", "state": state}
    return {**fields, "in_flight": 3, "attempts": 40 * number, "credits": 5, "heard_s": 0.1, **changes}


FOUR = [worker(1), worker(2), worker(3, "lost", in_flight=0, credits=0, heard_s=41.0), worker(4, in_flight=5, credits=10)]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders and logs are looked at again at once, so that no test waits for a second to pass."""
    monkeypatch.setattr(live, "TAKE_EVERY_S", 0.05)
    monkeypatch.setattr(live, "REST", 0)
    monkeypatch.setattr(live_lines, "SILENT_S", 600)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    """A run that a process is at work on."""
    found = Folder(tmp_path / "runs" / RUN_ID)
    found.hold()
    yield found
    found.let_go()


async def test_workers_are_a_line_and_by_a_key_a_table(folder: Folder, tmp_path: Path) -> None:
    """W puts them in the place of the stages, those that died first, with calls a second; W again takes them away."""
    folder.progress(done=63, workers=FOUR, worked_s=10.0)
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "3")
        await sees(pilot, "workers 4: 3 working, 1 lost", "in flight 11", "credits 20", "all (answer)")
        await press(pilot, "W")
        await sees(pilot, "those in trouble first", f"{ADDRESS}4", "lost", "0:41")
        table = app.screen.query_one("#stages", RowTable)
        assert "all (answer)" not in screen_text(app) and [table.rows.cells(n)[0] for n in range(4)] == ["w3", "w1", "w2", "w4"]
        assert {str(table.rows.cells(n)[3]) for n in range(4)} == {"-"}, "of one moment no rate is known"
        await press(pilot, "j", "j")
        moved = [worker(1, attempts=60), worker(2, "unreachable", heard_s=4.0), FOUR[2], FOUR[3]]
        folder.progress(workers=moved, worked_s=14.0)
        await sees(pilot, "workers 4: 2 working, 1 unreachable, 1 lost", "5.0")
        rows = {str(table.rows.cells(n)[0]): table.rows.cells(n) for n in range(4)}
        assert [*rows] == ["w2", "w3", "w1", "w4"] and [rows[name][3] for name in rows] == ["0.0", "0.0", "5.0", "0.0"]
        assert table.cursor == 0, "the cursor stays on its worker"
        await press(pilot, "enter")
        await told(pilot, "does nothing here")
        await press(pilot, "W")
        await sees(pilot, "all (answer)", "attempts by stage and model")


async def test_a_run_without_workers_has_no_line_of_them(folder: Folder, tmp_path: Path) -> None:
    """It says so where one asks for them; workers that end leave the stages where they stood."""
    folder.progress(done=63)
    app = quick_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "3")
        await sees(pilot, "all (answer)")
        assert "workers" not in screen_text(app) and "W Workers" not in screen_text(app)
        await press(pilot, "W")
        await told(pilot, "no workers are at work")
        folder.progress(workers=FOUR)
        await sees(pilot, "workers 4:", "W Workers")
        await press(pilot, "W")
        await sees(pilot, "those in trouble first", "W Stages")
        folder.progress(state="done", workers=[])
        folder.let_go()
        await sees(pilot, "all (answer)", "every call has ended")
        assert "workers 4" not in screen_text(app)


async def test_hostile_workers_leave_no_control(folder: Folder, tmp_path: Path) -> None:
    """Whatever a folder says of workers: no control on the screen, no crash, and what is no number is not known."""
    hostile = {
        "name": HOSTILE,
        "address": HOSTILE,
        "state": HOSTILE,
        "in_flight": "x",
        "attempts": -1,
        "credits": [],
        "heard_s": {},
    }
    folder.progress(done=63, worked_s=1.0, workers=[hostile, 3, None, worker(1), *({"name": "w1"} for _ in range(30))])
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "3")
        await sees(pilot, "workers 32:", "in flight 3", "credits 5")
        await press(pilot, "W")
        await sees(pilot, "right", f"{ADDRESS}1")
        assert all(letter.isprintable() or letter == "\n" for letter in screen_text(app))
        for garbage in ("x", {}, [[]], [HOSTILE], 7):
            folder.progress(workers=garbage)
            await sees(pilot, "all (answer)")
            folder.progress(workers=FOUR)
            await sees(pilot, f"{ADDRESS}4")
        assert not app._troubles


def test_status_has_them_in_one_line(folder: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same words, with --json all of them; none where no process is at work any more, whatever is written of them."""
    command = ["--workspace", str(tmp_path), "status", RUN_ID]
    folder.progress(done=63, workers=[*FOUR, worker(5, HOSTILE)])
    assert main(command) == 0
    assert "workers      5: 3 working, 1 lost, 1 " in (said := capsys.readouterr().out) and "\x1b" not in said
    assert "   in flight 14   credits 25\n" in said
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["workers"][:4] == FOUR
    folder.let_go()
    assert main(command) == 0 and "workers" not in capsys.readouterr().out


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=["80x24", "200x50"])
async def test_the_monitor_of_a_run_with_workers_is_as_on_file(size: tuple[int, int], place: Path) -> None:
    """Its line and its table, one of four workers dead."""
    path = next((place / "runs").glob("*_troubles"))
    (path / "STOP").unlink(missing_ok=True)
    progress = json.loads((path / PROGRESS).read_text())
    progress |= {"state": "running", "why": "", "in_flight": 11, "done": 30, "eta_s": 75.0, "worked_s": 30.0, "workers": FOUR}
    (path / PROGRESS).write_text(json.dumps(progress))
    with (path / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write('{"pid": 1, "host": "here", "since": null}')
        lock.flush()

        async def walk(at: Screens) -> None:
            await at.see("live_workers", "workers 4:")
            later = [{**each, "attempts": each["attempts"] + each["in_flight"]} for each in FOUR]
            (path / PROGRESS).write_text(json.dumps({**progress, "worked_s": 32.0, "workers": later}))
            await at.go("W")
            await at.see("live_workers_table", "1.5")

        await walk_through(walk, size, place, "troubles")
