"""Laws of the Responses wire: only messages are the answer, and what is not finished is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import RESPONSES, any_text, attempt, call, few, model, recorded_replies, strict_json

from tui_eval.core.calls import ApiError, Attachment, Completion, Message, Repair, Usage
from tui_eval.core.plaintext import one_line
from tui_eval.engine.calling import AttemptEnd
from tui_eval.engine.verdict import verdict_of
from tui_eval.providers.responses import WIRE
from tui_eval.providers.stream import events
from tui_eval.runs.record import line_of

RECORDED = recorded_replies("responses")
"""Every recorded reply of a server that speaks Responses, whoever runs it."""

GOOD = [entry for entry in RECORDED if entry["expected"]["error"] is None]
BAD = [entry for entry in RECORDED if entry["expected"]["error"] is not None]
THOUGHT = ("deepseek-responses-014", "deepseek-responses-019", "openai-responses-024", "xai-responses-005")
"""Those that show what the model thought; in the others it is encrypted, or there is none."""
REACH = {"openai-responses-029": ("permanent", "model"), "xai-responses-004": ("permanent", "endpoint")}
FIGURES = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
    "total_tokens": "total_tokens",
    "cached_tokens": "cached_tokens",
    "cache_write_tokens": "cache_write_tokens",
    "reasoning_tokens": "reasoning_tokens",
}
JSON = {"content-type": "application/json"}
SSE = {"content-type": "text/event-stream; charset=utf-8"}
TRY_AGAIN = ("transient", "call", True)
PNG = Attachment("inputs/documents/chart.png", "image/png", "a" * 64, "iVBORw0=")
PDF = Attachment("inputs/documents/paper.pdf", "application/pdf", "b" * 64, "JVBERi0=")
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}


def sent(repairs: dict[str, Repair] | None = None, asked: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """The body that is sent for a call."""
    found: dict[str, Any] = strict_json(WIRE.encode(call(**(asked or {})), model(**changes), repairs or {}).body)
    return found


def message(*parts: dict[str, Any]) -> dict[str, Any]:
    """An item of the output that is a message."""
    return {"type": "message", "role": "assistant", "status": "completed", "content": list(parts)}


def text(words: str) -> dict[str, Any]:
    """A part of a message that is visible text."""
    return {"type": "output_text", "text": words, "annotations": []}


def response(*items: Any, **fields: Any) -> dict[str, Any]:
    """A response object with this output."""
    return {"object": "response", "status": "completed", "model": "gpt-5", "error": None, "output": list(items), **fields}


def decoded(body: Any, status: int = 200) -> Completion | ApiError:
    """What a reply says; a body that is not bytes is sent as JSON."""
    return WIRE.decode(status, JSON, body if isinstance(body, bytes) else json.dumps(body).encode())


def said(body: Any) -> Completion:
    """What an answer says."""
    found = decoded(body)
    assert isinstance(found, Completion), found
    return found


def fault(body: Any, status: int = 200) -> ApiError:
    """The fault that a reply is."""
    found = decoded(body, status)
    assert isinstance(found, ApiError), found
    return found


def streamed(*happened: dict[str, Any]) -> bytes:
    """A stream of these events."""
    return b"".join(f"event: {event.get('type')}\ndata: {json.dumps(event)}\n\n".encode() for event in happened)


STARTED = {"type": "response.created", "response": response(status="in_progress")}
DELTA = {"type": "response.output_text.delta", "delta": "tw"}
WHOLE = {"type": "response.completed", "response": response(message(text("two")))}


# ------------------------------------------------------------------------------------------------------------ asking


def test_a_call_is_instructions_and_input() -> None:
    """The system message goes as instructions, the rest as input, and the server is told to keep nothing."""
    found = WIRE.encode(call(), model(base_url=None), {})

    assert strict_json(found.body) == {
        "model": "gpt-5-mini",
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": "What is two?"}],
        "max_output_tokens": 200,
        "store": False,
    }
    assert (found.path, found.key_header, found.key_prefix) == ("/responses", "authorization", "Bearer ")


def test_what_is_not_set_is_not_sent() -> None:
    """No system message, no instructions; no limit, temperature or effort, no field."""
    body = sent(asked={"messages": (Message("user", "two?"),), "max_output_tokens": None})

    assert set(body) == {"model", "input", "store"}


def test_what_is_set_goes_by_the_names_of_this_interface() -> None:
    """The effort is reasoning.effort; there is no seed to send; extra fields win."""
    body = sent(
        asked={"temperature": 0.0}, reasoning_effort="low", seed=7, extra_body={"store": True, "text": {"verbosity": "low"}}
    )

    assert (body["temperature"], body["reasoning"]) == (0.0, {"effort": "low"})
    assert "seed" not in body and "reasoning_effort" not in body
    assert (body["store"], body["text"]) == (True, {"verbosity": "low"})


def test_a_conversation_keeps_its_order() -> None:
    """Turns go in as they were; several system messages become one text."""
    turns = (
        Message("system", "a"),
        Message("user", "b"),
        Message("assistant", "c"),
        Message("system", "d"),
        Message("user", "e"),
    )

    body = sent(asked={"messages": turns})

    assert body["instructions"] == "a\n\nd"
    assert [turn["content"] for turn in body["input"]] == ["b", "c", "e"]


def test_attachments_stand_before_the_text() -> None:
    """Each in its own form, in order; a message without any is plain text, and so is a turn of the model itself."""
    turns = (Message("user", "what?", (PNG, PDF)), Message("assistant", "this", (PNG,)), Message("user", "why?"))

    body = sent(asked={"messages": turns})

    assert [turn["content"] for turn in body["input"][1:]] == ["this", "why?"]
    assert body["input"][0]["content"] == [
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0=", "detail": "auto"},
        {"type": "input_file", "filename": "paper.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
        {"type": "input_text", "text": "what?"},
    ]
    assert {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"} == WIRE.accepts


def test_the_models_are_listed_as_by_chat_completions() -> None:
    """The same list of the same server; ids that begin like OpenAI's are taken for its chat completions."""
    assert WIRE.list_models is not None and WIRE.read_models is not None
    request = WIRE.list_models(model())

    assert (request.method, request.path, request.key_header) == ("GET", "/models", "authorization")
    assert [each.id for each in WIRE.read_models(b'{"data": [{"id": "gpt-5"}]}')] == ["gpt-5"]
    assert WIRE.prefixes == ()


