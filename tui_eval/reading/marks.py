"""A judge's reply to the mark it gives: the last place that says one decides; what is off the scale or unclear is no mark."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from tui_eval.reading.thinking import without_thinking

Form = Literal["JSON", "tags", "brackets", "label", "bare number"]

LONGEST = 100_000
"""Characters that are searched, from the end."""
_BARE = 20
"""Characters of a reply that may be nothing but its mark."""
_SHOWN = 40
_BEYOND = 1e300
"""No scale goes as far; from there on an integer of JSON may be none that a float can hold."""
_TAGS = re.compile(r"<(score|S2)>(?P<said>.{0,100}?)</\1>", re.IGNORECASE | re.DOTALL)
_BRACKETS = re.compile(r"\[\[(?P<inside>[^\[\]]{1,20})\]\]|\[RESULT\]\s*\(?(?P<said>[^\s()]{1,20})\)?", re.IGNORECASE)
_LABEL = re.compile(
    r"\b(?:score|rating|mark|grade)\b[*_`\"']*(?:\s*+\([^()\n]{0,30}\))?(?:\s*+[:=]|\s++is\s*+:|\s++is\b(?=[\s*_`\"'(\[]*+\d))"
    r"[*_`\"']*+\s*+[*_`\"'(\[]*+\s*+(?=(?P<said>[^\n]{1,60}))",
    re.IGNORECASE,
)
"""What follows is only looked at, since it may hold the next label."""
_NUMBER = re.compile(
    r"([+-]?\d{1,6}(?:\.\d{1,6})?)[*_`\"')\]]*\s*"
    r"(?:(?:\(?(?:/|out\s+of|of)|\(?on\s+(?:a|the)\s+scale\s+(?:of|from)\s+\d{1,6}\s*(?:to|-|–))\s*(\d{1,6}(?:\.\d{1,6})?)\b)?"
    r"(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_GOES_ON = re.compile(
    r"\s*(?:[-–—−]\s*(?:\d|$)|(?:to|or)\s+\d|%|/|\.\d|,\d|e\d|(?:,|and|&)\s*\d+(?:\.\d+)?\W*$)|\+", re.IGNORECASE
)
"""What makes another thing of a number: a range, a choice, a percentage, a number that was cut off."""
_OPENING = re.compile(r"\{\s*+\"")
_TOPS = frozenset({"max", "max_score", "maximum", "out_of", "scale"})
"""Names under which an object says what its scale ends with."""


@dataclass(frozen=True, slots=True)
class MarkReading:
    """Result of reading a judge's reply: a mark and where it stood, or why there is none."""

    value: float | None
    form: Form | None = None
    """Where it stood, or what should have been one; None where the reply has nothing of the kind."""
    why: str = ""
    """A few words where there is no mark; what the judge said stands in them as it was."""


def read_mark(text: str | None, low: float, high: float, whole: bool = True) -> float | None:
    """The mark of a judge's reply on a scale from `low` to `high`; `whole`: of whole numbers. None where there is none."""
    return mark_reading(text, low, high, whole).value


def mark_reading(text: str | None, low: float, high: float, whole: bool = True) -> MarkReading:
    """The same with the form it stood in, or the reason.

    Looked for in this order, and of several in one form the last: a JSON object with "score", tags, brackets, a label such as
    SCORE: 4, the bare number. The first form that is there decides, be its mark good or not (METHOD.md 4.3).
    """
    reply = without_thinking((text or "")[-LONGEST:])
    if reply is None:
        return MarkReading(None, why="the reply ends before its thinking does")
    if not reply.strip():
        return MarkReading(None, why="the reply is empty")
    form, mark, why = _find_mark(reply.strip(), high)
    if form is None or why:
        return MarkReading(None, form, why or "the reply has no mark in it")
    number, why = _number(mark, low, high)
    if number is None:
        return MarkReading(None, form, why)
    if not low <= number <= high:
        return MarkReading(None, form, f"{number:g} is not on the scale of {low:g} to {high:g}")
    if whole and number != int(number):
        return MarkReading(None, form, f"{number:g} is no whole number")
    return MarkReading(int(number) if whole else number, form)


