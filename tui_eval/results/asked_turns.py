"""The conversations that a run asked, out of its own inputs: the question of a turn, what is right, and where it stands."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tui_eval.core.conversations import Conversation, ConversationSet, GroundingDocument, Turn
from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.datasets.conversation_files import is_conversations, read_conversations
from tui_eval.results.stored_samples import StoredSample
from tui_eval.runs.opening import whole

LISTS = ("inputs", "lists")
"""The folder of a run with the questions that it asks."""
MOST_BYTES = 64 << 20
MOST_FILES = 100


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A turn of a conversation that was asked."""

    conversation: Conversation
    number: int
    """From 1."""
    turn: Turn
    document: GroundingDocument | None
    """None where the conversation is about none."""

    @property
    def before(self) -> tuple[Turn, ...]:
        """The turns before it."""
        return self.conversation.turns[: self.number - 1]


class AskedTurns:
    """Of one run, whose inputs never change. They are read when a turn is first asked for, or before that in the background."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._found: dict[str, tuple[Conversation, GroundingDocument | None]] | None = None

    def behind(self) -> bool:
        """Return whether they are still to be read."""
        return self._found is None

    def advance(self, seconds: float) -> bool:
        """Read them, all at once."""
        self._conversations()
        return False

    @property
    def any(self) -> bool:
        """Return whether the run asked conversations at all."""
        return bool(self._conversations())

    def turn(self, conversation: str, place: int) -> AskedTurn | None:
        """The turn at a place, from 0, of a conversation; None where the run asked none of that name."""
        match, document = self._conversations().get(conversation, (None, None))
        if match is None or not 0 <= place < len(match.turns):
            return None
        return AskedTurn(match, place + 1, match.turns[place], document)

    def of(self, sample: StoredSample) -> list[AskedTurn]:
        """The turns that a sample's answers are to; none of a sample that is no conversation of several turns."""
        places = sorted({answer.call_index for answer in sample.kept()})
        turns = [self.turn(sample.doc_id, place) for place in places] if len(places) > 1 else []
        return [turn for turn in turns if turn is not None]

    def _conversations(self) -> dict[str, tuple[Conversation, GroundingDocument | None]]:
        if self._found is None:
            conversations: dict[str, tuple[Conversation, GroundingDocument | None]] = {}
            for conversation_set in _sets(self._run.joinpath(*LISTS)):
                documents = {document.filename: document for document in conversation_set.documents}
                for conversation in conversation_set.conversations:
                    conversations.setdefault(conversation.id, (conversation, documents.get(conversation.document)))
            self._found = conversations
        return self._found


@lru_cache(maxsize=4)
def asked_turns(run: Path) -> AskedTurns:
    """Those of a run; several screens that look at it share them."""
    return AskedTurns(run)


def _sets(folder: Path) -> Iterator[ConversationSet]:
    """Every file of a folder that is a set of conversations."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return
    for name in names[:MOST_FILES]:
        try:
            content = json.loads(whole(folder / name, MOST_BYTES) or b"null")
            if is_conversations(content):
                yield read_conversations(content, name)
        except (FolderError, ConfigError, ValueError, RecursionError):
            continue
