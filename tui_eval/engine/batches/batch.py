"""One batch on its way: its request file, handed over at most once as far as anyone can know, awaited and fetched."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from tui_eval.core.calls import ApiError, ModelSpec, Request
from tui_eval.core.errors import StorageError
from tui_eval.engine.backoff import pause_s
from tui_eval.engine.batches.batch_lookup import looked_up
from tui_eval.engine.batches.batch_results import all_failed, all_gone, fetched, not_handed_over
from tui_eval.engine.batches.batch_wire import (
    TRIES,
    UPLOAD_S,
    Batch,
    Gone,
    calls_file,
    dressed,
    ended,
    error_of,
    in_time,
    note,
    pause,
    requests_file,
    sent,
)
from tui_eval.engine.calling import RunContext
from tui_eval.engine.http.send import HttpReply, Lost
from tui_eval.providers.batches import Batches, BatchState, read_file_id
from tui_eval.providers.body import parse_json
from tui_eval.runs.writing import Inside


class Sink:
    """The file of one model's requests while they are collected, and beside it what each will be in the log."""

    def __init__(self, context: RunContext, model: ModelSpec, batches: Batches, name: str) -> None:
        """StorageError where its files cannot be made."""
        self.batches = batches
        self.batch = Batch(name, model, "", None, f"{context.run_id}/{name}", time.time())
        self.size = len(batches.before) + len(batches.after)
        self._path = requests_file(context, name)
        with _stored(self._path):
            self._requests = _created(context, self._path)
            self._calls = _created(context, calls_file(context, name))
            self._requests.write(batches.before)

    def fits(self, line: bytes) -> bool:
        """Return whether another request may be added, by the provider's limits."""
        size = self.size + len(self.batches.between) + len(line)
        return len(self.batch.offsets) < self.batches.most_requests and size <= self.batches.most_bytes

    def add(self, identity: str, line: bytes, prepared: str, request: Request) -> None:
        """Add a request. StorageError on a full disk."""
        between = self.batches.between if self.batch.offsets else b""
        self.batch.path, self.batch.organization_header = request.path, request.organization_header
        with _stored(self._path):
            offset = self._calls.tell()
            self._calls.write(prepared.encode("ascii"))
            self._requests.write(between + line)
        self.batch.offsets[identity] = offset
        self.size += len(between) + len(line)

    def close(self) -> None:
        """Have both files on the disk. StorageError where it is full."""
        with _stored(self._path):
            self._requests.write(self.batches.after)
            for file in (self._requests, self._calls):
                file.flush()
                os.fsync(file.fileno())
                file.close()

    def drop(self, context: RunContext) -> None:
        """Nothing of it is handed over: its calls are as they were before."""
        for file in (self._requests, self._calls):
            with contextlib.suppress(OSError):
                file.close()
        not_handed_over(context, self.batch)


