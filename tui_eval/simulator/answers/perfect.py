"""Two models that lose nothing, to find out what the tool loses: sim-echo gives back the text it was shown, sim-oracle answers
with targets from a file that the simulator was started with, and marks by comparing with them."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tui_eval.simulator.answers import answer_sheets, knowledge, multiple_choice, open_replies, worded_pictures
from tui_eval.simulator.answers.prompt import Asked, Message, plain_text, understand
from tui_eval.simulator.answers.scales import Scale
from tui_eval.simulator.personas import ORACLE, Persona
from tui_eval.simulator.seed import Seed

NEEDS_ANSWERS = f"{ORACLE} knows what it is told: start the simulator with --answers FILE, a JSON list of question and answer."
_SHOWN = (
    re.compile(r"\[TEXT\]\n(.*)\n\[/TEXT\]", re.S),
    re.compile(r"\[DOCUMENT\]\n(?:doc_id: .*?\ncontent:\n)?(.*)\n\[/DOCUMENT\]", re.S),
)
_SAME = "It says what the target says."
_OTHER = "It says something else than the target."


def echo(messages: Sequence[Message]) -> str:
    """The text that was shown, word for word: of the last message that shows one, else that message itself."""
    texts = [plain_text(message) for message in worded_pictures.with_words(messages) if message.get("role") != "assistant"]
    for pattern in _SHOWN:
        for text in reversed(texts):
            if shown := pattern.search(text):
                return shown[1]
    return texts[-1] if texts else ""


@dataclass(frozen=True, slots=True)
class Target:
    """A question and what is right, for any document or for one alone."""

    question: str
    answer: str
    document: str = ""


class Targets:
    """Known answers of an oracle, by question."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self._targets = sorted(targets, key=lambda one: len(one.question), reverse=True)

    def find(self, text: str, documents: Sequence[str] = ()) -> str | None:
        """The answer to the longest question that stands in a text; of several documents' the one that came along."""
        told, folded = f" {knowledge.fold(text)} ", [knowledge.fold(name) for name in documents]
        found = [one for one in self._targets if f" {knowledge.fold(one.question)} " in told]
        mine = [one for one in found if not one.document or knowledge.fold(one.document) in folded]
        return next((one.answer for one in mine or found), None)

    def is_one(self, text: str) -> bool:
        """Return whether a text is an answer to any of the questions."""
        return knowledge.fold(text) in self._answers

    @cached_property
    def _answers(self) -> frozenset[str]:
        return frozenset(knowledge.fold(one.answer) for one in self._targets)


def read_targets(text: str) -> Targets:
    """A JSON list of objects with question, answer and, where it is of one document alone, its name. ValueError elsewhere."""
    found = json.loads(text)
    if not isinstance(found, list) or not all(map(_is_target, found)):
        raise ValueError('not a list of objects such as {"question": "...", "answer": "..."}')
    return Targets([Target(one["question"], one["answer"], one.get("document", "")) for one in found])


def _is_target(value: Any) -> bool:
    if not isinstance(value, Mapping) or "answer" not in value:
        return False
    question, answer, document = (value.get(key, "") for key in ("question", "answer", "document"))
    return isinstance(question, str) and isinstance(answer, str) and isinstance(document, str) and bool(question.strip())


def oracle(persona: Persona, messages: Sequence[Message], targets: Targets, seed: Seed) -> str:
    """The target of what is asked, in the form that it is asked for; what no target is about as the best persona has it."""
    messages = worded_pictures.with_words(messages)
    if sheet := answer_sheets.wanted(messages):
        told = [{"id": n, "answer": targets.find(question) or open_replies.CANNOT_TELL} for n, question in sheet.questions]
        return json.dumps({"answers": told}, ensure_ascii=False)
    if choice := multiple_choice.read_sheet(messages):
        right = targets.find(choice.question)
        option = next((one for one in choice.options if right and one.split() == right.split()), None)
        if option is not None:
            return choice.letter(option)
    asked = understand(messages)
    if asked.role == "mark" and (marked := _mark(asked, targets)):
        return marked
    if asked.role in ("answer", "compare", "conclude"):
        right = targets.find(asked.question or asked.text, asked.documents)
        if right is not None:
            return _compared(asked, right) if asked.role == "compare" else right
    return open_replies.reply(persona, messages, seed)


def _compared(asked: Asked, right: str) -> str:
    best = next((one for one in asked.candidates if knowledge.contains(one.text, right)), asked.candidates[0])
    return f"Best: [{best.label}] It says {right}"


def _mark(asked: Asked, targets: Targets) -> str:
    """The highest mark for the target, the lowest for anything else; nothing where there is no target to compare with."""
    right = targets.find(asked.question, asked.documents) if asked.question else None
    if right is None and not asked.question and not asked.reference and not targets.is_one(asked.answer):
        return ""
    right = right or asked.reference or asked.answer
    same = knowledge.fold(asked.answer) == knowledge.fold(right) or knowledge.contains(asked.answer, right)
    if asked.scale is None:
        return str(int(same))
    return _written(asked.scale, same)


def _written(scale: Scale, same: bool) -> str:
    value, reason = scale.high if same else scale.low, _SAME if same else _OTHER
    if scale.form == "json":
        return json.dumps({scale.reason: reason, scale.label: value if scale.fractions else round(value)})
    number = scale.write(value if scale.fractions else round(value))
    return number if scale.form == "bare" else f"{reason}\n\n{scale.label or 'SCORE: '}{number}"
