"""Law: a request comes to the same on both paths, straight to a connection or through httpx, whatever its server does."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from fault_bench import CANARY, Table, asked, by_model, closed_port, panel, run_here, spoken_by
from http_paths import PATHS, on_path
from server_steps import CASES, GOOD, Step, Steps, StepServer, stepping

from tui_eval.core.errors import ConfigError
from tui_eval.engine.http import send, sockets

CERTIFICATE = Path(__file__).parents[1] / "support" / "tls" / "localhost.pem"
CALLS = 3
SHORT_S, LONG_S = 1.0, 30.0
"""Time limits of calls to servers that hang, and to all others."""
DIFFERS = {"attempt_id", "run_id", "started_at", "ended_at", "latency_ms", "queue_ms", "ttft_ms", "ttft_visible_ms"}
"""Fields that hold a time, or are made anew for each run."""
Sent = tuple[list[bytes], int]
"""What a server was sent: the heads of requests but for their ids, and over how many connections."""
Outcome = tuple[dict[str, list[Table]], dict[str, Sent]]


RACE = re.compile(r"\[Errno 104\] Connection reset by peer|\[Errno 32\] Broken pipe|Server disconnected")
"""A server that closes while we write: what of it is noticed first is up to the system, on either path."""


def _comparable(record: Table) -> Table:
    same = {name: value for name, value in record.items() if name not in DIFFERS}
    same["error_message"] = same["error_message"] and RACE.sub("closed", same["error_message"])
    headers = dict(record["request_headers"] or {})
    return {**same, "request_headers": {**headers, "x-client-request-id": None} if headers else None}


def _sent(server: StepServer) -> Sent:
    heads = [re.sub(rb"(?<=\r\nx-client-request-id: )[!-~]+", b"", head) for head in server.heads]
    sent, server.heads = (sorted(heads), server.connections), []
    server.connections = 0
    return sent


async def _outcome(
    folder: Path, urls: Mapping[str, str], servers: Mapping[str, StepServer], prompt: str = "", **more: Any
) -> Outcome:
    """Ask each server as often, one call after the other, and note what came of it on both sides."""
    folder.mkdir()
    limits = {"max_in_flight": 1}
    late = {name for name, turns in CASES.items() if any(step is Step.HANG for steps in turns for step in steps)}
    models = [
        spoken_by(url, name, "m", limits=limits, timeout_s=SHORT_S if name in late else LONG_S, **more)
        for name, url in urls.items()
    ]
    run = {"retries": 1, "max_output_tokens": 50, "max_concurrency": 200, "seed": 1}
    rows = [asked(name, CALLS) for name in urls]
    life = await run_here(panel(models, rows, run=run, prompts={"doer_system": prompt} if prompt else {}), folder)
    in_order = sorted(life.records, key=lambda record: (record["call_index"], record["attempt"]))
    records = {name: [_comparable(record) for record in own] for name, own in by_model(in_order).items()}
    return records, {name: _sent(server) for name, server in servers.items()}


async def _both(folder: Path, cases: Mapping[str, Sequence[Steps]], **more: Any) -> dict[str, Outcome]:
    tls = None
    if more.pop("tls", False):
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(CERTIFICATE)
    outcomes = {}
    async with stepping(cases, tls) as servers:
        scheme, host = ("https", "localhost") if tls else ("http", "127.0.0.1")
        urls = {name: f"{scheme}://{host}:{server.port}/v1?api-version=a%20b" for name, server in servers.items()}
        for path in PATHS:
            with on_path(path):
                outcomes[path] = await _outcome(folder / path, urls, servers, **more)
    return outcomes


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Every behaviour, on both paths."""
    return asyncio.run(_both(tmp_path_factory.mktemp("paths"), CASES))


@pytest.mark.parametrize("name", CASES)
def test_both_paths_have_the_same_outcome(name: str, outcomes: dict[str, Outcome]) -> None:
    """The log has the same attempts but for times, and the server the same bytes on as many connections."""
    records, sent = outcomes["direct"]
    records_of_httpx, sent_of_httpx = outcomes["httpx"]

    pairs = zip(records[name], records_of_httpx[name], strict=True)
    assert [(field, a[field], b[field]) for a, b in pairs for field in a.keys() | b.keys() if a[field] != b[field]] == []
    assert sent[name] == sent_of_httpx[name]
    assert {record["error_kind"] for record in records[name]} & {"internal", "cancelled"} == set()


