"""Samples with columns of their own, for kind qa: a context, several right answers, rules that score them."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import NOTHING, Sample
from tui_eval.datasets.answered_questions import AnsweredQuestions
from tui_eval.datasets.column_roles import ColumnRoles, column_roles
from tui_eval.datasets.field_values import is_blank, list_in_cell, with_numbers
from tui_eval.datasets.parsing import Gathered, Record
from tui_eval.datasets.shapes.plain_records import plain_records
from tui_eval.datasets.shapes.shaped_records import exact_text
from tui_eval.datasets.shapes.target_values import OWN, OWN_RULES, as_text, targets_at


def has_samples(records: Sequence[Record]) -> bool:
    """Return whether these are such records: what questions and answers alone cannot hold, for certain."""
    plain = plain_records(records)
    roles = column_roles(plain)
    prompt_column, compared = roles.question or roles.context, roles.target or roles.schema or has_own_rules(plain)
    if not (prompt_column and compared) or roles.options:
        return False
    return bool(roles.context or not roles.question or has_own_rules(plain) or _has_lists(plain, roles))


def has_own_rules(records: Sequence[Record]) -> bool:
    """Return whether a sample brings rules that score it."""
    return any(not is_blank(record.fields.get(name)) for record in records for name in OWN_RULES)


def _has_lists(records: Sequence[Record], roles: ColumnRoles) -> bool:
    return "." in roles.target or any(isinstance(record.fields.get(roles.target), (list, dict)) for record in records)


def sample_records(records: list[Record], name: str) -> AnsweredQuestions:
    """A sample of each record. ConfigError with place and reason for what is not usable, and where an id stands twice."""
    plain = plain_records(records)
    roles = column_roles(plain)
    judged = add_schema_rules(plain, roles)
    return as_samples(plain, roles, roles.words + (f", {judged}" if judged else ""))


def add_schema_rules(records: Sequence[Record], roles: ColumnRoles) -> str:
    """Let each sample bring a schema as its rule, if a reply is held against nothing else; return what was done, in words."""
    if not roles.schema or roles.target or has_own_rules(records):
        return ""
    for record in records:
        schema = record.fields.get(roles.schema)
        if isinstance(schema, str) and schema.strip():
            schema = list_in_cell(schema.strip(), roles.schema)
        if isinstance(schema, dict):
            record.fields[OWN] = [{"use": "json", "schema": schema}]
    return f"scorer json with the {roles.schema} of each sample"


def as_samples(records: Sequence[Record], roles: ColumnRoles, read_as: str) -> AnsweredQuestions:
    """Records as a set of samples, which keeps all of their columns. ConfigError with the place of what is not usable."""
    gathered = Gathered(records)
    columns = tuple(dict.fromkeys(name for record in records for name in record.fields))
    samples = [gathered.read(n, _sample, record, roles, columns, n) for n, record in enumerate(records)]
    gathered.refuse_twice([(n, (sample.id,)) for n, sample in enumerate(samples) if sample is not None], "id")
    gathered.refuse()
    return AnsweredQuestions(tuple(sample for sample in samples if sample is not None), read_as, (), columns=columns)


def _sample(record: Record, roles: ColumnRoles, columns: Container[str], n: int) -> Sample:
    fields = {name: _with_own_numbers(name, value) for name, value in record.fields.items()}
    prompt_column = roles.question or roles.context
    question = exact_text(fields.get(prompt_column), prompt_column)
    targets = targets_at(fields, roles.target or None, record.cells, columns)
    group = fields.get(roles.group) if roles.group else None
    sample_id = one_line(exact_text(fields.get(roles.id), roles.id)) if roles.id else str(n + 1)
    return Sample(
        id=sample_id,
        question=question,
        truth=targets[0] if targets else None,
        groups=NOTHING if is_blank(group) else {roles.group: (str(group),)},
        data={"id": sample_id, **{name: value for name, value in fields.items() if name != "id"}},
    )


def _with_own_numbers(name: str, value: Any) -> Any:
    """A value with the numbers of objects and rules as such; of a number alone its digits stay as the file has them."""
    objects = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value))
    return with_numbers(value) if objects or name in OWN_RULES else value


def entry_of_sample(sample: Sample) -> dict[str, Any]:
    """A sample as our own file has it: its id, then its other columns."""
    return dict(sample.data)


def is_changed(sample: Sample) -> bool:
    """Return whether a sample says something else than its columns do."""
    if not isinstance(sample.data, Mapping):
        return False
    texts = {as_text(each) for value in sample.data.values() for each in (value if isinstance(value, list) else [value])}
    inner = {as_text(each) for value in sample.data.values() if isinstance(value, dict) for part in value.values()
             for each in (part if isinstance(part, list) else [part])}  # fmt: skip
    return not {sample.question, *filter(None, [sample.truth])} <= texts | inner
