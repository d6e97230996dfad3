"""Batch mode where things go wrong: whatever a server loses, repeats or garbles, no batch is paid for twice unless it said so.

The server is the simulator with a hook before and behind what it answers besides single calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import errno
import json
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from fault_bench import LOG, Life, Table, asked, panel, resume_here, run_here, strict_lines

from tui_eval.core.calls import Repair
from tui_eval.core.errors import StorageError
from tui_eval.engine.batches import batch, batch_lookup, batch_results
from tui_eval.engine.batches import batch as request_file
from tui_eval.engine.batches.waves import _Waves
from tui_eval.engine.progress import Progress
from tui_eval.providers import WIRES
from tui_eval.providers.batches import BatchState
from tui_eval.runs.folder import RunFolder
from tui_eval.simulator.apis import replies
from tui_eval.simulator.apis.replies import Reply
from tui_eval.simulator.server import Simulator

BATCHES = "batches.jsonl"
KNOWN = {"m": {"stream": Repair("stream")}}
"""Something is known of the model: so its first call is not asked alone."""
WIRES_WITH_BATCHES = pytest.mark.parametrize("wire", ["openai", "anthropic"])
Hook = Callable[[web.BaseRequest, Reply], Reply | None]


class Odd(Simulator):
    """The simulator, with what it answers about files and batches changed by a test."""

    def __init__(self) -> None:
        super().__init__(0, 0.005)
        self.before: Callable[[web.BaseRequest], Reply | None] = lambda request: None
        self.after: Hook = lambda request, reply: None

    def take(self, seconds: float) -> None:
        """Let batches, those that were made already, too, take so long."""
        self._batch_s = self._files._seconds = self._batches._seconds = seconds
        for made in (*self._batches._batches.values(), *(filed.batch for filed in self._files._filed.values())):
            made.seconds = seconds

    async def _look_up(self, request: web.BaseRequest) -> Reply:
        found = self.before(request)
        if found is None:
            found = await super()._look_up(request)
        return self.after(request, found) or found


@contextlib.asynccontextmanager
async def odd() -> AsyncIterator[tuple[Odd, str]]:
    """An odd server in the running loop, and its base URL."""
    server = Odd()
    try:
        yield server, await server.start()
    finally:
        await server.stop()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (batch, batch_lookup, batch_results):
        monkeypatch.setattr(module, "pause_s", lambda tries, backoff: 0.02)


def batched(url: str, wire: str = "openai", n: int = 4, model: Table | None = None, **run: Any) -> Table:
    """Some calls of one model, in batches."""
    one = {"name": "m", "wire": wire, "model": "sim-scholar", "base_url": url, **(model or {})}
    return panel([one], [asked("m")], n, run={"mode": "batch", "poll_s": 0.02, **run})


def states(path: Path) -> list[str]:
    """What is on file about the batches of a run, in order."""
    return [event["state"] for event in strict_lines(path / BATCHES)] if (path / BATCHES).exists() else []


async def left_open(server: Odd, url: str, folder: Path, wire: str, heard_of: bool = False, seconds: float = 0.3) -> Path:
    """A run stopped while its one batch of four is at the server; by default it never heard that the batch was made.

    `seconds`: what the batch takes in all, once the run was stopped.
    """
    run = folder / "run"
    server.take(600.0)

    def tick(progress: Progress) -> None:
        if "submitted" in states(run):
            (run / "STOP").touch()

    await run_here(batched(url, wire, max_calls=4), folder, on_tick=tick, known=KNOWN)
    server.take(seconds)
    assert states(run) == ["submitting", "submitted"]
    if not heard_of:
        kept = [event for event in strict_lines(run / BATCHES) if event["state"] == "submitting"]
        (run / BATCHES).write_text("".join(json.dumps(event) + "\n" for event in kept))
    return run


def is_making(request: web.BaseRequest) -> bool:
    """Whether it makes a batch."""
    return request.method == "POST" and request.path.endswith("/batches")


def is_list(request: web.BaseRequest) -> bool:
    """Whether it asks for the list of batches."""
    return request.method == "GET" and request.path.endswith("/batches")


def is_poll(request: web.BaseRequest) -> bool:
    """Whether it asks for one of OpenAI's batches."""
    return request.method == "GET" and request.path.startswith("/v1/batches/")


