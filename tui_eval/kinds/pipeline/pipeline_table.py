"""The `[pipeline]` table of a config: which files, a table for each stage, and what stands in the place of a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from tui_eval.core.output_names import REFERENCE
from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.judging.judge_attacks import AttackSet
from tui_eval.evaluation.judging.judge_frames import FramesKey
from tui_eval.kinds.pipeline.imported_tables import FROM, from_files, made_before
from tui_eval.workspace.validation import Strict

if TYPE_CHECKING:
    from tui_eval.workspace.validation import Strict as _Answered
    from tui_eval.workspace.validation import Strict as _Processed
    from tui_eval.workspace.validation import Strict as _Written

SHIPPED = "prompts/pipeline"

if not TYPE_CHECKING:
    _Processed = from_files("processed", "models", "_config__*.json processed/*.md", "*.md")
    _Written = from_files("written", "model", "_config__*.json questions/questions__from__*.json", "*.json")
    _Answered = from_files("answered", "models", "_config__*.json answers/*.json", "*.json")


class Process(_Processed):
    """What models make of each file: a transcription, a summary, an analysis."""

    models: Annotated[list[str], names("model", stage="process", unless=FROM), Field(examples=[["mini"]])] = []
    """The models that process the files, one a line."""
    runs: Annotated[int, Field(ge=1, le=1000)] = 1
    """How often each model processes each file."""
    prompt_file: Annotated[
        str | None, names("file", role="process_prompt", shipped=SHIPPED), Field(examples=["transcribe_page.md"])
    ] = None
    """What the models are told, as a file. Empty = transcribe_page.md for what is attached, summarize_text.md for text."""
    max_output_tokens: Annotated[int, Field(ge=1)] = 8000
    """The most tokens of a processed text; one that is cut off is marked as such wherever it counts."""


class Questions(_Written):
    """The questions about each file, with reference answers."""

    model: Annotated[str | None, names("model", stage="questions", unless=FROM, stays=True), Field(examples=["mini"])] = None
    """The model that writes the questions; it sees the file itself."""
    schema_file: Annotated[
        str | None, names("file", role="schema", shipped="schemas"), Field(examples=["questions-texts.json"])
    ] = None
    """The categories, as JSON: name, count and description of each. Empty = the shipped ones, by the sort of file."""
    text_schema: Annotated[str, names("file", role="text_schema", shipped="schemas")] = "questions-texts.json"
    """The categories for texts, where schema_file is empty: a path, or a file of schemas/."""
    image_schema: Annotated[str, names("file", role="image_schema", shipped="schemas")] = "questions-images.json"
    """The same for images, and for PDFs that are attached."""
    prompt_file: Annotated[
        str | None, names("file", role="questions_prompt", shipped=SHIPPED), Field(examples=["questions_text.md"])
    ] = None
    """What the model is told, as a file with {categories_json}. Empty = that of the schema, else questions_image.md or
    questions_text.md."""

    @property
    def unused(self) -> tuple[str, ...]:
        """What is brought needs no categories; a schema of one's own stands for both shipped ones."""
        if not self.model:
            return ("schema_file", "text_schema", "image_schema", "prompt_file")
        return ("text_schema", "image_schema") if self.schema_file else ()


class Answers(_Answered):
    """The answers to all questions, each from a processed text alone: one call for a text with all its questions."""

    models: Annotated[list[str], names("model", stage="answers", unless=FROM), Field(examples=[["mini"]])] = []
    """The models that answer, one a line."""
    prompt_file: Annotated[
        str | None, names("file", role="answers_prompt", shipped=SHIPPED), Field(examples=["answer_from_text.md"])
    ] = None
    """What the models are told, as a file with {text} and {questions}. Empty = answer_from_text.md."""


class Judge(Strict):
    """Who marks the answers, 0 to 5, against the reference answers."""

    models: Annotated[list[str], Field(min_length=1, examples=[["mini"]]), names("model", stage="judge")]
    """The models that judge; of several the mean counts, and each is told. Better none of those that answer."""
    pass_threshold: Annotated[float, Field(ge=0, le=5)] = 4.0
    """The mark from which on an answer counts as right."""
    method: Literal["llm", "openai-eval"] = "llm"
    """llm: a model marks each answer. openai-eval: OpenAI's hosted evals, which take no new work since 31 October 2026 and
    close on 30 November; refused here."""
    prompt_file: Annotated[
        str | None, names("file", role="judge_prompt", shipped=SHIPPED), Field(examples=["judge_answer.md"])
    ] = None
    """What the judges are told, as a file with {question}, {reference}, {flag} and {answer}. Empty = judge_answer.md."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """How freely a judge chooses its words; none is sent to models that take none. Empty = the model's own."""
    use_temperature: bool | None = None
    """Whether a judge is sent a temperature; false = none, and no model's own. Empty = yes."""
    max_output_tokens: Annotated[int, Field(ge=1)] = 800
    """The most tokens of a judge's reply; one that is cut off is asked for once more with four times as many."""
    attacks: AttackSet = None
    frames: FramesKey = None


class Costs(Strict):
    """What tokens came to: analysis/cost_analysis__… of the run folder."""

    pricing_file: Annotated[str | None, names("file", role="pricing"), Field(examples=["model-pricing.json"])] = None
    """Prices as spec 000 has them, {"pricing": {provider: {model id: {"input_per_1m": ..., "output_per_1m": ...}}}}: they win
    in that one file over those of the models. Empty = the models' own."""


class Config(Strict):
    """The `[pipeline]` table."""

    inputs: Annotated[
        list[str], Field(examples=[["pages/*.png", "notes/*.md"]]),
        names("files", role="document", place="documents", most="max_input_bytes", as_text="reads_pdfs", others_as_is=True,
              asked_about=True, beside=REFERENCE, shown_by="attach = true"),
    ]  # fmt: skip
    """The files: paths, or patterns such as pages/*.png. Images, texts and PDFs, as the suffix says. NAME.ref.txt beside a
    file is what stands in it word for word: transcriptions are measured against that. [] = a stage's from brings texts."""
    attach: bool = False
    """Whether PDFs are shown to the models as they are; without, as the text in them."""
    process: Annotated[Process | None, Field(examples=[{"models": ["mini"]}])] = None
    """What models make of each file. Left out = nothing is processed."""
    questions: Questions | None = None
    """The questions about each file. Left out = none are asked."""
    answers: Answers | None = None
    """The answers from the processed texts. Left out = nothing is answered."""
    judge: Judge | None = None
    """The marks. Left out = nothing is judged."""
    costs: Costs | None = None
    """What it all cost. Left out = no file with it; the run's statistics have it all the same."""
    prompts: dict[str, str] = {}
    """Prompts of this run's own, by name. Those that are left out are the ones in prompts/, else the shipped ones."""
    max_inputs: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """How many files there may be, so that a pattern does not match more than was meant."""
    max_input_bytes: Annotated[int, Field(ge=1, le=1024**3)] = 50 * 1024 * 1024
    """How large a file may be, bytes."""

    @property
    def reads_pdfs(self) -> bool:
        """Whether PDFs are read to text."""
        return not self.attach

    @model_validator(mode="after")
    def _has_what_its_stages_need(self) -> Config:
        texts, questions = self.process is not None, self.questions is not None
        answered = bool(made_before(self.answers))
        if not (texts or questions or self.answers):
            raise ValueError("asks nothing: give at least one of the tables process, questions and answers")
        if self.answers and not answered and not (texts and questions):
            raise ValueError("answers need the tables process and questions, each with models of its own or with from")
        if self.judge and not self.answers:
            raise ValueError("judge needs the table answers")
        return self
