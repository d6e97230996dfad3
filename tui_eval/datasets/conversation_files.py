"""Datasets of conversations as files: written whole, read strictly, with the place of whatever is out of order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tui_eval.core.calls import Json
from tui_eval.core.conversations import FORMAT, Conversation, ConversationSet, GroundingDocument, Turn, conversations_json
from tui_eval.core.document_text import LeftOut, page_at
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.field_values import LONE_SURROGATE, enumerated, short_value, sort_of

Found = TypeVar("Found")


def is_conversations(value: object) -> bool:
    """Return whether a JSON value has the form of such a set."""
    return isinstance(value, dict) and isinstance(value.get("conversations"), list)


def written_conversations(conversation_set: ConversationSet) -> str:
    """A set as its file holds it."""
    return json.dumps(conversations_json(conversation_set), ensure_ascii=False, indent=1) + "\n"


def read_conversations(value: object, name: str, empty: bool = False) -> ConversationSet:
    """A set from the JSON of its file. ConfigError naming file, place and key where it cannot be one. `empty`: it may be."""
    reader = _ConversationReader(name)
    table = reader.table(value, "")
    if table.get("format", FORMAT) != FORMAT:
        raise ConfigError(f"{name}: format {short_value(table['format'])}; this version reads {FORMAT}: update tui-eval")
    documents = tuple(reader.each(table, "documents", _document, needed=False))
    conversations = tuple(reader.each(table, "conversations", _conversation))
    if not conversations and not empty:
        raise ConfigError(f"{name}: conversations: none")
    ids = [turn.id for conversation in conversations for turn in conversation.turns]
    reader.unique([conversation.id for conversation in conversations], "conversations", "id")
    reader.unique(ids, "turns", "id")
    reader.unique([document.filename for document in documents], "documents", "filename")
    filenames = {document.filename for document in documents}
    for conversation in conversations:
        if conversation.document and documents and conversation.document not in filenames:
            message = f"conversation {short_value(conversation.id)}: document: {short_value(conversation.document)}"
            raise ConfigError(f"{name}: {message} is not one of the documents")
    generator = reader.table(table.get("generator") or {}, "generator")
    return ConversationSet(
        name=reader.text(table, "name", "", needed=False),
        documents=documents,
        conversations=conversations,
        generator=generator or None,
        incomplete=bool(reader.flag(table, "incomplete", "", usual=False)),
    )


class _ConversationReader:
    """Values of one file by their places."""

    def __init__(self, name: str) -> None:
        self.name = name

    def wrong(self, place: str, key: str, problem: str) -> ConfigError:
        return ConfigError(f"{self.name}: {': '.join(filter(None, (place, key, problem)))}")

    def table(self, value: object, place: str) -> Mapping[str, Json]:
        if not isinstance(value, dict):
            raise self.wrong(place, "", f"{sort_of(value)}, not an object")
        return value

    def each(
        self, table: Mapping[str, Json], key: str, read: Callable[[_ConversationReader, Mapping[str, Json], str], Found],
        place: str = "", needed: bool = True,
    ) -> list[Found]:  # fmt: skip
        values = table.get(key)
        if values is None and not needed:
            return []
        if not isinstance(values, list):
            raise self.wrong(place, key, "missing" if values is None else f"{sort_of(values)}, not a list")
        entries = []
        for number, value in enumerate(values, start=1):
            here = f"{place}{', ' if place else ''}{key.removesuffix('s')} {number}"
            entries.append(read(self, self.table(value, here), here))
        return entries

    def text(self, table: Mapping[str, Json], key: str, place: str, needed: bool = True) -> str:
        value = table.get(key)
        if value is None and not needed:
            return ""
        if not isinstance(value, str):
            raise self.wrong(place, key, "missing" if value is None else f"{sort_of(value)}, not text")
        if needed and not value.strip():
            raise self.wrong(place, key, "empty")
        if not value.isascii() and LONE_SURROGATE.search(value):
            raise self.wrong(place, key, f"{short_value(value)} holds half a character (a lone surrogate)")
        return value

    def flag(self, table: Mapping[str, Json], key: str, place: str, usual: bool) -> bool:
        value = table.get(key, usual)
        if not isinstance(value, bool):
            raise self.wrong(place, key, f"{short_value(value)}, neither true nor false")
        return value

    def number(self, table: Mapping[str, Json], key: str, place: str) -> int | None:
        value = table.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise self.wrong(place, key, f"{short_value(value)}, not a whole number")
        return value

    def stretches(
        self, table: Mapping[str, Json], key: str, place: str, size: int | None = None
    ) -> list[tuple[int, int, str]]:  # fmt: skip
        """Stretches of a text in their order, none over another. `size`: how many characters it has, if that is known."""
        values = table.get(key) or []
        if not isinstance(values, list):
            raise self.wrong(place, key, f"{sort_of(values)}, not a list")
        spans: list[tuple[int, int, str]] = []
        for value in values:
            span = _stretch(value)
            least = spans[-1][1] if spans else 0
            if span is None or not least <= span[0] < span[1] or (size is not None and span[1] > size):
                raise self.wrong(place, key, f"{short_value(value)}, not a stretch of the text after the one before")
            spans.append(span)
        return spans

    def unique(self, values: list[str], where: str, key: str) -> None:
        twice = [value for value, n in Counter(values).items() if n > 1]
        if twice:
            raise self.wrong(where, key, f"{enumerated(short_value(value) for value in twice[:5])} appears twice")


def _document(reader: _ConversationReader, table: Mapping[str, Json], place: str) -> GroundingDocument:
    text = reader.text(table, "text", place, needed=False)
    return GroundingDocument(
        filename=reader.text(table, "filename", place),
        sha256=reader.text(table, "sha256", place, needed=False),
        pages=reader.number(table, "pages", place),
        uploaded_at=reader.text(table, "uploaded_at", place, needed=False),
        text=text,
        left_out=tuple(
            LeftOut(page_at(text, start), start, end, kind)
            for start, end, kind in reader.stretches(table, "left_out", place, len(text))
        ),
    )


def _stretch(value: object) -> tuple[int, int, str] | None:
    """A stretch of a text: from which character up to which, and what it is called."""
    match value:
        case {"start": int(start), "end": int(end), "what": str(what)}:
            return start, end, what
        case [int(start), int(end)]:
            return start, end, ""
    return None


def _conversation(reader: _ConversationReader, table: Mapping[str, Json], place: str) -> Conversation:
    name = reader.text(table, "id", place)
    here = f"conversation {one_line(name, 60)}"
    turns = tuple(reader.each(table, "turns", _turn, here))
    if not turns:
        raise reader.wrong(here, "turns", "none")
    before: set[str] = set()
    for turn in turns:
        if turn.depends_on is not None and turn.depends_on not in before:
            raise reader.wrong(here, "depends_on", f"{short_value(turn.depends_on)} is not an earlier turn of it")
        before.add(turn.id)
    return Conversation(id=name, turns=turns, document=reader.text(table, "document", here, needed=False))


def _turn(reader: _ConversationReader, table: Mapping[str, Json], place: str) -> Turn:
    depends_on: Any = table.get("depends_on")
    return Turn(
        id=reader.text(table, "id", place),
        question=reader.text(table, "question", place),
        ground_truth=reader.text(table, "ground_truth", place, needed=False),
        quote=reader.text(table, "quote", place, needed=False),
        page=reader.number(table, "page", place),
        quote_at=tuple((start, end) for start, end, _ in reader.stretches(table, "quote_at", place)),
        type=reader.text(table, "type", place, needed=False),
        answerable=reader.flag(table, "answerable", place, usual=True),
        depends_on=None if depends_on is None else reader.text(table, "depends_on", place),
        quote_repaired=reader.flag(table, "quote_repaired", place, usual=False),
        known_without_document=reader.flag(table, "known_without_document", place, usual=False),
    )
