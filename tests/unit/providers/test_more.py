"""Laws of Gemini's and Ollama's wires: the OpenAI wire with what these two do differently."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import RESPONSES, any_text, attempt, call, few, model, recorded_replies, spoken, strict_json

from tui_eval.core.calls import ApiError, Completion, Message, Repair
from tui_eval.core.plaintext import one_line
from tui_eval.providers import gemini, ollama
from tui_eval.providers.wire import Wire
from tui_eval.runs.record import line_of

WIRES = {"gemini": gemini.WIRE, "ollama": ollama.WIRE}
BY_PROVIDER = {"gemini-openai-compat": gemini.WIRE, "ollama": ollama.WIRE}
RECORDED = [entry for entry in recorded_replies("chat") if entry["provider"] in BY_PROVIDER]
NATIVE = [e for e in (*recorded_replies("native-chat"), *recorded_replies("native-generate")) if e["provider"] in BY_PROVIDER]
FIGURES = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens", "total_tokens": "total_tokens"}
every_wire = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES.keys())


def decoded(wire: Wire, status: int, body: Any) -> Completion | ApiError:
    """What a wire makes of a reply; a body that is not bytes is sent as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return wire.decode(status, {"content-type": "application/json"}, data)


def fault(wire: Wire, status: int, body: Any) -> ApiError:
    """The fault that a reply is."""
    found = decoded(wire, status, body)
    assert isinstance(found, ApiError), found
    return found


def google(code: int, status: str, message: str) -> dict[str, Any]:
    """An error as Google writes it."""
    return {"error": {"code": code, "message": message, "status": status}}


def read(entry: dict[str, Any]) -> Completion | ApiError:
    """A recorded reply as its wire reads it."""
    body = (RESPONSES / entry["file"]).read_bytes()
    return BY_PROVIDER[entry["provider"]].decode(entry["http_status"], entry["response_headers"], body)


def test_where_and_with_which_key() -> None:
    """Gemini has one server and a key variable; Ollama is on this machine and has none."""
    assert (gemini.WIRE.base_url, gemini.WIRE.key_env) == (
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
    )
    assert (ollama.WIRE.base_url, ollama.WIRE.key_env) == ("http://127.0.0.1:11434/v1", None)


@every_wire
@pytest.mark.parametrize("base_url", [None, "http://127.0.0.1:9/v1"])
def test_the_request_is_a_chat_completions(wire: Wire, base_url: str | None) -> None:
    """The limit is max_tokens at the wire's own server, too; what is not set is not sent."""
    found = wire.encode(call(), model(base_url=base_url), {})
    body = strict_json(found.body)

    assert (found.path, found.key_header, found.key_prefix) == ("/chat/completions", "authorization", "Bearer ")
    assert set(body) == {"model", "messages", "max_tokens"}
    assert strict_json(wire.encode(call(), model(reasoning_effort="none"), {}).body)["reasoning_effort"] == "none"


@every_wire
def test_what_was_learnt_is_applied(wire: Wire) -> None:
    """A parameter that the server refused is not sent again."""
    body = strict_json(wire.encode(call(temperature=0.5), model(seed=3), {"seed": Repair("seed")}).body)

    assert "seed" not in body and body["temperature"] == 0.5


# ----------------------------------------------------------------------------------------------------------- Gemini


@pytest.mark.parametrize("wrap", [lambda error: error, lambda error: [error]], ids=["object", "list"])
@pytest.mark.parametrize("status", [200, None], ids=["inside 200", "with its status"])
@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (google(400, "INVALID_ARGUMENT", "bad value"), ("permanent", "call", False)),
        (google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), ("permanent", "endpoint", False)),
        (google(403, "PERMISSION_DENIED", "no access"), ("permanent", "model", False)),
        (google(404, "NOT_FOUND", "models/x is not found"), ("permanent", "model", False)),
        (google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota"), ("rate_limit", "call", True)),
        (google(503, "UNAVAILABLE", "The model is overloaded."), ("transient", "call", True)),
    ],
)
def test_googles_errors_are_read_alone_and_in_a_list(
    wrap: Any, status: int | None, error: dict[str, Any], expected: tuple[str, str, bool]
) -> None:
    """An array of one error means what the error means; so does an error inside HTTP 200."""
    found = fault(gemini.WIRE, status or error["error"]["code"], wrap(error))

    assert (found.kind, found.scope, found.retry) == expected
    assert error["error"]["message"] in found.message


def test_an_unknown_name_can_be_repaired() -> None:
    """Google's words for a parameter it does not know."""
    message = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'

    assert fault(gemini.WIRE, 400, [google(400, "INVALID_ARGUMENT", message)]).repair == Repair("seed")


@pytest.mark.parametrize(
    "choices",
    [
        [],
        [{"message": None}],
        [{"message": None, "finish_reason": "stop"}],
        [{"finish_reason": "content_filter", "message": {}}],
    ],
)
def test_a_filtered_reply_is_refused_and_keeps_its_cost(choices: list[Any]) -> None:
    """Without choices, or with null for a message, it was filtered: it is not asked again, and what it cost is known."""
    found = decoded(gemini.WIRE, 200, {"model": "gemini-3-pro", "choices": choices, "usage": {"prompt_tokens": 7}})

    assert isinstance(found, Completion)
    assert (found.text, found.refusal, found.finish_reason) == (None, "content filter", "content_filter")
    assert (found.usage.prompt_tokens, found.served_model) == (7, "gemini-3-pro")


