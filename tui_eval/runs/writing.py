"""Files written whole, for their owner alone, and never through a link: what is asked to be in a folder lands in it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tui_eval.core.errors import FolderError, MisplacedError, StorageError
from tui_eval.workspace.file_locks import hold_file
from tui_eval.workspace.plain_files import stream_in
from tui_eval.workspace.private_files import temporary_name

LOCK = "lock"
PIECE = 1 << 16
"""Bytes that are gathered before they are written."""
_NO_FOLDER = (errno.ELOOP, errno.ENOTDIR)
"""What the system says where a link, or a file, stands in the place of a folder."""


@dataclass(frozen=True, slots=True)
class Inside:
    """A place in a folder: the folder is where a person said, link or not; below it no link is ever followed.

    Everything below is opened from the folder's descriptor, step by step, so that nothing planted between a look and the
    writing leads elsewhere.
    """

    folder: Path
    parts: tuple[str, ...] = ()

    def __truediv__(self, name: str) -> Inside:
        return Inside(self.folder, (*self.parts, *PurePosixPath(name).parts))

    def __str__(self) -> str:
        return str(self.path)

    @property
    def path(self) -> Path:
        """The same for who only reads, and for messages."""
        return self.folder.joinpath(*self.parts)

    def open_folder(self, make: bool = True) -> int:
        """A descriptor of the folder at this place; folders that are missing on the way are made, for their owner alone.

        MisplacedError where a link or a file stands in the way, OSError for all else; FileNotFoundError unless `make`.
        """
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for n, part in enumerate(self.parts, start=1):
            try:
                inner = _step(descriptor, part, make)
            except OSError as error:
                if error.errno not in _NO_FOLDER:
                    raise
                stray = self.folder.joinpath(*self.parts[:n])
                raise MisplacedError(
                    f"{stray}: a link or a file stands where a folder belongs; nothing is written through it. Move it away"
                ) from None
            finally:
                os.close(descriptor)
            descriptor = inner
        return descriptor

    @contextlib.contextmanager
    def parent(self, make: bool = True) -> Iterator[int]:
        """A descriptor of the folder that this place is in, for as long as it is needed."""
        descriptor = Inside(self.folder, self.parts[:-1]).open_folder(make)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def holds(self, data: bytes) -> bool:
        """Return whether a regular file with just these bytes is there. OSError where that cannot be told."""
        try:
            with self.parent(make=False) as folder:
                stream = stream_in(folder, self.parts[-1])
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ELOOP, errno.EINVAL):
                return False
            raise
        with stream:
            return os.fstat(stream.fileno()).st_size == len(data) and stream.read(len(data) + 1) == data

    def create(self) -> int:
        """A descriptor of a new file at this place, to be written. OSError where something of that name is there."""
        with self.parent() as folder:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            return os.open(self.parts[-1], flags, 0o600, dir_fd=folder)


def _step(folder: int, name: str, make: bool) -> int:
    """From a folder's descriptor to that of a folder in it."""
    if name in ("..", "/"):
        raise OSError(errno.EINVAL, "the name of a file leads out of its folder")
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=folder)
    return os.open(name, flags, dir_fd=folder)


def write_file(place: Path | Inside, content: str | bytes, drafts: Inside | None = None) -> None:
    """Write a private file atomically. StorageError when the disk refuses it, MisplacedError where a link stands in the way.

    `drafts`: the folder it is written in until it is whole, where that is not its own.
    """
    with AtomicFile(place, drafts) as file:
        file.write(content)


def write_pieces(place: Inside, pieces: Iterable[str | bytes]) -> None:
    """Write a private file while its pieces are made, so that it is never whole in memory. StorageError as `write_file`."""
    waiting = bytearray()
    with AtomicFile(place) as file:
        for piece in pieces:
            waiting += encoded(piece)
            if len(waiting) >= PIECE:
                file.write(bytes(waiting))
                waiting.clear()
        file.write(bytes(waiting))


def encoded(content: str | bytes) -> bytes:
    """Text as a file has it, or bytes as they are."""
    return content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content


