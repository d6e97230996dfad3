"""Laws of Azure's wires: where each call goes, under which key header, and what a filter of Azure's means."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import RESPONSES, any_text, attempt, call, few, model, recorded_replies, spoken, strict_json

from tui_eval import providers
from tui_eval.core.calls import ApiError, Completion, Message, Repair, Request
from tui_eval.core.plaintext import one_line
from tui_eval.providers import azure, foundry
from tui_eval.providers.wire import Wire, api_version_of
from tui_eval.runs.record import line_of

AZURE = "https://res.openai.azure.com"
SERVERLESS = "https://my-endpoint.inference.ai.azure.com"
FOUNDRY = "https://res.services.ai.azure.com"
WIRES = {"azure": azure.WIRE, "azure-classic": azure.CLASSIC, "foundry": foundry.WIRE, "foundry-serverless": foundry.SERVERLESS}
RECORDED = [entry for entry in recorded_replies("chat") if entry["provider"] == "azure"]
FIGURES = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
    "total_tokens": "total_tokens",
    "cached_tokens": "cached_tokens",
    "reasoning_tokens": "reasoning_tokens",
}
FILTER = {
    "error": {
        "message": "The response was filtered due to the prompt triggering the content management policy.",
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"jailbreak": {"filtered": True}}},
    }
}
every_wire = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES.keys())


def request(wire: Wire, base_url: str = AZURE, name: str = "my-gpt", **changes: Any) -> Request:
    """The request of a plain call."""
    return wire.encode(call(), model(base_url=base_url, model=name, **changes), {})


def fault(wire: Wire, status: int, body: Any) -> ApiError:
    """The fault that a reply is."""
    found = wire.decode(status, {"content-type": "application/json"}, json.dumps(body).encode())
    assert isinstance(found, ApiError)
    return found


@pytest.mark.parametrize(
    ("wire", "base_url", "path"),
    [
        ("azure", f"{AZURE}/openai/v1", "/chat/completions"),
        ("azure", f"{AZURE}/openai/v1/", "/chat/completions"),
        ("azure-classic", AZURE, "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"),
        ("azure-classic", "${AZURE_ENDPOINT}", "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"),
        ("azure-classic", f"{AZURE}?api-version=2025-04-01-preview", "/openai/deployments/my-gpt/chat/completions"),
        ("foundry", f"{FOUNDRY}/openai/v1", "/chat/completions"),
        ("foundry", f"{FOUNDRY}/models", "/chat/completions?api-version=2024-05-01-preview"),
        ("foundry", f"{FOUNDRY}/models/", "/chat/completions?api-version=2024-05-01-preview"),
        ("foundry", f"{FOUNDRY}/models?api-version=2025-01-01", "/chat/completions"),
        ("foundry", f"{FOUNDRY}/openai/v1?of=/models", "/chat/completions"),
        ("foundry-serverless", SERVERLESS, "/chat/completions?api-version=2024-05-01-preview"),
        ("foundry-serverless", f"{SERVERLESS}/", "/chat/completions?api-version=2024-05-01-preview"),
        ("foundry-serverless", "${AZURE_AI_FOUNDRY_ENDPOINT}", "/chat/completions?api-version=2024-05-01-preview"),
        ("foundry-serverless", f"{SERVERLESS}/v1", "/chat/completions"),
    ],
)
def test_where_a_call_goes(wire: str, base_url: str, path: str) -> None:
    """The older paths carry an api-version, but never a second one beside that of the base URL."""
    assert request(WIRES[wire], base_url).path == path


@pytest.mark.parametrize(
    ("name", "quoted"), [("gpt-4.1", "gpt-4.1"), ("a/b", "a%2Fb"), ("a b?c#d", "a%20b%3Fc%23d"), ("ö", "%C3%B6")]
)
def test_a_deployment_is_one_part_of_the_path(name: str, quoted: str) -> None:
    """No deployment's name can reach into the rest of the URL."""
    assert request(azure.CLASSIC, name=name).path.startswith(f"/openai/deployments/{quoted}/chat/completions?")