def test_a_schema_and_a_stream_are_asked_for_where_they_are_set() -> None:
    """And not once the server was found to refuse them."""
    body = sent(asked={"json_schema": SCHEMA}, stream=True)

    assert body["text"] == {"format": {"type": "json_schema", "name": "reply", "strict": True, "schema": SCHEMA}}
    assert body["stream"] is True
    assert sent({name: Repair(name) for name in ("text", "stream")}, {"json_schema": SCHEMA}, stream=True) == sent()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("temperature", "Unsupported parameter: 'temperature' is not supported with this model."),
        ("reasoning", "Unsupported parameter: 'reasoning.effort' is not supported with this model."),
        ("text", "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model."),
        ("stream", "This model does not support the parameter stream."),
    ],
)
def test_a_refused_parameter_is_learnt_and_left_out(name: str, said: str) -> None:
    """The server's refusal is a repair, and the repaired request has no such field."""
    repair = fault({"error": {"message": said, "type": "invalid_request_error", "param": None}}, 400).repair

    assert repair == Repair(name)
    assert name not in sent({name: repair}, {"temperature": 0.5, "json_schema": SCHEMA}, reasoning_effort="low", stream=True)


def test_a_token_limit_is_never_left_out() -> None:
    """Without one a reply costs what it likes: the call fails instead."""
    said = {"message": "Unknown parameter: 'max_output_tokens'.", "type": "invalid_request_error", "param": None}

    assert fault({"error": said}, 400).repair is None


@pytest.mark.parametrize(
    ("fields", "repair"),
    [
        ({"param": "stream", "code": "unsupported_value", "message": "You must be verified to stream this."}, Repair("stream")),
        ({"param": "text.format", "code": "unsupported_parameter", "message": "Not with the text of this."}, Repair("text")),
        ({"param": "input", "message": "Unsupported content: only text is taken."}, None),
        ({"message": "Unsupported image: it has no text."}, None),
    ],
)
def test_a_word_that_is_a_parameter_by_chance_is_no_repair(fields: dict[str, str], repair: Repair | None) -> None:
    """What the server names counts before what it mentions."""
    assert fault({"error": fields}, 400).repair == repair


