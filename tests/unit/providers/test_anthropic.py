"""Laws of the Anthropic Messages wire: asked in its own shape, read as recorded, priced in disjoint buckets."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import RESPONSES, any_text, attempt, call, few, model, recorded_replies, strict_json

from tui_eval.core.calls import ApiError, Attachment, Call, Completion, Message, Price, Repair, Usage
from tui_eval.core.money import cost_usd
from tui_eval.core.plaintext import visible
from tui_eval.providers.anthropic import WIRE
from tui_eval.providers.stream import events
from tui_eval.providers.wire import Listed
from tui_eval.runs.record import line_of

RECORDED = recorded_replies("messages")
"""Every recorded reply of the Messages API, whoever serves it."""
THOUGHT = ("anthropic-messages-010", "anthropic-messages-014", "anthropic-messages-043", "anthropic-messages-055")
"""Those that show what the model thought; in others that it thought is all that is shown."""
IDS = [entry["id"] for entry in RECORDED]
OURS = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_use", "refusal": "refusal"}
JSON = {"content-type": "application/json"}
SSE = {"content-type": "text/event-stream; charset=utf-8"}
PNG = Attachment("inputs/documents/chart.png", "image/png", "a" * 64, "iVBORw0=")
PDF = Attachment("inputs/documents/paper.pdf", "application/pdf", "b" * 64, "JVBERi0=")
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}
PRICE = Price(input=3.0, output=15.0, cached_input=0.3, cache_write=3.75)


def sent(asked: Call | None = None, repairs: dict[str, Repair] | None = None, **changes: Any) -> dict[str, Any]:
    """The body sent for a call."""
    found: dict[str, Any] = strict_json(WIRE.encode(asked or call(), model(wire="anthropic", **changes), repairs or {}).body)
    return found


def decoded(status: int, body: Any, headers: dict[str, str] = JSON) -> Completion | ApiError:
    """What a reply says; a body that is not bytes is sent as JSON."""
    return WIRE.decode(status, headers, body if isinstance(body, bytes) else json.dumps(body).encode())


def fault(status: int, body: Any, headers: dict[str, str] = JSON) -> ApiError:
    """The fault that a reply is."""
    found = decoded(status, body, headers)
    assert isinstance(found, ApiError), found
    return found


def said(body: Any, headers: dict[str, str] = JSON) -> Completion:
    """What a good reply says."""
    found = decoded(200, body, headers)
    assert isinstance(found, Completion), found
    return found


def message(*content: Any, reason: str | None = "end_turn", **fields: Any) -> dict[str, Any]:
    """A message's body."""
    return {"type": "message", "model": "claude-x", "content": list(content), "stop_reason": reason, **fields}


def text(words: str) -> dict[str, str]:
    """A text block."""
    return {"type": "text", "text": words}


def error(kind: str, words: str = "no") -> dict[str, Any]:
    """An error in the API's shape."""
    return {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}


def stream(*data: Any) -> bytes:
    """Events as they go over the wire."""
    return "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in data).encode()


def delta(words: str, kind: str = "text") -> dict[str, Any]:
    """A piece of a block."""
    return {"type": "content_block_delta", "index": 0, "delta": {"type": f"{kind}_delta", kind: words}}


START = {"type": "message_start", "message": {"model": "claude-x", "usage": {"input_tokens": 5, "output_tokens": 1}}}
END = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}
STOP = {"type": "message_stop"}


# ------------------------------------------------------------------------------------------------- asking


def test_the_plain_request() -> None:
    """System text apart, the key in its own header without a prefix, the version, nothing that is not set."""
    request = WIRE.encode(call(), model(wire="anthropic", seed=7, routing={"order": ["x"]}), {})

    assert (request.path, request.key_header, request.key_prefix) == ("/messages", "x-api-key", "")
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert strict_json(request.body) == {
        "model": "gpt-5-mini",
        "max_tokens": 200,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "What is two?"}],
    }


def test_a_limit_is_always_sent() -> None:
    """The API refuses a request without one."""
    assert sent(call(max_output_tokens=None))["max_tokens"] == 8192


