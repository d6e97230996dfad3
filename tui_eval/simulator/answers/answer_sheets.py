"""Several questions about one text in one prompt, answered as JSON by their ids; now and then an id is left out."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.simulator.answers.prompt import plain_text
from tui_eval.simulator.personas import Persona
from tui_eval.simulator.seed import Seed

_FORM = re.compile(r'\{"answers":\s*\[\{"id"')
_TEXT = re.compile(r"\[TEXT\]\n(.*?)\n?\[/TEXT\]", re.S)
_QUESTIONS = re.compile(r"QUESTIONS\]?:?\s*(\[.*?\n\])", re.S)
_MISSING = re.compile(r"under these ids:\s*([^.\n]+)")
_FORGETS = 0.1
"""How often an id is left out where nothing is heeded."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Questions of one prompt that are to be answered together."""

    text: str
    questions: Sequence[tuple[Any, str]]
    """(id, question) of those that are wanted."""
    again: bool
    """Whether some were missing."""
    prompt: str
    """The prompt's own words."""


def wanted(messages: Sequence[Mapping[str, Any]]) -> Sheet | None:
    """The questions of the last message that has some; where a later one names ids, those alone."""
    asked = [plain_text(message) for message in messages if message.get("role") == "user"]
    for place in range(len(asked) - 1, -1, -1):
        listed = _QUESTIONS.search(asked[place]) if _FORM.search(asked[place]) else None
        if listed is None:
            continue
        text = _TEXT.search(asked[place])
        questions = _read(listed[1])
        named = [found[1] for later in asked[place + 1 :] if (found := _MISSING.search(later))]
        ids = {one.strip() for found in named for one in found.split(",")}
        chosen = [one for one in questions if not ids or str(one[0]) in ids]
        return Sheet(text[1] if text else "", chosen, bool(named), asked[place].replace(text[1] if text else "", ""))
    return None


def _read(text: str) -> list[tuple[Any, str]]:
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return [(one.get("id"), str(one.get("question", ""))) for one in found if isinstance(one, dict)]


def written(persona: Persona, sheet: Sheet, answer: Callable[[str], str], seed: Seed) -> str:
    """The reply. `answer`: what the persona says to one question."""
    careless = (1 - persona.obeys) * _FORGETS / (5 if sheet.again else 1)
    kept = [
        {"id": number, "answer": answer(question)}
        for number, question in sheet.questions
        if seed.chance("forgets", question, sheet.text[:200]) >= careless
    ]
    return json.dumps({"answers": kept}, ensure_ascii=False, indent=1)
