"""From the `[panel]` table to what is asked: questions, truths and documents read from their files, every default filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from tui_eval.core.calls import ModelSpec
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile, Source
from tui_eval.datasets.questions import AskedQuestion, questions_markdown
from tui_eval.kinds.panel.panel_table import Config, ModelRow, Question
from tui_eval.kinds.panel.scopes import checked_scopes
from tui_eval.kinds.shared.limits import filled_in
from tui_eval.reading.grades import lines_of
from tui_eval.workspace.run_settings import RunSettings

MAX_LIST_BYTES = 16 * 1024 * 1024


def sources(config: Config) -> list[Source]:
    """The files that the config names."""
    limit = config.max_document_bytes
    found = [Source("document", pattern, f"panel.documents[{i}]", limit) for i, pattern in enumerate(config.documents)]
    if config.questions_file:
        found.append(Source("questions", config.questions_file, "panel.questions_file", MAX_LIST_BYTES))
    if config.truths_file:
        found.append(Source("truths", config.truths_file, "panel.truths_file", MAX_LIST_BYTES))
    if config.dataset:
        found.append(Source("dataset", config.dataset, "panel.dataset", limit, folder=True))
    return found


def settle(config: Config, files: Sequence[InputFile], models: Mapping[str, ModelSpec], run: RunSettings) -> Config:
    """Questions, truths and documents read from their files; rows with every default filled in."""
    questions, documents = _questions_and_documents(config, files)
    if len(documents) > config.max_documents:
        raise ConfigError(
            f"panel.documents: {len(documents)} files; at most {config.max_documents} (panel.max_documents raises it)"
        )
    may_be_scoped = bool(config.dataset) or any(isinstance(question, Question) for question in config.questions)
    scoped = checked_scopes(questions, documents) if may_be_scoped else {}
    benchmark = config.benchmark
    if benchmark and not any(isinstance(q, Question) and (q.truth is not None or q.document_truths) for q in questions):
        raise ConfigError("panel.benchmark: needs truths; give panel.truths, panel.truths_file, or answers in the dataset")
    if benchmark and benchmark.scorer and benchmark.mode == "llm":
        scorer = _settled(benchmark.scorer, models, run)
        if not scorer.use_temperature:
            scorer = scorer.model_copy(update={"temperature": None})
        benchmark = benchmark.model_copy(update={"scorer": scorer})
    settled = config.model_copy(
        update={
            "questions": questions,
            "documents": [file.path for file in documents],
            "questions_file": None,
            "truths_file": None,
            "truths": None,
            "dataset": None,
            "doers": [_settled(row, models, run) for row in config.doers],
            "judges": [_settled(row, models, run) for row in config.judges],
            "finals": [_settled(row, models, run) for row in config.finals],
            "benchmark": benchmark,
        }
    )
    settled.scope(scoped)
    return settled


def _questions_and_documents(config: Config, files: Sequence[InputFile]) -> tuple[list[str | Question], list[InputFile]]:
    documents = [file for file in files if file.role == "document"]
    if config.dataset:
        lists = [file for file in files if file.role == "dataset" and file.name.lower() == "questions.md"]
        if not lists:
            raise ConfigError(f"panel.dataset: {config.dataset!r} has no Questions.md")
        documents = [file for file in files if file.role == "dataset" and file is not lists[0]]
        return [*_of_dataset(_text_of(lists[0]), lists[0].name)], documents
    questions = list(config.questions)
    for file in files:
        if file.role == "questions":
            questions = [*_lines(_text_of(file))]
    questions = [q.strip() if isinstance(q, str) else q for q in questions]
    questions = [q for q in questions if q]
    if not questions:
        raise ConfigError("panel.questions: no questions; write one per line")
    truths = config.truths
    for file in files:
        if file.role == "truths":
            truths = [*_lines(_text_of(file))]
    return _with_truths(questions, truths), documents


def _with_truths(questions: list[str | Question], truths: list[str] | None) -> list[str | Question]:
    if truths is None:
        return questions
    if len(truths) != len(questions):
        raise ConfigError(
            f"panel.truths: {len(truths)} truths for {len(questions)} questions; there must be one for each. "
            f"First questions: {_first(questions)}; first truths: {_first(truths)}"
        )
    bare = [question for question in questions if isinstance(question, str)]
    if len(bare) == len(questions):
        return [*_tables(tuple(bare), tuple(truths))]
    tables = [Question(question=q) if isinstance(q, str) else q for q in questions]
    return [table.model_copy(update={"truth": truth}) for table, truth in zip(tables, truths, strict=True)]


# A config that is being put together is settled again at every change: what rests on the same texts is made once.


@lru_cache(maxsize=4)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(lines_of(text))


@lru_cache(maxsize=2)
def _tables(questions: tuple[str, ...], truths: tuple[str, ...]) -> tuple[Question, ...]:
    return tuple(Question(question=question, truth=truth) for question, truth in zip(questions, truths, strict=True))


@lru_cache(maxsize=2)
def _of_dataset(text: str, name: str) -> tuple[Question, ...]:
    return tuple(_from_dataset(question) for question in questions_markdown(text, name))


def _first(entries: Sequence[str | Question]) -> str:
    return ", ".join(repr((e if isinstance(e, str) else e.question)[:40]) for e in entries[:5])


def _from_dataset(asked: AskedQuestion) -> Question:
    return Question(
        question=asked.question,
        truth=asked.truth,
        documents=asked.documents,
        document_truths=asked.document_truths,
    )


def _text_of(file: InputFile) -> str:
    if file.encoding != "utf-8":
        raise ConfigError(f"{file.name}: not UTF-8; save it as UTF-8 text")
    return file.content.removeprefix("\ufeff")


AnyRow = TypeVar("AnyRow", bound=ModelRow)


def _settled(row: AnyRow, models: Mapping[str, ModelSpec], run: RunSettings) -> AnyRow:
    return row.model_copy(update=filled_in(row, models[row.model], run))
