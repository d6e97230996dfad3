"""The headers of an attempt in the log: as sent but for the keys, as received but for what is private, or none."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from choice_bench import choice, run_cached
from fault_bench import CANARY, Served, Table, asked, closed_port, panel, run_here, serving, spoken_by
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import answering, as_bytes, completion, reply

from tui_eval.engine.http.headers import MAX_HEADER, MAX_HEADERS, kept_headers

NAMELIKE = "sk-Name-Like-0123456789-AbCdEf"
"""A key that could be the name of a header."""


class Noting:
    """A server that notes the headers it was sent."""

    def __init__(self) -> None:
        self.seen: list[dict[str, str]] = []
        self.url = ""

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """A sound completion."""
        self.seen.append({name.lower(): value for name, value in request.headers.items()})
        await request.read()
        return web.json_response(completion(), headers={"X-Request-Id": "req_7", "X-Ratelimit-Limit-Tokens": "200"})


@pytest.fixture
async def noting() -> AsyncIterator[Noting]:
    """Such a server, up."""
    found = Noting()
    runner = web.ServerRunner(web.Server(found.answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield found
    await runner.cleanup()


@pytest.fixture
async def quick() -> AsyncIterator[Served]:
    """A simulator that answers at once."""
    async with serving(latency_scale=0) as found:
        yield found


async def only_record(models: list[Table], folder: Path, **run: Any) -> Table:
    """The one attempt of a panel of one call."""
    life = await run_here(panel(models, [asked(models[0]["name"])], run={"retries": 0, **run}), folder)
    (record,) = life.records
    return record


async def test_headers_are_kept_as_they_were_sent(noting: Noting, tmp_path: Path, canary: str) -> None:
    """What the server was sent stands in the log, dots in place of key and organization; what the connection adds does not."""
    model = spoken_by(noting.url, "a", "m", api_key_env=canary, organization_env=canary)

    record = await only_record([model], tmp_path)

    sent, (seen,) = record["request_headers"], noting.seen
    assert (seen["authorization"], seen["openai-organization"]) == (f"Bearer {CANARY}", CANARY)
    assert (sent["authorization"], sent["openai-organization"]) == ("Bearer …", "…")
    hidden = {"authorization": sent["authorization"], "openai-organization": sent["openai-organization"]}
    assert sent == {name: value for name, value in {**seen, **hidden}.items() if name in sent}
    assert seen.keys() - sent.keys() <= {"host", "content-length", "accept", "connection"}
    assert sent["x-client-request-id"] == record["attempt_id"]
    assert CANARY not in json.dumps(record) and "[redacted]" not in json.dumps(sent)
    received = record["response_headers"]
    assert (received["x-request-id"], received["x-ratelimit-limit-tokens"]) == ("req_7", "200")
    assert all(name == name.lower() for name in received)


async def test_no_key_is_sent_and_none_is_shown(noting: Noting, tmp_path: Path) -> None:
    """A model without a key has no header that looks as if it had one."""
    record = await only_record([spoken_by(noting.url, "a", "m")], tmp_path)

    assert "authorization" not in record["request_headers"] and "openai-organization" not in record["request_headers"]


async def test_a_reply_loses_cookies_and_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cookies, credentials and accounts are left out; a key is blotted out of values and of names, before either is changed."""
    monkeypatch.setenv("NAME_LIKE_KEY", NAMELIKE)
    told = {
        "Set-Cookie": "session=secret-cookie",
        "WWW-Authenticate": "Bearer",
        "X-Api-Key": "left-out",
        "OpenAI-Organization": "acme-left-out",
        "X-Csrf-Token": "left-out",
        "X-Ratelimit-Remaining-Tokens": "9",
        "X-Echo": f"<{NAMELIKE}>",
        NAMELIKE: "named",
        "X-Long": "x" * (MAX_HEADER - 15) + NAMELIKE,
    }
    headers = "".join(f"{name}: {value}\r\n" for name, value in told.items())

    async with answering({"m": reply(as_bytes(completion()), headers=headers)}) as (_, url):
        record = await only_record([spoken_by(url, "a", "m", api_key_env="NAME_LIKE_KEY")], tmp_path)

    received = record["response_headers"]
    assert received.keys() == {
        "content-type",
        "content-length",
        "x-ratelimit-remaining-tokens",
        "x-echo",
        "[redacted]",
        "x-long",
    }
    assert (received["x-echo"], received["[redacted]"]) == ("<[redacted]>", "named")
    assert received["x-long"] == "x" * (MAX_HEADER - 15) + "[redacted]"
    log = (tmp_path / "run" / "call_logs.jsonl").read_text().lower()
    assert "left-out" not in log and "secret-cookie" not in log and "name-like-0123" not in log


