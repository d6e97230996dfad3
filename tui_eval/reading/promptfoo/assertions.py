"""Assertions of promptfoo that a rule can judge, and why others are none: they ask a model, run code or read a file.

Facts of its documentation: https://www.promptfoo.dev/docs/configuration/expected-outputs/
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from tui_eval.reading.promptfoo.javascript_patterns import python_pattern

ONE_TEXT = ("equals", "contains", "icontains", "starts-with", "regex", "levenshtein")
SEVERAL_TEXTS = ("contains-any", "contains-all", "icontains-any", "icontains-all")
JSON_TEXTS = ("is-json", "contains-json")
MEASURES = ("latency", "cost")
TYPES = (*ONE_TEXT, *SEVERAL_TEXTS, *JSON_TEXTS, *MEASURES)
"""The types that a rule can judge; each may stand behind `not-`."""
DISTANCE = 5.0
"""The largest distance that `levenshtein` lets pass where it names none."""
SHOWN_ONLY = ("metric", "description")
"""Keys that say what results are called there, and change no verdict."""
_KEYS = ("type", "value", "threshold", "weight", *SHOWN_ONLY)
_WITH_LIMIT = ("levenshtein", *MEASURES)
_ALSO = ("javascript", "python", "ruby", "fn", "eval", "grade", "llm-rubric", "similar", "factuality", "webhook", "moderation",
         "classifier", "perplexity", "perplexity-score", "rouge-n", "bleu", "gleu", "meteor", "g-eval", "pi", "guardrails",
         "select-best", "max-score", "assert-set", "word-count", "finish-reason", "answer-relevance",
         "conversation-relevance", "skill-used", "tool-call-f1")  # fmt: skip
_FAMILIES = ("is-", "contains-", "icontains-", "llm-", "model-graded-", "context-", "trajectory:", "trace-")
_CELL = re.compile(
    r"\s*(?P<type>(?:not-)?(?:trajectory:)?[a-z0-9]+(?:-[a-z0-9]+)*)(?:\((?P<threshold>[\d.]+)\))?(?:\s*:(?P<value>.*))?\Z",
    re.DOTALL,
)
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%|\{#", re.DOTALL)
_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")


def base_of(name: str) -> tuple[str, bool]:
    """A type without `not-`, and whether that stood before it."""
    return name.removeprefix("not-"), name.startswith("not-")


def problem_of(assertion: Mapping[str, Any]) -> str:
    """Why an assertion cannot be judged by a rule, as the end of "asks for ..."; empty where it can."""
    kind = assertion.get("type")
    if not isinstance(kind, str):
        return "an assertion without a type, which tui-eval cannot score"
    base, _ = base_of(kind)
    if base not in TYPES:
        return f"`{kind}`, which tui-eval cannot score"
    beside = [key for key in assertion if key not in _KEYS]
    if beside:
        return f"`{kind}` with `{beside[0]}`, which tui-eval cannot score"
    problem = _value_problem(base, assertion.get("value")) or _number_problem(base, assertion)
    return f"`{kind}` {problem}" if problem else ""


def _value_problem(base: str, value: Any) -> str:
    """Return the problem of a value, as it goes on behind the type."""
    texts = value if isinstance(value, list) else [value]
    if any(isinstance(text, str) and text.startswith("file://") for text in texts):
        return "of a file: write the value here"
    if base in MEASURES:
        return "" if value is None else "with a value, which has no effect there"
    if base in JSON_TEXTS:
        return _schema_problem(value)
    if base in SEVERAL_TEXTS:
        fits = isinstance(value, list) and value and all(_is_word(text) and text != "" for text in value)
        return "" if fits else "without a list of texts"
    if base == "equals":
        return "" if isinstance(value, (str, int, float, dict, list)) else "without a value"
    if not (_is_word(value) and value != ""):
        return "without a text"
    if base == "regex":
        try:
            python_pattern(str(value))
        except ValueError as error:
            return f"with an expression that {error}"
    return ""


def _is_word(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _schema_problem(value: Any) -> str:
    if value is None or value == "":
        return ""
    if not isinstance(value, dict):
        return "with a schema that is not an object: write it as one"
    return "with `format` in its schema, which tui-eval does not check" if _has_format(value) else ""


def _has_format(schema: Any) -> bool:
    """Return whether a schema asks for a format of texts, such as a date; a property may be called so."""
    if isinstance(schema, list):
        return any(map(_has_format, schema))
    if not isinstance(schema, dict):
        return False
    return isinstance(schema.get("format"), str) or any(map(_has_format, schema.values()))


def _number_problem(base: str, assertion: Mapping[str, Any]) -> str:
    """Return the problem of a threshold or weight; a weight of 0 lets an assertion pass whatever the reply is."""
    threshold, weight = number_of(assertion.get("threshold")), number_of(assertion.get("weight", 1))
    if assertion.get("threshold") is not None:
        if base not in _WITH_LIMIT:
            return "with a threshold, which has no effect there"
        if threshold is None or threshold < 0 or (base == "levenshtein" and threshold == 0):
            return "with a threshold that is not a number above 0" + (": write equals" if base == "levenshtein" else "")
    elif base in MEASURES:
        return "without a threshold, which passes whatever the reply is"
    if weight is None or weight < 0:
        return "with a weight that is not a number"
    return "with weight 0, which passes whatever the reply is" if weight == 0 else ""


def number_of(value: Any) -> float | None:
    """A finite number; None where it is none. Numbers with a point may be texts, as files are read."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def words_of(value: Any) -> list[str]:
    """The texts that a value names; numbers as promptfoo writes them."""
    return [_as_text(each) for each in (value if isinstance(value, list) else [value])]


