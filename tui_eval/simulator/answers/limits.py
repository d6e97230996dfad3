"""Finds how long a prompt wants a text to be: in at most 60 words, in two sentences, as three bullet points, half as long."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Unit = Literal["words", "sentences", "lines", "signs"]
_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_BY_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL, _TENS = _TO_NINETEEN.split(), _BY_TENS.split()
_NUMBERS: Mapping[str, int] = {
    **{word: n for n, word in enumerate(_SMALL)},
    **{word: 10 * n for n, word in enumerate(_TENS, 2)},
    "single": 1,
    "a": 1,
    "hundred": 100,
    "a hundred": 100,
    "one hundred": 100,
    "two hundred": 200,
}
_WRITTEN = rf"(?:(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_SMALL[1:10])})|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_LIMIT = re.compile(
    rf"(?P<floor>\b(?:at least|(?<!no )more than|(?<!no )(?:longer|greater) than|minimum of)\s+)?"
    rf"(?<![\w.])(?P<number>\d{{1,5}}|{_WRITTEN})[- ]"
    r"(?:or (?:fewer|less) )?(?:(?:short|brief|full|plain|simple|complete|clear|concise|single|bullet|key|main)[- ])*"
    r"(?P<unit>words?|sentences?|bullets?|points?|items?|lines?|characters?|letters?)\b",
    re.I,
)
_CAPS = re.compile(
    r"\b(?:at most|no more than|not more than|up to|max(?:imum)?|within|under|below|fewer than|less than|no longer than|"
    r"or fewer|or less|not exceed\w*|limit\w*)\b",
    re.I,
)
_SHARE = re.compile(
    r"\b(?P<share>half|a third|one third|a quarter|one quarter|\d{1,2} ?(?:%|per ?cent)) "
    r"(?:of )?(?:(?:its|the|this|of|original|text|document)(?:'s)? )*(?:length|size|words|text|document|long)\b",
    re.I,
)
_SHARES = {"half": 0.5, "third": 1 / 3, "quarter": 0.25}
_UNITS: Mapping[str, Unit] = {
    **{"word": "words", "sentence": "sentences", "character": "signs", "letter": "signs"},
    **{"bullet": "lines", "point": "lines", "item": "lines", "line": "lines"},
}
_STOP = re.compile(r"[.!?]+(?=[\s\"'”’)]|\Z)")
_COUNTS: Mapping[Unit, Callable[[str], int]] = {
    "words": lambda text: len(text.split()),
    "sentences": lambda text: len(_STOP.findall(text)),
    "lines": lambda text: len(text.splitlines()),
    "signs": len,
}


@dataclass(frozen=True, slots=True)
class Limit:
    """How long a reply may be at most."""

    most: int
    unit: Unit
    exact: bool = False
    """Whether so many are wanted, and no fewer: "in two sentences"."""

    def size(self, text: str) -> int:
        """How long a text is, counted as the limit is."""
        return _COUNTS[self.unit](text)

    def holds(self, text: str) -> bool:
        """Whether a text keeps within it."""
        return self.size(text) <= self.most


def find_limit(orders: str, text: str) -> Limit | None:
    """The first limit in a prompt's own words that is not one from below, for work on this text; or None."""
    for found in _LIMIT.finditer(orders):
        unit = _UNITS[found["unit"].casefold().removesuffix("s")]
        most = _number(found["number"])
        if found["floor"] or most == 0 or (unit != "sentences" and most == 1):
            continue
        around = orders[max(found.start() - 30, 0) : found.end() + 20]
        return Limit(most, unit, unit in ("sentences", "lines") and not _CAPS.search(around))
    if share := _SHARE.search(orders):
        return Limit(max(int(_share(share["share"].casefold()) * len(text.split())), 1), "words")
    return None


def _number(written: str) -> int:
    if written.isdigit():
        return int(written)
    words = written.casefold()
    return _NUMBERS[words] if words in _NUMBERS else sum(_NUMBERS[word] for word in re.split("[- ]", words))


def _share(words: str) -> float:
    digits = re.match(r"\d+", words)
    return int(digits[0]) / 100 if digits else _SHARES[words.split()[-1]]
