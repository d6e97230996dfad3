"""Checks of a question that was written about a passage: each gives the reason to drop it, or ""."""

from __future__ import annotations

import re

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
    said = trimmed(quote)
    if not said:
        return "it has no quote"
    if len(said) > LONGEST_QUOTE:
        return f"its quote has {len(said)} characters, {LONGEST_QUOTE} are the most"
    return "" if find_quote(quote, passage, document=document) else "its quote is not in the text"


def numbers_reason(answer: str, quote: str, passage: str) -> str:
    """Why an answer's numbers are not the passage's: one of them stands neither in the quote nor in it.

    1,000 and 1000 and 1.000 are one number; a minus, which is also a dash, is not looked at, nor are words for numbers.
    """
    known = _magnitudes(quote) | _magnitudes(passage)
    missing = [one for one in numerals_in(answer) if one.value.lstrip("-") not in known]
    return f"the number {answer[missing[0].start : missing[0].end]} of its answer is not in the text" if missing else ""


def _magnitudes(text: str) -> set[str]:
    return {one.value.lstrip("-") for one in numerals_in(text)}


def told_reason(question: str, answer: str) -> str:
    """Why a question gives its answer away: the answer, or every word of a longer one, stands in it.

    Not where it offers the answer beside others ("… or …"), and not of answers such as yes, which have nothing to give away.
    """
    asked, said = folded(question).fold, folded(answer).fold.strip(" .!。．")
    if len(said) < (2 if _CLOSE.search(said) or said.isdigit() else 4):
        return ""
    bounds = ("", "") if _CLOSE.search(said) else (r"(?<!\w)", r"(?!\w)")
    if said not in asked or not re.search(bounds[0] + re.escape(said) + bounds[1], asked):
        words = _WORD.findall(said)
        return "the question has every word of its answer" if len(words) > 3 and set(words) <= set(_WORD.findall(asked)) else ""
    plain = re.escape(said)
    offered = rf"\b(?:{_OR}) (?:\w+ )?{plain}|{plain},? (?:{_OR})\b"
    joined = rf"(?:{_OR_JOINED}){plain}|{plain}[、,]?(?:{_OR_JOINED})"
    return "" if re.search(f"{offered}|{joined}", asked) else "the question says its answer"


def alike(one: str, other: str) -> bool:
    """Whether the words of two texts, or their characters by threes, have a Jaccard similarity of at least `ALIKE`; where words
    are not divided by blanks, the characters alone."""
    return jaccard(_words(one), _words(other)) >= ALIKE or jaccard(_threes(one), _threes(other)) >= ALIKE


def has_no_blanks(text: str) -> bool:
    """Whether a text is of a script that does not divide words by blanks."""
    return bool(_CLOSE.search(text))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """What two sets share, of all that is in either; 0 where both are empty."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def _words(question: str) -> frozenset[str]:
    fold = folded(question).fold
    return frozenset() if _CLOSE.search(fold) else frozenset(_WORD.findall(fold))


def _threes(question: str) -> frozenset[str]:
    plain = "".join(_WORD.findall(folded(question).fold))
    return frozenset(plain[i : i + 3] for i in range(len(plain) - 2)) or frozenset([plain] if plain else [])
