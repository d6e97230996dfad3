"""Answers in mark-up: in a LaTeX box, or in a field of JSON."""

from __future__ import annotations

import re

from tui_eval.reading.letters.cues import AROUND, NAMED, OPEN, SECOND
from tui_eval.reading.letters.outcome import LetteredOptions, LetterReading, no_letter
from tui_eval.reading.letters.plain import words_of

_BOXED = re.compile(
    r"(?:\\(?:boxed|fbox) ?\{|<\|begin_of_box\|>|\bfinal_answer\()([^{}<\n]{0,200}?)(?:\}|<\|end_of_box\|>|(?<=[\"'])\))"
)
_JSON = re.compile(
    r"""(?i)["'](?:(?:final|correct|best|my|selected|chosen)?[_ ]?(?:answer|choice|option|letter)"""
    r"""(?:[_ ](?:letter|choice|option|label))?)["'] ?: ?(?P<array>\[ ?)?"""
    r"""(?:"(?P<text>[^"\n]{0,300})"|'(?P<single>[^'\n]{0,300})'|(?P<bare>[a-z])(?=[\s,}\]]))(?P<more> ?,)?"""
)
_STARTS = re.compile(rf"{OPEN}([A-Z])(?:[)\]\"'”’](?!\w)|[.:](?!\w)|, |\Z| ?[-–—] )")


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last match of a pattern; None where there is none."""
    last = None
    for match in pattern.finditer(text):
        last = match
    return last


def marked_up(text: str, question: LetteredOptions) -> tuple[LetterReading, int] | None:
    """Read the last LaTeX box, or else the last JSON field, that holds a label; with the place behind it."""
    box = last_match(_BOXED, text)
    reading = _inside(box[1], question, "boxed") if box else None
    boxed = (reading, box.end()) if reading and box else None
    field = last_match(_JSON, text) if ":" in text else None
    if not field or (boxed and boxed[1] > field.start()):
        return boxed
    if field["array"] and field["more"]:
        return no_letter("ambiguous"), field.end()
    if field["text"] and question.texts.count(words_of(field["text"])) == 1 and len(field["text"]) > 1:
        return LetterReading(question.labels[question.texts.index(words_of(field["text"]))], "json", ""), field.end()
    inside = _inside(field["text"] or field["single"] or field["bare"] or "", question, "json")
    return (inside, field.end()) if inside else boxed


def without_boxes(text: str) -> str:
    """Return the text with what a box holds, where that is no label, on a line of its own."""
    return _BOXED.sub(lambda box: f"\n{box[1]}\n", text).strip() if "box" in text else text


def _inside(content: str, question: LetteredOptions, pattern: str) -> LetterReading | None:
    core = content.strip(AROUND)
    if len(core) == 1 and core.isascii() and core.isalpha():
        return question.reading(core.upper(), pattern)
    label_text = re.sub(rf"^{NAMED}", "", content.strip())
    start = _STARTS.match(label_text)
    if not start:
        return None
    if SECOND.match(label_text, start.end(1)):
        return no_letter("ambiguous")
    return question.reading(start[1], pattern)
