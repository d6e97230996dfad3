"""The context that models see with each question: the whole document, passages by BM25, or quoted pages."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from tui_eval.core.conversations import Turn
from tui_eval.core.document_text import PAGE_BREAK, page_at, pages_of
from tui_eval.reading.passages import passages_of

_K, _B = 1.2, 0.75
"""How soon a word that is repeated stops counting, and how far long passages are held back; the usual values."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
"""A word; of scripts without blanks each character."""


def best_passages(query: str, passages: Sequence[str], n: int) -> list[int]:
    """The places of the n passages that go best with the query, in the order of the text; all where there are no more.

    BM25 (Robertson and Zaragoza 2009) with idf = ln(1 + (N - df + 0.5) / (df + 0.5)); of equals the earlier one.
    """
    words = [Counter(_words(passage)) for passage in passages]
    lengths = [found.total() for found in words]
    usual = sum(lengths) / len(lengths) if any(lengths) else 1.0
    within = Counter(word for found in words for word in found)
    weight = {word: math.log(1 + (len(words) - df + 0.5) / (df + 0.5)) for word, df in within.items()}
    asked = list(dict.fromkeys(_words(query)))

    def score(place: int) -> float:
        held_back = _K * (1 - _B + _B * lengths[place] / usual)
        found = words[place]
        return sum(weight[word] * found[word] * (_K + 1) / (found[word] + held_back) for word in asked if found[word])

    return sorted(sorted(range(len(passages)), key=lambda place: (-score(place), place))[:n])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


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
