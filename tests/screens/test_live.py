"""The monitor of a run, by keyboard: live, lowered, silent, ended, gone, damaged, hostile, on every size of terminal."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_folder import RUN_ID, Folder, attempt, failing
from screen import app_on, press, screen_text, sees, wait_for

from tui_eval.runs.folder import PAUSE, PROGRESS, STOP
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.live import live_lines
from tui_eval.tui.screens.live import screen as live

SIZE = (80, 24)
NOTHING_SKIPPED = {"skipped": 0, "not_sent": 0}
HOSTILE = "\x1b[2J\x1b]52;c;AAAA\x07[/][@click=app.quit]x[/ \u202eright\u2066 e\u0301\u0301\u0301\u0301 👨‍👩‍👧 \x9b1m\ud800"

GARBAGE = (
    b"\x00\xff",
    b"[" * 5000,
    b'{"state": 3, "done": "x", "total": [], "models": 1, "failures": 7, "eta_s": NaN, "stages": 3}',
    b'{"done":',
)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders and logs are looked at again at once, so that no test waits for a second to pass; nor does a run seem dead
    because this machine stood still."""
    monkeypatch.setattr(live, "TAKE_EVERY_S", 0.05)
    monkeypatch.setattr(live, "REST", 0)
    monkeypatch.setattr(live_lines, "SILENT_S", 600)


def quick_app(workspace: Path) -> EvalApp:
    """The app, looking at its runs twenty times a second."""
    app = app_on(workspace)
    app.board._every_s = 0.05
    return app


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    """A run in a workspace of its own; nobody works on it yet."""
    found = Folder(tmp_path / "runs" / RUN_ID)
    yield found
    found.let_go()


async def test_a_live_run_is_shown_as_it_goes(folder: Folder, tmp_path: Path) -> None:
    """Counters, money, ETA, stages, failures by cause and a lowered limit follow progress.json and the log."""
    folder.hold()
    total = {"ok": 60, "error": 3, "timeout": 0, "skipped": 0, "not_sent": 0, "unknown_cost": 0}
    folder.progress(done=63, total=total, in_flight=7, calls_used=64, charged_usd=0.06, eta_s=75.0)
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3")
        await sees(pilot, "▶ running", "exam · choice · simulated", "63 %", "63 of 100 calls", "60 answered", "3 failed")
        await sees(pilot, "cost $0.0600 of $2.5000", "630 in", "ETA 1:15", "attempts 64 of at most 300", "in flight 7 of 20")
        await sees(pilot, "all (answer)", "  scholar", "p95 0.56 (n 60)", "the server said no: 529", "3 in 1 group ")
        folder.progress(limit=4, limit_reason="the server said 429", done=70, total={**total, "timeout": 7})
        folder.log(*(failing(70 + n, "no answer in 60 s", kind="transient") for n in range(7)))
        await sees(
            pilot, "at most 4 at a time now: the server said 429", "7 timed out", "70 of 100", "no answer in 60 s", "10 in 2"
        )
        folder.progress(heartbeat="2026-01-01T00:01:00Z")
        await sees(pilot, "no sign of life for")


async def test_pause_and_stop_put_their_wishes_into_the_folder(folder: Folder, tmp_path: Path) -> None:
    """p puts PAUSE there and takes it away again; x asks, and only y stops."""
    folder.hold()
    folder.progress(done=1)
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3")
        await sees(pilot, "▶ running")
        await press(pilot, "p")
        await wait_for(pilot, (folder.path / PAUSE).exists)
        folder.progress(state="paused")
        await sees(pilot, "nothing new is sent; p goes on")
        await press(pilot, "p")
        await wait_for(pilot, lambda: not (folder.path / PAUSE).exists())
        await press(pilot, "x")
        await sees(pilot, "Stop 2026")
        await press(pilot, "n", "x")
        await sees(pilot, "Stop 2026")
        assert not (folder.path / STOP).exists()
        await press(pilot, "y")
        await wait_for(pilot, (folder.path / STOP).exists)
        folder.progress(state="stopped", why="STOP was asked for")
        folder.let_go()
        await sees(pilot, "◼ stopped", "STOP was asked for", "r goes on", "took ")
        assert "ETA" not in screen_text(app)


async def test_a_line_and_a_cause_open_the_log_on_their_attempts(folder: Folder, tmp_path: Path) -> None:
    """Enter on a model or, a Tab further, on a cause goes to the log with a filter for what stands behind the line."""
    folder.progress(state="done", done=63)
    app = quick_app(tmp_path)
    gone: list[str] = []

    async def go(mode: str) -> None:
        gone.append(mode)

    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3")
        await sees(pilot, "every call has ended; v shows the results", "the server said no")
        app.action_go = go  # type: ignore[method-assign]
        await press(pilot, "j", "enter")
        await wait_for(pilot, lambda: gone == ["log"])
        assert app.log_query == 'stage="answer" model="scholar"'
        await press(pilot, "tab", "enter")
        await wait_for(pilot, lambda: gone == ["log", "log"])
        assert app.log_query == 'status:failed model="thinker" text:"the server said no: 529"'
        await press(pilot, "L", "v")
        await wait_for(pilot, lambda: gone == ["log", "log", "log", "result"])


