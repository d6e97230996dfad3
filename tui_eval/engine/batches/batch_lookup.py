"""Lookup of a batch that a server may have though we never heard so: only "it is not there" lets it be handed over again."""

from __future__ import annotations

import calendar
import contextlib
import time
from dataclasses import replace

from tui_eval.core.calls import ApiError, Request
from tui_eval.engine.backoff import pause_s
from tui_eval.engine.batches.batch_wire import TRIES, UPLOAD_S, Batch, Gone, ended, error_of, pause, result_lines, sent
from tui_eval.engine.calling import RunContext
from tui_eval.engine.http.send import HttpReply, Lost
from tui_eval.providers.batches import BatchState, read_recent

SKEW_S = 600.0
"""How far a server's clock may be from ours."""
MOST_PAGES = 1000
"""Pages of the list of batches that are looked through."""
STOPPED = ApiError("cancelled", "the run was stopped meanwhile")


async def looked_up(context: RunContext, batch: Batch) -> BatchState | ApiError | None:
    """The batch, if the server has it; None where it provably has not; an ApiError where nobody knows, after several tries."""
    tried = 0
    while True:
        tried += 1
        result = await _looked_up(context, batch)
        if not isinstance(result, ApiError) or context.breaker.stopped or tried >= TRIES:
            return result
        context.breaker.warn(f"batch {batch.name} of {batch.model.name} could not be looked up: {result.message}")
        await pause(context, pause_s(tried, "exponential"))


async def _looked_up(context: RunContext, batch: Batch) -> BatchState | ApiError | None:
    states = await _recent(context, batch)
    if isinstance(states, ApiError):
        return states
    same_name = next((state for state in states if state.name == batch.label), None)
    if same_name is not None:
        return same_name
    known_ids = {entry.get("id") for entry in context.batches_on_file().values()}
    nameless = [state for state in states if state.name is None and state.id not in known_ids and _may_be_ours(batch, state)]
    for state in sorted(nameless, key=lambda state: not state.ended):
        ours = await _is_ours(context, batch, state)
        if isinstance(ours, ApiError):
            return ours
        if ours:
            return state
    return None


async def _recent(context: RunContext, batch: Batch) -> list[BatchState] | ApiError:
    """The batches that the server has, back to some time before this one was handed over."""
    states: dict[str, BatchState] = {}
    last = ""
    for _ in range(MOST_PAGES):
        got = await sent(context, batch, batch.batches.recent(last))
        if isinstance(got, Lost):
            return ApiError(got.kind, got.message, retry=got.retry, cause=got.cause)
        if got.status != 200:
            return error_of(batch, got)
        try:
            page, more = read_recent(got.body, batch.batches.read)
        except ValueError as error:
            return ApiError("protocol", f"the list of batches: {error}", retry=True)
        fresh = [state for state in page if state.id not in states]
        states.update((state.id, state) for state in fresh)
        if not more or _made_before(page[-1], batch.began_at - SKEW_S):
            return list(states.values())
        if not fresh or context.breaker.stopped:
            break
        last = page[-1].id
    return STOPPED if context.breaker.stopped else ApiError("protocol", "the list of batches does not end", retry=True)


def _may_be_ours(batch: Batch, state: BatchState) -> bool:
    """Return whether a batch without a name has as many calls, and was made when ours was handed over."""
    created_at = made_at(state)
    in_window = created_at is None or batch.began_at - SKEW_S <= created_at <= batch.began_at + UPLOAD_S + SKEW_S
    return in_window and (not state.total or state.total == len(batch.offsets))


async def _is_ours(context: RunContext, batch: Batch, state: BatchState) -> bool | ApiError:
    """Return whether a batch holds our calls, which its results tell; an ApiError where these cannot be had."""
    probe = replace(batch, id=state.id)
    over = await ended(context, probe)
    if over is None:
        return STOPPED
    if isinstance(over, Gone):
        return ApiError("transient", f"batch {state.id} may be ours, and is gone: {over.message}", retry=True)
    unreadable = False
    for request in over.results:
        attempt_id = await _first_id(context, probe, request)
        if isinstance(attempt_id, ApiError):
            return attempt_id
        if attempt_id in batch.offsets:
            return True
        if attempt_id:
            return False
        unreadable |= attempt_id is None
    return ApiError("protocol", f"the results of batch {state.id} cannot be read", retry=True) if unreadable else False


async def _first_id(context: RunContext, batch: Batch, request: Request) -> str | ApiError | None:
    """The first id in a file of results; empty where it has no lines, None where none can be read."""
    result: str | None = ""
    async with contextlib.aclosing(result_lines(context, batch, request)) as stream:
        async for line in stream:
            if isinstance(line, Lost):
                return ApiError(line.kind, f"the results of batch {batch.id}: {line.message}", retry=line.retry)
            if isinstance(line, HttpReply):
                return ApiError("transient", f"the results of batch {batch.id}: HTTP {line.status}", retry=True)
            if not line.strip():
                continue
            try:
                return batch.batches.read_line(line).attempt_id
            except ValueError:
                result = None
    return result


def _made_before(state: BatchState, moment: float) -> bool:
    created_at = made_at(state)
    return created_at is not None and created_at < moment


def made_at(state: BatchState) -> float | None:
    """When a batch was made, by its server's clock, in seconds since 1970; None where the server does not say."""
    text = state.created or ""
    try:
        return float(text) if "T" not in text else float(calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")))
    except (ValueError, OverflowError):
        return None
