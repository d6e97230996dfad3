"""One batch: its calls in a file, handed over, looked after, fetched, and written down like any other attempt."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tui_eval.engine.ask import remember
from tui_eval.engine.calling import Asking, Ended
from tui_eval.engine.logbook import stamp, write_batched
from tui_eval.engine.patience import pause_s
from tui_eval.engine.send import Answered, Lost
from tui_eval.engine.verdict import charged, priced, verdict_of
from tui_eval.errors import StorageError
from tui_eval.money import MICRO, batch_price, to_micro
from tui_eval.providers import WIRES
from tui_eval.providers.batches import Batches, BatchReply, BatchState, read_file_id, read_recent
from tui_eval.providers.body import parse_json
from tui_eval.store.folder import BATCHES
from tui_eval.store.reader import lines
from tui_eval.store.record import attempt_of, head_of, record_of, reply_of
from tui_eval.types import Attempt, Call, Fault, ModelSpec, Request, Said

FOLDER = "batches"
TRIES = 5
"""How often handing over and fetching are tried before the run is stopped; --resume tries again."""
REQUEST_S = 60.0
UPLOAD_S = 1800.0
LINE_S = 120.0
"""Longest wait for a reply, for an upload, and between two lines of results; seconds."""
SKEW_S = 600.0
"""How far a server's clock may be from ours."""


@dataclass(slots=True)
class Batch:
    """A batch as it is known to us, from its first line on file to its last result."""

    name: str
    model: ModelSpec
    path: str
    """Where its calls would be sent one by one, such as /chat/completions."""
    organization_header: str | None
    run_id: str
    began_at: float
    """When it was handed over: seconds since 1970."""
    offsets: dict[str, int] = field(default_factory=dict)
    """By attempt id: where the prepared record stands in the file of calls. Those that came back are taken out."""
    id: str = ""
    """The server's own name for it."""

    @property
    def label(self) -> str:
        """How the server is told to call it, where it keeps such names."""
        return f"{self.run_id}/{self.name}"

    @property
    def batches(self) -> Batches:
        """How its provider takes batches."""
        found = WIRES[self.model.wire].batches
        assert found is not None
        return found


def in_batch(model: ModelSpec) -> ModelSpec:
    """The model as it is asked in a batch: at that price, and without streams."""
    return replace(model, price=batch_price(model.price), stream=False)


def requests_file(asking: Asking, name: str) -> Path:
    """What is uploaded; deleted once the batch is made."""
    return asking.folder.path / FOLDER / f"{name}.requests"


def calls_file(asking: Asking, name: str) -> Path:
    """What each call of the batch will be in the log; deleted once its results are there."""
    return asking.folder.path / FOLDER / f"{name}.calls.jsonl"


async def carried(asking: Asking, batch: Batch) -> None:
    """Hand a batch over, wait for it and fetch it. Where the run is stopped meanwhile, it goes on at the server."""
    try:
        if batch.id or await _handed_over(asking, batch):
            state = await _ended(asking, batch)
            if state is not None:
                await _fetched(asking, batch, state)
    except StorageError as error:
        asking.switch.stop(f"the run folder cannot be written: {error}", aborted=True)
    except Exception as error:
        asking.folder.narrate_exception(f"batch {batch.name}: a bug of ours", error)
        asking.switch.stop(f"batch {batch.name}: {type(error).__name__}: {error}; the traceback is in run.log", aborted=True)


def note(asking: Asking, batch: Batch, state: str, **more: Any) -> None:
    """Write down what became of a batch, before anything else is done. StorageError on a full disk."""
    event = {
        "name": batch.name,
        "state": state,
        "at": stamp(),
        "model": batch.model.name,
        "path": batch.path,
        "organization_header": batch.organization_header,
        "began_at": batch.began_at,
        **more,
    }
    asking.folder.append_now(BATCHES, json.dumps(event) + "\n")


# ---------------------------------------------------------------------------------------------------- handing over


