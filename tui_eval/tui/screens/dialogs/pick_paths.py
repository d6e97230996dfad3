"""One file or several, found by walking through the folders: a key marks, Enter takes what is marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tui_eval.tui.keymap import KEYS, bind, spoken
from tui_eval.tui.screens.dialogs.pick_path import FoundTable, PickPath

MARK = spoken(KEYS["path.mark"].partition(",")[0])


class PickPaths(PickPath):
    """Several paths. What is picked stands in `paths`, in the order it was marked; None where nothing was."""

    BINDINGS = [bind("path.mark", "mark", "Mark", tooltip="Mark the file, or take its mark away; Enter takes all that are")]

    def __init__(self, title: str, start: Path, folders: bool = False, suffixes: Sequence[str] = ()) -> None:
        super().__init__(title, start, folders, suffixes)
        self.paths: list[Path] = []

    def action_mark(self) -> None:
        """Mark the file under the cursor, or take its mark away; marks stay from folder to folder."""
        self.when_seen(self._mark)

    def _mark(self) -> None:
        path = self.file
        if path is None:
            return
        self.paths = [mark for mark in self.paths if mark != path] if path in self.paths else [*self.paths, path]
        self.query_one(FoundTable).redraw()
        self._hint()

    def sign(self, path: Path) -> str:
        """A marked file has its own."""
        return "✓ " if path in self.paths else ""

    def take(self, path: Path) -> None:
        """All that are marked, else this one."""
        self.paths = self.paths or [path]
        self.dismiss(self.paths[0])

    def hint_besides(self) -> str:
        """Describe the key that marks."""
        return f"  {MARK} marks several" if self.file is not None else ""

    def hint(self) -> str:
        """Describe how many are marked, or how to mark one."""
        n = len(self.paths)
        if not n:
            return super().hint()
        on = f"{MARK} marks" if self.file is None or self.file not in self.paths else f"{MARK} unmarks"
        enter = "Enter opens the folder; on a file it" if self.file is None else "Enter"
        return f"{n} marked: {enter} takes what is marked  {on}  Esc leaves"
