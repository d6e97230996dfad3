"""A document's text cut into passages of a size that a question can be asked about; contents and references are left out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.core.document_text import page_spans
from tui_eval.reading.document_body import HEADING, PAGE, SENTENCE, TextPiece, body_pieces

FEWEST_TOKENS, MOST_TOKENS = 800, 1_200
OVERLAP_TOKENS = 100
MOST_PAGES = 3
"""Pages that a passage may reach over."""
_LAST_TOKENS = 400
"""What is left for the last passage of a stretch, where that is possible."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document: text[start:end]."""

    number: int
    """Counted from 1 within its document."""
    start: int
    end: int
    first_page: int
    last_page: int
    """Pages count from 1; a text without pages is page 1."""
    text: str


def passages_of(text: str, left_out: Sequence[tuple[int, int]] | None = None) -> list[Passage]:
    """The passages of a text in order; together they hold all of its body, each with about 100 tokens of the one before.

    Cut before a heading, else a page, a paragraph, a sentence, so that 800 to 1,200 tokens go together, fewer at an end and
    where three pages have fewer. One that begins with a heading has nothing of the one before. Body is all but contents,
    references and indexes (`document_body.body_pieces`); where nothing else is left, it is everything. METHOD.md 6.
    `left_out`: where contents and their like lie, if that was written down.
    """
    passages: list[Passage] = []
    pages = _Pages(text)
    for stretch in body_pieces(text, left_out):
        for first, last in _cuts(stretch, pages):
            start, end = stretch[first].start, stretch[last - 1].end
            if text[max(start, passages[-1].end if passages else 0) : end].strip():
                passages.append(pages.passage(text, len(passages) + 1, start, end))
    return passages


class _Pages:
    """Places where the pages of a text begin."""

    def __init__(self, text: str) -> None:
        self.starts = [start for start, _ in page_spans(text)]

    def passage(self, text: str, number: int, start: int, end: int) -> Passage:
        """A stretch without the white space at its ends."""
        words = text[start:end]
        start, end = start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip())
        return Passage(number, start, end, bisect_right(self.starts, start), bisect_left(self.starts, end), text[start:end])

    def end_of(self, start: int, pages: int) -> int | None:
        """Return where the last of so many pages ends, the first being that of `start`; None where the text ends first."""
        after = bisect_right(self.starts, start) - 1 + pages
        return self.starts[after] if after < len(self.starts) else None


def _cuts(pieces: list[TextPiece], pages: _Pages) -> list[tuple[int, int]]:
    """The pieces of each passage, from the first to before the last, of a stretch without gaps."""
    sums = [0.0]
    for piece in pieces:
        sums.append(sums[-1] + piece.tokens)
    cuts: list[tuple[int, int]] = []
    first = covered = 0
    while covered < len(pieces):
        limit = pages.end_of(pieces[first].start, MOST_PAGES)
        most = len(pieces) if limit is None else bisect_left(pieces, limit, key=lambda piece: piece.end - 1)
        last = _end(pieces, sums, first, covered + 1, max(covered + 1, most))
        cuts.append((first, last))
        covered = last
        first = last if last == len(pieces) or pieces[last].strength == HEADING else _overlapping(pieces, sums, first, last)
        while first < covered < len(pieces) and not _fits(pieces, pages, first, covered):
            first += 1
    return cuts


def _fits(pieces: list[TextPiece], pages: _Pages, first: int, covered: int) -> bool:
    """Return whether a passage that begins so early may still hold the first piece that no earlier one has."""
    limit = pages.end_of(pieces[first].start, MOST_PAGES)
    return limit is None or pieces[covered].end <= limit


def _end(pieces: list[TextPiece], sums: list[float], first: int, least: int, most: int) -> int:
    """Return where a passage best ends: before the strongest break of those its size allows, of equal ones the last."""
    remaining = sums[-1] - sums[first]
    if remaining <= MOST_TOKENS and most == len(pieces):
        return most
    high = max(FEWEST_TOKENS, min(MOST_TOKENS, remaining - _LAST_TOKENS))
    latest = max(least, min(most, bisect_right(sums, sums[first] + high) - 1))
    if latest == len(pieces):
        return latest
    earliest = min(latest, max(least, bisect_left(sums, sums[first] + FEWEST_TOKENS)))
    return max(range(earliest, latest + 1), key=lambda i: (pieces[i].strength if i < len(pieces) else PAGE, i))


def _overlapping(pieces: list[TextPiece], sums: list[float], first: int, last: int) -> int:
    """The piece from which on the next passage repeats about 100 tokens, at most a quarter, if it can a sentence's start."""
    overlap = min(OVERLAP_TOKENS, (sums[last] - sums[first]) / 4)
    earliest = max(first + 1, bisect_left(sums, sums[last] - 1.5 * overlap))
    return min(
        range(earliest, last),
        key=lambda i: (pieces[i].strength < SENTENCE, abs(sums[last] - sums[i] - overlap)),
        default=last,
    )
