"""A kind that another package brings, in the app: in the list of what to start from, in the form, and gone again."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from fault_bench import run_here, serving
from plugged import TOY_ENTRIES, TOY_FILES, TOY_TABLE, install, packages_in, uninstall
from samples import KNOWN, MODELS
from screen import press, quick_app, sees, told
from setting_up import READY, form_of, setting_up

from tui_eval.core.plugins import switch

BROKEN = {"tui_eval.kinds": {"broken": "broken_kind:KIND", "panel": "broken_kind:KIND"}}


def workspace(folder: Path) -> Path:
    """A config of the toy kind, and its questions."""
    folder.mkdir()
    (folder / "config.toml").write_text(f'kind = "agree"\n{MODELS}{TOY_TABLE}')
    (folder / "questions.txt").write_text("\n".join(KNOWN))
    return folder


@pytest.mark.soak
async def test_it_is_offered_and_set_up(tmp_path: Path) -> None:
    """By keyboard at 80x24: it stands in the list, its form has help, and a config of it is ready; a broken one is told."""
    with packages_in(tmp_path / "packages") as packages:
        install(packages, "agree-kind", TOY_FILES, TOY_ENTRIES)
        install(packages, "broken-kind", {"broken_kind.py": "KIND = None\n"}, BROKEN)
        folder = workspace(tmp_path / "workspace")
        async with setting_up(folder, "config.toml", size=(80, 24)) as pilot:
            await told(pilot, "'broken' of the package broken-kind 1.0 cannot be used", "'panel'", "is ignored")
            await sees(pilot, READY)
            assert form_of(pilot).go_to(("agree", "questions"))
            await sees(pilot, "A text file with one question a line.")
        async with setting_up(folder, "new agree", size=(80, 24)) as pilot:
            await sees(pilot, "cannot start")


@pytest.mark.soak
async def test_its_results_are_read_without_it(tmp_path: Path) -> None:
    """A run whose kind is no longer installed is listed, opened, charted and compared; it is not in the list of kinds."""
    with packages_in(tmp_path / "packages") as packages:
        about = install(packages, "agree-kind", TOY_FILES, TOY_ENTRIES)
        folder = workspace(tmp_path / "workspace")
        async with serving(latency_scale=0) as served:
            table = tomllib.loads((folder / "config.toml").read_text())
            for model in table["models"]:
                model["base_url"] = served.url
            await run_here(table, folder, out=folder / "runs" / "20260103_100000_cccc_first")
        uninstall(about)
        switch(True)
        app = quick_app(folder)
        async with app.run_test(size=(80, 24)) as pilot:
            await sees(pilot, "1 run", "✓ done")
            await press(pilot, "enter")
            await sees(pilot, "[Summary]", "one")
            for part in ("Tables", "Answers", "Charts"):
                await press(pilot, "tab")
                await sees(pilot, f"[{part}]")
            await press(pilot, "escape", "c")
            await sees(pilot, "agree", "one")