def test_an_error_beside_no_choices_is_the_error() -> None:
    """A full minute is not taken for a filter because the list of choices is empty."""
    found = fault(gemini.WIRE, 200, {**google(429, "RESOURCE_EXHAUSTED", "slow down"), "choices": []})

    assert (found.kind, found.scope, found.retry) == ("rate_limit", "call", True)


def test_words_about_a_key_do_not_make_a_passing_fault_final() -> None:
    """Only what cannot pass by itself stops the endpoint."""
    found = fault(gemini.WIRE, 503, google(503, "UNAVAILABLE", "API key not valid yet"))

    assert (found.kind, found.scope, found.retry) == ("transient", "call", True)


@pytest.mark.parametrize("body", [{"model": "x"}, {"choices": None}, {"choices": {}}])
def test_a_reply_that_has_no_list_of_choices_is_no_answer(body: dict[str, Any]) -> None:
    """No list of choices at all is no filter but a reply to try again."""
    found = fault(gemini.WIRE, 200, body)

    assert (found.kind, found.retry) == ("protocol", True)


@pytest.mark.parametrize(
    ("choice", "finish"),
    [
        ({"message": None, "finish_reason": "length"}, "length"),
        ({"message": {"role": "assistant"}, "finish_reason": "length"}, "length"),
        ({"message": {"role": "assistant"}, "finish_reason": "stop"}, "stop"),
    ],
)
def test_thinking_that_used_up_the_limit_is_no_refusal(choice: dict[str, Any], finish: str) -> None:
    """A message without content is cut or empty, and no filter."""
    found = decoded(gemini.WIRE, 200, {"choices": [choice]})

    assert isinstance(found, Completion)
    assert (found.text, found.refusal, found.finish_reason) == (None, None, finish)


def test_a_reply_that_was_broken_off_is_no_refusal() -> None:
    """No message because something failed is to be tried again."""
    found = fault(gemini.WIRE, 200, {"choices": [{"message": None, "finish_reason": "error"}]})

    assert (found.kind, found.retry) == ("transient", True)


def test_elsewhere_no_choices_are_no_refusal() -> None:
    """What an empty list means is Gemini's alone."""
    assert fault(ollama.WIRE, 200, {"choices": []}).kind == "protocol"


# ----------------------------------------------------------------------------------------------------------- Ollama


@pytest.mark.parametrize(
    ("status", "said", "expected"),
    [
        (404, "model 'llama9' not found, try pulling it first", ("permanent", "model", False)),
        (400, "prompt too long; exceeded max context length by 9 tokens", ("permanent", "call", False)),
        (429, "too many requests", ("rate_limit", "call", True)),
        (500, "llama runner process has terminated", ("transient", "call", True)),
        (503, "server busy, please try again. maximum pending requests exceeded", ("transient", "call", True)),
        (200, "something broke midway", ("transient", "call", True)),
    ],
)
def test_a_native_error_is_a_text(status: int, said: str, expected: tuple[str, str, bool]) -> None:
    """{"error": "text"} is told in its words and by its status."""
    found = fault(ollama.WIRE, status, {"error": said})

    assert (found.kind, found.scope, found.retry) == expected
    assert said in found.message


@pytest.mark.parametrize("entry", NATIVE, ids=[entry["id"] for entry in NATIVE])
def test_a_reply_of_the_native_interface_is_no_answer(entry: dict[str, Any]) -> None:
    """A gateway that sends a call to /api/chat is found out: its reply is a fault, and nothing is read from it."""
    assert isinstance(read(entry), ApiError)


# --------------------------------------------------------------------------------------------------------- recorded


@pytest.mark.parametrize("entry", RECORDED, ids=[entry["id"] for entry in RECORDED])
def test_a_recorded_reply_is_read_as_it_was_meant(entry: dict[str, Any]) -> None:
    """Text, ending and tokens are those of the index; its error is told in its own words."""
    expected = entry["expected"]

    found = read(entry)

    if expected["error"] is not None:
        assert isinstance(found, ApiError)
        assert (found.kind, found.scope, found.retry) == ("permanent", "call", False)
        assert one_line(expected["error"], 200).removesuffix("…") in found.message
        return
    assert isinstance(found, Completion)
    assert (found.text, found.finish_reason, found.refusal) == (expected["text"], expected["finish_reason"], None)
    figures = {name: getattr(found.usage, field) for name, field in FIGURES.items() if name in expected}
    assert figures == {name: expected[name] for name in figures}


@few
@given(st.sampled_from(sorted(WIRES)), any_text)
def test_any_text_is_sent_and_read(name: str, text: str) -> None:
    """Whatever a text holds is sent as ASCII JSON and read back as it was."""
    body = WIRES[name].encode(call(messages=(Message("user", text),)), model(), {}).body
    found = decoded(WIRES[name], 200, spoken(text))

    assert body.isascii()
    assert strict_json(body)["messages"][0]["content"] == text
    assert isinstance(found, Completion) and found.text == text


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 999) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "code", "message", "status", "choices", "content", "finish_reason", "usage", "model"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@few
@given(
    st.sampled_from(sorted(WIRES)),
    st.sampled_from([200, 400, 404, 429, 500]),
    st.binary(max_size=60) | values.map(lambda value: json.dumps(value).encode()),
)
def test_nothing_crashes_a_wire(name: str, status: int, body: bytes) -> None:
    """Any bytes and any JSON are a reply or a fault that agrees with itself and can be logged."""
    found = decoded(WIRES[name], status, body)

    assert strict_json(line_of(attempt(response_json=found.body), None))
    if isinstance(found, ApiError):
        assert found.message.isprintable()
        assert found.retry == (found.kind in ("rate_limit", "transient", "protocol", "empty"))
        assert found.scope == "call" or found.kind == "permanent"