async def _handed_over(asking: Asking, batch: Batch) -> bool:
    """Whether the server took it. What it refuses is written down as failed; what it may have taken is looked up first."""
    batch.began_at = time.time()
    note(asking, batch, "submitting", calls=len(batch.offsets))
    asking.progress.in_flight += len(batch.offsets)
    for tried in range(TRIES):
        found = await _submitted(asking, batch)
        if isinstance(found, BatchState):
            _made(asking, batch, found)
            return True
        if not found.retry:
            asking.switch.learn(batch.model, found)
            _all_failed(asking, batch, replace(found, message=f"the batch was not taken: {found.message}"))
            return False
        asking.switch.narrate(f"batch {batch.name} of {batch.model.name} could not be handed over: {found.message}")
        await _pause(asking, pause_s(tried + 1, "exponential"))
        if asking.switch.stopped:
            break
        made = await looked_up(asking, batch)
        if isinstance(made, BatchState):
            _made(asking, batch, made)
            return True
    asking.progress.in_flight -= len(batch.offsets)
    asking.switch.stop(f"batch {batch.name} could not be handed over; --resume looks whether it was, and goes on", aborted=True)
    return False


def _made(asking: Asking, batch: Batch, state: BatchState) -> None:
    batch.id = state.id
    note(asking, batch, "submitted", id=state.id, calls=len(batch.offsets))
    requests_file(asking, batch.name).unlink(missing_ok=True)
    asking.switch.narrate(f"batch {batch.name}: {len(batch.offsets)} calls of {batch.model.name} handed over as {state.id}")


async def _submitted(asking: Asking, batch: Batch) -> BatchState | Fault:
    batches = batch.batches
    upload = batches.upload(batch.label, batch.path, batch.model.model)
    upload = replace(upload, request=_dressed(upload.request, batch))
    file = requests_file(asking, batch.name)
    got = await _in_time(asking.sender.upload(upload, batch.model, file, batch.name), UPLOAD_S)
    if batches.create is not None and isinstance(got, Answered) and got.status == 200:
        try:
            file_id = read_file_id(got.body)
        except ValueError as error:
            return Fault("protocol", f"the uploaded file: {error}", retry=True)
        got = await _sent(asking, batch, batches.create(file_id, batch.path, batch.label))
    return _state_of(batch, got)


def _state_of(batch: Batch, got: Answered | Lost) -> BatchState | Fault:
    if isinstance(got, Lost):
        return Fault(got.kind, got.message, retry=got.retry, cause=got.cause)
    if got.status != 200:
        said = WIRES[batch.model.wire].decode(got.status, got.headers, got.body)
        ended = Ended(said, 0.0, answered=got)
        fault = verdict_of(_call(), ended, batch.model)
        return fault if isinstance(fault, Fault) else Fault("protocol", f"HTTP {got.status} to a batch", retry=False)
    try:
        return batch.batches.read(parse_json(got.body))
    except ValueError as error:
        return Fault("protocol", f"not a batch: {error}", retry=True)


async def looked_up(asking: Asking, batch: Batch) -> BatchState | Fault | None:
    """The batch, if the server has it though we never heard so; None where it has none; a Fault where it cannot be asked."""
    got = await _sent(asking, batch, batch.batches.recent)
    if isinstance(got, Lost) or got.status != 200:
        fault = _state_of(batch, got)
        assert isinstance(fault, Fault)
        return fault
    try:
        states = read_recent(got.body, batch.batches.read)
    except ValueError as error:
        return Fault("protocol", f"the list of batches: {error}", retry=True)
    known = {entry.get("id") for entry in asking.batches_on_file().values()}
    for state in states:
        if state.name == batch.label or (state.name is None and state.id not in known and await _is_ours(asking, batch, state)):
            return state
    return None


async def _is_ours(asking: Asking, batch: Batch, state: BatchState) -> bool:
    """Whether a batch without a name holds our calls: as many, made since, and its results bear our ids."""
    if state.total != len(batch.offsets) or not _made_since(state, batch.began_at - SKEW_S):
        return False
    probe = replace(batch, id=state.id)
    ended = await _ended(asking, probe)
    if ended is None:
        return False
    for request in ended.results:
        async for line in _lines(asking, probe, request):
            if isinstance(line, bytes):
                with contextlib.suppress(ValueError):
                    return batch.batches.read_line(line).attempt_id in batch.offsets
    return False


