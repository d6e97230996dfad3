"""Tests of promptfoo as samples: a variable of each is the question, and its assertions stay the rules that score it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.datasets.answered_questions import AnsweredQuestions
from tui_eval.datasets.column_roles import column_roles
from tui_eval.datasets.field_values import FieldError, enumerated, is_blank, plain_name, sort_of, with_numbers
from tui_eval.datasets.lettered.field_names import ID
from tui_eval.datasets.parsing import Gathered, Record
from tui_eval.datasets.shapes.sample_records import as_samples
from tui_eval.datasets.shapes.shaped_records import as_questions, exact_text, names_in, unread_fields
from tui_eval.datasets.shapes.target_columns import ANSWER, QUESTION
from tui_eval.reading.promptfoo.assertions import all_problems, filled, from_cell, number_of

VARIABLES, ASSERTIONS, THRESHOLD = "vars", "assert", "threshold"
EXPECTED = re.compile(r"__expected\d*")
SKIP = "--skip-unscored"
"""The option of an import that leaves out what nothing here could score."""
_NAMED = 5
"""Tests that are named where more than that are left out."""
_BESIDE = (*ID, "category", "type", "difficulty", "tags", "source")
"""Variables that are no part of a question."""
_OTHERWISE = ("options", "provider", "providers", "assertscoringfunction", "__prefix", "__suffix")
"""Keys by which a test asks or compares otherwise than by its variables and assertions."""
_SILENT = ("description", "metadata", "__description", "__metric", VARIABLES, ASSERTIONS, THRESHOLD, "__threshold")


def has_promptfoo_tests(records: Sequence[Record]) -> bool:
    """Return whether these are tests: with variables, or rows of a table that say what is expected."""
    there = names_in(records)
    listed = any(isinstance(record.fields.get(VARIABLES), dict) for record in records)
    return listed or any(EXPECTED.fullmatch(name) for name in there)


def default_test(text: str) -> Mapping[str, Any]:
    """Return what a config of promptfoo says of all its tests."""
    if '"defaultTest"' not in text:
        return {}
    try:
        whole = json.loads(text)
    except ValueError:  # told where the records are read
        return {}
    default = whole.get("defaultTest") if isinstance(whole, dict) else None
    return default if isinstance(default, dict) else {"provider": default} if default else {}


def promptfoo_tests(
    records: list[Record], name: str, default: Mapping[str, Any] | None = None, skip_unscored: bool = False
) -> AnsweredQuestions:
    """A sample of each test. ConfigError with the place where it is not clear which variable is the question, and by name for
    each test that asks for what nothing here could score; with `skip_unscored` these are left out, and named.

    `default`: what a config says of all its tests.
    """
    default = default or {}
    for record in records:
        record.before = record.before.replace(": question ", ": test ")
    unscored = {n: note for n, record in enumerate(records) if (note := _unscored(record, default))}
    if unscored and not skip_unscored:
        _refuse(records, unscored, name)
    scored = [record for n, record in enumerate(records) if n not in unscored]
    if not scored:
        raise ConfigError(f"{name}: tui-eval can score none of its tests")
    fields = _read(scored, default)
    left_out_note = _left_out([records[n].place for n in unscored], [*unscored.values()])
    note = f"tests of promptfoo: question: {one_line(next(iter(_question_variables(scored[0], default)), ''), 40)}"
    if not any("only_scorers" in each for each in fields):
        pairs = ((each["question"], str(each.get("answer", ""))) for each in fields)
        used_names = {plain_name(name) for record in scored for name in _question_variables(record, default)}
        return as_questions(
            pairs, f"{note}, no test has an assertion{left_out_note}", unread_fields(scored, {*_SILENT, *used_names})
        )
    return _as_samples(scored, fields, note, left_out_note)


def _read(records: list[Record], default: Mapping[str, Any]) -> list[dict[str, Any]]:
    gathered = Gathered(records)
    read = [gathered.read(number, _fields, record, default) for number, record in enumerate(records)]
    gathered.refuse()
    return [each for each in read if each is not None]


def _as_samples(records: list[Record], fields: list[dict[str, Any]], read_as: str, left_out_note: str) -> AnsweredQuestions:
    plain = [replace(record, fields=each) for record, each in zip(records, fields, strict=True)]
    without = sum("only_scorers" not in each for each in fields)
    further = [name for name in dict.fromkeys(name for each in fields for name in each)
               if name not in ("question", "answer", "only_scorers", *_BESIDE)]  # fmt: skip
    read_as += ", assertions: the rules of each test (scorer promptfoo)"
    read_as += f" ({count_of(without, 'test')} without any)" if without else ""
    read_as += f", beside the question: {enumerated(further)}: show it in your prompts as {{{further[0]}}}" if further else ""
    return as_samples(plain, column_roles(plain), read_as + left_out_note)


def _refuse(records: Sequence[Record], unscored: Mapping[int, str], name: str) -> None:
    gathered = Gathered(records, {n: f"{records[n].place}: {reason}" for n, reason in unscored.items()})
    try:
        gathered.refuse()
    except ConfigError as error:
        remaining = len(records) - len(unscored)
        bring = f"tui-eval datasets import {shlex.quote(one_line(name, 200))} {SKIP}"
        hint = f"\n{bring} imports the other {count_of(remaining, 'test')}, and names what it leaves out" if remaining else ""
        raise ConfigError(f"{error}{hint}") from None


def _left_out(places: Sequence[str], reasons: Sequence[str]) -> str:
    if not places:
        return ""
    entries = [f"{place.rpartition(': ')[2]} {reason}" for place, reason in zip(places, reasons, strict=True)][:_NAMED]
    more = f"; and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return f"; {count_of(len(places), 'test')} left out: {'; '.join(entries)}{more}"


def _unscored(record: Record, default: Mapping[str, Any]) -> str:
    """Why a test cannot be scored here; empty where it can, or where something else is amiss."""
    if record.problem:
        return ""
    both = [*default.items(), *record.fields.items()]
    otherwise = [name for name, value in both if plain_name(name) in _OTHERWISE and value not in ("", None, {}, [])]
    otherwise += [name for name, value in record.fields.items() if name.startswith("__config") and not is_blank(value)]
    if otherwise:
        return f"asks for `{one_line(otherwise[0], 40)}`, which tui-eval cannot import"
    try:
        assertions = _assertions(record, default)
        _threshold(record, default)
    except FieldError:  # told with the others, when the test is read
        return ""
    except ValueError as error:
        return f"asks for {error}"
    problems = all_problems(assertions)
    return f"asks for {', and for '.join(problems)}" if problems else ""


def _fields(record: Record, default: Mapping[str, Any]) -> dict[str, Any]:
    """A test as a sample: its question, its other variables, and the rule that judges it."""
    variables = _question_variables(record, default)
    if not variables:
        raise FieldError("vars: none, so there is no question")
    question_names = [name for name in variables if plain_name(name) in QUESTION]
    if len(question_names) != 1 and len(variables) > 1:
        raise FieldError(
            f"vars: {enumerated(variables)}: which of them is the question? Name it 'question'; "
            "a prompt that needs several of them is not a question of a dataset"
        )
    name = question_names[0] if question_names else next(iter(variables))
    fields: dict[str, Any] = {"question": _variable(name, variables[name])}
    for variable, value in variables.items():
        if variable != name:
            fields["answer" if plain_name(variable) in ANSWER else variable] = _variable(variable, value)
    assertions = _assertions(record, default)
    if assertions:
        threshold = _threshold(record, default)
        rule = {"use": "promptfoo", "assert": with_numbers(assertions)}
        fields["only_scorers"] = [rule if threshold is None else {**rule, "test_threshold": threshold}]
    return fields


def _variable(name: str, value: object) -> str:
    if isinstance(value, (list, dict)):
        raise FieldError(f"vars.{one_line(name)}: {sort_of(value)}; promptfoo makes a test of each: write them out")
    text = exact_text(value, f"vars.{one_line(name)}")
    if text.startswith("file://"):
        raise FieldError(f"vars.{one_line(name)}: names a file; write its text here")
    return text


def _question_variables(record: Record, default: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of a test that say something; of a table its columns, but for those of promptfoo itself."""
    return {name: value for name, value in _variables(record, default).items() if plain_name(name) not in _BESIDE}


