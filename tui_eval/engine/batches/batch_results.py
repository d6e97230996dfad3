"""The results of a batch, written down call by call like any other attempt: answered, unanswered, refused or gone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui_eval.core.calls import ApiError, Completion, ErrorKind
from tui_eval.core.money import MICRO, to_micro
from tui_eval.core.records import Attempt
from tui_eval.engine.ask import money_settled, remember, without_keys
from tui_eval.engine.backoff import pause_s
from tui_eval.engine.batches.batch_wire import (
    TRIES,
    Batch,
    Gone,
    calls_file,
    delete_files,
    in_batch,
    note,
    pause,
    result_lines,
    stub_call,
)
from tui_eval.engine.calling import AttemptEnd, RunContext
from tui_eval.engine.http.send import HttpReply, Lost
from tui_eval.engine.logbook import is_simulated, stamp, write_batched
from tui_eval.engine.verdict import charged, priced, verdict_of
from tui_eval.providers import WIRES
from tui_eval.providers.batches import BatchReply, BatchState
from tui_eval.runs.opening import LONGEST_LINE
from tui_eval.runs.reader import lines
from tui_eval.runs.record import attempt_of, head_of, record_of, reply_of
from tui_eval.workspace.plain_files import stream_of

MISSING = ApiError("protocol", "the batch ended, and its results hold no line for this call that can be read", retry=True)


async def fetched(context: RunContext, batch: Batch, state: BatchState) -> None:
    """Write down every reply of an ended batch; what has none is written down as unanswered."""
    if state.refused:
        kind: ErrorKind = "rate_limit" if state.later else "permanent"
        later = "; it is not asked again in this session; tui-eval resume asks it" if state.later else ""
        fault = ApiError(kind, f"the server refused the batch: {state.refused}{later}", retry=state.later)
        context.breaker.warn(f"batch {batch.id} of {batch.model.name}: {fault.message}")
        await all_failed(context, batch, fault)
        return
    problem: str | Gone = ""
    for tried in range(TRIES):
        problem = await _read_results(context, batch, state)
        if not problem or batch.unwritten or context.breaker.broken_off:
            break
        reason = problem.message if isinstance(problem, Gone) else problem
        context.breaker.warn(f"batch {batch.id}: its results were interrupted: {reason}")
        await pause(context, pause_s(tried + 1, "exponential"))
    if isinstance(problem, Gone):
        await all_gone(context, batch, problem)
    elif problem:
        context.breaker.stop(f"batch {batch.id}: its results cannot be fetched ({problem}); resume it", aborted=True)
    elif not batch.unwritten:
        for attempt_id in list(batch.offsets):
            await _take(context, batch, attempt_id, AttemptEnd(MISSING, 0.0))
        over(context, batch, "fetched")


async def _read_results(context: RunContext, batch: Batch, state: BatchState) -> str | Gone:
    """Take every line of the results; why it broke off, empty where it did not."""
    for request in state.results:
        async with contextlib.aclosing(result_lines(context, batch, request)) as stream:
            async for line in stream:
                if isinstance(line, Lost):
                    return line.message
                if isinstance(line, HttpReply):
                    return Gone("HTTP 404") if line.status == 404 else f"HTTP {line.status}"
                if line.strip():
                    await _take_line(context, batch, line)
                if batch.unwritten:
                    return "the log cannot be written"
                await asyncio.sleep(0)
    return ""


async def _take_line(context: RunContext, batch: Batch, line: bytes) -> None:
    try:
        reply = batch.batches.read_line(line)
    except ValueError as error:
        context.breaker.warn(f"batch {batch.id}: a line of its results cannot be read: {error}")
        return
    if reply.attempt_id in batch.offsets:
        await _take(context, batch, reply.attempt_id, _as_ended(context, batch, reply))


def _as_ended(context: RunContext, batch: Batch, reply: BatchReply) -> AttemptEnd:
    if reply.unanswered:
        return AttemptEnd(ApiError("transient", f"not answered in the batch: {reply.unanswered}", retry=True), 0.0, sent=False)
    decoded = WIRES[batch.model.wire].decode(reply.status, {}, reply.body)
    decoded = without_keys(decoded, context.folder.redact) if isinstance(decoded, Completion) else decoded
    return AttemptEnd(decoded, 0.0, answered=HttpReply(reply.status, {}, reply.body))


async def all_failed(context: RunContext, batch: Batch, fault: ApiError) -> None:
    """The server took none of it: every call failed for that one reason, at no cost; for good unless it may be retried."""
    for attempt_id in list(batch.offsets):
        await _take(context, batch, attempt_id, AttemptEnd(fault, 0.0, sent=False), settled=not fault.retry)
    over(context, batch, "refused", why=fault.message)


async def all_gone(context: RunContext, batch: Batch, gone: Gone) -> None:
    """The server has it no more: its calls may have been answered and billed, and a later life of the run may ask them."""
    message = f"batch {batch.id} or its results are gone ({gone.message}); it may have been answered and billed"
    context.breaker.warn(f"{batch.model.name}: {message}; {len(batch.offsets)} calls are charged at their worst case")
    for attempt_id in list(batch.offsets):
        await _take(context, batch, attempt_id, AttemptEnd(ApiError("transient", message, retry=True), 0.0), settled=False)
    over(context, batch, "gone", why=gone.message)


async def _take(context: RunContext, batch: Batch, attempt_id: str, ended: AttemptEnd, settled: bool | None = None) -> None:
    """One call of a batch: read, priced, settled and written down. `settled`: whether its call ends; by default as it says."""
    record = _record(context, batch, attempt_id)
    model, worst = in_batch(batch.model), record["charged_usd"]
    reserved = None if worst is None else to_micro(worst)
    verdict = verdict_of(stub_call(batch.model), ended, model)
    usage, source = priced(verdict.usage, model)
    charge = charged(ended, usage, reserved)
    context.budget.settle(reserved, charge or 0)
    fault = verdict if isinstance(verdict, ApiError) else None
    redact = context.folder.redact
    simulated = record["simulated"] or is_simulated(model, verdict)
    if simulated:
        context.progress.made_up(batch.model.name, charge)
    attempt = replace(
        attempt_of(record),
        status="ok" if fault is None else "error",
        error_kind=None if fault is None else fault.kind,
        error_message=None if fault is None else redact(fault.message),
        final=_is_final(context, batch, record["attempt"], verdict, ended) if settled is None else settled,
        started_at=stamp(batch.began_at),
        ended_at=stamp(),
        http_status=ended.answered.status if ended.answered else None,
        finish_reason=verdict.finish_reason,
        served_model=verdict.served_model,
        usage=usage,
        cost_source=source,
        charged_usd=None if charge is None else charge / MICRO,
        batch_id=batch.id or None,
        simulated=simulated,
        response_text=verdict.text or "" if isinstance(verdict, Completion) else verdict.refusal_words,
        reasoning_text=verdict.reasoning if isinstance(verdict, Completion) else None,
        response_json=verdict.body,
    )
    _write(context, batch, attempt, record)
    if fault is not None:
        context.breaker.learn(batch.model, fault)
    if attempt.final:
        context.breaker.ended(batch.model, reply_of({**record, **_outcome(attempt)}, stub_call(batch.model)))
    await money_settled(context)


def _outcome(attempt: Attempt) -> dict[str, Any]:
    return {name: getattr(attempt, name) for name in ("status", "error_kind", "error_message", "response_text", "final")}


def _is_final(context: RunContext, batch: Batch, attempt: int, verdict: Completion | ApiError, ended: AttemptEnd) -> bool:
    """Return whether it settles its call. What was never answered does not; what can pass, or be mended, is asked once more."""
    if isinstance(verdict, Completion):
        return True
    if verdict.repair is not None and attempt < 2:
        remember(context, batch.model, verdict.repair)
        return False
    most = min(context.run.retries, 1) if verdict.kind == "empty" else context.run.retries
    return ended.sent and not (verdict.retry and attempt < most)


def _write(context: RunContext, batch: Batch, attempt: Attempt, record: dict[str, Any]) -> None:
    batch.unwritten |= not write_batched(context, batch.model, attempt, record)
    del batch.offsets[attempt.attempt_id]
    context.progress.in_flight -= 1
    context.progress.fetched += 1


def over(context: RunContext, batch: Batch, state: str, **more: Any) -> None:
    """Nothing of it is open any more, if all of it is in the log: else the next life fetches it again."""
    context.folder.sync()
    if not batch.unwritten and not context.folder.lost:
        note(context, batch, state, id=batch.id, **more)
        delete_files(context, batch.name)


def not_handed_over(context: RunContext, batch: Batch) -> None:
    """The server never got it: nothing was asked, nothing is charged, and its calls are as they were before."""
    budget = context.budget
    for _, head in prepared_calls(calls_file(context, batch.name)):
        if head["attempt_id"] in batch.offsets:
            budget.calls_used -= 1
            budget.kept += head["attempt"] == 0
            budget.settle(to_micro(head["charged_usd"] or 0.0), 0)
    delete_files(context, batch.name)


def prepared_calls(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(offset, small fields) of each call in a file of calls."""
    for offset, line in lines(path):
        with contextlib.suppress(ValueError):
            yield offset, head_of(line)


def _record(context: RunContext, batch: Batch, attempt_id: str) -> dict[str, Any]:
    """A call of the batch as it was prepared."""
    with stream_of(calls_file(context, batch.name)) as file:
        file.seek(batch.offsets[attempt_id])
        return record_of(file.readline(LONGEST_LINE))
