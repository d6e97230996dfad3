"""What is selected of a set while its questions are on the screen, kept on disk as it changes."""

from __future__ import annotations

import threading
from collections.abc import Collection
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.set_list import change_selection
from tui_eval.datasets.sets import QuestionSet
from tui_eval.workspace.places import Workspace


class Selected:
    """Ids of the selected questions. Changes are made here at once; `save` writes them, from one thread at a time.

    Only what was changed here is written, so that what the command line selects meanwhile stays.
    """

    def __init__(self, workspace: Workspace, path: Path, found: QuestionSet, ids: set[str]) -> None:
        self.ids = ids
        self.trouble = ""
        """Why it could not be kept."""
        self._workspace, self._path, self._found = workspace, path, found
        self._saving, self._changing = threading.Lock(), threading.Lock()
        self._unsaved: dict[str, bool] = {}

    @property
    def saved(self) -> bool:
        """Whether what is selected is on disk."""
        return not self._unsaved

    def change(self, ids: Collection[str], selected: bool) -> None:
        """Select these, or leave them out."""
        with self._changing:
            self._unsaved = self._unsaved | dict.fromkeys(ids, selected)
            self.ids = _changed(self.ids, dict.fromkeys(ids, selected))

    def save(self) -> None:
        """Write down what is selected now. ConfigError where that cannot be done."""
        with self._saving:
            changes = self._unsaved
            if not changes:
                return
            try:
                on_disk = change_selection(self._workspace, self._path, self._found, changes)
            except ConfigError as error:
                self.trouble = str(error)
                raise
            with self._changing:
                self._unsaved = {name: on for name, on in self._unsaved.items() if changes.get(name) is not on}
                self.ids, self.trouble = _changed(on_disk, self._unsaved), ""


def _changed(ids: set[str], changes: dict[str, bool]) -> set[str]:
    return (ids | {name for name, selected in changes.items() if selected}) - {name for name, on in changes.items() if not on}
