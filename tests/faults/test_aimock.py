"""Every wire against a server that strangers wrote: what it really received, and what becomes of its oddities.

aimock (npm, scripts/install-peers) keeps a journal of requests, cuts streams between halves of a character, breaks off and
sends garbage where it is told to. Whatever it does, a call ends as an answer that is whole or as a failure that says why.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fault_bench import CANARY, CANARY_VARIABLE, Life, Table, asked, panel, run_here, strict_lines
from hosted import Aimock, aimock, needs_aimock
from invariants import assert_no_secret

pytestmark = needs_aimock

CHAT = "/chat/completions"
CLASSIC = "/openai/deployments/test-model" + CHAT + "?api-version=2024-10-21"
PLACES = {
    "openai": ("/v1", "/v1" + CHAT, "authorization"),
    "openai-responses": ("/v1", "/v1/responses", "authorization"),
    "anthropic": ("/v1", "/v1/messages", "x-api-key"),
    "azure": ("/openai/v1", "/openai/v1" + CHAT, "api-key"),
    "azure-classic": ("", CLASSIC, "api-key"),
    "foundry": ("/models", "/models" + CHAT + "?api-version=2024-05-01-preview", "api-key"),
    "gemini": ("/v1beta/openai", "/v1beta/openai" + CHAT, "authorization"),
    "ollama": ("/v1", "/v1" + CHAT, "authorization"),
    "llama.cpp": ("/v1", "/v1" + CHAT, "authorization"),
    "vllm": ("/v1", "/v1" + CHAT, "authorization"),
    "lmstudio": ("/v1", "/v1" + CHAT, "authorization"),
    "openrouter": ("/api/v1", "/api/v1" + CHAT, "authorization"),
}
"""Where the base URL ends, where requests go, and the header that shows the key."""
LIMIT_NAMES = {
    "openai-responses": "max_output_tokens",
    "azure": "max_completion_tokens",
    "azure-classic": "max_completion_tokens",
}
"""Elsewhere max_tokens, at an address that is not OpenAI's own."""
HEADERS = {
    "host",
    "accept",
    "accept-encoding",
    "content-length",
    "content-type",
    "user-agent",
    "x-client-request-id",
    "x-request-id",  # aimock's own
}
MORE_HEADERS = {"anthropic": {"anthropic-version"}, "openrouter": {"http-referer", "x-title"}}
TEXT = "Porosity 😀 is the share 👩‍🔬 of ≈ pore space, “voids”.\n"
USED = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@pytest.fixture(scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aimock]:
    with aimock(tmp_path_factory.mktemp("aimock"), [CANARY]) as found:
        yield found


@pytest.fixture
def stranger(_server: Aimock) -> Aimock:
    """aimock, with nothing on its mind."""
    _server.forget()
    return _server


def answer(content: str = TEXT, model: str = "test-model", **more: Any) -> Table:
    """A fixture."""
    return {"match": {"model": model}, "response": {"content": content, "usage": USED}, **more}


def model_on(wire: str, url: str, name: str = "m", model: str = "test-model", **more: Any) -> Table:
    """A [[models]] entry at aimock, with a key."""
    place = url + PLACES[wire][0]
    return {"name": name, "wire": wire, "model": model, "base_url": place, "api_key_env": CANARY_VARIABLE, **more}


async def asked_once(folder: Path, models: list[Table], **run: Any) -> Life:
    """One question to each model. aimock has one address for all, so no model stops another."""
    folder.mkdir()
    rows = [asked(model["name"], temperature=0.25, max_output_tokens=321) for model in models]
    return await run_here(panel(models, rows, run={"retries": 0, **run}), folder)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("wire", PLACES)
async def test_what_is_received_is_what_was_meant(
    wire: str, stream: bool, stranger: Aimock, tmp_path: Path, canary: str
) -> None:
    """Path, model, messages, parameters and headers: those the wire has, and no other."""
    stranger.teach([answer()])

    life = await asked_once(tmp_path / "run", [model_on(wire, stranger.url, reasoning_effort="low")], stream=stream)

    (entry,) = await asyncio.to_thread(stranger.journal)
    _, path, key_header = PLACES[wire]
    assert (entry["method"], entry["path"], entry["response"]["status"]) == ("POST", path, 200)
    assert set(entry["headers"]) == HEADERS | MORE_HEADERS.get(wire, set()) | {key_header}
    assert entry["headers"][key_header] == "[REDACTED]"
    assert entry["headers"]["content-type"] == "application/json"
    (record,) = strict_lines(life.path / "call_logs.jsonl")
    assert entry["headers"]["x-client-request-id"] == record["attempt_id"]
    _check_parameters(wire, record["request"], stream)
    _check_understood(entry["body"], stream)


