"""Settings that a person chose in the app, kept in .conf/app.toml, and where the app writes down what went wrong in it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from itertools import count, islice
from pathlib import Path
from string import ascii_lowercase

import tomli_w

from tui_eval.core.errors import ConfigError, TuiEvalError
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_files import private_folder, replace_file
from tui_eval.workspace.toml_files import small_table

LONGEST_NOTES = 1_000_000
"""Bytes of tracebacks that are kept."""
MOST_KEPT, LONGEST_KEPT = 1_000, 100
"""Letters of models that are kept in the file, and characters of a name there: names come from anybody's run folders."""


class Settings:
    """A workspace's settings of the app. A file that cannot be used is told once and not touched."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._file = workspace.root / ".conf" / "app.toml"
        self.wrong: list[str] = []
        """What cannot be used, in sentences: shown once the app is there."""
        self.is_person_known = False
        """Whether the person at the keys was asked for a name since the app was started."""
        self._readable = True
        self._content = self._read()
        table = self._content.get("letters")
        known = table.items() if isinstance(table, dict) else ()
        self._letters = {name: letter for name, letter in known if isinstance(letter, str)}
        self._lock = threading.Lock()

    @property
    def theme(self) -> str | None:
        """The theme that was chosen last."""
        name = self._content.get("theme")
        return name if isinstance(name, str) else None

    @property
    def person(self) -> str:
        """The name that a person gave last for marks of answers; empty where none was given."""
        name = self._content.get("person")
        return name if isinstance(name, str) else ""

    @property
    def is_ascii(self) -> bool:
        """True where signs are to be of ASCII alone: `ascii = true`."""
        return self._content.get("ascii") is True

    def keep_theme(self, name: str) -> str:
        """Remember a theme; what went wrong, or nothing."""
        return self._keep("theme", name)

    def keep_person(self, name: str) -> str:
        """Remember a person's name, and that it was asked for; what went wrong, or nothing."""
        self.is_person_known = True
        return "" if name == self.person else self._keep("person", name)

    def letters(self, models: Iterable[str]) -> dict[str, str]:
        """Return the letter of each model: a to z, then aa and so on, given as models are first seen, and kept.

        For any thread: a report that is read beside the keys names its models, too.
        """
        with self._lock:
            fresh = [model for model in dict.fromkeys(models) if model not in self._letters]
            if fresh:
                self._give_letters(fresh)
        return self._letters

    def _give_letters(self, fresh: Sequence[str]) -> None:
        taken = set(self._letters.values())
        free = (letter for letter in map(_letter, count()) if letter not in taken)
        self._letters = {**self._letters, **dict(zip(fresh, free, strict=False))}
        names = (name for name in self._letters if name.isprintable() and len(name) <= LONGEST_KEPT)
        self._keep("letters", {name: self._letters[name] for name in islice(names, MOST_KEPT)})

    def _keep(self, key: str, value: object) -> str:
        if not self._readable:
            return f"the {key} is not remembered: {self._file} cannot be read, and is left as it is"
        self._content[key] = value
        try:
            with private_folder(self._workspace):
                replace_file(self._file, tomli_w.dumps(self._content), within=self._workspace.root)
        except (TuiEvalError, OSError, ValueError) as error:
            return f"the {key} is not remembered: {error}"
        return ""

    def note(self, text: str) -> Path:
        """Write down a traceback; the file it stands in."""
        file = self._file.with_name("app.log")
        try:
            with private_folder(self._workspace):
                descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
                try:
                    if os.fstat(descriptor).st_size < LONGEST_NOTES:
                        os.write(descriptor, text.encode("utf-8", "backslashreplace"))
                finally:
                    os.close(descriptor)
        except (TuiEvalError, OSError):
            pass  # the screen says it all the same
        return file

    def _read(self) -> dict[str, object]:
        try:
            return small_table(self._file, self._workspace.root)
        except ConfigError as error:
            self._readable = False
            self.wrong.append(f"{error}; until then it is left as it is, and its settings are not known")
            return {}


def _letter(place: int) -> str:
    """Return the letter at a place, from 0: a to z, then aa."""
    more, last = divmod(place, len(ascii_lowercase))
    return (_letter(more - 1) if more else "") + ascii_lowercase[last]
