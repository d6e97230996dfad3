"""A plain file that stays open and is read by place: whatever is put under its name later, its bytes are those of the first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tui_eval.workspace.plain_files import opened

PIECE_BYTES = 2**20


class HeldFile:
    """A file opened for reading. It is closed when nobody refers to it any more, so that no other thread reads a closed one."""

    def __init__(self, path: Path | str, within: Path | None = None) -> None:
        """OSError when it is missing, or no plain file. `within`: as of `plain_files.opened`."""
        self.descriptor = opened(path, within)

    def read(self, start: int, size: int) -> bytes:
        """Up to `size` bytes from `start`."""
        return os.pread(self.descriptor, size, start)

    def pieces(self) -> Iterator[bytes]:
        """All of it, from the first byte on."""
        start = 0
        while piece := self.read(start, PIECE_BYTES):
            yield piece
            start += len(piece)

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)
