"""Laws of errors on the wire: each is told by kind, by how far it reaches, and by whether it can pass by itself."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import RESPONSES, attempt, few, recorded_replies, spoken, strict_json

from tui_eval.core.calls import ApiError, Cause, Completion, Repair
from tui_eval.core.plaintext import one_line
from tui_eval.providers import WIRES
from tui_eval.runs.record import line_of

STOP_CALL = ("permanent", "call", False)
STOP_MODEL = ("permanent", "model", False)
STOP_ENDPOINT = ("permanent", "endpoint", False)
SLOW_DOWN = ("rate_limit", "call", True)
TRY_AGAIN = ("transient", "call", True)
DECLINED = ("refused", "call", False)
UNREADABLE = ("protocol", "call", True)


SPOKEN = sorted(name for name, wire in WIRES.items() if not wire.recorded)


def decoded(status: int, body: Any, headers: dict[str, str] | None = None, wire: str = "openai") -> Completion | ApiError:
    """What a wire makes of a reply; a body that is not bytes is sent as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return WIRES[wire].decode(status, headers or {"content-type": "application/json"}, data)


def fault(status: int, body: Any, headers: dict[str, str] | None = None, wire: str = "openai") -> ApiError:
    """The fault that a reply is."""
    found = decoded(status, body, headers, wire)
    assert isinstance(found, ApiError)
    return found


def error(message: str = "no", **fields: Any) -> dict[str, Any]:
    """An error body in the common shape."""
    return {"error": {"message": message, **fields}}


