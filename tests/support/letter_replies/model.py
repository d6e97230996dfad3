"""Data types of generated replies: option sets, phrases with slots, replies with their true letter.

Phrases hold slots: `‹L›` is the declared option's label, `‹LT›` its text, `‹Lt›` its text as it stands within a sentence;
X, Y and Z are other options. In a reply slots are characters of the private use area, so that labels can be exchanged
without touching a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from string import ascii_uppercase

SLOT = re.compile("‹([LXYZ])([Tt]?)›")
LABEL, TEXT, LOWER = 0xE000, 0xE100, 0xE200
AMBIGUOUS = "ambiguous"
"""The true reading of a reply that gives several letters in one breath."""

RETRACTION = "retraction"
"""The reply takes an earlier declaration back, or declares more than once."""
DECLARES = "declares"
"""The reply declares a letter; bounds on unread replies count these."""
STRONG = "strong"
"""The declaration has a cue of its own (answer is, boxed, choose); a cut behind it does not make it a mere mention."""
TEXT_ONLY = "text_only"
"""The reply picks an option by its text and has no label."""
OPEN = "open"
"""Unread is as good as the letter; another letter is wrong all the same."""
LAST = "last"
"""The declaration is the last thing the reply says."""
LIST = "list"
"""The reply goes through the options line by line."""
MIDDLE = "middle"
"""The reply stops in the middle of a sentence; nothing tells so but its end."""


@dataclass(frozen=True, slots=True)
class OptionSet:
    """The options of one question."""

    name: str
    language: str
    texts: tuple[str, ...]
    traits: frozenset[str] = frozenset()
    """`nouns`: a text can be the subject of a sentence. `common`: it is written small within one. `letters`: a text is
    itself a letter. `above`: a text speaks of other options. `symbols`: the texts belong to no language. `verbal`: a text is
    a verdict itself (yes, false)."""
    facts: tuple[tuple[str, ...], ...] = ()
    """Sentences about each option, as its subject `‹XT›`, which neither pick it nor rule it out."""
    objections: tuple[tuple[str, ...], ...] = ()
    """Sentences that rule each option out."""

    @property
    def labels(self) -> str:
        """A, B, ... as many as there are options."""
        return ascii_uppercase[: len(self.texts)]

    def within(self, text: str) -> str:
        """A text as it stands within a sentence."""
        return text[:1].lower() + text[1:] if "common" in self.traits else text


@cache
def _table(options: OptionSet, labels: str) -> dict[int, str]:
    table: dict[int, str] = {}
    for index, text in enumerate(options.texts):
        table |= {LABEL + index: labels[index], TEXT + index: text, LOWER + index: options.within(text)}
    return table


def compiled(phrase: str, places: Mapping[str, int]) -> str:
    """Put the options' indices into the slots of a phrase."""
    base = {"": LABEL, "T": TEXT, "t": LOWER}
    return SLOT.sub(lambda slot: chr(base[slot[2]] + places[slot[1]]), phrase)


