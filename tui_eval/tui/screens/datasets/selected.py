"""What is selected of a set while its questions are on the screen, kept on disk as it changes."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.sets import QuestionSet
from tui_eval.datasets.shelf import set_selection
from tui_eval.workspace.places import Workspace


class Selected:
    """Ids of the selected questions. Changes are made here at once; `save` writes the newest, from one thread at a time."""

    def __init__(self, workspace: Workspace, path: Path, found: QuestionSet, ids: set[str]) -> None:
        self.ids = ids
        self.trouble = ""
        """Why it could not be kept."""
        self._workspace, self._path, self._found = workspace, path, found
        self._lock = threading.Lock()
        self._saved = frozenset(ids)

    @property
    def saved(self) -> bool:
        """Whether what is selected is on disk."""
        return self._saved == self.ids

    def change(self, ids: Iterable[str], selected: bool) -> None:
        """Select these, or leave them out."""
        self.ids = self.ids | set(ids) if selected else self.ids - set(ids)

    def save(self) -> None:
        """Write down what is selected now. ConfigError where that cannot be done."""
        with self._lock:
            wanted = frozenset(self.ids)
            if wanted == self._saved:
                return
            try:
                set_selection(self._workspace, self._path, self._found, set(wanted))
            except ConfigError as error:
                self.trouble = str(error)
                raise
            self._saved, self.trouble = wanted, ""
