"""Batch interfaces as bytes and JSON: files, ids, states, lists and results, as servers write them and as none should."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.core.calls import ApiError
from tui_eval.providers import anthropic
from tui_eval.providers.batches import ANTHROPIC, OPENAI, Batches, in_path, read_recent
from tui_eval.providers.refusal import CODES_BY_TYPE

BOTH = pytest.mark.parametrize("batches", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])


def openai_batch(**changes: Any) -> dict[str, Any]:
    """A batch as OpenAI describes it."""
    counts = {"total": 3, "completed": 2, "failed": 1}
    described = {"id": "batch_1", "status": "completed", "request_counts": counts, "output_file_id": "file-1"}
    return {**described, "created_at": 1_782_900_000, "metadata": None, **changes}


def anthropic_batch(**changes: Any) -> dict[str, Any]:
    """A batch as Anthropic describes it."""
    counts = {"processing": 0, "succeeded": 2, "errored": 1, "canceled": 0, "expired": 0}
    described = {"id": "msgbatch_1", "processing_status": "ended", "request_counts": counts}
    return {**described, "created_at": "2026-07-01T10:00:00Z", **changes}


@few
@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=60))
def test_an_id_stands_in_one_segment_of_a_path_or_is_refused(identity: str) -> None:
    try:
        quoted = in_path(identity)
    except ValueError:
        assert not identity.strip(".") or not identity.isprintable()
        return
    assert unquote(quoted) == identity
    assert not set(quoted) & set("/?#& ")


@pytest.mark.parametrize("identity", ["", ".", "..", "a\nb", "x" * 501, None, 7, ["a"]])
def test_what_can_be_no_id_is_refused(identity: Any) -> None:
    with pytest.raises(ValueError):
        in_path(identity)
    with pytest.raises(ValueError):
        OPENAI.read(openai_batch(id=identity))
    with pytest.raises(ValueError):
        ANTHROPIC.read(anthropic_batch(id=identity))


def test_odd_ids_of_files_are_fetched_all_the_same() -> None:
    """Dropping them would lose replies that are paid for."""
    state = OPENAI.read(openai_batch(output_file_id="files/a:b", error_file_id="ü"))
    assert [request.path for request in state.results] == ["/files/files%2Fa%3Ab/content", "/files/%C3%BC/content"]
    with pytest.raises(ValueError):
        OPENAI.read(openai_batch(output_file_id=".."))


@pytest.mark.parametrize(
    ("metadata", "name"), [({"tui_eval": "run/a-001"}, "run/a-001"), ({"who": "other"}, ""), ({}, ""), (None, None)]
)
def test_metadata_without_our_name_is_somebody_elses(metadata: Any, name: str | None) -> None:
    assert OPENAI.read(openai_batch(metadata=metadata)).name == name


def test_the_moment_of_making_is_kept_as_the_server_says_it() -> None:
    assert OPENAI.read(openai_batch()).created == "1782900000"
    assert ANTHROPIC.read(anthropic_batch()).created == "2026-07-01T10:00:00Z"
    assert OPENAI.read(openai_batch(created_at=None)).created is None


@pytest.mark.parametrize(
    ("problem", "later"),
    [
        ({"code": "token_limit_exceeded", "message": "Enqueued token limit reached."}, True),
        ({"code": "x", "message": "Please try again later."}, True),
        ({"code": "invalid_json_line", "message": "This line is not parseable as valid JSON."}, False),
        ({}, False),
    ],
)
def test_what_passes_by_itself_is_told_from_what_does_not(problem: dict[str, str], later: bool) -> None:
    state = OPENAI.read(openai_batch(status="failed", errors={"data": [problem]}))
    assert state.refused
    assert state.later is later


@few
@given(any_text)
def test_a_name_is_json_in_the_metadata_and_nowhere_else(name: str) -> None:
    """Names of folders may hold any character; headers of a form may not."""
    upload = OPENAI.upload("/chat/completions")
    assert upload.before.isascii()
    assert OPENAI.create is not None
    made = OPENAI.create("file-1", "/chat/completions", name)
    assert made.body.isascii()
    assert json.loads(made.body)["metadata"] == {"tui_eval": name}


@BOTH
def test_a_list_is_read_page_by_page(batches: Batches) -> None:
    row = openai_batch() if batches is OPENAI else anthropic_batch()
    states, more = read_recent(json.dumps({"data": [row], "has_more": True}).encode(), batches.read)
    assert more and len(states) == 1
    assert read_recent(b'{"data": [], "has_more": true}', batches.read) == ([], False)
    first, second = batches.recent("").path, batches.recent("a/b").path
    assert second.startswith(first) and second.endswith("=a%2Fb")
    with pytest.raises(ValueError):
        read_recent(b'{"error": "no"}', batches.read)


@pytest.mark.parametrize(
    "row",
    [
        {"custom_id": "a-1"},
        {"custom_id": "a-1", "response": {"status_code": 200, "body": None}, "error": None},
        {"custom_id": "a-1", "response": None, "error": None},
        {"custom_id": "", "error": {"code": "batch_expired"}},
    ],
)
def test_a_line_that_says_nothing_is_not_taken_for_unanswered(row: Any) -> None:
    """It may have been answered, and billed."""
    with pytest.raises(ValueError):
        OPENAI.read_line(json.dumps(row).encode())


def test_lines_that_say_what_became_of_a_call() -> None:
    expired = {"custom_id": "a-1", "response": None, "error": {"code": "batch_expired", "message": "too late"}}
    assert OPENAI.read_line(json.dumps(expired).encode()).unanswered == "batch_expired: too late"
    answered = {"custom_id": "a-1", "response": {"status_code": 429, "body": {"error": {}}}, "error": None}
    assert OPENAI.read_line(json.dumps(answered).encode()).status == 429
    for said in ("expired", "canceled"):
        row = {"custom_id": "a-1", "result": {"type": said}}
        assert ANTHROPIC.read_line(json.dumps(row).encode()).unanswered.startswith(said)
    with pytest.raises(ValueError):
        ANTHROPIC.read_line(b'{"custom_id": "a-1", "result": {"type": "something new"}}')


_NAMES = [
    *("id", "status", "processing_status", "request_counts", "errors", "data", "metadata", "output_file_id", "created_at"),
    *("custom_id", "response", "status_code", "body", "error", "result", "type", "message", "code", "tui_eval", "has_more"),
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=6),
    max_leaves=20,
)


@BOTH
@few
@given(value=json_values)
def test_nothing_but_value_error_comes_of_what_a_stranger_sends(batches: Batches, value: Any) -> None:
    for reading in (lambda: batches.read(value), lambda: batches.read_line(json.dumps(value).encode())):
        try:
            reading()
        except ValueError:
            continue


@pytest.mark.parametrize("kind", sorted(CODES_BY_TYPE))
def test_an_error_in_a_line_means_what_it_means_in_an_answer(kind: str) -> None:
    """A type of Anthropic's errors stands for one status, and is one fault, in a line of a batch and inside HTTP 200."""
    error = {"type": "error", "error": {"type": kind, "message": "no"}}
    line = json.dumps({"custom_id": "a", "result": {"type": "errored", "error": error}}).encode()
    reply = ANTHROPIC.read_line(line)
    one, other = (anthropic.decode(status, {}, json.dumps(error).encode()) for status in (reply.status, 200))

    assert isinstance(one, ApiError) and isinstance(other, ApiError) and reply.status == CODES_BY_TYPE[kind]
    assert (one.kind, one.scope, one.retry, one.cause) == (other.kind, other.scope, other.retry, other.cause)