def _check_parameters(wire: str, sent: Table, stream: bool) -> None:
    """The body, which is on file as it was sent, has what was set and nothing else."""
    assert sent["model"] == "test-model"
    assert sent["temperature"] == 0.25
    assert sent[LIMIT_NAMES.get(wire, "max_tokens")] == 321
    known = {"model", "temperature", LIMIT_NAMES.get(wire, "max_tokens")} | ({"stream"} if stream else set())
    match wire:
        case "anthropic":
            assert sent["output_config"] == {"effort": "low"}
            known |= {"output_config", "messages", "system"}
        case "openai-responses":
            assert (sent["reasoning"], sent["store"]) == ({"effort": "low"}, False)
            known |= {"reasoning", "store", "input", "instructions"}
        case "openrouter":
            assert (sent["reasoning"], sent["usage"]) == ({"effort": "low"}, {"include": True})
            known |= {"reasoning", "usage", "messages"} | ({"stream_options"} if stream else set())
        case _:
            assert sent["reasoning_effort"] == "low"
            known |= {"reasoning_effort", "messages"} | ({"stream_options"} if stream else set())
    assert set(sent) <= known
    assert sent.get("stream", False) is stream
    assert sent.get("stream_options") in (None, {"include_usage": True})
    assert ("stream_options" in sent) == ("stream_options" in known)


def _check_understood(body: Table, stream: bool) -> None:
    """What aimock took the request for: a system text, a question of the user, streamed or not."""
    roles = [message["role"] for message in body["messages"]]
    assert roles == ["system", "user"]
    assert "what does porosity measure?" in json.dumps(body["messages"][-1]["content"])
    assert bool(body.get("stream")) is stream


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
async def test_a_stream_adds_up_to_the_whole(size: int, stranger: Aimock, tmp_path: Path, canary: str) -> None:
    """On every wire, with characters cut in halves (lone surrogates over two deltas): the same text, counts and finish."""
    stranger.teach([answer(model=f"{wire}-model", chunkSize=size) for wire in PLACES])
    models = [model_on(wire, stranger.url, wire, f"{wire}-model") for wire in PLACES]

    whole = await asked_once(tmp_path / "whole", models)
    streamed = await asked_once(tmp_path / "streamed", models, stream=True)

    for life in (whole, streamed):
        assert {record["model"] for record in life.records} == set(PLACES)
        for record in life.records:
            finish = "completed" if record["model"] == "openai-responses" else "stop"
            assert (record["status"], record["response_text"], record["finish_reason"]) == ("ok", TEXT, finish), record
            assert (record["usage"]["prompt_tokens"], record["usage"]["completion_tokens"]) == (11, 7), record["model"]
            assert (record["ttft_visible_ms"] is not None) == (life is streamed)


@pytest.mark.parametrize("wire", PLACES)
async def test_a_text_that_ends_in_half_a_character_is_written_down(
    wire: str, stranger: Aimock, tmp_path: Path, canary: str
) -> None:
    """A lone surrogate that no other half follows stops no writer of reports, and hides no other word."""
    stranger.teach([answer("pore \ud83d", chunkSize=2)])

    whole = await asked_once(tmp_path / "whole", [model_on(wire, stranger.url)])
    streamed = await asked_once(tmp_path / "streamed", [model_on(wire, stranger.url)], stream=True)

    for life in (whole, streamed):
        (record,) = strict_lines(life.path / "call_logs.jsonl")
        assert record["status"] == "ok"
        assert record["response_text"].startswith("pore ")
        assert (life.path / "results.jsonl").exists()


