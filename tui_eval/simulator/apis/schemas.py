"""A persona's words put into the JSON that a schema asks for, as far as the schema is simple."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from tui_eval.simulator.seed import Seed

_LONGEST_TEXT = 80
_DEEPEST = 8
_NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")


def wanted(body: Mapping[str, Any]) -> Any:
    """The schema that a chat request asks its reply to follow, or None."""
    form = body.get("response_format")
    if not isinstance(form, dict) or form.get("type") != "json_schema" or not isinstance(form.get("json_schema"), dict):
        return None
    return form["json_schema"].get("schema")


def follow(schema: Any, words: str, seed: Seed) -> str:
    """A JSON object that fits the schema: the one that the words hold, where it has the schema's keys; else one whose texts are
    cut from the words; {} for a schema that is no simple object."""
    said = _said(schema, words)
    if said is not None:
        return json.dumps(said, ensure_ascii=False)
    value = _value(schema, "", words, seed, 0)
    return json.dumps(value if isinstance(value, dict) else {}, ensure_ascii=False)


def _said(schema: Any, words: str) -> Any:
    """The object that stands in the words, brought into the schema's form; None where there is none with its keys."""
    start, end = words.find("{"), words.rfind("}")
    try:
        value = json.loads(words[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    wanted_keys = schema.get("required") if isinstance(schema, dict) else None
    if not isinstance(value, dict) or not isinstance(wanted_keys, list) or not set(wanted_keys) <= value.keys():
        return None
    return _fitted(schema, value, 0)


def _fitted(schema: Any, value: Any, depth: int) -> Any:
    """A value with the keys that a schema has, null for what it lacks; an object where a list is wanted as pairs."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return value
    fields, items = schema.get("properties"), schema.get("items")
    if isinstance(fields, dict) and isinstance(value, dict):
        return {name: _fitted(inner, value.get(name), depth + 1) for name, inner in fields.items()}
    if isinstance(fields, dict) and value is None and schema.get("type") == "object":
        return {name: _fitted(inner, None, depth + 1) for name, inner in fields.items()}
    if isinstance(items, dict) and isinstance(value, dict) and len(items.get("properties", ())) == 2:
        first, second = items["properties"]
        return [{first: key, second: inner} for key, inner in value.items()]
    if isinstance(items, dict) and isinstance(value, list):
        return [_fitted(items, inner, depth + 1) for inner in value]
    return value


def _value(schema: Any, name: str, words: str, seed: Seed, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return {}
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return _one_of(schema["enum"], name, words, seed)
    kind = schema.get("type")
    if isinstance(kind, list) and kind:
        kind = kind[0]
    if kind == "object":
        properties = schema.get("properties")
        fields = properties if isinstance(properties, dict) else {}
        return {field: _value(inner, field, words, seed, depth + 1) for field, inner in fields.items()}
    if kind == "array":
        least = schema.get("minItems")
        count = least if isinstance(least, int) and 0 < least <= 100 else 1
        return [_value(schema.get("items"), f"{name}/{n}", words, seed, depth + 1) for n in range(count)]
    if kind == "string":
        return _text(schema, words)
    if kind in ("number", "integer"):
        return _number(schema, words, seed.chance("schema", name), whole=kind == "integer")
    if kind == "boolean":
        return seed.chance("schema", name, words) < 0.5
    return None if kind == "null" else {}


def _one_of(values: list[Any], name: str, words: str, seed: Seed) -> Any:
    """The value that the words name last, as people end with what they settle on; else one by chance."""
    places = {n: _last_place(str(value), words) for n, value in enumerate(values)}
    last = max(places, key=lambda n: places[n])
    return values[last] if places[last] >= 0 else values[int(seed.chance("schema", name, words) * len(values))]


def _last_place(word: str, words: str) -> int:
    found = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", words)]
    return found[-1] if found and word else -1


def _text(schema: Mapping[str, Any], words: str) -> str:
    longest = schema.get("maxLength")
    return words[: min(longest, _LONGEST_TEXT) if isinstance(longest, int) and longest >= 0 else _LONGEST_TEXT]


def _number(schema: Mapping[str, Any], words: str, chance: float, whole: bool) -> float:
    """The first number that the words hold, moved to within the schema's bounds; else one by chance."""
    low, high = (_bound(schema.get(name)) for name in ("minimum", "maximum"))
    found = _NUMBER.search(words)
    number = float(found[0]) if found else (low or 0.0) + chance * 10
    if high is not None and number > high:
        number = math.floor(high) if whole else high
    if low is not None and number < low:
        number = math.ceil(low) if whole else low
    return int(number) if whole else round(number, 3)


def _bound(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
