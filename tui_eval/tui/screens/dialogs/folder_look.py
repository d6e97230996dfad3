"""What is in a folder under a name that is being typed: folders first, at most so many, and what is wrong said in words."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui_eval.tui.sanitize import safe

MOST_READ = 200_000
"""Names of one folder that are looked at."""
MOST_SHOWN = 1_000
"""Of those that match, how many are listed."""


@dataclass(frozen=True, slots=True)
class Found:
    """A name in a folder."""

    name: str
    folder: bool
    bytes: int | None = None
    """None for folders, and where it is no file that can be read."""
    fits: bool = True
    """Whether it is of a sort that is looked for."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen in a folder."""

    folder: Path
    found: Sequence[Found] = ()
    matching: int = 0
    """How many match; perhaps more than are listed."""
    names: int = 0
    more: bool = False
    """Whether the folder has more names than were looked at."""
    trouble: str = ""
    common: str = ""
    """As far as all that begin as typed agree."""


def look_in(folder: Path, typed: str, suffixes: Sequence[str], cancelled: Callable[[], bool]) -> Look:
    """The names in a folder that begin as typed, or where none does, have it in them; hidden ones only with their dot."""
    try:
        names, more = _names(folder, typed.startswith("."), cancelled)
    except (OSError, ValueError) as error:
        return Look(folder, trouble=_why(error))
    wanted = typed.casefold()
    begins = [name for name in names if name.casefold().startswith(wanted)]
    matching = begins or [name for name in names if wanted in name.casefold()]
    folders = {name for name in matching if names[name]}
    order = sorted(matching, key=lambda name: (name not in folders, name != typed, name.casefold(), name))
    found = [_found(folder, name, name in folders, suffixes) for name in order[:MOST_SHOWN]]
    return Look(folder, found, len(matching), len(names), more, common=typeable(_common(begins)))


def typeable(text: str) -> str:
    """A text as far as it can stand in a line where one types: no control character, nothing that is shown as another."""
    for end, letter in enumerate(text):
        if not letter.isprintable() or safe(text[: end + 1]) != text[: end + 1]:
            return text[:end]
    return text


def _common(names: Sequence[str]) -> str:
    """The letters that all names begin with."""
    first, last = min(names, default=""), max(names, default="")
    return first[: next((i for i, letter in enumerate(first) if last[i : i + 1] != letter), len(first))]


def _names(folder: Path, hidden: bool, cancelled: Callable[[], bool]) -> tuple[dict[str, bool], bool]:
    """Every name and whether it is a folder, links followed; and whether there are more."""
    names: dict[str, bool] = {}
    with os.scandir(folder) as entries:
        for looked_at, entry in enumerate(entries):
            if looked_at == MOST_READ or (looked_at % 1000 == 0 and cancelled()):
                return names, True
            if hidden or not entry.name.startswith("."):
                names[entry.name] = _is_folder(entry)
    return names, False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _found(folder: Path, name: str, is_folder: bool, suffixes: Sequence[str]) -> Found:
    if is_folder:
        return Found(name, True)
    try:
        about = os.stat(folder / name)
    except OSError:
        return Found(name, False, fits=False)
    readable = stat.S_ISREG(about.st_mode)
    fits = readable and (not suffixes or os.path.splitext(name)[1].casefold() in suffixes)
    return Found(name, False, about.st_size if readable else None, fits)


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "There is no such folder; Backspace takes letters away, Ctrl+U all."
    if isinstance(error, PermissionError):
        return "This folder may not be read by you: its permissions do not allow it."
    if isinstance(error, NotADirectoryError):
        return "A file stands where a folder would have to be; take the last / away."
    return f"This folder cannot be read: {getattr(error, 'strerror', None) or error}"