@pytest.mark.parametrize("wire", PLACES)
async def test_a_stream_that_is_cut_is_no_short_answer(wire: str, stranger: Aimock, tmp_path: Path, canary: str) -> None:
    """The connection ends after some of the text: that is a failure, and nothing of it is taken for the answer."""
    stranger.teach([answer(chunkSize=3, truncateAfterChunks=5)])

    life = await asked_once(tmp_path / "run", [model_on(wire, stranger.url)], stream=True)

    (record,) = strict_lines(life.path / "call_logs.jsonl")
    assert record["status"] == "error", record
    assert record["error_kind"] in ("transient", "protocol"), record
    assert record["response_text"] is None
    assert record["error_message"]


CHAOS = {
    "dropRate": ("transient", "HTTP 500"),
    "malformedRate": ("protocol", "not JSON"),
    "disconnectRate": ("transient", "connection lost"),
    "rateLimitRate": ("rate_limit", "HTTP 429"),
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("fault", CHAOS)
async def test_chaos_ends_as_what_it_is(fault: str, stream: bool, stranger: Aimock, tmp_path: Path, canary: str) -> None:
    """Dropped, garbled, broken off or limited on every wire: each call is a failure of that kind, with a reason."""
    stranger.teach([answer(model=f"{wire}-model") for wire in PLACES])
    stranger.chaos(**{fault: 1})
    models = [model_on(wire, stranger.url, wire, f"{wire}-model") for wire in PLACES]

    life = await asked_once(tmp_path / "run", models, stream=stream)

    kind, says = CHAOS[fault]
    assert life.ended.exit_code == 3
    assert {record["model"] for record in life.records} == set(PLACES)
    for record in life.records:
        assert (record["status"], record["error_kind"]) == ("error", kind), record
        assert says in record["error_message"], record["error_message"]
        assert record["response_text"] is None


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_some_chaos_is_overcome(stream: bool, stranger: Aimock, tmp_path: Path, canary: str) -> None:
    """With a fault at about one request in four, retries bring every answer, whole, and every attempt is on file."""
    stranger.teach([answer(model=f"{wire}-model") for wire in PLACES])
    stranger.chaos(dropRate=0.1, malformedRate=0.1, disconnectRate=0.1)
    models = [model_on(wire, stranger.url, wire, f"{wire}-model") for wire in PLACES]

    life = await asked_once(tmp_path / "run", models, stream=stream, retries=12)

    final = [record for record in life.records if record["final"]]
    assert {record["response_text"] for record in final} == {TEXT}
    assert len(final) == len(PLACES)
    seen = await asyncio.to_thread(stranger.journal)
    assert {entry["headers"]["x-client-request-id"] for entry in seen} == {record["attempt_id"] for record in life.records}


async def test_a_model_nobody_knows_is_an_error_of_the_model(stranger: Aimock, tmp_path: Path, canary: str) -> None:
    """In strict mode aimock refuses what no fixture fits: an error, on every wire, never an empty answer."""
    models = [model_on(wire, stranger.url, wire, f"unknown-{wire}") for wire in PLACES]

    life = await asked_once(tmp_path / "run", models)

    assert {record["status"] for record in life.records} == {"error"}
    assert all(record["error_message"] for record in life.records)


async def test_reasoning_stays_out_of_the_answer(stranger: Aimock, tmp_path: Path, canary: str) -> None:
    """Thoughts that aimock sends before the text, wherever a wire has its place for them, are on file and not in the answer."""
    wires = ("openai", "openai-responses", "anthropic", "openrouter")
    names = {"anthropic": "claude-opus-4-1", "openrouter": "openai/o3", "openai": "o3", "openai-responses": "o4-mini"}
    stranger.teach(
        [
            {"match": {"model": names[wire]}, "response": {"content": TEXT, "reasoning": "Let me think.", "usage": USED}}
            for wire in wires
        ]
    )
    models = [model_on(wire, stranger.url, wire, names[wire]) for wire in wires]

    for stream in (False, True):
        life = await asked_once(tmp_path / f"stream-{stream}", models, stream=stream)
        for record in life.records:
            assert (record["status"], record["response_text"]) == ("ok", TEXT)
            assert record["reasoning_text"] == "Let me think.", record["model"]
        assert_no_secret(b"".join(file.read_bytes() for file in life.path.rglob("*.*")))
