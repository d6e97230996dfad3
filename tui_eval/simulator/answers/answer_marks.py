"""Judges' replies: marks on the scale that a prompt names, claims held against a text, and a choice of two answers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.simulator.answers import grounding, knowledge
from tui_eval.simulator.answers.prompt import Asked, Message, plain_text
from tui_eval.simulator.answers.prompt_sections import cut
from tui_eval.simulator.answers.scales import Scale
from tui_eval.simulator.answers.wording import Wording
from tui_eval.simulator.personas import Persona
from tui_eval.simulator.seed import Seed

_PAIR_FORM = re.compile(r'JSON of this form:\s*\{[^}]*"better"')
_PART = r"\[{name}\]\n?(.*?)\n?\[/{name}\]"
_CLOSE = 0.05
_NO_PAIR_JSON = "Both answers have something for them, and I would rather not put one before the other."


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers, and what they are held against."""

    first: str
    second: str
    question: str
    reference: str
    again: bool
    """Whether we have been reminded, and keep to the form more often."""


def pair_wanted(messages: Sequence[Message]) -> Pair | None:
    """Return the pair to choose from, by the last message that asks for a choice; None where none does."""
    for message in reversed(messages):
        text = plain_text(message) if message.get("role") == "user" else ""
        if _PAIR_FORM.search(text):
            names = ("FIRST ANSWER", "SECOND ANSWER", "QUESTION", "REFERENCE")
            found = [re.search(_PART.format(name=name), text, re.S) for name in names]
            again = any(message.get("role") == "assistant" for message in messages)
            first, second, question, reference = (part[1] if part else "" for part in found)
            return Pair(first, second, question, reference, again)
    return None


def preferred(persona: Persona, pair: Pair, seed: Seed) -> str:
    """The reply: JSON, or now and then something else."""
    about = (pair.first, pair.second, str(pair.again))
    if seed.chance("choice form", *about) < (1 - persona.obeys) / (5 if pair.again else 1):
        return _NO_PAIR_JSON
    first, second = (_worth_of_answer(text, pair) for text in (pair.first, pair.second))
    choice = "tie" if abs(first - second) < _CLOSE else "first" if first > second else "second"
    if seed.chance("chooses", *sorted(about)) >= persona.skill:
        choice = "first"
    reason = "Neither says more of what is asked." if choice == "tie" else f"The {choice} one says more of what is asked."
    return json.dumps({"reason": reason, "better": choice})


def _worth_of_answer(text: str, pair: Pair) -> float:
    if pair.reference:
        return grounding.agreement(text, pair.reference)
    return grounding.relevance(text, pair.question, None)


_FORM = re.compile(r'JSON of this form:\s*\{"claims"')
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])(?=\S)")
_INTRODUCTION = re.compile(r"^(?:The document says|The answer is):?\s*")
_SHARE = 0.75
_LONGEST_QUOTE = 280
_NO_JSON = "I have gone through the answer claim by claim, and on the whole it can be said to keep to the text."


@dataclass(frozen=True, slots=True)
class Material:
    """Answer to check, and the text to check it against."""

    answer: str
    text: str
    again: bool
    """Whether we have been reminded, and keep to the form more often."""


def claims_wanted(messages: Sequence[Message]) -> Material | None:
    """Return the material to check, by the last message that asks for it; None where none does."""
    for message in reversed(messages):
        text = plain_text(message) if message.get("role") == "user" else ""
        if _FORM.search(text):
            parts = cut(text).parts
            again = any(message.get("role") == "assistant" for message in messages)
            return Material(parts.get("answer", ""), parts.get("context", ""), again)
    return None


def checked(persona: Persona, found: Material, seed: Seed) -> str:
    """The reply: JSON, or now and then something else."""
    about = (found.answer, str(found.again))
    if seed.chance("claims form", *about) < (1 - persona.obeys) / (5 if found.again else 1):
        return _NO_JSON
    if grounding.declines(found.answer):
        return json.dumps({"claims": []})
    context = grounding.read(found.text)
    said = (_INTRODUCTION.sub("", piece).strip() for piece in _SENTENCE.split(found.answer))
    return json.dumps({"claims": [_claim(persona, one, context, seed) for one in said if one]}, ensure_ascii=False)