@pytest.mark.parametrize("wire", [wire for name, wire in WIRES.items() if name != "foundry-serverless"])
def test_the_key_goes_alone_under_api_key(wire: Wire) -> None:
    """Azure's keys are no bearers but at an endpoint that serves one model; and there is no default server, since every
    resource has its own."""
    found = request(wire)

    assert (found.key_header, found.key_prefix) == ("api-key", "")
    assert found.headers["content-type"] == "application/json"
    assert "authorization" not in found.headers
    assert wire.base_url is None


def test_an_endpoint_of_one_model_takes_its_key_as_a_bearers() -> None:
    """By the variable that its users have, and the key may go to its hosts alone."""
    found = request(foundry.SERVERLESS, SERVERLESS)

    assert (found.key_header, found.key_prefix) == ("authorization", "Bearer ")
    assert (foundry.SERVERLESS.base_url, foundry.SERVERLESS.key_env) == (None, "AZURE_AI_FOUNDRY_API_KEY")
    assert SERVERLESS.endswith(foundry.SERVERLESS.hosts)
    assert not set(foundry.SERVERLESS.hosts) & set(foundry.WIRE.hosts)


@pytest.mark.parametrize(
    ("wire", "limit"),
    [
        ("azure", "max_completion_tokens"),
        ("azure-classic", "max_completion_tokens"),
        ("foundry", "max_tokens"),
        ("foundry-serverless", "max_tokens"),
    ],
)
def test_the_body_is_a_chat_completions(wire: str, limit: str) -> None:
    """The deployment is the model, the limit has the name its servers know, and what is not set is not sent."""
    body = strict_json(request(WIRES[wire]).body)
    full = strict_json(WIRES[wire].encode(call(temperature=0.0), model(reasoning_effort="low", seed=1), {}).body)

    assert set(body) == {"model", "messages", limit}
    assert (body["model"], body[limit]) == ("my-gpt", 200)
    assert (full["temperature"], full["reasoning_effort"]) == (0.0, "low")
    assert "seed" in full


@pytest.mark.parametrize(
    ("wire", "refused", "known"),
    [
        ("azure", "max_completion_tokens", "max_tokens"),
        ("azure-classic", "max_completion_tokens", "max_tokens"),
        ("foundry", "max_tokens", "max_completion_tokens"),
    ],
)
def test_what_was_learnt_is_applied(wire: str, refused: str, known: str) -> None:
    """A version or a model that knows only the other name of the limit gets that."""
    body = strict_json(WIRES[wire].encode(call(), model(), {refused: Repair(refused, known)}).body)

    assert refused not in body
    assert body[known] == 200


@every_wire
def test_a_filtered_prompt_is_one_refused_call(wire: Wire) -> None:
    """HTTP 400 of the content filter is about this prompt: not about the model, and not to be asked again."""
    found = fault(wire, 400, FILTER)

    assert (found.kind, found.scope, found.retry, found.repair) == ("refused", "call", False, None)


@every_wire
@pytest.mark.parametrize("text", [None, "half a sen"])
def test_a_filtered_answer_is_refused(wire: Wire, text: str | None) -> None:
    """HTTP 200 that ends in content_filter is declined, whatever came before the filter stepped in."""
    found = wire.decode(200, {}, spoken(text, "content_filter", prompt_filter_results=[{"prompt_index": 0}]))

    assert isinstance(found, Completion)
    assert found.refusal == "content filter"


