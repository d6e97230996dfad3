"""Replies to a request for questions, or for a check of them: their values, or None where unreadable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tui_eval.reading.json_replies import read_json
from tui_eval.reading.question_checks import FACT, FOLLOW_UP, TYPES, UNANSWERABLE


@dataclass(frozen=True, slots=True)
class ProposedQuestion:
    """A question as its writer proposes it."""

    question: str
    answer: str
    quote: str = ""
    type: str = ""
    """Of a conversation's turn its type; of a single question its category."""
    answerable: bool = True
    says_answerable: bool = True
    """Whether its writer said that, or the opposite; where nothing is said, it can be answered."""
    depends_on: int | None = None
    """The place of the earlier question it builds on, counted from 0."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """The second opinion on one question."""

    agrees: bool
    stands_alone: bool
    known_without: bool
    reason: str


def read_turns(text: str | None) -> list[ProposedQuestion] | None:
    """The turns of a proposed conversation."""
    drafts = _drafts(text, "turns", "answer", "type")
    return None if drafts is None else [_in_conversation(draft, place) for place, draft in enumerate(drafts)]


def _in_conversation(draft: ProposedQuestion, place: int) -> ProposedQuestion:
    """A turn of a known type; one that follows, and says not what, follows the one before it."""
    label = draft.type.casefold().replace("_", "-").replace(" ", "-")
    sort = label if label in TYPES and (place or label != FOLLOW_UP) else FOLLOW_UP if draft.depends_on is not None else FACT
    sort = sort if draft.answerable else UNANSWERABLE
    earlier = place - 1 if sort == FOLLOW_UP and draft.depends_on is None else draft.depends_on
    return replace(draft, type=sort, depends_on=earlier)


def read_questions(text: str | None, with_answers: bool = True) -> list[ProposedQuestion] | None:
    """Proposed single questions, with their categories. `with_answers`: whether each has to have one."""
    drafts = _drafts(text, "questions", "reference_answer", "category", with_answers)
    return None if drafts is None else [replace(draft, depends_on=None) for draft in drafts]


def read_answers(text: str | None, n: int) -> dict[int, str] | None:
    """Answers given without the document, by the places of the questions; one of "unknown" is left out."""
    entries = _numbered(text, "answers", n)
    if entries is None:
        return None
    answers = {place: _text(entry.get("answer")) for place, entry in entries.items()}
    return {place: answer for place, answer in answers.items() if answer and answer.casefold().strip(" .") != "unknown"}


def read_opinions(text: str | None, n: int) -> dict[int, Opinion] | None:
    """The second opinion, by the places of the questions that it speaks of; None where it speaks of none."""
    opinions = {
        place: Opinion(
            entry["agrees"],
            entry.get("stands_alone") is not False,
            entry.get("known_without") is True,
            _text(entry.get("reason")),
        )
        for place, entry in (_numbered(text, "checks", n) or {}).items()
        if isinstance(entry.get("agrees"), bool)
    }
    return opinions or None


def _drafts(text: str | None, key: str, answer: str, sort: str, with_answers: bool = True) -> list[ProposedQuestion] | None:
    entries = _entries(text, key)
    if not entries:
        return None
    drafts = []
    for place, entry in enumerate(entries):
        earlier = entry.get("depends_on")
        drafts.append(
            ProposedQuestion(
                _text(entry.get("question")),
                _text(entry.get(answer)),
                _text(entry.get("quote")),
                _text(entry.get(sort)),
                entry.get("answerable") is not False and _text(entry.get(sort)).casefold() != UNANSWERABLE,
                isinstance(entry.get("answerable"), bool),
                earlier - 1 if isinstance(earlier, int) and not isinstance(earlier, bool) and 0 < earlier <= place else None,
            )
        )
    return drafts if all(draft.question and (draft.answer or not with_answers) for draft in drafts) else None


def _numbered(text: str | None, key: str, n: int) -> dict[int, Mapping[str, Any]] | None:
    """Entries by the numbers they name, counted from 0; never shifted by position, nor for a number that nobody asked."""
    entries = _entries(text, key)
    if entries is None:
        return None
    numbers = [entry.get("number") for entry in entries]
    if any(not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= n for number in numbers):
        return None
    by_number = {number - 1: entry for number, entry in zip(numbers, entries, strict=True) if isinstance(number, int)}
    return by_number if len(by_number) == len(entries) else None


def _entries(text: str | None, key: str) -> Sequence[Mapping[str, Any]] | None:
    value = read_json(text).value
    entries = value.get(key) if isinstance(value, dict) else value
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return None
    return entries


def _text(value: object) -> str:
    """A text on one line; a number as JSON writes it."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return " ".join(str(value).split())
