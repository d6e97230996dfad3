"""Laws of the matrix of models by prompts in the app: readable on a small terminal, by keyboard, and down to the scores."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_run import HOSTILE, LARGE, MANY_MODELS, RUN, prompt_run
from screen import press, quick_app, screen_text, sees, wait_for
from snapshots import WALKED, Screens, walk_through

from tui_eval.tui.screens.result.basis import BasisScreen
from tui_eval.tui.screens.result.grid import GridTable


async def small(at: Screens) -> None:
    """Two prompts and three models: everything of each cell."""
    await at.go("tab")
    await at.see("matrix", "[Matrix]")
    await at.go("right", "j")
    await at.see("matrix_cell", "steps · [bold red]x[/]")


async def large(at: Screens) -> None:
    """Six prompts and twelve models."""
    await at.go("tab")
    await at.see("matrix_large", "[Matrix]")
    await at.go("G", *["right"] * 9)
    await at.see("matrix_large_end", "last · openrouter/")


@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
async def test_the_matrix_is_as_on_file(size: tuple[int, int], place: Path) -> None:
    """The screens as text."""
    await prompt_run(place / "made", place / "runs" / RUN)
    await walk_through(small, size, place, "sums")


@pytest.mark.soak
@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=["80x24", "200x50"])
async def test_a_large_matrix_is_as_on_file(size: tuple[int, int], place: Path) -> None:
    """The screens as text: every model and every prompt at once."""
    await prompt_run(place / "made", place / "runs" / RUN, MANY_MODELS, LARGE, 16)
    await walk_through(large, size, place, "sums")


async def test_a_cell_opens_its_scores(tmp_path: Path) -> None:
    """Those of its model under its prompt by the headline, and no others; who leads is marked where that is shown alone."""
    await prompt_run(tmp_path / "made", tmp_path / "runs" / RUN)
    app = quick_app(tmp_path, tmp_path / "runs" / RUN)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "[Summary]", "Under prompt `plain`, alder (100.0 % number) leads over 10", "under prompt `steps`.")
        await press(pilot, "tab")
        await sees(
            pilot, "[Matrix]", HOSTILE, "100.0 [72.2, 100.0] n 10 *", "* leads: significantly better than every other model"
        )
        assert screen_text(app).count(" *\n") + screen_text(app).count(" *  ") == 1
        await press(pilot, "right", "right", "j")
        table = app.screen.query_one("#matrix", GridTable)
        assert (table.cursor, table.chosen) == (1, 1)
        await sees(pilot, "100.0 [72.2, 100.0] n 10, rank 1-3   steps · [bold red]x[/]")
        await press(pilot, "enter")
        await wait_for(pilot, lambda: isinstance(app.screen, BasisScreen))
        await sees(pilot, "rests on 10 scores: 10 right", "steps", HOSTILE)
        await press(pilot, "escape", "shift+tab", "shift+tab")
        await sees(pilot, "[Grid]", "10 questions x 2 prompts", "s00 · plain", "s00 · steps")


async def test_a_run_under_one_prompt_has_no_matrix(tmp_path: Path) -> None:
    """There is nothing to lay side by side."""
    await prompt_run(tmp_path / "made", tmp_path / "runs" / RUN, right={"plain": (9, 1, 5)})
    app = quick_app(tmp_path, tmp_path / "runs" / RUN)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "[Summary]", "alder (90.0 % number)")
        assert "Matrix" not in screen_text(app) and "nder prompt" not in screen_text(app)
        await press(pilot, "shift+tab")
        await sees(pilot, "[Grid]", "10 questions", "s00")
