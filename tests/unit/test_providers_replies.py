"""Laws of replies: only visible text is an answer, only plausible figures are figures, and half a stream is no reply."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import attempt, call, few, spoken

from tui_eval.engine.calling import Ended
from tui_eval.engine.verdict import verdict_of
from tui_eval.providers import WIRES
from tui_eval.store.record import line_of
from tui_eval.types import Fault, Said, Usage

SSE = {"content-type": "text/event-stream; charset=utf-8"}


def said(body: bytes, headers: dict[str, str] | None = None) -> Said:
    """What a reply says."""
    found = WIRES["openai"].decode(200, headers or {"content-type": "application/json"}, body)
    assert isinstance(found, Said), found
    return found


def broken(body: bytes) -> Fault:
    """The fault that a stream is."""
    found = WIRES["openai"].decode(200, SSE, body)
    assert isinstance(found, Fault), found
    return found


def usage(**fields: Any) -> Usage:
    """The usage of a reply that reports these fields."""
    return said(spoken(usage=fields)).usage


# ------------------------------------------------------------------------------------------------- text and endings


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "a"}, "a"),
        ({"content": ""}, ""),
        ({"content": None}, None),
        ({}, None),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": [{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "a"}]}, "a"),
        ({"content": [{"type": "image_url"}]}, None),
        ({"content": []}, None),
        ({"content": {"text": "a"}}, None),
        ({"content": 3}, None),
        ({"content": "a", "reasoning": "b", "reasoning_content": "c", "reasoning_details": [{"text": "d"}]}, "a"),
        ({"content": "", "reasoning_content": "c"}, ""),
    ],
)
def test_the_visible_text_is_the_answer(message: dict[str, Any], text: str | None) -> None:
    """Text, or the text parts of a list; reasoning in any of its fields is not part of it."""
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}

    assert said(json.dumps(body).encode()).text == text


def test_a_lone_surrogate_is_kept() -> None:
    """Text that is no valid Unicode is neither lost nor a crash: it is logged as it came."""
    found = said(spoken("a\ud83d"))

    assert found.text == "a\ud83d"
    assert json.loads(line_of(attempt(response_text=found.text), None))["response_text"] == "a\ud83d"


@pytest.mark.parametrize("choices", [[], None, {}, "x", "missing"])
def test_without_choices_there_is_nothing_to_read(choices: Any) -> None:
    """An empty list of choices, or none, is an empty reply to try again; what it cost is kept."""
    body: dict[str, Any] = {"choices": choices, "usage": {"prompt_tokens": 5}}
    if choices == "missing":
        del body["choices"]

    found = WIRES["openai"].decode(200, {}, json.dumps(body).encode())

    assert isinstance(found, Fault)
    assert (found.kind, found.retry, found.usage.prompt_tokens) == ("empty", True, 5)


@pytest.mark.parametrize(
    ("body", "kind", "retry"),
    [
        (spoken("two"), None, False),
        (spoken("two", "length"), None, False),
        (spoken("two", None), None, False),
        (spoken("two", "something new"), None, False),
        (spoken("", "stop"), "empty", True),
        (spoken(" \n", "stop"), "empty", True),
        (spoken(None, None), "empty", True),
        (spoken("", "length"), "truncated", False),
        (spoken(None, "length"), "truncated", False),
        (spoken(None, "content_filter"), "refused", False),
        (spoken("half a sen", "content_filter"), "refused", False),
        (spoken(None).replace(b'"content": null', b'"content": null, "refusal": "I will not"'), "refused", False),
    ],
)
def test_an_ending_is_told_apart(body: bytes, kind: str | None, retry: bool) -> None:
    """Text cut by the limit is text; no text is empty, truncated or refused, and only the empty one is asked again."""
    verdict = verdict_of(call(), Ended(WIRES["openai"].decode(200, {}, body), began=0.0))

    assert (verdict.kind if isinstance(verdict, Fault) else None) == kind
    assert (verdict.retry if isinstance(verdict, Fault) else False) is retry


def test_the_model_that_answered_is_told() -> None:
    """A router may answer with another model than was asked: its name is kept."""
    assert said(spoken()).served_model == "gpt-5-mini-2026"


# ------------------------------------------------------------------------------------------------- figures


@pytest.mark.parametrize("value", [-1, "12", 1.5, True, None, [], {}, 10**12, "nan", -0.5])
def test_an_impossible_count_is_unknown(value: Any) -> None:
    """Negative, fractional, quoted, huge or absent: not a count, and so None, never zero."""
    found = usage(
        prompt_tokens=value,
        completion_tokens=value,
        total_tokens=value,
        prompt_tokens_details={"cached_tokens": value, "cache_write_tokens": value},
        completion_tokens_details={"reasoning_tokens": value},
    )

    assert found == Usage()


@pytest.mark.parametrize("value", [-0.1, "0.1", True, None, [], {}, {"total_cost": "1"}])
def test_an_impossible_cost_is_unknown(value: Any) -> None:
    """A cost that is no amount of money is None."""
    assert usage(cost=value).cost_usd is None


@pytest.mark.parametrize(
    "value", [None, [], "x", 3, {"prompt_tokens_details": 3, "completion_tokens_details": "x", "cost_details": []}]
)
def test_usage_of_any_other_shape_is_unknown(value: Any) -> None:
    """Usage that is missing, or no object, says nothing."""
    assert said(spoken(usage=value)).usage == Usage()


def test_zero_is_a_figure() -> None:
    """What the server says is zero is zero: a free reply costs nothing, and that is known."""
    found = usage(prompt_tokens=0, completion_tokens=0, cost=0)

    assert (found.prompt_tokens, found.completion_tokens, found.cost_usd) == (0, 0, 0.0)


def test_a_whole_number_written_as_a_float_is_a_count() -> None:
    """12.0 tokens are twelve."""
    assert usage(prompt_tokens=12.0).prompt_tokens == 12


@pytest.mark.parametrize(
    ("own_key", "upstream", "total"), [(True, 0.5, 0.75), (False, None, 0.25), (None, None, 0.25), ("x", None, 0.25)]
)
def test_the_upstream_cost_counts_on_ones_own_key_only(own_key: Any, upstream: float | None, total: float) -> None:
    """With a key of one's own at the provider both charges are paid; otherwise the upstream cost is part of the price."""
    found = usage(cost=0.25, cost_details={"upstream_inference_cost": 0.5}, is_byok=own_key)

    assert (found.upstream_cost_usd, found.total_usd) == (upstream, total)


