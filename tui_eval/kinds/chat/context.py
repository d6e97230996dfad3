"""The parts of a document that models see with each question: all of it, what a search finds, quoted pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from tui_eval.core.conversations import Turn
from tui_eval.core.document_text import PAGE_BREAK, page_at, pages_of
from tui_eval.reading.passages import passages_of
from tui_eval.reading.retrieval import best_passages

Shown = Literal["document", "retrieved", "passages", "none"]
RETRIEVED = 8
"""How many passages are shown of a document that is searched."""


def shown_of(text: str, turns: Sequence[Turn], how: Shown) -> tuple[str, ...]:
    """By turn what is shown of a text, the same to all models; empty = nothing.

    A search goes by the questions so far. The pages are those that the quotes of any turn stand on; where none does, all.
    """
    if how == "none" or not text:
        return ("",) * len(turns)
    if how == "retrieved":
        passages = [_plain(passage.text) for passage in passages_of(text)] or [_plain(text)]
        asked = [" ".join(turn.question for turn in turns[: n + 1]) for n in range(len(turns))]
        return tuple("\n\n".join(passages[n] for n in best_passages(query, passages, RETRIEVED)) for query in asked)
    pages = pages_of(text) if how == "passages" and PAGE_BREAK in text else []
    quoted = sorted({page for turn in turns for page in _pages_of(turn, text) if page <= len(pages)})
    return ("\n\n".join(pages[page - 1] for page in quoted) or _plain(text),) * len(turns)


def _pages_of(turn: Turn, text: str) -> Iterable[int]:
    """The pages on which the quote of a turn stands: two where it runs over a page's end."""
    if turn.quote_at and turn.quote_at[-1][1] <= len(text):
        return range(page_at(text, turn.quote_at[0][0]), page_at(text, turn.quote_at[-1][1]) + 1)
    return (turn.page,) if turn.page else ()


def _plain(text: str) -> str:
    return text.replace(PAGE_BREAK, "\n\n")
