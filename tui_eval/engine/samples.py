"""Samples enter a window, every sample goes its way, and what it came to is written down."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from tui_eval.configuring.evaluation import Evaluation, may_have_files, row_files
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import StorageError
from tui_eval.core.key import call_key
from tui_eval.core.kinds import Flow
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.engine.ask import ask
from tui_eval.engine.calling import RunContext
from tui_eval.engine.replaying import AT_ONCE, replayed
from tui_eval.evaluation.calls import RepliesOf, SideBySide
from tui_eval.evaluation.drivers import as_example, checked
from tui_eval.reporting.result_lines import result_line
from tui_eval.reporting.row_feed import MOST_WAITING, RowFeed
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.row_files import write_row_files
from tui_eval.runs.writing import Inside

LOOKED_AT_ONCE = 256
"""So many samples are looked up in the log before others get a turn."""


class Lane:
    """A window of active flows: refilled while fewer than `most` of its calls are unfinished."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.unfinished = 0
        self.changed = asyncio.Event()

    def add(self, n: int) -> None:
        """Calls entered the window (or, negative, left it)."""
        self.unfinished += n
        if self.has_room:
            self.changed.set()

    @property
    def has_room(self) -> bool:
        """Return whether another flow may start."""
        return self.unfinished < self.most

    async def room(self) -> None:
        """Wait until another flow may start."""
        while not self.has_room:
            self.changed.clear()
            await self.changed.wait()


_Ends = dict[str, SampleResult] | None
"""By id what each sample came to; None where no sample of the kind rests on others."""


async def ask_everything(context: RunContext, loaded: Loaded) -> None:
    """One feeder per queue; each ends when its samples are through or nothing may be started any more. Then come those that go
    on by what all others came to, wave by wave."""
    context.folder.truncate_results()
    evaluation = loaded.evaluation
    if not context.offline and loaded.run.mode != "batch":
        context.feed = RowFeed(context.folder.path, evaluation)
    ended: _Ends = None if evaluation.kind.further is None else {}
    async with asyncio.TaskGroup() as group:
        for queue in evaluation.queues:
            group.create_task(_feed(context, loaded, queue, group, ended))
    while ended and not context.breaker.stopped:
        further = evaluation.further([ended[sample.id] for sample in evaluation.samples() if sample.id in ended])
        if not further:
            return
        lane = Lane(most=2 * loaded.run.max_concurrency)
        async with asyncio.TaskGroup() as group:
            for sample in further:
                await lane.room()
                await _go_on(context, loaded, sample, ended, lane, group)


async def _go_on(
    context: RunContext, loaded: Loaded, sample: Sample, ended: dict[str, SampleResult], lane: Lane, group: asyncio.TaskGroup
) -> None:
    """A sample of a further wave: told the replies that it was told before, then asked on."""
    earlier_replies = ended.pop(sample.id).replies
    replies: list[Reply] = []
    flow = loaded.evaluation.flow(sample)
    try:
        calls = _as_calls(next(flow))
        while len(replies) + len(calls) <= len(earlier_replies):
            replies += earlier_replies[len(replies) : len(replies) + len(calls)]
            calls = _as_calls(flow.send(replies[-len(calls) :]))
    except Exception as error:
        context.folder.narrate_exception(f"{sample.id}: the evaluation itself failed", error)
        return
    lane.add(len(calls))
    group.create_task(_go(context, loaded, sample, flow, calls, lane, ended, replies))
    await asyncio.sleep(0)


async def _feed(context: RunContext, loaded: Loaded, name: str, group: asyncio.TaskGroup, ended: _Ends) -> None:
    """Ask the samples of a queue, in order; first of all some that the log does not mention, where it mentions others."""
    queue, evaluation = Lane(most=2 * loaded.run.max_concurrency), loaded.evaluation
    begun = set[int]()
    async for number, sample in _unmentioned(context, evaluation, name, queue):
        begun.add(number)
        begin_sample(context, loaded, sample, queue, group, ended)
        await asyncio.sleep(0)
    for number, sample in enumerate(evaluation.samples(name)):
        if number in begun:
            continue
        await queue.room()
        if context.breaker.stopped:
            return
        row = replayed(context, evaluation, sample)
        if row is None:
            begin_sample(context, loaded, sample, queue, group, ended)
            await asyncio.sleep(0)
            continue
        await sample_ended(context, loaded, row, ended)
        if number % AT_ONCE == 0:
            await asyncio.sleep(0)