GEMINI_PER_MINUTE = error(
    "You exceeded your current quota, please check your plan and billing details. Please retry in 36.6s.",
    code=429,
    status="RESOURCE_EXHAUSTED",
    details=[{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s"}],
)
AZURE_FILTER = error(
    "The response was filtered due to the prompt triggering the content management policy.",
    code="content_filter",
    status=400,
    innererror={"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"jailbreak": {"filtered": True}}},
)
MODERATED = error("Your input was flagged", code=403, metadata={"reasons": ["violence"], "flagged_input": "x"})

BY_STATUS = {
    "400 bad request": (400, error("bad", type="invalid_request_error"), STOP_CALL),
    "400 content filter of Azure": (400, AZURE_FILTER, DECLINED),
    "400 model_not_found": (400, error("The model does not exist", code="model_not_found"), STOP_MODEL),
    "400 Invalid model name (LiteLLM)": (400, error("Invalid model name passed in", code="400"), STOP_MODEL),
    "400 wrong key (LiteLLM)": (400, error("Authentication Error", type="auth_error", code="400"), STOP_ENDPOINT),
    "400 context (llama.cpp)": (400, error("too long", code=400, type="exceed_context_size_error", n_ctx=512), STOP_CALL),
    "401": (401, error("Incorrect API key provided", code="invalid_api_key"), STOP_ENDPOINT),
    "401 without a body": (401, b"", STOP_ENDPOINT),
    "402 credits": (402, error("Insufficient credits", code=402), STOP_ENDPOINT),
    "402 key limit": (402, error("limit", code=402, metadata={"limit_source": "openrouter_key_limit"}), STOP_ENDPOINT),
    "402 in flight": (402, error("busy", code=402, metadata={"limit_source": "openrouter_in_flight_budget"}), SLOW_DOWN),
    "403": (403, error("You do not have access"), STOP_MODEL),
    "403 moderation": (403, MODERATED, DECLINED),
    "404 no endpoints": (404, error("No endpoints found for x/y.", code=404), STOP_MODEL),
    "404 of Ollama": (404, {"error": "model 'llama9' not found, try pulling it first"}, STOP_MODEL),
    "404 page": (404, b"404 page not found", STOP_MODEL),
    "404 image input (OpenRouter)": (404, error("No endpoints found that support image input", code=404), STOP_CALL),
    "400 not a model (OpenRouter)": (400, error("x/y is not a valid model ID", code=400), STOP_MODEL),
    "405": (405, b"Method Not Allowed", STOP_MODEL),
    "403 key limit (OpenRouter)": (403, error("Key limit exceeded (total limit).", code=403), STOP_ENDPOINT),
    "403 leaked key (Google)": (403, error("Your API key was reported as leaked.", status="PERMISSION_DENIED"), STOP_ENDPOINT),
    "400 filter (Anthropic)": (400, error("Output blocked by content filtering policy"), DECLINED),
    "408": (408, error("timeout", type="invalid_request_error"), TRY_AGAIN),
    "409": (409, error(), TRY_AGAIN),
    "413 page": (413, b"<html><h1>413 Request Entity Too Large</h1></html>", STOP_CALL),
    "422 of FastAPI": (422, {"detail": [{"loc": ["body", "n"], "msg": "Input should be 1", "type": "x"}]}, STOP_CALL),
    "425": (425, error(), TRY_AGAIN),
    "429": (429, error("Rate limit reached", code="rate_limit_exceeded"), SLOW_DOWN),
    "429 string code (LiteLLM)": (429, error("throttled", type="throttling_error", code="429"), SLOW_DOWN),
    "429 page": (429, b"<html>Too Many Requests</html>", SLOW_DOWN),
    "429 insufficient_quota": (429, error("You exceeded your current quota", code="insufficient_quota"), STOP_ENDPOINT),
    "429 per minute (Gemini)": (429, GEMINI_PER_MINUTE, SLOW_DOWN),
    "429 in a list (Google)": (429, [error("slow", code=429, status="RESOURCE_EXHAUSTED")], SLOW_DOWN),
    "500": (500, error("The server had an error", type="server_error"), TRY_AGAIN),
    "500 plain text": (500, b"Internal Server Error", TRY_AGAIN),
    "502 page": (502, b"<html><center>nginx</center></html>", TRY_AGAIN),
    "503 loading (llama.cpp)": (503, error("Loading model", code=503, type="unavailable_error"), TRY_AGAIN),
    "504 page": (504, b"<html>Gateway Time-out</html>", TRY_AGAIN),
    "529 overloaded": (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, TRY_AGAIN),
    "302": (302, b"", STOP_MODEL),
}


@pytest.mark.parametrize(("status", "body", "expected"), BY_STATUS.values(), ids=BY_STATUS.keys())
def test_an_error_status_means_what_it_can_mend(status: int, body: Any, expected: tuple[str, str, bool]) -> None:
    """What can pass is tried again, what the key, the quota or the model is at fault for stops that and no more."""
    found = fault(status, body)

    assert (found.kind, found.scope, found.retry) == expected
    assert f"HTTP {status}" in found.message


def metadata(error_type: str) -> dict[str, Any]:
    """An error inside HTTP 200 that only names its type, as OpenRouter writes it."""
    return error("Provider returned error", metadata={"error_type": error_type})


INSIDE_200 = {
    "integer code": (error(code=429), SLOW_DOWN),
    "text code": (error(code="429"), SLOW_DOWN),
    "named code": (error(code="rate_limit_exceeded"), SLOW_DOWN),
    "no code": (error("upstream failed"), TRY_AGAIN),
    "null code": (error("upstream failed", code=None, type=None), TRY_AGAIN),
    "text for an error": ({"error": "upstream failed"}, TRY_AGAIN),
    "code that is none": (error(code=True), TRY_AGAIN),
    "code out of range": (error(code=0), TRY_AGAIN),
    "401": (error(code=401), STOP_ENDPOINT),
    "402 in flight": (error(code=402, metadata={"limit_source": "openrouter_in_flight_budget"}), SLOW_DOWN),
    "402": (error(code=402), STOP_ENDPOINT),
    "moderation": (MODERATED, DECLINED),
    "quota gone": (error(code="insufficient_quota"), STOP_ENDPOINT),
    "model_not_found": (error("The model does not exist", code="model_not_found"), STOP_MODEL),
    "invalid_api_key": (error("Incorrect API key provided", code="invalid_api_key"), STOP_ENDPOINT),
    "content_filter": (error("filtered", code="content_filter"), DECLINED),
    "invalid_request_error": (error("bad", type="invalid_request_error", code=None), STOP_CALL),
    "list (Google), 400": ([error("bad", code=400, status="INVALID_ARGUMENT")], STOP_CALL),
    "list (Google), 429": ([error("slow", code=429, status="RESOURCE_EXHAUSTED")], SLOW_DOWN),
    "beside choices": ({**error(code=503), "choices": None}, TRY_AGAIN),
    "in the choice": ({"choices": [{"finish_reason": "error", **error(code=429)}]}, SLOW_DOWN),
    "type context_length_exceeded": (metadata("context_length_exceeded"), STOP_CALL),
    "type max_tokens_exceeded": (metadata("max_tokens_exceeded"), STOP_CALL),
    "type token_limit_exceeded": (metadata("token_limit_exceeded"), STOP_CALL),
    "type invalid_prompt": (metadata("invalid_prompt"), STOP_CALL),
    "type rate_limit_exceeded": (metadata("rate_limit_exceeded"), SLOW_DOWN),
    "type provider_overloaded": (metadata("provider_overloaded"), TRY_AGAIN),
    "type authentication": (metadata("authentication"), STOP_ENDPOINT),
    "type payment_required": (metadata("payment_required"), STOP_ENDPOINT),
    "type permission_denied": (metadata("permission_denied"), STOP_MODEL),
    "type not_found": (metadata("not_found"), STOP_MODEL),
}


@pytest.mark.parametrize(("body", "expected"), INSIDE_200.values(), ids=INSIDE_200.keys())
def test_an_error_inside_http_200_means_what_its_code_says(body: Any, expected: tuple[str, str, bool]) -> None:
    """Some servers report errors with status 200: the code counts, as a number, a text or a name; without one, try again."""
    found = fault(200, body, wire="openrouter")

    assert (found.kind, found.scope, found.retry) == expected


@pytest.mark.parametrize(
    "fields",
    [{"error": empty} for empty in (None, "", {}, [], False)]
    + [{"detail": "served from the cache"}, {"detail": [1]}, {"message": "ok"}, {"status": "done"}, {"code": 200}],
)
def test_a_reply_with_other_fields_beside_it_is_a_reply(fields: dict[str, Any]) -> None:
    """An error that is empty is none, and a field that would hold an error in another shape does not undo a good answer."""
    found = decoded(200, spoken(**fields))

    assert isinstance(found, Completion)
    assert found.text == "two"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"object": "error", "message": "too long", "type": "BadRequestError", "param": None, "code": 400}, "too long"),
        ({"error": "prompt too long"}, "prompt too long"),
        ({"detail": "Unsupported field: n"}, "Unsupported field: n"),
        ({"detail": [{"loc": ["body", "n"], "msg": "Extra inputs are not permitted"}]}, "Extra inputs are not permitted"),
        ([{"error": {"code": 400, "message": "Invalid JSON payload", "status": "INVALID_ARGUMENT"}}], "Invalid JSON payload"),
        ({"type": "error", "error": {"type": "invalid_request_error", "message": "max_tokens: too low"}}, "too low"),
        (b"<html>\n<h1>Bad\x1b[31m Request</h1></html>", "HTTP 400: Bad\u241b[31m Request"),
        (b"\xff\xfe not text", "not text"),
        (b"", "no message"),
        (b"{", "{"),
        ({"error": {}}, "{"),
        ({"error": {"message": ["odd"]}}, "odd"),
    ],
)
def test_the_message_is_found_in_every_known_shape(body: Any, said: str) -> None:
    """Objects, texts, lists, flat errors, FastAPI's detail and pages: what a person would want to read is in the fault."""
    found = fault(400, body)

    assert said in found.message
    assert len(found.message) < 600


