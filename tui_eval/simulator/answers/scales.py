"""Finds the scale that a prompt wants a mark on, and the form it wants it in."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: str(n) for n, word in enumerate(_WORDS)}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.I)
_ASIDE = re.compile(r"(?<=\d)\s*\([^)\n]*\)")
_N = r"(-?\d{1,3}(?:\.\d+)?)"
_OTHER_THINGS = (
    r"(?!\w|\.\d|[-\s]*(?:(?:short|brief|full|plain)\s+)?(?:sentence|word|line|paragraph|page|step|token|minute|reason|hour))"
)
_RANGES = (
    re.compile(rf"\b(?:from|between|of)\s+{_N}\s*(?:to|and|through|up to|-|–|\.\.+)\s*{_N}{_OTHER_THINGS}", re.I),
    re.compile(rf"(?<![\w.]){_N}\s*(?:-|–|—|to|through|\.\.+)\s*{_N}{_OTHER_THINGS}", re.I),
)
_TWO = re.compile(rf"(?<![\w.])(0|1)\s*(?:or|/)\s*(0|1){_OTHER_THINGS}", re.I)
_OUT_OF = re.compile(rf"\bout of (\d{{1,3}}){_OTHER_THINGS}", re.I)
_POINTS = re.compile(r"\b(\d{1,2})[- ]point\b", re.I)
_LEVELS = re.compile(r"(?:(?<=\W)|^)(\d{1,3})\s*(?:=|:|if\b|for\b|means\b|when\b|-(?=\s*[a-z])|–(?=\s*[a-z]))", re.I | re.M)
_LABEL = re.compile(r"\b(?P<label>(?:scores?|marks?|grades?|ratings?|verdicts?)[ \t]*(?::|=))", re.I)
_JSON_KEY = re.compile(r"[\"'`](?P<key>score|mark|grade|rating|verdict)[\"'`]", re.I)
_REASON_KEY = re.compile(r"[\"'`](?P<key>reason|rationale|reasoning|explanation|justification|why)[\"'`]", re.I)
_BARE = re.compile(
    r"nothing (?:else|but)|(?:only|just) (?:the|a|one) (?:single )?(?:\w+ )?(?:number|digit|score|mark|grade)|"
    r"single (?:digit|character|number|integer)|no (?:explanation|other (?:text|words))|without (?:explanation|explaining)",
    re.I,
)
_REQUEST = re.compile(
    r"(?:now |please )*(?:rate|mark|judge|score|grade|assess|evaluate|check|is|does|"
    r"how (?:\w+ )?(?:is|are|does|do|would|well))\b",
    re.I,
)
_LONGEST_REQUEST = 300
MARKS = re.compile(
    r"\b(?:re-?)?(?:scor|mark|grad|rat(?:e|es|ed|ing|ings)\b|judg|assess|evaluat|agree|correct|verdict|check)\w*", re.I
)
"""Words of a prompt that asks for a mark."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From the worst mark to the best, and how the mark is to be written."""

    low: float
    high: float
    fractions: bool = False
    """Whether marks between the whole numbers are wanted: 0.0 to 1.0."""
    form: Literal["line", "bare", "json"] = "line"
    """On a last line of its own, alone, or in an object of JSON."""
    label: str = ""
    """What stands before it on that line, or the object's key, as the prompt has it; empty where it has none."""
    reason: str = "reason"
    """The key of the reason, in JSON."""

    @property
    def plain(self) -> bool:
        """Return whether a 0 or a 1 is wanted, and no more said of it."""
        return (self.low, self.high, self.fractions, self.label) == (0, 1, False, "")

    def write(self, mark: float) -> str:
        """A mark as its digits."""
        return f"{mark:.1f}" if self.fractions else str(int(mark))


def find_scale(texts: Iterable[str], form: str) -> Scale | None:
    """The scale in the first of these texts that names one, in the form that the words of `form` ask for, or None."""
    ends = next((found for text in texts if (found := _ends(text))), None)
    if ends is None:
        return None
    low, high = sorted(map(float, ends))
    return _with_form(Scale(low, high, "." in "".join(ends) or "decimal" in form.casefold()), form)


def requests_mark(text: str) -> bool:
    """Return whether a paragraph reads like the end of a prompt for a mark: it names the scale or form, or says to judge."""
    return (
        bool(_REQUEST.match(text) and len(text) <= _LONGEST_REQUEST)
        or _ends(text) is not None
        or bool(_LABEL.search(text) and re.search(r"[<{\[]", text))
    )


@lru_cache(maxsize=512)
def _ends(text: str) -> tuple[str, str] | None:
    plain = _ASIDE.sub("", _NUMBER_WORD.sub(lambda word: _NUMBERS[word[0].casefold()], text))
    for pattern in _RANGES:
        for found in pattern.finditer(plain):
            low, high = sorted(found.groups(), key=float)
            if float(low) <= 1 and 1 <= float(high) <= 100 and low != high:
                return low, high
    if two := _TWO.search(plain):
        return ("0", "1") if two[1] != two[2] else None
    if highest := _OUT_OF.search(plain):
        return "0", highest[1]
    if points := _POINTS.search(plain):
        return "1", points[1]
    if re.search(r"\b(?:percentage|per ?cent)\b", plain, re.I):
        return "0", "100"
    levels = sorted({int(level) for level in _LEVELS.findall(plain)})
    # 1 = bad, 3 = fair, 5 = good: levels begin at 0 or 1, and a year or a number of a page does not.
    return (str(levels[0]), str(levels[-1])) if len(levels) > 1 and levels[0] in (0, 1) and levels[-1] <= 100 else None


def _with_form(scale: Scale, text: str) -> Scale:
    key, reason = _JSON_KEY.search(text), _REASON_KEY.search(text)
    if key and re.search(r"\bjson\b|[{}]", text, re.I):
        return replace(scale, form="json", label=key["key"], reason=reason["key"] if reason else "reason")
    if labels := list(_LABEL.finditer(text)):
        return replace(scale, label=f"{labels[-1]['label']} ")
    return replace(scale, form="bare") if _BARE.search(text) else scale
