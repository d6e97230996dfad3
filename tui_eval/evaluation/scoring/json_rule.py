"""Scorer `json`: the reply holds JSON, which follows a schema, or whose values are those of the target."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from tui_eval.core.calls import Json
from tui_eval.evaluation.scoring.json_schemas import schema_problem
from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow, nothing_found
from tui_eval.reading.json_paths import NOWHERE, at_path, path_problem
from tui_eval.reading.json_replies import read_json

_TRUSTED = {"whole": {"whole text"}, "found": {"whole text", "fenced block", "in prose"}}


def _path(path: str) -> str:
    if problem := path_problem(path):
        raise ValueError(problem)
    return path


def _schema(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    if schema is not None and (problem := schema_problem(schema)):
        raise ValueError(problem)
    return schema


class JsonRow(ScorerRow):
    """Options of `json`."""

    accept: Literal["whole", "found", "repaired"] = "found"
    """Where JSON counts. whole: the reply is nothing else. found: also in a fenced block or in prose. repaired: also with small
    faults, such as a comma too many."""
    json_schema: Annotated[dict[str, Any] | None, Field(alias="schema"), AfterValidator(_schema)] = None
    """A JSON Schema that it must follow; it may refer to nothing outside itself."""
    equal: bool = False
    """Whether all of it must equal the target's JSON."""
    values: Annotated[list[Annotated[str, AfterValidator(_path)]] | None, Field(min_length=1)] = None
    """Paths at which it must have the target's values, such as ["price", "items[0].name"]."""
    order_free: bool = False
    """Whether lists with the same entries in another order are equal."""

    @property
    def wants_target(self) -> bool:
        """Only where values are compared."""
        return self.equal or self.values is not None


def _judge(row: JsonRow, case: Case) -> Outcome:
    reading = read_json(case.text)
    if reading.step is None:
        return nothing_found(f"no JSON found: {reading.reason}")
    if row.accept != "repaired" and reading.step not in _TRUSTED[row.accept]:
        return nothing_found(f"JSON is not the whole reply: {reading.step}" if row.accept == "whole" else "the JSON has faults")
    if row.json_schema is not None:
        result = case.fence.run("schema", schema=_schema_text(row), value=json.dumps(reading.value))
        if result.fault:
            return Outcome(None, f"schema {result.fault}", pattern=reading.step, is_fault=True)
        if result.value:
            return Outcome(0.0, f"against the schema: {result.value}", pattern=reading.step)
    if not row.wants_target:
        return Outcome(1.0, pattern=reading.step)
    target = target_value(case.target)
    if target is NOWHERE:
        return Outcome(None, "the target is no JSON")
    different = next(_differences(row, reading.value, target), None)
    return Outcome(float(different is None), f"different: {different}" if different else "", pattern=reading.step)


def _schema_text(row: JsonRow) -> str:
    return json.dumps(row.json_schema)


@lru_cache(maxsize=64)
def target_value(target: str) -> Json:
    """The JSON of a target; `NOWHERE` where it is none."""
    reading = read_json(target)
    if reading.step is not None:
        return reading.value
    try:
        return json.loads(target)
    except (ValueError, RecursionError):
        return NOWHERE


def _differences(row: JsonRow, value: Json, target: Json) -> Iterator[str]:
    """Yield the paths at which a value differs from the target; where the target has nothing, the reply must have nothing."""
    for path in row.values or ():
        if not equal_values(at_path(value, path), at_path(target, path), row.order_free):
            yield path
    if row.equal and not equal_values(value, target, row.order_free):
        yield "$"


def equal_values(first: Json, second: Json, order_free: bool) -> bool:
    """Return whether two JSON values are equal: 1 is 1.0 and not true; keys have no order, lists only without `order_free`."""
    return canonical(first, order_free) == canonical(second, order_free)


def canonical(value: Json, order_free: bool) -> str:
    """One text for all values that are equal."""
    if value is NOWHERE:
        return ""
    if isinstance(value, Mapping):
        inner = sorted((json.dumps(key), canonical(each, order_free)) for key, each in value.items())
        return "{" + ",".join(f"{key}:{each}" for key, each in inner) + "}"
    if isinstance(value, list):
        entries = [canonical(each, order_free) for each in value]
        return "[" + ",".join(sorted(entries) if order_free else entries) + "]"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value)


JSON = Rule("json", 1, "it parses, follows a schema, has the target's values", JsonRow, _judge, may_wait=True)