def failed_with(code: str, message: str) -> Hook:
    """Every batch of OpenAI's kind was refused, for this reason."""

    def hook(request: web.BaseRequest, reply: Reply) -> Reply | None:
        if not is_poll(request) or reply.status != 200:
            return None
        told = {"status": "failed", "errors": {"data": [{"code": code, "message": message}]}, "output_file_id": None}
        return replies.as_json({**json.loads(reply.body), **told})

    return hook


def results_as(change: Callable[[Table], Table]) -> Hook:
    """Every line of OpenAI's results, changed."""

    def hook(request: web.BaseRequest, reply: Reply) -> Reply | None:
        if not request.path.endswith("/content") or reply.status != 200:
            return None
        return Reply(200, b"".join(json.dumps(change(json.loads(row))).encode() + b"\n" for row in reply.body.splitlines()))

    return hook


# ---------------------------------------------------------------------------------------------------- taken or not


@WIRES_WITH_BATCHES
async def test_what_may_have_been_taken_is_not_handed_over_again(tmp_path: Path, wire: str) -> None:
    """The making is answered with 502, and the list cannot be had: nobody knows. The next life finds it, and pays nothing."""
    async with odd() as (server, url):
        down = [True]

        def after(request: web.BaseRequest, reply: Reply) -> Reply | None:
            if down[0] and is_making(request):
                return replies.failure(502, "bad gateway")
            return replies.failure(503, "down") if down[0] and is_list(request) else None

        server.after = after
        life = await run_here(batched(url, wire, max_calls=4), tmp_path, known=KNOWN)
        assert life.ended.aborted and states(life.path) == ["submitting"]
        assert server.stats()["batches"] == 1
        down[0] = False
        life = await resume_here(life.path, known=KNOWN)
        assert life.ended.exit_code == 0, life.said
        assert server.stats()["batched"] == len(life.records) == 4


@WIRES_WITH_BATCHES
async def test_what_is_provably_not_there_is_handed_over_again(tmp_path: Path, wire: str) -> None:
    async with odd() as (server, url):
        made = [0]

        def before(request: web.BaseRequest) -> Reply | None:
            made[0] += is_making(request)
            return replies.failure(503, "down") if is_making(request) and made[0] < 3 else None

        server.before = before
        life = await run_here(batched(url, wire, max_calls=4), tmp_path, known=KNOWN)
        assert life.ended.exit_code == 0, life.said
        assert (made[0], server.stats()["batched"]) == (3, 4)


async def test_a_making_whose_reply_cannot_be_read_is_not_repeated(tmp_path: Path) -> None:
    async with odd() as (server, url):
        server.after = lambda request, reply: Reply(200, b'{"object": "batch"}') if is_making(request) else None
        life = await run_here(batched(url), tmp_path, known=KNOWN)
        assert server.stats()["batches"] == 1 and life.ended.aborted
        assert states(life.path) == ["submitting"]
        assert "cannot be read" in life.ended.stopped


async def test_a_stop_during_a_look_up_loses_nothing(tmp_path: Path) -> None:
    """Anthropic keeps no names: whose a batch is shows when it has ended, and until then nobody knows."""
    async with odd() as (server, url):
        run, began = await left_open(server, url, tmp_path, "anthropic", seconds=600.0), time.monotonic()
        tick: Callable[[Progress], None] = lambda progress: (run / "STOP").touch() if time.monotonic() - began > 0.4 else None  # noqa: E731
        await resume_here(run, on_tick=tick, known=KNOWN)
        assert states(run) == ["submitting"]


async def test_a_probe_that_fails_once_is_made_again(tmp_path: Path) -> None:
    async with odd() as (server, url):
        run, probes = await left_open(server, url, tmp_path, "anthropic"), [0]

        def before(request: web.BaseRequest) -> Reply | None:
            probes[0] += request.path.endswith("/results")
            return replies.failure(503, "overloaded") if request.path.endswith("/results") and probes[0] == 1 else None

        server.before = before
        life = await resume_here(run, known=KNOWN)
        assert life.ended.exit_code == 0, life.said
        assert server.stats()["batches"] == 1 and "lost" not in states(run)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC", "America/Los_Angeles"])
