"""The `[panel]` table, and what is asked by it: questions, truths and documents read from their files, scopes checked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.plaintext import count_of
from tui_eval.core.samples import NO_DOCUMENT, Sample
from tui_eval.datasets.attachments import attachment_of
from tui_eval.datasets.document_blocks import document_ids, not_shown
from tui_eval.datasets.question_drafts import words_behind_all
from tui_eval.datasets.questions import is_set_list
from tui_eval.evaluation.config_references import asked_in, names
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.judging.judge_attacks import all_of
from tui_eval.evaluation.judging.judge_frames import new_runs
from tui_eval.evaluation.judging.judge_panel import own_family
from tui_eval.evaluation.judging.own_rubrics import NO_RUBRICS
from tui_eval.evaluation.judging.rubric_judging import RubricJudges, RubricJudging
from tui_eval.evaluation.stage_models import AskedModel, ModelRow
from tui_eval.kinds.panel.answer_rubrics import ANSWERING, RUBRICS, judging_of
from tui_eval.kinds.panel.open_questions import (
    MAX_LIST_BYTES,
    OpenQuestion,
    QuestionEntry,
    as_table,
    lines_in_file,
    questions_in_file,
    questions_in_set,
    scopes_of,
    with_document_ids,
    with_truths,
)
from tui_eval.kinds.panel.truth_scoring import Benchmark, attacks_on_scorer
from tui_eval.workspace.validation import Strict, written_out

DOCUMENTS: dict[str, Any] = {"place": "documents", "most": "max_document_bytes", "as_text": "as_text", "others_as_is": True,
                             "shown_by": 'documents_as = "attach"'}  # fmt: skip


class PanelConfig(Strict):
    """The `[panel]` table."""

    questions: Annotated[list[QuestionEntry], Field(examples=[["What does porosity measure?"]])] = []
    """The questions. An entry such as { question = "...", truth = "..." } has its own right answer. Empty = the questions are
    in questions_file or in the dataset; one of the three must be given."""
    questions_file: Annotated[
        str | None, names("file", role="questions", most=MAX_LIST_BYTES), Field(examples=["questions.txt"])
    ] = None
    """A text file with one question a line. It takes the place of the key questions. Empty = none."""
    documents: Annotated[list[str], names("files", role="document", **DOCUMENTS)] = []
    """The files that every question is asked about: paths, or patterns such as texts/*.md. Empty = the questions are asked
    without a document."""
    truths: Annotated[list[str], Field(examples=[["the share of rock that is pore space"]])] | None = None
    """The right answers, in the order of the questions. Empty = they stand with the questions, in truths_file, or nowhere."""
    truths_file: Annotated[str | None, names("file", role="truths", most=MAX_LIST_BYTES), Field(examples=["truths.txt"])] = None
    """A text file with one right answer a line. It takes the place of the key truths. Empty = none."""
    dataset: Annotated[str | None, names("folder", **DOCUMENTS)] = None
    """A set of datasets/ by its name, or the path of one. A folder of documents with a Questions.md gives questions, truths
    and documents. With a Questions.md alone, the key documents names the documents. Other files of open questions work, too.
    Deselected questions are not asked. Empty = none."""
    attach: bool = True
    """The older form of documents_as: true means attach, false base64."""
    documents_as: Literal["attach", "text", "base64"] | None = None
    """The form in which models are shown documents. attach: images and PDFs as such. text: PDFs and web pages as the text in
    them, with page marks, so that any model can read them; images as such. base64: images and PDFs as base64 text in the
    prompt, like any other binary file. Other texts stand in the prompt as they are. Empty = attach."""
    send_doc_to_judges: bool = False
    """Show judges the document, too."""
    send_doc_to_final_judges: bool = False
    """Show final judges the document, too."""
    send_doer_responses_to_judges: bool = True
    """Show judges the doers' answers."""
    send_doer_outputs_to_final_judges: bool = True
    """Show final judges the doers' answers."""
    send_judge_outputs_to_final_judges: bool = True
    """Show final judges the judges' replies."""
    doers: Annotated[list[ModelRow], Field(min_length=1), asked_in("doer")]
    """The models that answer each question; at least one."""
    judges: Annotated[list[ModelRow], asked_in("judge")] = []
    """The models that compare the doers' answers. Empty = no model does."""
    finals: Annotated[list[ModelRow], asked_in("final")] = []
    """The models that write the final answer from the replies of doers and judges. Empty = the doers' answers are final."""
    benchmark: Benchmark | None = None
    """The way answers are graded against the truths. Empty = nothing is graded."""
    rubrics: Annotated[RubricJudges | None, asked_in(RUBRICS.stage)] = None
    """The judges that score the answers of doers and final judges by rubrics of your own. Other stages do not see their scores.
    Empty = no such judge is asked."""
    frames: Annotated[bool | None, new_runs(False)] = None
    """Put all questions, documents, truths and answers in frames before judges, final judges and the scorer see them. A text
    cannot forge a frame. Empty = no: the prompts are those of the panel's specification. Text that looks like their
    headings or markers is then neutralized."""
    prompts: dict[str, str] = {}
    """This run's own prompts, by name. For a prompt that is left out, the one in prompts/ is used, else the shipped one."""
    max_documents: Annotated[int, Field(ge=0, le=100_000)] = 10
    """The most documents, so that a pattern does not match more than was meant."""
    max_document_bytes: Annotated[int, Field(ge=1, le=1024**3)] = 200 * 1024
    """The largest size of a document, bytes."""
    max_rows: Annotated[int, Field(ge=1, le=10_000)] = 10
    """The most models in a stage."""

    @property
    def as_text(self) -> bool:
        """Return whether models are shown what PDFs and web pages say."""
        return self.documents_as == "text"

    @property
    def attaches(self) -> bool:
        """Return whether images, and PDFs that are no text, are shown as such."""
        return self.attach if self.documents_as is None else self.documents_as != "base64"

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> PanelConfig:
        if not self.attach and self.documents_as not in (None, "base64"):
            raise ValueError(f"attach = false means base64, but documents_as is {self.documents_as!r}; leave out attach")
        sources = [name for name in ("questions", "questions_file", "dataset") if getattr(self, name)]
        if len(sources) != 1:
            listing = " and ".join(sources) if sources else "none of them"
            raise ValueError(f"give exactly one of questions, questions_file and dataset; found {listing}")
        documents = self.documents and not is_set_list(self.dataset or "")
        if self.dataset and (documents or self.truths is not None or self.truths_file):
            raise ValueError("dataset already has documents and expected answers; leave out documents, truths and truths_file")
        if self.truths is not None and self.truths_file:
            raise ValueError("give truths or truths_file, not both")
        for stage in ("doers", "judges", "finals"):
            if len(getattr(self, stage)) > self.max_rows:
                raise ValueError(f"{len(getattr(self, stage))} {stage}; at most {self.max_rows} (max_rows raises it)")
        if self.benchmark and self.benchmark.mode == "llm" and self.benchmark.scorer is None:
            raise ValueError('benchmark.mode = "llm" needs benchmark.scorer = { model = "..." }')
        return self


PROMPTS: Mapping[str, tuple[str, ...]] = {
    "doer_system": (),
    "doer_user": ("question", "document"),
    "judge_system": (),
    "judge_user": ("question", "document", "doer_responses"),
    "final_system": (),
    "final_user": ("question", "document", "doer_responses", "judge_responses"),
    "scorer_system": (),
    "scorer_user": ("question", "truth", "answer"),
    "scorer_reminder": (),
}


_FILED = ("questions_file", "truths_file", "truths", "dataset")
"""Keys of what may stand outside of the key questions."""
_NO_QUESTIONS = "panel.questions: no questions; write one per line"


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelTask(Task):
    """Questions and documents, and who answers, judges and grades."""

    config: PanelConfig
    questions: Sequence[OpenQuestion]
    """What is asked, in order: those of the table, or those that were read from the file it names."""
    documents: Mapping[str, InputFile]
    """By their ids, in order."""
    scoped: Mapping[int, Sequence[str]]
    """The questions that are asked of some documents only, by their positions: the ids of these documents."""

    judging: RubricJudging | None = None
    """The judges by rubrics of a person's own; None where the config names none."""

    @property
    def benchmark(self) -> Benchmark | None:
        """The way answers are graded; None = they are not."""
        return self.config.benchmark

    @property
    def scorer(self) -> AskedModel | None:
        """The model that grades answers against the truths as the panel's own benchmark has it; None where none does."""
        return next(iter(self.asked.get("scorer", ())), None)


def resolve(config: PanelConfig, inputs: Inputs) -> PanelTask:
    """Everything read and checked."""
    questions, files = _questions_and_documents(config, inputs)
    if len(files) > config.max_documents:
        raise ConfigError(
            f"panel.documents: {len(files)} files; at most {config.max_documents} (panel.max_documents raises it)"
        )
    documents = dict(zip(document_ids(files, "panel.documents"), files, strict=True))
    if not config.questions_file:  # a line names no document
        questions = with_document_ids(questions, documents)
    scoped = {} if config.questions_file else scopes_of(questions, documents)
    if config.benchmark and not _truths_in(questions):
        raise ConfigError(
            "panel.benchmark: needs expected answers; give panel.truths, panel.truths_file, or answers in the dataset"
        )
    places = asked_places(documents, len(questions), scoped)
    ids = (f"{doc_id}/q{index}" for doc_id, positions in places for index in positions)
    judging = judging_of(config.rubrics, config.prompts, inputs, ids) if config.rubrics else None
    attacks = [attacks_on_scorer(inputs, config.benchmark, config.prompts, config.frames)]
    if judging is not None and config.rubrics and config.rubrics.attacks:
        attacks += judging.attacks(inputs.attacks())
    return PanelTask(
        config=_referring(config, questions, files, inputs),
        questions=questions,
        asked={**inputs.asked, RUBRICS.stage: judging.judges} if judging else inputs.asked,
        documents=documents,
        scoped=scoped,
        attacks=all_of([each for each in attacks if each is not None]),
        warnings=(
            *_warnings(config, questions, files, scored=_is_compared(config, inputs, judging)),
            *(_about_judging(config, judging, files, inputs) if judging else ()),
        ),
        rubrics=judging.rubrics if judging else NO_RUBRICS,
        rubric_stage=RUBRICS.stage,
        judging=judging,
    )


def asked_places(
    documents: Collection[str], n: int, scoped: Mapping[int, Sequence[str]]
) -> list[tuple[str, Sequence[int]]]:  # fmt: skip
    """Of each document the positions of the n questions that are asked about it; without documents all, about none."""
    every = range(n)
    return [
        (doc_id, [index for index in every if index not in scoped or doc_id in scoped[index]] if scoped else every)
        for doc_id in [*documents] or [NO_DOCUMENT]
    ]


def _is_compared(config: PanelConfig, inputs: Inputs, judging: RubricJudging | None) -> bool:
    """Return whether anything compares answers with truths."""
    sees = judging is not None and any("truth" in rubric.slots for rubric in judging.rubrics.values())
    return bool(config.benchmark or inputs.scorers or sees)


def _about_judging(
    config: PanelConfig, judging: RubricJudging, files: Sequence[InputFile], inputs: Inputs
) -> Iterator[str]:  # fmt: skip
    """Warn of judges of their own family, and of rubrics that rest on a document which judges are not shown."""
    yield from own_family(judging.judges, [model for stage in ANSWERING for model in inputs.asked.get(stage, ())])
    names = ", ".join(name for name, rubric in judging.rubrics.items() if "context" in rubric.slots)
    attached = [file.name for file in files if config.attaches and file.text is None and attachment_of(file) is not None]
    if names and not files:
        yield f"panel.rubrics.metrics: {names}: sees the document, and there is none, so no answer has such a score"
    elif names and attached:
        yield (
            f"panel.rubrics.metrics: {names}: judges are not shown {', '.join(attached)}, which go to models as they are, so"
            ' answers about them have no such score; documents_as = "text" shows the text of PDFs'
        )


def in_full(task: PanelTask) -> dict[str, object]:
    """The table with every question, truth and document written out (spec 003 §12.2)."""
    table = written_out(task.config.model_copy(update={"questions": [], **dict.fromkeys(_FILED)}))
    return {**table, "questions": map(as_table, task.questions)}


def _referring(
    config: PanelConfig, questions: Sequence[OpenQuestion], files: Sequence[InputFile], inputs: Inputs
) -> PanelConfig:
    """The table that means the same: questions that stand in it with their truths, those of a file by that file."""
    documents = {"documents": [file.path for file in files]}
    if config.questions_file:
        return config.model_copy(update=documents)
    if config.dataset:
        return config.model_copy(update={**documents, "dataset": _set_list(config, inputs).path})
    return config.model_copy(update={"questions": [*questions], **documents, **dict.fromkeys(_FILED)})


def _truths_in(questions: Sequence[OpenQuestion]) -> bool:
    return any(not isinstance(q, str) and (q.truth is not None or q.document_truths) for q in questions)


def _warnings(
    config: PanelConfig, questions: Sequence[OpenQuestion], files: Sequence[InputFile], scored: bool
) -> Iterator[str]:
    """Warn of documents that cannot be shown, of truths that nothing compares answers with, of questions that have
    nothing to grade answers by, and of a set's questions that may all have their answers in them, in an unknown form."""
    if config.attaches:
        yield from not_shown(files)
    has_truths = _truths_in(questions)
    key = next((key for key in ("truths", "truths_file", "dataset") if getattr(config, key)), "")
    if key and has_truths and not scored:
        yield f"{key}: expected answers are given, but nothing compares answers with them; turn benchmark on, or name scorers"
    n = sum(not _truths_in([question]) for question in questions) if config.benchmark and not config.questions_file else 0
    if n:
        whose = f"{n:,} of {count_of(len(questions), 'question')} {'has' if n == 1 else 'have'}"
        yield f"{whose} no expected answer: answers to them are asked for, but not graded"
    read = [question.question for question in questions if isinstance(question, Sample)] if config.dataset else []
    if read and not has_truths and (sentence := words_behind_all(read)):
        yield f"panel.dataset: {sentence}"


def _questions_and_documents(config: PanelConfig, inputs: Inputs) -> tuple[Sequence[OpenQuestion], list[InputFile]]:
    if config.dataset:
        filed = _set_list(config, inputs)
        beside = [replace(file, role="document") for file in inputs.of("dataset") if file is not filed]
        return questions_in_set(filed, "panel.dataset"), [*beside, *inputs.of("document")]
    if config.questions_file:
        questions = questions_in_file(inputs, config.truths, "panel")
        if not questions:
            raise ConfigError(_NO_QUESTIONS)
        return questions, inputs.of("document")
    own_questions = [q for q in (q.strip() if isinstance(q, str) else q for q in config.questions) if q]
    if not own_questions:
        raise ConfigError(_NO_QUESTIONS)
    truths = lines_in_file(inputs, "truths") if config.truths_file else config.truths
    return with_truths(own_questions, truths, "panel"), inputs.of("document")


def _set_list(config: PanelConfig, inputs: Inputs) -> InputFile:
    """The Questions.md of the dataset."""
    filed = next((file for file in inputs.of("dataset") if is_set_list(file.name)), None)
    if filed is None:
        raise ConfigError(f"panel.dataset: {config.dataset!r} has no Questions.md")
    return filed
