"""Labels behind words that declare one: what was found where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tui_eval.reading.letters.cues import CLOSE, LABEL, NAMED, OPEN, SECOND
from tui_eval.reading.letters.denials import dismissed_after
from tui_eval.reading.letters.languages import JOINS
from tui_eval.reading.letters.outcome import LetteredOptions
from tui_eval.reading.letters.plain import words_of
from tui_eval.reading.letters.small import small


@dataclass(frozen=True, slots=True)
class DeclaredLabel:
    """A label that some words declare to be the answer; no letter where they declare two."""

    at: int
    letter: str | None
    pattern: str


def after(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Each cue that a label follows, with the label; a cue may begin inside one that none followed.

    `pattern`: one for small letters.
    """
    words = small(text)
    cue = pattern.search(words)
    while cue:
        label = LABEL.match(text, cue.end())
        if label:
            yield cue, label
        cue = pattern.search(words, label.end() if label else cue.start() + 2)


def letter_of(text: str, label: re.Match[str]) -> str | None:
    """The letter of a label, or None where a second one stands beside it."""
    second = SECOND.match(text, label.end())
    letter = (label[1] or label[2]).upper()
    return None if second and letter not in second.groups() else letter


_JOINED = re.compile(
    rf"(?:[,;] ?| ?[/&+|] ?|,? (?:and|or|and/or|as well as|plus|{JOINS}) |\s?(?:或者?|和|与|與|及|、|と|または|또는|와|과)\s?)"
    rf"(?:also |both |either )?{NAMED}{OPEN}(?P<letter>[A-Z])(?=[)\].:]| ?[-–—(])"
)
_BEHIND_LABEL = re.compile(rf"{CLOSE}[.:)]* ?(?:[-–—] ?)?{OPEN}")
_FEW = 4


def names_another(text: str, at: int, letter: str, question: LetteredOptions) -> bool:
    """Return whether an option's text and then another label, in one breath, follow the label that ends at a place."""
    line = text[at : at + 600].partition("\n")[0]
    begin = _BEHIND_LABEL.match(line)
    own = question.texts[question.labels.index(letter)] if question.texts and letter in question.labels else ""
    for joint in _JOINED.finditer(line, begin.end() if begin else 0):
        words = words_of(line[: joint.start()])
        if joint["letter"] == letter or joint["letter"] not in question.labels or dismissed_after(line, joint.end()):
            continue
        if words in (own, *question.texts) or (not own and len(words.split()) <= _FEW and any(map(str.isalpha, words))):
            return True
    return False


_BOTH = re.compile(
    rf"(?<![\w'’])(?P<first>[A-Z]){CLOSE}(?:,? (?:and|or|{JOINS}|als auch|como|comme|quanto|que) | ?[/&+,;] ?){NAMED}{OPEN}"
    r"(?P<second>[A-Z])(?![\w'’])"
)


def joined_labels(text: str, question: LetteredOptions) -> bool:
    """Return whether a text joins two labels of the question in one breath."""
    pairs = ((both["first"], both["second"]) for both in _BOTH.finditer(text))
    return any(a != b and a in question.labels and b in question.labels for a, b in pairs)


def is_word(text: str, label: re.Match[str], question: LetteredOptions) -> bool:
    """Return whether the letter is asked about, or is the first word of an option's text."""
    if text[label.end() : label.end() + 3].lstrip(" )\"'”").startswith("?"):
        return True
    letter = (label[1] or label[2]).casefold()
    texts = [option for option in question.texts if option.startswith(f"{letter} ")]
    rest = words_of(text[label.end() - 1 : label.end() + 400]) + " " if texts else ""
    return any(rest.startswith(f"{option} ") for option in texts)
