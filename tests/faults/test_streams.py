"""Streamed runs: the same answers, the time of the first tokens, and a stream that goes wrong is a failure, never an answer."""

from __future__ import annotations

import asyncio
import gzip
import json
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from choice_bench import answers_of
from fault_bench import (
    CANARY,
    LOG,
    Life,
    Peer,
    Served,
    Table,
    asked,
    by_model,
    panel,
    run_here,
    serving,
    spoken_by,
    strict_lines,
    write_config,
)
from invariants import assert_no_secret, check
from nursery import Nursery
from on_demand import report_file
from scripted import answering
from victim import scores_of
from waiting import until

from tui_eval.simulator.apis.faults import STREAMED

WIRES = ("openai", "openai-responses", "anthropic")


def streamed(url: str, wire: str, api: str, calls: int = 1, questions: int = 1, **more: Any) -> Table:
    """One model that is asked for streams."""
    model = {"name": "m", "wire": wire, "model": api, "base_url": url, **more.pop("model", {})}
    run = {"stream": True, **more.pop("run", {})}
    return panel([model], [asked("m", calls)], questions, run=run, **more)


def told(life: Life) -> list[tuple[Any, ...]]:
    """What each call was told for good."""
    names = ("stage", "item_id", "model", "call_index", "status", "response_text", "finish_reason", "served_model")
    numbers = ("prompt_tokens", "completion_tokens", "total_tokens", "cost_usd")
    return sorted(
        tuple(str(value) for value in (*(r[name] for name in names), *(r["usage"][name] for name in numbers)))
        for r in life.records
        if r["final"]
    )


# ------------------------------------------------------------------------------------------- the same answers, and times


@pytest.mark.parametrize("wire", WIRES)
async def test_a_streamed_run_has_the_answers_of_an_unstreamed_one(tmp_path: Path, wire: str) -> None:
    """Doers, judges and gradings: texts, usage, cost and scores are the same; only streams have first tokens."""
    lives = []
    async with serving(latency_scale=0.005) as served:
        for stream in (False, True):
            names = {"one": "sim-scholar", "two": "sim-sprinter", "judge": "sim-arbiter", "scorer": "sim-scorer"}
            config = panel(
                [{"name": n, "wire": wire, "model": api, "base_url": served.url} for n, api in names.items()],
                [asked("one", 2), asked("two")],
                3,
                run={"stream": stream},
                judges=[asked("judge")],
                truths=["The share of the rock that is pore space."] * 3,
                benchmark={"mode": "llm", "scorer": {"model": "scorer"}},
            )
            folder = tmp_path / str(stream)
            folder.mkdir()
            lives.append(await run_here(config, folder))
        check(lives[1].path, {**await served.stats(), **_own(await served.stats(), lives[1])})
    plain, with_times = lives
    assert (plain.ended.exit_code, with_times.ended.exit_code) == (0, 0)
    assert told(plain) == told(with_times)
    assert scores_of(plain.path)[0] == scores_of(with_times.path)[0]
    assert {record["ttft_ms"] for record in plain.records} == {None}
    for record in with_times.records:
        assert 0 <= record["ttft_ms"] <= record["ttft_visible_ms"] <= record["latency_ms"]
    row = with_times.report["calls"]
    good = sum(record["status"] == "ok" for record in with_times.records)
    assert (row["n_ttft_ok"], row["n_ttft_visible_ok"]) == (good, good)
    assert row["p50_ttft_ms_ok"] is not None
    assert 0 < row["n_tokens_per_s_ok"] <= good
    assert row["p50_tokens_per_s_ok"] > 0
    assert [plain.report["calls"][name] for name in ("n_ttft_ok", "p50_ttft_ms_ok", "p50_tokens_per_s_ok")] == [0, None, None]


def _own(stats: Table, life: Life) -> Table:
    """The server's figures of one run alone."""
    ids = {record["attempt_id"] for record in life.records}
    mine = [visit for visit in stats["ids"] if visit["id"] in ids]
    return {"ids": mine, "requests": len(mine)}


