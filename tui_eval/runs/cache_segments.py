"""Append-only segments of the reply cache: many replies in one file, each found by an index that can be rebuilt at any time."""

from __future__ import annotations

import errno
import os
import re
import secrets
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from tui_eval.core.errors import MisplacedError
from tui_eval.runs.offsets import OffsetTable
from tui_eval.runs.writing import Inside
from tui_eval.workspace.plain_files import stream_in

SEGMENTS = "segments"
REPLIES, INDEX = ".replies", ".index"
NAME = re.compile(rb"[0-9a-f]{32}")
"""A reply's name, which stands in front of its line: so a segment says of itself what it holds."""
_ENTRY = struct.Struct("<16sQ")
"""Entry of an index: a name, and where its line begins."""
_BITS = 40
"""Of a place in the table, for the offset; above them stands the segment's number."""
LOOK_AGAIN_S = 1.0
"""Seconds between two looks at what other processes have added meanwhile."""
_PIECE = 64 * 1024


@dataclass(slots=True)
class _Segment:
    """A segment, and how much of it stands in the table."""

    name: str
    number: int
    size: int = 0
    """Bytes that it had at the last look: one that has not grown since is not opened."""
    end: int = 0
    """Bytes of its lines that were taken into account; behind the last line end there may be half a line."""
    indexed: int = 0
    """Bytes of its index that were."""


class CacheSegments:
    """Segments below a folder. One process writes each; any number read it. What is torn, deleted or forged is a miss."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._place = Inside(folder, (SEGMENTS,))
        self._most = most_bytes
        self._table = OffsetTable()
        self._segments: dict[str, _Segment] = {}
        self._by_number: list[_Segment] = []
        self._looked: float | None = None
        self._own = ""
        self._files: tuple[int, int] | None = None
        self._end = 0

    def get(self, name: str) -> bytes | None:
        """Return the line of a reply, without its name; None where none is found. OSError where a file cannot be read."""
        found = self._read(name)
        if found is None and (self._looked is None or time.monotonic() - self._looked > LOOK_AGAIN_S):
            self._look()
            found = self._read(name)
        return found

    def put(self, name: str, line: bytes) -> None:
        """Append a line to this process's own segment. OSError where the disk refuses it: what follows has another segment."""
        if self._files is None:
            self._begin()
        assert self._files is not None
        replies, index = self._files
        whole = b"%s %s" % (name.encode("ascii"), line)
        try:
            entry = _ENTRY.pack(bytes.fromhex(name), self._end)
            if (os.write(replies, whole), os.write(index, entry)) != (len(whole), len(entry)):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            self.close()
            raise
        self._end += len(whole)

    def close(self) -> None:
        """Let go of the own segment; the next reply begins another."""
        files, self._files = self._files, None
        for descriptor in files or ():
            os.close(descriptor)

    def __del__(self) -> None:
        self.close()

    def _begin(self) -> None:
        self._own = f"{time.time_ns():020d}-{os.getpid()}-{secrets.token_hex(4)}"
        replies = (self._place / f"{self._own}{REPLIES}").create()
        try:
            self._files = replies, (self._place / f"{self._own}{INDEX}").create()
        except OSError:
            os.close(replies)
            raise
        self._end = 0

    def _read(self, name: str) -> bytes | None:
        place = self._table.get(name)
        if place is None:
            return None
        segment, offset = self._by_number[place >> _BITS], place & ((1 << _BITS) - 1)
        with self._opened(f"{segment.name}{REPLIES}") as stream:
            stream.seek(offset)
            line = stream.readline(self._most)
        return line[33:] if line[:33] == b"%s " % name.encode("ascii") and line[-1:] == b"\n" else None

    def _opened(self, name: str) -> BufferedReader:
        try:
            folder = self._place.open_folder(make=False)
        except MisplacedError as error:
            raise OSError(str(error)) from None
        try:
            return stream_in(folder, name)
        finally:
            os.close(folder)

    def _look(self) -> None:
        """Take in what other processes have added since the last look; the younger of two lines for one call counts."""
        self._looked = time.monotonic()
        try:
            with os.scandir(self._place.path) as entries:
                sizes = {each.name: each.stat(follow_symlinks=False).st_size for each in entries if each.name.endswith(REPLIES)}
        except OSError:
            return
        for name, size in sorted(sizes.items()):
            if name == f"{self._own}{REPLIES}":
                continue
            if name not in self._segments:
                self._segments[name] = _Segment(name.removesuffix(REPLIES), len(self._by_number))
                self._by_number.append(self._segments[name])
            segment = self._segments[name]
            if size == segment.size:
                continue
            segment.size = size
            try:
                self._take_in(segment)
            except OSError:  # no plain file, or gone: what it had is asked anew
                continue

    def _take_in(self, segment: _Segment) -> None:
        number = segment.number << _BITS
        with self._opened(f"{segment.name}{REPLIES}") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size <= segment.end:
                return
            for name, offset in self._entries(segment):
                if segment.end <= offset < size:
                    self._table.set(name, number | offset)
                    segment.end = offset
            stream.seek(segment.end)
            for line in iter(lambda: stream.readline(self._most), b""):
                if line[-1:] != b"\n":
                    break
                if NAME.match(line):
                    self._table.set(line[:32].decode("ascii"), number | segment.end)
                segment.end += len(line)

    def _entries(self, segment: _Segment) -> Iterator[tuple[str, int]]:
        """Yield what its index has that was not read before; nothing where there is none."""
        try:
            with self._opened(f"{segment.name}{INDEX}") as stream:
                stream.seek(segment.indexed)
                while len(piece := stream.read(_PIECE // _ENTRY.size * _ENTRY.size)) >= _ENTRY.size:
                    piece = piece[: len(piece) // _ENTRY.size * _ENTRY.size]
                    segment.indexed += len(piece)
                    yield from ((name.hex(), offset) for name, offset in _ENTRY.iter_unpack(piece))
        except OSError:
            return
