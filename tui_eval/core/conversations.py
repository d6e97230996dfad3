"""Questions that follow each other, with what is right and where a document says so: the nouns, and their form in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.document_text import LeftOut

FORMAT = 1
"""Of a file with conversations; one with a higher number was written by a newer version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One question of a conversation."""

    id: str
    question: str
    ground_truth: str
    """The right answer."""
    quote: str = ""
    """The words of the document that hold it; empty where none were given."""
    page: int | None = None
    """The page they stand on, counted from 1; None where the document has no pages, or there is no quote."""
    quote_at: tuple[tuple[int, int], ...] = ()
    """Where a quote that runs over a page's end stands in the document's text: its parts, from which character up to which.
    Between them lie running heads and feet that it does not have. Empty of any other."""
    type: str = ""
    """What sort of question it is, such as fact or follow-up; of questions by a schema their category."""
    answerable: bool = True
    """False where the right answer is that the document does not tell."""
    depends_on: str | None = None
    """The id of the earlier turn that it builds on."""
    quote_repaired: bool = False
    """Whether the quote was written otherwise, and replaced by the document's own words."""
    known_without_document: bool = False
    """Whether a model answered it rightly without the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Turns in their order, about one document or none."""

    id: str
    turns: tuple[Turn, ...]
    document: str = ""
    """The file name of the document; empty = none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingDocument:
    """Document that conversations are about."""

    filename: str
    sha256: str
    """Of the file, as it was given."""
    pages: int | None
    """None where it has none, as a text or an image."""
    uploaded_at: str
    """When it was read; ISO 8601."""
    text: str
    """What it says, pages divided by form feeds; empty of an image."""
    left_out: tuple[LeftOut, ...] = ()
    """What of it the passages did not have that questions were asked about; empty where it was shown whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSet:
    """A dataset of conversations."""

    name: str
    documents: tuple[GroundingDocument, ...] = ()
    conversations: tuple[Conversation, ...] = ()
    generator: Mapping[str, Json] | None = None
    """The model that wrote it, and the sha256 of each prompt; None where nobody told."""
    incomplete: bool = False
    """Whether it was kept before all was written."""

    @property
    def turns(self) -> int:
        """Number of questions."""
        return sum(len(conversation.turns) for conversation in self.conversations)


_MARKS = ("quote_at", "quote_repaired", "known_without_document")
"""Of a turn what is written only where it is so."""


def conversations_json(conversation_set: ConversationSet) -> dict[str, Json]:
    """The set as its file has it; what is usual is left out of a turn."""
    return {
        "format": FORMAT,
        "name": conversation_set.name,
        "documents": [_document_json(document) for document in conversation_set.documents],
        "generator": dict(conversation_set.generator or {}),
        "conversations": [
            {
                "id": conversation.id,
                "document": conversation.document,
                "turns": [_turn_json(turn) for turn in conversation.turns],
            }
            for conversation in conversation_set.conversations
        ],
        **({"incomplete": True} if conversation_set.incomplete else {}),
    }


def _document_json(document: GroundingDocument) -> dict[str, Any]:
    return {name: value for name, value in asdict(document).items() if value or name != "left_out"}


def _turn_json(turn: Turn) -> dict[str, Any]:
    return {name: value for name, value in asdict(turn).items() if value or name not in _MARKS}