@contextlib.contextmanager
def _stored(path: Path) -> Iterator[None]:
    """StorageError where the disk refuses what is written."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error


def _created(context: RunContext, path: Path) -> BinaryIO:
    place = Inside(context.folder.path) / str(path.relative_to(context.folder.path))
    return os.fdopen(place.create(), "wb")


NO_INTERFACE = frozenset({404, 405})


class UnclearError(Exception):
    """Nobody can know whether a batch was taken: it must not be handed over again."""


async def carried(context: RunContext, batch: Batch) -> None:
    """Hand a batch over, wait for it and fetch it. Where the run is stopped meanwhile, it goes on at the server."""
    try:
        if not batch.id and context.breaker.stopped:
            not_handed_over(context, batch)
        elif batch.id or await _handed_over(context, batch):
            state = await ended(context, batch)
            if isinstance(state, Gone):
                await all_gone(context, batch, state)
            elif state is not None:
                await fetched(context, batch, state)
    except StorageError as error:
        context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
    except Exception as error:
        context.folder.narrate_exception(f"batch {batch.name}: a bug of ours", error)
        context.breaker.stop(f"batch {batch.name}: {type(error).__name__}: {error}; the traceback is in run.log", aborted=True)


def record_batch(context: RunContext, batch: Batch, state: BatchState) -> None:
    """The server has it: write that down."""
    batch.id = state.id
    note(context, batch, "submitted", id=state.id, calls=len(batch.offsets))
    requests_file(context, batch.name).unlink(missing_ok=True)


async def _handed_over(context: RunContext, batch: Batch) -> bool:
    """Return whether the server took it. If unknown, its last line on file says "submitting", and the run is stopped."""
    waiting = len(batch.offsets)
    context.progress.in_flight += waiting
    reason, result = "", None
    try:
        for tried in range(TRIES):
            if context.breaker.stopped:
                break
            result = await _tried(context, batch, tried)
            if isinstance(result, BatchState):
                record_batch(context, batch, result)
                context.breaker.narrate(f"batch {batch.name}: {waiting} calls of {batch.model.name} handed over as {batch.id}")
                return True
            if not result.retry:
                break
        if isinstance(result, ApiError) and (not result.retry or result.kind == "rate_limit") and not context.breaker.stopped:
            await _refused(context, batch, result)
            return False
        reason = result.message if isinstance(result, ApiError) else ""
    except UnclearError as unclear:
        reason = str(unclear)
    context.progress.in_flight -= waiting
    context.breaker.stop(f"batch {batch.name} could not be handed over: {reason}; tui-eval resume looks it up", aborted=True)
    return False


async def _refused(context: RunContext, batch: Batch, fault: ApiError) -> None:
    """Its calls failed; not for good where the server only wants us to wait."""
    context.breaker.learn(batch.model, fault)
    later = "; tui-eval resume tries again" if fault.retry else ""
    message = f"the batch was not taken: {fault.message}{later}"
    await all_failed(context, batch, ApiError(fault.kind, message, fault.scope, fault.retry))


async def _tried(context: RunContext, batch: Batch, tried: int) -> BatchState | ApiError:
    """One try: the batch as the server has it, or why it has it not, and (`retry`) whether another try makes sense.

    UnclearError where that cannot be known.
    """
    batch.began_at = time.time()
    note(context, batch, "submitting", calls=len(batch.offsets))
    fault = await _submitted(context, batch)
    if isinstance(fault, BatchState) or not fault.retry:
        return fault
    context.breaker.warn(f"batch {batch.name} of {batch.model.name} could not be handed over: {fault.message}")
    await pause(context, pause_s(tried + 1, "exponential"))
    if context.breaker.stopped:
        raise UnclearError(f"{fault.message}, and the run was stopped before it was looked up")
    state = await looked_up(context, batch)
    if isinstance(state, ApiError):
        raise UnclearError(f"{fault.message}, and it cannot be looked up: {state.message}")
    return state or fault


async def _submitted(context: RunContext, batch: Batch) -> BatchState | ApiError:
    """Upload the calls and have a batch made of them. An ApiError with `retry` leaves open whether it was."""
    upload = batch.batches.upload(batch.path)
    upload = replace(upload, request=dressed(upload.request, batch))
    sending = context.sender.upload(upload, batch.model, requests_file(context, batch.name), batch.name)
    got = await in_time(context, sending, UPLOAD_S)
    if batch.batches.create is None or isinstance(got, Lost) or not _is_good(got):
        return _submission(batch, upload.request, got)
    try:
        file_id = read_file_id(got.body)
    except ValueError as error:
        return ApiError("protocol", f"the uploaded file: {error}", retry=True)
    create = batch.batches.create(file_id, batch.path, batch.label)
    return _submission(batch, create, await sent(context, batch, create))


def _submission(batch: Batch, request: Request, got: HttpReply | Lost) -> BatchState | ApiError:
    if isinstance(got, Lost):
        return ApiError(got.kind, got.message, retry=got.retry or got.sent, cause=got.cause)
    if got.status in NO_INTERFACE:
        message = f'this server has no batch interface ({request.path}): run.mode = "live" asks call by call'
        return ApiError("permanent", message, scope="model")
    if not _is_good(got):
        fault = error_of(batch, got)
        return replace(fault, retry=fault.retry or got.status >= 500)
    try:
        return batch.batches.read(parse_json(got.body))
    except ValueError as error:
        raise UnclearError(f"it was taken, and the reply cannot be read: {error}") from None


def _is_good(got: HttpReply) -> bool:
    return 200 <= got.status < 300
