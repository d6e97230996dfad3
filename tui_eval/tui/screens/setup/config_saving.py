"""A form saved as a config: asked for by name, and once more where that replaces a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.tui.page import Page
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.ask_line import Ask
from tui_eval.tui.screens.dialogs.confirm import confirm

NOTE = "Relative to the workspace. tui-eval run FILE runs it without the app."


class ConfigSaving:
    """Saves a draft. `saved`: told the path, and what is to be said of how it was written."""

    def __init__(self, page: Page, draft: Draft, saved: Callable[[Path, Sequence[str]], object]) -> None:
        self._page, self._draft, self._saved = page, draft, saved

    def ask(self) -> None:
        """Ask for the name of the file."""
        root = self._page.eval_app.workspace.root.absolute()
        path = self._draft.path or root / f"{_file_name(str(self._draft.get(('name',)) or ''))}.toml"
        Ask("Save the config as", os.path.relpath(path, root), _wrong_name, note=NOTE).ask(self._page.app, self._save_as)

    def _save_as(self, name: str) -> None:
        try:
            path = (self._page.eval_app.workspace.root / Path(name.strip()).expanduser()).absolute()
            there = path.exists()
        except (OSError, RuntimeError, ValueError) as error:
            self._page.eval_app.say(f"{name}: not a name that a file can have ({error})", bad=True)
            return
        if there and (path != self._draft.path or self._draft.changed):
            own = path == self._draft.path
            words = "The form came from it; comments in it are not kept." if own else "A file of that name already exists."
            confirm(self._page.app, f"Replace {safe_line(name, 60)}?", words, lambda: self._save(path))
        else:
            self._save(path)

    def _save(self, path: Path) -> None:
        with self._page.eval_app.telling():
            self._saved(path, self._draft.save(path, [self._page.eval_app.workspace.env_file]))


def _file_name(name: str) -> str:
    """A run's name as the name of a file: letters, digits and hyphens."""
    slug = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in name).strip("-")
    return slug[:80] or "run"


def _wrong_name(name: str) -> str:
    if not name.strip() or name.endswith("/"):
        return "give the name of a file, such as wells.toml"
    return "" if name.endswith(".toml") else "the name of a config ends in .toml"
