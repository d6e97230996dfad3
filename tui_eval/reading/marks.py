"""A judge's reply to the mark it gives: the last place that says one decides; what is off the scale or unclear is no mark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tui_eval.reading.letters.plain import without_thinking

LONGEST = 100_000
"""Characters that are searched, from the end."""
_TAGS = re.compile(r"<(score|S2)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_BRACKETS = re.compile(r"\[\[([^\[\]]{1,20})\]\]|\[RESULT\]\s*\(?([^\s()]{1,20})\)?", re.IGNORECASE)
_LABEL = re.compile(
    r"\b(?:score|rating|mark|grade)\b[*_`\"']*(?:\s*\([^()\n]{0,30}\))?(?:\s*[:=]|\s+is\b)\s*[*_`\"'(\[]*\s*([^\n]{1,40})",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"([+-]?\d{1,6}(?:\.\d{1,6})?)\s*(?:(?:/|out of|of)\s*(\d{1,6}(?:\.\d{1,6})?)\b)?(?P<rest>.*)", re.DOTALL)
_GOES_ON = re.compile(r"\s*(?:-|–|to\b|%|/|\.\d|,\d|e\d)", re.IGNORECASE)
"""What makes another thing of a number: a range, a percentage, a number that was cut off."""


def read_mark(text: str | None, low: float, high: float, whole: bool = True) -> float | None:
    """The mark of a judge's reply on a scale from `low` to `high`; `whole`: of whole numbers. None where there is none.

    Looked for in this order, and of several in one form the last: a JSON object with "score", tags, brackets, a label such as
    SCORE: 4, the bare number. The first form that is there decides, be its mark good or not (METHOD.md 4.3).
    """
    said = without_thinking((text or "")[-LONGEST:])
    if said is None or not said.strip():
        return None
    found = _said(said.strip())
    return _on_scale(found, low, high, whole)


def _said(text: str) -> object:
    """What stands where the mark should: a number, a text, or anything else that is none."""
    objects = [found for found in _objects(text) if "score" in found]
    if objects:
        return objects[-1]["score"]
    for pattern in (_TAGS, _BRACKETS, _LABEL):
        matches = list(pattern.finditer(text))
        if matches:
            *_, last = (group for group in matches[-1].groups() if group is not None)
            return None if _is_cut_json(text, matches[-1].start()) else last
    return text.strip("*_`. ") if len(text) <= 20 else None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, one after the other; what stands inside one is no other."""
    decoder, place = json.JSONDecoder(), text.find("{")
    while place >= 0:
        try:
            found, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(found, dict):
                yield found
        place = text.find("{", end)


def _is_cut_json(text: str, place: int) -> bool:
    """Whether a label stands inside an object that was never closed: what follows was cut off."""
    start = text.rfind("{", 0, place)
    return start >= 0 and "}" not in text[start:]


def _on_scale(found: object, low: float, high: float, whole: bool) -> float | None:
    number = _number(found, high)
    if number is None or not low <= number <= high or (whole and number != int(number)):
        return None
    return int(number) if whole else number


def _number(found: object, high: float) -> float | None:
    """A number as it was said: 4, "4", 4/5 and 4 out of 5 where 5 is the top of the scale."""
    if isinstance(found, bool) or found is None:
        return None
    if isinstance(found, int | float):
        return float(found) if abs(found) < 1e300 else None
    match = _NUMBER.match(found.strip("*_`\"'()[] ")) if isinstance(found, str) else None
    if match is None or _GOES_ON.match(match["rest"]) or (match[2] is not None and float(match[2]) != high):
        return None
    return float(match[1])
