"""Open questions with their answers from JSON, JSONL or a table, as GSM8K and TruthfulQA have them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.core.conversations import ConversationSet
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.field_values import FieldError, is_blank, plain_name, text_of
from tui_eval.datasets.lettered.field_names import CHOICES, ID
from tui_eval.datasets.lettered.option_fields import OPTION_COLUMN
from tui_eval.datasets.parsing import FieldNames, Gathered, Record, Subject, columns_of, per_layout, read_records
from tui_eval.datasets.questions import numbered
from tui_eval.datasets.shapes.target_columns import ANSWER, QUESTION, target_column

FINAL = re.compile(r"(?:^|\n)[ \t]*####[ \t]*(?=\S)")
"""Behind it GSM8K's answers have the result; before it stands how it was reached."""
_BREAKS = re.compile(r"\s*[\r\n]+\s*")
SUPPORTED = (
    "these can be imported: multiple-choice questions (question, choices or A, B, C, D, answer) and open questions (question, "
    "answer) as JSON, JSONL or CSV; conversations (turns, messages, or one row per turn with its conversation); tests of "
    "promptfoo and EvalQuestions; texts (.txt, .md) with one question per line or in the form of a Questions.md; a folder of "
    "documents with a Questions.md"
)
"""What to say where a file is none of it."""


class NotOpenError(ConfigError):
    """The file has no fields for open questions and their answers."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestions:
    """Questions in the order of their file, or conversations; which fields they were read from, and which were not."""

    questions: tuple[Sample, ...]
    read_as: str
    unread: tuple[str, ...]
    conversations: ConversationSet | None = None
    """What is there instead of questions that stand alone; None where they do."""
    columns: tuple[str, ...] = ()
    """All columns of samples that have some of their own, for kind qa; none of other questions."""


def answered_questions(text: str, name: str, records: list[Record] | None = None) -> AnsweredQuestions:
    """The open questions of a text. NotOpenError where no fields hold them; ConfigError with the place of what is not usable.

    Line breaks within a question or an answer become blanks; of an answer with `####`, what stands behind it is taken.
    `records`: those of the text, where a person said what their fields are; then they need have no answers.
    """
    is_mapped = records is not None
    subject = Subject("question", ("questions", "data", "examples"), ID, (QUESTION,), _is_known)
    records = read_records(text, name, subject) if records is None else records
    layouts = per_layout(records, columns_of)
    if not is_mapped and not any(_holds(columns) for columns in layouts):
        raise NotOpenError(f"{name}: no fields for open questions and their answers; {SUPPORTED}")
    answer_names = ANSWER if is_mapped else _certain(records, name)
    gathered = Gathered(records)
    pairs = enumerate(zip(records, layouts, strict=True))
    parsed_questions = [gathered.read(number, _question, record, layout, answer_names) for number, (record, layout) in pairs]
    gathered.refuse_twice(_ids(records, layouts), "id")
    gathered.refuse()
    questions = [question for question in parsed_questions if question is not None]
    used_names = _names(layouts[0], answer_names)
    cut = any(_is_cut(record.fields.get(used_names[1])) for record in records)
    read_as = f"question: {one_line(used_names[0], 40)}, answer: {one_line(used_names[1], 40)}" + (
        ", what follows ####" if cut else ""
    )
    names = dict.fromkeys(name for record in records for name, value in record.fields.items() if not is_blank(value))
    return AnsweredQuestions(numbered(questions), read_as, tuple(name for name in names if name not in (*used_names, "id")))


def _ids(records: Sequence[Record], layouts: Sequence[FieldNames]) -> list[tuple[int, tuple[str, ...]]]:
    """The ids of the records that have one, by their numbers."""
    usable = ((number, record) for number, record in enumerate(records) if not record.problem)
    id_values = ((number, layouts[number].given(record.fields, ID)) for number, record in usable)
    return [(number, (str(values[0][1]).strip(),)) for number, values in id_values if values]


def _is_cut(value: object) -> bool:
    return isinstance(value, str) and FINAL.search(value) is not None


def _is_known(name: str) -> bool:
    return name in (*QUESTION, *ANSWER, *ID)


def _holds(columns: FieldNames) -> bool:
    """Return whether these are the fields of an open question: one of each, and none for options."""
    names = columns.by_alias
    options = any(name in CHOICES or OPTION_COLUMN.fullmatch(plain_name(name)) for name in names)
    return not options and any(name in names for name in QUESTION) and any(name in names for name in ANSWER)


def _certain(records: Sequence[Record], name: str) -> tuple[str, ...]:
    """The names of answers, that of the right ones first. ConfigError where several columns could be these."""
    target = target_column(records)
    if target.doubt:
        mend = "rename or remove the others, or import it with --map question=COLUMN --map answer=COLUMN"
        raise ConfigError(f"{name}: it is not certain which column has the right answers: {target.doubt}; {mend}")
    return (plain_name(target.name), *ANSWER) if target.name else ANSWER


def _names(columns: FieldNames, answer_names: Sequence[str]) -> tuple[str, str]:
    """Return the fields that hold the question and its answer: the first that are known."""
    question = next((name for alias in QUESTION for name in columns.by_alias.get(alias, ())), "")
    return question, next((name for alias in answer_names for name in columns.by_alias.get(alias, ())), "")


def _question(record: Record, columns: FieldNames, answer_names: Sequence[str]) -> Sample:
    name, answer_name = _names(columns, answer_names)
    question = _on_one_line(text_of(record.fields.get(name), name or "question"))
    answer = record.fields.get(answer_name)
    if is_blank(answer):
        return Sample("", question)
    if not isinstance(answer, (str, int)):
        raise FieldError(f"{one_line(answer_name)}: not a text; an open question has one answer")
    return Sample("", question, truth=_on_one_line(FINAL.split(text_of(answer, answer_name))[-1]))


def _on_one_line(text: str) -> str:
    return _BREAKS.sub(" ", text)
