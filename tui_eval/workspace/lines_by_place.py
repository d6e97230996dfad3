"""Lines of a large file, each read from there when it is looked at: 16 bytes of memory a line, however long it is."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from zlib import crc32

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.lazy_sequence import LazySequence
from tui_eval.workspace.held_files import HeldFile
from tui_eval.workspace.plain_files import ANYWHERE, unreadable

MARK = b"\xef\xbb\xbf"
"""A byte order mark, which is no part of the first line."""
_ENDS = re.compile(rb"[\r\n]")


def lines_by_place(file: InputFile, stripped: bool = True) -> Sequence[str]:
    """Lines without white space at their ends, empty ones left out: as `reading.grades.lines_of` has them of the whole text;
    with it where they are not to be `stripped`.

    ConfigError where it is no longer what was read at first; when a line is looked at, where that was written over since.
    """
    lines = _Lines(file)
    return LazySequence(len(lines.starts), lines.stripped if stripped else lines.line)


class _Lines:
    """Places, sizes and checksums of the lines of a file, which stays open."""

    def __init__(self, file: InputFile) -> None:
        self.starts, self.sizes, self.sums = array("Q"), array("I"), array("I")
        self._name, hasher = file.origin, sha256()
        try:
            self._file = HeldFile(file.origin, ANYWHERE)
            for start, line in _lines(_hashed(self._file.pieces(), hasher.update)):
                if line.decode("utf-8", "replace").strip():
                    self.starts.append(start)
                    self.sizes.append(len(line))
                    self.sums.append(crc32(line))
        except OSError as error:
            raise ConfigError(unreadable(file.origin, error)) from None
        if hasher.hexdigest() != file.sha256:
            raise ConfigError(f"{file.origin}: was changed while the run was being prepared; start it again")

    def line(self, place: int) -> str:
        """The line at a place, from the file."""
        line = self._file.read(self.starts[place], self.sizes[place])
        if crc32(line) != self.sums[place]:
            raise ConfigError(f"{self._name}: was changed while it was being read, line by line; restore it, and start again")
        return line.decode("utf-8")

    def stripped(self, place: int) -> str:
        """The same without white space at its ends."""
        return self.line(place).strip()


def _hashed(pieces: Iterable[bytes], tell: Callable[[bytes], None]) -> Iterator[bytes]:
    for piece in pieces:
        tell(piece)
        yield piece


def _lines(pieces: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """(place, line) of what stands between carriage returns and line feeds, which of UTF-8 are never part of a letter."""
    start, parts = 0, list[bytes]()
    for piece in pieces:
        *whole, rest = _ENDS.split(piece)
        for end in whole:
            line = b"".join((*parts, end)) if parts else end
            parts.clear()
            yield from _unmarked(start, line)
            start += len(line) + 1
        parts.append(rest)
    yield from _unmarked(start, b"".join(parts))


def _unmarked(start: int, line: bytes) -> Iterator[tuple[int, bytes]]:
    """A line without a byte order mark at the beginning of its file; nothing of one that is empty."""
    skipped = len(MARK) if not start and line.startswith(MARK) else 0
    if len(line) > skipped:
        yield start + skipped, line[skipped:]
