"""Which passages go best with a question, by the words they share: BM25."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

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
