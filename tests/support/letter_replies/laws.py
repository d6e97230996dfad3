"""Laws of reading a letter: each takes a rule, a half's material and a reply, and returns what breaks it, or None."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from letter_replies.building import sentence
from letter_replies.model import (
    AMBIGUOUS,
    DECLARES,
    LAST,
    LIST,
    MIDDLE,
    OPEN,
    RETRACTION,
    STRONG,
    TEXT_ONLY,
    Half,
    Reply,
    Wrapper,
    compiled,
)


class Outcome(Protocol):
    """What a rule returns."""

    @property
    def letter(self) -> str | None:
        """The letter, or None."""

    @property
    def reason(self) -> str:
        """Why there is none."""

    @property
    def note(self) -> str:
        """What is noted of the letter."""


class Rule(Protocol):
    """A rule that reads replies."""

    def __call__(self, text: str, n_options: int, texts: Sequence[str], finished: bool | None) -> Outcome:
        """Read a reply; the texts are empty where they are withheld, `finished` is None where nobody knows."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A reading that breaks a law."""

    law: str
    family: str
    ending: str
    seed: str
    text: str
    options: tuple[str, ...]
    expected: str
    actual: str

    def __str__(self) -> str:
        return (
            f"{self.law} [{self.family}, {self.ending}, {self.seed}] expected {self.expected}, read {self.actual}: "
            f"{self.text!r} of {self.options}"
        )


def _violation(law: str, reply: Reply, text: str, expected: object, actual: object) -> Violation:
    return Violation(law, reply.family, reply.ending, reply.seed, text, reply.options.texts, str(expected), str(actual))


def _read(rule: Rule, reply: Reply, text: str, finished: bool | None = True) -> str | None:
    return rule(text, len(reply.options.texts), reply.options.texts, finished).letter


def _letter(reply: Reply) -> str | None:
    return None if reply.reading == AMBIGUOUS else reply.reading


