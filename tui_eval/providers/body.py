"""Reading a response body strictly: JSON that is JSON, tokens that are counts, money that is money."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tui_eval.core.calls import ApiError, Json
from tui_eval.core.plaintext import one_line
from tui_eval.providers.web_page import is_page, page_words

MAX_TOKENS = 10**9
MAX_DEPTH = 200
"""Deeper than any reply: what cannot be written into the log and read again is not taken for one."""
MAX_USD = 10**6
"""More than any one reply can have cost: what is above is no amount but a mistake."""
THOUGHTS = ("thinking", "reasoning")
"""Types of the parts of a content that are no part of the answer."""
THINKING_TAGS = (("<think>", "</think>"), ("<thinking>", "</thinking>"))
_AMOUNT = re.compile(r"[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,3})?")


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
    """Return whether a value is nested no deeper than MAX_DEPTH; checked level by level, since the value may be a trap."""
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


def dollars_in(text: str) -> float | None:
    """An amount of USD as a header has it, or None for anything that is not one."""
    plain = text.strip()
    return dollars(float(plain)) if _AMOUNT.fullmatch(plain) else None


def table(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def body_table(body: bytes | None) -> dict[str, Any]:
    """A body as a JSON object; an empty one where it is none, or where there is no body."""
    try:
        return table(parse_json(body)) if body is not None else {}
    except ValueError:
        return {}


def text_or_none(value: Any) -> str | None:
    """The value if it is text, else None."""
    return value if isinstance(value, str) else None


def visible_text(content: Any) -> str | None:
    """The text of a message: a string, or the text parts of a list joined; reasoning stands elsewhere and stays out."""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") not in THOUGHTS]
        texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
        return "".join(texts) if texts else None
    return text_or_none(content)


def reasoning_text(message: Mapping[str, Any]) -> str | None:
    """Return the model's thoughts in a message, or a delta of one, from the first place that has any; else None."""
    for name in ("reasoning", "reasoning_content"):
        if isinstance(message.get(name), str) and message[name]:
            return str(message[name])
    details, content = message.get("reasoning_details"), message.get("content")
    text = "".join(map(_thoughts, details)) if isinstance(details, list) else ""
    if not text and isinstance(content, list):
        text = "".join(_thoughts(part) for part in content if table(part).get("type") in THOUGHTS)
    return text or None


def _thoughts(part: Any) -> str:
    """The text of one detail of reasoning, or of a part of the content that is reasoning."""
    return "".join(visible_text(table(part).get(name)) or "" for name in ("text", "summary", "thinking"))


def split_thinking(text: str) -> tuple[str | None, str | None]:
    """A reply as (its text, the thoughts that a model wrote before it), each None where there is none.

    Thoughts stand between tags at the very start, or before a closing tag whose opening one was part of the prompt.
    Where they never end there is no text. Tags anywhere else are part of the text.
    """
    start = text.lstrip()
    for opening, closing in THINKING_TAGS:
        if start.startswith(opening):
            thoughts, closed, rest = start[len(opening) :].partition(closing)
            return rest.lstrip() if closed else None, thoughts.strip() or None
    opening, closing = THINKING_TAGS[0]
    thoughts, closed, rest = text.partition(closing)
    if closed and opening not in thoughts:
        return rest.lstrip(), thoughts.strip() or None
    return text, None


EVENTS = object()
"""Stands for a body that is a stream of events."""


def looks_like_events(body: bytes) -> bool:
    """Return whether a body begins as a stream of events does."""
    return body.lstrip().startswith((b"data:", b"event:", b":"))


def opened(status: int, headers: Mapping[str, str], body: bytes) -> Json:
    """A body as JSON, or EVENTS where it is a stream, whatever it was announced as; ValueError where it is neither."""
    announced = status == 200 and headers.get("content-type", "").lower().startswith("text/event-stream")
    if announced and body.lstrip()[:1] not in (b"{", b"["):
        return EVENTS
    try:
        return parse_json(body)
    except ValueError:
        if status < 300 and looks_like_events(body):
            return EVENTS
        raise


def not_json(status: int, body: bytes, error: ValueError) -> ApiError:
    """Return the fault of a reply that should have been JSON and is not; the same request may bring a whole one."""
    text = body[:20_000].decode("utf-8", "replace")
    if is_page(text):
        visible_words = one_line(page_words(text), 200) or "it shows no words"
        return ApiError("protocol", f"HTTP {status} with a page that is not JSON: {visible_words}", retry=True, cause="path")
    problem = "an empty body" if not body.strip() else f"a body that is not JSON ({one_line(str(error), 80)}): {excerpt(body)}"
    return ApiError("protocol", f"HTTP {status} with {problem}", retry=True)


def excerpt(body: bytes) -> str:
    """The beginning of a body that could not be read, safe to show."""
    return one_line(body[:800].decode("utf-8", "replace"))


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is not a number")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite).decode
