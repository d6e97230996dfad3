"""Runs to look at, made once by the simulator with its waiting switched off, and an environment without surprises."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import textual.app
import textual.pilot
from chat_run import RUN as CHAT
from chat_run import chat_run
from graph_run import RUN as GRAPHS
from graph_run import graph_run
from made import make_both
from screen import PATIENCE_S, TOLD, awaited
from snapshots import GOLDEN, MODELS, QUESTIONS, WHEN
from textual.app import App

from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.dialogs.too_small import TooSmall
from tui_eval.tui.screens.live import screen as live

UNWANTED = ("NO_COLOR", "COLORTERM", "TMUX", "SSH_CONNECTION", "PAGER", "LESS", "COLUMNS", "LINES")
"""Variables of the terminal that the tests were started in; those of TEXTUAL_* are left out, too."""

A_MOMENT_S = 0.01
"""How long the event loop is left to itself before it is asked whether it is idle. A key waits for two of them: for a frame."""


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in os.environ:
        if name in UNWANTED or name.startswith("TEXTUAL_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Widgets may take their time to end, and what was told is kept: on a slow machine it has gone before it is looked for."""
    notify = EvalApp.notify

    def notify_and_keep(self: EvalApp, message: str, **more: Any) -> None:
        vars(self).setdefault(TOLD, []).append(message)
        notify(self, message, **more)

    monkeypatch.setattr(App, "CLOSE_TIMEOUT", PATIENCE_S)
    monkeypatch.setattr(EvalApp, "notify", notify_and_keep)


@pytest.fixture(autouse=True)
def mistakes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Mistakes that the app told and went on after: none may be left, so a test that makes one takes it out of here."""
    found: list[str] = []
    tell_once = EvalApp._tell_once

    def tell_and_keep(self: EvalApp, trouble: str) -> None:
        found.append(trouble)
        tell_once(self, trouble)

    monkeypatch.setattr(EvalApp, "_tell_once", tell_and_keep)
    yield found
    assert not [trouble for trouble in found if "Traceback" in trouble]


async def _idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until nothing is left that the event loop could go on with at once; for a second at most, as Textual's own does.

    Textual's own waits until the process computes little, which an app that looks at its runs does not for long.
    """
    loop, end = asyncio.get_running_loop(), time.monotonic() + max_sleep
    while True:
        await asyncio.sleep(A_MOMENT_S)
        if not loop._ready or time.monotonic() > end:  # type: ignore[attr-defined]
            return


@pytest.fixture(autouse=True)
def _no_longer_than_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and pauses of tests last as long as the app has messages to work on."""
    monkeypatch.setattr(textual.app, "wait_for_idle", _idle)
    monkeypatch.setattr(textual.pilot, "wait_for_idle", _idle)


BY_KEYS = ("_go_on", "_do")
"""What hands keys over, and what does what Enter chose in the palette, which Textual calls a little later."""


@pytest.fixture(autouse=True)
def _screens_are_awaited(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No screen comes or goes behind the back of keys: it is a key's doing, or keys wait for what brings it (`OPENS`).

    A question that a process put up in its own time took keys that were typed for what stood there before.
    """
    found: list[str] = []

    def watch(name: str) -> None:
        turned = getattr(EvalApp, name)

        def turn(self: EvalApp, *given: Any, **more: Any) -> Any:
            by_app = self._begun and not isinstance(next(iter(given), self.screen), TooSmall)
            (caller, line), *around = ((frame.f_code, line) for frame, line in traceback.walk_stack(sys._getframe(1)))
            asked_for = any("/tests/" in code.co_filename or code.co_name in BY_KEYS for code, _ in around)
            ours = "/tui_eval/" in caller.co_filename and not asked_for
            if by_app and ours and self._probe is None and not awaited(self):
                found.append(f"{name} {given} by {caller.co_filename}:{line}")
            return turned(self, *given, **more)

        monkeypatch.setattr(EvalApp, name, turn)

    for name in ("push_screen", "pop_screen", "switch_mode"):
        watch(name)
    yield
    assert not found


@pytest.fixture(scope="session")
def made_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a panel and an exam, both over; not to be changed."""
    root = tmp_path_factory.mktemp("made")
    (root / "runs").mkdir()
    asyncio.run(make_both(root))
    return root


@pytest.fixture(scope="session")
def made_chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of conversations that is over; not to be changed."""
    root = tmp_path_factory.mktemp("chat")
    asyncio.run(chat_run(root / "made", root / "run"))
    return root / "run"


@pytest.fixture
def chat_workspace(made_chat: Path, tmp_path: Path) -> Path:
    """A workspace of one's own with that run in it."""
    shutil.copytree(made_chat, tmp_path / "runs" / CHAT)
    return tmp_path


@pytest.fixture(scope="session")
def made_graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of decision graphs that is over; not to be changed."""
    root = tmp_path_factory.mktemp("graphs")
    asyncio.run(graph_run(root / "made", root / "run"))
    return root / "run"


@pytest.fixture
def graph_workspace(made_graphs: Path, tmp_path: Path) -> Path:
    """A workspace of one's own with that run in it."""
    shutil.copytree(made_graphs, tmp_path / "runs" / GRAPHS)
    return tmp_path


@pytest.fixture
def workspace(made_runs: Path, tmp_path: Path) -> Path:
    """A workspace of one's own with both runs in it."""
    shutil.copytree(made_runs / "runs", tmp_path / "runs")
    return tmp_path


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
