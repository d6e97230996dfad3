"""Offsets in the log of each call's last settled attempt: 32 to 64 bytes a call, whatever the call holds."""

from __future__ import annotations

from array import array

EMPTY = 0


class OffsetTable:
    """A hash table of 64-bit key prefixes to file offsets, in two arrays; the last offset set for a key wins."""

    def __init__(self) -> None:
        self._prefixes = array("Q", bytes(8 * 1024))
        self._offsets = array("Q", bytes(8 * 1024))
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def set(self, key: str, offset: int) -> None:
        """Remember the offset of a key (hex digits, at least 16)."""
        if 2 * (self._used + 1) > len(self._prefixes):
            self._grow()
        prefix = int(key[:16], 16) or 1
        slot = self._slot(prefix)
        self._used += self._prefixes[slot] == EMPTY
        self._prefixes[slot] = prefix
        self._offsets[slot] = offset

    def get(self, key: str) -> int | None:
        """The offset of a key, or None. Two keys could share a prefix: the caller compares the whole key."""
        slot = self._slot(int(key[:16], 16) or 1)
        return None if self._prefixes[slot] == EMPTY else self._offsets[slot]

    def _slot(self, prefix: int) -> int:
        mask = len(self._prefixes) - 1
        slot = prefix & mask
        while self._prefixes[slot] not in (EMPTY, prefix):
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        old = zip(self._prefixes, self._offsets, strict=True)
        size = 2 * len(self._prefixes)
        self._prefixes = array("Q", [0]) * size
        self._offsets = array("Q", [0]) * size
        for prefix, offset in old:
            if prefix != EMPTY:
                slot = self._slot(prefix)
                self._prefixes[slot] = prefix
                self._offsets[slot] = offset
