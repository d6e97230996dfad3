"""The `[qa]` table of a config: a set with any columns, the prompts that show them, and who answers."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tui_eval.evaluation.config_references import asked_in, names
from tui_eval.evaluation.judging.rubric_judging import RubricJudges
from tui_eval.workspace.validation import Strict

STAGE = "answer"
_MOST_BYTES = 32 * 1024 * 1024


Speaker = Literal["system", "user", "assistant"]


class PromptMessage(Strict):
    """One message of a prompt."""

    role: Speaker
    """The author of the message."""
    content: str
    """The text of the message; a column in braces, such as {question}, stands for its value."""


class Prompt(Strict):
    """One version of what is asked: a text, messages, or a column that holds messages."""

    name: Annotated[str, Field(pattern=r"^[\w.-]{1,60}$", examples=["plain"])]
    """The name of the prompt in results."""
    text: Annotated[str | None, Field(examples=["{question}"])] = None
    """The user's message; a column in braces, such as {question}, stands for its value. Braces behind a LaTeX command are
    text, and so is \\{x\\}. Empty = the columns of context and question, unless messages or column is given."""
    messages: Annotated[list[PromptMessage], Field(min_length=1)] | None = None
    """Several messages instead of text, the last of them the user's."""
    column: Annotated[str, Field(examples=["messages"])] | None = None
    """The column that holds the messages of each sample instead of text: a list of { role, content }."""
    system: Annotated[str, Field(examples=["You are a careful reader."])] | None = None
    """The system message, with slots like text. Empty = none is sent."""

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Prompt:
        sources = [key for key in ("text", "messages", "column") if getattr(self, key)]
        if len(sources) > 1:
            raise ValueError(f"prompt {self.name!r}: give one of text, messages and column; found {' and '.join(sources)}")
        if self.messages and self.messages[-1].role != "user":
            raise ValueError(
                f'prompt {self.name!r}: the last of its messages is the {self.messages[-1].role}\'s; end with role = "user"'
            )
        return self


class QaJudges(RubricJudges):
    """The `[qa.judge]` table."""

    prompts: dict[str, str] = {}
    """The texts of the rubrics, and of judge_system and reminder, for this run. For one that is left out, the file in prompts/
    is used."""


class QaConfig(Strict):
    """The `[qa]` table."""

    dataset: Annotated[
        str, names("file", shipped="datasets", inside=("Questions.md",)), Field(examples=["questions.jsonl"])
    ]  # fmt: skip
    """The samples, one a row or object, with any columns: a CSV, TSV, JSONL or JSON file, or a folder with a Questions.md. A
    Questions.md has the columns id, question, answer and documents."""
    target: Annotated[str, Field(examples=["answer"])] | None = None
    """The column with the right answer, or a path into it, such as answers.text. A list holds several right ones; an empty
    list says that no answer is the right one. Empty = the column whose name clearly says so, such as answer. If
    no column is clear, no target is known."""
    group: Annotated[str, Field(examples=["article"])] | None = None
    """The column that says which samples belong together. Samples of one group are not independent evidence. Results are
    broken down by group. Empty = each sample stands alone."""
    documents: Annotated[str, Field(examples=["document"])] | None = None
    """The column that names the files shown with a sample; the key files lists them. PDFs are attached; a text fills the slot
    of this column in a prompt. In a Questions.md, a question that names no file is shown all. Empty = the column
    documents, if the set is a Questions.md and a prompt has the slot {documents}; else none."""
    images: Annotated[str, Field(examples=["image"])] | None = None
    """The column that names the images attached to a sample; the key files lists them. Empty = none."""
    files: Annotated[
        list[str], names("files", role="document", place="documents", most=_MOST_BYTES), Field(examples=[["scans/*.png"]])
    ] = []  # fmt: skip
    """The files that the columns documents and images name: paths, or patterns. Empty = the files beside the set that these
    columns name. In a folder, a question that names no file gets all documents."""
    rows: Annotated[list[Annotated[str, Field(pattern=r"^[1-9]\d{0,8}$")]], Field(examples=[["1", "3"]])] = []
    """The numbers of the samples to ask, from 1 on. It is filled in if you deselect samples of a set on file. Empty = all."""
    id: Annotated[str, Field(examples=["id"])] | None = None
    """The column with the samples' own ids. Empty = the column id where there is one, else their numbers."""
    prompts: Annotated[list[Prompt], Field(min_length=1)]
    """The prompts for each sample. Several are asked side by side, which compares each model with itself."""
    fewshot_from: Annotated[str | None, names("file", shipped="datasets"), Field(examples=["train.jsonl"])] = None
    """A file with the same columns, from which solved samples are shown before each question. Empty = none is shown."""
    fewshot: Annotated[int, Field(ge=0, le=100)] = 0
    """The number of solved samples that are shown. The run's seed chooses them, the same for all models. A solved sample with
    the same text as the question is not shown."""
    models: Annotated[list[str], Field(min_length=1), names("model", stage=STAGE)]
    """The models that answer, by the names they have in this config or on file."""

    judge: Annotated[QaJudges | None, asked_in("judge")] = None
    """The judges that score the answers by rubrics of your own, beside scorers. Empty = no judge is asked."""

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> QaConfig:
        name, n = Counter(prompt.name for prompt in self.prompts).most_common(1)[0]
        if n > 1:
            raise ValueError(f"two prompts are called {name!r}; give one of them another name")
        if bool(self.fewshot) != bool(self.fewshot_from):
            raise ValueError("fewshot says how many samples of fewshot_from are shown; give both, or neither")
        return self
