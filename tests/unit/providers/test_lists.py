"""Laws of lists of models: where each server is asked for one, and what is read from it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few, model

from tui_eval.core.calls import Request
from tui_eval.providers import WIRES
from tui_eval.providers.wire import Listed

BEARER = ["foundry", "gemini", "llama.cpp", "lmstudio", "ollama", "openai", "openrouter", "vllm"]
CHAT = [*BEARER, "azure", "azure-classic", "simulator"]
AZURE = "https://res.openai.azure.com"


def request(wire: str, **changes: Any) -> Request:
    """The request for the list of models."""
    ask = WIRES[wire].list_models
    assert ask is not None
    return ask(model(wire=wire, **changes))


def listed(body: Any, wire: str = "openai") -> list[Listed]:
    """The models that a wire reads from a list."""
    read = WIRES[wire].read_models
    assert read is not None
    return read(body if isinstance(body, bytes) else json.dumps(body).encode())


@pytest.mark.parametrize("wire", CHAT)
def test_a_list_is_asked_for_beside_the_completions(wire: str) -> None:
    """GET, without a body, with the key where the wire's calls have it."""
    found = request(wire, organization_env="ORG")
    sent = WIRES[wire].encode

    assert (found.method, found.body) == ("GET", b"")
    assert found.path.partition("?")[0] == ("/openai/models" if wire == "azure-classic" else "/models")
    assert "content-type" not in found.headers
    assert (found.key_header is None) == (wire == "simulator")
    assert (found.key_header == "api-key") == (wire in ("azure", "azure-classic", "foundry"))
    assert (found.key_prefix == "") == (found.key_header == "api-key")
    assert (found.organization_header is None) == (wire == "simulator")
    assert sent is not None


@pytest.mark.parametrize(
    ("base_url", "setting", "query"),
    [
        (AZURE, None, "?api-version=2024-10-21"),
        (AZURE, "2025-01-01", "?api-version=2025-01-01"),
        (f"{AZURE}?api-version=2025-04-01-preview", "2025-01-01", ""),
    ],
)
def test_the_older_path_of_azure_names_its_version(base_url: str, setting: str | None, query: str) -> None:
    """Once: the address's own, the setting's, or ours."""
    assert request("azure-classic", base_url=base_url, api_version=setting).path == f"/openai/models{query}"


def test_a_list_is_read_as_each_server_writes_it() -> None:
    """Ids unchanged and in order; what a server does not tell is unknown, not zero and not empty text."""
    entries = [
        {"id": "gpt-4o", "object": "model", "created": 1715367049, "owned_by": "system", "shutdown_date": "2027-01-14"},
        {"id": "qwen", "owned_by": "vllm", "max_model_len": 32768},
        {"id": "x/y:free", "context_length": 128000, "expiration_date": None},
        {"id": "models/7B/q4.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 8192, "n_ctx": 4096}},
        {"id": "trained", "owned_by": "llamacpp", "meta": {"n_ctx_train": 4096, "n_params": 7}},
        {"id": "odd", "owned_by": 3, "max_model_len": -1, "context_length": "4096", "meta": [], "shutdown_date": {}},
        {"id": "none", "max_model_len": 0, "context_length": 0},
        {"name": "without id"},
        {"id": 3},
        {"id": ""},
        "text",
    ]

    assert listed({"object": "list", "data": entries}) == [
        Listed("gpt-4o", "2027-01-14", owner="system"),
        Listed("qwen", context_tokens=32768, owner="vllm"),
        Listed("x/y:free", context_tokens=128000),
        Listed("models/7B/q4.gguf", context_tokens=4096, owner="llamacpp"),
        Listed("trained", owner="llamacpp"),
        Listed("odd"),
        Listed("none"),
    ]
    assert listed({"data": []}) == []


def test_googles_ids_are_those_that_calls_name() -> None:
    """Its list has the name of the collection before each; elsewhere that is a part of the id."""
    body = {"data": [{"id": "models/gemini-3-pro"}, {"id": "gemini-x"}]}

    assert [entry.id for entry in listed(body, "gemini")] == ["gemini-3-pro", "gemini-x"]
    assert [entry.id for entry in listed(body, "llama.cpp")] == ["models/gemini-3-pro", "gemini-x"]


@pytest.mark.parametrize(
    ("date", "read"),
    [
        ("2027-01-14", "2027-01-14"),
        ("2027-01-14T00:00:00Z", "2027-01-14"),
        ("2027-01-14 08:00", "2027-01-14"),
        ("2027-1-14", None),
        ("2027-13-14", None),
        ("2027-01-32", None),
        ("2027-01-145", None),
        ("14 January 2027", None),
        ("1800000000", None),
        (1800000000, None),
        (1800000000000, None),
        (0, None),
        (True, None),
        (None, None),
        ("", None),
    ],
)
@pytest.mark.parametrize("field", ["shutdown_date", "expiration_date"])
def test_only_a_date_is_a_date(field: str, date: Any, read: str | None) -> None:
    """A number may be seconds, milliseconds or nothing of the kind: it is not guessed at."""
    assert listed({"data": [{"id": "a", field: date}]}) == [Listed("a", read)]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>not here</html>",
        b"\xff",
        b"NaN",
        b"[" * 5000,
        b"[]",
        b'"data"',
        b"3",
        b"{}",
        b'{"data": {"id": "a"}}',
        b'{"data": null}',
        b'{"data": ["a"]}',
        b'{"data": [{"name": "a"}]}',
        b'{"error": {"message": "no"}}',
    ],
)
@pytest.mark.parametrize("wire", ["openai", "gemini"])
def test_what_is_no_list_is_told(wire: str, body: bytes) -> None:
    """A page, an error or anything else is a ValueError, and never an empty list."""
    with pytest.raises(ValueError):
        listed(body, wire)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["data", "id", "meta", "n_ctx", "owned_by", "shutdown_date"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@few
@given(json_values)
def test_any_list_is_read_or_told(value: Any) -> None:
    """Whatever JSON a server sends, nothing but a ValueError comes of it, and ids are texts."""
    try:
        found = listed(value)
    except ValueError:
        return
    assert all(isinstance(entry.id, str) and entry.id for entry in found)
    assert all(entry.context_tokens is None or entry.context_tokens > 0 for entry in found)