@pytest.mark.parametrize("path", PATHS)
async def test_a_version_that_was_not_tried_is_named_once(path: str, tmp_path: Path) -> None:
    """One line in run.log says that requests go through httpx, and with which version; none where it was tried."""
    async with stepping({"m": [[GOOD]]}) as servers:
        url = f"http://127.0.0.1:{servers['m'].port}/v1"
        with on_path(path):
            life = await run_here(panel([spoken_by(url, "m", "m")], [asked("m")]), tmp_path)

    lines = [line for line in (life.path / "run.log").read_text().splitlines() if "aiohttp" in line]

    assert [aiohttp.__version__ in line and "through httpx" in line for line in lines] == [True] * (path == "httpx")


async def test_tls_streams_and_keys_go_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, canary: str) -> None:
    """Over TLS, with a key, an organization and headers of their own, and as streams: the same bytes and the same outcome."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    cases = {name: CASES[name] for name in ("a reply", "chunks", "events", "events that break off", "gzip")}
    keys = {"api_key_env": canary, "organization_env": canary}

    outcomes = await _both(tmp_path, cases, tls=True, stream=True, **keys)

    assert outcomes["direct"] == outcomes["httpx"]
    assert outcomes["direct"][0]["events"][0]["response_text"] == "pore space"
    assert all(f"authorization: Bearer {CANARY}".encode() in head for head in outcomes["direct"][1]["events"][0])


async def test_an_authority_that_is_not_trusted_ends_both_ways(tmp_path: Path) -> None:
    """Nothing is sent, and the error says why."""
    outcomes = await _both(tmp_path, {"a reply": [[GOOD]]}, tls=True)

    assert outcomes["direct"] == outcomes["httpx"]
    assert {record["error_message"][:10] for record in outcomes["direct"][0]["a reply"]} == {"TLS failed"}
    assert outcomes["direct"][1]["a reply"][0] == []


URLS = {
    "a closed port": "http://127.0.0.1:{closed}/v1",
    "no name": "http://no-such-host.invalid/v1",
    "a path that is to be quoted": "http://127.0.0.1:{open}/v1/\u00fc b/%41%2F?x=\u00e9 '",
    "a name and a password": "http://user:secret@127.0.0.1:{open}/v1",
    "capitals": "HTTP://LOCALHOST:{open}/v1",
    "a fragment": "http://127.0.0.1:{open}/v1#part",
    "a port that is none": "http://127.0.0.1:99999/v1",
}


@pytest.mark.parametrize("name", URLS)
async def test_an_odd_address_comes_to_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What both paths make of an address: the same host, path and error; or it is refused with the config."""
    monkeypatch.setattr(sockets, "_addresses", _local(sockets._addresses))
    outcomes = {}
    async with stepping({"m": [[GOOD]]}) as servers:
        url = URLS[name].format(closed=closed_port(), open=servers["m"].port)
        for path in PATHS:
            with on_path(path):
                try:
                    outcomes[path] = await _outcome(tmp_path / path, {"m": url}, servers)
                except ConfigError as error:
                    outcomes[path] = str(error).replace(path, "")

    assert outcomes["direct"] == outcomes["httpx"]


def _small_socket(address: Any) -> socket.socket:
    """A socket that buffers little of what is sent."""
    small = sockets.lasting_socket(address)
    small.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    return small


def _local(whole: Any) -> Any:
    """Name lookup that asks nobody."""

    def addresses(host: str, *more: object) -> list[Any]:
        if host.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return list(whole(host, *more))

    return addresses


@pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")  # aiohttp's, of any body above a megabyte
async def test_a_long_body_is_sent_whole_and_answered_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the system buffers: sent whole where it is read; where it is refused before that, the reply counts, and the
    connection is not used again.
    """
    monkeypatch.setattr(send, "lasting_socket", _small_socket)
    cases = {name: CASES[name] for name in ("a reply", "an early refusal that stays")}

    outcomes = await _both(tmp_path, cases, prompt="much to read " * 200_000)

    assert outcomes["direct"] == outcomes["httpx"]
    records, sent = outcomes["direct"]
    assert [record["http_status"] for record in records["a reply"]] == [200] * CALLS
    assert [record["http_status"] for record in records["an early refusal that stays"]] == [413] * CALLS
    assert sent["an early refusal that stays"][1] == CALLS
