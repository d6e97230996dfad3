"""Takes an answer apart into claims and holds each against the text, when a prompt asks for {"claims": ...} as JSON.

A claim is a sentence; it is supported where most of its telling words stand in one sentence of the text. The less skill, the
more verdicts are wrong, and quotes that the text does not have.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.simulator.answers import grounding
from tui_eval.simulator.answers.prompt import Message, plain_text
from tui_eval.simulator.answers.prompt_sections import cut
from tui_eval.simulator.personas import Persona
from tui_eval.simulator.seed import Seed

_FORM = re.compile(r'JSON of this form:\s*\{"claims"')
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])(?=\S)")
_INTRODUCTION = re.compile(r"^(?:The document says|The answer is):?\s*")
_SHARE = 0.75
_LONGEST_QUOTE = 280
_NO_JSON = "I have gone through the answer claim by claim, and on the whole it can be said to keep to the text."


@dataclass(frozen=True, slots=True)
class Material:
    """What is to be held against what."""

    answer: str
    text: str
    again: bool
    """Whether we have been reminded, and keep to the form more often."""


def wanted(messages: Sequence[Message]) -> Material | None:
    """What is to be checked, by the last message that asks for it; None where none does."""
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
