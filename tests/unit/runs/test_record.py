"""Laws of a log line: one line, strict JSON, the small fields in front, and nothing of a reply lost."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, attempt, call, few, reply, strict_json

from tui_eval.core.calls import Reply, Usage
from tui_eval.core.records import Attempt
from tui_eval.runs.record import (
    RECORD_NAMES,
    REQUIRED,
    attempt_of,
    head_of,
    line_of,
    record_of,
    reply_of,
    usage_of,
)

HEADERS = ["request_headers", "response_headers"]
BIG = ["request", *HEADERS, "response_text", "reasoning_text", "response_json", "response_body_b64"]
HOSTILE = ', "request": {"a": "b"}\n\r\u2028\u2029\x85\x00\x1b\ud83d\udfff"\\'

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)


def test_a_line_holds_every_field_once_and_the_big_ones_last() -> None:
    """All fields of an attempt are there, small ones first, so that the head of a line tells what it is."""
    names = list(strict_json(line_of(attempt(), '{"model": "m"}')))

    assert sorted(names) == sorted(field.name for field in fields(Attempt))
    assert names[-len(BIG) :] == BIG


def test_the_specifications_names_are_kept() -> None:
    """The record has the fields of the specification under their names, with usage as a table."""
    record = strict_json(line_of(attempt(), '{"messages": []}'))

    assert set(record) >= {
        *("run_id", "stage", "doc_id", "q_index", "model_id", "call_index", "attempt", "started_at", "ended_at", "latency_ms"),
        *("status", "http_status", "error_message", "request", "response_text", "response_json", "usage"),
    }
    assert set(record["usage"]) >= {"prompt_tokens", "completion_tokens", "total_tokens", "cost_usd"}


@few
@given(any_text, any_text, json_values, any_text, st.dictionaries(any_text, any_text, max_size=3))
def test_an_attempt_comes_back_from_its_line(error: str, text: str, body: Any, about: str, headers: dict[str, str]) -> None:
    """Whatever was said, one ASCII line of strict JSON holds it: lone surrogates, NUL and U+2028 included."""
    told = {"request_headers": headers, "response_headers": headers}
    written = attempt(error_message=error, response_text=text, response_json=body, about=about, item_id=about, **told)

    line = line_of(written, json.dumps({"messages": [text]}))

    assert line.isascii() and line.endswith("\n") and line.count("\n") == 1 and "\r" not in line
    assert strict_json(line) == {**asdict(written), "request": {"messages": [text]}}


@few
@given(any_text, st.sampled_from([None, '{"request": 1, "x": ", \\"request\\": "}', "{}"]))
def test_the_head_is_read_without_the_rest(text: str, request_text: str | None) -> None:
    """The head of a line is its small fields, whatever the texts in it look like and however the line goes on."""
    line = line_of(attempt(error_message=text + HOSTILE, about=HOSTILE, response_text=HOSTILE), request_text)
    small = {name: value for name, value in strict_json(line).items() if name not in BIG}

    whole = head_of(line.encode())
    cut = head_of(line[: line.index(', "request": ') + len(', "request": ')].encode() + b"\xff garbage")

    assert whole == cut == small


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"null", b"3", b"[]", b"\x00" * 40, b'{"status": "ok"}', b', "request": ', b'"request": 1']
)
def test_a_line_that_is_no_record_is_refused(line: bytes) -> None:
    """What has no head of an attempt is a ValueError, which its reader expects."""
    with pytest.raises(ValueError):
        head_of(line)


def test_a_line_without_an_attempts_fields_is_no_record() -> None:
    """An object with a request but without key and status would be a surprise to everyone who reads heads."""
    with pytest.raises(ValueError):
        head_of(b'{"x": 1, "request": null}')


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("charged_usd", float("nan")),
        ("charged_usd", float("inf")),
        ("charged_usd", -5.0),
        ("charged_usd", "1"),
        ("status", {}),
        ("stage", ["doer"]),
        ("error_kind", ["transient"]),
        ("latency_ms", "12"),
        ("usage", {"prompt_tokens": "12", "cost_usd": None}),
        ("usage", None),
        ("attempt", "0"),
        ("call_key", 7),
        ("attempt_id", "../x"),
    ],
)
def test_a_head_that_cannot_be_counted_is_no_record(field: str, value: Any) -> None:
    """A log may come from a stranger: what would make the sums fall over, or money come back, is no attempt."""
    record = {**strict_json(line_of(attempt(), None)), field: value}

    with pytest.raises(ValueError):
        head_of(json.dumps(record).encode())


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_json_does_not_have_is_not_written(value: float) -> None:
    """NaN never gets into the log: it is an error at once, not an unreadable file later."""
    with pytest.raises(ValueError):
        line_of(attempt(usage=Usage(cost_usd=value)), None)


@few
@given(
    st.sampled_from(["ok", "error", "timeout", "skipped_budget"]),
    st.none() | any_text,
    st.integers(0, 5),
    st.booleans(),
    st.builds(
        Usage, prompt_tokens=st.none() | st.integers(0, 9), cost_usd=st.none() | st.floats(0, 9), cached_tokens=st.none()
    ),
)
def test_the_reply_told_from_the_log_is_the_reply_that_was_told(
    status: Any, text: str | None, number: int, final: bool, usage: Usage
) -> None:
    """A flow driven from the log hears what it heard live: text only when ok, the reason, the usage, the attempts."""
    told = Reply(
        call(),
        status,
        text=text if status == "ok" else None,
        error_kind="transient" if status == "error" else None,
        error_message=text,
        finish_reason="stop",
        usage=usage,
        latency_ms=12,
        attempts=number + 1,
        final=final,
        ended_at=attempt().ended_at,
        http_status=200,
    )
    written = attempt(
        status=told.status,
        response_text=text,
        error_kind=told.error_kind,
        error_message=told.error_message,
        usage=usage,
        latency_ms=12,
        attempt=number,
        final=final,
    )

    record = strict_json(line_of(written, None))

    assert reply_of(record, call()) == told
    assert usage_of(record) == usage


def test_usage_of_an_older_log_is_unknown_where_it_is_missing() -> None:
    """A record without a figure that came later reads as None there."""
    assert usage_of({"usage": {"prompt_tokens": 3}}) == Usage(prompt_tokens=3)
    assert reply_of(strict_json(line_of(attempt(), None)), call()) == replace(
        reply(),
        usage=Usage(prompt_tokens=3, completion_tokens=1, total_tokens=4),
        finish_reason="stop",
        latency_ms=1000,
        attempts=1,
        ended_at=attempt().ended_at,
        http_status=200,
    )


LATER = [field.name for field in fields(Attempt) if field.name not in REQUIRED]


def test_only_id_key_and_status_make_a_record() -> None:
    """Every other field has a default, so that a field which a version adds makes no older log unreadable."""
    assert {"attempt_id", "call_key", "status"} == REQUIRED


@pytest.mark.parametrize("names", [[name] for name in LATER] + [HEADERS, LATER], ids=[*LATER, "headers", "all but three"])
def test_a_record_of_another_version_is_read(names: list[str]) -> None:
    """What it lacks has its default, the rest is as it was; a reader of heads and one of whole records agree."""
    whole = strict_json(line_of(attempt(), '{"model": "m"}'))
    text = json.dumps({name: value for name, value in whole.items() if name not in names}).encode()
    bare = asdict(Attempt("life-000001", "0123456789abcdef", "ok"))

    assert record_of(text) == {**whole, **{name: bare[name] for name in names}}
    assert head_of(text) == {name: value for name, value in record_of(text).items() if name not in BIG}


@pytest.mark.parametrize(("status", "settled"), [("ok", True), ("timeout", True), ("error", False), ("skipped_budget", False)])
def test_what_never_came_is_not_taken_for_settled(status: str, settled: bool) -> None:
    """A record that does not say whether it is final settles its call only where something came of it: a call that was over
    budget, or failed, is asked by a resume and never dropped."""
    whole = {**strict_json(line_of(attempt(), None)), "status": status}
    del whole["final"]
    text = json.dumps(whole).encode()

    assert head_of(text)["final"] is record_of(text)["final"] is settled


@pytest.mark.parametrize("name", sorted(REQUIRED))
def test_without_id_key_or_status_it_is_no_record(name: str) -> None:
    """What cannot be told from others, or does not say how it ended, is damage."""
    whole = strict_json(line_of(attempt(), None))
    del whole[name]

    for read in (head_of, record_of):
        with pytest.raises(ValueError):
            read(json.dumps(whole).encode())


@few
@given(st.dictionaries(any_text.filter(lambda name: name not in RECORD_NAMES), json_values, min_size=1, max_size=4))
def test_fields_of_a_later_version_stay(more: dict[str, Any]) -> None:
    """A field that is unknown here is left where it is, in front or at the end, and goes along where a record is copied."""
    whole = strict_json(line_of(attempt(), '{"model": "m"}'))

    for text in (json.dumps({**more, **whole}).encode(), json.dumps({**whole, **more}).encode()):
        found = record_of(text)
        copy = strict_json(line_of(replace(attempt_of(found), cached=True), json.dumps(found["request"]), found))

        assert found == {**whole, **more}
        assert copy == {**whole, **more, "cached": True}
        assert head_of(text)["call_key"] == whole["call_key"]
