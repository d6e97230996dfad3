"""The page of a document that a question rests on, reflowed to the width, with the quote and what passages left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tui_eval.core.conversations import GroundingDocument, Turn
from tui_eval.core.document_text import PAGE_BREAK, page_at, page_spans, without_running
from tui_eval.reading.quotes import find_quote
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.widgets.inspector import Section, Span
from tui_eval.tui.widgets.lines import Piece

FULL = 0.75
"""How much of the longest line another must have to be one that was broken because it was full."""
LEAST = 50
"""Characters that the longest line must have: shorter ones are no prose."""
_COLUMNS = re.compile(r"\S(?: {3,}|\t)\s*\S|[│|]")
"""Of a line that is a row of a table."""
_ITEM = re.compile(r"\s*(?:[-–—•*·▪]|\(?\w{1,3}[.)]|\d+\s)\s*\S")
"""The beginning of an entry in a list, or of a numbered heading."""
_ENDS = (".", "!", "?", ":", ";", "…")
_WITHOUT_BLANKS = "\u2e80"
"""From here on are the scripts that put no blank between words, nor where a line was broken."""


def flowing(page: str) -> str:
    """The same text, of the same length: a blank stands for the end of each line that was only full.

    Rows of tables, entries of lists, headings and the last lines of paragraphs stay lines, as far as their looks tell.
    """
    lines = page.split("\n")
    longest = max(map(len, lines))
    if longest < LEAST:
        return page
    pieces = [lines[0]]
    for line, after in pairwise(lines):
        pieces += [" " if _goes_on(line, after, longest) else "\n", after]
    return "".join(pieces)


def _goes_on(line: str, after: str, longest: int) -> bool:
    current, following = line.rstrip(), after.strip()
    if not following or len(current) < FULL * longest or _COLUMNS.search(current) or _COLUMNS.search(following):
        return False
    if current[-1] >= _WITHOUT_BLANKS or following[0] >= _WITHOUT_BLANKS or (_ITEM.match(after) and not current[-1].isalpha()):
        return False
    return not (current.endswith(_ENDS) and len(current) < 0.9 * longest and not following[0].islower())


AROUND = 4_000
"""Characters that are shown on either side of a quote in a document without pages."""


@dataclass(frozen=True, slots=True)
class QuotedPage:
    """Page that is shown beside a question."""

    title: str
    text: str
    start: int = 0
    end: int = 0
    """Where the quote stands in the text; the same as `start` where it does not."""
    missing: bool = False
    """Whether there is a quote that does not stand in the text."""
    struck: tuple[Span, ...] = ()
    """What of the text no passage had that questions were asked about."""

    @property
    def heading(self) -> tuple[Piece, ...]:
        """The line above it."""
        return ((f"── {self.title}", "warn" if self.missing else "dim"),)

    @property
    def sections(self) -> tuple[Section, ...]:
        """Its text, the quote marked; none where it has none."""
        marks = ((self.start, self.end),) if self.end > self.start else ()
        return (Section("", self.text, marks=marks, struck=self.struck),) if self.text else ()


def quoted_page(turn: Turn, document: GroundingDocument | None) -> QuotedPage:
    """The page of a turn, with the next one where its quote ends there, else the part of the document around its quote. Safe
    text."""
    if document is None:
        return QuotedPage("no document belongs to this question", "")
    name = safe_line(document.filename, 60)
    if not document.text:
        return QuotedPage(f"{name}: an image, which has no text", "")
    spans, number = page_spans(document.text), turn.page
    if len(spans) == 1 or number is None or not 1 <= number <= len(spans):
        return _without_pages(turn, document.text.replace(PAGE_BREAK, "\n"), name)
    span = _place(turn, document, spans)
    first, last = (number, number) if span is None else (page_at(document.text, span[0]), page_at(document.text, span[1]))
    missing = ": the quote is not on it" if turn.quote and span is None else ""
    pages = f"page {first}" if first == last else f"pages {first} and {last}"
    excerpt = _excerpt(document, (spans[first - 1][0], spans[last - 1][1]), span)
    return QuotedPage(f"{name}, {pages} of {len(spans)}{missing}", *excerpt[:3], bool(missing), excerpt[3])


def page_of_dropped(quote: str, document: GroundingDocument | None) -> QuotedPage:
    """The same of a question that was dropped: the page on which its quote stands word for word, if one does."""
    text = "" if document is None else document.text
    at = text.find(quote) if quote else -1
    if document is None or at >= 0:
        page = page_at(text, at) if PAGE_BREAK in text else None
        return quoted_page(Turn(id="", question="", ground_truth="", quote=quote, page=page), document)
    reason = "the quote is nowhere in it, as it stands" if quote else "there is no quote"
    return QuotedPage(f"{safe_line(document.filename, 60)}: {reason}", "", missing=bool(quote))


def _place(turn: Turn, document: GroundingDocument, spans: Sequence[Span]) -> Span | None:
    """From where to where a quote stands in the document: where its offsets say so, on its page, or from there over its end."""
    text, number = document.text, turn.page or 1
    if turn.quote_at and turn.quote_at[-1][1] <= len(text):
        return turn.quote_at[0][0], turn.quote_at[-1][1]
    start, end = spans[number - 1]
    if quote_span := _find_span(turn.quote, text[start:end]):
        return start + quote_span[0], start + quote_span[1]
    if number < len(spans):
        start, end = spans[number - 1][0], spans[number][1]
        if quote_span := _find_span(turn.quote, text[start:end]):
            return start + quote_span[0], start + quote_span[1]
    if number < len(spans) and document.left_out:
        lean = without_running(text, document.left_out)
        pages = page_spans(lean.text)
        start, end = pages[number - 1][0], pages[number][1]
        if quote_span := _find_span(turn.quote, lean.text[start:end]):
            return lean.span(start + quote_span[0], start + quote_span[1])
    return None


def _excerpt(
    document: GroundingDocument, pages: Span, quote: Span | None
) -> tuple[str, int, int, tuple[Span, ...]]:  # fmt: skip
    """A stretch of a document as safe text, and where in it the quote and what was left out stand."""
    first, last = pages
    gone = [(passage.start, passage.end) for passage in document.left_out if first <= passage.start < passage.end <= last]
    cuts = sorted({first, last, *(quote or ()), *(at for span in gone for at in span)})
    places, parts, size = {first: 0}, [], 0
    for start, end in pairwise(cuts):
        parts.append(safe(document.text[start:end].replace(PAGE_BREAK, "\n")))
        size += len(parts[-1])
        places[end] = size
    text = flowing("".join(parts)[:LONGEST_TEXT])
    struck = tuple((places[start], places[end]) for start, end in gone)
    return text, *((places[quote[0]], places[quote[1]]) if quote else (0, 0)), struck


def _without_pages(turn: Turn, text: str, name: str) -> QuotedPage:
    at = text.find(turn.quote) if turn.quote else -1
    span = (at, at + len(turn.quote)) if at >= 0 else _find_span(turn.quote, text)
    if span is None:
        missing = ": the quote is not in it" if turn.quote else ""
        return QuotedPage(f"{name}{missing}", safe(text[: 2 * AROUND]), missing=bool(missing))
    begin = max(span[0] - AROUND, 0)
    before, quote = safe(text[begin : span[0]]), safe(text[span[0] : span[1]])
    return QuotedPage(name, before + quote + safe(text[span[1] : span[1] + AROUND]), len(before), len(before) + len(quote))


def _find_span(quote: str, text: str) -> Span | None:
    where = find_quote(quote, text) if quote and len(text) <= LONGEST_TEXT else None
    return None if where is None else (where.start, where.end)