# ------------------------------------------------------------------------------------------------- streams


def chunk(content: Any = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One chunk of a streamed completion."""
    delta = {} if content is None else {"content": content}
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **fields}


def stream(*events: Any, end: str = "\n\n", done: bool = True) -> bytes:
    """Events as they go over the wire; text stands for itself, anything else is sent as data."""
    lines = [event if isinstance(event, str) else "data: " + json.dumps(event) for event in events]
    return end.join([*lines, *(["data: [DONE]"] if done else []), ""]).encode("utf-8", "surrogatepass")


COUNTED = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}


def test_a_stream_adds_up_to_its_completion() -> None:
    """Deltas are joined, the finish reason and the usage are taken from wherever they stand."""
    found = said(stream(chunk(""), chunk("tw"), chunk("o"), chunk(None, "stop"), COUNTED), SSE)

    assert (found.text, found.finish_reason, found.served_model) == ("two", "stop", "m")
    assert found.usage == Usage(prompt_tokens=3, completion_tokens=2)


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\r\r"])
def test_events_end_as_the_standard_lets_them_end(end: str) -> None:
    """The three line ends are one."""
    assert said(stream(chunk("two"), chunk(None, "stop"), end=end), SSE).text == "two"


@pytest.mark.parametrize("content_type", ["text/event-stream", "text/event-stream;charset=utf-8", "Text/Event-Stream"])
def test_a_stream_is_known_by_its_media_type(content_type: str) -> None:
    """With or without a charset, and in capitals, too: media types have no case."""
    assert said(stream(chunk("two", "stop")), {"content-type": content_type}).text == "two"


def test_comments_and_other_fields_are_left_out() -> None:
    """Keep-alive comments, event names, ids and empty lines carry no text."""
    noise = [": OPENROUTER PROCESSING", "event: ping\nid: 7\nretry: 3", ":", "", 'event: x\ndata: {"choices": []}']

    found = said(stream(*noise, chunk("tw"), *noise, chunk("o", "stop")), SSE)

    assert found.text == "two"


def test_an_event_over_several_lines_is_one_event() -> None:
    """The data lines of an event belong together."""
    split = json.dumps(chunk("two", "stop"), indent=1).replace("\n", "\ndata: ")

    assert said(stream("data: " + split), SSE).text == "two"


def test_rare_separators_do_not_end_a_line() -> None:
    """U+2028, U+0085 and their like inside a delta are text."""
    words = "a\u2028b\u2029c\x85d\x0ce"
    raw = json.dumps(chunk(words, "stop"), ensure_ascii=False)

    assert said(stream("data: " + raw), SSE).text == words


@pytest.mark.parametrize(
    ("last", "done"), [(chunk(None, "stop"), False), (chunk("!"), True)], ids=["no DONE", "no finish reason"]
)
def test_one_sign_of_the_end_is_enough(last: dict[str, Any], done: bool) -> None:
    """Some servers leave out [DONE], some the finish reason: with either, the stream is whole."""
    assert str(said(stream(chunk("two"), last, done=done), SSE).text).startswith("two")


@pytest.mark.parametrize(
    "body",
    [
        stream(chunk("tw"), done=False),
        stream(done=False),
        stream(": OPENROUTER PROCESSING", ": OPENROUTER PROCESSING", done=False),
        b"",
        stream(chunk("tw"), "data: {bad", done=False),
        stream(chunk("tw"), "data: 3"),
        stream(chunk("tw"), "data: [1]"),
        stream(chunk("tw"), 'data: {"choices": NaN}'),
        b"data: \xff\n\n",
        b"<html>bad gateway</html>",
    ],
)
def test_half_a_stream_is_no_reply(body: bytes) -> None:
    """Broken off, empty, kept alive only or full of garbage: a fault to try again, and no half answer."""
    found = broken(body)

    assert (found.kind, found.retry) == ("protocol", True)


@pytest.mark.parametrize(
    ("event", "kind", "retry"),
    [
        ({"error": {"code": 429, "message": "slow down"}}, "rate_limit", True),
        ({"error": {"code": "server_error", "message": "slow down"}, **chunk("", "error")}, "transient", True),
        ({"error": "slow down"}, "transient", True),
        ({"choices": [{"error": {"code": 401, "message": "slow down"}, "finish_reason": "error"}]}, "permanent", False),
    ],
)
def test_an_error_midway_ends_the_stream(event: dict[str, Any], kind: str, retry: bool) -> None:
    """An error event is the outcome, in its own words, however much text came before it."""
    found = broken(stream(chunk("tw"), event))

    assert (found.kind, found.retry) == (kind, retry)
    assert "slow down" in found.message


def test_what_a_broken_stream_cost_is_kept() -> None:
    """Usage that came before an error is what was billed."""
    found = broken(stream(chunk("tw"), COUNTED, {"error": {"code": 502, "message": "gone"}}))

    assert found.usage == Usage(prompt_tokens=3, completion_tokens=2)


def test_a_character_split_over_two_deltas_is_whole_again() -> None:
    """Halves of a surrogate pair in two deltas are one character; a half that is left over is U+FFFD, and no crash."""
    found = said(stream(chunk("a\ud83d"), chunk("\ude00b"), chunk("\ud83d", "stop")), SSE)

    assert found.text == "a\U0001f600b\ufffd"


def test_a_refusal_is_streamed_like_a_text() -> None:
    """Deltas of a refusal add up to it."""
    parts = [{"choices": [{"delta": {"refusal": part}}]} for part in ("I ", "will not")]

    found = said(stream(*parts, chunk(None, "stop")), SSE)

    assert (found.refusal, found.text) == ("I will not", None)


def test_an_error_status_wins_over_the_content_type() -> None:
    """A 500 with the type of a stream is a 500."""
    found = WIRES["openai"].decode(500, SSE, b"data: [DONE]\n\n")

    assert isinstance(found, Fault)
    assert found.kind == "transient"


@few
@given(st.text(max_size=40), st.lists(st.integers(0, 40), max_size=5))
def test_where_a_stream_is_split_does_not_matter(text: str, cuts: list[int]) -> None:
    """However a text is cut into deltas, it is the same text."""
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    deltas = [chunk(text[begin:end]) for begin, end in pairwise(edges)]

    found = said(stream(*deltas, chunk(None, "stop")), SSE)

    assert (found.text or "") == text
