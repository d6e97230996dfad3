"""Questions as messages with roles, as openai/evals (input, ideal) and files for fine-tuning (messages) have them."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.conversations import Conversation, Turn
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.datasets.answered_questions import AnsweredQuestions
from tui_eval.datasets.field_values import FieldError, is_blank, plain_name, short_value, sort_of
from tui_eval.datasets.lettered.field_names import ID
from tui_eval.datasets.parsing import Gathered, Record, columns_of
from tui_eval.datasets.shapes.shaped_records import (
    Pair,
    as_conversations,
    as_questions,
    exact_text,
    names_in,
    unread_fields,
)
from tui_eval.datasets.shapes.target_columns import ANSWER

MESSAGES = ("messages", "input", "prompt", "conversation")
_BEFORE = ("system", "developer")
"""Roles of what stands before the first question, and becomes part of it."""


def has_message_lists(records: Sequence[Record]) -> bool:
    """Return whether these are such records: a list of objects with roles."""
    return any(_is_list(value) for record in records for name, value in record.fields.items() if plain_name(name) in MESSAGES)


def message_lists(records: list[Record], name: str) -> AnsweredQuestions:
    """Questions that stand alone where each record asks one, else conversations. ConfigError with place and reason."""
    gathered = Gathered(records)
    read = [gathered.read(number, _turns, record) for number, record in enumerate(records)]
    ids = [gathered.read(number, _id, record, number + 1) or "" for number, record in enumerate(records)]
    gathered.refuse_twice([(number, (record_id,)) for number, record_id in enumerate(ids)], "id")
    gathered.refuse()
    pair_lists = [pairs for pairs in read if pairs is not None]
    there = names_in(records)
    roles = {"messages": MESSAGES, "answer": ANSWER, "id": ID}
    used_columns = {role: next((alias for alias in aliases if alias in there), "") for role, aliases in roles.items()}
    read_as = ", ".join(f"{role}: {alias}" for role, alias in used_columns.items() if alias) + _several(records)
    unread = unread_fields(records, set(used_columns.values()))
    if all(len(pairs) == 1 for pairs in pair_lists):
        return as_questions((pair for pairs in pair_lists for pair in pairs), read_as, unread)
    conversations = [_conversation(conversation_id, pairs) for conversation_id, pairs in zip(ids, pair_lists, strict=True)]
    return as_conversations(conversations, name, read_as, unread)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(message, dict) and "role" in message for message in value)


def _id(record: Record, number: int) -> str:
    columns = columns_of(record.fields)
    return columns.name(record.fields, ID, "id") if columns.given(record.fields, ID) else f"c{number:04d}"


def _conversation(name: str, pairs: Sequence[Pair]) -> Conversation:
    turns = (
        Turn(id=f"{name}/t{n}", question=question, ground_truth=truth) for n, (question, truth) in enumerate(pairs, start=1)
    )
    return Conversation(id=name, turns=tuple(turns))


def _turns(record: Record) -> list[Pair]:
    """Return a record's questions and right answers: the reply that follows, of the last the answer beside the messages."""
    lists = [(name, value) for name, value in record.fields.items() if plain_name(name) in MESSAGES and not is_blank(value)]
    if not lists:
        raise FieldError(f"messages: no such field (nor {', '.join(MESSAGES[1:])})")
    column, messages = lists[0]
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    if not isinstance(messages, list):
        raise FieldError(f"{one_line(column)}: {sort_of(messages)}, not a list of messages")
    before: list[str] = []
    pairs: list[Pair] = []
    for number, message in enumerate(messages):
        role, content = _message(message, f"{one_line(column)}[{number}]")
        if role in _BEFORE and not pairs:
            before.append(content)
        elif role == "user":
            pairs.append(("\n\n".join([*before, content]), ""))
            before = []
        elif role == "assistant" and pairs and not pairs[-1][1]:
            pairs[-1] = (pairs[-1][0], content)
        else:
            raise FieldError(f"{one_line(column)}[{number}].role: {short_value(role)} is not allowed here")
    if not pairs and not before:
        raise FieldError(f"{one_line(column)}: no message")
    pairs = pairs or [("\n\n".join(before), "")]
    return [*pairs[:-1], (pairs[-1][0], _answer(record) or pairs[-1][1])]


def _message(message: object, column: str) -> Pair:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise FieldError(f"{column}: not an object with 'role' and 'content'")
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else None for part in content]
        if not all(isinstance(part, str) for part in parts):
            raise FieldError(f"{column}.content: holds more than text, such as a picture")
        content = "\n".join(map(str, parts))
    return message["role"], exact_text(content, f"{column}.content")


def _answer(record: Record) -> str:
    """The answer beside the messages; of several that are right the first."""
    name, value = next(iter(columns_of(record.fields).given(record.fields, ANSWER)), ("", None))
    if isinstance(value, list):
        value = value[0] if value else None
    return exact_text(value, name, needed=False)


def _several(records: Sequence[Record]) -> str:
    """Describe how many records name several right answers, of which one is kept."""
    answers = (columns_of(record.fields).given(record.fields, ANSWER) for record in records)
    n = sum(isinstance(value, list) and len(value) > 1 for values in answers for _, value in values[:1])
    return f" (the first of the right answers of {count_of(n, 'question')}, which have several)" if n else ""