@pytest.mark.parametrize("wire", WIRES)
async def test_the_first_token_is_timed_where_it_was_sent(tmp_path: Path, wire: str) -> None:
    """The simulator tells nothing for four tenths of its time, and most of the rest is still to come when it begins."""
    async with serving(latency_scale=0.5) as served:
        life = await run_here(streamed(served.url, wire, "sim-scholar", 3), tmp_path)
        check(life.path, await served.stats())
    for record in life.records:
        assert record["ttft_ms"] > 100
        assert record["latency_ms"] - record["ttft_ms"] > 150


class Timed:
    """A server that thinks at once, speaks after a while, and ends after another."""

    STEP_S = 0.25

    def __init__(self) -> None:
        self.url = ""
        self.moments: list[float] = []
        """When the request had come, when each step was told, and when all was: in ms."""

    def note(self) -> None:
        """It is so far."""
        self.moments.append(time.monotonic() * 1000)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Headers now; a thought after one step, words after two, the end after three."""
        await request.read()
        self.note()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        wire = {"/v1/chat/completions": chat, "/v1/responses": responses, "/v1/messages": messages}[request.path]
        for group in wire("I should think", "pore space"):
            self.note()
            for one in group:
                await response.write(f"data: {json.dumps(one)}\n\n".encode())
            await asyncio.sleep(self.STEP_S)
        self.note()
        await response.write_eof()
        return response


def chat(thought: str, text: str) -> list[list[Table]]:
    """A chat completion as chunks: nothing, a thought, the text, the end."""

    def chunk(delta: Table, finish: str | None = None) -> Table:
        return {"model": "served", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    used = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 9, "total_tokens": 14}}
    return [
        [chunk({"role": "assistant", "content": ""})],
        [chunk({"reasoning_content": thought})],
        [chunk({"content": text})],
        [chunk({}, "stop"), used],
    ]


def responses(thought: str, text: str) -> list[list[Table]]:
    """A response as events."""
    output = [
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": thought}]},
        {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": text}]},
    ]
    used = {"input_tokens": 5, "output_tokens": 9, "total_tokens": 14}
    done = {"object": "response", "model": "served", "status": "completed", "output": output, "usage": used}
    place = {"item_id": "x", "content_index": 0}
    return [
        [{"type": "response.created", "response": {"status": "in_progress", "output": []}}],
        [{"type": "response.reasoning_summary_text.delta", **place, "output_index": 0, "summary_index": 0, "delta": thought}],
        [{"type": "response.output_text.delta", **place, "output_index": 1, "delta": text}],
        [{"type": "response.completed", "response": done}],
    ]


def messages(thought: str, text: str) -> list[list[Table]]:
    """A message as events."""
    begun = {"type": "message", "role": "assistant", "model": "served", "content": [], "usage": {"input_tokens": 5}}

    def block(index: int, empty: Table, delta: Table) -> list[Table]:
        begin = {"type": "content_block_start", "index": index, "content_block": empty}
        return [begin, {"type": "content_block_delta", "index": index, "delta": delta}, {"type": "content_block_stop"}]

    return [
        [{"type": "message_start", "message": begun}, {"type": "ping"}],
        block(0, {"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": thought}),
        block(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": text}),
        [
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
        ],
    ]


@pytest.fixture
async def timed() -> AsyncIterator[Timed]:
    """Such a server, up."""
    found = Timed()
    runner = web.ServerRunner(web.Server(found.answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield found
    await runner.cleanup()


@pytest.mark.parametrize("wire", WIRES)
async def test_thoughts_are_timed_and_kept_out_of_the_answer(timed: Timed, tmp_path: Path, wire: str) -> None:
    """First the thought, a step later the answer; both are kept, each in its place."""
    life = await run_here(streamed(timed.url, wire, "thinker"), tmp_path)
    (record,) = life.records
    assert (record["response_text"], record["reasoning_text"]) == ("pore space", "I should think")
    came, _, thought, words, end, over = timed.moments
    assert thought - came - 2 <= record["ttft_ms"], "not before the thought was told"
    assert words - came - 2 <= record["ttft_visible_ms"], "not before the words were told"
    assert over - words - 2 <= record["latency_ms"] - record["ttft_ms"], "before the words were told"
    assert over - end - 2 <= record["latency_ms"] - record["ttft_visible_ms"], "before the end was told"
    assert over - came - 2 <= record["latency_ms"]
    assert "I should think" not in report_file(life.path).decode()
    row = life.report["calls"]
    assert row["p50_tokens_per_s_ok"] == pytest.approx(8000 / (record["latency_ms"] - record["ttft_ms"]), abs=0.06)
    assert (row["n_tokens_per_s_ok"], row["p50_ttft_visible_ms_ok"]) == (1, record["ttft_visible_ms"])


async def test_a_model_may_stream_or_not_by_itself(served: Served, tmp_path: Path) -> None:
    """A model's own setting wins over [run]."""
    models = [
        spoken_by(served.url, name, "sim-sprinter", **more) for name, more in {"yes": {}, "no": {"stream": False}}.items()
    ]
    life = await run_here(panel(models, [asked("yes"), asked("no")], run={"stream": True}), tmp_path)
    own = by_model(life.records)
    assert [own[name][0]["ttft_ms"] is None for name in ("yes", "no")] == [False, True]
    assert life.report["calls"]["n_ttft_ok"] == 1


