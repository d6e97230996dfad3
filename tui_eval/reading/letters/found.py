"""Labels behind words that declare one: what was found where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tui_eval.reading.letters.cues import LABEL, SECOND
from tui_eval.reading.letters.outcome import Question
from tui_eval.reading.letters.plain import words_of


@dataclass(frozen=True, slots=True)
class Found:
    """A label that some words declare to be the answer; no letter where they declare two."""

    at: int
    letter: str | None
    pattern: str


def after(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Each cue that a label follows, with the label; a cue may begin inside one that none followed."""
    cue = pattern.search(text)
    while cue:
        label = LABEL.match(text, cue.end())
        if label:
            yield cue, label
        cue = pattern.search(text, label.end() if label else cue.start() + 2)


def letter_of(text: str, label: re.Match[str]) -> str | None:
    """The letter of a label, or None where a second one stands beside it."""
    second = SECOND.match(text, label.end())
    letter = (label[1] or label[2]).upper()
    return None if second and letter not in second.groups() else letter


def is_word(text: str, label: re.Match[str], question: Question) -> bool:
    """Whether the letter is asked about, or is the first word of an option's text."""
    if text[label.end() : label.end() + 3].lstrip(" )\"'”").startswith("?"):
        return True
    letter = (label[1] or label[2]).casefold()
    texts = [option for option in question.texts if option.startswith(f"{letter} ")]
    rest = words_of(text[label.end() - 1 : label.end() + 400]) + " " if texts else ""
    return any(rest.startswith(f"{option} ") for option in texts)
