"""A judge's reply to the one of two answers that it prefers: the last place that says one decides."""

from __future__ import annotations

import re
from typing import Literal

from tui_eval.reading.json_candidates import json_candidates
from tui_eval.reading.letters.plain import without_thinking

Preferred = Literal["first", "second", "tie"]
_WORDS: dict[Preferred, str] = {
    "first": "first|1|a|first answer|answer 1|answer a|the first",
    "second": "second|2|b|second answer|answer 2|answer b|the second",
    "tie": "tie|c|both|equal|neither|draw|same",
}
_NAMES = {word: choice for choice, words in _WORDS.items() for word in words.split("|")}
_BRACKETS = re.compile(r"\[\[\s*([A-Ca-c12]|tie)\s*\]\]")
_LABEL = re.compile(
    r"\b(?:choice|better|verdict|winner)\b[*_`\"']*\s*[:=]\s*[*_`\"'\[(]*(first|second|tie|[abc12])\b", re.IGNORECASE
)


def read_choice(text: str | None) -> Preferred | None:
    """From {"reason": ..., "better": "first" | "second" | "tie"}, [[A]] / [[B]] / [[C]] or `better: first`; else None."""
    said = without_thinking(text or "") or ""
    values = [candidate.value for candidate in json_candidates(said, "better").values]
    verdicts = [value["better"] for value in values if isinstance(value, dict) and "better" in value]
    if verdicts:
        return _NAMES.get(str(verdicts[-1]).casefold().strip(" .*_`\"'[]()"))
    found = _BRACKETS.findall(said) or _LABEL.findall(said)
    return _NAMES.get(found[-1].casefold()) if found else None
