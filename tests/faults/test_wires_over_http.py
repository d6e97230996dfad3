"""Every wire over real HTTP: the right path, the key in the right header, and the reply in the log."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from fault_bench import CANARY, asked, panel, run_here
from invariants import assert_no_secret

CHAT = {
    "id": "1",
    "model": "served",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "porosity"}}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6},
}
MESSAGE = {
    "type": "message",
    "model": "served",
    "content": [{"type": "text", "text": "porosity"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 5, "output_tokens": 1},
}
RESPONSE = {
    "object": "response",
    "model": "served",
    "status": "completed",
    "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "porosity"}]}],
    "usage": {"input_tokens": 5, "output_tokens": 1, "total_tokens": 6},
}
BEARER, BARE = ("authorization", f"Bearer {CANARY}"), ("api-key", CANARY)
WIRES: dict[str, tuple[str, str, tuple[str, str], dict[str, Any]]] = {
    "openai": ("/v1", "/v1/chat/completions", BEARER, CHAT),
    "openai-responses": ("/v1", "/v1/responses", BEARER, RESPONSE),
    "anthropic": ("/v1", "/v1/messages", ("x-api-key", CANARY), MESSAGE),
    "azure": ("/openai/v1", "/openai/v1/chat/completions", BARE, CHAT),
    "azure-classic": (
        "?api-version=2025-01-01",
        "/openai/deployments/{name}/chat/completions?api-version=2025-01-01",
        BARE,
        CHAT,
    ),
    "foundry": ("/models", "/models/chat/completions?api-version=2024-05-01-preview", BARE, CHAT),
    "foundry-serverless": ("/", "/chat/completions?api-version=2024-05-01-preview", BEARER, CHAT),
    "gemini": ("/v1beta/openai", "/v1beta/openai/chat/completions", BEARER, CHAT),
    "ollama": ("/v1", "/v1/chat/completions", BEARER, CHAT),
    "openrouter": ("/api/v1", "/api/v1/chat/completions", BEARER, CHAT),
}


class Echo:
    """A server that says one thing to everybody and remembers what it was asked."""

    def __init__(self) -> None:
        self.url = ""
        self.body: dict[str, Any] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """The body, whatever is asked."""
        self.seen.append((request.path_qs, {name.lower(): value for name, value in request.headers.items()}))
        await request.read()
        return web.json_response(self.body)


@pytest.fixture
async def echo() -> AsyncIterator[Echo]:
    """Such a server, up."""
    found = Echo()
    runner = web.ServerRunner(web.Server(found.answer))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield found
    await runner.cleanup()


@pytest.mark.parametrize("wire", WIRES)
async def test_a_wire_finds_its_path_and_shows_its_key(wire: str, echo: Echo, tmp_path: Path, canary: str) -> None:
    """Two models of one address go to their own paths; the key stands where the server looks for it, and nowhere else."""
    base, path, (header, value), echo.body = WIRES[wire]
    models = [
        {"name": name, "wire": wire, "model": name, "base_url": echo.url + base, "api_key_env": canary} for name in ("a", "b")
    ]

    life = await run_here(panel(models, [asked("a"), asked("b")]), tmp_path)

    assert [record["response_text"] for record in life.records] == ["porosity", "porosity"]
    assert [record["usage"]["prompt_tokens"] for record in life.records] == [5, 5]
    assert sorted(seen for seen, _ in echo.seen) == sorted(path.format(name=name) for name in ("a", "b"))
    assert all(headers[header] == value for _, headers in echo.seen)
    assert sum(CANARY in text for text in echo.seen[0][1].values()) == 1
    assert_no_secret(b"".join(file.read_bytes() for file in life.path.rglob("*") if file.is_file()))
    assert json.loads((life.path / "report.json").read_bytes())["models"]["a"]["served"] == {"served": 1}