@contextlib.contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Raise StorageError, naming the file, for what the disk refuses."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error


class AtomicFile:
    """A private file written piece by piece that appears under its name only when it is whole; `with` keeps it or drops it."""

    def __init__(self, place: Path | Inside, drafts: Inside | None = None) -> None:
        """A path's folder is made where it is missing; that of an Inside is there, or was moved: it is not made again.

        `drafts`: the folder it is written in until it is whole, on the same disk, where that is not its own.
        """
        if isinstance(place, Path):
            _make_folder(place.parent, place)
            place = Inside(place.parent, (place.name,))
        self.path = place.path
        self._name = place.parts[-1]
        self._temporary = temporary_name()
        self._folder: int | None = None
        self._drafts: int | None = None
        try:
            self._folder = Inside(place.folder, place.parts[:-1]).open_folder()
            self._drafts = os.dup(self._folder) if drafts is None else drafts.open_folder()
            descriptor = self._begun()
        except OSError as error:
            self._let_go()
            raise StorageError(f"{self.path}: cannot be written: {error.strerror}") from error
        self._stream = os.fdopen(descriptor, "wb")

    def __enter__(self) -> AtomicFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.keep()
        finally:
            self.drop()

    def _begun(self) -> int:
        """A new file under the name it has until it is whole; what an ended process left there goes."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            return os.open(self._temporary, flags, 0o600, dir_fd=self._drafts)
        except FileExistsError:
            os.unlink(self._temporary, dir_fd=self._drafts)
            return os.open(self._temporary, flags, 0o600, dir_fd=self._drafts)

    def write(self, content: str | bytes) -> None:
        """Add text, or bytes as they are."""
        try:
            self._stream.write(encoded(content))
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be written: {error.strerror}") from error

    def keep(self) -> None:
        """Put the file under its name: what is there, be it a link, is replaced."""
        try:
            self._stream.close()
            os.replace(self._temporary, self._name, src_dir_fd=self._drafts, dst_dir_fd=self._folder)
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be written: {error.strerror}") from error
        self._let_go()

    def drop(self) -> None:
        """Forget what was written; nothing happens after keep()."""
        if self._folder is None:
            return
        with contextlib.suppress(OSError):
            self._stream.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._temporary, dir_fd=self._drafts)
        self._let_go()

    def _let_go(self) -> None:
        for descriptor in (self._folder, self._drafts):
            if descriptor is not None:
                os.close(descriptor)
        self._folder = self._drafts = None


@contextlib.contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a folder that several commands may add to, one after the other. StorageError when it cannot be made."""
    _make_folder(path, path)
    try:
        descriptor = own_file(path / LOCK, os.O_RDWR)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        with hold_file(descriptor, path / LOCK):
            yield
    finally:
        os.close(descriptor)


def own_file(path: Path, flags: int) -> int:
    """A descriptor of a file that is written in place, made where it is missing. OSError for a link.

    FolderError for what is no regular file, or has a second name: what is written would change a file elsewhere, too.
    """
    descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    about = os.fstat(descriptor)
    if stat.S_ISREG(about.st_mode) and about.st_nlink <= 1:
        return descriptor
    os.close(descriptor)
    if not stat.S_ISREG(about.st_mode):
        raise FolderError(f"{path}: is not a regular file; move it away")
    raise FolderError(
        f"{path}: has another name elsewhere (a hard link), and that file would be written, too; put a copy in its place: "
        f"cp -p {path} {path}.copy && mv {path}.copy {path}"
    )


def remove_leftovers(folder: Path) -> None:
    """Remove files that were being written when a process ended, in a folder and all below it."""
    for _, _, names, descriptor in os.fwalk(folder):
        for name in names:
            if name.startswith(".") and name.endswith(".tmp"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=descriptor)


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for their owner only."""
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    for parent in reversed(missing):
        parent.mkdir(mode=0o700, exist_ok=True)


def _make_folder(folder: Path, path: Path) -> None:
    try:
        make_private(folder)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error