def test_what_is_set_is_sent_and_extra_fields_win() -> None:
    """Zero is a temperature, the effort has its place, and the user's own fields come last."""
    body = sent(call(temperature=0.0), reasoning_effort="low", extra_body={"max_tokens": 9, "top_k": 3})

    assert (body["temperature"], body["output_config"], body["max_tokens"], body["top_k"]) == (0.0, {"effort": "low"}, 9, 3)


def test_what_was_learnt_is_applied() -> None:
    """A refused parameter is left out."""
    learnt = {name: Repair(name) for name in ("temperature", "output_config")}

    assert sent(call(temperature=0.5), learnt, reasoning_effort="low") == sent()


def test_turns_of_one_role_are_one() -> None:
    """Neighbours are merged across a system message, and order is kept."""
    roles: list[Any] = ["user", "system", "user", "assistant", "assistant", "user", "system"]
    body = sent(call(messages=tuple(Message(role, str(i)) for i, role in enumerate(roles))))

    assert body["system"] == "1\n\n6"
    assert [(turn["role"], turn["content"]) for turn in body["messages"]] == [
        ("user", "0\n\n2"),
        ("assistant", "3\n\n4"),
        ("user", "5"),
    ]


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0="}}
DOCUMENT = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}


@pytest.mark.parametrize(
    ("said", "blocks"),
    [
        ([("what?", (PNG, PDF))], [IMAGE, DOCUMENT, text("what?")]),
        ([("what?", (PNG,)), ("why?", ())], [IMAGE, text("what?\n\nwhy?")]),
        ([("what?", ()), ("why?", (PNG,))], [text("what?"), IMAGE, text("why?")]),
        ([("a", (PNG,)), ("b", (PDF,))], [IMAGE, text("a"), DOCUMENT, text("b")]),
        ([("", (PNG,))], [IMAGE]),
        ([("a", ()), ("b", ())], "a\n\nb"),
    ],
)
def test_attachments_stand_before_the_text_of_their_message(said: list[Any], blocks: Any) -> None:
    """Neighbours are one turn and keep their order; no block of text is empty; without attachments it is plain text."""
    body = sent(call(messages=tuple(Message("user", words, attached) for words, attached in said)))

    assert body["messages"] == [{"role": "user", "content": blocks}]
    assert {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"} == WIRE.accepts


def test_effort_and_schema_share_a_place_and_are_repaired_apart() -> None:
    """A server that refuses one of them still gets the other; without either nothing is sent."""
    both = {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}
    asked = call(json_schema=SCHEMA)

    def config(*refused: str) -> Any:
        return sent(asked, {name: Repair(name) for name in refused}, reasoning_effort="low").get("output_config")

    assert config() == both
    assert config("output_config.effort") == {"format": both["format"]}
    assert config("output_config.format") == {"effort": "low"}
    assert config("output_config.effort", "output_config.format") is None
    assert config("output_config") is None


@pytest.mark.parametrize(
    ("limit", "wanted", "repairs", "expected"),
    [
        (200, False, {}, (200, None)),
        (200, True, {}, (200, True)),
        (21_000, False, {}, (21_000, None)),
        (21_001, False, {}, (21_001, True)),
        (64_000, False, {"max_tokens": Repair("max_tokens", lower_to=4096)}, (4096, None)),
        (64_000, False, {"max_tokens": Repair("max_tokens", lower_to=32_000)}, (32_000, True)),
        (200, False, {"max_tokens": Repair("max_tokens", lower_to=4096)}, (200, None)),
        (None, False, {"max_tokens": Repair("max_tokens", lower_to=4096)}, (4096, None)),
        (64_000, True, {"stream": Repair("stream")}, (64_000, None)),
    ],
)
def test_a_long_reply_is_streamed(
    limit: int | None, wanted: bool, repairs: dict[str, Repair], expected: tuple[int, bool | None]
) -> None:
    """The API does not answer long ones otherwise; how long is told by the limit that is really sent."""
    body = sent(call(max_output_tokens=limit), repairs, stream=wanted)

    assert (body["max_tokens"], body.get("stream")) == expected


@few
@given(any_text, any_text)
def test_any_text_is_sent_as_ascii_json(system: str, user: str) -> None:
    """Whatever the prompt holds, it says the very same when read."""
    body = WIRE.encode(call(messages=(Message("system", system), Message("user", user))), model(), {}).body

    assert body.isascii()
    assert (strict_json(body)["system"], strict_json(body)["messages"][0]["content"]) == (system, user)


# ------------------------------------------------------------------------------------------------- recorded replies


def recorded(entry: dict[str, Any]) -> Completion | ApiError:
    """A recorded reply as the wire reads it."""
    headers = {name.lower(): value for name, value in entry["response_headers"].items()}
    return WIRE.decode(entry["http_status"], headers, (RESPONSES / entry["file"]).read_bytes())


@pytest.mark.parametrize("entry", RECORDED, ids=IDS)
def test_a_recorded_reply_is_read_as_it_was_meant(entry: dict[str, Any]) -> None:
    """Visible text, finish reason and tokens are those of the index, whose input leaves out both caches."""
    expected, found = entry["expected"], recorded(entry)

    assert isinstance(found, Completion)
    assert (found.text or "", found.finish_reason) == (expected["text"], OURS[expected["finish_reason"]])
    assert (found.refusal is not None) == (expected["finish_reason"] == "refusal")
    assert (found.served_model or "").startswith("claude-")
    usage = found.usage
    cached, written = usage.cached_tokens or 0, usage.cache_write_tokens or 0
    assert usage.prompt_tokens == expected["input_tokens"] + cached + written
    assert usage.completion_tokens == expected["output_tokens"]
    assert (cached, written) == (expected.get("cached_tokens", 0), expected.get("cache_write_tokens", 0))
    assert strict_json(line_of(attempt(response_json=found.body), None))["response_json"] == found.body
    assert (found.reasoning is not None) == (entry["id"] in THOUGHT)


@pytest.mark.parametrize("entry", [e for e in RECORDED if e["wire"] == "sse"], ids=lambda entry: str(entry["id"]))
def test_a_recorded_stream_shows_its_words_as_they_come(entry: dict[str, Any]) -> None:
    """The events that show text spell the answer, and thoughts are shown where there are any."""
    found = [strict_json(data) for data in events((RESPONSES / entry["file"]).read_text("utf-8"))]
    assert WIRE.shows is not None

    shown = [(WIRE.shows(event), event.get("delta", {}).get("text")) for event in found]

    assert "".join(words for what, words in shown if what == "text") == (entry["expected"]["text"] or "")
    assert any(what == "reasoning" for what, _ in shown) == (entry["id"] in THOUGHT)


@pytest.mark.skipif(not RECORDED, reason="the recorded replies are not on this machine")
@few
@given(st.data())
def test_a_reply_that_breaks_off_is_never_taken_for_a_whole_one(data: st.DataObject) -> None:
    """Cut anywhere, a reply is a fault to try again, or it lacks nothing but white space."""
    entry = data.draw(st.sampled_from(RECORDED))
    body = (RESPONSES / entry["file"]).read_bytes().rstrip()

    found = fault(200, body[: data.draw(st.integers(0, len(body) - 1))], SSE if entry["wire"] == "sse" else JSON)

    assert (found.kind, found.retry) == ("protocol", True)


# ------------------------------------------------------------------------------------------------- text and figures


def test_thinking_is_no_text() -> None:
    """Text blocks are joined; thinking, tools and odd blocks stay out."""
    thought = {"type": "thinking", "thinking": "hm", "text": "no"}
    sealed = {"type": "redacted_thinking", "data": "gAAAA", "thinking": "no"}

    found = said(message(thought, sealed, text("t"), {"type": "tool_use"}, {**thought, "thinking": "ah"}, 3, text("wo")))

    assert (found.text, found.reasoning) == ("two", "hm\n\nah")
    assert said(message({**thought, "thinking": ""}, sealed, text("two"))).reasoning is None


@pytest.mark.parametrize(
    ("reason", "ours"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "pause_turn"),
        (None, None),
    ],
)
def test_the_end_is_told_in_our_words(reason: str | None, ours: str | None) -> None:
    """What everyone means by stop and length is called so."""
    assert said(message(text("a"), reason=reason)).finish_reason == ours