@few
@given(any_text, any_text)
def test_any_text_is_sent_as_ascii_json(system: str, user: str) -> None:
    """Whatever the prompt holds, the body is ASCII and says the very same when read."""
    body = WIRE.encode(call(messages=(Message("system", system), Message("user", user))), model(), {}).body

    assert body.isascii()
    assert (strict_json(body)["instructions"], strict_json(body)["input"][0]["content"]) == (system, user)


# ------------------------------------------------------------------------------------------------------------ reading


@pytest.mark.parametrize(
    ("output", "visible"),
    [
        ([message(text("a"))], "a"),
        ([message(text("a"), text("b")), message(text("c"))], "abc"),
        (
            [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "content": [text("hm")]},
                message(text("a")),
            ],
            "a",
        ),
        ([message({"type": "reasoning_text", "text": "hm"}, text("a"))], "a"),
        ([{"type": "function_call", "arguments": "{}", "name": "f"}], ""),
        ([], ""),
        (
            [
                None,
                3,
                "x",
                {"type": "message"},
                {"type": "message", "content": "x"},
                message({"type": "output_text", "text": 3}),
            ],
            "",
        ),
    ],
)
def test_only_the_text_of_messages_is_the_answer(output: list[Any], visible: str) -> None:
    """Reasoning, calls of tools and oddities are not part of it."""
    assert said(response(*output)).text == visible


@pytest.mark.parametrize(
    ("item", "thought"),
    [
        ({"summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]}, "a\n\nb"),
        ({"summary": [], "content": [{"type": "reasoning_text", "text": "c"}]}, "c"),
        ({"summary": [{"type": "summary_text", "text": ""}], "encrypted_content": "gAAAA"}, None),
        ({"summary": "a", "content": [3, {"type": "reasoning_text", "text": 3}, text("x")]}, None),
    ],
)
def test_thoughts_are_kept_apart_from_the_answer(item: dict[str, Any], thought: str | None) -> None:
    """Summaries and open thoughts are kept, encrypted ones are none, and the text never holds any."""
    found = said(response({"type": "reasoning", **item}, message(text("two"))))

    assert (found.text, found.reasoning) == ("two", thought)


def test_a_refusal_is_no_answer() -> None:
    """Refusal parts are what was declined, and none of the text."""
    found = said(response(message({"type": "refusal", "refusal": "I "}, {"type": "refusal", "refusal": "will not"})))

    assert (found.text, found.refusal) == ("", "I will not")


@pytest.mark.parametrize(
    ("words", "reason", "finish", "kind"),
    [
        ("tw", "max_output_tokens", "length", None),
        ("", "max_output_tokens", "length", "truncated"),
        ("tw", "content_filter", "content_filter", "refused"),
        ("", "content_filter", "content_filter", "refused"),
    ],
)
def test_an_incomplete_response_says_why(words: str, reason: str, finish: str, kind: str | None) -> None:
    """At the limit its text is a cut answer; without text it is truncated; filtered it is refused."""
    found = said(response(message(text(words)), status="incomplete", incomplete_details={"reason": reason}))
    verdict = verdict_of(call(), AttemptEnd(found, began=0.0))

    assert found.finish_reason == finish
    assert (verdict.kind if isinstance(verdict, ApiError) else None) == kind


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "queued"},
        {"status": "in_progress"},
        {"status": "incomplete"},
        {"status": "incomplete", "incomplete_details": {"reason": "something new"}},
    ],
)
def test_what_is_not_finished_is_no_answer(fields: dict[str, Any]) -> None:
    """Half a response is a fault to try again, whatever text it holds; what it cost is kept."""
    found = fault(response(message(text("tw")), usage={"input_tokens": 5}, **fields))

    assert (found.kind, found.retry, found.usage.prompt_tokens) == ("protocol", True, 5)


FAILED = [
    ("rate_limit_exceeded", ("rate_limit", "call", True)),
    ("server_error", TRY_AGAIN),
    ("something_new", TRY_AGAIN),
    ("invalid_prompt", ("permanent", "call", False)),
    ("insufficient_quota", ("permanent", "endpoint", False)),
    ("content_filter", ("refused", "call", False)),
    ("bio_policy", ("refused", "call", False)),
    ("misalignment_policy_violation", ("refused", "call", False)),
    ("image_content_policy_violation", ("refused", "call", False)),
    ("data_residency_mismatch", ("permanent", "call", False)),
    ("image_parse_error", ("permanent", "call", False)),
    ("failed_to_download_image", ("permanent", "call", False)),
    ("vector_store_timeout", TRY_AGAIN),
]