RECORDED_CAUSES: dict[str, Cause] = {
    "azure-chat-007": "key",
    "cohere-v2chat-005": "key",
    "deepseek-chat-011": "key",
    "google-generatecontent-020": "rate",
    "ollama-chat-005": "length",
    "openai-chat-012": "model",
    "openai-responses-029": "model",
    "openrouter-chat-022": "length",
    "openrouter-chat-023": "key",
    "xai-responses-004": "key",
}
"""What a person has to look at for each recorded error."""
ENDPOINTS = ("chat", "responses", "messages", "v2chat", "generateContent")
RECORDED = [entry for name in ENDPOINTS for entry in recorded_replies(name) if entry["http_status"] != 200]


@pytest.mark.parametrize("entry", RECORDED, ids=[entry["id"] for entry in RECORDED])
def test_a_recorded_error_has_its_cause(entry: dict[str, Any]) -> None:
    """Every error that was recorded from a provider is told apart by what has to be changed."""
    body = (RESPONSES / entry["file"]).read_bytes()
    wire = "openai-responses" if entry["endpoint"] == "responses" else "openai"

    found = decoded(entry["http_status"], body, wire=wire)

    assert isinstance(found, ApiError)
    assert found.cause == RECORDED_CAUSES[entry["id"]]
    assert one_line(entry["expected"]["error"], 200).removesuffix("…") in found.message