@pytest.mark.parametrize(
    ("details", "words"),
    [
        (None, "refusal"),
        ({"category": "cyber"}, "refusal (cyber)"),
        ({"category": "bio", "explanation": "no germs"}, "refusal (bio): no germs"),
        ({"category": 3}, "refusal"),
    ],
)
def test_a_refusal_says_its_category(details: Any, words: str) -> None:
    """A refusal is HTTP 200, with or without details, whatever text came before it."""
    assert said(message(text("half"), reason="refusal", stop_details=details)).refusal == words


def test_the_buckets_are_disjoint_and_priced_apart() -> None:
    """4 fresh, 14714 read, 379 written, 290 out (19 of them thought, billed once)."""
    fields = {"input_tokens": 4, "cache_read_input_tokens": 14714, "cache_creation_input_tokens": 379, "output_tokens": 290}
    usage = said(message(text("a"), usage={**fields, "output_tokens_details": {"thinking_tokens": 19}})).usage

    assert usage == Usage(15097, 290, 15387, 14714, 379, 19)
    assert cost_usd(usage, PRICE) == pytest.approx((4 * 3 + 14714 * 0.3 + 379 * 3.75 + 290 * 15) / 1e6)


def test_a_write_for_an_hour_is_counted_once() -> None:
    """How long a cache is kept is told besides, not in addition: all input is fresh, read or written."""
    usage = said(
        message(
            text("a"),
            usage={
                "input_tokens": 10,
                "cache_read_input_tokens": 20,
                "cache_creation_input_tokens": 70,
                "cache_creation": {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 40},
                "output_tokens": 5,
            },
        )
    ).usage

    assert usage == Usage(100, 5, 105, 20, 70)
    assert cost_usd(usage, PRICE) == pytest.approx((10 * 3 + 20 * 0.3 + 70 * 3.75 + 5 * 15) / 1e6)


