"""What came of a batch, written down call by call like any other attempt: answered, unanswered, refused or gone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui_eval.core.calls import ErrorKind, Fault, Said
from tui_eval.core.money import MICRO, to_micro
from tui_eval.core.records import Attempt
from tui_eval.engine.ask import money_settled, remember, without_keys
from tui_eval.engine.batch_wire import (
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
from tui_eval.engine.calling import Asking, Ended
from tui_eval.engine.logbook import stamp, write_batched
from tui_eval.engine.patience import pause_s
from tui_eval.engine.send import Answered, Lost
from tui_eval.engine.verdict import charged, priced, verdict_of
from tui_eval.providers import WIRES
from tui_eval.providers.batches import BatchReply, BatchState
from tui_eval.runs.reader import lines
from tui_eval.runs.record import attempt_of, head_of, record_of, reply_of

MISSING = Fault("protocol", "the batch ended, and its results hold no line for this call that can be read", retry=True)


async def fetched(asking: Asking, batch: Batch, state: BatchState) -> None:
    """Write down every reply of an ended batch; what has none is written down as unanswered."""
    if state.refused:
        kind: ErrorKind = "rate_limit" if state.later else "permanent"
        later = "; it is not asked again in this life of the run, tui-eval resume asks it" if state.later else ""
        fault = Fault(kind, f"the server refused the batch: {state.refused}{later}", retry=state.later)
        asking.switch.narrate(f"batch {batch.id} of {batch.model.name}: {fault.message}")
        await all_failed(asking, batch, fault)
        return
    problem: str | Gone = ""
    for tried in range(TRIES):
        problem = await _read_results(asking, batch, state)
        if not problem or batch.unwritten or asking.switch.broken_off:
            break
        said = problem.message if isinstance(problem, Gone) else problem
        asking.switch.narrate(f"batch {batch.id}: its results broke off: {said}")
        await pause(asking, pause_s(tried + 1, "exponential"))
    if isinstance(problem, Gone):
        await all_gone(asking, batch, problem)
    elif problem:
        asking.switch.stop(f"batch {batch.id}: its results cannot be fetched ({problem}); resume it", aborted=True)
    elif not batch.unwritten:
        for attempt_id in list(batch.offsets):
            await _take(asking, batch, attempt_id, Ended(MISSING, 0.0))
        over(asking, batch, "fetched")


async def _read_results(asking: Asking, batch: Batch, state: BatchState) -> str | Gone:
    """Take every line of the results; why it broke off, empty where it did not."""
    for request in state.results:
        async with contextlib.aclosing(result_lines(asking, batch, request)) as found:
            async for line in found:
                if isinstance(line, Lost):
                    return line.message
                if isinstance(line, Answered):
                    return Gone("HTTP 404") if line.status == 404 else f"HTTP {line.status}"
                if line.strip():
                    await _take_line(asking, batch, line)
                if batch.unwritten:
                    return "the log cannot be written"
                await asyncio.sleep(0)
    return ""


async def _take_line(asking: Asking, batch: Batch, line: bytes) -> None:
    try:
        reply = batch.batches.read_line(line)
    except ValueError as error:
        asking.switch.narrate(f"batch {batch.id}: a line of its results cannot be read: {error}")
        return
    if reply.attempt_id in batch.offsets:
        await _take(asking, batch, reply.attempt_id, _as_ended(asking, batch, reply))


def _as_ended(asking: Asking, batch: Batch, reply: BatchReply) -> Ended:
    if reply.unanswered:
        return Ended(Fault("transient", f"not answered in the batch: {reply.unanswered}", retry=True), 0.0, sent=False)
    said = WIRES[batch.model.wire].decode(reply.status, {}, reply.body)
    said = without_keys(said, asking.folder.redact) if isinstance(said, Said) else said
    return Ended(said, 0.0, answered=Answered(reply.status, {}, reply.body))


async def all_failed(asking: Asking, batch: Batch, fault: Fault) -> None:
    """The server took none of it: every call failed for that one reason, at no cost; for good unless it may be retried."""
    for attempt_id in list(batch.offsets):
        await _take(asking, batch, attempt_id, Ended(fault, 0.0, sent=False), settled=not fault.retry)
    over(asking, batch, "refused", why=fault.message)


async def all_gone(asking: Asking, batch: Batch, gone: Gone) -> None:
    """The server has it no more: its calls may have been answered and billed, and a later life of the run may ask them."""
    message = f"batch {batch.id} or its results are gone ({gone.message}); it may have been answered and billed"
    asking.switch.narrate(f"{batch.model.name}: {message}; {len(batch.offsets)} calls are charged at their worst case")
    for attempt_id in list(batch.offsets):
        await _take(asking, batch, attempt_id, Ended(Fault("transient", message, retry=True), 0.0), settled=False)
    over(asking, batch, "gone", why=gone.message)


async def _take(asking: Asking, batch: Batch, attempt_id: str, ended: Ended, settled: bool | None = None) -> None:
    """One call of a batch: read, priced, settled and written down. `settled`: whether its call ends; by default as it says."""
    record = _record(asking, batch, attempt_id)
    model, worst = in_batch(batch.model), record["charged_usd"]
    held = None if worst is None else to_micro(worst)
    verdict = verdict_of(stub_call(batch.model), ended, model)
    usage, source = priced(verdict.usage, model)
    charge = charged(ended, usage, held)
    asking.budget.settle(held, charge or 0)
    fault = verdict if isinstance(verdict, Fault) else None
    redact = asking.folder.redact
    says_so = isinstance(verdict.body, dict) and verdict.body.get("simulated") is True
    asking.progress.simulated |= says_so
    attempt = replace(
        attempt_of(record),
        status="ok" if fault is None else "error",
        error_kind=None if fault is None else fault.kind,
        error_message=None if fault is None else redact(fault.message),
        final=_is_final(asking, batch, record["attempt"], verdict, ended) if settled is None else settled,
        started_at=stamp(batch.began_at),
        ended_at=stamp(),
        http_status=ended.answered.status if ended.answered else None,
        finish_reason=verdict.finish_reason,
        served_model=verdict.served_model,
        usage=usage,
        cost_source=source,
        charged_usd=None if charge is None else charge / MICRO,
        batch_id=batch.id or None,
        simulated=record["simulated"] or says_so,
        response_text=verdict.text or "" if isinstance(verdict, Said) else None,
        reasoning_text=verdict.reasoning if isinstance(verdict, Said) else None,
        response_json=verdict.body,
    )
    _write(asking, batch, attempt, record)
    if fault is not None:
        asking.switch.learn(batch.model, fault)
    if attempt.final:
        asking.switch.ended(batch.model, reply_of({**record, **_outcome(attempt)}, stub_call(batch.model)))
    await money_settled(asking)


def _outcome(attempt: Attempt) -> dict[str, Any]:
    return {name: getattr(attempt, name) for name in ("status", "error_kind", "error_message", "response_text", "final")}


def _is_final(asking: Asking, batch: Batch, attempt: int, verdict: Said | Fault, ended: Ended) -> bool:
    """Whether it settles its call. What was never answered does not; what can pass, or be mended, is asked once more."""
    if isinstance(verdict, Said):
        return True
    if verdict.repair is not None and attempt < 2:
        remember(asking, batch.model, verdict.repair)
        return False
    return ended.sent and not (verdict.retry and attempt < asking.run.retries)


def _write(asking: Asking, batch: Batch, attempt: Attempt, record: dict[str, Any]) -> None:
    batch.unwritten |= not write_batched(asking, batch.model, attempt, record)
    del batch.offsets[attempt.attempt_id]
    asking.progress.in_flight -= 1
    asking.progress.fetched += 1


def over(asking: Asking, batch: Batch, state: str, **more: Any) -> None:
    """Nothing of it is open any more, if all of it is in the log: else the next life fetches it again."""
    asking.folder.sync()
    if not batch.unwritten and not asking.folder.lost:
        note(asking, batch, state, id=batch.id, **more)
        delete_files(asking, batch.name)


def not_handed_over(asking: Asking, batch: Batch) -> None:
    """The server never got it: nothing was asked, nothing is charged, and its calls are as they were before."""
    budget = asking.budget
    for _, head in prepared_calls(calls_file(asking, batch.name)):
        if head["attempt_id"] in batch.offsets:
            budget.calls_used -= 1
            budget.kept += head["attempt"] == 0
            budget.settle(to_micro(head["charged_usd"] or 0.0), 0)
    delete_files(asking, batch.name)


def prepared_calls(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(offset, small fields) of each call in a file of calls."""
    for offset, line in lines(path):
        with contextlib.suppress(ValueError):
            yield offset, head_of(line)


def _record(asking: Asking, batch: Batch, attempt_id: str) -> dict[str, Any]:
    """A call of the batch as it was prepared."""
    with open(calls_file(asking, batch.name), "rb") as file:
        file.seek(batch.offsets[attempt_id])
        return record_of(file.readline())
