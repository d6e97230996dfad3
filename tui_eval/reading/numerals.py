"""The numbers in a text, in a form in which 1,000 and 1.000 and 1 000 are one number and 1.5 and 15 are two."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_BLANK = " \u00a0\u2009\u202f"
_RAISED = "¹²³⁰⁴-⁹₀-₉¼-¾⅐-⅞"
_NUMBER = re.compile(
    rf"(?P<sign>(?<![\w.,)\]])[-−–‒])?(?P<digits>(?<!\d)\d{{1,3}}(?:[{_BLANK}]\d{{3}})++(?![\d])|\d++(?:[.,'’٫٬]\d++)*+)(?P<raised>[{_RAISED}]*+)"
    rf"|[{_RAISED}]++"
)
_GROUPED = re.compile(rf"[1-9]\d{{0,2}}(?:([.,'’٬{_BLANK}])\d{{3}})(?:\1\d{{3}})*")
_GROUPED_DECIMAL = re.compile(r"([1-9]\d{0,2}(?:([.,'’])\d{3})+)(?!\2)[.,](\d+)")
_SEPARATORS = re.compile(rf"[.,'’٫٬{_BLANK}]")
_POINT = re.compile("[,٫]")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number where it stands: text[start:end]."""

    start: int
    end: int
    value: str
    """Digits 0-9, a point before decimals, a minus in front; two numbers are the same when their values are."""


def numerals_in(text: str) -> list[Numeral]:
    """The numbers of a text in the order in which they stand; words such as "two" are none.

    Digits of any script count, and raised ones: m² has the number 2, and 10² is another number than 102.
    """
    return [Numeral(match.start(), match.end(), _value(match)) for match in _NUMBER.finditer(text)]


def _value(match: re.Match[str]) -> str:
    if match["digits"] is None:
        return _plain(match[0])
    sign = "-" if match["sign"] else ""
    raised = f"^{_plain(match['raised'])}" if match["raised"] else ""
    return f"{sign}{_magnitude(match['digits'])}{raised}"


def _plain(raised: str) -> str:
    """Raised and lowered digits and fractions as plain characters."""
    return unicodedata.normalize("NFKC", raised)


def _magnitude(digits: str) -> str:
    """A number without its thousands' separators and needless zeros; of several points (4.2.1, 3.12.2024) as it stands."""
    if not digits.isascii():
        digits = "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in digits)
    if _GROUPED.fullmatch(digits):
        return _SEPARATORS.sub("", digits)
    if match := _GROUPED_DECIMAL.fullmatch(digits):
        digits = f"{_SEPARATORS.sub('', match[1])}.{match[3]}"
    digits = _POINT.sub(".", digits)
    parts = digits.split(".")
    if len(parts) == 1:
        return digits.lstrip("0") or "0"
    if len(parts) == 2:
        decimals = parts[1].rstrip("0")
        whole = parts[0].lstrip("0") or "0"
        return f"{whole}.{decimals}" if decimals else whole
    return digits
