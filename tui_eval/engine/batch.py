"""One batch on its way: handed over, at most once as far as anyone can know, waited for and fetched."""

from __future__ import annotations

import time
from dataclasses import replace

from tui_eval.core.calls import Fault, Request
from tui_eval.core.errors import StorageError
from tui_eval.engine.batch_lookup import looked_up
from tui_eval.engine.batch_results import all_failed, all_gone, fetched, not_handed_over
from tui_eval.engine.batch_wire import (
    TRIES,
    UPLOAD_S,
    Batch,
    Gone,
    dressed,
    ended,
    error_of,
    in_time,
    note,
    pause,
    requests_file,
    sent,
)
from tui_eval.engine.calling import Asking
from tui_eval.engine.patience import pause_s
from tui_eval.engine.send import Answered, Lost
from tui_eval.providers.batches import BatchState, read_file_id
from tui_eval.providers.body import parse_json

NO_INTERFACE = frozenset({404, 405})


class UnclearError(Exception):
    """Nobody can know whether a batch was taken: it must not be handed over again."""


async def carried(asking: Asking, batch: Batch) -> None:
    """Hand a batch over, wait for it and fetch it. Where the run is stopped meanwhile, it goes on at the server."""
    try:
        if not batch.id and asking.switch.stopped:
            not_handed_over(asking, batch)
        elif batch.id or await _handed_over(asking, batch):
            state = await ended(asking, batch)
            if isinstance(state, Gone):
                await all_gone(asking, batch, state)
            elif state is not None:
                await fetched(asking, batch, state)
    except StorageError as error:
        asking.switch.stop(f"the run folder cannot be written: {error}", aborted=True)
    except Exception as error:
        asking.folder.narrate_exception(f"batch {batch.name}: a bug of ours", error)
        asking.switch.stop(f"batch {batch.name}: {type(error).__name__}: {error}; the traceback is in run.log", aborted=True)


def made(asking: Asking, batch: Batch, state: BatchState) -> None:
    """The server has it: write that down."""
    batch.id = state.id
    note(asking, batch, "submitted", id=state.id, calls=len(batch.offsets))
    requests_file(asking, batch.name).unlink(missing_ok=True)


async def _handed_over(asking: Asking, batch: Batch) -> bool:
    """Whether the server took it. Where that is not known, its last line on file says "submitting", and the run is stopped."""
    waiting = len(batch.offsets)
    asking.progress.in_flight += waiting
    reason, found = "", None
    try:
        for tried in range(TRIES):
            if asking.switch.stopped:
                break
            found = await _tried(asking, batch, tried)
            if isinstance(found, BatchState):
                made(asking, batch, found)
                asking.switch.narrate(f"batch {batch.name}: {waiting} calls of {batch.model.name} handed over as {batch.id}")
                return True
            if not found.retry:
                break
        if isinstance(found, Fault) and (not found.retry or found.kind == "rate_limit") and not asking.switch.stopped:
            await _refused(asking, batch, found)
            return False
        reason = found.message if isinstance(found, Fault) else ""
    except UnclearError as unclear:
        reason = str(unclear)
    asking.progress.in_flight -= waiting
    asking.switch.stop(f"batch {batch.name} could not be handed over: {reason}; tui-eval resume looks it up", aborted=True)
    return False


async def _refused(asking: Asking, batch: Batch, fault: Fault) -> None:
    """Its calls failed; not for good where the server only wants us to wait."""
    asking.switch.learn(batch.model, fault)
    later = "; tui-eval resume tries again" if fault.retry else ""
    message = f"the batch was not taken: {fault.message}{later}"
    await all_failed(asking, batch, Fault(fault.kind, message, fault.scope, fault.retry))


async def _tried(asking: Asking, batch: Batch, tried: int) -> BatchState | Fault:
    """One try: the batch as the server has it, or why it has it not, and (`retry`) whether another try makes sense.

    UnclearError where that cannot be known.
    """
    batch.began_at = time.time()
    note(asking, batch, "submitting", calls=len(batch.offsets))
    fault = await _submitted(asking, batch)
    if isinstance(fault, BatchState) or not fault.retry:
        return fault
    asking.switch.narrate(f"batch {batch.name} of {batch.model.name} could not be handed over: {fault.message}")
    await pause(asking, pause_s(tried + 1, "exponential"))
    if asking.switch.stopped:
        raise UnclearError(f"{fault.message}, and the run was stopped before it was looked up")
    found = await looked_up(asking, batch)
    if isinstance(found, Fault):
        raise UnclearError(f"{fault.message}, and it cannot be looked up: {found.message}")
    return found or fault


async def _submitted(asking: Asking, batch: Batch) -> BatchState | Fault:
    """Upload the calls and have a batch made of them. A Fault with `retry` leaves open whether it was."""
    upload = batch.batches.upload(batch.path)
    upload = replace(upload, request=dressed(upload.request, batch))
    sending = asking.sender.upload(upload, batch.model, requests_file(asking, batch.name), batch.name)
    got = await in_time(asking, sending, UPLOAD_S)
    if batch.batches.create is None or isinstance(got, Lost) or not _is_good(got):
        return _taken(batch, upload.request, got)
    try:
        file_id = read_file_id(got.body)
    except ValueError as error:
        return Fault("protocol", f"the uploaded file: {error}", retry=True)
    create = batch.batches.create(file_id, batch.path, batch.label)
    return _taken(batch, create, await sent(asking, batch, create))


def _taken(batch: Batch, request: Request, got: Answered | Lost) -> BatchState | Fault:
    if isinstance(got, Lost):
        return Fault(got.kind, got.message, retry=got.retry or got.sent, cause=got.cause)
    if got.status in NO_INTERFACE:
        said = f'this server has no batch interface ({request.path}): run.mode = "live" asks call by call'
        return Fault("permanent", said, scope="model")
    if not _is_good(got):
        fault = error_of(batch, got)
        return replace(fault, retry=fault.retry or got.status >= 500)
    try:
        return batch.batches.read(parse_json(got.body))
    except ValueError as error:
        raise UnclearError(f"it was taken, and the reply cannot be read: {error}") from None


def _is_good(got: Answered) -> bool:
    return 200 <= got.status < 300
