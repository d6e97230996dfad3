"""Laws of a workspace's own keys: they work, the old ones do not, a bad file costs a warning and never the way out."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen import app_on, press, sees, toasts, wait_for

from tui_eval.tui.app import EvalApp
from tui_eval.tui.keymap import KEYS
from tui_eval.tui.widgets.table import RowTable

SIZE = (100, 30)


def app_with(workspace: Path, content: str | bytes) -> EvalApp:
    """The app with a keymap of one's own."""
    (workspace / ".conf").mkdir()
    (workspace / ".conf" / "keymap.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
    return app_on(workspace)


async def test_another_key_in_place_of_the_shipped_one(workspace: Path) -> None:
    """The log is followed by the new key, no more by the old one; the other keys are what they were."""
    app = app_with(workspace, '[keys]\n"log.follow" = "F, ctrl+f"\n')
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, "6")
        await sees(pilot, "attempts")
        table = app.screen.query_one(RowTable)
        await press(pilot, "f")
        assert not table.follow
        for key, follows in (("F", True), ("ctrl+f", False)):
            await press(pilot, key)
            assert table.follow is follows
        await press(pilot, "G")
        assert table.cursor == table.rows.count() - 1
        assert toasts(app) == ["f does nothing here; elsewhere: fallback (letters), fresh (scorer bench)"]


@pytest.mark.parametrize(
    "content",
    [
        '[keys]\n"app.help" = "ctrl+q"\n"run.stop" = "ctrl+q,x"\n',
        '[keys]\n"app.leave" = "f12"\n',
        '[keys]\n"app.always_leave" = "f12"\n',
        "[keys]\n" + "".join(f'"{name}" = "x"\n' for name in KEYS),
        "[keys]\n" + "".join(f'"{name}" = "ctrl+Q"\n' for name in KEYS),
    ],
    ids=["others on it", "leaving elsewhere", "its own name", "all on x", "all on a capital"],
)
async def test_ctrl_q_always_quits(content: str, workspace: Path) -> None:
    """Whatever a keymap says."""
    app = app_with(workspace, content)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, "ctrl+q")
        assert app._exit and app.failure is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\x00\x1b[2J", "the shipped keys hold"),
        ('[keys]\n"log.folow" = "F"\n', "did you mean 'log.follow'?"),
        ('[keys]\n"log.follow" = "strg+f"\n', "no key is called 'strg+f'"),
        ('[keys]\n"run.pause" = "x"\n', "run.pause, run.stop have one key"),
    ],
    ids=["garbage", "name", "key", "clash"],
)
async def test_a_bad_keymap_is_told_once(content: str | bytes, said: str, workspace: Path) -> None:
    """One warning that says what to do, and an app that works."""
    app = app_with(workspace, content)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "small panel")
        await wait_for(pilot, lambda: toasts(app), "a warning")
        for key, mode in (("6", "log"), ("1", "models"), ("4", "results")):
            await press(pilot, key)
            await wait_for(pilot, lambda mode=mode: app.current_mode == mode)
        told = toasts(app)
        assert len(told) == 1 and said in told[0] and "keymap.toml" in told[0] and "\x1b" not in told[0]
