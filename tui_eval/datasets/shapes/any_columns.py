"""Samples with any columns: rows of a table, objects of JSON, questions of a Questions.md, turns of conversations."""

from __future__ import annotations

from collections.abc import Iterator

from tui_eval.core.conversations import ConversationSet
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_files import is_conversations, read_conversations
from tui_eval.datasets.parsing import Record, Subject, json_value
from tui_eval.datasets.questions import is_set_list
from tui_eval.datasets.questions_markdown import questions_markdown
from tui_eval.datasets.shapes.set_records import set_records

_LISTS = ("samples", "questions", "items", "rows", "data", "examples", "tests")
SUBJECT = Subject("sample", _LISTS, ("id",), (), lambda name: True)
DOCUMENTS = "documents"
"""The column of a Questions.md with the documents that a question is asked of; none = all."""


class LaterTurn(Record):
    """A turn of a conversation that builds on others, so that it cannot be asked alone: its `problem` says so."""

    __slots__ = ()


def sample_records(text: str, file_name: str, name: str) -> list[Record]:
    """The samples of a file, at least one, in its order. ConfigError, beginning with `name`, where it cannot be read.

    What is wrong with one of them alone is its `problem`, as where it is a later turn of a conversation, which cannot be asked
    alone.
    """
    if is_set_list(file_name):
        listed = enumerate(questions_markdown(text, name), start=1)
        return [Record(f"{name}: question ", n, _columns_of(question)) for n, question in listed]
    talks = _conversations(text, name)
    return set_records(text, name, SUBJECT) if talks is None else [*_turns(talks, name)]


def _columns_of(question: Sample) -> dict[str, object]:
    """The columns of a question; where it is asked of one document alone, its answer is the one for that, if there is one."""
    names = {*question.documents, *(name.rpartition(".")[0] for name in question.documents)}
    own = [truth for name, truth in question.document_truths.items() if name in names]
    answer = own[0] if own and len(question.documents) == 1 else question.truth
    return {"id": question.id, "question": question.question, "answer": answer, DOCUMENTS: [*question.documents]}


def _conversations(text: str, name: str) -> ConversationSet | None:
    """The conversations that a text holds; None where it holds something else."""
    if text.removeprefix("\ufeff").lstrip()[:1] != "{" or '"conversations"' not in text:
        return None
    try:
        value = json_value(text, name)
    except ConfigError:  # several objects, one a line
        return None
    return read_conversations(value, name) if isinstance(value, dict) and is_conversations(value) else None


def _turns(talks: ConversationSet, name: str) -> Iterator[Record]:
    texts = {document.filename: document.text for document in talks.documents}
    number = 0
    for talk in talks.conversations:
        for place, turn in enumerate(talk.turns, start=1):
            number += 1
            fields: dict[str, object] = {"id": turn.id, "question": turn.question, "ground_truth": turn.ground_truth or None}
            fields |= {"context": texts[talk.document]} if texts.get(talk.document) else {}
            fields |= {"document": talk.document} if talk.document else {}
            later = f"turn {place} of {one_line(talk.id, 60)!r} builds on what was said before it: kind chat asks conversations"
            alone = "; of this set select first turns alone: tui-eval datasets select NAME --only --where turn=1"
            before = f"{name}: question "
            yield LaterTurn(before, number, fields, later + alone) if place > 1 else Record(before, number, fields)