def anthropic(kind: str, message: str) -> dict[str, Any]:
    """An error as Anthropic writes it."""
    return {"type": "error", "error": {"type": kind, "message": message}}


LIMIT = "limit_source"
PAGE = b"<!DOCTYPE html><html><head><title>404: This page could not be found</title></head><body></body></html>"
CAUSES: dict[str, tuple[Cause | None, int, Any, str]] = {
    "key": ("key", 401, error("Incorrect API key provided", code="invalid_api_key"), "openai"),
    "key of Azure": ("key", 401, {"statusCode": 401, "message": "Access denied due to invalid subscription key"}, "azure"),
    "key of Anthropic": ("key", 401, anthropic("authentication_error", "invalid x-api-key"), "anthropic"),
    "key of Gemini": ("key", 400, [error("API key not valid. Please pass one.", code=400)], "gemini"),
    "key of Gemini, run out": ("key", 400, error("API key expired. Please renew the API key.", code=400), "gemini"),
    "key through LiteLLM": ("key", 400, error("Authentication Error", type="auth_error", code="400"), "openai"),
    "key of llama.cpp": ("key", 401, error("Invalid API Key", code=401, type="authentication_error"), "openai"),
    "key, a proxy's page": ("key", 401, PAGE, "openai"),
    "key, inside 200": ("key", 200, error("No auth credentials found", code=401), "openrouter"),
    "scopes": ("permission", 401, error("You have insufficient permissions. Missing scopes: model.request"), "openai"),
    "disabled": ("permission", 400, anthropic("invalid_request_error", "This organization has been disabled."), "anthropic"),
    "403": ("permission", 403, error("Country, region, or territory not supported"), "openai"),
    "403 of Anthropic": ("permission", 403, anthropic("permission_error", "no"), "anthropic"),
    "403 of Google": ("permission", 403, error("no", code=403, status="PERMISSION_DENIED"), "gemini"),
    "model": ("model", 404, error("The model `x` does not exist", code="model_not_found"), "openai"),
    "model of Anthropic": ("model", 404, anthropic("not_found_error", "model: claude-x"), "anthropic"),
    "model of Gemini": ("model", 404, error("models/x is not found for API version v1beta", code=404), "gemini"),
    "model of Ollama": ("model", 404, {"error": "model 'x' not found, try pulling it first"}, "ollama"),
    "model of vLLM": ("model", 404, {"object": "error", "message": "The model `x` does not exist.", "code": 404}, "openai"),
    "model through LiteLLM": ("model", 400, error("Invalid model name passed in model=x", code="400"), "openai"),
    "model of DeepSeek": ("model", 400, error("Model Not Exist", type="invalid_request_error"), "openai"),
    "model of OpenRouter": ("model", 400, error("x/y is not a valid model ID", code=400), "openrouter"),
    "data policy": ("model", 404, error("No endpoints found matching your data policy", code=404), "openrouter"),
    "deployment": ("deployment", 404, error("no", code="DeploymentNotFound"), "azure"),
    "deployment in words": ("deployment", 404, error("The API deployment for this resource does not exist."), "azure-classic"),
    "model of Foundry": ("model", 400, error("Unknown model: x", code="unknown_model"), "foundry"),
    "quota": ("quota", 429, error("You exceeded your current quota", code="insufficient_quota"), "openai"),
    "quota of Anthropic": ("quota", 400, anthropic("invalid_request_error", "Your credit balance is too low."), "anthropic"),
    "billing of Anthropic": ("quota", 402, anthropic("billing_error", "no"), "anthropic"),
    "quota of DeepSeek": ("quota", 402, error("Insufficient Balance"), "openai"),
    "credits": ("quota", 402, error("no", code=402, metadata={LIMIT: "openrouter_credits"}), "openrouter"),
    "key limit": ("quota", 402, error("no", code=402, metadata={LIMIT: "openrouter_key_limit"}), "openrouter"),
    "budget of LiteLLM": ("quota", 400, error("Budget has been exceeded!", type="budget_exceeded", code="400"), "openai"),
    "in flight": ("rate", 402, error("no", code=402, metadata={LIMIT: "openrouter_in_flight_budget"}), "openrouter"),
    "in flight, inside 200": (
        "rate",
        200,
        error("no", code=402, metadata={LIMIT: "openrouter_in_flight_budget"}),
        "openrouter",
    ),
    "rate": ("rate", 429, error("Rate limit reached", code="rate_limit_exceeded"), "openai"),
    "rate of Anthropic": ("rate", 429, anthropic("rate_limit_error", "no"), "anthropic"),
    "rate of Gemini": ("rate", 429, GEMINI_PER_MINUTE, "gemini"),
    "rate, a proxy's page": ("rate", 429, PAGE, "openai"),
    "filter of Azure": ("filter", 400, AZURE_FILTER, "azure"),
    "moderation": ("filter", 403, MODERATED, "openrouter"),
    "filter of Anthropic": (
        "filter",
        400,
        anthropic("invalid_request_error", "blocked by content filtering policy"),
        "anthropic",
    ),
    "filter through LiteLLM": ("filter", 400, error("litellm.ContentPolicyViolationError: no", code="400"), "openai"),
    "filter upstream": (
        "filter",
        400,
        error("Provider returned error", code=400, metadata={"raw": '{"error":{"code":"content_filter"}}'}),
        "openrouter",
    ),
    "length": ("length", 400, error("maximum context length is 8", code="context_length_exceeded"), "openai"),
    "length of llama.cpp": ("length", 400, error("too long", code=400, type="exceed_context_size_error"), "openai"),
    "length of Anthropic": ("length", 400, anthropic("invalid_request_error", "prompt is too long: 9 > 8"), "anthropic"),
    "too large for Anthropic": ("length", 413, anthropic("request_too_large", "no"), "anthropic"),
    "length of Gemini": ("length", 400, error("The input token count exceeds the maximum number of tokens allowed"), "gemini"),
    "length, inside 200": ("length", 200, metadata("context_length_exceeded"), "openrouter"),
    "too large for a proxy": ("length", 413, PAGE, "openai"),
    "path": ("path", 404, PAGE, "openai"),
    "path, nothing": ("path", 404, b"", "openai"),
    "path of Ollama": ("path", 404, b"404 page not found", "ollama"),
    "path of FastAPI": ("path", 404, {"detail": "Not Found"}, "openai"),
    "path of llama.cpp": ("path", 404, error("File Not Found", code=404, type="not_found_error"), "openai"),
    "path of OpenAI": ("path", 404, error("Invalid URL (POST /v1/v1/chat/completions)", code=None), "openai"),
    "path of Azure": ("path", 404, error("Resource not found", code="404"), "azure"),
    "path of LM Studio": ("path", 200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"}, "openai"),
    "path of Anthropic": ("path", 404, anthropic("not_found_error", "Not Found"), "anthropic"),
    "405": ("path", 405, b"", "openai"),
    "308": ("path", 308, PAGE, "openai"),
    "image_url": ("attachment", 400, error("image_url is only supported by certain models."), "openai"),
    "image_url, not of the schema": ("attachment", 400, error("unknown variant `image_url`, expected `text`"), "openai"),
    "image input": ("attachment", 404, error("No endpoints found that support image input", code=404), "openrouter"),
    "image of Ollama": ("attachment", 400, error("this model does not support image input"), "ollama"),
    "image of Anthropic": ("attachment", 400, anthropic("invalid_request_error", "Could not process image"), "anthropic"),
    "no vision in a provision": (None, 400, error("provisioning of the division failed"), "openai"),
    "a model called vision": ("model", 404, error("The model `gpt-4-vision-preview` does not exist"), "openai"),
    "TLS wanted": ("tls", 400, b"Client sent an HTTP request to an HTTPS server.", "openai"),
    "bad request": (None, 400, error("bad", type="invalid_request_error"), "openai"),
    "server in trouble": (None, 500, error("no", type="server_error"), "openai"),
    "bad gateway": (None, 502, PAGE, "openai"),
    "overloaded": (None, 529, anthropic("overloaded_error", "Overloaded"), "anthropic"),
}


@pytest.mark.parametrize(("cause", "status", "body", "wire"), CAUSES.values(), ids=CAUSES.keys())
def test_an_error_has_its_cause(cause: Cause | None, status: int, body: Any, wire: str) -> None:
    """In each provider's shape, what a person has to look at is told; where nobody can tell, nothing is claimed."""
    found = fault(status, body, wire=wire)

    assert found.cause == cause, found.message


def test_what_the_provider_behind_a_router_said_is_told() -> None:
    """Beside the router's own words, which alone would say nothing; as text or as an object."""
    for raw in ("odd upstream words", {"error": {"message": "odd upstream words"}}):
        found = fault(502, error("Provider returned error", code=502, metadata={"raw": raw}), wire="openrouter")

        assert "Provider returned error: " in found.message
        assert "odd upstream words" in found.message


PAGES = {
    "title": (b"<html><head><title>\n 502 Bad &amp; Gateway </title></head><body><h1>No</h1></body>", "502 Bad & Gateway"),
    "no title": (b"<html><style>p { color: red }</style><script>if (a<b) go()</script><p>Sign <b>in</b></p>", "Sign in"),
    "comment": (b"<!DOCTYPE html><!-- <p>hidden</p> --><body>Shown<!-- hidden", "Shown"),
    "entities": (b"<html><body>&lt;script&gt;x&lt;/script&gt;", "script x /script"),
    "XML": (b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code></Error>", "NoSuchKey"),
    "nothing to see": (b"<html><body></body></html>", "a page that shows no words"),
    "broken off": (b"<html><body>Words<div class='", "Words"),
    "mark": (b"\xef\xbb\xbf<html><title>Marked</title>", "Marked"),
}


@pytest.mark.parametrize(("body", "words"), PAGES.values(), ids=PAGES.keys())
def test_of_a_page_its_title_or_first_words_are_told(body: bytes, words: str) -> None:
    """A page is never shown as markup."""
    assert fault(503, body).message == f"HTTP 503: {words}"
    assert fault(503, error(body.decode())).message == f"HTTP 503: {words}"


@few
@given(
    st.lists(
        st.sampled_from(["<", ">", "<!--", "-->", "<script>", "</script>", "<title>", "</title>", "&lt;", "a", "\x1b", "\n"])
    )
)
def test_no_page_leaves_markup_behind(pieces: list[str]) -> None:
    """However a page is broken, what is told is one line without brackets."""
    message = fault(404, ("<html>" + "".join(pieces)).encode()).message

    assert message.isprintable() and not {"<", ">"} & set(message)


@pytest.mark.parametrize("piece", ["<", "<title", "<!--", "<script>", "<a b", "&", "<title>", "<p>x"])
def test_a_long_page_takes_no_time(piece: str) -> None:
    """A page of many megabytes, made to be slow to read, is read as fast as any other."""
    page = b"<html>" + piece.encode() * 500_000

    began = time.process_time()
    found = fault(404, page)

    assert time.process_time() - began < 10
    assert len(found.message) < 300


REPAIRS = [
    (
        "max_tokens",
        "unsupported_parameter",
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.",
        "max_completion_tokens",
    ),
    ("max_completion_tokens", None, "Unrecognized request argument supplied: max_completion_tokens", "max_tokens"),
    ("temperature", "unsupported_value", "Unsupported value: 'temperature' does not support 0.9 with this model.", None),
    ("reasoning_effort", "unsupported_parameter", "Unsupported parameter: 'reasoning_effort'", None),
    ("seed", None, "[{'loc': ['body', 'seed'], 'msg': 'Extra inputs are not permitted'}]", None),
]


@pytest.mark.parametrize(("parameter", "code", "message", "rename"), REPAIRS, ids=[repair[0] for repair in REPAIRS])
@pytest.mark.parametrize("named", [True, False], ids=["named", "in the message only"])
@pytest.mark.parametrize("status", [400, 422])
def test_a_refused_parameter_can_be_repaired(
    parameter: str, code: str | None, message: str, rename: str | None, named: bool, status: int
) -> None:
    """A parameter that the server will not take is left out or renamed, whether it is named in a field or in the text."""
    found = fault(status, error(message, code=code, param=parameter if named else None))

    assert found.repair == Repair(parameter, rename)
    assert not found.retry


def test_openrouters_reasoning_can_be_repaired() -> None:
    """What the wire says is repairable is repaired: reasoning is what OpenRouter calls the effort."""
    found = fault(400, error("Unsupported parameter: 'reasoning'", code=400, param="reasoning"), wire="openrouter")

    assert found.repair == Repair("reasoning")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("Unsupported parameter: 'messages'", code="unsupported_parameter", param="messages")),
        (400, error("'temperature' must be below 2", param="temperature")),
        (429, error("temperature unsupported", param="temperature")),
        (500, error("unsupported parameter: temperature", param="temperature")),
        (400, AZURE_FILTER),
    ],
)
def test_nothing_else_is_repaired(status: int, body: Any) -> None:
    """Messages are never dropped, and a wrong value, a full queue or a server in trouble is no refused parameter."""
    assert fault(status, body).repair is None