@pytest.mark.parametrize(("code", "expected"), FAILED)
@pytest.mark.parametrize("stream", [False, True])
def test_a_failed_response_means_what_its_code_says(code: str, expected: tuple[str, str, bool], stream: bool) -> None:
    """HTTP 200 with status failed: the code of its error counts, in a stream as well; what it cost is kept."""
    body = response(status="failed", error={"code": code, "message": "the words"}, usage={"input_tokens": 5})
    events = streamed(STARTED, DELTA, {"type": "response.failed", "response": body})

    found = WIRE.decode(200, SSE, events) if stream else decoded(body)

    assert isinstance(found, ApiError)
    assert (found.kind, found.scope, found.retry) == expected
    assert "the words" in found.message
    assert (found.usage.prompt_tokens, found.served_model) == (5, "gpt-5")
    assert (found.cause == "attachment") == ("image" in code and found.kind == "permanent")


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_failure_without_a_reason_is_tried_again(status: str) -> None:
    """No error is given, and still it is no answer."""
    found = fault(response(message(text("two")), status=status))

    assert (found.kind, found.scope, found.retry) == TRY_AGAIN


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (400, {"code": "content_filter", "message": "filtered"}, ("refused", "call", False)),
        (401, {"code": "invalid_api_key", "message": "no"}, ("permanent", "endpoint", False)),
        (404, {"code": "model_not_found", "message": "no"}, ("permanent", "model", False)),
        (429, {"code": "rate_limit_exceeded", "message": "slow"}, ("rate_limit", "call", True)),
        (500, {"type": "server_error", "message": "oh"}, TRY_AGAIN),
    ],
)
def test_an_error_status_is_read_as_on_the_other_wires(
    status: int, error: dict[str, str], expected: tuple[str, str, bool]
) -> None:
    """Kind, reach and retry follow status and code."""
    found = fault({"error": error}, status)

    assert (found.kind, found.scope, found.retry) == expected


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"{", b"3", b"null", b'{"status": "completed"}', b'{"choices": [{"message": {"content": "two"}}]}']
)
def test_what_is_no_response_is_no_answer(body: bytes) -> None:
    """Pages, halves, and a chat completion from a server that speaks something else."""
    found = fault(body)

    assert found.kind in ("protocol", "empty")
    assert found.retry


def test_usage_has_names_of_its_own_here() -> None:
    """Input and output with their details; what is missing is unknown, never zero."""
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
        "output_tokens": 6,
        "output_tokens_details": {"reasoning_tokens": 5},
        "total_tokens": 16,
    }

    assert said(response(usage=usage)).usage == Usage(10, 6, 16, cached_tokens=4, cache_write_tokens=2, reasoning_tokens=5)
    assert said(response()).usage == Usage()


# ------------------------------------------------------------------------------------------------------------ streams


@pytest.mark.parametrize("tail", [b"", b"data: [DONE]\n\n"])
def test_a_stream_is_its_last_event(tail: bytes) -> None:
    """With or without [DONE], the response that the last event holds is the reply."""
    assert WIRE.decode(200, SSE, streamed(STARTED, DELTA, WHOLE) + tail) == said(WHOLE["response"])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"data: [DONE]\n\n",
        b": PROCESSING\n\n",
        streamed(STARTED, DELTA),
        streamed(STARTED, DELTA) + b"data: [DONE]\n\n",
        streamed(STARTED) + b"data: {\n\n",
        streamed(DELTA, {"type": "response.completed"}),
        streamed(DELTA, {"type": "response.incomplete", "response": {}}),
        streamed(DELTA, {"type": "response.completed", "response": {"status": "in_progress"}}),
        b"data: 3\n\n",
        b"data: \xff\n\n",
        b"<html>",
    ],
)
def test_half_a_stream_is_no_reply(body: bytes) -> None:
    """Broken off, empty or full of garbage: a fault to try again, and no half answer."""
    found = WIRE.decode(200, SSE, body)

    assert isinstance(found, ApiError)
    assert (found.kind, found.retry) == ("protocol", True)


