"""Sentences that declare a letter and say nothing else: the narrow reader, against which the wide one is held.

Every word of such a sentence is of a list, so that what another speaks of, supposes or tells is none. A letter that the wide
reader finds counts only where this one finds the same, or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_eval.reading.letters.cues import CLOSE, NAMED, OPEN, SINGLE
from tui_eval.reading.letters.languages import ANSWERS, CHOOSES, IS, OPTIONS, RIGHT, SMALL, word_set
from tui_eval.reading.letters.marked_up import marked_up
from tui_eval.reading.letters.outcome import Question
from tui_eval.reading.letters.plain import words_of

_DECLARES = ANSWERS | RIGHT | CHOOSES | word_set(
    "answer answers ans choice choose pick select selected go going with say correct right best solution response conclusion"
)  # fmt: skip
"""Words of which one stands in front of the label."""
_CONCLUDES = word_set("so therefore thus hence it s is be leaves")
"""Words that may stand at once in front of it instead."""
_LEADS = _DECLARES | _CONCLUDES | OPTIONS | SMALL | IS | word_set(
    "the a my our us only locking in picking mark final option letter statement label number selection result one which "
    "that this these here above then and well ok okay sure yes overall finally ultimately clearly obviously probably likely "
    "definitely certainly most fairly quite very i d ll m we think believe confident would must be should has have matches "
    "based given to of for as on in summary consequently question options choices listed available provided trying again "
    "apologies updated revised corrected correction new edit instead"
)  # fmt: skip
"""All other words that may."""
_CALLS = RIGHT | ANSWERS | word_set("correct right best answer asks asked looking")
"""Words of which one stands behind a label that begins the sentence."""
_CONFIRMS = _CALLS | IS | word_set(
    "is must be would fits the my our i choose option choice one it what to this question for on most likely appropriate "
    "accurate suitable final overall therefore thus clearly here then"
)  # fmt: skip
"""All other words that may."""
_VERBS = IS | word_set("is must would fits")
_STANDS = _CONFIRMS | word_set("works fits holds remains left matches can stands survives")
"""Words that may stand behind `only` and a label."""
_UNITS = re.compile(r"(?<=[.!?])(?<!^[A-Z]\.)(?<!\n[A-Z]\.)(?<![,;/|] [A-Z]\.) +|(?<=[。！？])|\n")
_GOES_ON = re.compile(r"[)\]}\"'”’»]{0,2}(?:[.:)]|,? ?[-–—(=]|,? (?:because|since|as|due to|given)\b)")
_CONDITION = re.compile(r"(?i)\W{0,3}(?:if|when|unless|only|but|or|and|though|although|not|oder|und|ou|et|o|y|e|mais|pero)\b")
_BOX = re.compile(r"\\(?:boxed|fbox) ?\{")


def declared_alone(text: str, question: Question, cut: bool) -> tuple[str, int] | None:
    """The letter of the last sentence, box or field that declares one and says nothing else, and the place behind it.

    `cut`: whether the text is cut, so that its last sentence may have gone on.
    """
    letter, at = None, -1
    units = list(_units(text))
    bare = _bare(units[:-1] if cut else units, question)
    for start, unit in units:
        if found := _declared(unit, question) or bare.get(start):
            letter, at = found, start + len(unit)
    marked = marked_up(text, question)
    if marked and marked[1] > at:
        letter, at = marked[0].letter, marked[1]
    return (letter, at) if letter else None


def _units(text: str) -> Iterator[tuple[int, str]]:
    """Each sentence or line with the place where it begins."""
    start = 0
    for stop in [*_UNITS.finditer(text), None]:
        end = stop.start() if stop else len(text)
        if unit := text[start:end].strip():
            yield start, unit
        start = stop.end() if stop else end


_ALONE = re.compile(rf"{NAMED}{OPEN}(?P<letter>[A-Z]){CLOSE}(?:(?:[.:)]| ?[-–—]) ?(?P<text>.*)|[.!]?)")


def _bare(units: list[tuple[int, str]], question: Question) -> dict[int, str]:
    """The labels that are all of a unit, with their option's text or without, by its place: one that is the only one to begin
    a unit, or a label alone that is the first unit or the last.
    """
    found: dict[int, re.Match[str]] = {}
    for start, unit in units:
        item = _ALONE.fullmatch(unit)
        if item and item["letter"] in question.labels:
            own = question.texts[question.labels.index(item["letter"])] if question.texts else ""
            if not item["text"] or words_of(item["text"]) == own:
                found[start] = item
    single = len({item["letter"] for item in found.values()}) == 1
    ends = (units[0][0], units[-1][0]) if units else ()
    return {start: item["letter"] for start, item in found.items() if single or (not item["text"] and start in ends)}


def _declared(unit: str, question: Question) -> str | None:
    """The one label of a unit whose other words declare it."""
    named = [each for each in SINGLE.finditer(unit) if each[1] in question.labels]
    if not named or len({each[1] for each in named}) > 1 or _BOX.search(unit) or "?" in unit:
        return None
    label = named[0]
    own = question.texts[question.labels.index(label[1])] if question.texts else ""
    before, behind = _words(_without(unit[: label.start()], own)), unit[label.end() :]
    if not set(before) <= _LEADS:
        return None
    led = _led_to(before, behind, own, question)
    return label[1] if led or (led is None and _called(before[-1:] == ["only"], _words(behind))) else None


def _led_to(before: list[str], behind: str, own: str, question: Question) -> bool | None:
    """Whether the words in front of a label lead to it, and what is behind it takes nothing back; None where they do not."""
    declares, words = not _DECLARES.isdisjoint(before), words_of(behind)
    if not declares and (not before or before[-1] not in _CONCLUDES):
        return None
    if words in ("", own) or (declares and set(words.split()) <= _CONFIRMS):
        return True
    goes_on = _GOES_ON.match(behind) if declares and words not in question.texts else None
    return None if goes_on is None else _CONDITION.match(behind, goes_on.end()) is None


def _called(only: bool, after: list[str]) -> bool:
    """Whether the words behind a label call it the answer, as in `B is correct`, `only B works`, `B it is`."""
    said = set(after)
    if only and after and said <= _STANDS:
        return True
    return after == ["it", "is"] or (bool(said & _CALLS) and bool(said & _VERBS) and said <= _CONFIRMS)


def _without(before: str, own: str) -> str:
    """What stands before a label, without the option's text at its end: `it is the nucleus (A)`."""
    words = words_of(before)
    named = words.removesuffix(" option").removesuffix(" choice")
    return named.removesuffix(own) if own and f" {named}".endswith(f" {own}") else words


def _words(text: str) -> list[str]:
    return [word for word in words_of(text).split() if word[0].isalnum()]
