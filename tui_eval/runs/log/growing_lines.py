"""Lines of a file that grows: where each whole line begins, found bit by bit, and the last ones parsed, in an LRU cache."""

from __future__ import annotations

import os
import stat
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from tui_eval.core.errors import FolderError
from tui_eval.runs.opening import problem_of
from tui_eval.workspace.held_files import HeldFile

SCAN_BYTES = 1 << 20
Parsed = TypeVar("Parsed")


class LogFile(HeldFile):
    """A log opened for reading."""

    def __init__(self, path: Path) -> None:
        """OSError when it is missing, or no plain file."""
        super().__init__(path)
        info = os.fstat(self.descriptor)
        self.identity = (info.st_dev, info.st_ino)

    @classmethod
    def at(cls, path: Path) -> LogFile | None:
        """Open a log of a run; None where it is missing. FolderError where it cannot be read."""
        try:
            return cls(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FolderError(problem_of(path) or f"{path}: cannot be read: {error.strerror}") from None


class LineIndex(Generic[Parsed]):
    """Places of the whole lines of one file. Only the reading thread appends; any thread may read."""

    cached = 500
    """Rows that are cached; a screen shows some dozens."""

    def __init__(self, file: LogFile | None, parse_line: Callable[[bytes], Parsed | None], longest: int) -> None:
        """`longest`: bytes of a line that are read at most."""
        self.file = file
        self._parse_line, self._longest = parse_line, longest
        self.starts = array("Q", [0])
        """Where each whole line starts; last, where the line that is not whole yet starts."""
        self.scanned = 0
        self.total = 0
        """Bytes of the file when it was last looked at."""
        self._cache: OrderedDict[int, Parsed | None] = OrderedDict()

    def parse(self, row: int) -> Parsed | None:
        """Read a row from disk and parse it; None where the line is damaged."""
        return self._parse_line(self.line(row))

    @property
    def lines(self) -> int:
        """Whole lines found."""
        return len(self.starts) - 1

    def line(self, row: int, most: int | None = None) -> bytes:
        """The line without its newline, at most so many bytes of it; nothing where there is no such line."""
        if self.file is None or not 0 <= row < self.lines:
            return b""
        start = self.starts[row]
        return self.file.read(start, min(self.starts[row + 1] - 1 - start, most or self._longest))

    def entry(self, row: int) -> Parsed | None:
        """Return a row parsed; None where there is none, or it is damaged. For one thread alone: it caches the last ones."""
        if row in self._cache:
            self._cache.move_to_end(row)
            return self._cache[row]
        if not 0 <= row < self.lines:
            return None
        entry = self._cache[row] = self.parse(row)
        if len(self._cache) > self.cached:
            self._cache.popitem(last=False)
        return entry

    def find_lines(self) -> bool:
        """Look for line ends in the next bytes; whether there were any bytes left to look at."""
        if self.file is None or self.scanned >= self.total:
            return False
        part = self.file.read(self.scanned, min(SCAN_BYTES, self.total - self.scanned))
        end = part.find(b"\n")
        while end >= 0:
            self.starts.append(self.scanned + end + 1)
            end = part.find(b"\n", end + 1)
        self.scanned += len(part)
        return bool(part)


Index = TypeVar("Index", bound=LineIndex[Any])


class GrowingLines(Generic[Index]):
    """Lines of a file that may be missing, grow, and be replaced at any time. It is only ever read, and only if it is plain.

    A row is a whole line, damaged ones included; a last line without its newline is left out until that comes. A file that was
    cut, replaced or removed starts anew with another `index` (one cut and written anew beyond its former length between two
    looks cannot be told from one that grew). `advance` is for any number of threads, one at a time; everything else may be
    called from any thread at any time.
    """

    def __init__(self, path: Path, new_index: Callable[[LogFile | None], Index]) -> None:
        self.path = path
        self.upto: int | None = None
        """Bytes that are looked at, where the writer says of how many its own counts are; None = all there are."""
        self.generation = 0
        """Grows whenever the file is another one: rows are no longer the same."""
        self.index = new_index(None)
        self._new_index = new_index
        self._reading = threading.Lock()

    @property
    def lines(self) -> int:
        """Rows that can be shown."""
        return self.index.lines

    def behind(self) -> bool:
        """Return whether there may be more to read."""
        try:
            there = os.stat(self.path)
        except OSError:
            return self.index.file is not None
        return stat.S_ISREG(there.st_mode) and (self._is_another(there) or self._end(there) != self.index.scanned)

    def advance(self, seconds: float) -> bool:
        """Read on for about so long, in slices of about a millisecond; whether there may be more to read right now."""
        with self._reading:
            until = time.monotonic() + seconds
            self._look()
            while self.step():
                if time.monotonic() >= until:
                    return True
            return False

    def step(self) -> bool:
        """Do some more; whether there was anything to do."""
        return self.index.find_lines()

    def close(self) -> None:
        """Let go of the file; what was known of it is forgotten."""
        self._begin(None)

    def _look(self) -> None:
        """Take up what has become of the file: missing, new, another one, shorter or longer."""
        try:
            there = os.stat(self.path)
            if self._is_another(there):
                self._begin(LogFile(self.path))
        except OSError:
            if self.index.file is not None:
                self.close()
            return
        index = self.index
        index.total = self._end(there)
        # The writer cuts off an unfinished line when it starts again, so its bytes may have become others.
        if index.scanned - index.starts[-1] <= SCAN_BYTES:
            index.scanned = index.starts[-1]

    def _end(self, there: os.stat_result) -> int:
        """Return how many bytes of the file are looked at: what was read stays read."""
        return there.st_size if self.upto is None else min(there.st_size, max(self.upto, self.index.starts[-1]))

    def _is_another(self, there: os.stat_result) -> bool:
        file = self.index.file
        return file is None or file.identity != (there.st_dev, there.st_ino) or there.st_size < self.index.starts[-1]

    def _begin(self, file: LogFile | None) -> None:
        self.index = self._new_index(file)
        self.generation += 1
