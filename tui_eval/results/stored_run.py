"""Stored run: the samples of results.jsonl, by row while the file grows, or one after the other."""

from __future__ import annotations

import re
import time
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from tui_eval.core.errors import FolderError
from tui_eval.results.stored_samples import StoredSample, parse_sample
from tui_eval.results.stored_scores import StoredScores, parse_line, parse_scores
from tui_eval.runs.log.growing_lines import GrowingLines, LineIndex, LogFile
from tui_eval.runs.reader import line_at, lines_in

LINE_BYTES = 16 << 20
"""A longer line is shown as damaged: a sample has some kilobytes."""
_HEAD = re.compile(rb'\{"item_id": ?"((?:[^"\\]|\\.)*)", ?"repeat": ?(-?\d+),')
"""How a line begins."""
Parsed = TypeVar("Parsed")


class StoredRun(GrowingLines[LineIndex[StoredSample]]):
    """Stored samples of a run.

    Rows are lines, damaged ones included, and follow the file as `advance` finds it. An iteration is over what lay there
    when the first one began, whatever becomes of the file: of a sample that was written twice the last line counts.
    """

    def __init__(self, path: Path) -> None:
        """`path`: of results.jsonl, or of a file like it."""
        super().__init__(path, lambda file: LineIndex(file, parse_sample, LINE_BYTES))
        self.damaged = 0
        """Lines that the last iteration passed and that are no samples."""
        self._whole: tuple[LogFile | None, array[int]] | None = None
        """The file that iterations are over, and where the lines begin that count."""

    @property
    def count(self) -> int:
        """Rows found so far."""
        return self.index.lines

    def line(self, row: int) -> bytes:
        """Return a line as it is in the file, without its newline."""
        return self.index.line(row)

    def sample(self, row: int) -> StoredSample | None:
        """Return a sample; None where the line is none. For the screen's thread alone: it caches the last ones."""
        return self.index.entry(row)

    def samples(self) -> Iterator[StoredSample]:
        """Yield each sample. FolderError where the file cannot be read, or was cut short meanwhile."""
        return self._each(lambda line, offset: parse_sample(line))

    def scores(self) -> Iterator[StoredScores]:
        """Yield each sample in short, which is quicker. FolderError as of `samples`."""
        return self._each(parse_scores)

    def _each(self, parse: Callable[[bytes, int], Parsed | None]) -> Iterator[Parsed]:
        if self._whole is None:
            file = LogFile.at(self.path)
            self._whole = file, _offsets(file, self.path) if file else array("Q")
        file, offsets = self._whole
        self.damaged = 0
        for offset in offsets:
            line = line_at(file.descriptor, offset) if file else b""
            if not line:
                raise FolderError(f"{self.path}: was rewritten meanwhile; try again")
            parsed = parse(line, offset)
            if parsed is None:
                self.damaged += 1
            else:
                yield parsed


def _offsets(file: LogFile, path: Path) -> array[int]:
    """Return where the lines begin that count, in order; a damaged line takes the place of none."""
    last: dict[object, int] = {}
    for offset, line in lines_in(file.descriptor, path):
        head = _HEAD.match(line)
        key = b"%b %b" % head.groups() if head else offset
        if line and (key not in last or parse_line(line) is not None):
            last[key] = offset
    return array("Q", sorted(last.values()))


class RowScan:
    """Scan of a stored run, row by row, in slices that hold up no key; it begins anew when the file is another.

    A subclass has `begin`, and `add`; `take` in its place where lines are looked at before they are parsed.
    """

    def __init__(self, stored: StoredRun) -> None:
        self.stored = stored
        self._restart()

    def begin(self) -> None:
        """Forget what was gathered."""
        raise NotImplementedError

    def add(self, row: int, sample: StoredSample) -> None:
        """Gather from the sample of a row."""
        raise NotImplementedError

    def take(self, row: int) -> None:
        """Look at a row; a line that is no sample adds nothing."""
        sample = parse_sample(self.stored.line(row))
        if sample is not None:
            self.add(row, sample)

    def behind(self) -> bool:
        """Return whether there are rows to look at."""
        return self._generation != self.stored.generation or self.looked_at < self.stored.count

    def advance(self, seconds: float) -> bool:
        """Look at more rows for about so long; whether there are any left."""
        if self._generation != self.stored.generation:
            self._restart()
        until = time.monotonic() + seconds
        while self.looked_at < self.stored.count:
            self.take(self.looked_at)
            self.looked_at += 1
            if time.monotonic() >= until:
                return True
        return False

    def _restart(self) -> None:
        self._generation, self.looked_at = self.stored.generation, 0
        self.begin()
