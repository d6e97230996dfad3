"""Laws of sending a call again: changed by keys alone, its cost known before, both replies beside each other after."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from made import PANEL, make_run, panel_config
from screen import press, quick_app, screen_text, sees, told, wait_for
from textual.pilot import Pilot

from tui_eval.core.errors import FolderError
from tui_eval.reporting import resend
from tui_eval.runs.folder import CONFIG
from tui_eval.simulator.server import Simulator
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.log.screen import LogScreen
from tui_eval.tui.screens.resend.call_part import CallPart
from tui_eval.tui.screens.resend.screen import ResendScreen

SIZE = (120, 40)
EVIL = "What is MK\x1b[2J\x1b]52;c;QUJD\x07[/b][@click=app.quit]x[/]?"


@pytest.fixture
async def living(tmp_path: Path) -> AsyncIterator[Path]:
    """A workspace with a panel of one question, whose simulator still answers."""
    (tmp_path / "runs").mkdir()
    simulator = Simulator(latency_scale=0.0)
    config = panel_config(await simulator.start(), questions=1)
    config["panel"]["questions"] = [EVIL]
    try:
        await make_run(tmp_path / "runs" / PANEL, config)
        yield tmp_path
    finally:
        await simulator.stop()


async def opened(pilot: Pilot[None], app: EvalApp, simulated: str = "(simulated)") -> ResendScreen:
    """The first attempt of the log, to be sent again."""
    await sees(pilot, "small panel")
    await press(pilot, "G", "L")
    await wait_for(pilot, lambda: app.opened is not None and app.opened.index.read == app.opened.index.lines > 0)
    await press(pilot, "g", "e")
    await wait_for(pilot, lambda: isinstance(app.screen, ResendScreen))
    await sees(pilot, "send again", "1 call, at most $", simulated, "as it was sent")
    assert isinstance(app.screen, ResendScreen)
    return app.screen


@pytest.mark.soak
async def test_a_call_is_changed_and_sent_and_both_replies_are_seen(living: Path) -> None:
    """e changes a message, the lines changed are counted, s sends a run of its own, and what is another is shown."""
    app = quick_app(living)
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, app)
        assert "\x1b" not in screen_text(app).replace("\n", "")
        await press(pilot, "e", *"Yes?", "f2")
        await sees(pilot, "● 1 line changed", "x[/]?Yes?", "1 call, at most $")
        await press(pilot, "s")
        await sees(pilot, "before, scholar  ✓ ok", "now, scholar  ✓ ok", "simulated")
        lines = screen_text(app).split("\n")
        assert any("before, scholar  ✓ ok" in line and "now, scholar  ✓ ok" in line for line in lines)
        await sees(pilot, "s sends it again")
        await press(pilot, "right", "left", "d")
        await sees(pilot, "- before, + now", "user message", "x[/]?Yes?", "reply")
        await press(pilot, "v")
        await sees(pilot, "resend doer q0", "✓ done", "1 of 1 samples", "Nothing is graded")
        await press(pilot, "4")
        await sees(pilot, "2 runs", "call")
        await press(pilot, "6")
        await sees(pilot, "1 attempts", "call")
        assert app.failure is None and not app.run_actions.started
    assert len(list((living / "runs").iterdir())) == 2


@pytest.mark.soak
async def test_parameters_are_checked_as_they_are_typed_and_taken_back(workspace: Path) -> None:
    """A number out of range is told and not kept, nor is a word for a number; u brings back what was sent."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot, app)
        part = screen.query_one(CallPart)
        known = part.parameters
        await press(pilot, "g", "j", "enter", *"3", "enter")
        await sees(pilot, "must be from 0 to 2")
        await press(pilot, "backspace", *"1.5", "enter")
        await sees(pilot, "1.5", "● was not sent")
        await press(pilot, "j", "e", *"x", "enter")
        await sees(pilot, "must be a whole number above 0")
        await press(pilot, "escape", "k", "u")
        await wait_for(pilot, lambda: part.parameters == known and "● was" not in screen_text(app))
        await press(pilot, "g", "enter", "G", "enter")
        await sees(pilot, "● was scholar")
        await press(pilot, "u")
        await wait_for(pilot, lambda: part.parameters == known)
        assert app.failure is None


@pytest.mark.soak
async def test_a_server_that_is_gone_is_told_as_such(workspace: Path) -> None:
    """The reply's place says how it ended and why; the results of such a run can be read in all their parts."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, app)
        await press(pilot, "s")
        await sees(pilot, "now, scholar  ✗ transient", "s sends it again")
        await press(pilot, "v")
        await sees(pilot, "Nothing is graded")
        await press(pilot, "enter", "escape")
        for part in ("Tables", "Answers", "Charts", "Files"):
            await press(pilot, "tab")
            await sees(pilot, f"[{part}]")
        assert app.failure is None


async def test_a_real_model_is_asked_only_once_that_is_confirmed(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it costs stands in the question; n sends nothing, y does."""
    look, sent = resend.look, list[object]()
    monkeypatch.setattr(resend, "look", lambda *given: dataclasses.replace(look(*given), simulated=False))

    def send(*given: object) -> None:
        sent.append(given)
        raise FolderError("enough of it")

    monkeypatch.setattr(resend, "send", send)
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, app, "")
        await press(pilot, "s")
        await sees(pilot, "Send it?", "1 call to a real model, at most $")
        await press(pilot, "n", "s")
        await sees(pilot, "Send it?")
        assert not sent
        await press(pilot, "y")
        await told(pilot, "it was not sent: enough of it")
        assert len(sent) == 1


async def test_what_cannot_be_sent_again_says_why(workspace: Path) -> None:
    """From an attempt in full as from the log: where the run's config was changed, no screen opens and the reason is told."""
    config = workspace / "runs" / PANEL / CONFIG
    config.write_text(config.read_text().replace("porosity", "density"))
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, "G", "L")
        await wait_for(pilot, lambda: app.opened is not None and app.opened.index.read == app.opened.index.lines > 0)
        await press(pilot, "g", "e")
        await told(pilot, "cannot be sent again", "was changed after the run was prepared")
        app.clear_notifications()
        await press(pilot, "enter", "e")
        await told(pilot, "cannot be sent again", "was changed after the run was prepared")
        assert isinstance(app.screen, LogScreen) and app.screen.in_inspector and app.failure is None