def _made_since(state: BatchState, moment: float) -> bool:
    try:
        made = time.strptime((state.created or "")[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return True
    return time.mktime(made) - time.timezone >= moment


# ---------------------------------------------------------------------------------------------------- waiting


async def _ended(asking: Asking, batch: Batch) -> BatchState | None:
    """The batch once nothing more will be answered; None where the run is stopped first."""
    failures, told = 0, -1
    while True:
        got = await _sent(asking, batch, batch.batches.poll(batch.id))
        state = _state_of(batch, got)
        if isinstance(state, Fault):
            failures += 1
            if not state.retry or failures >= TRIES * 4:
                asking.switch.stop(f"batch {batch.id}: {state.message}; --resume looks after it again", aborted=True)
                return None
        else:
            failures = 0
            if state.ended:
                return state
            if state.done is not None and state.done != told:
                told = state.done
                asking.switch.narrate(f"batch {batch.name}: {state.done} of {state.total or len(batch.offsets)} answered")
        if asking.switch.stopped:
            asking.switch.narrate(f"batch {batch.id} of {batch.model.name} goes on at the server; --resume fetches it")
            return None
        await _pause(asking, asking.run.poll_s)


async def _pause(asking: Asking, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asking.switch.stopping.wait()


# ---------------------------------------------------------------------------------------------------- fetching


async def _fetched(asking: Asking, batch: Batch, state: BatchState) -> None:
    """Write down every reply of an ended batch; what has none is written down as unanswered."""
    if state.refused:
        _all_failed(asking, batch, Fault("permanent", f"the server refused the batch: {state.refused}"))
        return
    for tried in range(TRIES):
        problem = await _read_results(asking, batch, state)
        if not problem:
            break
        asking.switch.narrate(f"batch {batch.id}: its results broke off: {problem}")
        await _pause(asking, pause_s(tried + 1, "exponential"))
    else:
        asking.switch.stop(f"batch {batch.id}: its results cannot be fetched; --resume tries again", aborted=True)
        return
    for attempt_id in list(batch.offsets):
        _take(asking, batch, BatchReply(attempt_id, 0, b"", "the batch ended, and its results do not hold this call"))
    _over(asking, batch, "fetched")


async def _read_results(asking: Asking, batch: Batch, state: BatchState) -> str:
    """Take every line of the results; why it broke off, empty where it did not."""
    for request in state.results:
        async for line in _lines(asking, batch, request):
            if isinstance(line, Lost):
                return line.message
            if isinstance(line, Answered):
                return f"HTTP {line.status}"
            if not line.strip():
                continue
            try:
                reply = batch.batches.read_line(line)
            except ValueError as error:
                asking.switch.narrate(f"batch {batch.id}: a line that cannot be read is left out: {error}")
                continue
            if reply.attempt_id in batch.offsets:
                _take(asking, batch, reply)
            await asyncio.sleep(0)
    return ""


async def _lines(asking: Asking, batch: Batch, request: Request) -> AsyncIterator[bytes | Answered | Lost]:
    """The lines of a reply, none of which may be waited for too long."""
    stream = asking.sender.lines(_dressed(request, batch), batch.model, batch.name)
    try:
        while True:
            try:
                async with asyncio.timeout(LINE_S):
                    line = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                yield Lost("transient", f"nothing came for {LINE_S:.0f} s", sent=True, retry=True)
                return
            yield line
    finally:
        await stream.aclose()


def _take(asking: Asking, batch: Batch, reply: BatchReply) -> None:
    """One reply out of a batch: read, priced, settled and written down."""
    record = _record(asking, batch, reply.attempt_id)
    model, worst = in_batch(batch.model), record["charged_usd"]
    held = None if worst is None else to_micro(worst)
    ended = _as_ended(batch, reply)
    verdict = verdict_of(_call(), ended, model)
    usage, source = priced(verdict.usage, model)
    charge = charged(ended, usage, held)
    asking.budget.settle(held, charge or 0)
    fault = verdict if isinstance(verdict, Fault) else None
    redact = asking.folder.redact
    says_so = isinstance(verdict.body, dict) and verdict.body.get("simulated") is True
    attempt = replace(
        attempt_of(record),
        status="ok" if fault is None else "error",
        error_kind=None if fault is None else fault.kind,
        error_message=None if fault is None else redact(fault.message),
        final=_is_final(asking, batch, record["attempt"], verdict, reply),
        started_at=stamp(batch.began_at),
        ended_at=stamp(),
        http_status=reply.status or None,
        finish_reason=verdict.finish_reason,
        served_model=verdict.served_model,
        usage=usage,
        cost_source=source,
        charged_usd=None if charge is None else charge / MICRO,
        batch_id=batch.id or None,
        simulated=record["simulated"] or says_so,
        response_text=redact(verdict.text or "") if isinstance(verdict, Said) else None,
        reasoning_text=verdict.reasoning if isinstance(verdict, Said) else None,
        response_json=verdict.body,
    )
    _written(asking, batch, attempt, record)
    if fault is not None:
        asking.switch.learn(batch.model, fault)
    if attempt.final:
        call = replace(_call(), model=batch.model.name)
        asking.switch.ended(batch.model, reply_of({**record, **_outcome(attempt)}, call))


def _outcome(attempt: Attempt) -> dict[str, Any]:
    return {name: getattr(attempt, name) for name in ("status", "error_kind", "error_message", "response_text", "final")}


def _as_ended(batch: Batch, reply: BatchReply) -> Ended:
    if reply.unanswered:
        return Ended(Fault("transient", f"not answered in the batch: {reply.unanswered}", retry=True), 0.0, sent=False)
    said = WIRES[batch.model.wire].decode(reply.status, {}, reply.body)
    return Ended(said, 0.0, answered=Answered(reply.status, {}, reply.body))


def _is_final(asking: Asking, batch: Batch, attempt: int, verdict: Said | Fault, reply: BatchReply) -> bool:
    """Whether it settles its call. What was never answered does not; what can pass, or be mended, is asked once more."""
    if isinstance(verdict, Said):
        return True
    if verdict.repair is not None and attempt < 2:
        remember(asking, batch.model, verdict.repair)
        return False
    return not (reply.unanswered or (verdict.retry and attempt < asking.run.retries))


def _all_failed(asking: Asking, batch: Batch, fault: Fault) -> None:
    """The server took none of it: every call of it failed for that one reason, at no cost."""
    for attempt_id in list(batch.offsets):
        record = _record(asking, batch, attempt_id)
        worst = record["charged_usd"]
        asking.budget.settle(None if worst is None else to_micro(worst), 0)
        attempt = replace(
            attempt_of(record),
            error_kind=fault.kind,
            error_message=asking.folder.redact(fault.message),
            final=True,
            started_at=stamp(batch.began_at),
            ended_at=stamp(),
            cost_source="unknown",
            charged_usd=0.0,
            batch_id=batch.id or None,
        )
        _written(asking, batch, attempt, record)
    _over(asking, batch, "refused", why=fault.message)


def _written(asking: Asking, batch: Batch, attempt: Attempt, record: dict[str, Any]) -> None:
    write_batched(asking, batch.model, attempt, json.dumps(record["request"]))
    del batch.offsets[attempt.attempt_id]
    asking.progress.in_flight -= 1


def _over(asking: Asking, batch: Batch, state: str, **more: Any) -> None:
    """Nothing of it is open any more."""
    if not asking.switch.aborted:
        asking.folder.sync()
        note(asking, batch, state, id=batch.id, **more)
        for file in (requests_file(asking, batch.name), calls_file(asking, batch.name)):
            file.unlink(missing_ok=True)


def _record(asking: Asking, batch: Batch, attempt_id: str) -> dict[str, Any]:
    """A call of the batch as it was prepared."""
    with open(calls_file(asking, batch.name), "rb") as file:
        file.seek(batch.offsets[attempt_id])
        return record_of(file.readline())


def prepared_calls(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(offset, small fields) of each call in a file of calls."""
    for offset, line in lines(path):
        with contextlib.suppress(ValueError):
            yield offset, head_of(line)


def _call() -> Call:
    """Stands for a call where only its outcome is looked at."""
    return Call("batch", "batch", "batch", ())


async def _sent(asking: Asking, batch: Batch, request: Request) -> Answered | Lost:
    return await _in_time(asking.sender.send(_dressed(request, batch), batch.model, batch.name), REQUEST_S)


def _dressed(request: Request, batch: Batch) -> Request:
    return replace(request, organization_header=batch.organization_header)


async def _in_time(sending: Any, seconds: float) -> Answered | Lost:
    try:
        async with asyncio.timeout(seconds):
            got: Answered | Lost = await sending
            return got
    except TimeoutError:
        return Lost("transient", f"no reply within {seconds:.0f} s", sent=True, retry=True)