@pytest.mark.parametrize("value", [None, [], "x", {}, {"input_tokens": -1, "output_tokens": True, "output_tokens_details": 3}])
def test_what_is_not_said_is_unknown(value: Any) -> None:
    """Never zero, and never a price."""
    assert said(message(text("a"), usage=value)).usage == Usage()


# ------------------------------------------------------------------------------------------------- errors

STOP_CALL = ("permanent", "call", False)
STOP_MODEL = ("permanent", "model", False)
STOP_ENDPOINT = ("permanent", "endpoint", False)
SLOW_DOWN = ("rate_limit", "call", True)
TRY_AGAIN = ("transient", "call", True)
UNREADABLE = ("protocol", "call", True)
BY_TYPE = [
    (400, "invalid_request_error", STOP_CALL),
    (401, "authentication_error", STOP_ENDPOINT),
    (402, "billing_error", STOP_ENDPOINT),
    (403, "permission_error", STOP_MODEL),
    (404, "not_found_error", STOP_MODEL),
    (413, "request_too_large", STOP_CALL),
    (429, "rate_limit_error", SLOW_DOWN),
    (500, "api_error", TRY_AGAIN),
    (504, "timeout_error", TRY_AGAIN),
    (529, "overloaded_error", TRY_AGAIN),
]


@pytest.mark.parametrize(("status", "kind", "expected"), BY_TYPE)
def test_an_error_means_the_same_by_status_and_by_type(status: int, kind: str, expected: tuple[str, str, bool]) -> None:
    """As a status, as an error inside HTTP 200, and as an event midway through a stream."""
    body = error(kind, "the very words")
    found = [fault(status, body), fault(200, body), fault(200, stream(START, delta("tw"), body), SSE)]

    assert [(each.kind, each.scope, each.retry) for each in found] == [expected] * 3
    assert all(str(status) in each.message and "the very words" in each.message for each in found)
    assert all(each.body == body for each in found)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (401, {"error": {"message": "bad key", "type": "auth_error", "code": "401"}}, STOP_ENDPOINT),
        (400, error("invalid_request_error", "Your credit balance is too low to access the API."), STOP_ENDPOINT),
        (413, b"<html>413 Request Entity Too Large</html>", STOP_CALL),
        (404, b"<html>not here</html>", STOP_MODEL),
        (502, b"<html>bad gateway</html>", TRY_AGAIN),
        (529, b"", TRY_AGAIN),
        (200, b"", UNREADABLE),
        (200, b"<html>sign in</html>", UNREADABLE),
        (200, b'{"content": NaN}', UNREADABLE),
        (200, [], UNREADABLE),
        (200, {"choices": [{"message": {"content": "two"}}]}, UNREADABLE),
        (200, {"content": "two"}, UNREADABLE),
        (200, {"type": "error"}, TRY_AGAIN),
    ],
)
def test_other_failures_are_told_apart(status: int, body: Any, expected: tuple[str, str, bool]) -> None:
    """Pages, another API's errors, another API's replies, and accounts without money."""
    found = fault(status, body)

    assert (found.kind, found.scope, found.retry) == expected


