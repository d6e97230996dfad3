"""Conversations as lists of questions, one a record, as MT-bench has them: turns, and reference answers beside them."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.conversations import Conversation, Turn
from tui_eval.datasets.answered_questions import AnsweredQuestions
from tui_eval.datasets.field_values import FieldError, is_blank, sort_of
from tui_eval.datasets.lettered.field_names import ID
from tui_eval.datasets.parsing import FieldNames, Gathered, Record, columns_of
from tui_eval.datasets.shapes.shaped_records import Pair, as_conversations, exact_text, names_in, unread_fields
from tui_eval.datasets.shapes.target_columns import ANSWER, QUESTION

TURNS = ("turns",)
REFERENCES = ("reference", "references", "reference_answers", "ground_truths", "answers", *ANSWER)
TYPES = ("type", "category")
DOCUMENTS = ("document", "documents", "filename")


def has_turn_lists(records: Sequence[Record]) -> bool:
    """Return whether these are such records."""
    return any(isinstance(record.fields.get(name), list) for record in records for name in record.fields if name in TURNS)


def turn_lists(records: list[Record], name: str) -> AnsweredQuestions:
    """A conversation of each record. ConfigError with the place of what is not usable, and where an id stands twice."""
    gathered = Gathered(records)
    conversations = [gathered.read(number, _conversation, record, number + 1) for number, record in enumerate(records)]
    gathered.refuse_twice(
        [(number, (conversation.id,)) for number, conversation in enumerate(conversations) if conversation is not None], "id"
    )
    gathered.refuse()
    there = names_in(records)
    roles = {"id": ID, "turns": TURNS, "reference answers": REFERENCES, "type": TYPES, "document": DOCUMENTS}
    used_columns = {role: next((alias for alias in aliases if alias in there), "") for role, aliases in roles.items()}
    read_as = ", ".join(f"{role}: {alias}" for role, alias in used_columns.items() if alias)
    return as_conversations(
        [conversation for conversation in conversations if conversation],
        name,
        read_as,
        unread_fields(records, set(used_columns.values())),
    )


def _conversation(record: Record, number: int) -> Conversation:
    columns = columns_of(record.fields)
    column, turns = columns.one(record.fields, TURNS)
    if not column:
        raise FieldError(f"turns: {columns.lacking(TURNS)}")
    if not isinstance(turns, list):
        raise FieldError(f"{column}: {sort_of(turns)}, not a list of questions")
    name = columns.name(record.fields, ID, "id") if columns.given(record.fields, ID) else f"c{number:04d}"
    pairs = [_pair(turn, f"{column}[{n}]") for n, turn in enumerate(turns)]
    truths = _references(record, columns, len(pairs))
    kind, document = (_first_text(record, columns, aliases) for aliases in (TYPES, DOCUMENTS))
    conversation_turns = [
        Turn(id=f"{name}/t{n}", question=pair[0], ground_truth=pair[1] or beside, type=kind)
        for n, (pair, beside) in enumerate(zip(pairs, truths or [""] * len(pairs), strict=True), start=1)
    ]
    return Conversation(id=name, turns=tuple(conversation_turns), document=document)


def _pair(turn: object, column: str) -> Pair:
    """A turn as a text, or as an object with its own question and answer."""
    if not isinstance(turn, dict):
        return exact_text(turn, column), ""
    columns = columns_of(turn)
    name, question = columns.one(turn, (*QUESTION, "content"))
    answer, truth = columns.one(turn, (*ANSWER, "ground_truth"))
    return exact_text(question, f"{column}.{name or 'question'}"), exact_text(truth, f"{column}.{answer}", needed=False)


def _references(record: Record, columns: FieldNames, turns: int) -> list[str]:
    name, value = _first(record, columns, REFERENCES)
    if not name:
        return []
    values = value if isinstance(value, list) else [value]
    if len(values) != turns:
        raise FieldError(f"{name}: {len(values)} answers for {turns} turns; there is one for each, or none at all")
    return [exact_text(answer, f"{name}[{n}]", needed=False) for n, answer in enumerate(values)]


def _first(record: Record, columns: FieldNames, aliases: tuple[str, ...]) -> tuple[str, object]:
    return next(iter(columns.given(record.fields, aliases)), ("", None))


def _first_text(record: Record, columns: FieldNames, aliases: tuple[str, ...]) -> str:
    name, value = _first(record, columns, aliases)
    return "" if is_blank(value) else exact_text(value, name)