def _find_mark(text: str, high: float) -> tuple[Form | None, object, str]:
    """In which form something stands where the mark should, what it is, and why it is none whatever it says."""
    json_object, end = _last_object(text)
    if json_object is not None:
        cut = _is_cut_json(text, len(text)) and "score" in text[max(text.rfind("{"), end) :].casefold()
        return "JSON", json_object["score"], "its JSON is cut off" if cut else _other_top(json_object, high)
    forms: tuple[tuple[Form, re.Pattern[str]], ...] = (("tags", _TAGS), ("brackets", _BRACKETS), ("label", _LABEL))
    for form, pattern in forms:
        matches = list(pattern.finditer(text))
        if matches:
            last = matches[-1]
            cut_off = "its JSON is cut off" if _is_cut_json(text, last.start()) else ""
            return form, last.groupdict().get("inside") or last["said"], cut_off
    return ("bare number", text.strip("*_`. "), "") if len(text) <= _BARE else (None, None, "")


@lru_cache(maxsize=4)
def _last_object(text: str) -> tuple[Mapping[str, Any] | None, int]:
    """The last JSON object with a score, and where it ends; what stands inside one is no other.

    The mark and the reason of a reply are read one after the other.
    """
    decoder, opening = json.JSONDecoder(), _OPENING.search(text)
    last: Mapping[str, Any] | None = None
    last_end = 0
    while opening:
        try:
            value, end = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            end = opening.start() + 1
        else:
            if isinstance(value, dict) and "score" in value:
                last, last_end = value, end
        opening = _OPENING.search(text, end)
    return last, last_end


def _other_top(json_object: Mapping[str, Any], high: float) -> str:
    """Why an object's mark is on another scale, where it says so."""
    for name, top in json_object.items():
        if name.casefold() in _TOPS and type(top) in (int, float) and top != high:
            return f"it marks on another scale: {name} {f'{top:g}' if abs(top) < _BEYOND else str(top)[:_SHOWN]}"
    return ""


def _is_cut_json(text: str, place: int) -> bool:
    """Return whether a place is inside an object that was never closed: what follows was cut off."""
    start = text.rfind("{", 0, place)
    return start >= 0 and "}" not in text[start:]


def _number(mark: object, low: float, high: float) -> tuple[float | None, str]:
    """A number as it was said: 4, "4", 4/5 and 4 out of 5 where 5 is the top of the scale; or why it is none."""
    if isinstance(mark, int | float) and not isinstance(mark, bool):
        return (float(mark), "") if abs(mark) < _BEYOND else (None, "its mark is no finite number")
    if not isinstance(mark, str):
        return None, f"its mark is {json.dumps(mark)[:_SHOWN]}, no number"
    text = mark.strip("*_`\"'()[] \n")
    match = _NUMBER.match(text)
    if match is None:
        return None, f"its mark is no number: {text[:_SHOWN]}"
    if match[2] is not None and float(match[2]) != high:
        return None, f"it marks on another scale: {text[:_SHOWN]}, not {low:g} to {high:g}"
    if _GOES_ON.match(match["rest"]):
        return None, f"its mark is not one number: {text[:_SHOWN]}"
    return float(match[1]), ""


def read_reason(text: str | None) -> str:
    """Why a judge's reply gives its mark, so far as it says: the object's "reason", else what it says before the last line."""
    reply = (without_thinking((text or "")[-LONGEST:]) or "").strip()
    json_object, _ = _last_object(reply)
    reason = None if json_object is None else json_object.get("reason")
    if isinstance(reason, str):
        return reason.strip()
    before, _, last = reply.rpartition("\n")
    return (before or last).strip()[:2000]