# ------------------------------------------------------------------------------------------- streams that go wrong


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", STREAMED)
async def test_a_broken_stream_is_a_failure(served: Served, tmp_path: Path, wire: str, fault: str) -> None:
    """Never a short answer; what came of it is kept, and it is asked again as often as configured."""
    config = streamed(served.url, wire, f"fault:{fault}", run={"retries": 1})
    life = await run_here(config, tmp_path)
    records = check(life.path, await served.stats())
    assert life.ended.exit_code == 3
    assert [record["status"] for record in records] == ["error", "error"]
    assert {record["error_kind"] for record in records} <= {"protocol", "transient"}
    assert [record["final"] for record in records] == [False, True]
    assert {record["response_text"] for record in records} == {None}
    assert all(record["error_message"] for record in records)
    assert life.report["calls"]["n_ttft_ok"] == 0


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", STREAMED)
async def test_a_stream_that_breaks_once_is_asked_again(served: Served, tmp_path: Path, wire: str, fault: str) -> None:
    """And then answered whole."""
    life = await run_here(streamed(served.url, wire, f"fault:{fault}:1", run={"retries": 1}), tmp_path)
    records = check(life.path, await served.stats())
    assert life.ended.exit_code == 0
    assert [(record["status"], record["response_text"]) for record in records] == [("error", None), ("ok", "pore space")]


