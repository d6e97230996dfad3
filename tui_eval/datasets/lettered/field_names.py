"""Names of the fields of lettered questions and of answers given elsewhere, which people call differently.

Of each field the names, the usual one first: a record holds one of them, or several that agree.
"""

from __future__ import annotations

import re

from tui_eval.datasets.field_values import plain_name
from tui_eval.datasets.lettered.answer_keys import POSITION
from tui_eval.datasets.parsing import Record

QUESTION = ("question", "input", "prompt", "question_text")
CHOICES = ("choices", "options")
ANSWER = ("answer", "target", "answer_key", "answerkey", *POSITION, "correct", "correct_answer", "label", "gold")
ID = ("id", "question_id", "qid")
DOMAINS, DOMAIN = ("domains",), ("domain", "subject", "category")
TOPICS, TOPIC = ("topics",), ("topic",)
MODEL = ("model",)
RESPONSE = ("raw_response", "response", "output", "completion", "raw")
LETTER = ("letter", "predicted", "answer", "extracted", "published_letter")
PATTERN = ("pattern", "extraction_pattern", "published_pattern")
TRUNCATED = re.compile(r"truncated(?:_at_\d+)?")
"""The column that says whether a response was cut, with the length in its name where the table gives one."""


def flattened(records: list[Record]) -> list[Record]:
    """Records in which a question that is an object of its own (`stem` and `choices`, as in OpenBookQA) becomes two fields."""
    for record in records:
        record.fields = unfolded(record.fields)
    return records


def unfolded(fields: dict[str, object]) -> dict[str, object]:
    """The fields of a record, those of a question that is an object of its own among them."""
    for key, value in fields.items():
        if isinstance(value, dict) and "stem" in value and plain_name(key) == "question":
            other_fields = {name: item for name, item in fields.items() if name != key}
            if not value.keys() & other_fields.keys():
                return {**other_fields, **{name: item for name, item in value.items() if name != "stem"}, key: value["stem"]}
    return fields