BROKEN = {
    "empty": b"",
    "white space": b" \n ",
    "page": b"<!doctype html><title>Sign in</title>",
    "half": b'{"choices": [{"mess',
    "NaN": b'{"choices": NaN}',
    "Infinity": b'{"usage": {"cost": -Infinity}}',
    "deep": b"[" * 100_000,
    "deep and whole": b"[" * 100_000 + b"]" * 100_000,
    "endless number": b'{"usage": {"prompt_tokens": ' + b"9" * 5000 + b"}}",
    "not UTF-8": b'{"choices": [{"message": {"content": "\xff"}}]}',
    "UTF-16": '{"choices": []}'.encode("utf-16"),
    "text": b'"hello"',
    "number": b"3",
    "null": b"null",
    "list": b"[]",
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_a_body_that_cannot_be_read_is_a_fault_to_try_again(body: bytes) -> None:
    """HTTP 200 with anything but a JSON object is no answer, nor a crash; the beginning of it is told."""
    found = fault(200, body)

    assert (found.kind, found.scope, found.retry) == UNREADABLE
    assert "HTTP 200" in found.message
    assert len(found.message) < 600


@pytest.mark.parametrize("status", [200, 400, 404, 429, 500])
def test_a_byte_order_mark_does_not_hide_a_reply(status: int) -> None:
    """A body that starts with a mark is read as if it did not."""
    body = spoken() if status == 200 else json.dumps(error("the very words")).encode()

    found = decoded(status, b"\xef\xbb\xbf" + body)

    assert (found.text if isinstance(found, Completion) else found.message.partition(": ")[2]) in ("two", "the very words")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1e308"])
def test_numbers_beyond_all_bounds_can_be_written_down(number: str) -> None:
    """A number that no float can hold is not let into the log as Infinity: the reply is kept, or is a fault."""
    found = decoded(200, spoken().replace(b'{"model"', b'{"huge": %s, "model"' % number.encode()))

    line = line_of(attempt(response_json=found.body), None)

    assert strict_json(line)


def test_whatever_was_read_can_be_written_down_and_read_again() -> None:
    """There is no depth of nesting at which a reply can be read and then not be logged."""
    unwritten = []
    for depth in range(850, 1000):
        found = decoded(200, spoken(odd=None).replace(b"null", b"[" * depth + b"]" * depth, 1))
        try:
            strict_json(line_of(attempt(response_json=found.body), None))
        except RecursionError:
            unwritten.append(depth)

    assert unwritten == []


@pytest.mark.parametrize(("value", "retried"), [("false", False), ("true", True), ("", True)])
def test_a_server_may_forbid_another_try(value: str, retried: bool) -> None:
    """x-should-retry: false is obeyed, on a status that would be tried again."""
    found = fault(500, error(), {"content-type": "application/json", "x-should-retry": value})

    assert found.retry is retried


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "error",
                    "code",
                    "message",
                    "type",
                    "param",
                    "metadata",
                    "choices",
                    "delta",
                    "content",
                    "usage",
                    "cost",
                    "detail",
                    "prompt_tokens",
                    "prompt_tokens_details",
                    "cost_details",
                    "finish_reason",
                    "model",
                    "object",
                    "innererror",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@few
@given(
    st.sampled_from([200, 204, 400, 401, 403, 404, 429, 500]),
    values,
    st.sampled_from(SPOKEN),
)
def test_no_json_crashes_a_wire(status: int, value: Any, wire: str) -> None:
    """Any JSON at any status is a reply or a fault that agrees with itself and can be logged."""
    found = decoded(status, value, wire=wire)

    assert strict_json(line_of(attempt(response_json=found.body), None))
    if isinstance(found, ApiError):
        assert found.retry == (found.kind in ("rate_limit", "transient", "protocol", "empty"))
        assert found.scope == "call" or found.kind == "permanent"


@few
@given(st.sampled_from([200, 400, 500]), st.binary(max_size=60), st.sampled_from(["application/json", "text/event-stream", ""]))
def test_no_bytes_crash_a_wire(status: int, body: bytes, content_type: str) -> None:
    """Any bytes are a reply or a fault with a message that can be shown."""
    found = decoded(status, body, {"content-type": content_type})

    assert isinstance(found, Completion) or found.message.isprintable()


LARGE = "max_tokens is too large: 64000. This model supports at most 16384 completion tokens, whereas you provided 64000."
ABOVE = "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 128000, but got 400000."
RANGE = "it has a maxOutputTokens value of 90000 but the supported range is from 1 (inclusive) to 65537 (exclusive)."
WINDOW = (
    "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your "
    "request has 120 input tokens (8000 > 4096 - 120)."
)


@pytest.mark.parametrize(
    ("message", "param", "parameter", "most"),
    [
        (LARGE, "max_tokens", "max_tokens", 16384),
        (LARGE, "max_completion_tokens", "max_completion_tokens", 16384),
        (ABOVE, "max_output_tokens", "max_output_tokens", 128000),
        ("`max_tokens` must be less than or equal to `8192`, the maximum value", None, "max_tokens", 8192),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", None, "max_tokens", 8192),
        (RANGE, None, "max_tokens", 65536),
        (WINDOW, None, "max_tokens", 3976),
    ],
)
def test_a_limit_that_is_too_large_is_lowered(message: str, param: str | None, parameter: str, most: int) -> None:
    """To what the server names, as OpenAI (both interfaces), Groq, DeepSeek, Gemini and vLLM word it."""
    assert fault(400, {"error": {"message": message, "param": param}}).repair == Repair(parameter, lower_to=most)


@pytest.mark.parametrize(
    "message", ["temperature must be less than or equal to 2", "max_tokens is large", "max_tokens (9 > 4 - 7)"]
)
def test_no_limit_is_lowered_to_what_nobody_names(message: str) -> None:
    """Another parameter's range, no figure, and a prompt that leaves no room."""
    repair = fault(400, {"error": {"message": message}}).repair

    assert repair is None or repair.lower_to is None
