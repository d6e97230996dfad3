"""Numbers as texts write them, read by the conventions of a locale and by no other: exact fractions, or why there is none."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from tui_eval.evaluation.scoring.extraction import last_boxed

AUTO = "auto"
_BLANKS = "\u00a0\u2009\u202f"
"""Blanks at which no line breaks, and thin ones: between groups of three digits they part thousands everywhere."""
_ANYWHERE = f"{_BLANKS}'’٬"


@dataclass(frozen=True, slots=True)
class Convention:
    """Number convention of a locale: the sign before decimals, and those between groups."""

    decimal: str
    groups: str
    has_lakhs: bool = False
    """Whether groups of two digits may stand before the last group of three."""


_ENGLISH, _GERMAN, _FRENCH = Convention(".", ","), Convention(",", "."), Convention(",", " ")
_SWISS, _INDIAN, _SPANISH = Convention(".", ""), Convention(".", ",", has_lakhs=True), Convention(",", ". ")
LOCALES: Mapping[str, Convention] = {
    "en": _ENGLISH, "en-IN": _INDIAN, "hi": _INDIAN, "zh": _ENGLISH, "ja": _ENGLISH, "ko": _ENGLISH, "th": _ENGLISH,
    "he": _ENGLISH, "es-MX": _ENGLISH,
    "de": _GERMAN, "de-AT": _SPANISH, "de-CH": _SWISS, "nl": _GERMAN, "da": _GERMAN, "el": _GERMAN, "id": _GERMAN,
    "it": _GERMAN, "tr": _GERMAN, "pt-BR": _GERMAN, "ro": _GERMAN, "vi": _GERMAN,
    "es": _SPANISH, "pt": _SPANISH,
    "fr": _FRENCH, "cs": _FRENCH, "pl": _FRENCH, "ru": _FRENCH, "uk": _FRENCH, "sv": _FRENCH, "nb": _FRENCH, "fi": _FRENCH,
    "hu": _FRENCH, "sk": _FRENCH, "bg": _FRENCH,
}  # fmt: skip
"""By language (and region where it differs), after CLDR 46; apostrophes, blanks at which no line breaks and the Arabic signs
are the same in all of them."""
_COMPARED = ("en", "de", "fr", "en-IN")
"""Locales that stand for every other where a number is read in several ways."""
_CURRENCY = r"(?:(?<![^\W\d_])(?:US|R|A|C|HK)?[$€£¥₹₩₽¢]|(?<!\w)(?:USD|EUR|GBP|CHF|JPY|CNY|INR|Rs\.?|kr\.?)(?=[\s\d.+−-]))"
_RAISED = "⁰¹²³⁴-⁹⁺⁻"
_VULGAR = "¼½¾⅐-⅞"
_ALONE = r"(?<!\w)(?<!\d[.,:/^])"
"""Where a number may begin: not within a word, nor within another number."""
_TOKEN = re.compile(
    rf"(?:(?<![\w.,)\]}}%$])(?P<sign>[-−–+]))?(?:{_CURRENCY}[ {_BLANKS}]?(?P<late>[-−–+])?)?(?:"
    r"\\[dt]?frac\{(?P<over>[-−]?\d{1,400})\}\{(?P<under>\d{1,400})\}"
    rf"|{_ALONE}(?:(?P<mixed>\d{{1,400}})[ {_BLANKS}])?(?P<above>\d++)/(?P<below>\d++)(?P<chain>(?:/\d++)*+)(?!\d)"
    rf"|{_ALONE}(?P<part>\d{{1,400}})?[ {_BLANKS}]?(?P<vulgar>[{_VULGAR}])"
    rf"|{_ALONE}(?P<clock>\d++(?::\d++)++|\d{{4}}-\d\d-\d\d(?!\d))"
    rf"|{_ALONE}(?P<body>\d{{1,3}}(?: \d{{3}}(?!\d))++(?:[.,]\d++)*+|\d++(?:[.,٫{_ANYWHERE}]\d++)*+|(?<![.,])[.,]\d++)"
    rf"(?:[eE](?P<e>[-+−]?\d{{1,9}})(?!\w)|\s?(?:×|x|\*|\\times|\\cdot)\s?10(?:\^\{{?(?P<ten>[-+−]?\d{{1,9}})\}}?|(?P<tens>[{_RAISED}]++)))?"
    rf"(?P<power>(?:\^[({{]?[-−]?\d{{1,9}}[)}}]?)++|[{_RAISED}]++)?"
    rf")(?P<percent>[ {_BLANKS}]?\\?[%٪]| per ?cent\b)?"
)
_HASHES = re.compile(r"(?m)^[ \t]*####[ \t]*(?P<rest>[^\n]{1,200}?)[ \t]*$")
_OTHER_WORDS = re.compile(r"\d|\w[^:=\0]*\0|\0[.)] *\w")
"""Beside a number (NUL) behind `####`: another, or words before it or behind its full stop, as in a heading."""
_UP_TO_DIGIT = re.compile(rf".*[\d{_VULGAR}]", re.DOTALL)
_NEAR = 3_000
"""Characters around the last digit in which its number stands."""
_FRACTIONS = {
    "¼": (1, 4), "½": (1, 2), "¾": (3, 4), "⅐": (1, 7), "⅑": (1, 9), "⅒": (1, 10), "⅓": (1, 3), "⅔": (2, 3), "⅕": (1, 5),
    "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip
_MOST_DIGITS, _LARGEST_EXPONENT = 400, 400
_UP = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")


@dataclass(frozen=True, slots=True)
class NumberReading:
    """One number of a text: its value, or why it has none by this locale."""

    token: str
    """As the text has it; empty where there is no number."""
    value: Fraction | None
    why: str = ""
    elsewhere: tuple[tuple[str, Fraction], ...] = ()
    """What it is by other locales, where that is another value: (locale, value)."""
    place: str = ""
    """Where it stood: "####", "boxed" or "last number"."""


NO_NUMBER = NumberReading("", None, "no number found")


def number_in(text: str, locale: str, percent: bool) -> NumberReading:
    """The number that a text gives for its answer: alone behind `####`, else in the last `\\boxed{}`, else the last one.

    `percent`: 45 % is 0.45; else its sign is a unit like any other.
    """
    plain = _without_latex(text)
    for marked in reversed(list(_HASHES.finditer(plain))[-20:]):
        token = _TOKEN.search(marked["rest"])
        if token and not _OTHER_WORDS.search(f"{marked['rest'][: token.start()]}\0{marked['rest'][token.end() :]}"):
            return _read(token, locale, percent, "####")
    boxed = last_boxed(text) if "\\boxed" in text else None
    if boxed is not None and (token := _last(_without_latex(boxed))):
        return _read(token, locale, percent, "boxed")
    token = _last(plain)
    return NO_NUMBER if token is None else _read(token, locale, percent, "last number")


def _without_latex(text: str) -> str:
    if "{,}" in text:
        text = text.replace("{,}", ",")
    if "\\" in text:
        text = text.replace("\\,", "\u2009").replace("\\$", "$").replace("\\ ", "\u2009")
    return text


def _last(text: str) -> re.Match[str] | None:
    """The last number of a text. It ends with the last digit, and what is too long to stand before that is no number."""
    end = _UP_TO_DIGIT.match(text)
    if end is None:
        return None
    for near in (_NEAR // 20, _NEAR):
        begin = max(0, end.end() - near)
        last = deque(_TOKEN.finditer(text, begin, end.end() + near), maxlen=1)
        if last and (last[0].start() > begin + near // 3 or begin == 0):
            return last[0]
    return last[0] if last else None


def _read(token: re.Match[str], locale: str, percent: bool, place: str) -> NumberReading:
    token_text = token[0].strip()[:80]
    scale = Fraction(1, 100) if percent and token["percent"] else Fraction(1)
    if token["body"] is None:
        value = _fraction(token)
        why = "" if value is not None else f"unparsed: {token_text!r} is no single number"
        return NumberReading(token_text, None if value is None else value * scale, why, place=place)
    if token["power"]:
        return NumberReading(token_text, None, f"unparsed: {token_text!r} is a power", place=place)
    if len(token["body"]) > _MOST_DIGITS or abs(_exponent(token)) > _LARGEST_EXPONENT:
        return NumberReading(token_text, None, f"unparsed: a number of more than {_MOST_DIGITS} digits", place=place)
    by_locale = {
        name: _signed(token, LOCALES[name]) for name in dict.fromkeys((*_COMPARED, *([locale] if locale != AUTO else [])))
    }
    values = {name: value * scale for name, value in by_locale.items() if value is not None}
    if locale == AUTO:
        if len(set(values.values())) == 1:
            return NumberReading(token_text, next(iter(values.values())), place=place)
        return NumberReading(token_text, None, _unclear(token_text, values), tuple(values.items()), place)
    own = values.get(locale)
    alternatives = tuple((name, value) for name, value in values.items() if value != own)
    but = f"; it is {_readings(alternatives, ', ')}" if alternatives else ""
    why = "" if own is not None else f"unparsed: {token_text!r} is no number in locale {locale}{but}"
    return NumberReading(token_text, own, why, alternatives, place)


def _unclear(token_text: str, values: Mapping[str, Fraction]) -> str:
    if not values:
        return f"unparsed: {token_text!r} is no number in any locale"
    return f"unparsed: {token_text!r} is {_readings(values.items(), ' or ')}"


def _readings(values: Iterable[tuple[str, Fraction]], joint: str) -> str:
    """The different values with the first locale of each."""
    names: dict[Fraction, str] = {}
    for name, value in values:
        names.setdefault(value, name)
    return joint.join(f"{number_text(value)} in {name}" for value, name in names.items())


def _fraction(token: re.Match[str]) -> Fraction | None:
    """The value of a token that is no decimal number; None for a date, a time, or a division by nothing."""
    if token["clock"] or token["chain"]:
        return None
    if token["over"]:
        over, under, whole = token["over"].replace("−", "-"), token["under"], "0"
    elif token["vulgar"]:
        over, under = map(str, _FRACTIONS[token["vulgar"]])
        whole = token["part"] or "0"
    else:
        over, under, whole = token["above"], token["below"], token["mixed"] or "0"
    if max(map(len, (over, under, whole))) > _MOST_DIGITS or not int(under):
        return None
    return _sign(token) * (int(whole) + Fraction(int(over), int(under)))


def _sign(token: re.Match[str]) -> int:
    return -1 if ((token["sign"] or "+") in "-−–") != ((token["late"] or "+") in "-−–") else 1


def _exponent(token: re.Match[str]) -> int:
    digits = token["e"] or token["ten"] or (token["tens"] or "").translate(_UP)
    try:
        return int(digits.replace("−", "-") or 0)
    except ValueError:
        return _LARGEST_EXPONENT + 1


def _signed(token: re.Match[str], convention: Convention) -> Fraction | None:
    value = read_decimal(token["body"], convention)
    if value is None:
        return None
    exponent = _exponent(token)
    return _sign(token) * (value * Fraction(10) ** exponent if exponent else value)


@lru_cache(maxsize=32)
def _patterns(convention: Convention) -> tuple[re.Pattern[str], ...]:
    point = f"[{re.escape(convention.decimal)}٫]"
    group = f"[{re.escape(convention.groups)}{_ANYWHERE}]"
    forms = [
        rf"(?P<whole>\d+)(?:{point}(?P<decimals>\d+))?",
        rf"(?P<whole>[1-9]\d{{0,2}}({group})\d{{3}}(?:\2\d{{3}})*)(?:{point}(?P<decimals>\d+))?",
        rf"(?P<whole>){point}(?P<decimals>\d+)",
    ]
    if convention.has_lakhs:
        forms.append(rf"(?P<whole>[1-9]\d?(?:,\d\d)*,\d{{3}})(?:{point}(?P<decimals>\d+))?")
    return tuple(map(re.compile, forms))


@lru_cache(maxsize=8192)
def read_decimal(body: str, convention: Convention) -> Fraction | None:
    """The value of digits with their points and commas; None where the convention does not write numbers so."""
    for pattern in _patterns(convention):
        if match := pattern.fullmatch(body):
            digits = "".join(sign for sign in match["whole"] if sign.isdigit())
            decimals = match["decimals"] or ""
            return Fraction(int(digits + decimals or "0"), 10 ** len(decimals))
    return None


def number_text(value: Fraction) -> str:
    """A value as a person writes it: decimals with a point where they end soon, else a fraction."""
    if value.denominator == 1:
        text = str(value.numerator)
        return text if len(text) <= 40 else f"{text[:20]}… ({len(text)} digits)"
    for places in range(1, 13):
        if (value * 10**places).denominator == 1:
            digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
            text = f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
            return text if len(text) <= 40 else f"{text[:20]}…"
    text = str(value)
    return text if len(text) <= 40 else f"{text[:20]}…"
