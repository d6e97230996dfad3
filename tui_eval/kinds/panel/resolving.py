"""From the `[panel]` table to what is asked: questions, truths and documents read from their files, scopes checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile
from tui_eval.datasets.document_blocks import document_ids, not_shown
from tui_eval.kinds.panel.panel_table import Benchmark, Config
from tui_eval.kinds.shared.asked_models import AskedModel
from tui_eval.kinds.shared.inputs import Inputs, Task, text_of
from tui_eval.kinds.shared.open_questions import Question, lines, of_questions_file, scopes_of, with_truths

LIST = "questions.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelTask(Task):
    """Questions and documents, and who answers, judges and grades."""

    config: Config
    documents: Mapping[str, InputFile]
    """By their ids, in order."""
    scoped: Mapping[int, Sequence[str]]
    """The questions that are asked of some documents only, by their positions: the ids of these documents."""

    @property
    def benchmark(self) -> Benchmark | None:
        """How answers are graded; None = they are not."""
        return self.config.benchmark

    @property
    def scorer(self) -> AskedModel | None:
        """The model that grades answers; None where none does."""
        return next(iter(self.asked.get("scorer", ())), None)


def resolve(config: Config, inputs: Inputs) -> PanelTask:
    """Everything read and checked."""
    questions, files = _questions_and_documents(config, inputs)
    if len(files) > config.max_documents:
        raise ConfigError(
            f"panel.documents: {len(files)} files; at most {config.max_documents} (panel.max_documents raises it)"
        )
    documents = dict(zip(document_ids(files, "panel.documents"), files, strict=True))
    scoped = scopes_of(questions, documents)
    if config.benchmark and not _truths_in(questions):
        raise ConfigError("panel.benchmark: needs truths; give panel.truths, panel.truths_file, or answers in the dataset")
    warnings = [
        *(not_shown(files) if config.attach else ()),
        *_not_graded(config, questions),
        *_without_truth(config, questions),
    ]
    read = {"questions": questions, "documents": [file.path for file in files]}
    gone: dict[str, None] = dict.fromkeys(("questions_file", "truths_file", "truths", "dataset"))
    config = config.model_copy(update={**read, **gone})
    return PanelTask(
        config=config,
        asked=inputs.asked,
        documents=documents,
        scoped=scoped,
        warnings=tuple(warnings),
    )


def _truths_in(questions: Sequence[str | Question]) -> bool:
    return any(isinstance(q, Question) and (q.truth is not None or q.document_truths) for q in questions)


def _not_graded(config: Config, questions: Sequence[str | Question]) -> list[str]:
    """What to say where truths were given of their own, and nothing compares answers with them."""
    key = next((key for key in ("truths", "truths_file", "dataset") if getattr(config, key)), "")
    if not key or config.benchmark or not _truths_in(questions):
        return []
    return [f"{key}: truths are there, and nothing compares answers with them: turn benchmark on to grade"]


def _without_truth(config: Config, questions: Sequence[str | Question]) -> list[str]:
    """What to say where answers are graded, and some questions have nothing to grade them by."""
    n = sum(not _truths_in([question]) for question in questions)
    if not n or not config.benchmark:
        return []
    have = "question has" if n == 1 else "questions have"
    return [f"{n:,} of {len(questions):,} {have} no truth: answers to them are asked for and not graded"]


def _questions_and_documents(config: Config, inputs: Inputs) -> tuple[list[str | Question], list[InputFile]]:
    if config.dataset:
        lists = [file for file in inputs.of("dataset") if file.name.lower() == LIST]
        if not lists:
            raise ConfigError(f"panel.dataset: {config.dataset!r} has no Questions.md")
        return [*of_questions_file(text_of(lists[0], "panel.dataset"), lists[0].name)], [
            replace(file, role="document") for file in inputs.of("dataset") if file is not lists[0]
        ]
    given = [*lines(inputs.text("questions"))] if config.questions_file else config.questions
    questions = [q for q in (q.strip() if isinstance(q, str) else q for q in given) if q]
    if not questions:
        raise ConfigError("panel.questions: no questions; write one per line")
    truths = [*lines(inputs.text("truths"))] if config.truths_file else config.truths
    return with_truths(questions, truths, "panel"), inputs.of("document")
