"""Open questions in a config: as lines or tables, from a file, from a set on file; and which documents they are asked of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.lazy_sequence import LazySequence
from tui_eval.core.plaintext import count_of
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_samples import stand_alone
from tui_eval.datasets.questions_markdown import questions_markdown
from tui_eval.datasets.selected import Selected
from tui_eval.evaluation.inputs import Inputs, text_of
from tui_eval.evaluation.lru_cache import Remembered
from tui_eval.workspace.validation import Strict

MAX_LIST_BYTES = 256 * 1024 * 1024


class Question(Strict):
    """A question with its own truth and scope, as a dataset gives it."""

    question: Annotated[str, Field(min_length=1, examples=["What does porosity measure?"])]
    """The text of the question, as it is sent to the models."""
    truth: str | None = None
    """The right answer. Empty = none is known, and answers to the question are not graded."""
    documents: list[str] = Field(default_factory=list)
    """Ids of the documents that the question is about (file names, without suffix or with it). Empty = all."""
    document_truths: dict[str, str] = Field(default_factory=dict)
    """Right answers that hold for one document only: { "id of the document" = "answer" }. Empty = the truth holds for all."""


def _form(value: Any) -> str:
    return "<text>" if isinstance(value, str) else "<table>"


QuestionEntry = Annotated[Annotated[str, Tag("<text>")] | Annotated[Question, Tag("<table>")], Discriminator(_form)]
"""A question as text, or as a table with its own truth and scope."""

OpenQuestion = str | Question | Sample
"""A question as it stands in a config, or as it was read from a file: there are many of these, and a Sample is small."""

_LINES: Remembered[Sequence[str]] = Remembered(4)
_ANSWERED: Remembered[Sequence[Sample]] = Remembered(2)
_SETS: Remembered[tuple[Sample, ...]] = Remembered(2)


def with_truths(questions: list[str | Question], truths: Sequence[str] | None, key: str) -> list[str | Question]:
    """Questions of a config with the right answers beside them, in the same order. ConfigError where they are not as many."""
    if truths is None:
        return questions
    _check_as_many(questions, truths, key)
    tables = [Question(question=q) if isinstance(q, str) else q for q in questions]
    return [table.model_copy(update={"truth": truth}) for table, truth in zip(tables, truths, strict=True)]


def questions_in_file(inputs: Inputs, truths: Sequence[str] | None, key: str) -> Sequence[OpenQuestion]:
    """The questions in the file of that role, one a line, with the right answers beside them.

    `truths`: as they stand in the config; None = in a file of that role, or nowhere. ConfigError where they are not as many.
    """
    questions = lines_in_file(inputs, "questions")
    listed = inputs.of("truths")
    if truths is None and not listed:
        return questions
    beside = lines_in_file(inputs, "truths") if truths is None else truths
    _check_as_many(questions, beside, key)
    if not isinstance(questions, tuple):
        return LazySequence(len(questions), lambda n: _answered(questions[n], beside[n]))
    made_of = (inputs.one("questions").sha256, listed[0].sha256 if listed else tuple(beside))
    return _ANSWERED(made_of, lambda: tuple(map(_answered, questions, beside)))


def lines_in_file(inputs: Inputs, role: str) -> Sequence[str]:
    """The lines of the one file of a role, each a question or a truth; a tuple but of a large file, of which each is read when
    it is looked at."""
    file = inputs.one(role)
    return _LINES((file.sha256, file.origin), lambda: inputs.lines(role))


def questions_in_set(file: InputFile, key: str) -> Sequence[Sample]:
    """The questions of a Questions.md. `key`: the config key that names it. ConfigError for what cannot be read."""
    return _SETS((file.sha256, file.name), lambda: questions_markdown(text_of(file, key), file.name))


def as_table(question: OpenQuestion) -> Json:
    """A question as a config holds it in full: text, or a table with its truth and scope."""
    if isinstance(question, str):
        return question
    truth = {} if question.truth is None else {"truth": question.truth}
    scope = {"documents": list(question.documents), "document_truths": dict(question.document_truths)}
    return {"question": question.question, **truth, **scope}


def _answered(question: str, truth: str) -> Sample:
    return Sample("", question, truth=truth)


def _check_as_many(questions: Sequence[OpenQuestion], truths: Sequence[str], key: str) -> None:
    if len(truths) != len(questions):
        raise ConfigError(
            f"{key}.truths: {len(truths)} given for {len(questions)} questions; there must be one for each. "
            f"First questions: {_first(questions)}; first expected answers: {_first(truths)}"
        )


def _first(entries: Sequence[OpenQuestion]) -> str:
    return ", ".join(repr((e if isinstance(e, str) else e.question)[:40]) for e in entries[:5])


def with_document_ids(questions: Sequence[OpenQuestion], documents: Mapping[str, InputFile]) -> Sequence[OpenQuestion]:
    """The same questions, their documents by id also where they name the file in full. ConfigError for two truths of one."""
    by_name = {file.name: doc_id for doc_id, file in documents.items() if file.name not in documents}
    resolved: list[OpenQuestion] = []
    for n, each in enumerate(questions):
        if not isinstance(each, str) and by_name.keys() & {*each.documents, *each.document_truths}:
            resolved = resolved or [*questions]
            resolved[n] = _by_id(each, by_name, n)
    return resolved or questions


def _by_id(question: Question | Sample, by_name: Mapping[str, str], n: int) -> OpenQuestion:
    names = dict.fromkeys(by_name.get(name, name) for name in question.documents)
    truths = {by_name.get(name, name): truth for name, truth in question.document_truths.items()}
    if len(truths) < len(question.document_truths):
        raise ConfigError(f"question {n + 1} ({question.question[:40]!r}): two expected answers for one document; remove one")
    if isinstance(question, Question):
        return question.model_copy(update={"documents": [*names], "document_truths": truths})
    return replace(question, documents=tuple(names), document_truths=truths)


def scopes_of(questions: Sequence[OpenQuestion], documents: Mapping[str, InputFile]) -> Mapping[int, Sequence[str]]:
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
    """The folder or the list as it is where all of it is asked and a run reads it so; else the questions themselves.

    Of conversations what stands alone: ConfigError where a later turn is selected. Their documents are in the set's own file,
    and no files that could be sent.
    """
    if "turns" in selected.has:
        _refuse_later_turns(selected)
        return {"questions": [_entry(replace(question, documents=())) for question in selected.questions]}
    if selected.whole and selected.folder:
        return {"dataset": selected.path}
    if selected.whole and selected.lines == tuple(question.question for question in selected.questions):
        return {"questions_file": selected.path}
    documents = {"documents": list(selected.documents)} if selected.documents else {}
    return {"questions": [_entry(question) for question in selected.questions], **documents}


def _refuse_later_turns(selected: Selected) -> None:
    later = [question for question in selected.questions if not stand_alone((question,))]
    if later:
        name, n = selected.path.rsplit("/", 1)[-1].removesuffix(".json"), len(selected.questions)
        raise ConfigError(
            f"{selected.path}: {count_of(len(later), 'question')} of {n:,} are later turns of conversations, "
            "but here every question is asked alone. Select only questions that stand alone: by the filter turn:1 in the app, "
            f"or: tui-eval datasets select {name} --only --where turn=1"
        )


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