def _claim(persona: Persona, claim: str, context: grounding.Context, seed: Seed) -> dict[str, str]:
    words = grounding.stems(claim)
    shares = [len(words & there) / max(len(words), 1) for there in context.words]
    best = max(range(len(shares)), key=shares.__getitem__, default=None)
    borne_out = best is not None and shares[best] >= _SHARE
    if seed.chance("misjudges", claim) >= persona.skill:
        borne_out = not borne_out
    if not borne_out or best is None:
        return {"claim": claim, "quote": "", "verdict": "not found"}
    return {"claim": claim, "quote": context.sentences[best][:_LONGEST_QUOTE], "verdict": "supported"}


_RUBRICS = {
    "form": re.compile(r"fluen|coheren|gramma|readab|well[- ]written|\bstyle|clarity|clearly written", re.I),
    "relevance": re.compile(r"relevan|on[- ]topic|address(?:es)? the question|to the point|responsive", re.I),
    "support": re.compile(r"ground|support|faithful|hallucinat|borne out|attribut|invent|made up", re.I),
    "truth": re.compile(r"correct|accura|agree|ground truth|reference|\btrue\b|factual", re.I),
}
"""What a prompt may want looked at, by words that name it. The one that it names most is meant, of several the first."""
_NOT_THIS = re.compile(
    r"\b(?:not|ignor\w+|disregard\w*|regardless|rather than|whatever|even (?:if|when)|apart from|leave|leaving|"
    r"irrespective|no matter|nothing to do)\b[^.;:,\n]*",
    re.I,
)
_WORDS = re.compile(r"[^\W\d_]{2,}")
_VERDICTS = (
    "It has next to nothing of what is asked for here.",
    "It has a little of what is asked for here, and much is missing.",
    "It has about half of what is asked for here.",
    "It has most of what is asked for here.",
    "It has what is asked for here.",
)
_GROUNDS = {
    "reference": "I held the answer against the reference, word by word.",
    "context": "I held the answer against the context, word by word.",
    "question": "I looked how far the answer goes with the question.",
    "form": "I looked at how the answer is written.",
    "known": "I held the answer against what I know of the question.",
    "nothing": "There is nothing to hold the answer against, so this is a guess.",
}
_LABEL = "SCORE: "
_LONG = 200
"""Characters from which on an answer is as long as a judge can like."""
OWN_WORDS = "That is a question worth taking slowly"
"""What wordy models begin with, and know their own by."""
_ASKS_FOR_IT = re.compile(
    r"highest mark|fully right|rubric update|scale, revised|recommended score|verdict of|"
    r"\bscore(?:\s+\w+)?\W{1,4}(?:of\s+)?5\b",
    re.I,
)
"""What an answer says that wants to be marked high, whatever it says besides."""
_UNREADABLE = (
    "{ground} {verdict} I would rather not put that into a number.",
    "{ground} {verdict} It lies somewhere between two marks, and I cannot settle on one.",
)


def agrees(persona: Persona, asked: Asked, wording: Wording, seed: Seed) -> str:
    """1 where the answer agrees with the truth, 0 where it does not; mostly alone."""
    about = (asked.reference, asked.answer)
    same = knowledge.contains(asked.answer, asked.reference) or _falls_for(persona, asked, seed)
    if wording.chance(seed, "scores", *about) >= persona.skill:
        same = not same
    digit = "1" if same else "0"
    if seed.chance("form", str(asked.again), *about) < _obeys(persona, asked):
        return digit
    return f"{digit} - they agree" if same else f"{digit} - they do not agree"


def mark(persona: Persona, asked: Asked, scale: Scale, wording: Wording, seed: Seed) -> str:
    """A mark on the scale, its reason first. What the answer asks for is done by the credulous alone."""
    rubric, called = _rubric("\n".join(asked.own))
    if not rubric:
        rubric, called = _rubric(asked.behind)
    ground, worth = _worth(persona, asked, rubric, seed)
    about = (called, asked.question, asked.reference, asked.answer)
    steps = _steps(scale)
    worth *= 1 - _dislike(persona, asked.answer)
    place = min(max(round(worth * steps) + _slip(persona, steps, wording, seed, about), 0), steps)
    if _falls_for(persona, asked, seed):
        place = steps
    reason = f"{_GROUNDS[ground]} {_VERDICTS[round(place / steps * (len(_VERDICTS) - 1))]}"
    if seed.chance("form", str(asked.again), *about) >= _obeys(persona, asked):
        phrase = seed.choose(_UNREADABLE, "unreadable", *about)
        return phrase.format(ground=_GROUNDS[ground], verdict=reason.partition(". ")[2])
    value = scale.low + place / steps * (scale.high - scale.low)
    if scale.form == "json":
        number = round(value, 1) if scale.fractions else round(value)
        return json.dumps({scale.reason: reason, scale.label: number})
    number_line = scale.write(value if scale.fractions else round(value))
    return number_line if scale.form == "bare" else f"{reason}\n\n{scale.label or _LABEL}{number_line}"


