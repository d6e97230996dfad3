"""The passages that conversations are written about: chosen evenly over documents and their pages, by a seed."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from tui_eval.core.document_text import PAGE_BREAK, page_spans
from tui_eval.reading.passages import Passage, passages_of

PAGE_CHARACTERS = 3_000
"""What counts as a page of a text without pages."""
FEWEST, MOST = 4, 60
PAGES_EACH = 4
"""Pages for one conversation, where their number is left open."""
TRIES = 3
MOST_TIMES = 2
"""Conversations about one passage."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one conversation: a band of a document's pages, with the passages to be tried in it."""

    document: int
    """The index of its text."""
    number: int
    """Counted from 1 within its document."""
    first_page: float
    last_page: float
    """Where its band begins and ends: page 3 goes from 3.0 to 4.0; in a text without pages one has 3,000 characters."""
    passages: tuple[Passage, ...]
    """One to `TRIES` of them, the first to begin with. All reach into the band, unless no passage that is left does."""


def default_conversations(pages: float) -> int:
    """Return the number of conversations for so many pages of documents: one for four pages, 4 to 60 (METHOD.md 6)."""
    return max(FEWEST, min(MOST, int(pages / PAGES_EACH)))


def page_count(text: str) -> int:
    """The pages of a text; one without pages has one for every 3,000 characters it begins."""
    return text.count(PAGE_BREAK) + 1 if PAGE_BREAK in text else max(1, -(-len(text) // PAGE_CHARACTERS))


def shares(lengths: Sequence[int], room: Sequence[int], conversations: int) -> list[int]:
    """Return the number of conversations of each document: by its length, at least one each, at most what it has room for.

    The sum is `conversations`, or less where there is not so much room. Where there are more documents than conversations, the
    longest get one.
    """
    order = sorted((i for i in range(len(lengths)) if room[i]), key=lambda i: (-lengths[i], i))
    counts = [0] * len(lengths)
    for i in order[:conversations]:
        counts[i] = 1
    for _ in range(conversations - sum(counts)):
        free = [i for i in order if counts[i] < room[i]]
        if not free:
            break
        neediest = max(free, key=lambda i: (lengths[i] / (counts[i] + 0.5), -i))
        counts[neediest] += 1
    return counts


def slots(
    texts: Sequence[str], conversations: int, seed: str | int, left_out: Sequence[Sequence[tuple[int, int]] | None] = ()
) -> list[Slot]:  # fmt: skip
    """Return the slots of so many conversations: each document in equal bands of pages, a slot in each, in order.

    Within a band the passages come in an order that only the seed and their words decide; none is in more than
    `MOST_TIMES` slots, further tries counted. There are fewer slots than wanted where there are too few passages.
    `left_out`: of each text where contents and their like lie, if that was written down.
    """
    passage_lists = [passages_of(text, spans) for text, spans in zip(texts, left_out or [None] * len(texts), strict=True)]
    counts = shares(
        [page_count(text) for text in texts], [MOST_TIMES * len(passages) for passages in passage_lists], conversations
    )
    return [
        slot
        for i, (text, passages, number) in enumerate(zip(texts, passage_lists, counts, strict=True))
        if number
        for slot in _slots_of(i, text, passages, number, str(seed))
    ]


@dataclass(frozen=True, slots=True)
class _SlotCandidate:
    """A passage, where it begins and ends in pages and parts of a page, and its lot."""

    passage: Passage
    start: float
    end: float
    lot: bytes

    def distance(self, band: tuple[float, float]) -> float:
        """Return the distance of its middle from a band; 0 within it."""
        middle = (self.start + self.end) / 2
        return max(0.0, band[0] - middle, middle - band[1])

    def touches(self, band: tuple[float, float]) -> bool:
        """Return whether some of it lies within a band."""
        return self.start < band[1] and self.end > band[0]


def _slots_of(document: int, text: str, passages: list[Passage], number: int, seed: str) -> list[Slot]:
    """The slots of one document. First each gets its first passage, then each a second: no try takes another's first."""
    candidates = _candidates(text, passages, seed)
    touching = _touching(candidates)
    pages = page_count(text)
    bands = [(1 + pages * i / number, 1 + pages * (i + 1) / number) for i in range(number)]
    uses = dict.fromkeys((passage.number for passage in passages), 0)
    passages_by_band: list[list[Passage]] = [[] for _ in bands]
    for attempt in range(TRIES):
        for band, mine in zip(bands, passages_by_band, strict=True):
            own = {passage.number for passage in mine}

            def is_free(candidate: _SlotCandidate, own: Collection[int] = own) -> bool:
                return uses[candidate.passage.number] < MOST_TIMES and candidate.passage.number not in own

            free = list(filter(is_free, touching(band)))
            if not attempt and not free:
                free = list(filter(is_free, candidates))
            if free:
                best = min(
                    free, key=lambda candidate: (candidate.distance(band), uses[candidate.passage.number], candidate.lot)
                )
                mine.append(best.passage)
                uses[best.passage.number] += 1
    numbered_bands = enumerate(zip(bands, passages_by_band, strict=True), 1)
    return [Slot(document, n, band[0], band[1], tuple(mine)) for n, (band, mine) in numbered_bands]


def _touching(candidates: Sequence[_SlotCandidate]) -> Callable[[tuple[float, float]], Iterator[_SlotCandidate]]:
    """Return a function that yields the candidates that touch a band, in their order, without a look at all of them."""
    first_starts = list(accumulate(reversed([candidate.start for candidate in candidates]), min))[::-1]
    last_ends = list(accumulate((candidate.end for candidate in candidates), max))

    def touching(band: tuple[float, float]) -> Iterator[_SlotCandidate]:
        few = islice(candidates, bisect_right(last_ends, band[0]), bisect_left(first_starts, band[1]))
        return (candidate for candidate in few if candidate.touches(band))

    return touching


def _candidates(text: str, passages: list[Passage], seed: str) -> list[_SlotCandidate]:
    """The passages with their places and a lot each: a hash of the seed and their words."""
    spans = page_spans(text)
    starts = [start for start, _ in spans]

    def place(offset: int) -> float:
        if len(spans) == 1:
            return 1 + offset / PAGE_CHARACTERS
        page = bisect_right(starts, offset)
        start, end = spans[page - 1]
        return page + min(1.0, (offset - start) / max(1, end - start))

    return [
        _SlotCandidate(passage, place(passage.start), place(passage.end - 1), _lot(seed, passage.text)) for passage in passages
    ]


def _lot(seed: str, text: str) -> bytes:
    return hashlib.blake2b(f"{seed}\n{text}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
