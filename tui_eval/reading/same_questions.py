"""Questions that ask one thing: those alone whose answers agree, whose quotes overlap, and which differ in nothing that tells
two things apart. Two that only share a frame, such as one about berth 4 and one about berth 5, are two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tui_eval.reading.folding import folded
from tui_eval.reading.numerals import numerals_in
from tui_eval.reading.question_checks import alike, has_no_blanks
from tui_eval.reading.turning_words import NUMBER_WORDS, UNMAKING, is_negation, plain, poles


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HOW = _words("""
how wie wieviel combien quanto quanta quanti quante cuanto cuanta cuantos cuantas que cuan so as too zu
""")
"""Behind these an adjective says what is measured, and opposes nothing."""
ARTICLES = _words("""
der die das den dem des ein eine einen einem einer eines im am vom zum zur beim ins ans welche welcher welches welchem
welchen wieviele viele alle diese dieser dieses diesem diesen jede jeder jedes sein seine ihr ihre seiner ihrer und
""")
GERMAN = _words("""
der die das den dem des ein eine einer eines einem einen ist sind wird wurde wurden hat haben wie wer wen wem was wann wo
warum welche welcher welches welchem welchen im am vom zum zur und nicht fur mit auf bei nach von darf muss kann viele lange
""")
SMALL_WORDS = _words("""
the a an of in on at to for from by with as into onto during according among per via and or but if than then so that this
these those there here it its they them their he she his her him we our you your i me my is are was were be been being am do
does did done has have had having can could may might must shall should will would what which who whom whose when where why
how much many kind kinds sort sorts type types name names called number amount any some other also about der die das den dem
des ein eine einen einem einer eines im vom zum zur beim auf bei zu von fur mit um aus durch und oder aber wenn als dass es
er sie ihr ihre sein seine man sich ist sind war waren wird werden wurde wurden hat haben hatte kann konnen darf durfen muss
mussen soll sollen wer wen wem wessen wann wo woher wohin welche welcher welches welchem welchen warum wieso weshalb wie
viel viele heisst lautet namen anzahl zahl gibt le la les l un une du de d en au aux dans par pour sur avec et ou mais si
que qui quoi quel quelle quels quelles quand pourquoi comment combien est sont etait etaient ont il elle se sa son ses ce
cette ces y fut nom nombre y-a el los las una unos unas del al por para sobre con e o pero quien quienes cual cuales cuando
donde como cuanto cuanta cuantos cuantas era fue fueron hay su sus esta este esto ha han lo numero gli uno della dello dei
degli delle di da dal dalla nel nella nei negli col tra fra ed od ma che chi quale quali quando dove perche come quanto
quanta quanti quante sono fu furono hanno suo sua nome qual
""")
ENDINGS = _words("""
a e i o s n r t d m y as os es is us en er em et st te ten tet nd ed ing ings ion ions ung ungen or ors ers ment ments al ly
ies ied ness ce nce e-s re res rs se ses ne nes nen nde nden ern ere eren eres erem erer este esten ste sten tion ado ada
ados adas ido ida ati ato ata ite ito ita ant ante ants ent ente ents ar ir ar-se are ire ra ron mente mos
""") | {""}
"""What may follow the stem of a word."""
ABBREVIATED: Mapping[str, str] = {
    word: line.split()[0]
    for line in """
        m metre metres meter meters metern metro metros metri metres
        km kilometre kilometres kilometer kilometers kilometern kilometro kilometros chilometro chilometri
        cm centimetre centimetres centimeter centimeters zentimeter zentimetern centimetro centimetros centimetri
        mm millimetre millimetres millimeter millimeters milimetro milimetros millimetro millimetri
        l litre litres liter liters litern litro litros litri
        kg kilogram kilograms kilogramme kilogrammes kilogramm kilo kilos chilo chili chilogrammi
        g gram grams gramme grammes gramm gramo gramos grammo grammi
        mg milligram milligrams milligramm miligramo miligramos milligrammi
        t tonne tonnes ton tons tonnen tonelada toneladas tonnellata tonnellate
        h hour hours hr hrs stunde stunden heure heures hora horas ora ore uhr
        min minute minutes mins minuten minuto minutos minuti
        s second seconds sec secs sekunde sekunden seconde secondes segundo segundos secondo secondi
        eur euro euros
        usd dollar dollars us
        gbp pound pounds pfund
        percent prozent pourcent ciento cento pct
        degrees degree grad degre degres grado grados gradi
        c celsius
    """.strip().splitlines()
    for word in line.split()
}
"""How units are written."""


SHARED = 0.4
"""How much of the words of the shorter question, small ones aside, the other has to have as well."""
_RUN = 12
"""Characters, folded, that the end of one quote and the beginning of another share at least where they overlap."""
_SLOT = 3
"""Words that a place of a frame holds at most."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_SIGNS = {"€": " eur ", "$": " usd ", "£": " gbp ", "%": " percent ", "°": " degrees "}
_TWO_SENSES = frozenset(("due", "once", "sei", "cent", "one", "acht"))
"""Words for numbers that are other words in another of the languages."""
_RESTRICTS = frozenset(("only", "nur"))


