"""The material of one call for questions: a passage, a whole text or an image, and what is wanted of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tui_eval.core.calls import Attachment
from tui_eval.core.document_text import PAGE_BREAK, Lean, LeftOut, pages_of, without_running
from tui_eval.core.input_sources import InputFile
from tui_eval.core.plaintext import counted
from tui_eval.evaluation.inputs import Task
from tui_eval.kinds.question_writing.question_schema import OutputFormat, QuestionSchema

ROUNDS = 3
"""How often questions are asked for at one place at most."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One call's matter."""

    text: str = ""
    """The passage, or the whole document; empty of an image."""
    start: int = 0
    """Where it begins in the document's text."""
    whole: str = ""
    """The document's text, with its running heads and feet."""
    paged: bool = False
    """Whether the document has pages."""
    attachment: Attachment | None = None
    """The image."""
    schema: QuestionSchema | None = None
    """The categories; None for a conversation."""
    turns: int = 0
    """How many questions a conversation has."""
    end: int | None = None
    """Where a passage ends in the document's text, which between has what passages leave out; None = it has nothing."""
    left_out: Sequence[LeftOut] = ()
    """What passages leave out of the document's text."""

    @property
    def readings(self) -> tuple[Lean, ...]:
        """How its text can be read, as it is shown first: with the running heads and feet that stand in it, and without."""
        end = self.start + len(self.text) if self.end is None else self.end
        raw, start = self.whole[self.start : end], self.start
        inside = [
            replace(one, start=one.start - start, end=one.end - start)
            for one in self.left_out
            if start <= one.start < one.end <= end
        ]
        lean, whole = without_running(raw, inside), without_running(raw, ())
        if lean.text == raw:
            return (whole,)
        return (lean, whole) if self.text == lean.text else (whole, lean)

    @property
    def wanted(self) -> int:
        """How many questions there are to be."""
        return self.turns + (sum(one.count for one in self.schema.categories) if self.schema else 0)

    def has_enough(self, kept: int) -> bool:
        """Whether most of a conversation is there; of single questions it is never asked."""
        return not self.turns or 2 * kept > self.turns

    @property
    def output_format(self) -> OutputFormat:
        """What each question has to bring."""
        return self.schema.output_format if self.schema else OutputFormat()

    def lacking(self, categories: Sequence[str]) -> list[dict[str, Any]]:
        """The categories that still want questions, and how many. `categories`: of those that are there."""
        there, schema = Counter(categories), self.schema
        left = [(one, one.count - there[one.name]) for one in (schema.categories if schema else ())]
        return [{"name": one.name, "count": n, "description": one.description} for one, n in left if n > 0]


@dataclass(frozen=True, slots=True)
class Place:
    """Where questions are asked for."""

    pieces: tuple[Piece, ...]
    """Tried one after the other."""
    lost: tuple[tuple[int, frozenset[int]], ...] = ()
    """The tries after which the set had lost it, since other places ask the same: which try, and which questions of it."""


Places = Sequence[tuple[str, tuple[Piece, ...]]]
"""The id of a document, and the pieces that are tried there one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTask(Task):
    """The documents, and the places of them that questions are asked about."""

    documents: Mapping[str, InputFile]
    """By their ids, in order."""
    places: Places
    no_room: Mapping[str, int] = field(default_factory=dict)
    """By document: how many questions are wanted besides, for which it has no place."""

    @property
    def wanted(self) -> int:
        """How many questions there are to be."""
        return sum(self.wanted_of.values())

    @property
    def wanted_of(self) -> Mapping[str, int]:
        """The same by document, in order."""
        found = {name: self.no_room.get(name, 0) for name in self.documents}
        for name, pieces in self.places:
            found[name] += pieces[0].wanted
        return found

    @property
    def counts(self) -> Mapping[str, int]:
        """How many questions there are places for, and how many are wanted where that is another number."""
        questions = sum(pieces[0].wanted for _, pieces in self.places)
        return {"questions": questions, **({"wanted": self.wanted} if self.wanted != questions else {})}

    @property
    def room(self) -> str:
        """Where there are fewer places than were wanted, in words; else empty."""
        if not any(self.no_room.values()):
            return ""
        whose = "this document has" if len(self.documents) == 1 else "these documents have"
        return f"wanted {self.wanted}; {whose} room for {counted(len(self.places), 'conversation')}"


def pages_in(file: InputFile) -> int | None:
    """How many pages a document has; None where it has none, as a text or an image."""
    has = file.text is not None and (PAGE_BREAK in file.text or file.name.lower().endswith(".pdf"))
    return len(pages_of(file.text or "")) if has else None
