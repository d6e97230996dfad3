"""The page of a document that a question rests on, as text to read, and where in it the quote stands."""

from __future__ import annotations

from dataclasses import dataclass

from tui_eval.core.conversations import GroundingDocument, Turn
from tui_eval.core.document_text import PAGE_BREAK, page_at, pages_of
from tui_eval.reading.quotes import find_quote
from tui_eval.tui.flowing import flowing
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line

AROUND = 4_000
"""Characters that are shown on either side of a quote in a document without pages."""


@dataclass(frozen=True, slots=True)
class QuotedPage:
    """What is shown beside a question."""

    title: str
    text: str
    start: int = 0
    end: int = 0
    """Where the quote stands in the text; the same as `start` where it does not."""
    missing: bool = False
    """Whether there is a quote that does not stand in the text."""


def quoted_page(turn: Turn, document: GroundingDocument | None) -> QuotedPage:
    """The page of a turn, else the part of the document around its quote. Safe text."""
    if document is None:
        return QuotedPage("no document belongs to this question", "")
    name = safe_line(document.filename, 60)
    if not document.text:
        return QuotedPage(f"{name}: an image, which has no text", "")
    pages, number = pages_of(document.text), turn.page
    if len(pages) == 1 or number is None or not 1 <= number <= len(pages):
        return _without_pages(turn, document.text.replace(PAGE_BREAK, "\n"), name)
    found = _marked(turn.quote, pages[number - 1])
    if found is None and number < len(pages):  # a quote may end on the next page
        found = _marked(turn.quote, f"{pages[number - 1]}\n{pages[number]}")
    text, start, end = found or (safe(pages[number - 1][:LONGEST_TEXT]), 0, 0)
    missing = "" if found or not turn.quote else ": the quote is not on it"
    return QuotedPage(f"{name}, page {number} of {len(pages)}{missing}", flowing(text), start, end, bool(missing))


def page_of_dropped(quote: str, document: GroundingDocument | None) -> QuotedPage:
    """The same of a question that was dropped: the page on which its quote stands word for word, if one does."""
    text = "" if document is None else document.text
    at = text.find(quote) if quote else -1
    if document is None or at >= 0:
        page = page_at(text, at) if PAGE_BREAK in text else None
        return quoted_page(Turn(id="", question="", ground_truth="", quote=quote, page=page), document)
    said = "the quote is nowhere in it, as it stands" if quote else "there is no quote"
    return QuotedPage(f"{safe_line(document.filename, 60)}: {said}", "", missing=bool(quote))


def _without_pages(turn: Turn, text: str, name: str) -> QuotedPage:
    at = text.find(turn.quote) if turn.quote else -1
    span = (at, at + len(turn.quote)) if at >= 0 else _found(turn.quote, text)
    if span is None:
        missing = ": the quote is not in it" if turn.quote else ""
        return QuotedPage(f"{name}{missing}", safe(text[: 2 * AROUND]), missing=bool(missing))
    begin = max(span[0] - AROUND, 0)
    before, said = safe(text[begin : span[0]]), safe(text[span[0] : span[1]])
    return QuotedPage(name, before + said + safe(text[span[1] : span[1] + AROUND]), len(before), len(before) + len(said))


def _found(quote: str, text: str) -> tuple[int, int] | None:
    where = find_quote(quote, text) if quote and len(text) <= LONGEST_TEXT else None
    return None if where is None else (where.start, where.end)


def _marked(quote: str, page: str) -> tuple[str, int, int] | None:
    where = find_quote(quote, page) if quote else None
    if where is None:
        return None
    before, said = safe(page[: where.start]), safe(page[where.start : where.end])
    return (before + said + safe(page[where.end :]))[:LONGEST_TEXT], len(before), len(before) + len(said)
