"""Whether a server has a batch though we never heard so: only "it is not there" lets it be handed over once more."""

from __future__ import annotations

import calendar
import contextlib
import time
from dataclasses import replace

from tui_eval.core.calls import Fault, Request
from tui_eval.engine.batch_wire import TRIES, UPLOAD_S, Batch, Gone, ended, error_of, pause, result_lines, sent
from tui_eval.engine.calling import Asking
from tui_eval.engine.patience import pause_s
from tui_eval.engine.send import Answered, Lost
from tui_eval.providers.batches import BatchState, read_recent

SKEW_S = 600.0
"""How far a server's clock may be from ours."""
MOST_PAGES = 1000
"""Pages of the list of batches that are looked through."""
STOPPED = Fault("cancelled", "the run was stopped meanwhile")


async def looked_up(asking: Asking, batch: Batch) -> BatchState | Fault | None:
    """The batch, if the server has it; None where it provably has not; a Fault where nobody knows, after several tries."""
    tried = 0
    while True:
        tried += 1
        found = await _looked_up(asking, batch)
        if not isinstance(found, Fault) or asking.switch.stopped or tried >= TRIES:
            return found
        asking.switch.narrate(f"batch {batch.name} of {batch.model.name} could not be looked up: {found.message}")
        await pause(asking, pause_s(tried, "exponential"))


async def _looked_up(asking: Asking, batch: Batch) -> BatchState | Fault | None:
    states = await _recent(asking, batch)
    if isinstance(states, Fault):
        return states
    named = next((state for state in states if state.name == batch.label), None)
    if named is not None:
        return named
    known = {entry.get("id") for entry in asking.batches_on_file().values()}
    nameless = [state for state in states if state.name is None and state.id not in known and _may_be_ours(batch, state)]
    for state in sorted(nameless, key=lambda state: not state.ended):
        ours = await _is_ours(asking, batch, state)
        if isinstance(ours, Fault):
            return ours
        if ours:
            return state
    return None


async def _recent(asking: Asking, batch: Batch) -> list[BatchState] | Fault:
    """The batches that the server has, back to some time before this one was handed over."""
    found: dict[str, BatchState] = {}
    last = ""
    for _ in range(MOST_PAGES):
        got = await sent(asking, batch, batch.batches.recent(last))
        if isinstance(got, Lost):
            return Fault(got.kind, got.message, retry=got.retry, cause=got.cause)
        if got.status != 200:
            return error_of(batch, got)
        try:
            page, more = read_recent(got.body, batch.batches.read)
        except ValueError as error:
            return Fault("protocol", f"the list of batches: {error}", retry=True)
        fresh = [state for state in page if state.id not in found]
        found.update((state.id, state) for state in fresh)
        if not more or _made_before(page[-1], batch.began_at - SKEW_S):
            return list(found.values())
        if not fresh or asking.switch.stopped:
            break
        last = page[-1].id
    return STOPPED if asking.switch.stopped else Fault("protocol", "the list of batches does not end", retry=True)


def _may_be_ours(batch: Batch, state: BatchState) -> bool:
    """Whether a batch without a name has as many calls, and was made when ours was handed over."""
    made = made_at(state)
    in_window = made is None or batch.began_at - SKEW_S <= made <= batch.began_at + UPLOAD_S + SKEW_S
    return in_window and (not state.total or state.total == len(batch.offsets))


async def _is_ours(asking: Asking, batch: Batch, state: BatchState) -> bool | Fault:
    """Whether a batch holds our calls, which its results tell; a Fault where these cannot be had."""
    probe = replace(batch, id=state.id)
    over = await ended(asking, probe)
    if over is None:
        return STOPPED
    if isinstance(over, Gone):
        return Fault("transient", f"batch {state.id} may be ours, and is gone: {over.message}", retry=True)
    unreadable = False
    for request in over.results:
        attempt_id = await _first_id(asking, probe, request)
        if isinstance(attempt_id, Fault):
            return attempt_id
        if attempt_id in batch.offsets:
            return True
        if attempt_id:
            return False
        unreadable |= attempt_id is None
    return Fault("protocol", f"the results of batch {state.id} cannot be read", retry=True) if unreadable else False


async def _first_id(asking: Asking, batch: Batch, request: Request) -> str | Fault | None:
    """The first id in a file of results; empty where it has no lines, None where none can be read."""
    found: str | None = ""
    async with contextlib.aclosing(result_lines(asking, batch, request)) as stream:
        async for line in stream:
            if isinstance(line, Lost):
                return Fault(line.kind, f"the results of batch {batch.id}: {line.message}", retry=line.retry)
            if isinstance(line, Answered):
                return Fault("transient", f"the results of batch {batch.id}: HTTP {line.status}", retry=True)
            if not line.strip():
                continue
            try:
                return batch.batches.read_line(line).attempt_id
            except ValueError:
                found = None
    return found


def _made_before(state: BatchState, moment: float) -> bool:
    made = made_at(state)
    return made is not None and made < moment


def made_at(state: BatchState) -> float | None:
    """When a batch was made, by its server's clock, in seconds since 1970; None where the server does not say."""
    said = state.created or ""
    try:
        return float(said) if "T" not in said else float(calendar.timegm(time.strptime(said[:19], "%Y-%m-%dT%H:%M:%S")))
    except (ValueError, OverflowError):
        return None
