"""From the `[panel]` table to what is asked: questions, truths and documents read from their files, scopes checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.plaintext import counted
from tui_eval.core.samples import Sample
from tui_eval.datasets.document_blocks import document_ids, not_shown
from tui_eval.datasets.question_drafts import words_behind_all
from tui_eval.datasets.questions import is_set_list
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.panel.open_questions import (
    OpenQuestion,
    as_table,
    lines_in_file,
    questions_in_file,
    questions_in_set,
    scopes_of,
    with_truths,
)
from tui_eval.kinds.panel.panel_table import Config
from tui_eval.kinds.panel.truth_scoring import Benchmark, attacks_on_scorer
from tui_eval.workspace.validation import written_out

_FILED = ("questions_file", "truths_file", "truths", "dataset")
"""Keys of what may stand outside of the key questions."""
_NO_QUESTIONS = "panel.questions: no questions; write one per line"


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelTask(Task):
    """Questions and documents, and who answers, judges and grades."""

    config: Config
    questions: Sequence[OpenQuestion]
    """What is asked, in order: those of the table, or those that were read from the file it names."""
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
        *(not_shown(files) if config.attaches else ()),
        *_not_graded(config, questions),
        *_without_truth(config, questions),
        *_may_hold_answers(config, questions),
    ]
    return PanelTask(
        config=_referring(config, questions, files, inputs),
        questions=questions,
        asked=inputs.asked,
        documents=documents,
        scoped=scoped,
        attacks=attacks_on_scorer(inputs, config.benchmark, config.prompts, config.frames),
        warnings=tuple(warnings),
    )


def in_full(task: PanelTask) -> dict[str, object]:
    """The table with every question, truth and document written out (spec 003 §12.2)."""
    table = written_out(task.config.model_copy(update={"questions": [], **dict.fromkeys(_FILED)}))
    return {**table, "questions": map(as_table, task.questions)}


def _referring(config: Config, questions: Sequence[OpenQuestion], files: Sequence[InputFile], inputs: Inputs) -> Config:
    """The table that means the same: questions that stand in it with their truths, those of a file by that file."""
    documents = {"documents": [file.path for file in files]}
    if config.questions_file:
        return config.model_copy(update=documents)
    if config.dataset:
        return config.model_copy(update={**documents, "dataset": _set_list(config, inputs).path})
    return config.model_copy(update={"questions": [*questions], **documents, **dict.fromkeys(_FILED)})


def _truths_in(questions: Sequence[OpenQuestion]) -> bool:
    return any(not isinstance(q, str) and (q.truth is not None or q.document_truths) for q in questions)


def _not_graded(config: Config, questions: Sequence[OpenQuestion]) -> list[str]:
    """What to say where truths were given of their own, and nothing compares answers with them."""
    key = next((key for key in ("truths", "truths_file", "dataset") if getattr(config, key)), "")
    if not key or config.benchmark or not _truths_in(questions):
        return []
    return [f"{key}: truths are there, and nothing compares answers with them: turn benchmark on to grade"]


def _without_truth(config: Config, questions: Sequence[OpenQuestion]) -> list[str]:
    """What to say where answers are graded, and some questions have nothing to grade them by."""
    n = sum(not _truths_in([question]) for question in questions)
    if not n or not config.benchmark:
        return []
    have = "has" if n == 1 else "have"
    return [f"{n:,} of {counted(len(questions), 'question')} {have} no truth: answers to them are asked for and not graded"]


def _may_hold_answers(config: Config, questions: Sequence[OpenQuestion]) -> list[str]:
    """What to say where a set's questions may all have their answers in them, in a form that is not known."""
    found = [question.question for question in questions if isinstance(question, Sample)]
    said = words_behind_all(found) if config.dataset and not _truths_in(questions) else ""
    return [f"panel.dataset: {said}"] if said else []


def _questions_and_documents(config: Config, inputs: Inputs) -> tuple[Sequence[OpenQuestion], list[InputFile]]:
    if config.dataset:
        filed = _set_list(config, inputs)
        beside = [replace(file, role="document") for file in inputs.of("dataset") if file is not filed]
        return questions_in_set(filed, "panel.dataset"), [*beside, *inputs.of("document")]
    if config.questions_file:
        questions = questions_in_file(inputs, config.truths, "panel")
        if not questions:
            raise ConfigError(_NO_QUESTIONS)
        return questions, inputs.of("document")
    given = [q for q in (q.strip() if isinstance(q, str) else q for q in config.questions) if q]
    if not given:
        raise ConfigError(_NO_QUESTIONS)
    truths = lines_in_file(inputs, "truths") if config.truths_file else config.truths
    return with_truths(given, truths, "panel"), inputs.of("document")


def _set_list(config: Config, inputs: Inputs) -> InputFile:
    """The Questions.md of the dataset."""
    filed = next((file for file in inputs.of("dataset") if is_set_list(file.name)), None)
    if filed is None:
        raise ConfigError(f"panel.dataset: {config.dataset!r} has no Questions.md")
    return filed
