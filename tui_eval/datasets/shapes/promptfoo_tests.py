"""Tests of promptfoo as questions: a variable of each is the question, what an assertion wants to see is its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tui_eval.core.plaintext import counted, one_line
from tui_eval.datasets.answered_questions import ANSWER, QUESTION, AnsweredQuestions
from tui_eval.datasets.field_values import FieldError, enumerated, is_blank, plain_name, sort_of
from tui_eval.datasets.lettered.field_names import ID
from tui_eval.datasets.parsing import Gathered, Record
from tui_eval.datasets.shapes.shaped_records import Pair, as_questions, exact_text, names_in, unread_fields

VARIABLES, ASSERTIONS = "vars", "assert"
EXPECTED = re.compile(r"__expected\d*")
ANSWERS = ("equals", "contains", "icontains", "similar", "factuality", "model-graded-factuality")
"""Assertions whose value is a right answer; others check something else, such as a rubric or a program's verdict."""
_PREFIX = re.compile(r"(not-)?([a-z]+(?:-[a-z]+)*)(?:\([\d.]+\))?:\s*", re.IGNORECASE)
_BESIDE = (*ID, "category", "type", "difficulty", "tags", "source")
"""Variables that are no part of a question."""


def has_promptfoo_tests(records: Sequence[Record]) -> bool:
    """Whether these are tests: with variables, or rows of a table that say what is expected."""
    there = names_in(records)
    listed = any(isinstance(record.fields.get(VARIABLES), dict) for record in records)
    return listed or any(EXPECTED.fullmatch(name) for name in there)


def promptfoo_tests(records: list[Record], name: str) -> AnsweredQuestions:
    """A question of each test. ConfigError with the place where it is not clear which variable is the question."""
    gathered = Gathered(records)
    read = [gathered.read(number, _question, record) for number, record in enumerate(records)]
    gathered.refuse()
    found = [pair for pair in read if pair is not None]
    without = sum(not truth for _, truth in found)
    there = names_in(records)
    used = {VARIABLES, ASSERTIONS, *(name for name in there if EXPECTED.fullmatch(name) or name in ANSWER)}
    asked = next(iter(_asked(records[0])), "")
    told = f"tests of promptfoo: question: {one_line(asked, 40)}, answer: {' or '.join(ANSWERS[:4])} of the assertions"
    told += f" ({counted(without, 'test')} without such a one)" if without else ""
    return as_questions(found, told, unread_fields(records, used | {plain_name(asked)}))


def _question(record: Record) -> Pair:
    asked = _asked(record)
    if not asked:
        raise FieldError("vars: none, so there is no question")
    known = [name for name in asked if plain_name(name) in QUESTION]
    if len(known) != 1 and len(asked) > 1:
        raise FieldError(
            f"vars: {enumerated(asked)}: which of them is the question? Name it 'question'; "
            "a prompt that needs several of them is no question of a dataset"
        )
    name = known[0] if known else next(iter(asked))
    others = [one for one in asked if one != name and plain_name(one) not in ANSWER]
    if others:
        raise FieldError(
            f"vars: {enumerated(others)} beside {one_line(name)}: put them into the text of the question, where they belong"
        )
    value = asked[name]
    if isinstance(value, (list, dict)):
        raise FieldError(f"vars.{one_line(name)}: {sort_of(value)}; promptfoo makes a test of each: write them out")
    text = exact_text(value, f"vars.{one_line(name)}")
    if text.startswith("file://"):
        raise FieldError(f"vars.{one_line(name)}: names a file; write its text here")
    return text, next(_answers(record), "") or _answer_beside(asked, name)


def _answer_beside(asked: Mapping[str, object], question: str) -> str:
    """A variable that is called an answer, where no assertion has one."""
    named = ((name, value) for name, value in asked.items() if name != question and plain_name(name) in ANSWER)
    name, value = next(named, ("", None))
    return exact_text(value, f"vars.{one_line(name)}", needed=False)


def _asked(record: Record) -> Mapping[str, object]:
    """The variables of a test that say something; of a table its columns, but for those of promptfoo itself."""
    fields = record.fields.get(VARIABLES)
    if not isinstance(fields, dict):
        fields = {name: value for name, value in record.fields.items() if not name.strip().startswith("__")}
    return {name: value for name, value in fields.items() if not is_blank(value) and plain_name(name) not in _BESIDE}


def _answers(record: Record) -> Iterator[str]:
    listed = record.fields.get(ASSERTIONS)
    for one in listed if isinstance(listed, list) else []:
        if not isinstance(one, dict):
            raise FieldError(f"assert: {sort_of(one)}, not an object with 'type' and 'value'")
        if one.get("type") in ANSWERS and not is_blank(one.get("value")):
            yield exact_text(one["value"], "assert.value")
    for name, value in record.fields.items():
        if EXPECTED.fullmatch(plain_name(name)) and not is_blank(value):
            yield from _expected(exact_text(value, name))


def _expected(cell: str) -> Iterator[str]:
    """What a cell wants to see: a text alone is the answer, before a colon may stand how it is compared."""
    prefix = _PREFIX.match(cell)
    if prefix is None:
        yield cell
    elif not prefix.group(1) and prefix.group(2).lower() in ANSWERS:
        yield cell[prefix.end() :]
    elif not _is_assertion(prefix.group(2).lower()):
        yield cell


def _is_assertion(name: str) -> bool:
    """Whether a word before a colon is one by which promptfoo compares, rather than the beginning of an answer."""
    others = ("javascript", "python", "regex", "fn", "eval", "grade", "cost", "latency", "rouge-n", "bleu", "levenshtein",
              "moderation", "webhook", "classifier", "perplexity")  # fmt: skip
    return name in (*ANSWERS, *others) or name.startswith(
        ("is-", "contains-", "icontains-", "starts-", "llm-", "model-", "context-")
    )