@pytest.mark.parametrize(
    ("words", "repair"),
    [
        ("`temperature` is deprecated for this model.", Repair("temperature")),
        ("temperature: Extra inputs are not permitted", Repair("temperature")),
        ("`temperature` may only be set to 1 when thinking is enabled.", Repair("temperature")),
        ("`temperature` and `top_p` cannot both be specified for this model.", Repair("temperature")),
        ("`top_p` is deprecated for this model.", None),
        ("This model does not support the effort parameter.", Repair("output_config.effort")),
        ("output_config.effort: Extra inputs are not permitted", Repair("output_config.effort")),
        ("output_config.format: Extra inputs are not permitted", Repair("output_config.format")),
        ("'claude-x' does not support output format.", Repair("output_config.format")),
        ("structured outputs are not supported by this model.", Repair("output_config.format")),
        ("messages.0: Unsupported format", None),
        ("Unsupported image format", None),
        ("stream: Extra inputs are not permitted", Repair("stream")),
        ("streaming is not supported", Repair("stream")),
        (
            "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-x",
            Repair("max_tokens", lower_to=4096),
        ),
        ("max_tokens: 8192 > 0, which is the maximum allowed number of output tokens for claude-x", None),
        ("input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000", None),
        ("output_config: Extra inputs are not permitted", Repair("output_config")),
        ("temperature: Input should be less than or equal to 1", None),
        ("max_tokens: 9 > 8, which is not supported", None),
    ],
)
def test_a_refused_parameter_can_be_repaired(words: str, repair: Repair | None) -> None:
    """Only where the parameter itself is refused; a wrong value is the user's to mend."""
    assert fault(400, error("invalid_request_error", words)).repair == repair
    assert fault(500, error("api_error", words)).repair is None
    assert fault(200, {"error": {"code": "400", "message": words}}).repair == repair


# ------------------------------------------------------------------------------------------------- streams


def test_a_stream_adds_up_to_its_message() -> None:
    """Deltas are joined, a split character is whole again, unknown events pass, the last counts count."""
    odd = {"type": "news", "x": 1}
    found = said(stream(START, odd, delta("a\ud83d"), delta("\ude00b"), delta("c\ud83d"), END, STOP), SSE)

    assert (found.text, found.finish_reason, found.served_model) == ("a\U0001f600bc\ufffd", "stop", "claude-x")
    assert found.usage == Usage(prompt_tokens=5, completion_tokens=7, total_tokens=12)


def test_streamed_thinking_is_kept_out_of_the_text() -> None:
    """It stays in the body, for the log."""
    found = said(stream(START, delta("hm", "thinking"), {**delta("two"), "index": 1}, END, STOP), SSE)

    assert found.text == "two"
    assert found.body["content"] == [{"type": "thinking", "thinking": "hm"}, text("two")]
    assert found.reasoning == "hm"


def test_a_reply_is_read_as_what_it_is_whatever_it_is_called() -> None:
    """JSON that is announced as a stream, JSON where a stream was asked for, and a stream that is not announced."""
    whole = message(text("two"))

    assert said(whole, SSE) == said(whole)
    assert said(stream(START, delta("two"), END, STOP)).text == "two"


def begun(kind: str, words: str) -> dict[str, Any]:
    """The start of a block."""
    return {"type": "content_block_start", "index": 0, "content_block": {"type": kind, kind: words}}


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (delta("a"), "text"),
        (delta(""), ""),
        (delta("a", "thinking"), "reasoning"),
        (delta("", "thinking"), ""),
        (delta("a", "signature"), ""),
        (begun("text", "a"), "text"),
        (begun("text", ""), ""),
        (begun("thinking", "a"), "reasoning"),
        (begun("redacted_thinking", "a"), ""),
        (START, ""),
        (END, ""),
        ({"type": "content_block_delta", "delta": {"type": [], "text": 3}}, ""),
        (None, ""),
    ],
)
def test_an_event_shows_what_it_brings(event: Any, shown: str) -> None:
    """Words of the answer, thoughts, or neither."""
    assert WIRE.shows is not None
    assert WIRE.shows(event) == shown


