"""Open questions in a config: as lines or tables, from a file, from a set on file; and which documents they are asked of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile
from tui_eval.core.samples import Sample
from tui_eval.datasets.questions_markdown import questions_markdown
from tui_eval.datasets.selected import Selected
from tui_eval.reading.grades import lines_of
from tui_eval.workspace.validation import Strict

MAX_LIST_BYTES = 16 * 1024 * 1024


class Question(Strict):
    """A question with its own truth and scope, as a dataset gives it."""

    question: Annotated[str, Field(min_length=1, examples=["What does porosity measure?"])]
    """The question, as the models are asked it."""
    truth: str | None = None
    """The right answer. Empty = none is known, and answers to it are not graded."""
    documents: list[str] = Field(default_factory=list)
    """Ids of the documents it is asked of (file names without suffix). Empty = all."""
    document_truths: dict[str, str] = Field(default_factory=dict)
    """Right answers that hold for one document only: { "id of the document" = "answer" }. Empty = the truth holds for all."""


def _form(value: Any) -> str:
    return "<text>" if isinstance(value, str) else "<table>"


QuestionEntry = Annotated[Annotated[str, Tag("<text>")] | Annotated[Question, Tag("<table>")], Discriminator(_form)]
"""A question as text, or as a table with its own truth and scope."""


def with_truths(questions: list[str | Question], truths: list[str] | None, key: str) -> list[str | Question]:
    """Questions with the right answers beside them, in the same order. ConfigError where they are not as many."""
    if truths is None:
        return questions
    if len(truths) != len(questions):
        raise ConfigError(
            f"{key}.truths: {len(truths)} truths for {len(questions)} questions; there must be one for each. "
            f"First questions: {_first(questions)}; first truths: {_first(truths)}"
        )
    bare = [question for question in questions if isinstance(question, str)]
    if len(bare) == len(questions):
        return [*_tables(tuple(bare), tuple(truths))]
    tables = [Question(question=q) if isinstance(q, str) else q for q in questions]
    return [table.model_copy(update={"truth": truth}) for table, truth in zip(tables, truths, strict=True)]


# A config that is being put together is resolved again at every change: what rests on the same texts is made once.


@lru_cache(maxsize=4)
def lines(text: str) -> tuple[str, ...]:
    """The lines of a list, one a question or a truth."""
    return tuple(lines_of(text))


@lru_cache(maxsize=2)
def _tables(questions: tuple[str, ...], truths: tuple[str, ...]) -> tuple[Question, ...]:
    return tuple(Question(question=question, truth=truth) for question, truth in zip(questions, truths, strict=True))


@lru_cache(maxsize=2)
def of_questions_file(text: str, name: str) -> tuple[Question, ...]:
    """The questions of a Questions.md."""
    return tuple(_from_dataset(question) for question in questions_markdown(text, name))


def _first(entries: Sequence[str | Question]) -> str:
    return ", ".join(repr((e if isinstance(e, str) else e.question)[:40]) for e in entries[:5])


def _from_dataset(asked: Sample) -> Question:
    return Question(
        question=asked.question,
        truth=asked.truth,
        documents=list(asked.documents),
        document_truths=dict(asked.document_truths),
    )


def scopes_of(questions: Sequence[str | Question], documents: Mapping[str, InputFile]) -> Mapping[int, Sequence[str]]:
    """The questions that are asked of some documents only. ConfigError where one names a document that is not there."""
    scoped = {}
    for index, question in enumerate(questions):
        if isinstance(question, str):
            continue
        if question.documents or question.document_truths:
            for name in (*question.documents, *question.document_truths):
                if name not in documents:
                    raise ConfigError(
                        f"question {index + 1} ({question.question[:40]!r}): no document {name!r}; "
                        f"there are {', '.join(sorted(documents)) or 'none'}"
                    )
            if question.documents:
                scoped[index] = question.documents
    return scoped


def table_of(selected: Selected) -> dict[str, Json]:
    """The folder or the list as it is where all of it is asked and a run reads it so; else the questions themselves."""
    if selected.whole and selected.folder:
        return {"dataset": selected.path}
    if selected.whole and selected.lines == tuple(question.question for question in selected.questions):
        return {"questions_file": selected.path}
    documents = {"documents": list(selected.documents)} if selected.documents else {}
    return {"questions": [_entry(question) for question in selected.questions], **documents}


def _entry(question: Sample) -> Json:
    """A question as a config has it: text where there is nothing but the text."""
    table = {
        "question": question.question,
        "truth": question.truth,
        "documents": list(question.documents),
        "document_truths": dict(question.document_truths),
    }
    filled = {key: value for key, value in table.items() if value not in (None, [], {})}
    return filled if len(filled) > 1 else question.question
