"""The text of a document as one string: its pages, divided by form feeds, and where in it a page lies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

PAGE_BREAK = "\f"
_LINE_END = re.compile("\r\n?")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class DroppedLine:
    """A running head or foot that was left out of a page; pages count from 1."""

    page: int
    text: str


@dataclass(frozen=True, slots=True)
class DocumentText:
    """What a document says."""

    name: str
    text: str
    """All of it, with a form feed between pages, and none elsewhere."""
    pages: int
    """How many pages it has; 0 where it has none, such as a web page or a Markdown file."""
    notes: tuple[str, ...] = ()
    """What a person is to know of how it was read, a sentence each, without the name."""
    dropped_lines: tuple[DroppedLine, ...] = ()
    """Every running head and foot that is not in the text, in the order of the pages."""


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
    return text.count(PAGE_BREAK, 0, offset) + 1


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
    """How many characters a text has, white space not counted."""
    return sum(map(len, text.split()))
