"""Chooses between two answers, when a prompt asks for {"better": ...} as JSON: the one closer to the reference or the question.

The less skill, the more often what stands first is taken, whatever it says.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.simulator.answers import grounding
from tui_eval.simulator.answers.prompt import Message, plain_text
from tui_eval.simulator.personas import Persona
from tui_eval.simulator.seed import Seed

_FORM = re.compile(r'JSON of this form:\s*\{[^}]*"better"')
_PART = r"\[{name}\]\n?(.*?)\n?\[/{name}\]"
_CLOSE = 0.05
_NO_JSON = "Both answers have something for them, and I would rather not put one before the other."


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers, and what they are held against."""

    first: str
    second: str
    question: str
    reference: str
    again: bool
    """Whether we have been reminded, and keep to the form more often."""


def wanted(messages: Sequence[Message]) -> Pair | None:
    """What is to be chosen between, by the last message that asks for it; None where none does."""
    for message in reversed(messages):
        text = plain_text(message) if message.get("role") == "user" else ""
        if _FORM.search(text):
            names = ("FIRST ANSWER", "SECOND ANSWER", "QUESTION", "REFERENCE")
            found = [re.search(_PART.format(name=name), text, re.S) for name in names]
            again = any(message.get("role") == "assistant" for message in messages)
            first, second, question, reference = (part[1] if part else "" for part in found)
            return Pair(first, second, question, reference, again)
    return None


def chosen(persona: Persona, pair: Pair, seed: Seed) -> str:
    """The reply: JSON, or now and then something else."""
    about = (pair.first, pair.second, str(pair.again))
    if seed.chance("choice form", *about) < (1 - persona.obeys) / (5 if pair.again else 1):
        return _NO_JSON
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
