"""Errors that a person can mend.

TuiEvalError
├── ConfigError      the configuration, an input file or the command line; nothing was sent (exit 2)
├── FolderError      a run folder that is missing, damaged, changed or held by another process (exit 2)
├── StorageError     the disk refused a write while a run was under way (exit 3)
└── MisplacedError   both of these: a link stands in a run folder where something of ours belongs (exit 2)

What happens on the wire is data (types.Fault), never one of these. Anything else that is raised is a bug: it ends
loudly, with its traceback in run.log, and exit code 70.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

Place = tuple[str | int, ...]
"""A key's path in a config, such as ("models", 0, "name")."""


class CrashError(Exception):
    """A bug of ours; its text is the traceback, without the values of keys."""


class TuiEvalError(Exception):
    """A mistake that a person can mend; its text names the place and the next step."""


class ConfigError(TuiEvalError):
    """The configuration, an input or the command line is not usable. Raised before anything is sent."""

    def __init__(self, message: str, problems: Sequence[tuple[Place, str]] = (), file: Path | None = None) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        """What is wrong, key by key, where keys are known: (the key's path, the words for it without file and key)."""
        self.file = file
        """The config that the keys stand in."""


class FolderError(TuiEvalError):
    """A run folder cannot be opened as asked."""


class StorageError(TuiEvalError):
    """A write into the run folder failed; the run stops starting calls."""


class MisplacedError(FolderError, StorageError):
    """A link, or what is no folder, stands where something is to be written: who expects either error gets it."""
