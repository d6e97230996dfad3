"""Laws of a record as text: every part of any record that a log can hold is shown, safe, and nothing unknown as a number."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import BIG_FIELDS, any_text, attempt, few

from tui_eval.results.read_places import read_place
from tui_eval.results.stored_samples import Mark
from tui_eval.runs.record import line_of, record_of
from tui_eval.tui.screens.log.record_text import details, headline, json_of, record_sections
from tui_eval.tui.widgets.inspector import LONGEST_FIELD

HOSTILE = "\x1b]52;c;x\x07\x1b[2J\x9b31m\u202e[/b][@click=app.quit]x[/]\ud800\ttab\r\n\x00"
JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), any_text),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(any_text, inner, max_size=3)),
    max_leaves=8,
)


def _record(**changes: Any) -> dict[str, Any]:
    return {**record_of(line_of(attempt(), '{"model": "m"}').encode()), **changes}


def _text(record: dict[str, Any], whole: bool = False) -> str:
    return "\n".join(f"{each.label} {each.text}" for each in (*record_sections(record, whole), *details(record, whole)))


def _is_safe(text: str) -> bool:
    return not any(
        (ord(x) < 0x20 and x != "\n") or 0x7F <= ord(x) < 0xA0 or 0xD800 <= ord(x) < 0xE000 or x == "\u202e" for x in text
    )


def _all(record: dict[str, Any], whole: bool = False) -> str:
    words = "".join(cell if isinstance(cell, str) else cell[0] for cell in headline(record, "1 of 2"))
    assert "\n" not in words
    return f"{words}\n{_text(record, whole)}"


@few
@given(st.fixed_dictionaries(dict.fromkeys(BIG_FIELDS, JSON_VALUES)), st.booleans())
def test_any_big_field_is_shown(fields: dict[str, Any], whole: bool) -> None:
    """Whatever stands in the fields that a stranger fills as he likes, every part is text that steers nothing."""
    assert _is_safe(_all(_record(**fields), whole))


@few
@given(JSON_VALUES, JSON_VALUES, JSON_VALUES)
def test_any_message_is_shown(messages: Any, content: Any, piece: Any) -> None:
    """Whatever a request's messages are, the prompt is text."""
    asked = [{"role": "user", "content": content}, {"role": piece, "content": [piece, {"text": piece}]}, piece]
    for request in ({"messages": messages}, {"messages": asked, "system": piece, "input": content}, [asked], "text"):
        assert _is_safe(_text(_record(request=request)))


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


def test_what_is_unknown_is_no_number() -> None:
    """No usage, no time, no status: a dash each, or nothing, never 0."""
    usage = dict.fromkeys(attempt().usage.__dataclass_fields__)
    nothing = _record(usage=usage, latency_ms=None, queue_ms=None, started_at=None, charged_usd=None, http_status=None)
    for whole in (False, True):
        lines = [
            line for line in _text(nothing, whole).split("\n") if "tokens" in line or "latency, s" in line or "HTTP" in line
        ]
        assert not any(re.match(r"(USAGE)?\s*0", line) for line in lines), lines
    assert re.search(r"-  tokens of the prompt", _text(nothing, whole=True))


def test_nothing_was_sent_or_came_back() -> None:
    """An attempt that was not sent says so, as does one without a text, or with a body that is no text."""
    assert "never sent" in _text(_record(response_text=None, started_at=None))
    assert "no text came back" in _text(_record(response_text=None))
    assert "no text" in _text(_record(response_text=None, response_body_b64="AAAA"))
    assert "nothing was sent" in _text(_record(request=None))
    assert "token limit" in _text(_record(finish_reason="length"))


def test_long_texts_are_cut_until_all_is_asked_for() -> None:
    """The first characters and how many more there are; with `whole`, every one of them; an error message likewise."""
    for field in ("response_text", "error_message"):
        record = _record(status="error", error_kind="permanent", **{field: "q" * (LONGEST_FIELD + 5)})
        cut = "\n".join(each.text for each in record_sections(record, False))
        assert LONGEST_FIELD <= cut.count("q") <= LONGEST_FIELD + 20 and "5 characters more" in cut
        whole = "\n".join(each.text for each in record_sections(record, True))
        assert "q" * (LONGEST_FIELD + 5) in whole


def test_what_was_read_of_a_reply_is_marked() -> None:
    """The letter where it stands alone; the last one of several, the first one where the pattern says so; none of none."""
    reply = "A is wrong, so is B; the answer is B"
    for read, pattern, at in (("B", "answer_is", 35), ("A", "first_char", 0), ("B", "first_line", 18), ("C", "x", None)):
        mark = Mark(stage="s", model="m", call_index=0, name="correct", value=1, read=read, pattern=pattern)
        (shown,) = [each for each in record_sections(_record(response_text=reply), False, (), mark) if each.label == "REPLY"]
        assert shown.marks == (() if at is None else ((at, at + 1),))


def test_nothing_is_marked_where_the_place_is_left_out() -> None:
    """Of a long reply whose end was read, an earlier word of the same letters is not taken for it."""
    reply = "B is one option. " + "x" * LONGEST_FIELD + " Answer: B"
    mark = Mark(stage="s", model="m", call_index=0, name="correct", value=1, read="B", pattern="answer_colon")
    for whole, marks in ((False, ()), (True, ((len(reply) - 1, len(reply)),))):
        shown = next(each for each in record_sections(_record(response_text=reply), whole, (), mark) if each.label == "REPLY")
        assert shown.marks == marks


@few
@given(st.integers(-10_000_000, 10_000_000), any_text, any_text)
def test_a_number_is_found_however_it_is_written(number: int, before: str, after: str) -> None:
    """With commas between thousands or without: the place that is marked holds it and nothing else."""
    for written in (f"{number}", f"{number:,}"):
        text = f"{before} ({written}) {after}"
        place = read_place(text, str(number), "")
        assert place is not None and float(text[slice(*place)].replace(",", "")) == number
