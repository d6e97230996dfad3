"""Quotes that say something else than their document, and quotes that only look otherwise: both written before the rule.

In a sentence of `quote_sentences`, `{a|b}` says: the document has *a* here, a planted quote *b*. Every place is planted by
itself, the rest stays word for word.
"""

import random
import re
import unicodedata
from pathlib import Path

_HERE = Path(__file__).parent / "quote_sentences"
SEEN, ASIDE = (tuple((_HERE / f"{half}.txt").read_text("utf-8").splitlines()) for half in ("seen", "aside"))

_PLACE = re.compile(r"\{([^|{}]*)\|([^{}]*)\}")
_LONG = re.compile(r"[^\W\d_]{7,}")
_BEFORE = "This page is taken from the handbook of a harbour. It has several chapters, and a list of signs.\n\n"
_BEHIND = "\n\nThe next chapter tells of the lighthouse and of its keepers.\n"
_LIGATURES = (("ffi", "\ufb03"), ("ffl", "\ufb04"), ("ff", "\ufb00"), ("fi", "\ufb01"), ("fl", "\ufb02"))
# Words of the closed classes among them: a letter of these may not be mended.
_WORDS_THAT_TURN = {"without", "outside", "already", "sixteen", "nothing", "neither", "another", "besides", "against"}
_WORDS_THAT_TURN |= {"neppure", "tampoco", "superior", "inferior", "niemals", "nessuno"}


def said(sentence: str) -> str:
    """A sentence as its document has it."""
    return _PLACE.sub(lambda place: place[1], sentence)


def planted(sentences: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """(document, quote, what was planted): every marked place by itself, then every digit by itself."""
    found: list[tuple[str, str, str]] = []
    for sentence in sentences:
        document = _BEFORE + said(sentence) + _BEHIND
        for chosen in _PLACE.finditer(sentence):
            quote = said(sentence[: chosen.start()]) + chosen[2] + said(sentence[chosen.end() :])
            found.append((document, " ".join(quote.split()), chosen[0]))
        text = said(sentence)
        for digit in re.finditer(r"\d", text):
            other = str((int(digit[0]) + 1) % 10)
            found.append((document, text[: digit.start()] + other + text[digit.end() :], f"{digit[0]}->{other}"))
    return found


def honest(sentences: tuple[str, ...], times: int = 9) -> list[tuple[str, str, str]]:
    """(document, quote, what the document has for it): set otherwise; every second one has a wrong letter in a long word."""
    chance = random.Random(31)
    found: list[tuple[str, str, str]] = []
    for sentence in sentences:
        for time in range(times):
            text = _remarked(said(sentence), chance)
            printed = _printed(text, chance)
            quote = _copied(text, chance)
            if time % 2:
                quote = _slipped(quote, chance)
            found.append((_BEFORE + printed + _BEHIND, quote, printed))
    return found


def _remarked(text: str, chance: random.Random) -> str:
    """With a remark between dashes, in quotation marks."""
    words = text.split(" ")
    at = chance.randrange(2, len(words) - 2)
    return " ".join([*words[:at], "\u2013 \u201cofficial flow\u201d, the keeper\u2019s word \u2013", *words[at:]])


def _printed(text: str, chance: random.Random) -> str:
    """As a PDF has it: lines, words parted at their ends, soft hyphens, ligatures, other spaces."""
    for letters, ligature in _LIGATURES:
        if chance.random() < 0.7:
            text = text.replace(letters, ligature)
    words = text.split(" ")
    for index, word in enumerate(words):
        if not re.fullmatch(r"[^\W\d_]{6,}", word):
            continue
        drawn, at = chance.random(), chance.randrange(2, len(word) - 2)
        if drawn < 0.25:
            words[index] = word[:at] + chance.choice(("-\n", "\u00ad\n", "\u2010\n")) + word[at:]
        elif drawn < 0.35:
            words[index] = word[:at] + "\u00ad" + word[at:]
    return "".join(word + chance.choice((" ", " ", " ", "\n", "\u00a0", "  ")) for word in words).rstrip()


def _copied(text: str, chance: random.Random) -> str:
    """As a model writes it: straight marks or others, plain dashes, now and then other spaces or letters taken apart."""
    marks = chance.choice(('""', "\u201e\u201c", "\u00ab\u00bb", "''"))
    text = text.replace("\u201c", marks[0]).replace("\u201d", marks[1]).replace("\u2019", "'")
    text = text.replace("\u2013", chance.choice(("-", "\u2014", "\u2013")))
    if chance.random() < 0.3:
        text = text.replace(" ", "  ", 3)
    return unicodedata.normalize("NFD", text) if chance.random() < 0.2 else text


def _slipped(quote: str, chance: random.Random) -> str:
    """One letter inside a long word changed, lost or added."""
    quote = unicodedata.normalize("NFC", quote)
    words = [word for word in _LONG.finditer(quote) if word[0].casefold() not in _WORDS_THAT_TURN]
    word = chance.choice(words)
    at = word.start() + chance.randrange(2, len(word[0]) - 2)
    letter = chance.choice([one for one in "kqwxz" if one != quote[at]])
    return quote[:at] + chance.choice((letter, letter + quote[at], "")) + quote[at + 1 :]
