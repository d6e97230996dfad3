"""Laws of servers on this machine: the OpenAI wire without a key, and what llama.cpp says in its own way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from makers import call, model, spoken, strict_json

from tui_eval.core.calls import ApiError, Completion
from tui_eval.providers import WIRES

BASES = {
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "vllm": "http://127.0.0.1:8000/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
    "ollama": "http://127.0.0.1:11434/v1",
}
NO_IMAGE = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
NO_PART = 'Failed to parse messages: Unsupported content part type: "image_url"; messages = []'
TOO_LONG = {
    "error": {
        "code": 400,
        "message": "the request exceeds the available context size, try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 5000,
        "n_ctx": 4096,
    }
}


def fault(wire: str, status: int, body: Any) -> ApiError:
    """The fault that a reply is."""
    found = WIRES[wire].decode(status, {"content-type": "application/json"}, json.dumps(body).encode())
    assert isinstance(found, ApiError), found
    return found


@pytest.mark.parametrize("wire", BASES)
def test_a_local_server_needs_no_key(wire: str) -> None:
    """Each has its port; a key is sent only where the config names one; the limit is max_tokens there, too."""
    found = WIRES[wire].encode(call(), model(wire=wire, base_url=None), {})

    assert (WIRES[wire].base_url, WIRES[wire].key_env) == (BASES[wire], None)
    assert (found.path, found.key_header, found.key_prefix) == ("/chat/completions", "authorization", "Bearer ")
    assert strict_json(found.body)["max_tokens"] == 200
    assert WIRES[wire].prefixes == ()


def test_only_ollama_cuts_prompts_unsaid() -> None:
    """The others refuse a prompt that does not fit."""
    assert [name for name, wire in WIRES.items() if wire.cuts_prompts] == ["ollama"]


@pytest.mark.parametrize("message", [NO_IMAGE, NO_PART, "image input is not supported by this server"])
def test_an_image_that_a_model_cannot_see_is_not_sent_again(message: str) -> None:
    """llama.cpp says HTTP 500: it looks like a passing fault and is none; elsewhere a 500 is a 500."""
    body = {"error": {"code": 500, "message": message, "type": "server_error"}}

    for status in (500, 200):
        found = fault("llama.cpp", status, body)

        assert (found.kind, found.scope, found.retry, found.cause) == ("permanent", "call", False, "attachment")
        assert message[:40] in found.message
    assert fault("vllm", 500, body).kind == "transient"


def test_a_prompt_that_does_not_fit_is_told() -> None:
    """Its context is full: this call alone is over, and more room is what it needs."""
    found = fault("llama.cpp", 400, TOO_LONG)

    assert (found.kind, found.scope, found.retry, found.repair, found.cause) == ("permanent", "call", False, None, "length")


@pytest.mark.parametrize(
    ("status", "error", "kind", "retry"),
    [
        (503, {"code": 503, "message": "Loading model", "type": "unavailable_error"}, "transient", True),
        (500, {"code": 500, "message": "failed to decode the batch", "type": "server_error"}, "transient", True),
        (400, {"code": 400, "message": "'messages' is required", "type": "invalid_request_error"}, "permanent", False),
        (401, {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}, "permanent", False),
    ],
)
def test_other_errors_of_llama_cpp_are_what_they_seem(status: int, error: dict[str, Any], kind: str, retry: bool) -> None:
    """A server that still loads its model will have it soon."""
    found = fault("llama.cpp", status, {"error": error})

    assert (found.kind, found.retry) == (kind, retry)
    assert found.cause != "attachment"


@pytest.mark.parametrize(
    "body",
    [
        {"object": "error", "message": "no such thing", "type": "BadRequestError", "code": 400},
        {"error": {"message": "no such thing", "type": "BadRequestError", "code": 400}},
    ],
)
def test_vllms_errors_are_read_flat_and_nested(body: dict[str, Any]) -> None:
    """Its versions differ in this."""
    found = fault("vllm", 400, body)

    assert (found.kind, found.scope) == ("permanent", "call")
    assert "no such thing" in found.message


@pytest.mark.parametrize("wire", BASES)
@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_thoughts_cut_by_the_limit_are_no_answer(wire: str, field: str) -> None:
    """The limit reached while thinking: empty content, and the thoughts in a field of either name."""
    body = json.loads(spoken("", "length"))
    body["choices"][0]["message"][field] = "hm"

    found = WIRES[wire].decode(200, {}, json.dumps(body).encode())

    assert isinstance(found, Completion)
    assert (found.text, found.reasoning, found.finish_reason) == ("", "hm", "length")
