"""A reply with the answers to several questions: each found by the id that it names, never by its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.reading.json_replies import read_json

NOT_GIVEN = "no answer under its id"
UNPARSED = "unparsed"
TWICE = "two different answers under its id"


@dataclass(frozen=True, slots=True)
class NamedAnswers:
    """Answers read from a reply: an answer or the reason for each id that was asked."""

    answers: dict[str, str]
    why: dict[str, str]
    """By id, of those without an answer."""

    @property
    def complete(self) -> bool:
        """Return whether each id has an answer."""
        return not self.why


def read_named_answers(text: str | None, ids: Sequence[str]) -> NamedAnswers:
    """The answers of a reply such as {"answers": [{"id": 1, "answer": "..."}]}, or {"1": "..."}.

    An entry without an id, or with one that nobody asked, is nobody's answer: the others stay where they are.
    """
    value = read_json(text).value
    if value is None:
        return NamedAnswers({}, dict.fromkeys(ids, UNPARSED))
    answers_by_id: dict[str, set[str]] = {}
    for name, answer in _entries(value):
        answers_by_id.setdefault(name, set()).add(answer)
    answers = {name: next(iter(answers_by_id[name])) for name in ids if len(answers_by_id.get(name, ())) == 1}
    return NamedAnswers(answers, {name: TWICE if name in answers_by_id else NOT_GIVEN for name in ids if name not in answers})


def _entries(value: Any) -> list[tuple[str, str]]:
    """(id, answer) of everything that names an id and says something."""
    listed = value.get("answers", value) if isinstance(value, dict) else value
    pairs: list[tuple[object, object]] = []
    if isinstance(listed, dict):
        pairs = list(listed.items())
    elif isinstance(listed, list):
        pairs = [(entry.get("id"), entry.get("answer")) for entry in listed if isinstance(entry, dict)]
    entries = [(_id(name), _words(answer)) for name, answer in pairs]
    return [(name, answer) for name, answer in entries if name and answer]


def _id(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return str(value).strip()


def _words(value: object) -> str:
    """An answer as text: a number as JSON writes it, a list with commas; empty for what is none."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_words, value)))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).strip() if isinstance(value, (str, int, float)) else ""