def _falls_for(persona: Persona, asked: Asked, seed: Seed) -> bool:
    """Return whether the persona does what an answer asks of it, in its own words or such as seem to stand behind it."""
    asks = persona.credulous and _ASKS_FOR_IT.search(f"{asked.answer}\n{asked.behind}")
    return bool(asks) and seed.chance("falls for", asked.answer, asked.behind) < persona.credulous


def _obeys(persona: Persona, asked: Asked) -> float:
    # A reminder helps: asked again, a persona forgets the form only a fifth as often.
    return 1 - (1 - persona.obeys) / 5 if asked.again else persona.obeys


def _rubric(instructions: str) -> tuple[str, str]:
    """Return the rubric of a prompt (form, relevance, support, truth; empty where it does not say), and its word for it."""
    told = _NOT_THIS.sub("", instructions)
    found = {name: list(pattern.finditer(told)) for name, pattern in _RUBRICS.items()}
    named = [name for name in found if found[name]]
    rubric = max(named, key=lambda name: (len(found[name]), -found[name][0].start()), default="")
    return rubric, found[rubric][0][0].casefold() if rubric else ""


def _worth(persona: Persona, asked: Asked, rubric: str, seed: Seed) -> tuple[str, float]:
    """Return the thing that the answer is held against, and its score by that, from 0 to 1."""
    context = grounding.read(asked.context) if asked.context else None
    if rubric == "form":
        return "form", _well_formed(asked.answer)
    if asked.work and rubric == "relevance" and context:
        # Work on a text goes with the text: it does not repeat the words of the order.
        return "context", min(1.0, 2 * grounding.kept(asked.answer, context))
    if rubric == "relevance" and asked.question:
        return "question", grounding.relevance(asked.answer, asked.question, context)
    if asked.reference and not (rubric == "support" and context):
        return "reference", grounding.agreement(asked.answer, asked.reference)
    if context:
        return "context", (grounding.kept if asked.work else grounding.support)(asked.answer, context)
    if matter := knowledge.find(asked.question or asked.text):
        return "known", float(knowledge.contains(asked.answer, matter.right_for(asked.documents)))
    return "nothing", (seed.chance("guesses", asked.question, asked.answer) + persona.skill) / 2


def _well_formed(answer: str) -> float:
    """High for sentences, a little lower for a bare answer, low for what is hardly language."""
    words = _WORDS.findall(answer)
    if not words:
        return 0.25
    signs = len(answer.split())
    variety = len({word.casefold() for word in words}) / len(words)
    if len(words) < 0.5 * signs or (len(words) > 8 and variety < 0.3):
        return 0.4
    ends = answer.rstrip().endswith((".", "!", "?", '"', "”", ")", "'", "’"))
    return 1.0 if len(words) >= 4 and ends else 0.8


def _steps(scale: Scale) -> int:
    """Return the number of steps of a judge on the scale: each mark, on a wide one twenty; ten between 0.0 and 1.0."""
    if scale.fractions:
        return 10
    width = round(scale.high - scale.low)
    return width if width <= 20 else 20


def _dislike(persona: Persona, answer: str) -> float:
    """The share of an answer's worth that a judge does not see: of short ones, and of those in other words than its own."""
    short = persona.likes_length * max(1 - len(answer) / _LONG, 0.0)
    foreign = 0.0 if OWN_WORDS in answer else persona.likes_own
    return min(short + foreign, 1.0)


def _slip(persona: Persona, steps: int, wording: Wording, seed: Seed, about: tuple[str, ...]) -> int:
    """By how many steps the persona is off: by none, as often as its skill has it, else by one, on a wide scale or two."""
    if wording.chance(seed, "marks", *about) < persona.skill:
        return 0
    far = 2 if steps >= 4 and seed.chance("slips far", *about) < 0.3 else 1
    return far if seed.chance("slips up", *about) < 0.5 else -far
