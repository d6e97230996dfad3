"""Files for a person alone: private folders, held against other processes, and files replaced in one step."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.file_locks import hold_file
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import ANYWHERE, lies_within

IGNORE = "# written by tui-eval: what is in this folder is yours alone, and stays out of version control\n*\n"

_LIFE = os.urandom(3).hex()
_NUMBERS = count()


@contextmanager
def private_folder(workspace: Workspace) -> Iterator[Path]:
    """The .conf folder, made where it is missing, private and out of version control; held against other processes."""
    folder = workspace.models_file.parent
    if not lies_within(folder, workspace.root):
        raise _leads_out(folder, workspace.root, "a folder")
    with held_folder(folder, IGNORE):
        yield folder


@contextmanager
def held_folder(folder: Path, ignore: str = "") -> Iterator[Path]:
    """A private folder, made where it is missing, held against other processes. `ignore`: what its .gitignore says."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        with suppress(FileExistsError):
            if ignore:
                write_new(folder / ".gitignore", ignore.encode())
        lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        with hold_file(lock, folder / ".lock"):
            yield folder
    finally:
        os.close(lock)


def temporary_name() -> str:
    """A name for a file until it is whole, that no other process and no other file gets: short, however long its own is."""
    return f".{os.getpid()}.{_LIFE}{next(_NUMBERS)}.tmp"


def replace_file(path: Path, text: str, check: Callable[[Path], None] | None = None, within: Path = ANYWHERE) -> None:
    """Put a private text file in the place of another in one step; where the path is a link, of what it leads to.

    `check` may look at the new file before, and raise ConfigError. `within`: the folder that no link may lead out of, where no
    person named the file. ConfigError where it does, or the file cannot be written.
    """
    if not lies_within(path, within):
        raise _leads_out(path, within, "a copy of the file")
    path = path.resolve()
    temporary = path.with_name(temporary_name())
    try:
        write_new(temporary, text.encode("utf-8"))
        if check is not None:
            check(temporary)
        os.replace(temporary, path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)


def _leads_out(path: Path, within: Path, mend: str) -> ConfigError:
    return ConfigError(f"{path}: leads out of {within} by a link, and nothing is written there; put {mend} in its place")


def write_new(path: Path, data: bytes) -> None:
    """Write a file that was not there, for its owner alone. OSError where something of that name is there."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as stream:
        stream.write(data)
