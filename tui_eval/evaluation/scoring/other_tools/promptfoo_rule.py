"""Scorer `promptfoo`: whether a reply passes the assertions of a promptfoo test.

By its documentation: a test passes where all of its assertions do, or with a threshold of its own where their weighted mean
reaches it. What asks a model, runs code or reads a file is refused before a run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import one_line
from tui_eval.evaluation.scoring.json_rule import equal_values
from tui_eval.evaluation.scoring.json_schemas import schema_problem
from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow
from tui_eval.evaluation.scoring.safe_patterns import last_match
from tui_eval.reading.promptfoo.assertions import DISTANCE, JSON_TEXTS, MEASURES, base_of, number_of, problem_of, words_of
from tui_eval.reading.promptfoo.javascript_patterns import python_pattern

_MOST_TRIED = 300
"""Brackets at which JSON within a text is tried to begin."""
_MOST_COMPARED = 2e8
"""Characters of the one times characters of the other text whose distance is taken: a second's work."""
NOT_JSON = object()


class UnknownError(Exception):
    """Nobody knows whether an assertion passes; its text says why."""


def _assertion(assertion: dict[str, Any]) -> dict[str, Any]:
    if problem := problem_of(assertion):
        raise ValueError(f"asks for {problem}")
    schema = assertion.get("value") if base_of(assertion["type"])[0] in JSON_TEXTS else None
    if isinstance(schema, dict) and (problem := schema_problem(schema)):
        raise ValueError(f"the schema of `{assertion['type']}` {problem}")
    return assertion


class PromptfooRow(ScorerRow):
    """Options of `promptfoo`."""

    assertions: Annotated[list[Annotated[dict[str, Any], AfterValidator(_assertion)]], Field(alias="assert")] = []
    """The assertions of a test as promptfoo writes them: type, value, threshold, weight. Empty = nothing is judged."""
    test_threshold: Annotated[float, Field(ge=0)] | None = None
    """The weighted mean of the assertions that passes. Empty or 0 = all of them must pass."""

    @property
    def wants_target(self) -> bool:
        """Never: assertions hold what they compare with."""
        return False


def _judge(row: PromptfooRow, case: Case) -> Outcome:
    """Judge whether the test passes; unknown where that rests on an assertion whose result is unknown."""
    if not row.assertions:
        return Outcome(None, "no assertion")
    passes: list[tuple[bool | None, float]] = []
    failed = unknown = ""
    for assertion in row.assertions:
        name, weight = _assertion_label(assertion), number_of(assertion.get("weight", 1)) or 0.0
        try:
            good = passes_assertion(assertion, case)
        except UnknownError as reason:
            unknown = unknown or f"{name}: {reason}"
            passes.append((None, weight))
            continue
        failed = failed or ("" if good else f"fails: {name}")
        passes.append((good, weight))
    verdict = _verdict(passes, row.test_threshold)
    if verdict is None:
        return Outcome(None, unknown, is_fault=True)
    return Outcome(float(verdict), "" if verdict else failed)


def _verdict(passes: Sequence[tuple[bool | None, float]], threshold: float | None) -> bool | None:
    """Return whether a test passes, whatever its unknown assertions would come to; None where these decide."""
    if not threshold:  # promptfoo takes 0 for none
        return False if any(good is False for good, _ in passes) else None if any(good is None for good, _ in passes) else True
    weights = math.fsum(weight for _, weight in passes)
    low = math.fsum(weight for good, weight in passes if good) / weights
    high = math.fsum(weight for good, weight in passes if good is not False) / weights
    return True if low >= threshold else False if high < threshold else None


def _assertion_label(assertion: Mapping[str, Any]) -> str:
    """An assertion in a few words; what varies by test stands behind a colon."""
    value = assertion.get("value", assertion.get("threshold"))
    text = ", ".join(words_of(value)) if value is not None and not isinstance(value, dict) else ""
    return f"{assertion['type']}: {one_line(text, 60)!r}" if text else str(assertion["type"])


def passes_assertion(assertion: Mapping[str, Any], case: Case) -> bool:
    """Return whether a reply passes one assertion. UnknownError where a limit was hit, or nothing was measured."""
    base, negated = base_of(assertion["type"])
    if base in MEASURES:
        return _within_limit(base, float(assertion["threshold"]), case) != negated
    return _JUDGED[base](assertion, case) != negated


