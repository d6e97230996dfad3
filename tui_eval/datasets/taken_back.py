"""A question that was dropped when its set was made, taken back into it: its conversation, and its quote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tui_eval.core.conversations import Conversation, ConversationSet, GroundingDocument, Turn
from tui_eval.core.document_text import PAGE_BREAK, page_at
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_samples import CONVERSATION
from tui_eval.datasets.dropped_questions import Dropped
from tui_eval.reading.quotes import find_quote


def id_in_set(question: Sample) -> str:
    """The id that a dropped question has once it is taken back."""
    conversation = next(iter(question.group(CONVERSATION)), "")
    return f"{conversation}/{question.id.replace(' ', '-')}".removeprefix("/")


def with_taken_back(conversation_set: ConversationSet, question: Sample, dropped: Dropped) -> ConversationSet:
    """The set with a dropped question: behind the one that it builds on, in its conversation, which may have to be begun."""
    place = id_in_set(question)
    if any(turn.id == place for conversation in conversation_set.conversations for turn in conversation.turns):
        raise ConfigError("the question is already in the set")
    document = document_called(dropped.document, {document.filename: document for document in conversation_set.documents})
    if document is None and dropped.document:
        raise ConfigError(f"{one_line(dropped.document, 60)}: the document is no longer in the set")
    name = next(iter(question.group(CONVERSATION)), place) if dropped.number is not None else place
    conversation = next((conversation for conversation in conversation_set.conversations if conversation.id == name), None)
    earlier = conversation.turns if conversation is not None else ()
    turn = _turn(place, question, dropped, document, _needed(dropped, earlier))
    if conversation is None:
        filename = document.filename if document is not None else ""
        return replace(
            conversation_set,
            conversations=(*conversation_set.conversations, Conversation(id=name, turns=(turn,), document=filename)),
        )
    turns = (turn, *earlier) if dropped.number == 1 else (*earlier, turn)
    changed = (
        replace(conversation, turns=turns) if conversation.id == name else conversation
        for conversation in conversation_set.conversations
    )
    return replace(conversation_set, conversations=tuple(changed))


def _needed(dropped: Dropped, earlier: Sequence[Turn]) -> str | None:
    """The id of the turn that a dropped question builds on; None where it builds on none."""
    if not dropped.builds_on:
        return None
    needed = next((turn.id for turn in earlier if turn.question == dropped.builds_on), None)
    if needed is None:
        raise ConfigError(f"it builds on “{one_line(dropped.builds_on, 80)}”, which is not in the set: take that back first")
    return needed


def document_called(name: str, documents: Mapping[str, GroundingDocument]) -> GroundingDocument | None:
    """A document by its file name, or by that without its suffix."""
    stems = {filename.rsplit(".", 1)[0]: document for filename, document in documents.items()}
    return documents.get(name) or stems.get(name)


def _turn(place: str, question: Sample, dropped: Dropped, document: GroundingDocument | None, needed: str | None) -> Turn:
    """The turn; a quote is the document's own words, or is left out."""
    text = document.text if document is not None else ""
    where = find_quote(dropped.quote, text) if dropped.quote and text else None
    return Turn(
        id=place,
        question=question.question,
        ground_truth=question.truth or "",
        quote="" if where is None else text[where.start : where.end].replace(PAGE_BREAK, "\n"),
        page=page_at(text, where.start) if where is not None and document is not None and document.pages else None,
        type=dropped.type,
        answerable=dropped.answerable,
        depends_on=needed,
        quote_repaired=where is not None and where.how == "repaired",
    )
