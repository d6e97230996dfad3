"""The records of a set for kind qa, whatever form its file has: each with one question and its own columns."""

from __future__ import annotations

from dataclasses import replace

from tui_eval.datasets.column_roles import column_roles
from tui_eval.datasets.parsing import Record, Subject, read_records
from tui_eval.datasets.shapes.plain_records import plain_records
from tui_eval.datasets.shapes.promptfoo_tests import default_test, has_promptfoo_tests, promptfoo_tests
from tui_eval.datasets.shapes.sample_records import add_schema_rules


def set_records(text: str, name: str, subject: Subject) -> list[Record]:
    """The records of a text in plain form. ConfigError with place and reason for what is not usable.

    Articles of SQuAD become their questions, answers in one text lists of answers, and tests of promptfoo samples with the
    rules that judge them.
    """
    records = read_records(text, name, subject)
    if not has_promptfoo_tests(records):
        plain = plain_records(records)
        add_schema_rules(plain, column_roles(plain))
        return plain
    answered = promptfoo_tests(records, name, default_test(text))
    return [replace(record, fields=sample.data or {"question": sample.question, "answer": sample.truth})
            for record, sample in zip(records, answered.questions, strict=True)]  # fmt: skip
