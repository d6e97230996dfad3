"""Conversations as records of a turn each: with the conversation it belongs to, its number there, and what else is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.conversations import Conversation, ConversationSet, Turn
from tui_eval.core.gathering import gathered as by_key
from tui_eval.datasets.answered_questions import AnsweredQuestions
from tui_eval.datasets.field_values import FieldError, is_blank, short_value, text_of, yes_or_no
from tui_eval.datasets.lettered.field_names import ID
from tui_eval.datasets.parsing import FieldNames, Gathered, Record, columns_of, per_layout
from tui_eval.datasets.shapes.shaped_records import as_conversations, exact_text, names_in, unread_fields
from tui_eval.datasets.shapes.target_columns import ANSWER, QUESTION

CONVERSATION = ("conversation", "conversation_id", "dialog", "dialogue", "dialog_id", "dialogue_id", "thread")
NUMBER = ("turn", "turn_number", "turn_id", "turn_index")
TRUTH = ("ground_truth", *ANSWER)
FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ID,
    "conversation": CONVERSATION,
    "turn": NUMBER,
    "question": QUESTION,
    "ground_truth": TRUTH,
    "quote": ("quote",),
    "page": ("page",),
    "type": ("type", "category", "group"),
    "document": ("document", "filename", "documents"),
    "answerable": ("answerable",),
    "depends_on": ("depends_on",),
    "quote_repaired": ("quote_repaired",),
    "known_without_document": ("known_without_document",),
}
"""What a row has, by the name it has in our own tables; of each the names it may have."""


@dataclass(frozen=True, slots=True)
class _TurnRow:
    """One turn, and where it belongs."""

    conversation: str
    number: int | None
    document: str
    turn: Turn


def has_turn_rows(records: Sequence[Record]) -> bool:
    """Return whether these are such records: each names its conversation and its question."""
    there = names_in(records)
    return any(name in there for name in CONVERSATION) and any(name in there for name in QUESTION)


def turn_rows(records: list[Record], name: str) -> AnsweredQuestions:
    """The conversations, in the order in which they begin; a record that names none is one of its own.

    ConfigError with the place of what is not usable, where an id stands twice, or a number within a conversation does.
    """
    gathered = Gathered(records)
    layouts = per_layout(records, columns_of)
    rows = [(n, gathered.read(n, _row, record.fields, layouts[n], n + 1)) for n, record in enumerate(records)]
    read = [(n, row) for n, row in rows if row is not None]
    gathered.refuse_twice([(n, (row.turn.id,)) for n, row in read if row.turn.id], "id")
    numbered = [(n, (row.conversation, str(row.number))) for n, row in read if row.number is not None]
    gathered.refuse_twice(numbered, "conversation and turn")
    gathered.refuse()
    grouped = by_key((row.conversation, (n, row)) for n, row in read)
    conversations = [_conversation(conversation_id, mine, records) for conversation_id, mine in grouped.items()]
    there = names_in(records)
    used_columns = {field: next((alias for alias in aliases if alias in there), "") for field, aliases in FIELDS.items()}
    renamed_columns = [f"{field}: {alias}" for field, alias in used_columns.items() if alias and alias != field]
    read_as = ", ".join(["a record for each turn", *renamed_columns])
    return as_conversations(conversations, name, read_as, unread_fields(records, set(used_columns.values())))


def turn_row_fields(conversation_set: ConversationSet) -> list[dict[str, object]]:
    """The turns as rows of our own tables, in their order."""
    return [
        {
            "id": turn.id,
            "conversation": conversation.id,
            "turn": number,
            "question": turn.question,
            "ground_truth": turn.ground_truth,
            "quote": turn.quote,
            "page": turn.page,
            "type": turn.type,
            "document": conversation.document,
            "answerable": turn.answerable,
            "depends_on": turn.depends_on,
            "quote_repaired": turn.quote_repaired or None,
            "known_without_document": turn.known_without_document or None,
        }
        for conversation in conversation_set.conversations
        for number, turn in enumerate(conversation.turns, start=1)
    ]


def _conversation(name: str, mine: Sequence[tuple[int, _TurnRow]], records: Sequence[Record]) -> Conversation:
    """ConfigError, by way of Gathered, where its rows disagree about the document."""
    gathered = Gathered(records)
    document = next((row.document for _, row in mine if row.document), "")
    for n, row in mine:
        if row.document not in ("", document):
            elsewhere = f"{short_value(document)} elsewhere in the conversation {short_value(name)}"
            problem = f"document: {short_value(row.document)}, but {elsewhere}"
            gathered.problems[n] = f"{records[n].place}: {problem}"
        if (row.number is None) != (mine[0][1].number is None):
            gathered.problems[n] = (
                f"{records[n].place}: turn: a number here, none elsewhere in the conversation {short_value(name)}"
            )
    gathered.refuse()
    ordered = sorted((row for _, row in mine), key=lambda row: row.number or 0)
    turns = tuple(_with_name(row.turn, f"{name}/t{n}") for n, row in enumerate(ordered, start=1))
    return Conversation(id=name, turns=turns, document=document)


def _with_name(turn: Turn, name: str) -> Turn:
    return turn if turn.id else replace(turn, id=name)


def _row(fields: Mapping[str, object], columns: FieldNames, number: int) -> _TurnRow:
    def text(field: str, needed: bool = False) -> str:
        name, value = next(iter(columns.given(fields, FIELDS[field])), ("", None))
        if needed and not name:
            raise FieldError(f"{field}: {columns.lacking(FIELDS[field])}")
        return exact_text(value, name, needed)

    def flag(field: str, usual: bool) -> bool:
        name, value = next(iter(columns.given(fields, FIELDS[field])), ("", None))
        return yes_or_no(str(value).lower(), name) if name else usual

    return _TurnRow(
        conversation=text("conversation") or f"c{number:04d}",
        number=_number(fields, columns, "turn"),
        document=text("document"),
        turn=Turn(
            id=text("id"),
            question=text("question", needed=True),
            ground_truth=text("ground_truth"),
            quote=text("quote"),
            page=_number(fields, columns, "page"),
            type=text("type"),
            answerable=flag("answerable", True),
            depends_on=text("depends_on") or None,
            quote_repaired=flag("quote_repaired", False),
            known_without_document=flag("known_without_document", False),
        ),
    )


def _number(fields: Mapping[str, object], columns: FieldNames, field: str) -> int | None:
    name, value = next(iter(columns.given(fields, FIELDS[field])), ("", None))
    if is_blank(value):
        return None
    token = text_of(value, name)
    if not (token.isascii() and token.isdecimal() and len(token) < 10):
        raise FieldError(f"{name}: {short_value(value)}, not a whole number")
    return int(token)
