"""Laws of a record as text: every part of any record that a log can hold is shown, safe, and nothing unknown as a number."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, attempt, few

from tui_eval.runs.record import line_of, record_of
from tui_eval.tui.sanitize import LONGEST_TEXT
from tui_eval.tui.screens.log import record_text
from tui_eval.tui.screens.log.record_text import ATTEMPTS, JSON, headline, json_of, part_text, parts_of

HOSTILE = "\x1b]52;c;x\x07\x1b[2J\x9b31m\u202e[/b][@click=app.quit]x[/]\ud800\ttab\r\n\x00"
JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), any_text),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(any_text, inner, max_size=3)),
    max_leaves=8,
)
BIG = (
    "request",
    "request_headers",
    "response_headers",
    "response_text",
    "reasoning_text",
    "response_json",
    "response_body_b64",
)


def _record(**changes: Any) -> dict[str, Any]:
    return {**record_of(line_of(attempt(), '{"model": "m"}').encode()), **changes}


def _text(record: dict[str, Any], part: str, whole: bool = False) -> str:
    return "\n".join(text for text, _ in part_text(record, part, whole))


def _is_safe(text: str) -> bool:
    return not any(
        (ord(x) < 0x20 and x != "\n") or 0x7F <= ord(x) < 0xA0 or 0xD800 <= ord(x) < 0xE000 or x == "\u202e" for x in text
    )


def _all(record: dict[str, Any], whole: bool = False) -> str:
    words = "".join(cell if isinstance(cell, str) else cell[0] for cell in headline(record))
    assert "\n" not in words
    return "\n".join([words, *(_text(record, part, whole) for part in parts_of(record))])


@few
@given(st.fixed_dictionaries(dict.fromkeys(BIG, JSON_VALUES)), st.booleans())
def test_any_big_field_is_shown(fields: dict[str, Any], whole: bool) -> None:
    """Whatever stands in the fields that a stranger fills as he likes, every part is text that steers nothing."""
    assert _is_safe(_all(_record(**fields), whole))


@few
@given(JSON_VALUES, JSON_VALUES, JSON_VALUES)
def test_any_message_is_shown(messages: Any, content: Any, piece: Any) -> None:
    """Whatever a request's messages are, the prompt is text."""
    asked = [{"role": "user", "content": content}, {"role": piece, "content": [piece, {"text": piece}]}, piece]
    for request in ({"messages": messages}, {"messages": asked, "system": piece, "input": content}, [asked], "text"):
        assert _is_safe(_text(_record(request=request), "Prompt") + _text(_record(request=request), "Parameters"))


@pytest.mark.parametrize(
    "changes",
    [
        dict.fromkeys(
            ("stage", "item_id", "model", "model_id", "about", "error_kind", "error_message", "served_model"), HOSTILE
        ),
        {"started_at": HOSTILE, "ended_at": HOSTILE, "finish_reason": HOSTILE, "batch_id": HOSTILE},
        {"http_status": HOSTILE, "cost_source": HOSTILE, "queue_ms": HOSTILE, "q_index": [HOSTILE], "call_index": None},
        {"http_status": {HOSTILE: 1}, "cost_source": [HOSTILE], "queue_ms": 10**400, "latency_ms": 1e15, "call_index": 1e15},
        {"queue_ms": float("inf"), "latency_ms": True, "attempt": 10**15, "call_index": True},
        {"usage": dict.fromkeys(attempt().usage.__dataclass_fields__, 1000000000000000.0)},
    ],
    ids=["texts", "times", "odd", "types", "numbers", "usage"],
)
def test_hostile_small_fields(changes: dict[str, Any]) -> None:
    """Escapes and wrong types in the small fields: shown, safe, and no error."""
    record = record_of(json.dumps(_record(**changes)).encode())
    assert _is_safe(_all(record))


@pytest.mark.parametrize("depth", [200, 600, 900])
def test_deep_json(depth: int) -> None:
    """A body nested as deeply as can be read is shown, or said to be too deep; it is no error."""
    try:
        record = record_of(json.dumps(_record()).encode().replace(b'{"choices": []}', b"[" * depth + b"]" * depth))
    except ValueError:
        pytest.skip("the record itself cannot be read")
    assert _is_safe(_all(record))
    assert json_of(record)


def test_json_hides_nothing() -> None:
    """The JSON is the record, all of it, in ASCII."""
    record = _record(response_text=HOSTILE, reasoning_text="שלום")
    assert json.loads(json_of(record)) == record
    assert json_of(record).isascii()


def test_what_is_unknown_is_a_dash() -> None:
    """No usage, no time, no status: a dash each, never 0."""
    usage = dict.fromkeys(attempt().usage.__dataclass_fields__)
    nothing = _record(usage=usage, latency_ms=None, queue_ms=None, started_at=None, charged_usd=None, http_status=None)
    lines = dict(line.split("  ", 1) for line in _text(nothing, "Usage").split("\n") if "  " in line.strip())
    for name in ("tokens of the prompt", "tokens of the completion", "latency, s", "charged to the budget", "HTTP status"):
        assert lines[name].strip() == "-", name


def test_nothing_was_sent_or_came_back() -> None:
    """An attempt that was not sent says so, as does one without a text, or with a body that is no text."""
    assert "never sent" in _text(_record(response_text=None, started_at=None), "Reply")
    assert "no text came back" in _text(_record(response_text=None), "Reply")
    assert "no text" in _text(_record(response_text=None, response_body_b64="AAAA"), "Reply")
    assert "nothing was sent" in _text(_record(request=None), "Prompt")
    assert "token limit" in _text(_record(finish_reason="length"), "Reply")


def test_long_texts_are_cut_until_all_is_asked_for() -> None:
    """The first characters and how many there are; with `whole`, every one of them."""
    record = _record(response_text="x" * (LONGEST_TEXT + 5))
    cut = _text(record, "Reply")
    assert cut.count("x") <= LONGEST_TEXT + 10 and f"{LONGEST_TEXT + 5:,}" in cut
    assert _text(record, "Reply", whole=True) == "x" * (LONGEST_TEXT + 5)


def test_a_long_error_is_cut_as_well() -> None:
    """An error message of 5 MB does not come whole unless it is asked for."""
    record = _record(response_text=None, status="error", error_kind="permanent", error_message="e" * 5_000_000)
    assert len(_text(record, "Reply")) < LONGEST_TEXT + 1000


def test_parts_that_are_not_there_are_not_offered() -> None:
    """Thoughts and headers only where there are some; the rest always; every part has something to read."""
    assert "Thoughts" not in parts_of(_record()) and "Headers" not in parts_of(_record())
    both = _record(reasoning_text="hm", response_headers={"a": "b"})
    assert {"Thoughts", "Headers", JSON, ATTEMPTS} <= set(parts_of(both))
    for part in parts_of(both):
        assert part == ATTEMPTS or _text(both, part).strip(), part
    assert parts_of(both)[0] == record_text.REPLY
