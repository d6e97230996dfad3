"""Options whose text is a letter, such as grades and notes: a label with its own text behind it is one answer, not two."""

from __future__ import annotations

import re

from tui_eval.reading.letters.outcome import Question

_PAIR = re.compile(
    r"(?<![\w'’&/])(?:[(\[{\"']{1,2}(?=[A-Z][)\]}\"']))?(?P<label>[A-Z])(?:[\"'”’](?=:))?"
    r"(?:[)\]}.:\"']{0,3} ?[-–—=:]|[)\]}.:]{1,2}|,| ?(?=[(\[])|"
    r" is) ?[(\[\"'“‘]?(?P<text>\w)[)\]\"'”’]?(?![\w'’])"
)


def without_own_letters(text: str, question: Question) -> str:
    """Return the text with `C` in place of `C) D`, `C: D` or `C (D)` where D is the whole text of option C."""
    if not any(len(option) == 1 and option.isascii() for option in question.texts):
        return text
    return _PAIR.sub(lambda pair: pair["label"] if _is_own(pair, question) else pair[0], text)


def is_shared(text: str, letter: str, question: Question) -> bool:
    """Whether a label that stands in a text without its own text behind it is the text of another option."""
    others = (option for label, option in zip(question.labels, question.texts, strict=False) if label != letter)
    if letter.casefold() not in others:
        return False
    return not any(pair["label"] == letter and _is_own(pair, question) for pair in _PAIR.finditer(text))


def _is_own(pair: re.Match[str], question: Question) -> bool:
    at = question.labels.find(pair["label"])
    return 0 <= at < len(question.texts) and question.texts[at] == pair["text"].casefold()
