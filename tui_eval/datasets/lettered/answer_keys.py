"""The option that the answer fields of a lettered question mean: people write letters, numbers, labels or whole texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.field_values import FieldError, plain_name, short_value, text_of

POSITION = ("answer_index", "answer_idx")
"""Fields that hold the number of an option, counted from 0, and nothing else."""
BARE_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")

_BETWEEN = re.compile(r"\s*[,;/&+]\s*|\s+and\s+|\s+")
_SMALL_NUMBER = re.compile(r"[0-9]{1,3}")


@dataclass(slots=True)
class AnswerKey:
    """Written answer to one question, field by field, and the options among which it picks."""

    choices: Sequence[str]
    labels: Sequence[str]
    """The names of the options; none where they have no names of their own."""
    answers: Sequence[tuple[str, object]]
    from_one: bool
    """The options stand in columns whose numbers begin at 1."""


def rests_on_convention(key: AnswerKey) -> bool:
    """Return whether what digits mean elsewhere in the file says what this answer means."""
    return any(isinstance(value, str) and _SMALL_NUMBER.fullmatch(value.strip()) for _, value in key.answers)


def convention_of(keys: Iterable[AnswerKey]) -> str:
    """Return what digits in text fields mean in this file: "position", "text" of an option, or "" where all could be either.

    A CSV file has no numbers, only digits, and options may be digits, too. People write one file one way, so a meaning that
    fits every question wins over one that fits only some.
    """
    pairs = (
        (key, value.strip())
        for key in keys
        for _, value in key.answers
        if isinstance(value, str) and _SMALL_NUMBER.fullmatch(value.strip()) and value.strip() not in key.labels
    )
    as_position = as_text = True
    for key, token in pairs:
        as_position = as_position and int(token) < len(key.choices)
        as_text = as_text and token in key.choices
    if as_position == as_text:
        return ""
    return "position" if as_position else "text"


def right_option(key: AnswerKey, convention: str) -> int:
    """The option that all answer fields can mean; one field may settle what another leaves open."""
    candidates = set(range(len(key.choices)))
    for column, value in key.answers:
        meanings = _meanings(key, column, value, convention)
        if not meanings:
            raise FieldError(f"{one_line(column)}: {_why_nothing(key, value)}")
        common = candidates & meanings
        if not common:
            before = " and ".join(f"{one_line(name)} {short_value(answer)}" for name, answer in key.answers if name != column)
            raise FieldError(f"{one_line(column)}: {short_value(value)} contradicts {before}")
        candidates = common
    if len(candidates) > 1:
        column, value = key.answers[0]
        options = " or ".join(
            f"option {ascii_uppercase[option]} ({short_value(key.choices[option])})" for option in sorted(candidates)
        )
        raise FieldError(
            f"{one_line(column)}: {short_value(value)} is ambiguous, it may mean {options}; "
            "add 'answer_index', counted from 0, to settle it"
        )
    return candidates.pop()


def _meanings(key: AnswerKey, column: str, value: object, convention: str) -> set[int]:
    """Every option that a written answer could mean: a number is a position, a text a label, a letter, digits or an option."""
    count = len(key.choices)
    if isinstance(value, int) and not isinstance(value, bool):
        labelled = {key.labels.index(str(value))} if plain_name(column) not in POSITION and str(value) in key.labels else set()
        return labelled | ({value} if 0 <= value < count else set())
    if not isinstance(value, (str, bool)):
        return set()
    token = text_of(value, column)
    if _SMALL_NUMBER.fullmatch(token) and (
        plain_name(column) in POSITION or (convention == "position" and token not in key.labels)
    ):
        return {int(token)} if int(token) < count else set()
    return _options_with_label(key, token, convention) | {option for option, text in enumerate(key.choices) if text == token}


def _options_with_label(key: AnswerKey, token: str, convention: str) -> set[int]:
    """The option whose label, position or letter a text is; none where it is nothing of these."""
    count = len(key.choices)
    letter = BARE_LETTER.fullmatch(token)
    if _SMALL_NUMBER.fullmatch(token):
        if token in key.labels:
            return {key.labels.index(token)}
        return {int(token)} if convention != "text" and int(token) < count else set()
    if token in key.labels or token.strip("()") in key.labels:
        return {key.labels.index(token if token in key.labels else token.strip("()"))}
    if letter and ascii_uppercase.index(letter.group(1).upper()) < count:
        return {ascii_uppercase.index(letter.group(1).upper())}
    return set()


def _several(key: AnswerKey, value: object) -> int:
    """Count the options a written answer names, where that is more than one: a list, or letters with signs between them."""
    if isinstance(value, list):
        return len(value)
    parts = _BETWEEN.split(value.strip()) if isinstance(value, str) else []
    letters = [part for part in parts if (letter := BARE_LETTER.fullmatch(part)) and _is_one(key, letter.group(1))]
    return len(parts) if len(letters) == len(parts) > 1 else 0


def _is_one(key: AnswerKey, letter: str) -> bool:
    return ascii_uppercase.index(letter.upper()) < len(key.choices)


def _why_nothing(key: AnswerKey, value: object) -> str:
    if (several := _several(key, value)) > 1:
        return (
            f"{several} right options ({short_value(value)}); a multiple-choice question has one: keep only questions with one"
        )
    count = len(key.choices)
    last = ascii_uppercase[count - 1]
    token = str(value).strip() if isinstance(value, (str, int)) else ""
    if token.lstrip("-").isdecimal():
        wrong = "is one too many" if token == str(count) else "is not an option"
        return f"{short_value(token)} {wrong}: numbers count from 0, here to {count - 1}; letters (A to {last}) are safer"
    shown_value, numbers = short_value(value), f"a number from 0 to {count - 1}"
    return f"{shown_value} is neither a letter from A to {last}, nor {numbers}, nor the text of an option"


def refuse_unclear_start(keys: Iterable[AnswerKey], name: str) -> None:
    """Columns numbered from 1 and answers that are numbers: unless one of them is 0, they may count from 1 as well."""
    numbers = [
        str(value).strip()
        for key in keys
        if key.from_one and len(key.answers) == 1
        for _, value in key.answers
        if isinstance(value, (str, int)) and str(value).strip().isdecimal()
    ]
    if numbers and "0" not in numbers:
        raise ConfigError(
            f"{name}: it is not clear which options the answers mean. The columns of the options count from 1, and no answer "
            "is 0. Write letters (A for the first)"
        )
