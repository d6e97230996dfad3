"""Samples enter a window, every sample goes its way, and what it came to is written down."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import StorageError
from tui_eval.core.kinds import Flow
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.engine.ask import ask
from tui_eval.engine.calling import RunContext
from tui_eval.engine.replaying import AT_ONCE, replayed
from tui_eval.kinds.shared.drive import as_example, checked
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.row_files import write_row_files
from tui_eval.runs.writing import Inside
from tui_eval.session.evaluation import Evaluation
from tui_eval.session.item_files import row_files
from tui_eval.session.loading import Loaded
from tui_eval.session.result_lines import result_line


class _Lane:
    """A window of active flows: refilled while fewer than `most` of its calls are unfinished."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.unfinished = 0
        self.changed = asyncio.Event()

    def add(self, n: int) -> None:
        """Calls entered the window (or, negative, left it)."""
        self.unfinished += n
        if self.unfinished < self.most:
            self.changed.set()

    async def room(self) -> None:
        """Wait until another flow may start."""
        while self.unfinished >= self.most:
            self.changed.clear()
            await self.changed.wait()


async def ask_everything(context: RunContext, loaded: Loaded) -> None:
    """One feeder per queue; each ends when its samples are through or nothing may be started any more."""
    context.folder.truncate_results()
    async with asyncio.TaskGroup() as group:
        for queue in loaded.evaluation.queues:
            group.create_task(_feed(context, loaded, loaded.evaluation.samples(queue), group))


async def _feed(context: RunContext, loaded: Loaded, items: Iterator[Sample], group: asyncio.TaskGroup) -> None:
    queue = _Lane(most=2 * loaded.run.max_concurrency)
    for number, sample in enumerate(items):
        await queue.room()
        if context.breaker.stopped:
            return
        row = replayed(context, loaded.evaluation, sample)
        if row is not None:
            await _ended(context, loaded, row)
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
            continue
        flow = loaded.evaluation.flow(sample)
        try:
            calls = list(next(flow))
        except Exception as error:
            context.folder.narrate_exception(f"{sample.id}: the evaluation itself failed", error)
            continue
        queue.add(len(calls))
        group.create_task(_go(context, loaded, sample, flow, calls, queue))
        await asyncio.sleep(0)


async def _go(context: RunContext, loaded: Loaded, sample: Sample, flow: Flow, calls: list[Call], queue: _Lane) -> None:
    """One sample's way: ask what its flow wants, tell it the replies, until it returns its scores."""
    replies: list[Reply] = []
    try:
        scores = await _ask_on(context, loaded, sample, flow, calls, queue, replies)
        row = SampleResult(sample, tuple(replies), checked(loaded.evaluation.kind, scores))
    except Exception as error:
        context.folder.narrate_exception(f"{sample.id}: the evaluation itself failed", error)
    else:
        await _ended(context, loaded, row)


async def _ended(context: RunContext, loaded: Loaded, row: SampleResult) -> None:
    """Write down what a sample came to."""
    try:
        context.budget.keep_less(_never_asked(context, loaded.evaluation, row))
        _finished(context, loaded, row)
        await keep_files(context, loaded.evaluation, row)
    except Exception as error:
        context.folder.narrate_exception(f"{row.sample.id}: the evaluation itself failed", error)


def _never_asked(context: RunContext, evaluation: Evaluation, row: SampleResult) -> int:
    """How many planned calls of a sample its flow did not come to, as where an answer failed that was to be scored."""
    sample = row.sample
    shape = sample.queue, sample.shape
    if shape not in context.planned:
        example = evaluation.driven(sample, as_example)
        context.planned[shape] = sum(not reply.call.beyond_plan for reply in example.replies)
    return max(context.planned[shape] - sum(not reply.call.beyond_plan for reply in row.replies), 0)


async def _ask_on(
    context: RunContext, loaded: Loaded, sample: Sample, flow: Flow, calls: list[Call], queue: _Lane, replies: list[Reply]
) -> object:
    while True:
        batch = await _ask_all(context, loaded, sample, calls, queue)
        replies.extend(batch)
        try:
            calls = list(flow.send(batch))
        except StopIteration as end:
            return end.value
        queue.add(len(calls))


async def _ask_all(context: RunContext, loaded: Loaded, sample: Sample, calls: list[Call], queue: _Lane) -> list[Reply]:
    async def one(call: Call) -> Reply:
        try:
            return await ask(context, call, sample, loaded.evaluation.models[call.model])
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
    if not row.finished:
        return
    if context.totals is not None:
        context.totals.add(row)
    files = row_files(evaluation, row)
    cleaned = {name: context.folder.redact(text) for name, text in files.items()}
    try:
        if cleaned:
            await asyncio.to_thread(write_row_files, Inside(context.folder.path), cleaned)
    except StorageError as error:
        context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)


def _finished(context: RunContext, loaded: Loaded, row: SampleResult) -> None:
    if not row.finished:
        return
    context.progress.items_done += 1
    try:
        context.folder.append(RESULTS, result_line(loaded.evaluation, row))
    except StorageError as error:
        context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
