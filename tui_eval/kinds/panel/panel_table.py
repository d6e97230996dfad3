"""The `[panel]` table of a config: what is asked, of which documents, and which models answer, judge and grade."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tui_eval.datasets.questions import is_set_list
from tui_eval.evaluation.config_references import asked_in, names
from tui_eval.evaluation.judging.judge_frames import new_runs
from tui_eval.evaluation.stage_models import ModelRow
from tui_eval.kinds.panel.open_questions import MAX_LIST_BYTES, QuestionEntry
from tui_eval.kinds.panel.truth_scoring import Benchmark
from tui_eval.workspace.validation import Strict

DOCUMENTS: dict[str, Any] = {"place": "documents", "most": "max_document_bytes", "as_text": "as_text", "others_as_is": True,
                             "shown_by": 'documents_as = "attach"'}  # fmt: skip


class Config(Strict):
    """The `[panel]` table."""

    questions: Annotated[list[QuestionEntry], Field(examples=[["What does porosity measure?"]])] = []
    """What is asked. An entry such as { question = "...", truth = "..." } brings its own right answer. Empty = the questions
    are in questions_file or in the dataset; one of the three must be given."""
    questions_file: Annotated[
        str | None, names("file", role="questions", most=MAX_LIST_BYTES), Field(examples=["questions.txt"])
    ] = None
    """A text file with one question a line, instead of questions. Empty = none."""
    documents: Annotated[list[str], names("files", role="document", **DOCUMENTS)] = []
    """The files that every question is asked of: paths, or patterns such as texts/*.md. Empty = the questions are asked
    without a document."""
    truths: Annotated[list[str], Field(examples=[["the share of rock that is pore space"]])] | None = None
    """The right answers, in the order of the questions. Empty = they stand with the questions, in truths_file, or nowhere."""
    truths_file: Annotated[str | None, names("file", role="truths", most=MAX_LIST_BYTES), Field(examples=["truths.txt"])] = None
    """A text file with one right answer a line, instead of truths. Empty = none."""
    dataset: Annotated[str | None, names("folder", **DOCUMENTS)] = None
    """A folder of documents with a Questions.md; stands for questions, truths and documents. Or a Questions.md by itself: then
    its documents are those of the key documents. Empty = none."""
    attach: bool = True
    """The older form of documents_as: true means attach, false base64."""
    documents_as: Literal["attach", "text", "base64"] | None = None
    """How models are shown documents. attach: images and PDFs as such. text: PDFs and web pages as what they say, with marks of
    their pages, which any model can read; images as such. base64: images and PDFs as base64 text in the prompt, like any other
    binary file. Other texts stand in the prompt as they are. Empty = attach."""
    send_doc_to_judges: bool = False
    """Whether judges see the document, too."""
    send_doc_to_final_judges: bool = False
    """Whether final judges see the document, too."""
    send_doer_responses_to_judges: bool = True
    """Whether judges see the doers' answers."""
    send_doer_outputs_to_final_judges: bool = True
    """Whether final judges see the doers' answers."""
    send_judge_outputs_to_final_judges: bool = True
    """Whether final judges see what the judges wrote."""
    doers: Annotated[list[ModelRow], Field(min_length=1), asked_in("doer")]
    """The models that answer each question; at least one."""
    judges: Annotated[list[ModelRow], asked_in("judge")] = []
    """The models that compare the doers' answers. Empty = nobody does."""
    finals: Annotated[list[ModelRow], asked_in("final")] = []
    """The models that write the answer that is kept, from what doers and judges wrote. Empty = the doers' answers are kept."""
    benchmark: Benchmark | None = None
    """How answers are graded against the truths. Empty = nothing is graded."""
    frames: Annotated[bool | None, new_runs(False)] = None
    """Whether judges, final judges and the scorer are shown questions, documents, truths and answers in frames with marks that
    these cannot forge. Empty = no: the prompts are those of the panel's specification, and a text that holds headings or marks
    of them is shown without."""
    prompts: dict[str, str] = {}
    """Prompts of this run's own, by name. Those that are left out are the ones in prompts/, else the shipped ones."""
    max_documents: Annotated[int, Field(ge=0, le=100_000)] = 10
    """How many documents there may be, so that a pattern does not match more than was meant."""
    max_document_bytes: Annotated[int, Field(ge=1, le=1024**3)] = 200 * 1024
    """How large a document may be, bytes."""
    max_rows: Annotated[int, Field(ge=1, le=10_000)] = 10
    """How many models a stage may have."""

    @property
    def as_text(self) -> bool:
        """Whether models are shown what PDFs and web pages say."""
        return self.documents_as == "text"

    @property
    def attaches(self) -> bool:
        """Whether images, and PDFs that are no text, are shown as such."""
        return self.attach if self.documents_as is None else self.documents_as != "base64"

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Config:
        if not self.attach and self.documents_as not in (None, "base64"):
            raise ValueError(f"attach = false means base64, and documents_as is {self.documents_as!r}; leave out attach")
        given = [name for name in ("questions", "questions_file", "dataset") if getattr(self, name)]
        if len(given) != 1:
            found = " and ".join(given) if given else "none of them"
            raise ValueError(f"give exactly one of questions, questions_file and dataset; found {found}")
        documents = self.documents and not is_set_list(self.dataset or "")
        if self.dataset and (documents or self.truths is not None or self.truths_file):
            raise ValueError("dataset already brings documents and truths; leave out documents, truths, truths_file")
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
