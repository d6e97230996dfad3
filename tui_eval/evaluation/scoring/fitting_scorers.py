"""Scorers that fit the right answers of a set: numbers, JSON, letters, short texts, long ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tui_eval.core.calls import Json
from tui_eval.datasets.field_values import FieldError, strict_json
from tui_eval.evaluation.scoring.number_formats import number_in
from tui_eval.evaluation.scoring.text_folding import squad_words

MOST_SHORT = 12
"""Words of a short answer; the median of a set's answers decides."""
_AROUND = " \n$€£%."
LETTERS = frozenset("ABCDEFGHIJ")


@dataclass(frozen=True, slots=True)
class Fitting:
    """Scorers that fit the replies of a set, the headline first, and why."""

    scorers: tuple[Json, ...]
    """Names or tables, as a config has them."""
    why: str
    """What the right answers are, in a few words."""
    keys: tuple[str, ...] = ()
    """Of JSON objects the keys that they have, in their order."""
    short: bool = False
    """Whether the whole reply is compared with a short text, so that a prompt should ask for one."""
    words: int = 0
    """Of long texts the median of their words."""


def fitting_scorers(targets: Sequence[Sequence[str] | None]) -> Fitting | None:
    """Return what fits right answers, each a list of them as a sample has it; None where none is known.

    A reply that gives the first right answer, and nothing else, is right by all of these.
    """
    target_lists = [each for each in targets if each]
    if not target_lists:
        return None
    every = [text for each in target_lists for text in each]
    if (objects := _objects(every)) is not None:
        keys = tuple(dict.fromkeys(key for each in objects if isinstance(each, dict) for key in each))
        return Fitting(({"use": "json", "equal": True},), "JSON", keys)
    if all(map(_is_number, every)):
        marked = all("####" in text for text in every)
        return Fitting(("number",), "numbers behind ####" if marked else "numbers")
    if {text.strip() for text in every} <= LETTERS:
        n = max(ord(text.strip()) for text in every) - ord("A") + 1
        return Fitting(({"use": "choice", "n_options": max(n, 4)},), "letters")
    return _of_words(target_lists, any(each is not None and not each for each in targets))


def _of_words(target_lists: Sequence[Sequence[str]], may_be_none: bool) -> Fitting:
    """Return the scorers that fit right answers in words; `may_be_none`: of some sample none is right."""
    words = median(min(len(squad_words(text)) for text in each) for each in target_lists)
    if words > MOST_SHORT:
        return Fitting(("rouge_l",), "long texts", words=round(words))
    if may_be_none or any(len(each) > 1 for each in target_lists):
        return Fitting(("f1", "em"), "lists of short texts", short=True)
    return Fitting(("contains", "f1"), "short texts")


def _is_number(text: str) -> bool:
    """Return whether a right answer is a number: alone, or the end of a worked solution."""
    number = number_in(text, "en", percent=False)
    if number.value is None:
        return False
    return "####" in text or "\\boxed" in text or text.strip(_AROUND) == number.token.strip(_AROUND)


def _objects(texts: Sequence[str]) -> list[object] | None:
    """The texts as JSON, where each is an object or a list; else None."""
    values = []
    for text in texts:
        if text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            values.append(strict_json(text))
        except FieldError:
            return None
    return values