def no_other_letter(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """A reply is read as the letter that it gives, or not at all."""
    letter = _read(rule, reply, reply.text, None if MIDDLE in reply.flags else True)
    if letter in (None, _letter(reply)):
        return None
    return _violation("wrong letter", reply, reply.text, reply.reading, letter)


def texts_withheld(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """Knowing the texts turns unread into read or a letter into `ambiguous`, never a letter into another."""
    n = len(reply.options.texts)
    withheld = rule(reply.text, n, (), True).letter
    reading = rule(reply.text, n, reply.options.texts, True)
    if withheld is None or reading.letter == withheld:
        return None
    if reading.letter is None and (reading.reason == AMBIGUOUS or withheld != reply.reading):
        return None
    return _violation("texts withheld", reply, reply.text, f"{withheld} or ambiguous", reading.letter or reading.reason)


def _places(reply: Reply, chance: Random) -> dict[str, int]:
    chosen = reply.options.labels.index(reply.reading or "A")
    others = [at for at in range(len(reply.options.texts)) if at != chosen]
    chance.shuffle(others)
    return {"L": chosen, **dict(zip("XYZ", others * 3, strict=False))}


def added(half: Half, reply: Reply) -> Iterator[str]:
    """The reply with a sentence that declares nothing before it, and with one after it."""
    chance = Random(f"added/{reply.seed}")
    places, table = _places(reply, chance), reply.options
    listed = LIST in reply.flags or "\n" in reply.text or reply.text.startswith(("{", "#", "<"))
    for place in ("last", "after"):
        parts, kind = sentence(half, table, reply.language, places, chance, place)
        words = Reply(parts, table, None, "", "", reply.language).text
        unclear = kind == "fact" or STRONG not in reply.flags
        space = "\n" if listed or (unclear and place == "after") or chance.random() < 0.4 else " "
        stop = "" if space == "\n" or reply.text.endswith((".", "。", "!")) else "."
        yield words + space + reply.text if place == "last" else reply.text + stop + space + words


def sentence_added(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """A sentence that declares nothing leaves a declared letter, or makes it unread."""
    if DECLARES not in reply.flags:
        return None
    allowed = {None, reply.reading}
    if _read(rule, reply, reply.text) not in allowed:
        return None
    for text in added(half, reply):
        letter = _read(rule, reply, text)
        if letter not in allowed:
            return _violation("sentence added", reply, text, reply.reading, letter)
    return None


_STOP = re.compile(r"[.!?。！？؟।\n]")
_MARKS = " \t\n*_`'\"“”„‘’«»「」『』()[]{}<>$.:,;-–—=#"


def _last_sentence(text: str) -> str:
    return _STOP.split(text.rstrip())[-1].strip(_MARKS)


def looks_whole(reply: Reply, cut: str) -> bool:
    """Whether a reply that stops here looks as if it were meant to: it ends in a label, a text, or a full stop.

    Of an import nobody knows that it was cut. Where its last sentence is a label, a text, or a label with its text, it reads
    as an answer; after a full stop it may be read by the only option text.
    """
    bare = cut.rstrip().rstrip(_MARKS)
    last = _last_sentence(cut)
    if not bare or re.search(r"(?<![A-Za-z])[A-Za-z]$", bare) or cut.rstrip().endswith(tuple(".!?。！？؟।")):
        return True
    folded = last.casefold()
    texts = [text.casefold() for text in reply.options.texts]
    if folded in texts or any(text.startswith(folded) and len(folded) > 1 for text in texts):
        return True
    if any(bare.casefold().endswith(text.rstrip(_MARKS)) for text in texts):
        return True
    return bool(re.match(r"[\W_]*[A-Z]\b(?![ ']?[a-z])", cut.strip().split("\n")[-1]))


def _only_letter(cut: str) -> bool:
    """Whether the cut is a single letter, said once or twice, or one line that begins with a label and its mark, or nothing.

    A label and the first letter of its text cannot be told from a letter that is said twice.
    """
    line = re.sub(r"[*_`]", "", cut).strip().strip(_MARKS)
    return (
        len(line) <= 1
        or re.fullmatch(r"([A-Z])\W+\1", line) is not None
        or ("\n" not in line and bool(re.match(r"[A-Z]\s*(?:$|[).:(\]—–-])", line)))
    )


def cut_anywhere(rule: Rule, half: Half, reply: Reply, share: float = 0.1) -> Violation | None:
    """A cut reply gives its letter or none; one with a retraction only behind the last declaration."""
    if reply.reading is None or reply.reading == AMBIGUOUS:
        return None
    chance = Random(f"cut/{reply.seed}")
    text, end = reply.text, reply.place(reply.end)
    for at in range(1, len(text)):
        if (RETRACTION in reply.flags and at < end) or chance.random() >= share:
            continue
        cut = text[:at]
        if _only_letter(cut):
            continue
        for finished in (False, None):
            if finished is None and looks_whole(reply, cut):
                continue
            letter = _read(rule, reply, cut, finished)
            if letter not in (None, reply.reading):
                name = "cut" if finished is False else "cut, not known"
                return _violation(name, reply, cut, f"{reply.reading} or none", letter)
    return None


def cut_behind(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """A letter that is declared with a cue stands, where the reply is cut in a later sentence or not."""
    if STRONG not in reply.flags or LAST in reply.flags or _read(rule, reply, reply.text) != reply.reading:
        return None
    chance = Random(f"behind/{reply.seed}")
    text, end = reply.text, reply.place(reply.end)
    if len(text) < end + 8:
        return None
    cut = text[: chance.randrange(end + 3, len(text) - 2)]
    for finished in (False,) if looks_whole(reply, cut) else (False, None):
        letter = _read(rule, reply, cut, finished)
        if letter != reply.reading:
            return _violation("cut behind", reply, cut, reply.reading, letter)
    return None


def unfinished_import(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """An import that stops in the middle is read as a live reply that was cut; one whose last line declares is whole."""
    if MIDDLE in reply.flags:
        for finished in (False, None):
            letter = _read(rule, reply, reply.text, finished)
            if letter is not None:
                return _violation("middle", reply, reply.text, None, letter)
        return None
    if LAST in reply.flags:
        letters = [_read(rule, reply, reply.text, finished) for finished in (None, True)]
        return None if letters[0] == letters[1] else _violation("whole import", reply, reply.text, letters[1], letters[0])
    text, begin, end = reply.text, reply.place(reply.begin), reply.place(reply.end)
    chance = Random(f"unfinished/{reply.seed}")
    at = chance.randrange(1, max(len(text), 2))
    cut = text[:at]
    if OPEN in reply.flags or begin <= at <= end or _only_letter(cut) or looks_whole(reply, cut):
        return None
    letters = [_read(rule, reply, cut, finished) for finished in (None, False)]
    return None if letters[0] == letters[1] else _violation("unfinished import", reply, cut, letters[1], letters[0])


def labels_swapped(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """Two labels that are exchanged in the reply exchange the letter; with A or I, or beside a text, it may be unread."""
    chance = Random(f"swap/{reply.seed}")
    labels = reply.options.labels
    one = reply.reading if reply.reading in tuple(labels) else chance.choice(labels)
    other = chance.choice([label for label in labels if label != one])
    if TEXT_ONLY in reply.flags:
        return None
    text = reply.swapped(one, other)
    expected = other if reply.reading == one else None
    finished = None if MIDDLE in reply.flags else True
    letter = _read(rule, reply, text, finished)
    lenient = {one, other} & {"A", "I"} or reply.named_texts or _read(rule, reply, reply.text, finished) is None
    if letter == expected or (letter is None and lenient):
        return None
    return _violation("labels swapped", reply, text, expected, letter)


def options_permuted(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """Permuted options move the letter of a reply that has only text, and leave that of one that has only labels."""
    letter = _read(rule, reply, reply.text)
    if letter is None or letter != reply.reading:
        return None
    chance = Random(f"permuted/{reply.seed}")
    order = list(range(len(reply.options.texts)))
    chance.shuffle(order)
    texts = tuple(reply.options.texts[at] for at in order)
    labels = reply.options.labels
    moved = labels[order.index(labels.index(letter))]
    actual = rule(reply.text, len(order), texts, True).letter
    if TEXT_ONLY in reply.flags:
        return None if actual == moved else _violation(f"permuted {order}", reply, reply.text, moved, actual)
    if actual == letter or (actual is None and reply.named_texts):
        return None
    return _violation(f"permuted {order}", reply, reply.text, letter, actual)


def _around(half: Half, reply: Reply, chance: Random) -> Iterator[tuple[str, str]]:
    """The reply in one wrapper of each kind that suits it."""
    token = chance.choice(half.tokens)
    yield token.name, token.before + reply.text + token.after
    if DECLARES in reply.flags and reply.wrappable:
        wrapper: Wrapper = chance.choice(half.label_wrappers)
        if reply.text.find(f"*{reply.reading}") < 0 or "*" not in wrapper.before:
            yield f"label in {wrapper.name}", reply.wrapped(wrapper).text
    if reply.family == "bare" and not re.search(r"[\n*`{<\[#$\"„“”«»]", reply.text):
        wrapper = chance.choice(half.reply_wrappers)
        yield wrapper.name, wrapper.before + reply.text + wrapper.after


def wrapped(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """What stands around a label or a reply without a word of its own changes nothing."""
    base = _read(rule, reply, reply.text)
    for name, text in _around(half, reply, Random(f"wrapped/{reply.seed}")):
        letter = _read(rule, reply, text)
        if letter != base and (base is not None or letter != _letter(reply)):
            return _violation(f"wrapped: {name}", reply, text, base, letter)
    return None


def joined_ambiguous(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """Several letters in one breath are `ambiguous`."""
    if reply.reading != AMBIGUOUS:
        return None
    reading = rule(reply.text, len(reply.options.texts), reply.options.texts, True)
    if reading.letter is None and reading.reason == AMBIGUOUS:
        return None
    return _violation("joined", reply, reply.text, AMBIGUOUS, reading.letter or reading.reason)


def last_wins(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """A declaration with a cue that follows on another one counts."""
    if DECLARES not in reply.flags or len(reply.options.texts) < 2:
        return None
    chance = Random(f"last/{reply.seed}")
    turns = [turn.phrase for turn in half.turns if turn.language == reply.language]
    forms = [
        ending.phrase
        for ending in half.endings
        if ending.language == reply.language and "strong" in ending.traits and not ending.has_text
    ]
    if not turns or not forms:
        return None
    places = _places(reply, chance)
    places["L"], places["X"] = places["X"], places["L"]
    later = Reply(compiled(chance.choice(forms), places), reply.options, None, "", "", reply.language).text
    text = f"{reply.text}\n{chance.choice(turns)}\n{later}"
    expected = reply.options.labels[places["L"]]
    letter = _read(rule, reply, text)
    return None if letter in (None, expected) else _violation("last wins", reply, text, expected, letter)


def bare_letter_noted(rule: Rule, half: Half, reply: Reply) -> Violation | None:
    """A letter that is both a label and another option's text is the label, with a note."""
    texts = reply.options.texts
    shared = reply.reading in texts and texts.index(reply.reading) != reply.options.labels.index(reply.reading)
    if not shared or reply.family != "bare" or reply.named_texts:
        return None
    reading = rule(reply.text, len(texts), texts, True)
    if reading.letter == reply.reading and reading.note:
        return None
    actual = f"{reading.letter or reading.reason}, note {reading.note!r}"
    return _violation("bare letter", reply, reply.text, f"{reply.reading} with a note", actual)


Law = Callable[[Rule, Half, Reply], Violation | None]
LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (
        no_other_letter, texts_withheld, sentence_added, cut_anywhere, cut_behind, unfinished_import, labels_swapped,
        options_permuted, wrapped, joined_ambiguous, last_wins, bare_letter_noted,
    )
}  # fmt: skip
"""Every law by its name."""
