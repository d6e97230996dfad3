"""Lists of which all entries are at hand: filtered by one grammar and sorted by their columns, by keyboard alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from screen import press, quick_app, screen_text, sees, told

RUNS, MODELS, PROMPTS = "4", "1", "5"


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_runs_are_filtered_by_columns_and_sorted(size: tuple[int, int], workspace: Path) -> None:
    """The line says which fields there are; a field that is none names the nearest; filter and order stay on coming back."""
    for number in range(2, 4):
        path = workspace / "runs"
        shutil.copytree(next(path.iterdir()), path / f"2027010{number}_000000_dddd_copied")
    app = quick_app(workspace)
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "4 runs")
        await press(pilot, "slash")
        await sees(pilot, "field:word field<1 field=x")
        await press(pilot, *"kind:choice", "enter")
        await sees(pilot, "of 4 runs", "kind:choice")

        await press(pilot, "slash", *(["backspace"] * 11), *"knd:choice")
        await sees(pilot, "Nothing matches knd:choice", "no field knd; did you mean kind?")
        await press(pilot, "escape")
        await sees(pilot, "4 runs")

        await press(pilot, "comma")
        await told(pilot, "by ")
        first = screen_text(app)
        assert "▾" in first or "▴" in first
        await press(pilot, "full_stop", MODELS, RUNS)
        await sees(pilot, "▴" if "▾" in first else "▾")
        assert app.failure is None


async def test_prompts_go_round_through_their_orders(tmp_path: Path) -> None:
    """By kind, by name, and as they come again; the cursor stays on its prompt."""
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, PROMPTS)
        await sees(pilot, "prompts", "doer_user")
        await press(pilot, "comma", "comma")
        await told(pilot, "by prompt, a to z")
        await press(pilot, "full_stop")
        await told(pilot, "by prompt, z to a")
        await press(pilot, "slash", *"kind=panel prompt:user", "enter")
        await sees(pilot, "of ", "doer_user", "judge_user")
        assert " chat " not in screen_text(app)
