"""Laws of schemas: what refers to a place within itself can be used, and what it takes for data is data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from scorer_cases import scored

from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.json_schemas import schema_problem

FAR = {"$ref": "https://example.com/other.json"}
OUTSIDE, NOWHERE = "lies outside it", "but there is nothing"
CHILD = {"$id": "child.json", "$defs": {"n": {"type": "integer"}, "m": {"$anchor": "m"}}}


@pytest.fixture(scope="module")
def fence() -> Iterator[Fence]:
    """One for all."""
    with Fence() as one:
        yield one


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": [FAR, 1]},
        {"const": FAR},
        {"default": {"deep": [FAR]}},
        {"examples": [FAR]},
        {"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}},
        {"$defs": {"c": {**CHILD, "$ref": "#/$defs/n"}}},
        {"$defs": {"c": {**CHILD, "$ref": "#m"}}},
        {"$defs": {"c": CHILD}, "$ref": "child.json#/$defs/n"},
        {"$id": "https://example.com/root.json", "$defs": {"c": CHILD}, "$ref": "https://example.com/child.json#m"},
        {"$id": "https://example.com/root.json", "$ref": "root.json#/$defs/a", "$defs": {"a": {}}},
        {"$id": "urn:example:root", "$ref": "#/$defs/a", "$defs": {"a": {}}},
    ],
)
def test_what_lies_within_is_taken(schema: dict[str, Any], fence: Fence) -> None:
    """And the child that checks replies by it finds all that it refers to."""
    assert schema_problem(schema) == ""
    assert scored("json", "1", None, fence, schema=schema).value is not None


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (FAR, OUTSIDE),
        ({"$ref": "http://["}, OUTSIDE),
        ({"$id": "http://[", "$ref": "#/$defs/n"}, NOWHERE),
        ({"properties": {"enum": FAR}}, OUTSIDE),
        ({"properties": {"default": {"items": FAR}}}, OUTSIDE),
        ({"$defs": {"n": {}, "c": {"$id": "child.json", "$ref": "#/$defs/n"}}}, NOWHERE),
        ({"$defs": {"c": CHILD}, "$ref": "#/$defs/n"}, NOWHERE),
        ({"$defs": {"c": CHILD}, "$ref": "#m"}, NOWHERE),
        ({"$defs": {"c": CHILD}, "$ref": "child.json#/$defs/x"}, NOWHERE),
        ({"$id": "https://example.com/a/root.json", "$defs": {"c": CHILD}, "$ref": "https://example.com/child.json"}, OUTSIDE),
    ],
)
def test_what_lies_elsewhere_is_refused(schema: dict[str, Any], told: str) -> None:
    """Also below properties that are called like keywords, and where another $id changes what "#" means."""
    assert told in schema_problem(schema)