def test_moments_of_a_server_are_in_utc_whatever_our_zone(monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        for said in ("2026-07-01T12:00:00Z", "1782907200"):
            assert batch_lookup.made_at(BatchState("x", False, created=said)) == 1_782_907_200.0
        assert batch_lookup.made_at(BatchState("x", False, created="once upon a time")) is None
    finally:
        monkeypatch.undo()
        time.tzset()


async def test_the_list_is_paged_through(tmp_path: Path) -> None:
    """A hundred batches of others were made since."""
    async with odd() as (server, url):
        run = await left_open(server, url, tmp_path, "openai")
        ours = next(iter(server._files._filed.values()))
        for number in range(150):
            other = dataclasses.replace(ours, given={**ours.given, "metadata": {"who": "others"}}, written={})
            other.batch = dataclasses.replace(ours.batch, id=f"batch_other{number}")
            server._files._filed[other.batch.id] = other
        life = await resume_here(run, known=KNOWN)
        assert life.ended.exit_code == 0, life.said
        assert "lost" not in states(run) and len(life.records) == 4


async def test_a_server_whose_list_does_not_end_proves_nothing(tmp_path: Path) -> None:
    async with odd() as (server, url):
        run = await left_open(server, url, tmp_path, "openai")
        first: list[Reply] = []

        def after(request: web.BaseRequest, reply: Reply) -> Reply | None:
            if not is_list(request):
                return None
            page = json.loads(reply.body)
            rows = [{**row, "metadata": {"who": "others"}} for row in page["data"]]
            first.append(replies.as_json({**page, "data": rows, "has_more": True}))
            return first[0]

        server.after = after
        life = await resume_here(run, known=KNOWN)
        assert life.ended.aborted and states(run) == ["submitting"]
        assert "does not end" in life.ended.stopped


async def test_a_folder_that_was_renamed_finds_its_batch(tmp_path: Path) -> None:
    async with odd() as (server, url):
        run = (await left_open(server, url, tmp_path, "openai")).rename(tmp_path / "elsewhere")
        life = await resume_here(run, known=KNOWN)
        assert life.ended.exit_code == 0, life.said
        assert "lost" not in states(run) and server.stats()["batches"] == 1


async def test_a_batch_of_somebody_else_is_not_waited_for(tmp_path: Path) -> None:
    """As many calls, made at the same time, with metadata of its own; it takes longer than any run may."""
    async with odd() as (server, url):
        run = await left_open(server, url, tmp_path, "openai")
        ours = next(iter(server._files._filed.values()))
        other = dataclasses.replace(ours, given={**ours.given, "metadata": {"who": "others"}}, written={})
        other.batch = dataclasses.replace(ours.batch, id="batch_other", seconds=600.0)
        server._files._filed[other.batch.id] = other
        life = await resume_here(run, known=KNOWN)
        assert life.ended.exit_code == 0, life.said


async def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    async with odd() as (_, url):
        life = await run_here(batched(url), tmp_path, out=tmp_path / 'größe "x"', known=KNOWN)
        assert life.ended.exit_code == 0, life.said


# ---------------------------------------------------------------------------------------------------- stops and disks


async def test_nothing_is_handed_over_after_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add = _Waves._add

    def add_and_stop(self: _Waves, *rest: Any) -> None:
        add(self, *rest)
        self.context.breaker.stop("STOP was asked for")

    async with odd() as (server, url):
        monkeypatch.setattr(_Waves, "_add", add_and_stop)
        life = await run_here(batched(url, n=10), tmp_path, known=KNOWN)
        monkeypatch.undo()
        assert server.stats()["batches"] == 0 and states(life.path) == []
        assert not list((life.path / "batches").iterdir())
        assert life.ended.progress.calls_used == 0
        life = await resume_here(life.path, known=KNOWN)
        assert life.ended.exit_code == 0 and server.stats()["batched"] == 10


async def test_a_second_interrupt_ends_what_a_batch_waits_for(tmp_path: Path) -> None:
    async with odd() as (server, url):
        stuck = asyncio.Event()
        look_up = server._look_up

        async def hanging(request: web.BaseRequest) -> Reply:
            if is_poll(request):
                stuck.set()
                await asyncio.sleep(600)
            return await look_up(request)

        server._look_up = hanging  # type: ignore[method-assign]

        async def interrupt_twice() -> None:
            await stuck.wait()
            for _ in range(2):
                os.kill(os.getpid(), 2)
                await asyncio.sleep(0.1)

        interrupting = asyncio.create_task(interrupt_twice())
        life = await run_here(batched(url), tmp_path, known=KNOWN)
        await interrupting
        assert life.ended.exit_code == 130
        assert states(life.path) == ["submitting", "submitted"]
        server._look_up = look_up  # type: ignore[method-assign]
        life = await resume_here(life.path, known=KNOWN)
        assert life.ended.exit_code == 0 and server.stats()["batched"] == len(life.records) == 4


async def test_a_batch_whose_replies_were_not_written_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full, even for the reserve: the next life fetches the same batch."""
    append, full = RunFolder.append, [True]

    def append_unless_full(self: RunFolder, name: str, line: str) -> bytes:
        if full[0] and name == LOG:
            raise StorageError("no space left")
        return append(self, name, line)

    async with odd() as (server, url):
        monkeypatch.setattr(RunFolder, "append", append_unless_full)
        life = await run_here(batched(url), tmp_path, known=KNOWN)
        assert life.ended.aborted and states(life.path) == ["submitting", "submitted"]
        full[0] = False
        life = await resume_here(life.path, known=KNOWN)
        assert life.ended.exit_code == 0, life.said
        assert server.stats()["batched"] == len(life.records) == 4


async def test_a_full_disk_while_calls_are_collected_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        """The system calls of a disk that takes nothing more."""

        def __getattr__(self, name: str) -> Any:
            return getattr(os, name)

        def fsync(self, descriptor: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    async with odd() as (server, url):
        monkeypatch.setattr(request_file, "os", Full())
        life = await run_here(batched(url), tmp_path, known=KNOWN)
        assert life.ended.aborted and "No space left" in life.ended.stopped
        assert server.stats()["batches"] == 0


async def test_a_full_disk_while_a_batch_is_found_again_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with odd() as (server, url):
        run = await left_open(server, url, tmp_path, "openai")

        def note(*rest: Any, **more: Any) -> None:
            raise StorageError("no space left")

        monkeypatch.setattr(batch, "note", note)
        life = await resume_here(run, known=KNOWN)
        assert life.ended.aborted and states(run) == ["submitting"]


async def test_a_bug_in_one_request_ends_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wire, asked_for = WIRES["openai"], Counter[str]()

    def encode(call: Any, model: Any, repairs: Any) -> Any:
        asked_for["calls"] += 1
        if asked_for["calls"] == 2:
            raise RuntimeError("a bug")
        return wire.encode(call, model, repairs)

    async with odd() as (_, url):
        monkeypatch.setitem(WIRES, "openai", dataclasses.replace(wire, encode=encode))  # type: ignore[arg-type]
        life = await run_here(batched(url), tmp_path, known=KNOWN)
        assert Counter(record["error_kind"] for record in life.records) == {None: 3, "internal": 1}
        assert not life.ended.aborted


async def test_an_open_batch_of_a_model_that_is_gone_stops_the_run(tmp_path: Path) -> None:
    async with odd() as (server, url):
        run = await left_open(server, url, tmp_path, "openai", heard_of=True)
        text = (run / BATCHES).read_text().replace('"model": "m"', '"model": "gone"')
        (run / BATCHES).write_text(text)
        life = await resume_here(run, known=KNOWN)
        assert life.ended.aborted and "'gone'" in life.ended.stopped
        assert len(list((run / "batches").iterdir())) == 1


# ---------------------------------------------------------------------------------------------------- results


async def test_a_line_that_cannot_be_read_is_charged_and_asked_again(tmp_path: Path) -> None:
    """It may have been billed. One of two calls is garbled the first time, and asked again as a retry."""
    async with odd() as (server, url):
        spoilt = [True]

        def after(request: web.BaseRequest, reply: Reply) -> Reply | None:
            if not request.path.endswith("/content") or not spoilt[0]:
                return None
            spoilt[0] = False
            first, rest = reply.body.split(b"\n", 1)
            return Reply(200, first.replace(b'"custom_id":', b'"x": NaN, "custom_id":') + b"\n" + rest)

        server.after = after
        config = batched(url, n=2, model={"price": {"input": 1.0, "output": 10.0}}, retries=1, max_cost_usd=1.0)
        life = await run_here(config, tmp_path, known=KNOWN)
        assert life.ended.exit_code == 0, life.said
        odd_ones = [record for record in life.records if record["error_kind"] == "protocol"]
        assert [(record["final"], record["charged_usd"] > 0) for record in odd_ones] == [(False, True)]
        assert server.stats()["batched"] == 3


async def test_a_line_without_end_costs_one_call(tmp_path: Path) -> None:
    async with odd() as (server, url):

        def after(request: web.BaseRequest, reply: Reply) -> Reply | None:
            if not request.path.endswith("/content"):
                return None
            first, rest = reply.body.split(b"\n", 1)
            return Reply(200, first.replace(b'"custom_id"', b'"x": "' + b"x" * 17 * 2**20 + b'", "custom_id"') + b"\n" + rest)

        server.after = after
        life = await run_here(batched(url, retries=0), tmp_path, known=KNOWN)
        assert Counter(record["error_kind"] for record in life.records) == {None: 3, "protocol": 1}
        assert states(life.path)[-1] == "fetched"


async def test_what_the_server_says_expired_is_free_and_left_to_a_resume(tmp_path: Path) -> None:
    async with odd() as (server, url):
        gone = {"response": None, "error": {"code": "batch_expired", "message": "too late"}}
        server.after = results_as(lambda row: {**row, **gone})
        config = batched(url, n=2, model={"price": {"input": 1.0, "output": 10.0}}, retries=3)
        life = await run_here(config, tmp_path, known=KNOWN)
        told = {(record["error_kind"], record["charged_usd"], record["final"]) for record in life.records}
        assert told == {("transient", 0.0, False)} and server.stats()["batches"] == 1
        server.after = lambda request, reply: None
        life = await resume_here(life.path, known=KNOWN)
        assert life.ended.exit_code == 0 and server.stats()["batches"] == 2


async def test_a_batch_that_is_gone_is_charged_and_the_run_goes_on(tmp_path: Path) -> None:
    async with odd() as (server, url):
        run = await left_open(server, url, tmp_path, "openai", heard_of=True)
        server._start_anew()
        life = await resume_here(run, ["run.max_calls=20"], known=KNOWN)
        assert life.ended.exit_code == 0, life.said
        assert "gone" in states(run) and len(life.records) == 8
        assert [record["final"] for record in life.records] == [False] * 4 + [True] * 4


async def test_results_that_are_gone_do_not_hold_up_the_run(tmp_path: Path) -> None:
    async with odd() as (server, url):
        server.before = lambda request: replies.failure(404, "no file") if request.path.endswith("/content") else None
        life = await run_here(batched(url), tmp_path, known=KNOWN)
        assert not life.ended.stopped and states(life.path)[-1] == "gone"
        assert not any(record["final"] for record in life.records) and server.stats()["batches"] == 1


async def test_killed_before_it_was_noted_that_all_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--failed: what is in the log of an open batch is known by attempt, since the call has another, older record."""
    async with odd() as (server, url):
        server.after = failed_with("invalid", "bad file")
        life = await run_here(batched(url, n=2, max_calls=40, retries=3), tmp_path, known=KNOWN)
        error = {"status_code": 500, "body": {"error": {"message": "oops"}}}
        server.after = results_as(lambda row: {**row, "response": error})
        with monkeypatch.context() as patched:
            patched.setattr(batch_results, "over", lambda context, *rest, **more: context.breaker.stop("killed", aborted=True))
            await resume_here(life.path, reopen_failed=True, known=KNOWN)
        server.after = lambda request, reply: None
        life = await resume_here(life.path, known=KNOWN)
        assert max(Counter(record["attempt_id"] for record in life.records).values()) == 1


# ---------------------------------------------------------------------------------------------------- refusals


async def test_failed_calls_are_asked_once_more_in_a_life(tmp_path: Path) -> None:
    async with odd() as (server, url):
        server.after = failed_with("invalid", "bad file")
        life = await run_here(batched(url, n=2, max_calls=40), tmp_path, known=KNOWN)
        assert {record["final"] for record in life.records} == {True}
        gone = {"response": None, "error": {"code": "batch_expired", "message": "too late"}}
        server.after = results_as(lambda row: {**row, **gone})
        before = server.stats()["batches"]
        await resume_here(life.path, reopen_failed=True, known=KNOWN)
        assert server.stats()["batches"] == before + 1


async def test_a_batch_for_which_there_is_no_room_now_is_left_to_a_resume(tmp_path: Path) -> None:
    async with odd() as (server, url):
        server.after = failed_with("token_limit_exceeded", "Enqueued token limit reached.")
        life = await run_here(batched(url, max_calls=40), tmp_path, known=KNOWN)
        assert {(record["error_kind"], record["final"]) for record in life.records} == {("rate_limit", False)}
        assert server.stats()["batches"] == 1 and any("Enqueued token limit" in line for line in life.said)
        server.after = lambda request, reply: None
        life = await resume_here(life.path, known=KNOWN)
        assert life.ended.exit_code == 0, life.said


@WIRES_WITH_BATCHES
@pytest.mark.parametrize("status", [404, 405])
async def test_a_server_without_batches_says_what_to_do(tmp_path: Path, wire: str, status: int) -> None:
    async with odd() as (server, url):
        posted = lambda request: request.method == "POST"  # noqa: E731
        server.before = lambda request: replies.failure(status, "Not Found") if posted(request) else None
        life = await run_here(batched(url, wire), tmp_path, known=KNOWN)
        (message,) = {record["error_message"] for record in life.records}
        assert "this server has no batch interface (/" in message and 'run.mode = "live"' in message
        assert "base_url" not in message
        assert {record["final"] for record in life.records} == {True}


async def test_a_refused_batch_aborts_where_failures_do(tmp_path: Path) -> None:
    async with odd() as (server, url):
        server.after = failed_with("invalid", "bad file")
        life = await run_here(batched(url, on_failure="abort"), tmp_path, known=KNOWN)
        assert life.ended.aborted


async def test_a_refused_parameter_costs_one_attempt(tmp_path: Path) -> None:
    """Nothing is known of the model: its first call is asked alone, and the batch is made without what it refuses."""
    async with odd() as (server, url):
        answer, alone = server._answer, []

        async def strict(request: web.BaseRequest) -> web.StreamResponse:
            alone.append("temperature" in json.loads(await request.read()))
            if alone[-1]:
                said = "Unsupported parameter: 'temperature' is not supported with this model."
                error = {"message": said, "param": "temperature", "code": "unsupported_parameter"}
                return web.json_response({"error": error}, status=400)
            return await answer(request)

        server._answer = strict  # type: ignore[method-assign]
        life = await run_here(batched(url, n=8, model={"temperature": 0.5}, max_calls=9), tmp_path)
        assert life.ended.exit_code == 0, life.said
        assert alone == [True, False] and server.stats()["batched"] == 7
        assert all("temperature" not in record["request"] for record in life.records[1:])


# ---------------------------------------------------------------------------------------------------- budget


async def test_live_calls_and_batches_share_a_cap_and_none_waits_for_ever(tmp_path: Path) -> None:
    price = {"input": 1.0, "output": 10.0}
    async with odd() as (_, url):
        models = [
            {"name": "m", "wire": "openai", "model": "sim-scholar", "base_url": url, "price": price},
            {"name": "alone", "wire": "ollama", "model": "sim-sprinter", "base_url": url, "price": price},
        ]
        run = {"mode": "batch", "poll_s": 0.02, "max_output_tokens": 1000, "max_cost_usd": 0.0125, "max_concurrency": 1}
        life = await run_here(panel(models, [asked("m"), asked("alone", 3)], 2, run=run), tmp_path, known=KNOWN)
        assert not life.ended.aborted, life.said
        assert life.ended.progress.charged_usd <= 0.0125


async def test_what_the_cache_answers_leaves_room_for_retries(tmp_path: Path) -> None:
    """Seven of eight calls are cached: what the plan kept for them can be used to ask the eighth again."""
    async with odd() as (_, url):
        model = {"model": "fault:500:1", "send_seed": True}
        options: Table = {"cache": tmp_path / "cache", "known": KNOWN}
        only = [f"__no_doc__/q{number}" for number in range(7)]
        first = batched(url, n=8, model=model, cache=True, retries=2, only=only)
        one = await run_here(first, tmp_path, out=tmp_path / "one", **options)
        second = batched(url, n=8, model=model, cache=True, retries=2, max_calls=8)
        two = await run_here(second, tmp_path, out=tmp_path / "two", **options)
        assert (one.ended.exit_code, two.ended.exit_code) == (0, 0), two.said


async def test_what_was_fetched_is_told_from_what_was_on_file(tmp_path: Path) -> None:
    async with odd() as (server, url):
        run = await left_open(server, url, tmp_path, "openai", heard_of=True)
        life: Life = await resume_here(run, known=KNOWN)
        assert life.ended.progress.fetched == 4
        assert life.ended.progress.simulated
        assert life.ended.progress.items_done == life.ended.progress.items == 4
