"""Works on a text, in its own words and as well as the persona can: makes it shorter, writes it down again, picks from it."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from tui_eval.simulator.answers import grounding
from tui_eval.simulator.answers.prompt import Asked
from tui_eval.simulator.answers.wording import Wording
from tui_eval.simulator.personas import Persona, Verbosity
from tui_eval.simulator.seed import Seed

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
_SHARE_WORDS = re.compile(
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
    """Upper limit on the length of a reply."""

    most: int
    unit: Unit
    exact: bool = False
    """Whether so many are wanted, and no fewer: "in two sentences"."""

    def size(self, text: str) -> int:
        """Return the length of a text, counted as the limit is."""
        return _COUNTS[self.unit](text)

    def holds(self, text: str) -> bool:
        """Return whether a text keeps within it."""
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
    if share := _SHARE_WORDS.search(orders):
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


_SHARE: dict[Verbosity, float] = {"terse": 0.2, "plain": 0.33, "wordy": 0.5}
_MOST_WORDS: dict[Verbosity, int] = {"terse": 40, "plain": 90, "wordy": 180}
"""How long a shortened text is that has no limit: a share of the whole, and never more than so many words."""
_BRIEFER = 0.6
_BEYOND = 1.25
_AROUND = (
    "I have gone through the text more than once for this, and as far as I can see it comes down to what follows. {body} "
    "There may be more to add, but that seems to be the heart of the matter."
)
_UNTRANSLATED = "[simulated] Untranslated: {body}"
_SLIPS = ("drops", "swaps", "repeats", "alters", "alters", "invents")
INVENTED = (
    "It has been so for eleven years, they say.",
    "The council agreed to it unanimously.",
    "Nobody was surprised by that.",
    "A second report of the same week confirms it.",
)
"""What no text says that was given; whoever reads carelessly adds it."""
_ERRORS_PER_WORD = 0.2
"""What share of the words somebody without any skill loses or changes who writes a text down again."""
_WORD = re.compile(r"\S+\s*")
_PARTS = re.compile(r"(\W*)(.*?)([\W]*)\Z", re.S)
_BULLET = re.compile(r"^(?:[-*•|#]+|\d+[.)])\s+")
_DIGIT = re.compile(r"\d(?!.*\d)", re.S)


@dataclass(frozen=True)
class _Desk:
    """Who works on what, and how the dice fall for it."""

    persona: Persona
    asked: Asked
    wording: Wording
    seed: Seed

    @cached_property
    def about(self) -> str:
        """Short hash of the text."""
        return hashlib.blake2b(self.asked.context.encode("utf-8", "replace"), digest_size=8).hexdigest()

    @cached_property
    def orders(self) -> str:
        """The prompt's own words."""
        return "\n".join(self.asked.own)

    @cached_property
    def limit(self) -> Limit | None:
        """Upper limit on the length of the text."""
        return find_limit(self.orders, self.asked.context)

    @cached_property
    def heeds(self) -> bool:
        """Return whether it keeps to the limit. Whoever is reminded of it forgets it only a fifth as often."""
        careless = (1 - self.persona.obeys) / (5 if self.asked.again else 1)
        return self.seed.chance("keeps within", self.orders, str(self.asked.again), self.about) >= careless

    def careful(self, purpose: str) -> bool:
        return self.wording.chance(self.seed, purpose, self.about) < self.wording.skill(self.persona)

    def choose(self, choices: Sequence[str], purpose: str) -> str:
        return self.seed.choose(choices, purpose, self.about)


def rewrite(persona: Persona, asked: Asked, wording: Wording, seed: Seed) -> tuple[str, str]:
    """Rewrite the text as the persona does: the bare text, and the text with what it says round it."""
    desk = _Desk(persona, asked, wording, seed)
    whole = asked.work in ("keep", "translate") and (desk.limit is None or desk.limit.holds(asked.context))
    body = _written_again(desk) if whole else _shortened(desk)
    if asked.work == "translate":
        body = _fitted(_UNTRANSLATED.format(body=body), desk.limit if desk.heeds else None)
    bare = whole or persona.verbosity != "wordy" or (desk.limit is not None and desk.heeds) or asked.work != "shorten"
    return body, body if bare else _AROUND.format(body=body)


# --- all of the text ---


def _written_again(desk: _Desk) -> str:
    """The whole text; the less skill, the more of its words are lost or changed."""
    words = _WORD.findall(desk.asked.context)
    errors = (1 - desk.wording.skill(desk.persona)) * _ERRORS_PER_WORD * len(words)
    count = int(errors + desk.wording.chance(desk.seed, "errors", desk.about))
    for n in range(count):
        place = int(desk.seed.chance("slips at", str(n), desk.about) * len(words))
        lost = len(words) > 1 and desk.seed.chance("loses", str(n), desk.about) < 1 / 2
        words[place] = "" if lost else _another(desk, words[place], words, str(n))
    return "".join(words).strip() or desk.asked.context


def _another(desk: _Desk, word: str, words: Sequence[str], purpose: str) -> str:
    """Another word, or number, in the place of one."""
    front, core, back = _parts(word)
    if digit := _DIGIT.search(core):
        other = (int(digit[0]) + 1 + int(desk.seed.chance("number", purpose, desk.about) * 9)) % 10
        return f"{front}{core[: digit.start()]}{other}{core[digit.end() :]}{back}"
    return f"{front}{_parts(desk.seed.choose(words, 'word', purpose, desk.about))[1] or core}{back}"


def _parts(word: str) -> tuple[str, str, str]:
    found = _PARTS.match(word)
    return (found[1], found[2], found[3]) if found else ("", word, "")


# --- some of the text ---