def _variables(record: Record, default: Mapping[str, Any]) -> dict[str, Any]:
    fields = record.fields.get(VARIABLES)
    if not isinstance(fields, dict):
        fields = {name: value for name, value in record.fields.items() if not name.strip().startswith("__")}
    usual = default.get(VARIABLES)
    every = {**(usual if isinstance(usual, dict) else {}), **fields}
    return {name: value for name, value in every.items() if not is_blank(value)}


def _assertions(record: Record, default: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The assertions of a test, variables filled in. ValueError for a template that cannot be."""
    variables = _variables(record, default)
    return [filled(each, variables) for each in (*_listed(default), *_listed(record.fields), *_in_cells(record))]


def _listed(fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    listed = fields.get(ASSERTIONS)
    for assertion in listed if isinstance(listed, list) else []:
        if not isinstance(assertion, dict):
            raise FieldError(f"assert: {sort_of(assertion)}, not an object with 'type' and 'value'")
        yield assertion


def _in_cells(record: Record) -> Iterator[dict[str, Any]]:
    for name, value in record.fields.items():
        if EXPECTED.fullmatch(plain_name(name)) and not is_blank(value):
            yield from_cell(exact_text(value, name))


def _threshold(record: Record, default: Mapping[str, Any]) -> float | None:
    """The weighted mean of assertions at which a test passes; None where all of them must, which is what 0 means, too."""
    candidates = (record.fields.get(THRESHOLD), record.fields.get("__threshold"), default.get(THRESHOLD))
    value = next((each for each in candidates if not is_blank(each)), None)
    number = number_of(value)
    if value is not None and (number is None or number < 0):
        raise ValueError("a threshold that is not a number")
    return number or None
