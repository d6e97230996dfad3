"""Many drawn patterns of signs of whole numbers at once: of each number one long integer that has a bit for every pattern."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import shake_128

BLOCK = 8
"""Numbers whose signs one random byte decides."""
LARGEST = 10**9
"""Whole numbers whose sum is above this are left to those who add them up one pattern at a time."""
_DRAWN_AT_ONCE = 64
_FINEST = 60
"""The finest grid is that of sixtieths: means of up to six replies, and more."""
_BITS = [bytes(ord("0") + (byte >> bit & 1) for byte in range(256)) for bit in range(BLOCK)]


def drawn_bytes(size: int, draws: int) -> Iterator[bytes]:
    """So many times `size` bytes, always the same ones."""
    for first in range(0, draws, _DRAWN_AT_ONCE):
        stream = shake_128(b"signs of differences %d" % first).digest(size * _DRAWN_AT_ONCE)
        for i in range(min(_DRAWN_AT_ONCE, draws - first)):
            yield stream[i * size : (i + 1) * size]


def whole_numbers(values: Sequence[float], allowed: float) -> tuple[list[int], int] | None:
    """Values as multiples of 1/q, and q; None where they lie further than `allowed`, in all, from every grid looked at."""
    for q in range(1, _FINEST + 1):
        if all(abs(value * q - round(value * q)) <= allowed * q for value in values):
            found = [round(value * q) for value in values]
            off = sum(abs(value - whole / q) for value, whole in zip(values, found, strict=True))
            return (found, q) if off <= allowed and sum(found) <= LARGEST else None
    return None


def patterns_as_far(numbers: Sequence[int], reached: int, draws: int) -> int:
    """How many of the drawn patterns of signs bring a sum at least `reached` (above 0) away from 0."""
    columns: list[list[int]] = []
    planes = _planes(-(-len(numbers) // BLOCK), draws)
    for place, number in enumerate(numbers):
        inside = min(BLOCK, len(numbers) - place // BLOCK * BLOCK)
        plane = planes[place // BLOCK][inside - 1 - place % BLOCK]
        for level in range(number.bit_length()):
            if number >> level & 1:
                columns += [[] for _ in range(level + 1 - len(columns))]
                columns[level].append(plane)
    negative, total = _added(columns), sum(numbers)  # the sum of a pattern is the total less twice what is negative in it
    every = (1 << draws) - 1
    low, high = (total - reached) // 2, -(-(total + reached) // 2)
    return (every & ~_at_least(negative, low + 1, every)).bit_count() + _at_least(negative, high, every).bit_count()


@lru_cache(maxsize=256)
def _planes(size: int, draws: int) -> tuple[tuple[int, ...], ...]:
    """By byte of a pattern and bit of that byte, a bit for each pattern."""
    drawn = b"".join(drawn_bytes(size, draws))
    return tuple(tuple(int(drawn[byte::size].translate(bit), 2) for bit in _BITS) for byte in range(size))


def _added(columns: list[list[int]]) -> list[int]:
    """The sum of the planes of each pattern, as its binary digits, the lowest first; a plane of `columns[i]` counts 2**i."""
    digits = []
    while columns:
        column, carried = columns.pop(0), []
        while len(column) > 1:
            a, b, c = column.pop(), column.pop(), column.pop() if column else 0
            column.append(a ^ b ^ c)
            carried.append(a & b | (a ^ b) & c)
        digits.append(column[0] if column else 0)
        if carried:
            columns[:1] = [(columns[0] if columns else []) + carried]
    return digits


def _at_least(digits: Sequence[int], least: int, every: int) -> int:
    """A bit for each pattern whose number, of these binary digits, is `least` or more."""
    if least >> len(digits):
        return 0
    more, equal = 0, every
    for place in reversed(range(len(digits))):
        if least >> place & 1:
            equal &= digits[place]
        else:
            more |= equal & digits[place]
            equal &= ~digits[place]
    return more | equal
