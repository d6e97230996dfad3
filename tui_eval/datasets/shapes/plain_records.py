"""Records with one question each, whatever nesting their file has: SQuAD's articles, answers in objects, lists in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tui_eval.datasets.field_values import is_blank, plain_name, sort_of
from tui_eval.datasets.parsing import Record

PARAGRAPHS, QUESTIONS = "paragraphs", "qas"
_BEST, _RIGHT, _WRONG = "best_answer", "correct_answers", "incorrect_answers"
_BETWEEN = re.compile(r";(?:\s+|$)")
"""What divides the answers that TruthfulQA lists in one text."""


def plain_records(records: Sequence[Record]) -> list[Record]:
    """The same records with one question each: articles become their questions, and lists of right answers are lists."""
    plain = [each for record in records for each in (_of_article(record) if _is_article(record) else (record,))]
    for record in plain:
        if not record.problem:
            _list_answers(record.fields)
    return plain


def _is_article(record: Record) -> bool:
    paragraphs = record.fields.get(PARAGRAPHS)
    return isinstance(paragraphs, list) and any(isinstance(each, dict) and QUESTIONS in each for each in paragraphs)


def _of_article(record: Record) -> Iterator[Record]:
    """The questions about an article as SQuAD has it: each with its title and context; its answers as a list."""
    title = {"title": record.fields["title"]} if not is_blank(record.fields.get("title")) else {}
    for n, paragraph in enumerate(record.fields[PARAGRAPHS], start=1):  # type: ignore[var-annotated, arg-type]  # a list
        place = f"{record.place}, paragraph {n}"
        questions = paragraph.get(QUESTIONS) if isinstance(paragraph, dict) else None
        if not isinstance(questions, list):
            yield Record(place, 0, {}, f"{QUESTIONS}: {sort_of(questions)}, not a list of questions")
            continue
        for row, question in enumerate(questions, start=1):
            if isinstance(question, dict):
                yield Record(f"{place}, question ", row, {**title, "context": paragraph.get("context"), **_plain(question)})
            else:
                yield Record(f"{place}, question ", row, {}, f"{sort_of(question)}, not an object")


def _plain(question: dict[str, Any]) -> dict[str, Any]:
    """A question of SQuAD: nothing is a right answer where it is impossible, and a guess that looks like one is left out."""
    return {name: value for name, value in question.items() if name != "plausible_answers"}


def _list_answers(fields: dict[str, Any]) -> None:
    """Right answers as lists of texts, where they are objects with their places, or stand in one text."""
    columns = {plain_name(name): name for name in fields}
    if (column := columns.get("answers")) and _are_placed(fields[column]):
        fields[column] = [*dict.fromkeys(each["text"] for each in fields[column])]
    if _BEST in columns and _RIGHT in columns:
        best = fields[columns[_BEST]]
        for column in (columns[name] for name in (_RIGHT, _WRONG) if name in columns):
            if isinstance(fields[column], str):
                listed = [part.strip() for part in _BETWEEN.split(fields[column]) if part.strip()]
                first = [best.strip()] if column == columns[_RIGHT] and isinstance(best, str) and best.strip() else []
                fields[column] = [*dict.fromkeys([*first, *listed])]


def _are_placed(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and isinstance(each.get("text"), str) for each in value)