def _within_limit(base: str, limit: float, case: Case) -> bool:
    """Return whether milliseconds or USD of the last attempt are at most the threshold."""
    if case.reply.cached:
        raise UnknownError("stored reply")
    measured = case.reply.waited_ms if base == "latency" else case.reply.usage.total_usd
    if measured is None:
        raise UnknownError("not measured" if base == "latency" else "no price known")
    return measured <= limit


def _equals(assertion: Mapping[str, Any], case: Case) -> bool:
    value = assertion["value"]
    if not isinstance(value, (dict, list)):
        return case.text == words_of(value)[0]
    reply_value = strict_value(case.text)
    return reply_value is not NOT_JSON and equal_values(reply_value, value, order_free=False)


def _contains(assertion: Mapping[str, Any], case: Case) -> bool:
    return _count(assertion, case) == len(words_of(assertion["value"]))


def _contains_any(assertion: Mapping[str, Any], case: Case) -> bool:
    return _count(assertion, case) > 0


def _count(assertion: Mapping[str, Any], case: Case) -> int:
    """Count the texts that stand in the reply, letter by letter; of the types that begin with i, capitals aside."""
    text, words = case.text, words_of(assertion["value"])
    if base_of(assertion["type"])[0].startswith("i"):
        text, words = text.lower(), [word.lower() for word in words]
    return sum(word in text for word in words)


def _starts_with(assertion: Mapping[str, Any], case: Case) -> bool:
    return case.text.startswith(words_of(assertion["value"])[0])


def _regex(assertion: Mapping[str, Any], case: Case) -> bool:
    match = last_match(python_pattern(words_of(assertion["value"])[0]), case.text, case.fence)
    if match.fault:
        raise UnknownError(match.fault)
    return match.span is not None


def _levenshtein(assertion: Mapping[str, Any], case: Case) -> bool:
    from rapidfuzz.distance import Levenshtein  # only here: it takes 50 ms to load, and few runs use it

    target, limit = words_of(assertion["value"])[0], number_of(assertion.get("threshold")) or DISTANCE
    if abs(len(case.text) - len(target)) > limit:
        return False
    if len(case.text) * len(target) > _MOST_COMPARED:
        raise UnknownError("too long to compare")
    return Levenshtein.distance(case.text, target) <= limit


def _is_json(assertion: Mapping[str, Any], case: Case) -> bool:
    value = strict_value(case.text)
    return value is not NOT_JSON and _follows(assertion, value, case)


def _contains_json(assertion: Mapping[str, Any], case: Case) -> bool:
    return any(_follows(assertion, value, case) for value in values_within(case.text))


def _follows(assertion: Mapping[str, Any], value: Json, case: Case) -> bool:
    schema = assertion.get("value")
    if not isinstance(schema, dict):
        return True
    result = case.fence.run("schema", schema=json.dumps(schema), value=json.dumps(value))
    if result.fault:
        raise UnknownError(f"schema {result.fault}")
    return not result.value


def _no_constant(word: str) -> Json:
    raise ValueError(word)


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def strict_value(text: str) -> Any:
    """The value of a text that is JSON and nothing else, as JSON.parse takes it; `NOT_JSON` where it is none."""
    try:
        return _DECODER.decode(text.strip(" \t\n\r"))
    except (ValueError, RecursionError):
        return NOT_JSON


def values_within(text: str) -> list[Json]:
    """The objects and lists in a text, one behind the other. UnknownError where there are too many brackets to try."""
    values, at, tried = [], 0, 0
    while places := [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]:
        at, tried = min(places), tried + 1
        if tried > _MOST_TRIED:
            raise UnknownError("too many brackets to look for JSON")
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            values.append(value)
    return values


_JUDGED: Mapping[str, Callable[[Mapping[str, Any], Case], bool]] = {
    "equals": _equals,
    "contains": _contains,
    "icontains": _contains,
    "contains-all": _contains,
    "icontains-all": _contains,
    "contains-any": _contains_any,
    "icontains-any": _contains_any,
    "starts-with": _starts_with,
    "regex": _regex,
    "levenshtein": _levenshtein,
    "is-json": _is_json,
    "contains-json": _contains_json,
}
PROMPTFOO = Rule(
    "promptfoo", 1, "the assertions of a promptfoo test, as its documentation has them", PromptfooRow, _judge, may_wait=True,
    is_cheap=False, varies_by_sample=True,
)  # fmt: skip
