"""Conversations as questions that can be listed, selected and edited, a sample for each turn; and put together again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tui_eval.core.conversations import Conversation, ConversationSet, Turn
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample

CONVERSATION, TURN, TYPE, DOCUMENT = "conversation", "turn", "type", "document"
"""The names in `Sample.groups` of what a turn belongs to; its turn is its number in its conversation, from 1."""


def samples_of(conversation_set: ConversationSet) -> tuple[Sample, ...]:
    """A sample for each turn, in their order; `data` is the Turn itself."""
    return tuple(
        _sample(conversation, number, turn)
        for conversation in conversation_set.conversations
        for number, turn in enumerate(conversation.turns, start=1)
    )


def turn_of(question: Sample) -> Turn | None:
    """The turn that a question is, as it now stands; None where it is none of a conversation."""
    if not isinstance(question.data, Turn):
        return None
    return replace(question.data, question=question.question, ground_truth=question.truth or "")


def with_turn(question: Sample, turn: Turn) -> Sample:
    """The same sample for a turn that was changed."""
    groups = {name: values for name, values in question.groups.items() if name != TYPE}
    more = {TYPE: (turn.type,)} if turn.type else {}
    return replace(question, question=turn.question, truth=turn.ground_truth or None, groups=groups | more, data=turn)


def with_samples(conversation_set: ConversationSet, questions: Iterable[Sample]) -> ConversationSet:
    """The set with these of its turns as they now are; conversations and documents without any turn are left out.

    ConfigError where a turn builds on one that is not among them.
    """
    turns = {turn.id: turn for turn in map(turn_of, questions) if turn is not None}
    conversations = []
    for conversation in conversation_set.conversations:
        mine = tuple(turns[turn.id] for turn in conversation.turns if turn.id in turns)
        _check_whole(mine)
        if mine:
            conversations.append(replace(conversation, turns=mine))
    gone = {conversation.document for conversation in conversation_set.conversations} - {
        conversation.document for conversation in conversations
    }
    documents = tuple(document for document in conversation_set.documents if document.filename not in gone)
    return replace(conversation_set, conversations=tuple(conversations), documents=documents)


def stand_alone(questions: Iterable[Sample]) -> bool:
    """Return whether each can be asked without the others: none is a later turn of a conversation."""
    return all(question.group(TURN) in ((), ("1",)) for question in questions)


def _check_whole(turns: Iterable[Turn]) -> None:
    before: set[str] = set()
    for turn in turns:
        if turn.depends_on is not None and turn.depends_on not in before:
            name, needed = one_line(turn.id, 60), one_line(turn.depends_on, 60)
            raise ConfigError(f"{name} builds on {needed}, which is left out; select {needed}, or leave out {name} as well")
        before.add(turn.id)


def _sample(conversation: Conversation, number: int, turn: Turn) -> Sample:
    group_values = {CONVERSATION: conversation.id, TURN: str(number), TYPE: turn.type, DOCUMENT: conversation.document}
    return Sample(
        turn.id,
        turn.question,
        truth=turn.ground_truth or None,
        documents=(conversation.document,) if conversation.document else (),
        groups={name: (value,) for name, value in group_values.items() if value},
        data=turn,
    )