@lru_cache(maxsize=32)
def _telling(text: str) -> tuple[str, ...]:
    """The sentences of a text, those first that have most of its frequent words."""
    context = grounding.read(text)
    counts = Counter(word for words in context.words for word in words)
    worth = [sum(counts[word] for word in words) / math.sqrt(len(words)) for words in context.words]
    order = sorted(range(len(worth)), key=lambda n: (-worth[n], n))
    return tuple(context.sentences[n] for n in order)


def _shortened(desk: _Desk) -> str:
    """The sentences that tell most, in the order of the text, and the slips of whoever picked them."""
    ranked, text = _ranked(desk), grounding.read(desk.asked.context).sentences
    chosen = _as_many_as_fit(desk, ranked)
    place = {sentence: n for n, sentence in enumerate(text)}
    chosen = _with_slips(desk, sorted(chosen, key=lambda one: place.get(one, 0)), ranked)
    join = _joiner(desk)
    limit = desk.limit
    if limit is None:
        return join(chosen)
    spare = [one for one in ranked if one not in chosen]
    if not desk.heeds:
        return join(_lengthened(chosen, spare, lambda so_far: not limit.holds(join(so_far))))
    if limit.exact:
        chosen = _lengthened(chosen, spare, lambda so_far: limit.size(join(so_far)) >= limit.most)
    while len(chosen) > 1 and not limit.holds(join(chosen)):
        chosen = chosen[:-1]
    return _fitted(join(chosen), limit)


def _ranked(desk: _Desk) -> tuple[str, ...]:
    """The text's sentences, the first to be kept first: to be extracted those that share words with the order."""
    telling = _telling(desk.asked.context) or (desk.asked.context.strip(),)
    if desk.asked.work != "extract":
        return telling
    found = grounding.look_up(grounding.read(desk.asked.context), desk.orders).ranked
    return tuple(dict.fromkeys((*found, *telling)))


def _as_many_as_fit(desk: _Desk, ranked: Sequence[str]) -> list[str]:
    """The first of them, as many as the limit and the persona's way allow, one at least."""
    limit = desk.limit
    if limit and limit.exact:
        return list(ranked[: limit.most])
    verbosity = desk.persona.verbosity
    budget = min(_SHARE[verbosity] * len(desk.asked.context.split()), _MOST_WORDS[verbosity])
    budget *= _BRIEFER if desk.wording.brief else 1
    if limit and limit.unit == "words":
        budget = min(budget, limit.most) if desk.heeds else limit.most * _BEYOND
    chosen: list[str] = []
    for sentence in ranked:
        size = len(sentence.split())
        if not chosen or size <= budget:
            chosen.append(sentence)
            budget -= size
        if budget < 3:
            break
    if limit and desk.heeds and not limit.holds(chosen[0]):
        # Where the first is too long by itself, a shorter one is better than its beginning.
        return [next((one for one in ranked if limit.holds(one)), chosen[0])]
    return chosen


def _with_slips(desk: _Desk, chosen: Sequence[str], ranked: Sequence[str]) -> list[str]:
    """The chosen sentences, with what a careless hand does to them, one by one."""
    kept: list[str] = []
    spare = [one for one in ranked if one not in chosen]
    for n, sentence in enumerate(chosen):
        if desk.careful(f"keeps {n}"):
            kept.append(sentence)
            continue
        slip = desk.choose(_SLIPS, f"slip {n}")
        if slip == "swaps" and spare:
            kept.append(desk.choose(spare, f"other {n}"))
        elif slip == "repeats" and len(chosen) > 1:
            kept.append(chosen[n - 1])
        elif slip == "invents" and kept:
            kept.append(desk.choose(INVENTED, f"invents {n}"))
        elif slip != "drops" or len(chosen) == 1:
            kept.append(_altered(desk, sentence, f"{n}"))
    # What is made of a text is never without a word of it.
    return kept or list(chosen[:1])


def _altered(desk: _Desk, sentence: str, purpose: str) -> str:
    """A sentence with another number in it, or where it has none with another word in the place of its longest."""
    words = _WORD.findall(sentence)
    place = next((n for n, word in enumerate(words) if _DIGIT.search(word)), None)
    if place is None:
        place = max(range(len(words)), key=lambda n: len(words[n]))
    long = [word for word in desk.asked.context.split() if len(word) > 4 and word != words[place].strip()]
    words[place] = _another(desk, words[place], long or words, purpose)
    return "".join(words)


def _lengthened(chosen: Sequence[str], spare: Sequence[str], enough: Callable[[Sequence[str]], bool]) -> list[str]:
    """More sentences behind those that were chosen, until they are enough or there are no more."""
    longer = list(chosen)
    for sentence in spare:
        if enough(longer):
            break
        longer.append(sentence)
    return longer


# --- how it is put down ---


def _joiner(desk: _Desk) -> Callable[[Sequence[str]], str]:
    if desk.limit and desk.limit.unit == "lines":
        return lambda sentences: "\n".join(f"- {_BULLET.sub('', one)}" for one in sentences)
    blank = "\n" if desk.asked.work == "extract" else " "
    return lambda sentences: blank.join(map(_ended, sentences))


def _ended(sentence: str) -> str:
    """A line of a list as a sentence."""
    plain = _BULLET.sub("", sentence).strip()
    return plain if plain.endswith((".", "!", "?", '"', "”", "’", "'", ")", "…", ":")) else f"{plain}."


def _fitted(text: str, limit: Limit | None) -> str:
    """The text, broken off where it would be longer than its limit."""
    if limit is None or limit.holds(text):
        return text
    if limit.unit == "signs":
        return text[: limit.most].rsplit(" ", 1)[0] if " " in text[: limit.most] else text[: limit.most]
    if limit.unit == "words":
        return f"{' '.join(text.split()[: limit.most]).rstrip(' ,;:-.')}."
    return text