async def test_what_never_left_or_never_came_has_no_headers(tmp_path: Path, quick: Served) -> None:
    """Without a connection nothing was sent; where our time ran out, nothing came back; an error has both."""
    nowhere = spoken_by(f"http://127.0.0.1:{closed_port()}/v1", "nowhere", "m")
    slow = spoken_by(quick.url, "slow", "fault:hang", timeout_s=0.5)
    failed = spoken_by(quick.url, "failed", "fault:500")
    (tmp_path / "1").mkdir(), (tmp_path / "2").mkdir(), (tmp_path / "3").mkdir()

    found = [await only_record([model], tmp_path / str(n)) for n, model in enumerate((nowhere, slow, failed), 1)]

    assert [record["status"] for record in found] == ["error", "timeout", "error"]
    assert [record["request_headers"] is None for record in found] == [True, False, False]
    assert [record["response_headers"] is None for record in found] == [True, True, False]


async def test_a_copied_reply_has_no_headers(quick: Served, tmp_path: Path) -> None:
    """A reply from the cache was not sent by this run: its record is the copy of another's, without that one's headers."""
    config = choice(tmp_path, [spoken_by(quick.url, "one", "sim-scholar")], 2)
    first = await run_cached(config, tmp_path)

    second = await run_cached(config, tmp_path, "second")

    assert all(record["request_headers"] and record["response_headers"] for record in first.records)
    assert [record["cached"] for record in second.records] == [True, True]
    assert all(record["request_headers"] is record["response_headers"] is None for record in second.records)


async def test_a_batch_has_no_headers(quick: Served, tmp_path: Path) -> None:
    """Calls of a batch go as lines of a file: none of them has headers of its own."""
    config = panel([spoken_by(quick.url, "a", "sim-scholar")], [asked("a", 2)], run={"mode": "batch", "poll_s": 0.01})

    life = await run_here(config, tmp_path)

    batched = [record for record in life.records if record["batch_id"]]
    assert batched and all(record["request_headers"] is record["response_headers"] is None for record in batched)


@settings(max_examples=40, deadline=None, database=None, derandomize=True)
@given(st.dictionaries(st.text("abcdeikoty-", min_size=1, max_size=400), st.text(max_size=700), max_size=90))
def test_no_more_is_kept_than_is_worth_it(headers: Mapping[str, str]) -> None:
    """At most so many headers and so much of each, the first ones, each as it came up to there."""
    kept = kept_headers(headers)

    assert len(kept) <= MAX_HEADERS
    assert all(len(name) <= MAX_HEADER and len(value) <= MAX_HEADER for name, value in kept.items())
    whole = {name: value for name, value in headers.items() if len(name) <= MAX_HEADER}
    assert all(whole[name].startswith(value) for name, value in kept.items() if name in whole)
    assert not any("cookie" in name or "key" in name for name in kept)


async def test_a_line_is_the_same_while_the_run_goes_on_and_after_it(quick: Served, tmp_path: Path) -> None:
    """What the engine writes into results.jsonl as an item ends is what is derived of the item from the log, byte by byte."""
    models = [spoken_by(quick.url, name, api) for name, api in (("a", "sim-scholar"), ("slow", "bench-300ms"))]
    config = choice(tmp_path, models, 3, run={"max_concurrency": 1})
    live: set[bytes] = set()

    def look(progress: object) -> None:
        live.update((tmp_path / "run" / "results.jsonl").read_bytes().splitlines(keepends=True))

    life = await run_here(config, tmp_path, on_tick=look)

    written = (life.path / "results.jsonl").read_bytes().splitlines(keepends=True)
    assert len(written) == 6 and live and live <= set(written)
