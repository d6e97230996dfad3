"""Checks of a question that was written about a passage: each gives the reason to drop it, or ""."""

from __future__ import annotations

import re
from functools import lru_cache

from tui_eval.reading.folding import Folded, folded
from tui_eval.reading.numerals import numerals_in
from tui_eval.reading.quotes import LONGEST_QUOTE, find_quote, trimmed

ALIKE = 0.7
"""Jaccard similarity from which two texts are alike."""
FACT, FOLLOW_UP, COMPARISON, REASONING, UNANSWERABLE = "fact", "follow-up", "comparison", "reasoning", "unanswerable"
TYPES = (FACT, FOLLOW_UP, COMPARISON, REASONING, UNANSWERABLE)

_WORD = re.compile(r"\w+")
_CLOSE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f]")
_OR = "or|oder|ou|o|oppure|of|eller|czy|lub|или|чи|або|veya|atau|아니면|또는|או|أم|या"
_OR_JOINED = "または|それとも|还是|還是|或"


def quote_reason(quote: str, passage: str | Folded, document: str = "") -> str:
    """Why a quote does not bear an answer out: there is none, it is too long, or the passage, of a document, says otherwise."""
    trimmed_quote = trimmed(quote)
    if not trimmed_quote:
        return "it has no quote"
    if len(trimmed_quote) > LONGEST_QUOTE:
        return f"its quote has {len(trimmed_quote)} characters, {LONGEST_QUOTE} are the most"
    return "" if find_quote(quote, passage, document=document) else "its quote is not in the text"


def numbers_reason(answer: str, quote: str, passage: str) -> str:
    """Why an answer's numbers are not the passage's: one of them stands neither in the quote nor in it.

    1,000 and 1000 and 1.000 are one number; a minus, which is also a dash, is not looked at, nor are words for numbers.
    """
    for numeral in numerals_in(answer):
        value = numeral.value.lstrip("-")
        if value not in _magnitudes(quote) and value not in _magnitudes(passage):
            return f"the number {answer[numeral.start : numeral.end]} of its answer is not in the text"
    return ""


@lru_cache(maxsize=8)
def _magnitudes(text: str) -> frozenset[str]:
    return frozenset(numeral.value.lstrip("-") for numeral in numerals_in(text))


def told_reason(question: str, answer: str) -> str:
    """Why a question gives its answer away: the answer, or every word of a longer one, stands in it.

    Not where it offers the answer beside others ("… or …"), and not of answers such as yes, which have nothing to give away.
    """
    question_fold, answer_fold = folded(question).fold, folded(answer).fold.strip(" .!。．")
    if len(answer_fold) < (2 if _CLOSE.search(answer_fold) or answer_fold.isdigit() else 4):
        return ""
    bounds = ("", "") if _CLOSE.search(answer_fold) else (r"(?<!\w)", r"(?!\w)")
    if answer_fold not in question_fold or not re.search(bounds[0] + re.escape(answer_fold) + bounds[1], question_fold):
        words = _WORD.findall(answer_fold)
        return (
            "the question has every word of its answer"
            if len(words) > 3 and set(words) <= set(_WORD.findall(question_fold))
            else ""
        )
    plain = re.escape(answer_fold)
    offered = rf"\b(?:{_OR}) (?:\w+ )?{plain}|{plain},? (?:{_OR})\b"
    joined = rf"(?:{_OR_JOINED}){plain}|{plain}[、,]?(?:{_OR_JOINED})"
    return "" if re.search(f"{offered}|{joined}", question_fold) else "the question says its answer"


def alike(first: str, second: str) -> bool:
    """Return whether the words of two texts, or their characters by threes, have a Jaccard similarity of at least `ALIKE`.

    Where words are not divided by blanks, the characters alone.
    """
    return jaccard(_words(first), _words(second)) >= ALIKE or jaccard(_threes(first), _threes(second)) >= ALIKE


def has_no_blanks(text: str) -> bool:
    """Return whether a text is of a script that does not divide words by blanks."""
    return bool(_CLOSE.search(text))


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets; 0 where both are empty."""
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def _words(question: str) -> frozenset[str]:
    fold = folded(question).fold
    return frozenset() if _CLOSE.search(fold) else frozenset(_WORD.findall(fold))


def _threes(question: str) -> frozenset[str]:
    plain = "".join(_WORD.findall(folded(question).fold))
    return frozenset(plain[i : i + 3] for i in range(len(plain) - 2)) or frozenset([plain] if plain else [])