@pytest.mark.parametrize(
    "body",
    [
        b"",
        stream(START, delta("tw")),
        stream(START, delta("tw"), END),
        stream(START, delta("tw"), STOP),
        stream(START, delta("tw")) + b"data: [DONE]\n\n",
        stream(START, 3, END, STOP),
        stream(START, delta("tw")) + b"data: {bad\n\n",
        b"data: \xff\n\n",
        b"<html>bad gateway</html>",
    ],
)
def test_half_a_stream_is_no_reply(body: bytes) -> None:
    """Broken off or full of garbage: a fault to try again."""
    found = fault(200, body, SSE)

    assert (found.kind, found.retry) == ("protocol", True)


def test_a_broken_stream_does_not_look_cheap() -> None:
    """The output count at the start is a placeholder: without a later one the cost is unknown."""
    assert fault(200, stream(START, delta("tw")), SSE).usage == Usage(prompt_tokens=5)
    assert fault(200, stream(START, END, error("api_error")), SSE).usage.completion_tokens == 7


# ------------------------------------------------------------------------------------------------- the list of models


def test_the_list_of_models_is_asked_for_by_the_same_key() -> None:
    """A request that only reads, with the version and the key in its own header."""
    assert WIRE.list_models is not None
    request = WIRE.list_models(model(wire="anthropic"))

    assert (request.method, request.path, request.body) == ("GET", "/models?limit=1000", b"")
    assert (request.key_header, request.key_prefix, request.headers["anthropic-version"]) == ("x-api-key", "", "2023-06-01")


def test_the_list_of_models_tells_when_one_is_retired() -> None:
    """In the API's order, with the length of its context where that is told."""
    assert WIRE.read_models is not None
    rows = [
        {"type": "model", "id": "claude-new", "display_name": "New", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "claude-old", "retires_at": "2027-02-03T00:00:00Z", "max_input_tokens": 200_000, "lifecycle": "deprecated"},
    ]

    found = WIRE.read_models(json.dumps({"data": rows, "has_more": False}).encode())

    assert found == [Listed("claude-new"), Listed("claude-old", "2027-02-03", 200_000)]
    assert WIRE.prefixes == ("claude-",)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"data": 3}', b'{"data": [3]}', b'{"data": [{"name": "x"}]}'])
def test_what_is_no_list_of_models_is_told(body: bytes) -> None:
    """It is not taken for an empty one."""
    assert WIRE.read_models is not None

    with pytest.raises(ValueError):
        WIRE.read_models(body)


# ------------------------------------------------------------------------------------------------- anything

NAMES = [
    "type",
    "error",
    "message",
    "content",
    "text",
    "usage",
    "stop_reason",
    "stop_details",
    "model",
    "input_tokens",
    "delta",
    "index",
    "code",
    "details",
]
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-9, 10**10)
    | st.text(max_size=6)
    | st.sampled_from(
        ["error", "text", "refusal", "message_start", "message_delta", "message_stop", "content_block_start", "text_delta"]
    )
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


@few
@given(st.sampled_from([200, 204, 302, 400, 401, 403, 404, 429, 500, 529]), st.lists(values, max_size=4), st.booleans())
def test_no_json_crashes_the_wire(status: int, found: list[Any], streamed: bool) -> None:
    """Any JSON, whole or as events, is a reply or a fault that agrees with itself and can be logged."""
    for body in [stream(*found)] if streamed else found:
        read = decoded(status, body, SSE if streamed else JSON)

        assert strict_json(line_of(attempt(response_json=read.body), None))
        if isinstance(read, ApiError):
            assert read.retry == (read.kind in ("rate_limit", "transient", "protocol", "empty"))
            assert read.scope == "call" or read.kind == "permanent"


@few
@given(st.sampled_from([200, 400, 500]), st.binary(max_size=60), st.sampled_from([JSON, SSE, {}]))
def test_no_bytes_crash_the_wire(status: int, body: bytes, headers: dict[str, str]) -> None:
    """Any bytes are a reply or a fault with a message that can be shown."""
    found = decoded(status, body, headers)

    assert isinstance(found, Completion) or found.message == visible(found.message)