def raw(body: bytes, headers: str = "", pieces: int = 0) -> bytes:
    """A raw reply that is a stream of events; in chunks of so many bytes, or whole."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{headers}".encode()
    if not pieces:
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    parts = [body[start : start + pieces] for start in range(0, len(body), pieces)]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
    return head + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunks + b"0\r\n\r\n"


def lines_of(groups: list[list[Table]], end: str = "\n") -> bytes:
    """Events as they stand in a body."""
    return "".join(f"data: {json.dumps(one)}{end}{end}" for group in groups for one in group).encode()


SOUND = lines_of(chat("I think", "pore \u00e9\U0001f600 space")) + b"data: [DONE]\n\n"
UNESCAPED = "".join(
    f"data: {json.dumps(one, ensure_ascii=False)}\n\n"
    for group in chat("I think", "pore \u00e9\U0001f600 space")
    for one in group
).encode()
SHAPES = {
    "gzip": raw(gzip.compress(SOUND, mtime=0), "Content-Encoding: gzip\r\n"),
    "gzip in small chunks": raw(gzip.compress(SOUND, mtime=0), "Content-Encoding: gzip\r\n", 3),
    "one byte a chunk": raw(UNESCAPED, "", 1),
    "CRLF, one byte a chunk": raw(UNESCAPED.replace(b"\n", b"\r\n"), "", 1),
    "CR": raw(UNESCAPED.replace(b"\n", b"\r"), "", 2),
    "BOM and comments": raw(b"\xef\xbb\xbf: hello\n\n" + SOUND.replace(b"\n\n", b"\nid: 1\nretry: 5\n\n"), "", 7),
    "labelled JSON": raw(SOUND).replace(b"text/event-stream", b"application/json"),
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_however_it_comes_it_is_the_same_answer(tmp_path: Path, shape: str) -> None:
    """Packed, in bytes, with any line end: text, thought, usage and first tokens."""
    async with answering({"m": SHAPES[shape]}) as (server, url):
        life = await run_here(streamed(url, "openai", "m"), tmp_path)
        (record,) = check(life.path, server.stats())
    assert (record["response_text"], record["reasoning_text"]) == ("pore \u00e9\U0001f600 space", "I think")
    assert record["usage"]["completion_tokens"] == 9
    if shape != "labelled JSON":
        assert 0 <= record["ttft_ms"] <= record["ttft_visible_ms"] <= record["latency_ms"]


CUT = {
    "gzip cut": raw(gzip.compress(SOUND, mtime=0)[:-12], "Content-Encoding: gzip\r\n"),
    "no gzip": raw(SOUND, "Content-Encoding: gzip\r\n"),
    "no finish": raw(lines_of(chat("a", "b")[:3]) + b"data: [DONE]\n\n"),
    "nothing": raw(b""),
    "half an event": raw(SOUND[:-40].rpartition(b"data:")[0] + b'data: {"cho'),
    "no JSON": raw(b"data: hello\n\n"),
    "not UTF-8": raw(SOUND.replace(b"pore", b"p\xff\xfe")),
    "an error alone": raw(b'data: {"error": {"message": "overloaded", "code": 503}}\n\n'),
}
HUGE = {
    "too long": lambda: raw(b": " + b"x" * (17 * 2**20) + b"\n\n" + SOUND),
    "a bomb": lambda: raw(gzip.compress(b": " + b"x" * (64 * 2**20) + b"\n\n" + SOUND, mtime=0), "Content-Encoding: gzip\r\n"),
}
"""Made where they are sent: each worker collects every file of the suite, whichever tests it is then given."""


@pytest.mark.parametrize("shape", [*CUT, *HUGE])
async def test_what_is_no_whole_stream_is_no_answer(tmp_path: Path, shape: str) -> None:
    """Cut, garbled or far too long: a failure with a reason."""
    async with answering({"m": HUGE[shape]() if shape in HUGE else CUT[shape]}) as (server, url):
        life = await run_here(streamed(url, "openai", "m", run={"retries": 0}), tmp_path)
        (record,) = check(life.path, server.stats())
    assert (record["status"], record["response_text"]) == ("error", None)
    assert record["error_kind"] in ("protocol", "transient", "empty")
    assert record["final"]
    assert (life.path / LOG).stat().st_size < 2**20


# ------------------------------------------------------------------------------------------- stops, timeouts, kills


@pytest.mark.parametrize("fault", ["fault:hang", "fault:hang-body", "fault:drip"])
async def test_the_time_limit_holds_for_streams(served: Served, tmp_path: Path, fault: str) -> None:
    """One absolute deadline, however much has come."""
    life = await run_here(streamed(served.url, "openai", fault, run={"timeout_s": 0.4}), tmp_path)
    (record,) = check(life.path, await served.stats())
    assert record["status"] == "timeout"
    assert 380 <= record["latency_ms"] < 15_000, "the drip alone would take more than twice as long"


async def test_a_slow_stream_is_cut_at_the_time_limit(timed: Timed, tmp_path: Path) -> None:
    """Words that came before it are no answer."""
    life = await run_here(streamed(timed.url, "openai", "m", run={"timeout_s": 2.7 * Timed.STEP_S}), tmp_path)
    (record,) = life.records
    assert (record["status"], record["response_text"], record["ttft_ms"]) == ("timeout", None, None)
    assert life.report["calls"]["n_ttft_ok"] == 0


@pytest.mark.soak
@pytest.mark.parametrize("times", [pytest.param(1, marks=pytest.mark.soak), 2])
def test_a_stop_while_streaming(nursery: Nursery, peers: Callable[..., Peer], tmp_path: Path, times: int) -> None:
    """Once: what is under way ends well. Twice: it is broken off. Either way the resume finishes the run."""
    peer = peers(latency_scale=0.5)
    config = write_config(tmp_path, streamed(peer.url, "openai", "sim-scholar", 4, 2, run={"max_concurrency": 2}))
    out = tmp_path / "run"
    child = nursery.start("--run", config, "--out", out)
    until(lambda: peer.stats()["requests"] >= 3)
    for _ in range(times):
        child.send(signal.SIGINT)
        until(lambda: b"stopping: interrupted" in child.stderr)
    assert child.wait() == 130
    records = check(out, peer.stats())
    assert {record["status"] for record in records if record["started_at"]} <= ({"ok"} if times == 1 else {"ok", "error"})
    assert {record["error_kind"] for record in records} <= {None, "cancelled", "not_sent"}
    assert nursery.run("resume", out).code == 0
    assert len({r["call_key"] for r in check(out, peer.stats()) if r["status"] == "ok"}) == 8


@pytest.mark.soak
def test_a_kill_while_streaming(nursery: Nursery, peers: Callable[..., Peer], tmp_path: Path) -> None:
    """What was settled is not asked again, what was under way is in doubt, and the answers are those of an unharmed run."""
    peer = peers(latency_scale=0.3)
    config = write_config(tmp_path, streamed(peer.url, "anthropic", "sim-scholar", 4, 3, run={"max_concurrency": 3}))
    whole = nursery.start("--run", config, "--out", tmp_path / "whole")
    assert whole.wait() == 0
    before = peer.stats()["requests"]
    out = tmp_path / "run"
    child = nursery.start("--run", config, "--out", out)
    until(lambda: peer.stats()["requests"] >= before + 7)
    child.kill()
    settled = {r["call_key"] for r in map(json.loads, (out / LOG).read_bytes().splitlines(keepends=False)[:-1])}
    assert nursery.run("resume", out).code == 0
    assert answers_of(out) == answers_of(tmp_path / "whole")
    finals = [record["call_key"] for record in strict_lines(out / LOG) if record["final"]]
    assert len(finals) == len(set(finals)) == 12
    assert settled <= set(finals)


# ------------------------------------------------------------------------------------------- keys


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", ["echo-key", "echo-key-200", "echo-key-500"])
async def test_a_key_inside_a_stream_is_blotted_out(served: Served, tmp_path: Path, canary: str, wire: str, fault: str) -> None:
    """The simulator tells it four letters at a time."""
    config = streamed(
        served.url, wire, f"fault:{fault}", model={"api_key_env": canary}, judges=[asked("m")], run={"retries": 0}
    )
    life = await run_here(config, tmp_path)
    records = check(life.path, await served.stats())
    assert_no_secret("\n".join(life.said).encode())
    if fault == "echo-key-200":
        assert records[0]["response_text"] == "Your key is [redacted]"


def halves(place: str, before: str = "") -> bytes:
    """A stream that tells the key in two halves, in this field of a delta."""
    parts = [{place: before + CANARY[:11]}, {place: CANARY[11:] + " is what I was given"}]
    deltas = [{"choices": [{"index": 0, "delta": delta}]} for delta in parts]
    end = {"choices": [{"index": 0, "delta": {"content": "."}, "finish_reason": "stop"}]}
    return raw(lines_of([[*deltas, end]]))


@pytest.mark.parametrize("before", [0, 180, 200, 230, 270, 285, 290, 480, 490])
@pytest.mark.parametrize("place", ["content", "reasoning_content", "refusal"])
async def test_a_key_in_two_halves_is_blotted_out(tmp_path: Path, canary: str, place: str, before: int) -> None:
    """Where the halves meet, before anything is cut to length, so that no half of it stays."""
    async with answering({"m": halves(place, "x" * before)}) as (_, url):
        config = streamed(url, "openai", "m", model={"api_key_env": canary}, run={"retries": 0})
        life = await run_here(config, tmp_path)
    everything = b"".join(path.read_bytes() for path in life.path.rglob("*") if path.is_file())
    (record,) = life.records
    assert_no_secret(everything)
    message = record["error_message"] or ""
    assert CANARY[:8] not in message
    assert not any(CANARY[:8] in line for line in life.said)
