"""Answers given elsewhere, made from the fields of records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.field_values import LONE_SURROGATE, FieldError, plain_name, short_value, text_of, yes_or_no
from tui_eval.datasets.lettered.answer_keys import BARE_LETTER
from tui_eval.datasets.lettered.field_names import ID, LETTER, MODEL, PATTERN, RESPONSE, TRUNCATED, flattened
from tui_eval.datasets.parsing import FieldNames, Gathered, Record, Subject, columns_of, per_layout, read_records


@dataclass(frozen=True, slots=True)
class ImportedAnswer:
    """Answer of a model from elsewhere; `letter` is what the table says was read from it, None where it names none."""

    question_id: str
    model: str
    raw_response: str
    letter: str | None = None
    pattern: str = ""
    truncated: bool = False
    """The response was cut by whoever made the table."""
    row: int = 0
    """Line of a CSV or JSONL file, number in a JSON list; both count from 1."""
    empty_cell: bool = False
    """The response is an empty cell of a table, which may mean that there was none."""

    @property
    def stands_as_named(self) -> bool:
        """Return whether the table's own letter is all there is to go by: the reply was cut, or is not in the table."""
        return bool(self.truncated and (self.letter or self.pattern)) or bool(self.letter and not self.raw_response.strip())

    @property
    def unclear(self) -> bool:
        """Return whether the table does not tell if the model replied with nothing, or if no answer was collected."""
        return self.empty_cell and not self.stands_as_named


_MOST_MODELS = 10
_MOST_LINES = 5
_ONE = ("cell", "line", "an empty reply, which is")
_SEVERAL = ("cells", "lines", "empty replies, which are")
_KNOWN_IN_ANSWERS = frozenset((*ID, *MODEL, *RESPONSE, *LETTER, *PATTERN, "truncated"))


def _known_in_answers(name: str) -> bool:
    return name in _KNOWN_IN_ANSWERS or bool(TRUNCATED.fullmatch(name))


_ANSWERS = Subject(
    noun="answer",
    lists=("answers", "responses", "results", "data", "examples", "items"),
    ids=ID,
    needed=(ID, MODEL, RESPONSE),
    is_known=_known_in_answers,
)


def read_answers(text: str, name: str) -> tuple[ImportedAnswer, ...]:
    """The answers of a table: question id, model and raw response, which is kept to the letter; ConfigError as for a benchmark.

    Only half a surrogate pair, which no file can hold, becomes U+FFFD.
    """
    records = flattened(read_records(text, name, _ANSWERS))
    gathered = Gathered(records)
    rows = zip(records, per_layout(records, _answer_columns), strict=True)
    answers = [gathered.read(number, _answer, record, columns) for number, (record, columns) in enumerate(rows)]
    pairs = [(number, (answer.question_id, answer.model)) for number, answer in enumerate(answers) if answer]
    gathered.refuse_twice(pairs, "question_id and model")
    gathered.refuse()
    return tuple(answer for answer in answers if answer)


def empty_cells(answers: Iterable[ImportedAnswer], questions: Iterable[Sample], name: str) -> tuple[str, ...]:
    """Describe the empty cells in a table of this name, where they are answers to these questions: how many, where, and what
    they are read as."""
    question_ids = {question.id for question in questions}
    blanks = [answer for answer in answers if answer.unclear and answer.question_id in question_ids]
    if not blanks:
        return ()
    models = Counter(answer.model for answer in blanks)
    by_model = [f"{one_line(model, 60)}: {n:,}" for model, n in models.most_common(_MOST_MODELS)]
    by_model += [f"{len(models) - _MOST_MODELS:,} more models"] if len(models) > _MOST_MODELS else []
    lines = ", ".join(str(row) for row in sorted(answer.row for answer in blanks)[:_MOST_LINES])
    more = f" and {len(blanks) - _MOST_LINES:,} more" if len(blanks) > _MOST_LINES else ""
    cells, line, read = _ONE if len(blanks) == 1 else _SEVERAL
    return (
        f"{name}: {len(blanks):,} empty {cells} for a reply ({'; '.join(by_model)}), {line} {lines}{more}: read as {read} "
        "wrong. A table cannot distinguish a model that replied with nothing from an answer that was never collected. If no "
        "answer was collected, delete the row, and the answer is missing instead of wrong",
    )


def _answer_columns(names: tuple[str, ...]) -> FieldNames:
    cut = [name for name in names if TRUNCATED.fullmatch(plain_name(name))]
    return FieldNames({**columns_of(names).by_alias, "truncated": cut})


def _answer(record: Record, columns: FieldNames) -> ImportedAnswer:
    fields = record.fields
    question_id = columns.name(fields, ID, "question_id")
    model = columns.name(fields, MODEL, "model")
    pattern = _pattern(fields, columns)
    letter = None if pattern == "failed" else _letter(fields, columns)
    column, cut = columns.one(fields, ("truncated",))
    truncated = bool(column) and yes_or_no(cut, column)
    response = _response(fields, columns)
    empty_cell = record.cells and not response.strip()
    return ImportedAnswer(question_id, model, response, letter, pattern, truncated, record.row, empty_cell)


def _response(fields: dict[str, object], columns: FieldNames) -> str:
    column, value = columns.one(fields, RESPONSE)
    if not column:
        blank = [(name, fields[name]) for alias in RESPONSE for name in columns.by_alias.get(alias, ())]
        column, value = next(((name, item) for name, item in blank if item is not None), ("", None))
    if not column:
        problem = columns.lacking(RESPONSE)
        raise FieldError(f'raw_response: {problem}; a model that replied with nothing has "", a call that failed has no row')
    if isinstance(value, str):
        return LONE_SURROGATE.sub("\ufffd", value)
    return text_of(value, column)


def _letter(fields: dict[str, object], columns: FieldNames) -> str | None:
    column, value = columns.one(fields, LETTER)
    if not column or (isinstance(value, str) and value.strip().lower() in ("none", "failed")):
        return None
    match = BARE_LETTER.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise FieldError(f"{one_line(column)}: {short_value(value)} is not a letter; leave it empty if none was parsed")
    return match.group(1).upper()


def _pattern(fields: dict[str, object], columns: FieldNames) -> str:
    """The pattern's name; "failed" also where the table says "None", and "" where it says nothing."""
    column, value = columns.one(fields, PATTERN)
    pattern = one_line(text_of(value, column)) if column else ""
    return "failed" if pattern.lower() in ("none", "failed") else pattern
