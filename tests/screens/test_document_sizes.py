"""The form tells how large the files are that a key names, as specification 003 wants it of documents (§6.2, §15.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli_w
from screen import press, screen_text, sees, wait_for
from setting_up import READY, setting_up
from textual.pilot import Pilot

CONFIG = {
    "kind": "panel",
    "name": "sizes",
    "models": [{"name": "m", "wire": "simulator", "model": "sim-sprinter"}],
    "panel": {"questions": ["What is one?"], "documents": ["docs/*.txt"], "doers": [{"model": "m"}]},
}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_each_document_is_told_with_its_size(size: tuple[int, int], tmp_path: Path) -> None:
    """One by one and together, below the form, on the row that names them."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "long.txt").write_text("o" * 12_300)
    (tmp_path / "docs" / "short.txt").write_text("o" * 640)
    (tmp_path / "sizes.toml").write_text(tomli_w.dumps(CONFIG))
    async with setting_up(tmp_path, "sizes.toml", size) as pilot:
        await sees(pilot, READY)
        await to_row(pilot, "panel.documents")
        await sees(pilot, "2 files, 12.9 kB: long.txt 12.3 kB · short.txt 640 B")


async def test_a_document_above_the_limit_keeps_the_run_from_starting(tmp_path: Path) -> None:
    """200 KB; it is told at its row, with its size and the limit."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "large.txt").write_text("o" * 204_801)
    (tmp_path / "sizes.toml").write_text(tomli_w.dumps(CONFIG))
    async with setting_up(tmp_path, "sizes.toml") as pilot:
        await sees(pilot, "cannot start: panel.documents 1")
        await to_row(pilot, "panel.documents")
        said = "204,801 bytes; at most 204,800 are read"  # wherever its lines end: the path before it may be of any length
        await wait_for(pilot, lambda: said in " ".join(screen_text(pilot.app).split()), said)


async def to_row(pilot: Pilot[Any], place: str) -> None:
    """Put the cursor on the row of a place."""
    for _ in range(20):
        if f" {place}  " in screen_text(pilot.app):
            return
        await press(pilot, "down")
    raise AssertionError(place)
