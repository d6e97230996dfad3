"""Sets of questions in forms that other programs take; read back, each gives the same questions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from string import ascii_uppercase
from typing import Any

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import csv_cell, one_line, visible_json
from tui_eval.datasets.exported_turns import TURN_FORMS, exported_turns
from tui_eval.datasets.sets import QuestionSet, entry_of, first_lost, set_text


def exported(questions: QuestionSet, form: str) -> str:
    """The questions in one of `forms_of` them. ConfigError, in words, for what it could not give back exactly."""
    own = forms_of(questions)[0]
    if form == own:
        return visible_json(set_text(questions)) if questions.in_one_file else set_text(questions)
    if questions.conversations is not None:
        return exported_turns(questions.conversations, form)
    lost = None
    for text in OTHERS[form](questions):
        lost = first_lost(questions, text)
        if lost is None:
            return text
    where = f"question {lost} ({one_line(questions.questions[lost - 1].question, 40)!r})" if lost else "the dataset's name"
    raise ConfigError(
        f"{where}: {form} cannot hold it exactly. It may begin with a sign that a spreadsheet would run, or have an "
        f"invisible character. {own} can: --format {own}"
    )


def forms_of(questions: QuestionSet) -> tuple[str, ...]:
    """Names of the forms that a set can have; the first is that of the datasets folder."""
    if questions.conversations is not None:
        return ("json", *TURN_FORMS)
    if questions.columns:
        return ("json", "jsonl")
    return ("json", *OTHERS) if questions.lettered else ("md",)


def form_of(questions: QuestionSet, requested_form: str, suffix: str) -> str:
    """The form that was asked for, else that of a file's suffix, else our own. ConfigError where the set cannot have it."""
    forms = forms_of(questions)
    if requested_form and requested_form not in forms:
        sort = questions.sort if questions.conversations is not None else f"{questions.sort} questions"
        raise ConfigError(f"--format {requested_form}: {sort} are exported as {', '.join(forms)}")
    return requested_form or next((name for name in forms if suffix.lower() == f".{name}"), forms[0])


def _json_lines(questions: QuestionSet) -> Iterator[str]:
    entries = (entry_of(question, questions.name) for question in questions.questions)
    yield visible_json("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries))


def _tables(questions: QuestionSet) -> Iterator[str]:
    """As people write it, options in columns of their own; then with lists as JSON, which no sign in them can break."""
    entries = [entry_of(question, questions.name) for question in questions.questions]
    for cells in (_plain_cells, _exact_cells):
        rows = [cells(entry) for entry in entries]
        columns = [name for name in COLUMNS if any(name in row for row in rows)]
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([csv_cell(row.get(name, "")) for name in columns] for row in rows)
        yield out.getvalue()


def _plain_cells(entry: Mapping[str, Any]) -> dict[str, object]:
    options = dict(zip(ascii_uppercase, entry["choices"], strict=False))
    other_fields = {name: value for name, value in entry.items() if name != "choices"}
    return {
        name: "; ".join(value) if isinstance(value, list) else _cell(value) for name, value in other_fields.items()
    } | options


def _exact_cells(entry: Mapping[str, Any]) -> dict[str, object]:
    return {name: _cell(value) for name, value in entry.items()}


def _cell(value: Any) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, bool)) else value


OTHERS: Mapping[str, Callable[[QuestionSet], Iterator[str]]] = {"jsonl": _json_lines, "csv": _tables}
"""Forms of lettered questions besides our own: by name the texts to try, the best to read first."""
COLUMNS = (
    "id",
    "version",
    "question",
    "choices",
    *ascii_uppercase,
    "answer",
    "answer_index",
    "difficulty",
    "domains",
    "topics",
    "calc_required",
)
