"""The text of a document as one string: its pages, divided by form feeds, and where in it a page lies."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

PAGE_BREAK = "\f"
_LINE_END = re.compile("\r\n?")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_HALVES = re.compile("[\ud800-\udfff]")


RUNNING = "running head or foot"
"""What a stretch is called that stands on most pages at the same place: a title, a chapter, the page's number."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A stretch of a document that no passage for questions has: text[start:end]. Models are shown it all the same."""

    page: int
    """Counted from 1."""
    start: int
    end: int
    what: str = RUNNING


def left_out_entry(text: str, stretch: LeftOut) -> dict[str, str | int]:
    """Such a stretch as files list it, with its words."""
    return {
        "page": stretch.page,
        "start": stretch.start,
        "end": stretch.end,
        "what": stretch.what,
        "text": text[stretch.start : stretch.end],
    }


@dataclass(frozen=True, slots=True)
class DocumentText:
    """Text of a document."""

    name: str
    text: str
    """All of it, with a form feed between pages, and none elsewhere."""
    pages: int
    """How many pages it has; 0 where it has none, such as a web page or a Markdown file."""
    notes: tuple[str, ...] = ()
    """What a person is to know of how it was read, a sentence each, without the name."""
    running: tuple[LeftOut, ...] = ()
    """Its running heads and feet, in the order of the text."""
    hidden: tuple[str, ...] = ()
    """What a web page hides, and its text has not."""


@dataclass(frozen=True, slots=True)
class Lean:
    """A text without some stretches of it, with the way back to the whole."""

    text: str
    _starts: tuple[int, ...] = field(repr=False)
    """Where in `text` each part begins that stands in the whole without a gap."""
    _places: tuple[int, ...] = field(repr=False)
    """Where in the whole it begins."""

    def place(self, at: int) -> int:
        """Return the place in the whole of the character at an offset."""
        part = max(bisect_right(self._starts, at) - 1, 0)
        return self._places[part] + at - self._starts[part]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the whole of text[start:end], of at least one character."""
        return self.place(start), self.place(end - 1) + 1

    def inside(self, at: int) -> int:
        """Return the place in `text` of a character by its offset in the whole; of one left out, that of the next one kept."""
        part = max(bisect_right(self._places, at) - 1, 0)
        after = self._starts[part + 1] if part + 1 < len(self._starts) else len(self.text)
        return min(self._starts[part] + max(at - self._places[part], 0), after)

    def parts(self, start: int, end: int) -> list[tuple[int, int]]:
        """The same in parts, between which stands what was left out; white space alone is none."""
        inner = [at for at in self._starts[bisect_right(self._starts, start) :] if at < end]
        cuts = pairwise([start, *inner, end])
        return [self.span(first, last) for first, last in cuts if self.text[first:last].strip()]


def without_running(text: str, left_out: Sequence[LeftOut]) -> Lean:
    """A text without its running heads and feet, and their line ends; no page begins or ends with an empty line for their sake.

    `left_out`: what passages leave out; anything but heads and feet stays.
    """
    parts: list[str] = []
    starts, places, size = [0], [0], 0
    for start, end in _spans_that_stay(text, left_out):
        if start == end:
            continue
        if parts and places[-1] + size - starts[-1] == start:
            parts.append(text[start:end])
        else:
            if parts:
                starts.append(size)
                places.append(start)
            else:
                places[-1] = start
            parts.append(text[start:end])
        size += end - start
    return Lean("".join(parts), tuple(starts), tuple(places))


def _spans_that_stay(text: str, left_out: Sequence[LeftOut]) -> Iterator[tuple[int, int]]:
    """Yield the spans that stay, stretch by stretch, each page with the form feed behind it as one of its own."""
    spans = page_spans(text)
    running = sorted((stretch.start, stretch.end) for stretch in left_out if stretch.what == RUNNING)
    for number, (first, last) in enumerate(spans, start=1):
        own = running[bisect_left(running, (first,)) : bisect_right(running, (last,))]
        gone = [(start, end) for start, end in own if start < end <= last]
        yield from _page_without(text, first, last, gone) if gone else [(first, last)]
        if number < len(spans):
            yield last, last + 1


def _page_without(text: str, first: int, last: int, gone: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    spans = []
    for start, end in gone:
        spans.append((first, max(start, first)))
        first = max(first, end + 1 if end < last and text[end] == "\n" else end)
    spans = [(start, end) for start, end in [*spans, (first, last)] if start < end]
    while spans and not text[spans[0][0] : spans[0][1]].strip("\n"):
        del spans[0]
    while spans and not text[spans[-1][0] : spans[-1][1]].strip("\n"):
        del spans[-1]
    if spans:
        start, end = spans[0]
        spans[0] = (end - len(text[start:end].lstrip("\n")), end)
        start, end = spans[-1]
        spans[-1] = (start, start + len(text[start:end].rstrip("\n")))
    return spans


def joined(pages: Sequence[str]) -> str:
    """Pages as one text; `pages_of` takes it apart again. ValueError of a page that holds a form feed."""
    if any(PAGE_BREAK in page for page in pages):
        raise ValueError("a form feed within a page")
    return PAGE_BREAK.join(pages)


def pages_of(text: str) -> list[str]:
    """The pages of a text, at least one: page n of the document is at n - 1."""
    return text.split(PAGE_BREAK)


def page_at(text: str, offset: int) -> int:
    """The page, counted from 1, on which the character at `offset` stands; a form feed belongs to the page it ends.

    ValueError outside 0 … len(text).
    """
    if not 0 <= offset <= len(text):
        raise ValueError(f"offset {offset} outside a text of {len(text)} characters")
    return bisect_right(_page_starts(text), offset)


def page_start(text: str, page: int) -> int:
    """The offset at which a page begins, counted from 1. IndexError where there is none."""
    return _page_starts(text)[page - 1]


@lru_cache(maxsize=4)
def _page_starts(text: str) -> Sequence[int]:
    return [start for start, _ in page_spans(text)]


def page_spans(text: str) -> list[tuple[int, int]]:
    """Of each page where it starts and ends in the text, so that text[start:end] is the page."""
    spans, start = [], 0
    for page in pages_of(text):
        spans.append((start, start + len(page)))
        start += len(page) + 1
    return spans


def plain(text: str) -> str:
    """Text as it may be kept: line ends as \\n, control characters but tab and form feed taken out, no half of a character.

    Nothing else changes: ligatures, hyphens at line ends and odd blanks stay as the document has them.
    """
    text = _LINE_END.sub("\n", text)
    if _HALVES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROL.sub("", text)


def plain_page(text: str) -> str:
    """The same of one page, in which a form feed is no page's end: it becomes a line's."""
    return plain(text).replace(PAGE_BREAK, "\n")


def letters_in(text: str) -> int:
    """Return the number of characters of a text, white space not counted."""
    return sum(map(len, text.split()))