@dataclass(frozen=True, slots=True)
class Ending:
    """One form by which a reply declares a letter."""

    name: str
    language: str
    phrase: str
    traits: frozenset[str] = frozenset()
    """`strong`; `line`: stands on a line of its own; `fixed`: its label cannot be wrapped; `nouns`: for texts that are
    nouns; `text_first`: names the text before the label; `whole`: nothing may follow on the same line."""

    @property
    def has_text(self) -> bool:
        """Whether it names the option's text as well."""
        return "‹LT›" in self.phrase or "‹Lt›" in self.phrase

    def suits(self, options: OptionSet) -> bool:
        """Whether a speaker would use it with these options."""
        if "nouns" in self.traits and "nouns" not in options.traits:
            return False
        if self.has_text and options.language not in (self.language, "any") and "nouns" in self.traits:
            return False
        return not ("text_first" in self.traits and options.traits & {"letters", "above"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence or a whole reply with slots, in one language."""

    language: str
    phrase: str
    kind: str = ""
    nouns: bool = False
    """For texts that are nouns of this language alone."""

    @property
    def has_label(self) -> bool:
        """Whether it names an option by its label."""
        return any(not slot[1] for slot in SLOT.findall(self.phrase))

    @property
    def has_text(self) -> bool:
        """Whether it names an option by its text."""
        return any(slot[1] for slot in SLOT.findall(self.phrase))

    @property
    def n_slots(self) -> int:
        """How many options besides the declared one it needs."""
        return len({slot[0] for slot in SLOT.findall(self.phrase)} - {"L"})

    def suits(self, options: OptionSet, language: str) -> bool:
        """Whether a reply in this language to this question would say it."""
        if self.language != language or self.n_slots >= len(options.texts):
            return False
        if "letters" in options.traits and self.has_label and self.has_text:
            return False
        return not self.nouns or ("nouns" in options.traits and options.language in (language, "any"))


def phrases(language: str, kind: str, texts: Iterable[str], nouns: bool = False) -> tuple[Phrase, ...]:
    """Phrases of one language and kind."""
    return tuple(Phrase(language, text, kind, nouns) for text in texts)


@dataclass(frozen=True, slots=True)
class Wrapper:
    """What may stand around a label or a whole reply without changing what it says."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Half:
    """All material of one half of the generators: the seen one, or the one set aside."""

    name: str
    option_sets: tuple[OptionSet, ...]
    endings: tuple[Ending, ...]
    remarks: tuple[Phrase, ...]
    """Sentences that declare nothing; X and Y are options other than the declared one."""
    openers: tuple[Phrase, ...]
    """Sentences that name no option."""
    retractions: tuple[Phrase, ...]
    """Whole replies that take an earlier letter back; L stands at last."""
    turns: tuple[Phrase, ...]
    """What stands between two declarations of which the last counts."""
    joins: tuple[Phrase, ...]
    """Whole replies that give several options in one breath."""
    text_answers: tuple[Phrase, ...]
    """Whole replies that name an option by its text alone."""
    silences: tuple[Phrase, ...]
    """Whole replies that pick nothing."""
    middles: tuple[Phrase, ...]
    """Replies that stop in the middle and only mention options."""
    verdicts: tuple[tuple[str, str, str, str], ...]
    """Of walks through the options: language, a line's form, what it says of a wrong option, and of the right one."""
    label_wrappers: tuple[Wrapper, ...]
    reply_wrappers: tuple[Wrapper, ...]
    """Around replies of one line that only declare."""
    tokens: tuple[Wrapper, ...]
    """Around any reply."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A generated reply with what it declares."""

    parts: str
    """The text, with slots as characters of the private use area."""
    options: OptionSet
    reading: str | None
    """The letter that it declares; `AMBIGUOUS`; None where it declares nothing."""
    family: str
    ending: str
    language: str
    flags: frozenset[str] = frozenset()
    begin: int = 0
    """Where in `parts` the last declaration begins."""
    end: int = 0
    """Where in `parts` it ends."""
    seed: str = ""
    wrappable: bool = field(default=False)
    """Whether the declared label may be wrapped."""

    @property
    def text(self) -> str:
        """The reply as a model sends it."""
        return self.parts.translate(_table(self.options, self.options.labels))

    def swapped(self, one: str, other: str) -> str:
        """The reply with two labels exchanged, option texts as they are."""
        exchanged = self.options.labels.translate({ord(one): other, ord(other): one})
        return self.parts.translate(_table(self.options, exchanged))

    def place(self, position: int) -> int:
        """Where a position of `parts` is in the text."""
        return len(self.parts[:position].translate(_table(self.options, self.options.labels)))

    @property
    def named_texts(self) -> frozenset[int]:
        """The options that it names by their text."""
        return frozenset((ord(char) - TEXT) & 0xFF for char in self.parts if TEXT <= ord(char) < LOWER + 0x100)

    @property
    def named_labels(self) -> frozenset[int]:
        """The options that it names by their label."""
        return frozenset(ord(char) - LABEL for char in self.parts if LABEL <= ord(char) < TEXT)

    @property
    def declares(self) -> bool:
        """Whether bounds on unread replies count it."""
        return DECLARES in self.flags and OPEN not in self.flags

    def wrapped(self, wrapper: Wrapper) -> Reply:
        """The same reply with its declared label wrapped."""
        mark = chr(LABEL + self.options.labels.index(self.reading or ""))
        span = self.parts[self.begin : self.end].replace(mark, f"{wrapper.before}{mark}{wrapper.after}", 1)
        return replace(self, parts=self.parts[: self.begin] + span + self.parts[self.end :], end=self.begin + len(span))
