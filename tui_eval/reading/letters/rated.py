"""Options rated in a row, each by a sign, a word or a number: the row declares what exactly one tick declares, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_eval.reading.letters.cues import NAMED
from tui_eval.reading.letters.judged import HAN, RIGHT_WORDS, WRONG_WORDS, words_are_options
from tui_eval.reading.letters.languages import RIGHT
from tui_eval.reading.letters.outcome import LetteredOptions, LetterReading, no_letter

_DOUBT = (
    r"(?:(?:very|highly|most|quite|rather|less|more) )?(?:un|im)?(?:likely|probable|plausible|possible)|possibly|probably|"
    r"maybe|perhaps|unclear|unsure|uncertain|partly|(?:very )?(?:low|medium|moderate|high|weak|strong|poor|good)|"
    r"vielleicht|unklar|peut-être|quizás?|talvez|forse|возможно"
)
_NUMBER = (
    r"(?:p ?= ?)?[~≈<>≤≥]? ?[+−-]?(?P<number>\d{1,6}(?:[.,]\d{1,6})?)"
    r"(?: ?%| ?/ ?\d{1,4}| (?:points?|stars?|percent|out of \d{1,4}))?(?![\w%])"
)
_SAID = (
    rf"(?P<tick>[✓✔✅☑○◯⭕👍])|(?P<cross>[✗✘❌×✕✖☒👎])|{HAN}|(?P<right>(?:{RIGHT_WORDS}|cert[ao]|[ty])(?!\w))"
    rf"|(?P<wrong>(?:{WRONG_WORDS}|[fn])(?!\w))|(?:{_DOUBT})(?!\w)|{_NUMBER}|[?❓]+|[★☆⭐]{{1,10}}|[+−-]{{1,3}}"
)
_ANY_WORD = r"(?-i:(?![A-Z](?!\w))(?P<word>[^\s,;:|.()\[\]]{1,20}))"
"""What may be a rating in a language that is not known here: it counts where each option of the question has one."""
_ENTRY = re.compile(
    rf"[|(\[]{{0,2}} ?{NAMED}(?:(?P<label>[A-Z])(?![A-Za-z])|(?P<small>[a-z])(?=[)\].:]))"
    rf"(?P<close>[)\].]{{1,2}})? ?(?P<mark>[:=,/|→⇒➡–—]|-(?!\d)|[-=]>)? ?[(\[]?"
    rf"(?i:{_SAID}|(?(mark)|(?(close)|(?!))){_ANY_WORD})[)\]]?"
)
_BETWEEN = re.compile(r" ?[.,;/|!]{0,2}\s?(?:(?:and|und|et|y|e|и|[-–—]) )?")
_END = re.compile(r" ?[.;!|]*(?:\n|\Z)|[.;!] ")
_MOST = 30
"""Entries of one row: no question has more options than there are letters."""


def without_ratings(text: str, question: LetteredOptions) -> tuple[str, LetterReading | None]:
    """The text with a mark in place of each row of rated options, and what the rows declare; None where there is no row."""
    pieces: list[str] = []
    ratings: list[re.Match[str]] = []
    at = 0
    for start in _line_starts(text):
        row = _row(text, start, question) if start >= at else []
        if row and not _in_order_of_preference(row):
            pieces.append(text[at:start])
            ratings += row
            at = row[-1].end()
    return ("…".join([*pieces, text[at:]]), _declared_by(ratings, question)) if ratings else (text, None)


def _line_starts(text: str) -> Iterator[int]:
    yield 0
    start = text.find("\n") + 1
    while start:
        yield start
        start = text.find("\n", start) + 1


def _row(text: str, at: int, question: LetteredOptions) -> list[re.Match[str]]:
    """The options that are rated one behind the other from a place on; none of fewer than two, or where prose goes on.

    On several lines, or in words that are not known here, only where each option of the question is rated.
    """
    row: list[re.Match[str]] = []
    while len(row) < _MOST and (entry := _ENTRY.match(text, at)):
        if (entry["right"] or entry["wrong"] or "").upper() in tuple(question.labels):
            break
        row.append(entry)
        between = _BETWEEN.match(text, entry.end())
        at = between.end() if between else entry.end()
    labels = [_label(entry) for entry in row]
    if len(set(labels)) < 2 or not _END.match(text, row[-1].end()):
        return []
    doubtful = any(entry["word"] for entry in row) or "\n" in text[row[0].start() : row[-1].end()]
    return row if not doubtful or sorted(labels) == list(question.labels) else []


def _label(entry: re.Match[str]) -> str:
    return (entry["label"] or entry["small"]).upper()


def _in_order_of_preference(row: list[re.Match[str]]) -> bool:
    """Return whether numbers stand with the highest in front, and not in the order of the labels: the first is meant."""
    labels = [_label(entry) for entry in row]
    if labels == sorted(labels) or not all(entry["number"] for entry in row):
        return False
    first, *other_numbers = (float(entry["number"].replace(",", ".")) for entry in row)
    return first > max(other_numbers)


def _called_right(entry: re.Match[str]) -> bool:
    return bool(entry["right"] or entry["han_right"]) or (entry["word"] or "").casefold() in RIGHT


def _declared_by(ratings: list[re.Match[str]], question: LetteredOptions) -> LetterReading:
    """The only option that is ticked, or else the only one that is not crossed out; words that may be options say neither."""
    words = not words_are_options(question)
    right = {_label(each) for each in ratings if each["tick"] or (words and _called_right(each))}
    wrong = {_label(each) for each in ratings if each["cross"] or (words and (each["wrong"] or each["han_wrong"]))}
    remaining = set(question.labels) - wrong
    if len(right) == 1 and not right & wrong:
        return question.reading(right.pop(), "option_by_option")
    return question.reading(remaining.pop(), "elimination") if not right and len(remaining) == 1 else no_letter("ambiguous")
