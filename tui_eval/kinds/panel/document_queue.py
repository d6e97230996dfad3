"""Questions of documents: every pair of the two within a question's scope, in one queue, none made before it is wanted."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

from tui_eval.core.kinds import InputFile
from tui_eval.core.samples import DOCUMENT, NO_DOCUMENT, Sample
from tui_eval.datasets.document_blocks import Document, document_of
from tui_eval.evaluation.sample_queues import Queue
from tui_eval.kinds.panel.open_questions import OpenQuestion


def document_queue(
    questions: Sequence[OpenQuestion],
    documents: Mapping[str, InputFile],
    scoped: Mapping[int, Sequence[str]],
    attach: bool,
    shaped: bool,
) -> Queue:
    """The queue; without documents, every question by itself. A sample's `data` is its Document.

    `scoped`: ids of documents, by the positions of the questions that are asked of these only. `attach`: whether images and
    PDFs are shown as such. `shaped`: whether samples with a truth have another shape than those without.
    """
    doc_ids = [*documents] or [NO_DOCUMENT]
    asked = [_positions(questions, scoped, doc_id) for doc_id in doc_ids]
    ends = [*accumulate(map(len, asked))]

    @lru_cache(maxsize=2)
    def document(doc_id: str) -> Document:
        return document_of(doc_id, documents[doc_id], attach) if doc_id in documents else Document()

    def place(n: int) -> tuple[str, int]:
        which = bisect_right(ends, n)
        return doc_ids[which], asked[which][n - ends[which] + len(asked[which])]

    def shapes() -> Iterator[bool]:
        for doc_id, positions in zip(doc_ids, asked, strict=True):
            yield from (truth_of(questions[index], doc_id) is not None for index in positions)

    def make(n: int) -> Sample:
        doc_id, index = place(n)
        question = questions[index]
        truth = truth_of(question, doc_id)
        return Sample(
            f"{doc_id}/q{index}",
            question=question if isinstance(question, str) else question.question,
            truth=truth,
            groups={} if doc_id == NO_DOCUMENT else {DOCUMENT: (doc_id,)},
            doc_id=doc_id,
            q_index=index,
            shape=truth is not None if shaped else "",
            data=document(doc_id),
        )

    return Queue(ends[-1], make, shapes if shaped else None)


def _positions(questions: Sequence[OpenQuestion], scoped: Mapping[int, Sequence[str]], doc_id: str) -> Sequence[int]:
    """Which questions are asked of a document."""
    every = range(len(questions))
    return [n for n in every if n not in scoped or doc_id in scoped[n]] if scoped else every


def truth_of(question: OpenQuestion, doc_id: str) -> str | None:
    """The right answer to a question about a document; None where none is known."""
    if isinstance(question, str):
        return None
    return question.document_truths.get(doc_id, question.truth) if question.document_truths else question.truth