def test_a_broken_stream_tells_what_went_in() -> None:
    """What came out until then is only a part: it would look cheap."""
    begun = {"type": "response.in_progress", "response": {"usage": {"input_tokens": 5, "output_tokens": 1, "total_tokens": 6}}}

    for end in (b"", b"data: {\n\n", b'data: {"type": "error", "message": "oh"}\n\n'):
        found = WIRE.decode(200, SSE, streamed(begun, DELTA) + end)
        assert isinstance(found, ApiError)
        assert found.usage == Usage(prompt_tokens=5)


def test_a_reply_is_read_as_what_it_is_whatever_it_is_called() -> None:
    """JSON that is announced as a stream, and a stream that is not announced."""
    whole = json.dumps(WHOLE["response"]).encode()

    assert WIRE.decode(200, SSE, whole) == WIRE.decode(200, JSON, streamed(STARTED, WHOLE)) == said(WHOLE["response"])


def spelled(kind: str, *words: str, index: int = 0) -> list[dict[str, Any]]:
    """Deltas of one kind."""
    return [{"type": f"response.{kind}.delta", "output_index": index, "delta": word} for word in words]


def test_what_the_last_event_lacks_is_made_of_the_deltas() -> None:
    """Thoughts are kept in the body; an output that is left out is that of the deltas, split characters whole again."""
    deltas = [*spelled("reasoning_summary_text", "h", "m"), *spelled("output_text", "tw\ud83d", "\ude00o", index=1)]
    empty = {"type": "response.completed", "response": response()}

    found, made = WIRE.decode(200, SSE, streamed(*deltas, WHOLE)), WIRE.decode(200, SSE, streamed(*deltas, empty))

    assert isinstance(found, Completion) and isinstance(made, Completion)
    assert (found.text, found.reasoning, found.body["output"][-1]) == ("two", "hm", WHOLE["response"]["output"][0])
    assert (made.text, made.reasoning) == ("tw\U0001f600o", "hm")


def test_an_item_that_was_done_stands_for_its_deltas() -> None:
    """Where the last event leaves the output out; what the item does not say is taken from them."""
    done = {"type": "response.output_item.done", "output_index": 1, "item": message(text("two"))}
    closed = {"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning", "content": []}}
    deltas = [*spelled("reasoning_text", "hm"), *spelled("output_text", "tw", index=1)]

    found = WIRE.decode(200, SSE, streamed(*deltas, closed, done, {"type": "response.completed", "response": response()}))

    assert isinstance(found, Completion)
    assert (found.text, found.reasoning) == ("two", "hm")


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (spelled("output_text", "a")[0], "text"),
        (spelled("output_text", "")[0], ""),
        (spelled("reasoning_summary_text", "a")[0], "reasoning"),
        (spelled("reasoning_text", "a")[0], "reasoning"),
        (spelled("reasoning_text", "")[0], ""),
        (spelled("refusal", "a")[0], ""),
        (STARTED, ""),
        (WHOLE, ""),
        ({"type": [], "delta": 3}, ""),
        (None, ""),
    ],
)
def test_an_event_shows_what_it_brings(event: Any, shown: str) -> None:
    """Words of the answer, thoughts, or neither."""
    assert WIRE.shows is not None
    assert WIRE.shows(event) == shown


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "the words"}, ("rate_limit", "call", True)),
        ({"type": "error", "error": {"code": "server_error", "message": "the words"}}, TRY_AGAIN),
        ({"type": "error", "code": None, "message": "the words"}, TRY_AGAIN),
        ({"error": "the words"}, TRY_AGAIN),
    ],
)
def test_an_error_midway_ends_the_stream(event: dict[str, Any], expected: tuple[str, str, bool]) -> None:
    """An error event is the outcome, flat or nested, whatever comes after it."""
    found = WIRE.decode(200, SSE, streamed(STARTED, DELTA, event, WHOLE))

    assert isinstance(found, ApiError)
    assert (found.kind, found.scope, found.retry) == expected
    assert "the words" in found.message


# ------------------------------------------------------------------------------------------------------------ recorded


def read(entry: dict[str, Any]) -> Completion | ApiError:
    """A recorded reply as the wire reads it."""
    return WIRE.decode(entry["http_status"], entry["response_headers"], (RESPONSES / entry["file"]).read_bytes())


