"""Laws of advice: one short sentence on what to change, with the names that stand in the config, and never a key."""

from __future__ import annotations

import re
import unicodedata
from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, call, few, model

from tui_eval.core.calls import ApiError, Cause, ModelSpec
from tui_eval.providers import WIRES
from tui_eval.providers.advice import advice

CAUSES = get_args(Cause)
SPOKEN = sorted(name for name, wire in WIRES.items() if not wire.recorded)
every_cause = pytest.mark.parametrize("cause", CAUSES)


def sentence(cause: Cause | None, message: str = "HTTP 400: no", **changes: object) -> str:
    """The advice to a model named mini, at a server of its own unless `changes` say otherwise."""
    spec = model(**{"api_key_env": "MY_KEY", **changes})
    return advice(ApiError("permanent", message, cause=cause), spec, WIRES[spec.wire].base_url)


def test_where_nothing_is_known_nothing_is_said() -> None:
    """A fault without a cause has no advice."""
    assert sentence(None) == ""


SERVERS = (None, "http://127.0.0.1:9/v1", "https://my-resource.openai.azure.com")


@every_cause
def test_every_cause_has_a_short_plain_sentence(cause: Cause) -> None:
    """With ordinary names it is one sentence that fits two lines of a terminal or three, without Markdown or an end."""
    for wire, base_url, key in product(SPOKEN, SERVERS, (None, "MY_KEY")):
        said = sentence(cause, wire=wire, base_url=base_url, api_key_env=key)

        assert 40 < len(said) <= 240, (wire, base_url, key, said)
        assert said.isprintable() and not said.endswith("."), (wire, base_url, key, said)
        assert not re.search(r"[`*#]|None|\s\s", said), (wire, base_url, key, said)


@few
@given(st.sampled_from(CAUSES), st.sampled_from(SPOKEN), any_text, any_text, st.none() | any_text, any_text)
def test_no_name_breaks_the_line(cause: Cause, wire: str, name: str, api_id: str, url: str | None, message: str) -> None:
    """Whatever a config or a server says, the advice is one bounded line that a terminal can show."""
    spec = ModelSpec(name, wire, api_id, base_url=url)

    said = advice(ApiError("permanent", message, cause=cause), spec, WIRES[wire].base_url)

    unprintable = {unicodedata.category(sign) for sign in said if not sign.isprintable()}
    assert said and unprintable <= {"Cn"} and len(said) <= 400  # Cn: a sign that this Python has not heard of yet