@dataclass(frozen=True)
class GroundedQuestion:
    """A question with what it rests on."""

    question: str
    answer: str
    quote: str = ""
    document: str = ""
    """Which one it is about: questions of two documents are two."""
    at: int | None = None
    """Where its quote begins in the document; None where that is not known."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words as they stand."""
        return tuple(_WORD.findall(self.question))

    @cached_property
    def marks(self) -> frozenset[str]:
        """Numbers, negations and opposites: what two ways to ask one thing have in common."""
        return _marks(self.question)

    @cached_property
    def content(self) -> frozenset[str]:
        """Its words without small ones and numbers."""
        return frozenset(_content(self.words))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in it, so far as capitals tell."""
        return frozenset(_names(self.words, self.quote))


def duplicates(questions: Sequence[GroundedQuestion]) -> list[int | None]:
    """Of each question the index of the earlier one that it repeats, or None; a repeated one is compared with no other."""
    indices_by_key: dict[tuple[str, frozenset[str]], list[int]] = {}
    originals: list[int | None] = []
    for i, question in enumerate(questions):
        alike_so_far = indices_by_key.setdefault((question.document, question.marks), [])
        first = next((j for j in alike_so_far if same_question(questions[j], question)), None)
        originals.append(first)
        if first is None:
            alike_so_far.append(i)
    return originals


def same_question(first: GroundedQuestion, second: GroundedQuestion) -> bool:
    """Return whether two questions ask one thing.

    Their answers agree; neither has a number, a name, a negation or an opposite (first, north, maximum) that the other lacks;
    their quotes, where both have one, overlap; enough of their words are the same; and they do not ask about different words of
    what is quoted. Without quotes, they are not one sentence with another word in it. In scripts without blanks they are alike,
    character by character.
    """
    if first.document != second.document or first.marks != second.marks or first.names != second.names:
        return False
    if not answers_agree(first.answer, second.answer) or not _overlap(first, second):
        return False
    if has_no_blanks(first.question) or has_no_blanks(second.question):
        return alike(first.question, second.question)
    mine, theirs = _without(first.content, second.content), _without(second.content, first.content)
    fewest = min(len(first.content), len(second.content))
    if not fewest:
        return folded(first.question).fold == folded(second.question).fold
    shared = min(len(first.content) - len(mine), len(second.content) - len(theirs)) + len(first.marks)
    if shared < SHARED * (fewest + len(first.marks)) or any(_unmade(a, b) for a in mine for b in theirs):
        return False
    if not (first.quote and second.quote):
        return not _one_frame(first.words, second.words)
    quote_words = frozenset(_content(_WORD.findall(f"{first.quote} {second.quote}")))
    answer_words = frozenset(_content(_WORD.findall(f"{first.answer} {second.answer}")))
    asks = [
        [word for word in own if len(word) > 2 and _has(quote_words, word) and not _has(answer_words, word)]
        for own in (mine, theirs)
    ]
    return not all(asks)


def answers_agree(first: str, second: str) -> bool:
    """Return whether two answers say one thing.

    They have the same numbers, negations and opposites, and but for small words and how units are written, what one says the
    other says, too.
    """
    first, second = _spelled(first), _spelled(second)
    if folded(first).fold.strip(" .") == folded(second).fold.strip(" ."):
        return True
    if not first.strip() or not second.strip() or _marks(first) != _marks(second):
        return False
    mine, theirs = frozenset(_content(_WORD.findall(first))), frozenset(_content(_WORD.findall(second)))
    if not mine and not theirs:
        return bool(_marks(first))
    if has_no_blanks(first) or has_no_blanks(second):
        return folded(first).fold in folded(second).fold or folded(second).fold in folded(first).fold
    if not (mine and theirs):
        return bool(_marks(first)) and _is_unit(mine or theirs)
    return not _without(mine, theirs) or not _without(theirs, mine)


def _one_frame(first_words: Sequence[str], second_words: Sequence[str]) -> bool:
    """Return whether two questions are one sentence with another word, or two, at one place of it."""
    words, other_words = [plain(word) for word in first_words], [plain(word) for word in second_words]
    first = next(
        (i for i, (a, b) in enumerate(zip(words, other_words, strict=False)) if a != b), min(len(words), len(other_words))
    )
    back = zip(reversed(words[first:]), reversed(other_words[first:]), strict=False)
    last = next((i for i, (a, b) in enumerate(back) if a != b), min(len(words), len(other_words)) - first)
    mine, theirs = _content(words[first : len(words) - last]), _content(other_words[first : len(other_words) - last])
    return (
        bool(mine and theirs) and max(len(mine), len(theirs)) <= _SLOT and first + last >= max(len(words), len(other_words)) / 2
    )


def _is_unit(words: frozenset[str]) -> bool:
    """Return whether words beside a number that the other answer lacks may be left out: a unit, a word or two."""
    return len(words) <= 2


def _spelled(answer: str) -> str:
    """An answer with signs of units as words."""
    for sign, word in _SIGNS.items():
        answer = answer.replace(sign, word)
    return answer


@lru_cache(maxsize=4096)
def _marks(text: str) -> frozenset[str]:
    marks = [numeral.value.lstrip("-") for numeral in numerals_in(text)]
    words = [plain(word) for word in _WORD.findall(text)]
    for place, word in enumerate(words):
        if word in NUMBER_WORDS and word not in _TWO_SENSES:
            marks.append(NUMBER_WORDS[word])
        elif not _is_measure(words, place):
            marks += [f"={pole}" for pole in poles(word)] + ["not"] * (is_negation(word) and word not in _RESTRICTS)
    return frozenset(marks)


def _is_measure(words: Sequence[str], place: int) -> bool:
    """Return whether a word only says what is measured, as in "how long", "wie hoch", "quanto è lungo"."""
    before = words[place - 1] if place else ""
    return before in HOW or (before in ("e", "es", "est", "mide") and place > 1 and words[place - 2] in HOW)


def _content(words: Iterable[str]) -> list[str]:
    plain_words = (plain(word).removesuffix("'s").removesuffix("’s") for word in words)
    bare = (word.rpartition("'")[2].rpartition("’")[2] for word in plain_words)
    return [word for word in bare if word and word not in SMALL_WORDS and not word.isdigit() and word not in NUMBER_WORDS]


def _names(words: Sequence[str], quote: str) -> list[str]:
    """Words with a capital, but for what begins the question; in German, where all nouns have one, those without an article
    or an adjective before them; none where every word has one. Single letters and words with a digit are names, too."""
    names = [plain(word) for word in words[1:] if _is_a_sign(word)]
    long = [word for word in words if len(word) > 3]
    small = [plain(word) for word in words]
    if len(long) > 2 and all(word[0].isupper() for word in long):
        return names
    in_german = len(GERMAN & set(small)) > 1
    for place, word in enumerate(words):
        if word[0].isupper() and small[place] not in SMALL_WORDS:
            if place:
                is_name = not in_german or not _is_led_in(words[place - 1])
            else:
                is_name = not in_german and not re.search(rf"\b{re.escape(word.lower())}\b", quote)
            names += _content([word]) if is_name else []
    return names


def _is_a_sign(word: str) -> bool:
    """Return whether a word is a single capital, or has a digit among letters (A1)."""
    return (len(word) == 1 and word.isupper()) or (not word.isdigit() and any(sign.isdigit() for sign in word))


def _is_led_in(before: str) -> bool:
    """Return whether a German noun is no name, going by the word before it: an article, or an adjective in its form."""
    return plain(before) in ARTICLES or (before[0].islower() and plain(before).endswith(("e", "en", "er", "es", "em")))


def _has(words: frozenset[str], word: str) -> bool:
    return word in words or any(_akin(word, other_word) for other_word in words)


def _without(words: frozenset[str], excluded: frozenset[str]) -> list[str]:
    """The words that others do not have in any form."""
    return [word for word in words if not _has(excluded, word)]


@lru_cache(maxsize=20_000)
def _akin(first: str, second: str) -> bool:
    """Return whether two words are forms of one, or one is short for the other (m, metres)."""
    size = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    if size >= 3 and first[size:] in ENDINGS and second[size:] in ENDINGS:
        return size >= 4 or not (first[size:] and second[size:])
    return ABBREVIATED.get(first, first) == ABBREVIATED.get(second, second)


def _unmade(first: str, second: str) -> bool:
    """Return whether one word is the other with a beginning that turns it round."""
    short, long = sorted((first, second), key=len)
    return any(long == beginning + short for beginning in UNMAKING)


def _overlap(question: GroundedQuestion, other_question: GroundedQuestion) -> bool:
    """Return whether two quotes share a place of their document; where their places are not known, whether they may."""
    if not question.quote or not other_question.quote:
        return True
    if question.at is not None and other_question.at is not None:
        return question.at < other_question.at + len(other_question.quote) and other_question.at < question.at + len(
            question.quote
        )
    mine, theirs = folded(question.quote).fold, folded(other_question.quote).fold
    if mine in theirs or theirs in mine:
        return True
    fewest = min(_RUN, len(mine), len(theirs))
    return any(
        first.endswith(second[:size])
        for first, second in ((mine, theirs), (theirs, mine))
        for size in range(fewest, min(len(first), len(second)) + 1)
    )
