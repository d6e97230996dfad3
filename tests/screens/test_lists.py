"""Laws of the plain lists: datasets are files of the folder and nothing else, read only when they are opened."""

from __future__ import annotations

import os
from pathlib import Path

from screen import press, quick_app, screen_text, sees

from tui_eval.tui.screens.lists import DatasetsScreen
from tui_eval.workspace import Workspace


async def test_datasets_are_the_folders_own_files(tmp_path: Path) -> None:
    """Links, pipes and folders are not listed; a file is read when it is opened, as it is then, one that is gone says so."""
    away, datasets = tmp_path / "away", tmp_path / "datasets"
    (datasets / "inner").mkdir(parents=True)
    away.mkdir()
    (away / "secret.md").write_text("away")
    (datasets / "a.md").write_text("before")
    (datasets / "inner" / "b.md").write_text("inner text")
    (datasets / "link.md").symlink_to(away / "secret.md")
    (datasets / "folder").symlink_to(away)
    os.mkfifo(datasets / "pipe.md")
    app = quick_app(tmp_path)
    async with app.run_test(size=(100, 24)) as pilot:
        await press(pilot, "2")
        await sees(pilot, "2 listed", "a.md", "b.md", "datasets/inner")
        assert not any(name in screen_text(app) for name in ("link.md", "secret.md", "pipe.md"))
        (datasets / "a.md").write_text("as it is now")
        await press(pilot, "enter")
        await sees(pilot, "as it is now")
        (datasets / "inner" / "b.md").unlink()
        await press(pilot, "escape", "j", "enter")
        await sees(pilot, "cannot be read")


def test_texts_are_not_kept(tmp_path: Path) -> None:
    """A list of files holds no text of any of them, however large they are."""
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "a.md").write_text("later")
    ((cells, read),) = DatasetsScreen().entries(Workspace(tmp_path))
    assert cells[0] == "a.md" and read() == "later"
    (tmp_path / "datasets" / "a.md").write_text("other")
    assert read() == "other"
