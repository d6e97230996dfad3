"""Effects of the words of a prompt's instructions on whoever answers; the wording that is shipped has none.

Four effects, all drawn from the seed, so that the same request has the same reply:

- other words: for one thing in eight, whether it is known (seen, judged rightly) is drawn anew, from these words. So a
  changed prompt changes a few per cent of the replies, some for the better and some for the worse.
- "think step by step", "reason first": a seventh of what was not known is known, and the reply is longer.
- "briefly", "only the letter", "nothing else": a bare reply.
- a form to keep to, such as "Answer: X" or "RESULT: <text>": it is kept to.

The last two (and the length of the second) come about as often as the persona `obeys`. What is left out changes nothing:
neither a prompt without a system message nor one without its last line has other words.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from tui_eval.simulator.answers.knowledge import fold
from tui_eval.simulator.answers.prompt_sections import cut
from tui_eval.simulator.personas import Persona
from tui_eval.simulator.seed import Seed

_DRAWN_ANEW = 1 / 8
_GAIN_BY_STEPS = 1 / 7
_SLOT = re.compile(r"\{[a-z_]+\}")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_NOT = re.compile(r"\b(?:do not|don't|without|no|never|not|need not|rather than|instead of)\s+(?:[\w-]+\s+){0,2}$", re.I)
_STEPS = re.compile(
    r"step[- ]by[- ]step|one step at a time|chain of thought|take your time|"
    r"\bthink(?:ing)?\b|\breasoning\b|\breason (?:first|through|aloud|step|before|about|carefully)\b|"
    r"\b(?:show|explain) your (?:work|working|reasoning|thinking|thoughts)|\bwork (?:it |this )?out\b",
    re.I,
)
_BRIEF = re.compile(
    r"\bbrief(?:ly)?\b|\bconcise(?:ly)?\b|\bterse(?:ly)?\b|\bsuccinct(?:ly)?\b|\bshort(?:ly)?\b|\bin a few words\b|"
    r"\b(?:only|just|nothing but) (?:with )?(?:the|a|an|one|your) (?:\w+ )?(?:letter|answer|number|word|name|phrase|option)\b|"
    r"\b(?:one|single) (?:word|letter|character|phrase)\b|\bletter only\b|\bnothing else\b|"
    r"\bno (?:explanations?|preamble|other (?:words|text))\b|\bwithout (?:any )?(?:explanations?|preamble|explaining)\b",
    re.I,
)
_FORM = re.compile(
    r"(?P<label>\b(?:(?:my|the|final|correct|best) )*(?:answer|result|response|choice|letter|solution))(?:\*\*)?:(?:\*\*)?"
    r"[ \t]*(?=[<\[({]|[\"'`]|X\b|Y\b|\.\.\.|…|[A-Z]\b|letter\b)",
    re.I,
)
_ASKS = re.compile(r"\b(?:answer(?! ?:)|choose|reply|respond|pick|select|give|decide|tell|say|state|write|solve)\b", re.I)
_CUE = re.compile(r"\banswer ?:\s*\Z", re.I)
_LETTERS = re.compile(r"\bletter(?:s|ed)?\b|\b[A-E](?:, ?[A-E])*,? or [A-J]\b|\b[A-D]\)", re.I)


@dataclass(frozen=True, slots=True)
class Wording:
    """Requests of a prompt's own words, beyond those of the shipped prompts."""

    words: str = ""
    """The words that chance is drawn from; empty where there are none but shipped ones."""
    steps: bool = False
    """To think before the answer."""
    brief: bool = False
    """To say nothing but the answer."""
    form: str = ""
    """The label of a form to keep to, as the prompt spells it: Answer, FINAL ANSWER."""
    names_no_letters: bool = False
    """The prompt asks for an answer (or does not even end with "Answer:"), and nowhere speaks of letters."""

    def chance(self, seed: Seed, *purpose: str) -> float:
        """The seed's chance; for one purpose in eight another one, drawn from the words."""
        if self.words and seed.chance("words", self.words, *purpose) < _DRAWN_ANEW:
            return seed.chance(self.words, *purpose)
        return seed.chance(*purpose)

    def skill(self, persona: Persona) -> float:
        """The persona's skill under this prompt."""
        return persona.skill + (1 - persona.skill) * _GAIN_BY_STEPS if self.steps else persona.skill

    def heeded(self, persona: Persona, seed: Seed, *about: str) -> bool:
        """Return whether the persona does what is asked of it, here."""
        return seed.chance("heeds", self.words, *about) < persona.obeys


PLAIN = Wording()
"""No words, or only shipped ones."""


@lru_cache(maxsize=256)
def worded(*texts: str) -> Wording:
    """Read the requests of a prompt's words: those of its system message, and its own in the user message."""
    told = [words for text in texts if (words := _folded(text))]
    shipped = _shipped()
    if all(words in shipped.texts for words in told):
        return PLAIN
    # What is shipped does not count as said, even beside a sentence that somebody has added. The shipped prompts do ask
    # for brevity and letters; the personas as they are drawn are people who have been asked so.
    said = [sentence for text in texts for sentence in _sentences(text) if _folded(sentence) not in shipped.sentences]
    form = next((found for sentence in said if (found := _FORM.search(sentence))), None)
    whole = "\n".join(texts)
    return Wording(
        words="\n".join(told),
        steps=any(_asked(_STEPS, sentence) for sentence in said),
        brief=any(_BRIEF.search(sentence) for sentence in said),
        form=form["label"] if form else "",
        names_no_letters=not _LETTERS.search(whole) and not form and bool(_ASKS.search(whole) or not _CUE.search(whole)),
    )


@dataclass(frozen=True, slots=True)
class _Shipped:
    """The wording that comes with the program."""

    texts: frozenset[str]
    sentences: frozenset[str]


@cache
def _shipped() -> _Shipped:
    """The words of every shipped prompt.

    They are read from the prompts themselves, so whatever is shipped is neutral: a kind that is added, a sentence that is
    mended. A list of digests would have to be kept up by hand, and neutrality by features that the shipped prompts happen
    to lack would tie their wording: they do ask for a single letter, and for a few words.
    """
    # In a checkout the prompts lie beside the package, in an installation within it (as workspace.places has it, which
    # stands above this package).
    package = Path(__file__).parents[2]
    folder = next((one for one in (package / "shipped/prompts", package.parent / "prompts") if one.is_dir()), None)
    files = sorted(folder.glob("*/*.md")) if folder else []
    own = [words for file in files for words in _own(file.read_text(encoding="utf-8"))]
    sentences = {_folded(sentence) for text in own for sentence in _sentences(text)}
    return _Shipped(frozenset(map(_folded, own)), frozenset(sentences))


def _own(template: str) -> Iterable[str]:
    """Return the words of a prompt itself, its slots empty, cut up as a message is."""
    text = _SLOT.sub("", template)
    pieces = cut(text)
    return [text, pieces.before, pieces.after, *pieces.parts.values()]


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def _asked(what: re.Pattern[str], sentence: str) -> bool:
    return any(not _NOT.search(sentence[: found.start()]) for found in what.finditer(sentence))


def _folded(text: str) -> str:
    """The words, without those that stand for options: the letters of a question, as many as it has."""
    return " ".join(word for word in fold(text).split() if len(word) > 1 and word not in ("or", "and"))