def _as_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def from_cell(cell: str) -> dict[str, Any]:
    """The assertion that a cell of a column `__expected` means: `type: value`, `type(threshold): value`, or a text to equal."""
    match = _CELL.match(cell)
    base = "" if match is None else base_of(match["type"])[0]
    bare = match is not None and match["value"] is None and base not in (*JSON_TEXTS, *MEASURES)
    if match is None or bare or not is_type(match["type"]):
        return {"type": "equals", "value": cell.strip()}
    value: Any = (match["value"] or "").strip()
    if base in SEVERAL_TEXTS:
        value = next(csv.reader([value.replace("\n", " ")], skipinitialspace=True), [])
        value = [part.strip() for part in value if part.strip()]
    if base in JSON_TEXTS and value:
        with suppress(ValueError):
            value = json.loads(value)
    assertion: dict[str, Any] = {"type": match["type"]}
    if value != "":
        assertion["value"] = value
    return assertion | ({"threshold": match["threshold"]} if match["threshold"] else {})


def is_type(name: str) -> bool:
    """Return whether a word before a colon is a type by which promptfoo compares, and not the beginning of an answer."""
    base, _ = base_of(name)
    return base in (*TYPES, *_ALSO) or base.startswith(_FAMILIES)


def filled(assertion: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
    """The assertion with the test's variables in the templates of its value. ValueError for any other template."""
    result = {key: value for key, value in assertion.items() if key not in SHOWN_ONLY}
    if "value" in result:
        try:
            result["value"] = _with_variables(result["value"], variables)
        except ValueError as error:
            raise ValueError(f"`{assertion.get('type')}` with {error}") from None
    return result


def _with_variables(value: Any, variables: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_with_variables(each, variables) for each in value]
    if isinstance(value, dict):
        return {key: _with_variables(each, variables) for key, each in value.items()}
    if not isinstance(value, str) or not _TEMPLATE.search(value):
        return value
    simple = _VARIABLE.sub("", value)
    missing = [name for name in _VARIABLE.findall(value) if not _is_word(variables.get(name))]
    if _TEMPLATE.search(simple) or missing:
        problem = (
            f"{{{{{missing[0]}}}}}, which is not a variable of the test"
            if missing
            else "a template that is more than a variable"
        )
        raise ValueError(problem)
    return _VARIABLE.sub(lambda match: _as_text(variables[match[1]]), value)


def all_problems(assertions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why assertions of one test cannot be judged, each once."""
    return [*dict.fromkeys(filter(None, map(problem_of, assertions)))]