@every_wire
@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (401, {"code": "401", "message": "Access denied due to invalid subscription key"}, ("permanent", "endpoint", False)),
        (404, {"code": "DeploymentNotFound", "message": "The API deployment does not exist."}, ("permanent", "model", False)),
        (404, {"code": "404", "message": "Resource not found"}, ("permanent", "model", False)),
        (429, {"code": "429", "message": "exceeded token rate limit of your S0 pricing tier"}, ("rate_limit", "call", True)),
        (429, {"code": "RateLimitReached", "message": "Please retry after 7 seconds."}, ("rate_limit", "call", True)),
        (429, {"code": "insufficient_quota", "message": "no"}, ("permanent", "endpoint", False)),
        (500, {"code": "InternalServerError", "message": "Backend returned unexpected response."}, ("transient", "call", True)),
    ],
)
def test_an_error_of_azures_reaches_as_far_as_it_must(
    wire: Wire, status: int, error: dict[str, str], expected: tuple[str, str, bool]
) -> None:
    """A wrong key stops the resource, a missing deployment its model, and a full minute nothing."""
    found = fault(wire, status, {"error": error})

    assert (found.kind, found.scope, found.retry) == expected


@every_wire
@pytest.mark.parametrize("entry", RECORDED, ids=[entry["id"] for entry in RECORDED])
def test_a_recorded_reply_is_read_as_it_was_meant(wire: Wire, entry: dict[str, Any]) -> None:
    """Text, ending and tokens are those of the index; its error is told in its own words."""
    expected = entry["expected"]

    found = wire.decode(entry["http_status"], entry["response_headers"], (RESPONSES / entry["file"]).read_bytes())

    if expected["error"] is not None:
        assert isinstance(found, ApiError)
        assert (found.kind, found.scope, found.retry) == ("permanent", "endpoint", False)
        assert one_line(expected["error"], 200).removesuffix("…") in found.message
        return
    assert isinstance(found, Completion)
    assert (found.text, found.finish_reason) == (expected["text"], expected["finish_reason"])
    assert (found.refusal is not None) == ("filtered" in entry["traits"])
    figures = {name: getattr(found.usage, field) for name, field in FIGURES.items() if name in expected}
    assert figures == {name: expected[name] for name in figures}


@few
@given(st.sampled_from(sorted(WIRES)), any_text, any_text.filter(lambda name: name.isprintable()))
def test_any_text_is_sent_as_ascii(name: str, text: str, deployment: str) -> None:
    """Whatever a prompt or a deployment's name holds, path and body are ASCII and the body says the very same."""
    found = WIRES[name].encode(call(messages=(Message("user", text),)), model(base_url=AZURE, model=deployment), {})

    assert found.path.isascii() and found.body.isascii()
    assert strict_json(found.body)["messages"] == [{"role": "user", "content": text}]


@few
@given(st.sampled_from(sorted(WIRES)), st.sampled_from([200, 400, 404, 429, 500]), st.binary(max_size=60))
def test_no_bytes_crash_a_wire(name: str, status: int, body: bytes) -> None:
    """Any bytes are a reply or a fault that can be logged."""
    found = WIRES[name].decode(status, {"content-type": "application/json"}, body)

    assert isinstance(found, Completion) or found.message.isprintable()
    assert strict_json(line_of(attempt(response_json=found.body), None))


@pytest.mark.parametrize(
    ("name", "fields", "version"),
    [
        ("azure-classic", {"base_url": "https://x.example"}, "2024-10-21"),
        ("azure-classic", {"base_url": "https://x.example", "api_version": "2025-01-01"}, "2025-01-01"),
        ("azure-classic", {"base_url": "https://x.example?api-version=2025-02-02"}, "2025-02-02"),
        ("foundry", {"base_url": "https://x.example/models"}, "2024-05-01-preview"),
        ("foundry", {"base_url": "https://x.example/openai/v1"}, None),
        ("openai", {"api_version": "2025-01-01"}, None),
        ("recorded", {}, None),
    ],
)
def test_the_version_that_is_told_is_the_one_that_is_sent(name: str, fields: dict[str, Any], version: str | None) -> None:
    """As the address has it, as it is set, or the wire's own; None where none is sent."""
    assert api_version_of(model(wire=name, **{"base_url": None, **fields}), providers.WIRES[name]) == version
