"""The check that an edited turn still rests on its document: its quote stands there, on the page that it names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tui_eval.core.conversations import GroundingDocument, Turn
from tui_eval.core.document_text import PAGE_BREAK, pages_of, without_running
from tui_eval.reading.folding import Folded, folded
from tui_eval.reading.quotes import LONGEST_QUOTE, Found, find_quote, trimmed
from tui_eval.tui.sanitize import safe_line


class QuoteCheck:
    """One document; it is folded once, however often a quote is looked for, as it is at every key."""

    def __init__(self, document: GroundingDocument) -> None:
        self._document = document
        self._name = safe_line(document.filename, 60)

    def fold(self) -> None:
        """Fold it now, which takes 0.2 s for a million characters: beside the keys, before one of them has to wait for it."""
        _ = self._pages if len(self._pages) > 1 else self._whole

    def problem(self, turn: Turn, before: Turn) -> str:
        """What is wrong with the quote and the page of a turn, in words; "" where nothing is, or neither was changed."""
        if (turn.quote, turn.page) == (before.quote, before.page) or not self._document.text:
            return ""
        pages = len(self._pages)
        if turn.page is not None and pages > 1 and not 1 <= turn.page <= pages:
            return f"[page] is {turn.page}; {self._name} has {pages}"
        return self._quote_problem(turn) if turn.quote else ""

    def _quote_problem(self, turn: Turn) -> str:
        size = len(trimmed(turn.quote))
        if size > LONGEST_QUOTE:
            return f"[quote] has {size} characters; it may have {LONGEST_QUOTE}"
        page, pages = turn.page, self._pages
        if page is None or len(pages) == 1:
            found = _stands(turn.quote, self._whole)
            return "" if found else self._nowhere
        if _stands(turn.quote, pages[page - 1]) or (page < len(pages) and self._ends_on_the_next(turn.quote, page)):
            return ""
        other = next((number for number, text in enumerate(pages, start=1) if _stands(turn.quote, text)), None)
        return self._nowhere if other is None else f"[quote] stands on page {other}, [page] is {page}"

    @property
    def _nowhere(self) -> str:
        return f"[quote] is not in {self._name}: it holds the document's own words, or nothing"

    @cached_property
    def _pages(self) -> Sequence[Folded]:
        return [folded(page) for page in pages_of(self._document.text)]

    @cached_property
    def _whole(self) -> Folded:
        return folded(self._document.text.replace(PAGE_BREAK, "\n"))

    @cached_property
    def _without_running(self) -> Sequence[str]:
        return pages_of(without_running(self._document.text, self._document.left_out).text)

    def _ends_on_the_next(self, quote: str, page: int) -> bool:
        """Whether a quote begins on a page and ends on the one behind it, be it without the running lines between."""
        for pages in ([one.original for one in self._pages], self._without_running):
            here, behind = pages[page - 1], pages[page]
            found = _place(quote, folded(f"{here}\n{behind}"))
            if found is not None and found.start < len(here):
                return True
        return False


def _stands(quote: str, page: Folded) -> bool:
    return _place(quote, page) is not None


def _place(quote: str, page: Folded) -> Found | None:
    """Where a quote stands word for word; faults of copying are a model's, not a person's."""
    return find_quote(quote, page, mend=False)