async def _unmentioned(
    context: RunContext, evaluation: Evaluation, name: str, queue: Lane
) -> AsyncIterator[tuple[int, Sample]]:
    """The first samples of a queue that a log does not mention, with their places: they are asked before it is gone through.

    As many as the queue has room for, and as may wait for those before them: rows still reach the reports in order.
    """
    if context.recorded is None or context.copies or not context.budget.kept:
        return
    left = max(MOST_WAITING // (2 * len(evaluation.queues)), 1)
    for number, sample in enumerate(evaluation.samples(name)):
        if not left or not queue.has_room or context.breaker.stopped:
            return
        if sample.id not in context.recorded.samples:
            left -= 1
            yield number, sample
        elif number % LOOKED_AT_ONCE == 0:
            await asyncio.sleep(0)


def begin_sample(
    context: RunContext, loaded: Loaded, sample: Sample, queue: Lane, group: asyncio.TaskGroup, ended: _Ends = None
) -> asyncio.Task[None] | None:
    """Have a sample go its way in a window, which its first calls enter; None where its flow raises at once."""
    flow = loaded.evaluation.flow(sample)
    try:
        calls = _as_calls(next(flow))
    except Exception as error:
        context.folder.narrate_exception(f"{sample.id}: the evaluation itself failed", error)
        return None
    queue.add(len(calls))
    return group.create_task(_go(context, loaded, sample, flow, calls, queue, ended, []))


async def _go(
    context: RunContext,
    loaded: Loaded,
    sample: Sample,
    flow: Flow,
    calls: list[Call],
    queue: Lane,
    ended: _Ends,
    replies: list[Reply],
) -> None:
    """One sample's way: ask what its flow wants, tell it the replies, until it returns its scores. `replies`: those that it was
    told already, as where it goes on in a further wave."""
    again = bool(replies)
    try:
        scores, apart = await _ask_on(context, loaded, sample, flow, calls, queue, replies)
        row = SampleResult(sample, tuple(replies), checked(loaded.evaluation.kind, scores))
        if apart:
            row = _in_order(loaded.evaluation, row)
    except Exception as error:
        context.folder.narrate_exception(f"{sample.id}: the evaluation itself failed", error)
    else:
        await sample_ended(context, loaded, row, ended, again)


async def sample_ended(context: RunContext, loaded: Loaded, row: SampleResult, ended: _Ends, again: bool = False) -> None:
    """Write down what a sample came to. `again`: it has been counted, and went on."""
    if ended is not None:
        ended[row.sample.id] = row
    try:
        if not again:
            context.budget.release(_never_asked(context, loaded.evaluation, row))
            _finished(context, loaded, row)
        await keep_files(context, loaded.evaluation, row)
    except Exception as error:
        context.folder.narrate_exception(f"{row.sample.id}: the evaluation itself failed", error)


def _never_asked(context: RunContext, evaluation: Evaluation, row: SampleResult) -> int:
    """Count planned calls of a sample that its flow did not come to, as where an answer failed that was to be scored."""
    sample = row.sample
    shape = sample.queue, sample.shape
    if shape not in context.planned:
        example = evaluation.driven(sample, as_example)
        context.planned[shape] = sum(not reply.call.beyond_plan for reply in example.replies)
    return max(context.planned[shape] - sum(not reply.call.beyond_plan for reply in row.replies), 0)


async def _ask_on(
    context: RunContext, loaded: Loaded, sample: Sample, flow: Flow, calls: list[Call], queue: Lane, replies: list[Reply]
) -> tuple[object, bool]:
    """Return what the flow returns, and whether some of it went on apart: then replies came in an order of their own."""
    apart = False
    while True:
        if isinstance(calls, SideBySide):
            apart = True
            step = await _ask_apart(context, loaded, sample, flow, calls, queue, replies)
        else:
            batch = await _ask_all(context, loaded, sample, calls, queue)
            replies.extend(batch)
            beside = loaded.evaluation.task.told_in_threads
            step = _entered(await asyncio.to_thread(_sent, flow, batch) if beside else _sent(flow, batch), queue)
        if isinstance(step, _Ended):
            return step.value, apart
        calls = step


async def _ask_apart(
    context: RunContext, loaded: Loaded, sample: Sample, flow: Flow, calls: SideBySide, queue: Lane, replies: list[Reply]
) -> list[Call] | _Ended:
    """Parts that do not wait for each other: each is told its replies when it has them. What the flow wants after them."""
    asking: dict[asyncio.Task[list[Reply]], int] = {}
    step: list[Call] | _Ended = calls
    async with asyncio.TaskGroup() as group:
        while asking or (isinstance(step, SideBySide) and step):
            if isinstance(step, SideBySide):
                for place, part in step.parts.items():
                    asking[group.create_task(_ask_all(context, loaded, sample, list(part), queue))] = place
            finished, _ = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
            first = min(finished, key=asking.__getitem__)
            batch, place = first.result(), asking.pop(first)
            replies.extend(batch)
            step = _tell(flow, RepliesOf(place, batch), queue)
    return step


@dataclass(frozen=True, slots=True)
class _Ended:
    """A flow has returned this."""

    value: object


def _tell(flow: Flow, replies: list[Reply], queue: Lane) -> list[Call] | _Ended:
    """Return what a flow wants after these replies; it enters the window."""
    return _entered(_sent(flow, replies), queue)


def _sent(flow: Flow, replies: list[Reply]) -> list[Call] | _Ended:
    try:
        return _as_calls(flow.send(replies))
    except StopIteration as end:
        return _Ended(end.value)


def _entered(step: list[Call] | _Ended, queue: Lane) -> list[Call] | _Ended:
    if not isinstance(step, _Ended):
        queue.add(len(step))
    return step


def _as_calls(calls: Sequence[Call]) -> list[Call]:
    return calls if isinstance(calls, SideBySide) else list(calls)


def _in_order(evaluation: Evaluation, row: SampleResult) -> SampleResult:
    """The same with its replies in the order in which a log tells them, whichever part was quicker."""
    by_key = {call_key(reply.call, evaluation.models[reply.call.model]): reply for reply in row.replies}
    return evaluation.driven(row.sample, lambda call: by_key[call_key(call, evaluation.models[call.model])])


async def _ask_all(context: RunContext, loaded: Loaded, sample: Sample, calls: list[Call], queue: Lane) -> list[Reply]:
    async def one(call: Call) -> Reply:
        try:
            reply = await ask(context, call, sample, loaded.evaluation.models[call.model])
            if context.growing is not None:
                context.growing.told(sample, call, reply)
            return reply
        except Exception as error:
            context.folder.narrate_exception(f"{sample.id}: {call.stage} {call.model}: a bug of ours", error)
            message = f"{type(error).__name__}: {error}; the traceback is in run.log"
            return Reply(call, "error", error_kind="internal", error_message=message, final=False)
        finally:
            queue.add(-1)

    if len(calls) == 1:
        return [await one(calls[0])]
    return list(await asyncio.gather(*(one(call) for call in calls)))


async def keep_files(context: RunContext, evaluation: Evaluation, row: SampleResult) -> None:
    """Write the own files of a sample, beside all else; the run stops where the disk refuses them, as it does for the log."""
    if not may_have_files(evaluation, row):
        return
    async with context.growing.closing(row.sample) if context.growing is not None else contextlib.nullcontext():
        if context.totals is not None:
            context.totals.add(row)
        files = row_files(evaluation, row)
        cleaned = [(name, context.folder.redact(text)) for name, text in files.items()]
        try:
            if cleaned:
                await asyncio.to_thread(write_row_files, Inside(context.folder.path), cleaned)
        except StorageError as error:
            context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)


def _finished(context: RunContext, loaded: Loaded, row: SampleResult) -> None:
    if not row.finished or row.sample.checks_judge:
        _hand_on(context, row, "", b"")
        return
    context.progress.items_done += 1
    line = result_line(loaded.evaluation, row)
    try:
        written = context.folder.append(RESULTS, line)
    except StorageError as error:
        context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
    else:
        _hand_on(context, row, line, written)


def _hand_on(context: RunContext, row: SampleResult, line: str, written: bytes) -> None:
    """Give a row that has ended to the reports, as the log has it: without a key, which no reply of it may hold.

    `line`: its line of results.jsonl, `written` as it is there; empty for a sample that has none.
    """
    if context.feed is None:
        return
    redact = context.folder.redact
    texts = [reply.error_message for reply in row.replies] + [reply.text for reply in row.replies if not line]
    as_written = line.encode("ascii") == written and all(text is None or redact(text) == text for text in texts)
    if row.finished and as_written and not context.folder.lost:
        context.feed.take(row, line)
    else:
        context.feed.stop()
