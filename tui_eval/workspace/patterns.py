"""Patterns of paths, matched without leaving a folder: a link that leads out of it is not followed unasked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from tui_eval.workspace.plain_files import is_inside

MOST_ENTRIES = 1_000_000
"""Files and folders that are looked at for one pattern."""
_MAGIC = "*?["


def has_magic(pattern: str) -> bool:
    """Return whether a path is a pattern."""
    return any(sign in pattern for sign in _MAGIC)


def split_pattern(pattern: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder that a pattern begins with, and the parts from the first that is no plain name."""
    parts = pattern.parts
    first = next((place for place, part in enumerate(parts) if has_magic(part)), len(parts) - 1)
    return Path(*parts[:first]), parts[first:]


@dataclass(slots=True)
class Walk:
    """A folder looked through by patterns."""

    root: str
    """The real path that is not left."""
    may_enter: Callable[[str], bool]
    """Whether a folder outside, by its real path with / behind it, may be entered all the same."""
    refused: list[str] = field(default_factory=list)
    """Folders outside that links lead to and that were not entered, by their real paths, with / behind them."""
    _entries: int = 0

    def matches(self, folder: Path, parts: tuple[str, ...]) -> list[Path]:
        """Return what parts of a pattern find below a folder, in order of path.

        ValueError where they are no pattern, or where too much lies there.
        """
        for part in parts:
            if "**" in part and part != "**":
                raise ValueError("'**' must be alone between two slashes")
        return sorted(set(self._below(folder, parts)))

    def _below(self, folder: Path, parts: tuple[str, ...]) -> Iterator[Path]:
        part, rest = parts[0], parts[1:]
        if part == "**":
            if rest:
                yield from self._below(folder, rest)
            for entry in self._listed(folder):
                if entry.is_dir(follow_symlinks=False):
                    yield from self._below(folder / entry.name, parts)
        elif not has_magic(part):
            yield from self._into(folder / part, rest)
        else:
            for entry in self._listed(folder):
                if fnmatchcase(entry.name, part):
                    yield from self._into(folder / entry.name, rest)

    def _into(self, path: Path, rest: tuple[str, ...]) -> Iterator[Path]:
        if not rest:
            if os.path.lexists(path):
                yield path
        elif path.is_dir() and self._enters(path):
            yield from self._below(path, rest)

    def _enters(self, path: Path) -> bool:
        real = os.path.realpath(path)
        if is_inside(real, self.root) or self.may_enter(f"{real}/"):
            return True
        self.refused.append(f"{real}/")
        return False

    def _listed(self, folder: Path) -> list[os.DirEntry[str]]:
        """Return the entries of a folder; nothing of one that cannot be read, or is gone meanwhile."""
        try:
            with os.scandir(folder) as scan:
                entries = list(scan)
        except OSError:
            return []
        self._entries += len(entries)
        if self._entries > MOST_ENTRIES:
            raise ValueError(f"more than {MOST_ENTRIES:,} files and folders lie there; name a narrower one")
        return entries
