"""Helpers that the readers of other programs' forms share: records with any names, and conversations made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tui_eval.core.conversations import Conversation, ConversationSet, conversations_json
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.answered_questions import AnsweredQuestions
from tui_eval.datasets.conversation_files import read_conversations
from tui_eval.datasets.field_values import LONE_SURROGATE, FieldError, is_blank, plain_name, short_value, sort_of
from tui_eval.datasets.lettered.field_names import ID
from tui_eval.datasets.parsing import Record, Subject
from tui_eval.datasets.questions import numbered

ANY = Subject("question", ("questions", "data", "examples", "items", "tests"), ID, (), lambda name: not is_blank(name))
"""Records with any names."""
Pair = tuple[str, str]
"""A question and its right answer, which may be empty."""


def names_in(records: Iterable[Record]) -> frozenset[str]:
    """The plain names of all fields."""
    return frozenset(plain_name(name) for record in records for name in record.fields)


def exact_text(value: object, column: str, needed: bool = True) -> str:
    """A text with all its blanks; numbers, true and false as JSON has them. FieldError for anything else."""
    if is_blank(value) and not needed:
        return value if isinstance(value, str) else ""
    if isinstance(value, (bool, int)):
        return str(value).lower()
    if not isinstance(value, str):
        raise FieldError(f"{one_line(column)}: {sort_of(value)}, not text")
    if not value.strip():
        raise FieldError(f"{one_line(column)}: empty")
    if not value.isascii() and LONE_SURROGATE.search(value):
        raise FieldError(f"{one_line(column)}: {short_value(value)} holds half a character (a lone surrogate)")
    return value


def unread_fields(records: Iterable[Record], used_names: Collection[str]) -> tuple[str, ...]:
    """Names of fields that say something somewhere, and were not used (by their plain names)."""
    names = dict.fromkeys(name for record in records for name, value in record.fields.items() if not is_blank(value))
    return tuple(name for name in names if plain_name(name) not in used_names)


def as_conversations(
    conversations: Sequence[Conversation], name: str, read_as: str, unread: tuple[str, ...]
) -> AnsweredQuestions:
    """Conversations as a set that can be kept. ConfigError where ids stand twice, or a turn builds on no earlier one."""
    conversation_set = read_conversations(
        conversations_json(ConversationSet(name="", conversations=tuple(conversations))), name
    )
    return AnsweredQuestions((), read_as, unread, conversation_set)


def as_questions(pairs: Iterable[Pair], read_as: str, unread: tuple[str, ...]) -> AnsweredQuestions:
    """Questions that stand alone, each on one line, as a list of open questions has them."""
    samples = (Sample("", " ".join(question.split()), truth=" ".join(truth.split()) or None) for question, truth in pairs)
    return AnsweredQuestions(numbered(samples), read_as, unread)
