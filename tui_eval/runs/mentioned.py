"""Which samples a log speaks of: a megabyte, however many they are."""

from __future__ import annotations

BITS = 1 << 23


class Mentioned:
    """Names that were added, one bit each. A name that was added is always known; of a million others one in nine is, too."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, name: str) -> None:
        """Remember a name."""
        if not self._bits:
            self._bits = bytearray(BITS // 8)
        place = hash(name) % BITS
        self._bits[place >> 3] |= 1 << (place & 7)

    def __contains__(self, name: str) -> bool:
        """Whether it may have been added."""
        place = hash(name) % BITS
        return bool(self._bits) and bool(self._bits[place >> 3] & 1 << (place & 7))