@pytest.mark.parametrize("entry", GOOD, ids=[entry["id"] for entry in GOOD])
def test_a_recorded_reply_is_read_as_it_was_meant(entry: dict[str, Any]) -> None:
    """Text, ending and tokens are those of the index, from OpenAI, Azure, Bedrock, DeepSeek and xAI."""
    expected = entry["expected"]

    found = read(entry)

    assert isinstance(found, Completion)
    assert (found.text, found.finish_reason, found.refusal) == (expected["text"], expected["finish_reason"], None)
    figures = {name: getattr(found.usage, field) for name, field in FIGURES.items() if name in expected}
    assert figures == {name: expected[name] for name in figures}
    assert (found.reasoning is not None) == (entry["id"] in THOUGHT)


@pytest.mark.parametrize("entry", [e for e in GOOD if e["wire"] == "sse"], ids=lambda entry: str(entry["id"]))
def test_a_recorded_stream_shows_its_words_as_they_come(entry: dict[str, Any]) -> None:
    """The events that show text spell the answer, and none shows thoughts that the reply does not hold."""
    found = [strict_json(data) for data in events((RESPONSES / entry["file"]).read_text("utf-8")) if data != "[DONE]"]
    assert WIRE.shows is not None

    shown = [(WIRE.shows(event), event.get("delta")) for event in found]

    assert "".join(words for what, words in shown if what == "text") == (entry["expected"]["text"] or "")
    assert any(what == "reasoning" for what, _ in shown) == (entry["id"] in THOUGHT)


@pytest.mark.parametrize("entry", BAD, ids=[entry["id"] for entry in BAD])
def test_a_recorded_error_is_told_in_its_own_words(entry: dict[str, Any]) -> None:
    """The server's message is in the fault, and it reaches as far as it must."""
    found = read(entry)

    assert isinstance(found, ApiError)
    assert one_line(entry["expected"]["error"], 200).removesuffix("…") in found.message
    assert (found.kind, found.scope, found.retry) == (*REACH[entry["id"]], False)


@pytest.mark.skipif(not RECORDED, reason="the recorded replies are not on this machine")
@few
@given(st.data())
def test_a_reply_that_breaks_off_is_never_taken_for_a_whole_one(data: st.DataObject) -> None:
    """Cut anywhere, a reply is a fault to try again, or a stream that had said all it had to say."""
    entry = data.draw(st.sampled_from(GOOD))
    body = (RESPONSES / entry["file"]).read_bytes().rstrip()
    cut = body[: data.draw(st.integers(0, len(body) - 1))]

    found = WIRE.decode(200, SSE if entry["wire"] == "sse" else JSON, cut)

    if isinstance(found, ApiError):
        assert (found.kind, found.retry) == ("protocol", True)
    else:
        assert entry["wire"] == "sse"
        assert found.text == entry["expected"]["text"]


NAMES = [
    "error",
    "code",
    "message",
    "type",
    "status",
    "output",
    "content",
    "text",
    "refusal",
    "usage",
    "response",
    "input_tokens",
]
NAMES += ["incomplete_details", "reason", "input_tokens_details", "model", "detail", "object"]
WORDS = ["message", "output_text", "refusal", "incomplete", "failed", "error", "response.completed", "content_filter", ""]
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 999) | st.text(max_size=4) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=14,
)


@few
@given(
    st.sampled_from([200, 204, 302, 400, 404, 429, 500]),
    st.binary(max_size=60) | values.map(lambda value: json.dumps(value).encode()),
    st.sampled_from([JSON, SSE, {}]),
    st.booleans(),
)
def test_nothing_crashes_the_wire(status: int, body: bytes, headers: dict[str, str], event: bool) -> None:
    """Any bytes and any JSON, alone or as an event, are a reply or a fault that agrees with itself and can be logged."""
    found = WIRE.decode(status, headers, b"data: " + body + b"\n\n" if event else body)

    assert strict_json(line_of(attempt(response_json=found.body), None))
    if isinstance(found, ApiError):
        assert found.message.isprintable()
        assert found.retry == (found.kind in ("rate_limit", "transient", "protocol", "empty"))
        assert found.scope == "call" or found.kind == "permanent"
