"""Law of marks: a key that marks leaves the cursor where it is, in every list that has marks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from screen import press, quick_app, screen_text, wait_for
from textual.pilot import Pilot

from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.dialogs.choose import ChooseSome
from tui_eval.tui.screens.dialogs.pick_paths import PickPaths
from tui_eval.tui.screens.runs.screen import RunsScreen

Marked = Callable[[EvalApp], int]


async def runs(pilot: Pilot[Any], app: EvalApp, folder: Path) -> Marked:
    """The list of runs."""
    await wait_for(pilot, lambda: "2 runs" in screen_text(app))
    return lambda app: len(app.screen._marked) if isinstance(app.screen, RunsScreen) else -1


async def chosen(pilot: Pilot[Any], app: EvalApp, folder: Path) -> Marked:
    """A list of things to choose among."""
    await app.push_screen(ChooseSome("which", [(name, "") for name in ("alpha", "beta", "gamma")]))
    return lambda app: len(app.screen._marked) if isinstance(app.screen, ChooseSome) else -1


async def paths(pilot: Pilot[Any], app: EvalApp, folder: Path) -> Marked:
    """Files."""
    for name in ("alpha", "beta", "gamma"):
        (folder / "texts" / f"{name}.txt").parent.mkdir(exist_ok=True)
        (folder / "texts" / f"{name}.txt").write_text("a text")
    await app.push_screen(PickPaths("which", folder / "texts"))
    await wait_for(pilot, lambda: "gamma" in screen_text(app))
    return lambda app: len(app.screen.paths) if isinstance(app.screen, PickPaths) else -1


@pytest.mark.parametrize(("go", "key"), [(runs, "space"), (chosen, "space"), (paths, "f3")])
async def test_two_neighbours_are_marked_with_a_step_between(workspace: Path, go: Any, key: str) -> None:
    """Mark, down, mark: two neighbours; and the same key once more takes the mark of the one under the cursor away."""
    app = quick_app(workspace)
    async with app.run_test(size=(100, 30)) as pilot:
        marked = await go(pilot, app, workspace)
        await press(pilot, *(["down"] if go is paths else []), key)
        await wait_for(pilot, lambda: marked(app) == 1)
        await press(pilot, "down", key)
        await wait_for(pilot, lambda: marked(app) == 2)
        await press(pilot, key)
        await wait_for(pilot, lambda: marked(app) == 1)
        await press(pilot, "up", key)
        await wait_for(pilot, lambda: marked(app) == 0)