@every_cause
@pytest.mark.parametrize("wire", SPOKEN)
def test_variables_stay_unexpanded_and_queries_are_left_out(cause: Cause, wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address is shown as configured, without what stands behind its question mark."""
    monkeypatch.setenv("MY_HOST", "hidden-host")

    said = sentence(cause, wire=wire, base_url="https://${MY_HOST}/api?token=hidden-token")

    assert "hidden" not in said
    assert "${MY_HOST}" in said or "MY_HOST" not in said


EXAMPLES: dict[str, tuple[Cause, dict[str, object], str, tuple[str, ...]]] = {
    "key": ("key", {}, "", ("MY_KEY: tui-eval keys set MY_KEY", "http://127.0.0.1:9/v1")),
    "key at the wire's own server": ("key", {"base_url": None}, "", ("https://api.openai.com/v1",)),
    "no key": ("key", {"api_key_env": None}, "", ("api_key_env of [[models]] 'mini'",)),
    "permission": ("permission", {}, "", ("MY_KEY", "'gpt-5-mini'", "project", "region")),
    "model": ("model", {}, "", ("model = \"gpt-5-mini\" of [[models]] 'mini'", "http://127.0.0.1:9/v1")),
    "model on Azure": ("model", {"wire": "azure"}, "", ("name of a deployment",)),
    "model on Foundry": ("model", {"wire": "foundry"}, "", ("name of a deployment",)),
    "model of Ollama": ("model", {"wire": "ollama"}, "", ("ollama pull gpt-5-mini",)),
    "model of OpenRouter": ("model", {"wire": "openrouter"}, "", ("maker/model", "models", "check")),
    "routing": ("model", {"wire": "openrouter"}, "No allowed providers are available", ("order, only or ignore",)),
    "parameters": (
        "model",
        {"wire": "openrouter"},
        "No endpoints found that can handle the requested parameters.",
        ("require_parameters = false",),
    ),
    "guardrail": (
        "model",
        {"wire": "openrouter"},
        "No endpoints available matching your guardrail restrictions and data policy.",
        ("openrouter.ai/settings/privacy",),
    ),
    "deployment": ("deployment", {"wire": "azure-classic"}, "", ('model = "gpt-5-mini"', "name of a deployment")),
    "quota": ("quota", {}, "", ("billing", "MY_KEY", "tui-eval resume RUN --failed")),
    "limit of a key": ("quota", {"wire": "openrouter"}, "Key limit exceeded (total limit).", ("settings/keys", "MY_KEY")),
    "filter": ("filter", {}, "", ("content filter", "refused", "change the question")),
    "filter of Azure": ("filter", {"wire": "azure"}, "", ("filter settings of the deployment",)),
    "length": ("length", {"base_url": None}, "", ("shorten the documents", "a model with a longer context")),
    "length of a local server": ("length", {}, "", ("num_ctx", "--ctx-size", "--max-model-len")),
    "rate": (
        "rate",
        {},
        "HTTP 429: slow",
        ("run.max_concurrency", "limits = { requests_per_minute = ... } in [[models]] 'mini'"),
    ),
    "reserved credit": ("rate", {}, "HTTP 402: in flight", ("run.max_concurrency", "max_output_tokens")),
    "attachment": ("attachment", {}, "", ("'gpt-5-mini' does not take this image or file", "text documents")),
    "Ollama is not running": (
        "unreachable",
        {"wire": "ollama", "base_url": None},
        "cannot connect",
        ("ollama serve", ":11434/v1"),
    ),
    "llama.cpp": ("unreachable", {"base_url": "http://localhost:8080/v1"}, "cannot connect", ("llama-server",)),
    "llama.cpp by its wire": ("unreachable", {"wire": "llama.cpp"}, "cannot connect", ("(llama-server -m FILE)", ":9/v1")),
    "LM Studio is not running": (
        "unreachable",
        {"wire": "lmstudio", "base_url": None},
        "cannot connect",
        ("(lms server start)",),
    ),
    "a server of one's own": ("unreachable", {}, "cannot connect", ("start the server, or correct the port in base_url of",)),
    "vLLM": ("unreachable", {"base_url": "http://localhost:8000/v1"}, "cannot connect", ("vllm serve",)),
    "LM Studio": ("unreachable", {"base_url": "http://[::1]:1234/v1"}, "cannot connect", ("lms server start",)),
    "another machine": (
        "unreachable",
        {"base_url": "http://box:8000/v1"},
        "cannot connect",
        ("http://box:8000/v1", "firewall"),
    ),
    "the wire's own server": ("unreachable", {"base_url": None}, "cannot connect", ("https://api.openai.com/v1", "network")),
    "no such name": (
        "unreachable",
        {"base_url": "https://bxo/v1"},
        "name not found: bxo",
        ("spelling of 'bxo' in base_url of",),
    ),
    "hung up": ("unreachable", {}, "connection lost: Server disconnected", ("still running", "https:// or http://")),
    "plain server": (
        "tls",
        {"base_url": "https://box:1/v1"},
        "[SSL] record layer failure",
        ("'box:1'", "http:// instead of https://"),
    ),
    "plain server, older": ("tls", {}, "[SSL: WRONG_VERSION_NUMBER] wrong version number", ("http:// instead of https://",)),
    "TLS server": ("tls", {}, "HTTP 400: The plain HTTP request was sent to HTTPS port", ("https:// instead of http://",)),
    "self-signed": ("tls", {}, "certificate verify failed: self-signed certificate", ("SSL_CERT_FILE",)),
    "another host's": ("tls", {}, "certificate verify failed: Hostname mismatch", ("for another host",)),
    "run out": ("tls", {}, "certificate verify failed: certificate has expired", ("clock",)),
    "no address": ("address", {"base_url": "${URL}"}, "", ("base_url of [[models]] 'mini'", "variable")),
    "/v1 missing": ("path", {"base_url": "http://box:8000/"}, "", ("http://box:8000/chat/completions", "lacks /v1")),
    "Azure's path missing": ("path", {"wire": "azure", "base_url": "https://r.azure.com"}, "", ("lacks /openai/v1",)),
    "path twice": (
        "path",
        {"base_url": "http://box/v1/chat/completions/"},
        "",
        ("http://box/v1/chat/completions/chat/completions", "must end before /chat/completions"),
    ),
    "messages twice": ("path", {"wire": "anthropic", "base_url": "http://box/v1/messages"}, "", ("must end before /messages",)),
    "responses": ("path", {"wire": "openai-responses", "base_url": "http://box/x"}, "", ("http://box/x/responses",)),
    "classic": (
        "path",
        {"wire": "azure-classic", "base_url": "https://r.azure.com/openai/v1"},
        "",
        ("/openai/deployments/gpt-5-mini/chat/completions", "must end with the host"),
    ),
    "version": ("path", {"wire": "azure-classic", "base_url": "https://r.azure.com"}, "", ("or its api_version",)),
    "hidden path": ("path", {"base_url": "${URL}"}, "", ("${URL}/chat/completions", "correct base_url")),
    "redirect": ("path", {"base_url": "http://box"}, "HTTP 308: a redirect to https://box/", ("where it leads",)),
    "wire's own": ("path", {"base_url": None}, "", ("https://api.openai.com/v1/chat/completions", "proxy")),
}


@pytest.mark.parametrize(("cause", "changes", "message", "says"), EXAMPLES.values(), ids=EXAMPLES.keys())
def test_the_sentence_names_what_to_change(
    cause: Cause, changes: dict[str, object], message: str, says: tuple[str, ...]
) -> None:
    """Variable, setting, address or account: what a person has to touch stands in it."""
    said = sentence(cause, message, **changes)

    assert [part for part in says if part not in said] == [], said


@pytest.mark.parametrize("wire", [name for name in SPOKEN if name != "simulator"])
def test_the_address_that_was_asked_is_the_one_that_is_told(wire: str) -> None:
    """The path in the advice is the one that the wire puts into its request."""
    spec = model(wire=wire, base_url="http://box/x")

    path = WIRES[wire].encode(call(), spec, {}).path.partition("?")[0]

    assert f"http://box/x{path}:" in sentence("path", wire=wire, base_url="http://box/x")
