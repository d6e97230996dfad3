"""Bad addresses, keys, models and accounts, each met over a real socket: the log says in a sentence what to change."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from fault_bench import CANARY, Table, asked, closed_port, panel, run_here
from invariants import assert_no_secret

from tui_eval.engine.http import sockets

CHAT = {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "pore space"}}]}
FILTERED_CHAT = {"choices": [{"finish_reason": "content_filter", "message": {"role": "assistant", "content": ""}}]}
NGINX_404 = b"<html>\r\n<head><title>404 Not Found</title></head>\r\n<body><hr><center>nginx</center></body>\r\n</html>"
DEPLOYMENT = "The API deployment for this resource does not exist. Create it, or wait."
AZURE_FILTER = {
    "message": "The response was filtered by the content management policy.",
    "code": "content_filter",
    "innererror": {"code": "ResponsibleAIPolicyViolation"},
}


@dataclass(frozen=True, slots=True)
class Case:
    """What a server answers to a model so configured, and what the log has to say then."""

    status: int
    body: Any
    says: tuple[str, ...]
    wire: str = "openai"
    path: str = "/v1"
    headers: dict[str, str] = field(default_factory=dict)
    """Of the reply."""


def _error(message: str, **fields: Any) -> Table:
    return {"error": {"message": message, **fields}}


CASES = {
    "404 without /v1": Case(
        404, NGINX_404, ("HTTP 404: 404 Not Found", "/chat/completions", "'m' probably lacks /v1"), path=""
    ),
    "404 with /chat/completions twice": Case(
        404, NGINX_404, ("/chat/completions/chat/completions", "end before"), path="/v1/chat/completions"
    ),
    "404 elsewhere": Case(404, NGINX_404, ("/v2/chat/completions", "correct base_url"), path="/v2"),
    "404 of a framework": Case(404, {"detail": "Not Found"}, ("HTTP 404: Not Found", "lacks /v1"), path=""),
    "404 of Anthropic's path": Case(404, b"", ("/api/messages", "base_url"), wire="anthropic", path="/api"),
    "405": Case(405, b"Method Not Allowed", ("/v2/chat/completions", "correct base_url"), path="/v2"),
    "redirect": Case(301, b"", ("a redirect to /v1", "set base_url", "where it leads"), path="", headers={"location": "/v1"}),
    "TLS wanted": Case(
        400,
        b"<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
        ("https:// instead of http://", "base_url"),
    ),
    "401": Case(
        401,
        _error(f"Incorrect API key provided: {CANARY}.", code="invalid_api_key"),
        ("[redacted]", "CANARY_API_KEY", "tui-eval keys set CANARY_API_KEY"),
    ),
    "401 page": Case(401, NGINX_404, ("HTTP 401: 404 Not Found", "tui-eval keys set CANARY_API_KEY")),
    "400 wrong key of Google": Case(
        400, [_error("API key not valid.", code=400, status="INVALID_ARGUMENT")], ("keys set CANARY_API_KEY",), wire="gemini"
    ),
    "401 of Anthropic": Case(
        401,
        {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}},
        ("invalid x-api-key", "tui-eval keys set CANARY_API_KEY"),
        wire="anthropic",
    ),
    "403": Case(403, _error("No access"), ("CANARY_API_KEY", "project", "region")),
    "unknown model": Case(
        404, _error("The model `gpt-9` does not exist", code="model_not_found"), ("change model = \"gpt-9\" of [[models]] 'm'",)
    ),
    "unknown model of Ollama": Case(404, {"error": "model 'gpt-9' not found"}, ("ollama pull gpt-9",), wire="ollama"),
    "unknown model of OpenRouter": Case(
        400, _error("gpt-9 is not a valid model ID", code=400), ('model = "gpt-9"', "tui-eval models check"), wire="openrouter"
    ),
    "data policy of OpenRouter": Case(
        404,
        _error("No endpoints found matching your data policy.", code=404),
        ("openrouter.ai/settings/privacy", "routing of [[models]] 'm'"),
        wire="openrouter",
    ),
    "deployment": Case(
        404, _error(DEPLOYMENT, code="DeploymentNotFound"), ('model = "gpt-9"', "name of a deployment"), "azure"
    ),
    "deployment, classic": Case(
        404, _error(DEPLOYMENT, code="DeploymentNotFound"), ('model = "gpt-9"', "deployment"), "azure-classic", ""
    ),
    "classic with a path": Case(
        404,
        _error("Resource not found", code="404"),
        ("/openai/v1/openai/deployments/gpt-9/chat/completions", "end with the host"),
        "azure-classic",
        "/openai/v1",
    ),
    "model of Foundry": Case(
        400, _error("Unknown model: gpt-9", code="unknown_model"), ('model = "gpt-9"', "name of a deployment"), "foundry"
    ),
    "quota": Case(
        429, _error("You exceeded your current quota", code="insufficient_quota"), ("billing", "CANARY_API_KEY", "resume RUN")
    ),
    "credits of OpenRouter": Case(
        402,
        _error("Insufficient credits", code=402, metadata={"limit_source": "openrouter_credits"}),
        ("billing", "tui-eval resume"),
        wire="openrouter",
    ),
    "in flight at OpenRouter": Case(
        402,
        _error("Too much in flight", code=402, metadata={"limit_source": "openrouter_in_flight_budget"}),
        ("run.max_concurrency", "max_output_tokens"),
        wire="openrouter",
    ),
    "rate": Case(429, _error("Slow down"), ("run.max_concurrency", "requests_per_minute", "[[models]] 'm'")),
    "filter of Azure": Case(
        400, {"error": AZURE_FILTER}, ("content filter", "counts as refused", "of the deployment"), "azure"
    ),
    "filter inside 200": Case(200, FILTERED_CHAT, ("declined", "content filter", "change the question")),
    "length": Case(
        400,
        _error("This model's maximum context length is 8 tokens.", code="context_length_exceeded"),
        ("shorten the documents",),
    ),
    "too large a body": Case(413, NGINX_404, ("shorten the documents",)),
    "image": Case(404, _error("No endpoints found that support image input", code=404), ("text documents",), "openrouter"),
}


@contextlib.asynccontextmanager
async def answering(case: Case, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """A server on loopback that answers everything as the case has it; its host and port."""

    async def answer(request: web.BaseRequest) -> web.Response:
        await request.read()
        body = case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()
        kind = "text/html" if isinstance(case.body, bytes) else "application/json"
        return web.Response(body=body, status=case.status, headers={"content-type": kind, **case.headers})

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
        await site.start()
        yield f"127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def message_of(base_url: str, folder: Path, wire: str = "openai", **more: Any) -> str:
    """What the log says of the one call of a panel to this address."""
    model = {"name": "m", "wire": wire, "model": "gpt-9", "base_url": base_url, **more}

    life = await run_here(panel([model], [asked("m")], run={"retries": 0}), folder)

    assert_no_secret(b"".join(file.read_bytes() for file in life.path.rglob("*") if file.is_file()))
    message = life.records[-1]["error_message"]
    assert isinstance(message, str)
    assert message.isprintable() and len(message) < 750, message
    assert not {"<", ">"} & set(message), message
    return message


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_a_refusal_says_what_to_change(case: Case, tmp_path: Path, canary: str) -> None:
    """Each refusal ends in one line that names the setting, the variable or the account to look at; no page, no key."""
    async with answering(case) as host:
        message = await message_of(f"http://{host}{case.path}", tmp_path, case.wire, api_key_env=canary)

    assert [part for part in case.says if part not in message] == [], message


async def test_a_sound_reply_gets_no_advice(tmp_path: Path) -> None:
    """The same server with nothing wrong is a call that succeeds."""
    async with answering(Case(200, CHAT, ())) as host:
        model = {"name": "m", "wire": "openai", "model": "gpt-9", "base_url": f"http://{host}/v1"}
        life = await run_here(panel([model], [asked("m")]), tmp_path)

    assert [(record["status"], record["error_message"]) for record in life.records] == [("ok", None)]


@pytest.mark.parametrize(("wire", "command"), [("ollama", "ollama serve"), ("openai", "correct the port")])
async def test_a_closed_port_names_the_server_to_start(wire: str, command: str, tmp_path: Path) -> None:
    """Nobody listens on this machine: the address, and what starts the server that is usually there."""
    url = f"http://127.0.0.1:{closed_port()}/v1"

    message = await message_of(url, tmp_path, wire)

    assert f"nothing listens at {url}" in message
    assert command in message


async def test_a_name_that_is_not_found_is_to_be_spelt_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's name stands in the sentence, and where it was configured."""

    def nobody(*where: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(sockets, "_addresses", nobody)

    message = await message_of("https://no-such-host.invalid/v1", tmp_path)

    assert message.startswith("name not found")
    assert "spelling of 'no-such-host.invalid' in base_url of [[models]] 'm'" in message


async def test_https_to_a_plain_server_is_told_as_that(tmp_path: Path) -> None:
    """The server answers in plain HTTP where TLS was begun: the scheme is to be changed."""
    async with answering(Case(200, CHAT, ())) as host:
        message = await message_of(f"https://{host}/v1", tmp_path)

    assert message.startswith("TLS failed")
    assert "http:// instead of https://" in message


async def test_http_to_a_tls_server_is_told_as_that(tmp_path: Path, certificate: Path) -> None:
    """The server expects TLS and hangs up: the scheme is one of the things to check."""
    async with answering(Case(200, CHAT, ()), _speaking_tls(certificate)) as host:
        message = await message_of(f"http://{host}/v1", tmp_path)

    assert "https:// or http://" in message


async def test_a_certificate_that_nobody_signed_is_told_as_that(
    tmp_path: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A self-signed certificate is refused with the way to trust it; and that way works."""
    async with answering(Case(200, CHAT, ()), _speaking_tls(certificate)) as host:
        message = await message_of(f"https://{host}/v1", tmp_path)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        model = {"name": "m", "wire": "openai", "model": "gpt-9", "base_url": f"https://{host}/v1"}
        (tmp_path / "again").mkdir()
        life = await run_here(panel([model], [asked("m")]), tmp_path / "again")

    assert message.startswith("TLS failed")
    assert "SSL_CERT_FILE" in message
    assert [record["response_text"] for record in life.records] == ["pore space"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for 127.0.0.1 with its private key, in one file."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("no openssl program on this machine")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    made = [program, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run(
        [*made, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", path, "-out", f"{path}.crt"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


def _speaking_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context
