"""Reading a response body strictly: JSON that is JSON, tokens that are counts, money that is money."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from tui_eval.plaintext import one_line
from tui_eval.types import Fault, Json

MAX_TOKENS = 10**9
MAX_DEPTH = 200
"""Deeper than any reply: what cannot be written into the log and read again is not taken for one."""
MAX_USD = 10**6
"""More than any one reply can have cost: what is above is no amount but a mistake."""


def parse_json(body: bytes) -> Json:
    """The body as JSON; ValueError for anything that strict JSON is not (NaN, endless nesting, other encodings)."""
    try:
        value = _decode(body.decode("utf-8").removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and not _is_shallow(value):
        raise ValueError("nested too deeply")
    return value


def _is_shallow(value: Json) -> bool:
    """Whether a value is nested no deeper than MAX_DEPTH; found level by level, since the value may be a trap."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _parts(outer)]
        if not level:
            return True
    return False


def _parts(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def count(value: Any) -> int | None:
    """A token count, or None for anything that is not a plausible one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value) if 0 <= value <= MAX_TOKENS else None


def dollars(value: Any) -> float | None:
    """An amount of USD, or None for anything that is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= MAX_USD else None


def table(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def text_or_none(value: Any) -> str | None:
    """The value if it is text, else None."""
    return value if isinstance(value, str) else None


def not_json(status: int, body: bytes, error: ValueError) -> Fault:
    """What a reply is that should have been JSON and is not; the same request may bring a whole one."""
    what = "an empty body" if not body.strip() else f"a body that is not JSON ({one_line(str(error), 80)}): {excerpt(body)}"
    return Fault("protocol", f"HTTP {status} with {what}", retry=True)


def excerpt(body: bytes) -> str:
    """The beginning of a body that could not be read, safe to show."""
    return one_line(body[:800].decode("utf-8", "replace"))


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is no number")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite).decode
