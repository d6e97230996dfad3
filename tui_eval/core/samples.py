"""Samples: a question as it stands on file, and the same as it is asked in a run."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import field
from string import ascii_uppercase
from typing import Any

from tui_eval.core.record_class import record

NO_DOCUMENT = "__no_doc__"
"""The `doc_id` of what is asked without a document."""


def plain_id(item_id: str) -> str:
    """The id of a sample as people and other programs see it: without the part that says that it is about no document."""
    return item_id.removeprefix(f"{NO_DOCUMENT}/")


NOTHING: Mapping[str, Any] = {}
"""What samples have in common that have no groups, or no answers for single documents: there may be many of them."""


DOCUMENT = "document"
"""The grouping that says which document a conversation is about."""


def source_of(doc_id: str, groups: Mapping[str, tuple[str, ...]]) -> str:
    """Return the source that dependent samples share: the one document that they are about, else their `doc_id`."""
    documents = groups.get(DOCUMENT, ())
    return documents[0] if len(documents) == 1 else doc_id


@record
class Sample:
    """One thing to ask about. Samples never wait for each other; where some go on by what all came to, that is a further wave.

    A set of questions on file is samples that no run has placed yet: `repeat` to `data` say nothing there.
    """

    id: str
    question: str = ""
    """As it is asked."""
    options: tuple[str, ...] = ()
    """What may be chosen; empty where the question is open."""
    answer: int | None = None
    """The right option, counted from 0."""
    truth: str | None = None
    """The right answer to an open question; None where none is known."""
    documents: tuple[str, ...] = ()
    """Ids of the documents it is asked of; none = all."""
    document_truths: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Right answers that hold for one document only, by its id."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    """What it belongs to, such as difficulty: the names that tables are broken down by, and its values."""
    repeat: int = 0
    """Which time it is asked, counted from 0."""
    queue: str = ""
    """Samples of one queue share a window of active flows, so that one slow model never holds up another."""
    doc_id: str = NO_DOCUMENT
    """What it is about: a document, a question that several models are asked, a conversation."""
    q_index: int = 0
    """Its place among the others; those of several queues are read side by side, in this order."""
    shape: Hashable = ""
    """What tells samples of a queue apart that ask other calls: those of one shape ask as many of each stage and model."""
    checks_judge: bool = False
    """Whether it is asked to find out about the run's judges: it stands in the report on them, in no other figure or file."""
    data: Any = None
    """What the kind needs besides to ask about it; of a turn of a conversation on file the Turn (core.conversations)."""

    @property
    def letter(self) -> str:
        """The letter of the right option; empty where there is none."""
        return "" if self.answer is None else ascii_uppercase[self.answer]

    @property
    def answer_text(self) -> str:
        """The right answer in words; empty where none is on file."""
        if self.answer is not None:
            return self.options[self.answer]
        return self.truth or "; ".join(f"{name}: {truth}" for name, truth in self.document_truths.items())

    @property
    def cluster(self) -> tuple[str, int]:
        """Cluster of its answers: those to samples of one source, or of one place, are no independent evidence."""
        return source_of(self.doc_id, self.groups), self.q_index

    def group(self, name: str) -> tuple[str, ...]:
        """Its values of a grouping, such as ("easy",) of difficulty; none where it has none."""
        return self.groups.get(name, ())
