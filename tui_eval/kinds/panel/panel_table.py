"""The `[panel]` table of a config: what is asked, of which documents, and which models answer, judge and grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, PrivateAttr, Tag, model_validator

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.validation import Strict


class Question(Strict):
    """A question with its own truth and scope, as a dataset gives it."""

    question: Annotated[str, Field(min_length=1)]
    """The question, as the models are asked it."""
    truth: str | None = None
    """The right answer. Empty = none is known, and answers to it are not graded."""
    documents: list[str] = Field(default_factory=list)
    """Ids of the documents it is asked of (file names without suffix); empty = all."""
    document_truths: dict[str, str] = Field(default_factory=dict)
    """Right answers that hold for one document only: { "id of the document" = "answer" }. Empty = the truth holds for all."""


class ModelRow(Strict):
    """A model in a stage, asked `calls` times about each item."""

    model: Annotated[str, Field(json_schema_extra={"names": "model"})]
    """The model that is asked, by the name it has in this config or on file."""
    calls: Annotated[int, Field(ge=1, le=10_000)] = 1
    """How many times the model is asked about each item."""
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] | None = None
    """The most one attempt may take, seconds. Empty = the model's own limit, else that of the run."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """How freely the model chooses its words: 0 is the steadiest. Empty = the model's own; without one, none is sent."""
    max_output_tokens: Annotated[int, Field(ge=0)] | None = None
    """The most tokens a reply may have, thinking included; 0 = no limit. Empty = the model's own limit, else that of the
    run."""
    model_id: str | None = None
    """The API's id of the model; filled in from [[models]], so leave it empty."""


class Scorer(ModelRow):
    """The model that compares an answer with the truth; its temperature is 0 unless switched off."""

    calls: Literal[1] = 1
    """Always 1: every answer is graded once."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """How freely the scorer chooses its words; 0, unless set otherwise, so that it grades alike each time."""
    use_temperature: bool = True
    """Whether a temperature is sent to the scorer; switch it off for models that take none."""


class Benchmark(Strict):
    """How answers are compared with the truths."""

    mode: Literal["exact", "llm"]
    """exact: an answer is right where it equals the truth letter by letter, and it costs nothing. llm: a scorer model compares
    them, with one more call for each answer."""
    strip_whitespace: bool = True
    """Whether white space at the ends is left out of an exact comparison."""
    scorer: Scorer | None = None
    """The model that compares answers with the truths. Needed with mode = "llm"; else leave it out."""
    include_question: bool = False
    """Show the scorer the question, too."""


def _form(value: Any) -> str:
    return "<text>" if isinstance(value, str) else "<table>"


QuestionEntry = Annotated[Annotated[str, Tag("<text>")] | Annotated[Question, Tag("<table>")], Discriminator(_form)]
"""A question as text, or as a table with its own truth and scope."""


class Config(Strict):
    """The `[panel]` table."""

    questions: list[QuestionEntry] = []
    """What is asked, one question a line. A line such as { question = "...", truth = "..." } brings its own right answer.
    Empty = they are in questions_file or in the dataset."""
    questions_file: Annotated[str | None, Field(json_schema_extra={"names": "file"})] = None
    """A text file with one question a line, instead of questions. Empty = none."""
    documents: Annotated[list[str], Field(json_schema_extra={"names": "files"})] = []
    """The files that every question is asked of, one path or pattern (such as texts/*.md) a line. Empty = the questions are
    asked without a document."""
    truths: list[str] | None = None
    """The right answers, one a line, in the order of the questions. Empty = none, or they stand elsewhere."""
    truths_file: Annotated[str | None, Field(json_schema_extra={"names": "file"})] = None
    """A text file with one right answer a line, instead of truths. Empty = none."""
    dataset: Annotated[str | None, Field(json_schema_extra={"names": "folder"})] = None
    """A folder of documents with a Questions.md; stands for questions, truths and documents. Empty = none."""
    attach: bool = True
    """Show images and PDFs to the models as such; false: as base64 text in the prompt, like any other binary file."""
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
    doers: Annotated[list[ModelRow], Field(min_length=1)]
    """The models that answer each question; at least one."""
    judges: list[ModelRow] = []
    """The models that compare the doers' answers. Empty = nobody does."""
    finals: list[ModelRow] = []
    """The models that write the answer that is kept, from what doers and judges wrote. Empty = the doers' answers are kept."""
    benchmark: Benchmark | None = None
    """How answers are graded against the truths. Empty = nothing is graded."""
    prompts: dict[str, str] = {}
    """Prompts of this run's own, by name. Those that are left out are the ones in prompts/, else the shipped ones."""
    max_documents: Annotated[int, Field(ge=0, le=100_000)] = 10
    """How many documents there may be, so that a pattern does not match more than was meant."""
    max_document_bytes: Annotated[int, Field(ge=1, le=1024**3)] = 200 * 1024
    """How large a document may be, bytes."""
    max_rows: Annotated[int, Field(ge=1, le=10_000)] = 10
    """How many models a stage may have."""
    _scoped: Mapping[int, Sequence[str]] | None = PrivateAttr(None)

    @property
    def scoped(self) -> Mapping[int, Sequence[str]]:
        """The questions that are asked of some documents only, as settling found them: position, and ids of documents."""
        assert self._scoped is not None
        return self._scoped

    def scope(self, scoped: Mapping[int, Sequence[str]]) -> None:
        """Keep what settling found out about the scopes of questions."""
        self._scoped = scoped

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Config:
        given = [name for name in ("questions", "questions_file", "dataset") if getattr(self, name)]
        if len(given) != 1:
            found = " and ".join(given) if given else "none of them"
            raise ValueError(f"give exactly one of questions, questions_file and dataset; found {found}")
        if self.dataset and (self.documents or self.truths is not None or self.truths_file):
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


def stages(config: Config) -> dict[str, list[ModelRow]]:
    """The answering stages that have models, in the order they are asked."""
    found = {"doer": config.doers, "judge": config.judges, "final": config.finals}
    return {stage: rows for stage, rows in found.items() if rows}


def model_ids(config: Config) -> dict[str, str]:
    """Each model of the answering stages by its name: the id it has at its API."""
    return {row.model: row.model_id or row.model for rows in stages(config).values() for row in rows}


def models(config: Config) -> list[str]:
    """Names of the models it uses, each once."""
    rows = [row for rows in stages(config).values() for row in rows]
    if config.benchmark and config.benchmark.scorer and config.benchmark.mode == "llm":
        rows.append(config.benchmark.scorer)
    return list(dict.fromkeys(row.model for row in rows))


def only_models(config: Config, names: Sequence[str]) -> Config:
    """The config with the rows of these models only; the scorer stays."""
    named = {row.model for rows in stages(config).values() for row in rows}
    unknown = [name for name in names if name not in named]
    if unknown:
        raise ConfigError(f"--models: no row has a model {unknown[0]!r}; there are {', '.join(sorted(named))}")
    kept = {stage: [row for row in getattr(config, stage) if row.model in names] for stage in ("doers", "judges", "finals")}
    if not kept["doers"]:
        raise ConfigError(f"--models {','.join(names)}: no doer is left")
    return config.model_copy(update=kept)