async def test_an_ended_run_writes_nothing_more(folder: Folder, tmp_path: Path) -> None:
    """Looking again at a run in which nothing happens draws no line anew."""
    folder.progress(state="done", done=63)
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3")
        await sees(pilot, "the server said no")
        drawn: list[object] = []
        calm: list[bool] = []
        before = app._display
        app._display = lambda screen, what: drawn.append(what) or before(screen, what)  # type: ignore[assignment,func-returns-value]

        def eight_calm_looks() -> bool:
            calm.append(not drawn)
            drawn.clear()
            app.screen.tick()  # type: ignore[attr-defined]
            return len(calm) > 8 and all(calm[-8:])

        await wait_for(pilot, eight_calm_looks)


async def test_no_run_then_one_and_then_none(folder: Folder, tmp_path: Path) -> None:
    """Without a run the screen says how to start one; one that begins appears; one whose folder goes is said to be gone."""
    away = tmp_path / "away"
    folder.path.rename(away)
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3")
        await sees(pilot, "run quickstart")
        await press(pilot, "x", "p", "r", "enter", "v")
        away.rename(folder.path)
        await sees(pilot, "✗ interrupted", "r goes on where it ended", "all (answer)")
        shutil.rmtree(folder.path)
        await sees(pilot, "is gone: it was deleted or moved")
        assert isinstance(app.screen, live.LiveScreen)


@pytest.mark.soak
async def test_garbage_in_progress_json_is_no_figure(folder: Folder, tmp_path: Path) -> None:
    """Whatever stands in progress.json and plan.json, the screen stands, and what is not known is "-"."""
    folder.hold()
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3")
        for content in GARBAGE:
            folder.progress(done=63, total=NOTHING_SKIPPED)
            await sees(pilot, "63 of 100 calls")
            (folder.path / PROGRESS).write_bytes(content)
            (folder.path / "plan.json").write_bytes(content)
            await sees(pilot, "- of 100 calls", "- answered", "ETA -", "scholar")
        assert not app._troubles


async def test_hostile_names_leave_no_control(folder: Folder, tmp_path: Path) -> None:
    """Escapes, mark-up, direction marks and heaped signs in every text of a folder: no control on the screen, and no crash."""
    folder.hold()
    folder.write("manifest.json", {"name": HOSTILE, "kind": HOSTILE, "started_at": HOSTILE})
    folder.write("plan.json", {"stages": [{"stage": HOSTILE, "model": f"planned {HOSTILE}", "calls": 1}]})
    folder.log(attempt(90, stage=HOSTILE, model=HOSTILE), failing(91, f"zzz {HOSTILE}", kind=HOSTILE, model=HOSTILE))
    folder.log(*(failing(92 + n, f"zzz {HOSTILE}", kind=HOSTILE, model=HOSTILE) for n in range(9)))
    folder.progress(state=HOSTILE, why=HOSTILE, limit_reason=f"limited {HOSTILE}", models={HOSTILE: HOSTILE})
    app = quick_app(tmp_path)
    async with app.run_test(size=(200, 50)) as pilot:
        await press(pilot, "3")
        await sees(pilot, "zzz", "limited", "planned")
        await press(pilot, "a")
        await sees(pilot, "What there is to say", "limited")
        assert all(letter.isprintable() or letter == "\n" for letter in screen_text(app))
        await press(pilot, "backspace", "tab", "G", "g")
        await sees(pilot, "zzz", "planned")
        text = screen_text(app)
        assert all(letter.isprintable() or letter == "\n" for letter in text) and "[@click=app.quit]" in text
        assert not app._troubles


@pytest.mark.soak
async def test_small_tiny_and_large_again(folder: Folder, tmp_path: Path) -> None:
    """At 60x20 the important stands; at 20x5 the app says so; back at 200x50 there are more columns."""
    folder.progress(state="incomplete", done=63, total=NOTHING_SKIPPED)
    folder.log(*(failing(70 + n, f"message {n}", model=f"model {n}") for n in range(9)))
    app = quick_app(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        await press(pilot, "3")
        await sees(pilot, "! incomplete", "63 of 100", "scholar", "cost", "1–3 of 12", "1–2 of 10")
        await press(pilot, "G", "tab", "G")
        await sees(pilot, "10–12 of 12", "9–10 of 10", "› ")
        await pilot.resize_terminal(20, 5)
        await wait_for(pilot, lambda: "larger" in screen_text(app) or "20 x 5" in screen_text(app))
        await pilot.resize_terminal(200, 50)
        await sees(pilot, "tokens/s", "first token s", "cost unknown", "message 8", "a sign")
        await wait_for(pilot, lambda: "of 12" not in screen_text(app))
