"""A batch as it is known here, and what is asked of its server: one request, how far it is, its results line by line."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from tui_eval.core.calls import ApiError, Call, ModelSpec, Request
from tui_eval.core.money import batch_price
from tui_eval.engine.calling import AttemptEnd, RunContext
from tui_eval.engine.http.send import HttpReply, Lost
from tui_eval.engine.logbook import stamp
from tui_eval.engine.verdict import verdict_of
from tui_eval.providers import WIRES
from tui_eval.providers.batches import Batches, BatchState
from tui_eval.providers.body import parse_json
from tui_eval.runs.folder import BATCHES

FOLDER = "batches"
TRIES = 5
"""How often handing over, looking up and fetching are tried before the run is stopped; tui-eval resume tries again."""
REQUEST_S = 60.0
UPLOAD_S = 1800.0
LINE_S = 120.0
"""Longest wait for a reply, for an upload, and between two lines of results; seconds."""

Got = TypeVar("Got")


@dataclass(slots=True)
class Batch:
    """A batch as it is known to us, from its first line on file to its last result."""

    name: str
    model: ModelSpec
    path: str
    """Where its calls would be sent one by one, such as /chat/completions."""
    organization_header: str | None
    label: str
    """How the server is told to call it, where it keeps such names."""
    began_at: float
    """When it was handed over: seconds since 1970."""
    offsets: dict[str, int] = field(default_factory=dict)
    """By attempt id: where the prepared record stands in the file of calls. Those that came back are taken out."""
    id: str = ""
    """The server's own name for it."""
    unwritten: bool = False
    """Whether a record of it did not get into the log."""

    @property
    def batches(self) -> Batches:
        """Batch interface of its provider."""
        batches = WIRES[self.model.wire].batches
        assert batches is not None
        return batches


@dataclass(frozen=True, slots=True)
class Gone:
    """Something that is not there any more, with how its server says so."""

    message: str


def in_batch(model: ModelSpec) -> ModelSpec:
    """The model as it is asked in a batch: at that price, and without streams."""
    return replace(model, price=batch_price(model.price), stream=False)


def requests_file(context: RunContext, name: str) -> Path:
    """Return the path of the file that is uploaded; deleted once the batch is made."""
    return context.folder.path / FOLDER / f"{name}.requests"


def calls_file(context: RunContext, name: str) -> Path:
    """Return the path of the calls of the batch as they will be in the log; deleted once its results are there."""
    return context.folder.path / FOLDER / f"{name}.calls.jsonl"


def delete_files(context: RunContext, name: str) -> None:
    """Delete what lies here of a batch."""
    for file in (requests_file(context, name), calls_file(context, name)):
        file.unlink(missing_ok=True)


def note(context: RunContext, batch: Batch, state: str, **more: Any) -> None:
    """Write down what became of a batch, before anything else is done. StorageError on a full disk."""
    event = {
        "name": batch.name,
        "state": state,
        "at": stamp(),
        "model": batch.model.name,
        "path": batch.path,
        "organization_header": batch.organization_header,
        "label": batch.label,
        "began_at": batch.began_at,
        **more,
    }
    context.folder.append_now(BATCHES, json.dumps(event) + "\n")


def state_of(batch: Batch, got: HttpReply | Lost) -> BatchState | ApiError:
    """Return what a reply says of a batch."""
    if isinstance(got, Lost):
        return ApiError(got.kind, got.message, retry=got.retry, cause=got.cause)
    if not 200 <= got.status < 300:
        return error_of(batch, got)
    try:
        return batch.batches.read(parse_json(got.body))
    except ValueError as error:
        return ApiError("protocol", f"not a batch: {error}", retry=True)


def error_of(batch: Batch, got: HttpReply) -> ApiError:
    """Return what an error status to a request about a batch means."""
    decoded = WIRES[batch.model.wire].decode(got.status, got.headers, got.body)
    fault = verdict_of(stub_call(batch.model), AttemptEnd(decoded, 0.0, answered=got), batch.model)
    return fault if isinstance(fault, ApiError) else ApiError("protocol", f"HTTP {got.status} to a batch")


def stub_call(model: ModelSpec) -> Call:
    """Stands for a call where only its outcome is looked at."""
    return Call("batch", "batch", model.name, ())


async def ended(context: RunContext, batch: Batch) -> BatchState | Gone | None:
    """The batch once nothing more will be answered, or is not there any more; None where the run is stopped first."""
    failures, missing, reported = 0, 0, -1
    while True:
        got = await sent(context, batch, batch.batches.poll(batch.id))
        state = state_of(batch, got)
        missing = missing + 1 if isinstance(got, HttpReply) and got.status == 404 else 0
        if isinstance(state, ApiError):
            failures += 1
            if missing >= TRIES:
                return Gone(state.message)
            if not missing and (not state.retry or failures >= TRIES * 4):
                context.breaker.stop(f"batch {batch.id}: {state.message}; tui-eval resume goes on with it", aborted=True)
        else:
            failures = 0
            if state.ended:
                return state
            if state.done is not None and state.done != reported:
                reported = state.done
                context.breaker.narrate(f"batch {batch.name}: {state.done} of {state.total or len(batch.offsets)} answered")
        if context.breaker.stopped:
            context.breaker.warn(f"batch {batch.id} of {batch.model.name} goes on at the server; tui-eval resume fetches it")
            return None
        await pause(context, context.run.poll_s)


async def pause(context: RunContext, seconds: float) -> None:
    """Wait, but no longer than until the run is stopped."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await context.breaker.stopping.wait()


async def result_lines(context: RunContext, batch: Batch, request: Request) -> AsyncGenerator[bytes | HttpReply | Lost, None]:
    """The lines of a reply, none of which is waited for too long."""
    stream = context.sender.lines(dressed(request, batch), batch.model, batch.name)
    try:
        while True:
            try:
                line = await in_time(context, anext(stream), LINE_S)
            except StopAsyncIteration:
                return
            yield line
            if isinstance(line, Lost):
                return
    finally:
        await stream.aclose()


async def sent(context: RunContext, batch: Batch, request: Request) -> HttpReply | Lost:
    """The reply to a request about a batch."""
    return await in_time(context, context.sender.send(dressed(request, batch), batch.model, batch.name), REQUEST_S)


def dressed(request: Request, batch: Batch) -> Request:
    """The request with the header for the organization, as the batch's calls have it."""
    return replace(request, organization_header=batch.organization_header)


async def in_time(context: RunContext, waiting: Awaitable[Got], seconds: float) -> Got | Lost:
    """Return what is waited for; Lost where it does not come in time, or is broken off."""
    try:
        async with asyncio.timeout(0 if context.breaker.broken_off else seconds) as deadline:
            context.breaker.deadlines.enter(deadline)
            try:
                return await waiting
            finally:
                context.breaker.deadlines.leave(deadline)
    except TimeoutError:
        if context.breaker.broken_off:
            return Lost("cancelled", "interrupted", sent=True, retry=False)
        return Lost("transient", f"nothing came within {seconds:.0f} s", sent=True, retry=True)
