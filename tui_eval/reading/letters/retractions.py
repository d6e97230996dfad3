"""Where a reply takes back what it declared, and what it declares instead."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_eval.reading.letters.cues import CLOSE, OPEN
from tui_eval.reading.letters.found import Found, after, is_word, letter_of
from tui_eval.reading.letters.outcome import Question

_INSTEAD = re.compile(
    r"(?i)(?<![a-z])(?:(?:correction|corrected(?: answer)?|edit(?:ed)?|update[d]?|revised|korrektur|korrigiert|corrección|"
    r"correção|"
    r"correzione|исправление|更正|修正|訂正|final(?:ly)?(?=:))(?: ?[:,=→-]| to\b| is\b)(?![a-z])|"
    r"(?:no|nein|non|нет|wait|actually|rather|sorry|oops|hmm)[,:…]|(?:wait|actually|sorry|oops|hmm)[.!…]+|"
    r"(?:scratch that|on second thoughts?|on reflection|upon reflection|after reconsidering|reconsidering|thinking again|"
    r"I mean|I meant(?: to say)?|make (?:that|it)|(?:chang|switch|amend|revis|correct)(?:e|es|ing|ed)?"
    r"(?: (?:it|that|this|my answer|the answer))?(?: from [A-Z])? to)[,:.…]*)"
    r"(?: (?:no|wait|actually|sorry|rather|then|I meant?|I mean|I choose|I pick|I go with|I say|make that|"
    r"(?:it|that)(?:['’]s| is| should be| must be| has to be)|(?:my|the)(?: final| correct| right)? answer (?:is|"
    r"should be))(?![a-z]))*[,:]? ?(?=\S)"
)
_ENDS = re.compile(rf"{CLOSE}(?:[.!;]*(?:\n|\Z| (?=[\"'“(]?[A-Z]))|,? (?:is|because|since|instead|not|rather)\b)")
_AGAIN = re.compile(
    r"(?i)\b(?:reconsider|re-?check|re-?think|re-?evaluate|on second thoughts?|scratch that|wait|my mistake|I was wrong|"
    r"I made (?:a mistake|an error)|chang(?:e|ed|ing) my mind|(?:check|read) (?:that|it|this|the question) again|"
    r"read(?:ing)? the question again|korrektur|corrección|correção|correzione|correction|更正|修正|訂正|исправление|"
    r"pensándolo (?:mejor|bien)|ich korrigiere|doch nicht|réflexion faite|en fait|"
    r"that(?:['’]s| is| was) (?:wrong|not right|incorrect)|oops)\b"
)
_TAKEN_BACK = re.compile(
    r"(?i)(?:that(?:['’]s| is| was)|this is|which is) (?:wrong|not right|incorrect|not correct)(?! if)\b|\bI take (?:that|"
    r"it) back\b|"
    r"\bscratch that\b"
)


def corrections(text: str, question: Question) -> Iterator[Found]:
    """Each label that stands behind words such as `Correction:` or `no,`."""
    for _, label in after(_INSTEAD, text):
        if _ENDS.match(text, label.end()) and not is_word(text, label, question):
            yield Found(label.end(), letter_of(text, label), "answer_colon" if label.end() < len(text) else "end_of_string")


def reconsidered(text: str) -> int | None:
    """Where the reply says for the first time that it thinks again; None where it never does."""
    again = _AGAIN.search(text)
    return again.end() if again else None


def last_reconsideration(text: str) -> int | None:
    """Return the place behind the last words by which a reply thinks again; None where there are none."""
    last = None
    for again in _AGAIN.finditer(text):
        last = again.end()
    return last


_NOT_BUT = re.compile(
    rf"(?i:\b(?:not|nicht|no|pas|non|não|niet|nie|не) (?:option |answer )?){OPEN}[A-Z]{CLOSE},? "
    rf"(?i:but(?: rather)?|rather|sondern|sino|mais|ma|mas|maar|lecz|а) (?i:option |answer )?{OPEN}(?P<letter>[A-Z])(?!\w)"
)


def contrasts(text: str) -> Iterator[Found]:
    """Each label that stands behind `not A but`."""
    for contrast in _NOT_BUT.finditer(text):
        yield Found(contrast.end("letter"), contrast["letter"], "answer_is")


def open_retraction(text: str, at: int) -> bool:
    """Whether what was declared before a place is taken back behind it, and nothing declared instead."""
    return _TAKEN_BACK.search(text, at, at + 60) is not None
