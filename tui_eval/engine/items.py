"""Items enter a window, every item goes its way, and what it came to is written down."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import StorageError
from tui_eval.core.kinds import Flow
from tui_eval.core.results import Row
from tui_eval.core.samples import Sample
from tui_eval.engine.ask import ask
from tui_eval.engine.calling import Asking
from tui_eval.kinds.shared.drive import checked
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.row_files import write_row_files
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


async def ask_everything(asking: Asking, loaded: Loaded) -> None:
    """One feeder per lane; each ends when its items are through or nothing may be started any more."""
    asking.folder.truncate_results()
    async with asyncio.TaskGroup() as group:
        for lane in loaded.evaluation.lanes:
            group.create_task(_feed(asking, loaded, loaded.evaluation.samples(lane), group))


async def _feed(asking: Asking, loaded: Loaded, items: Iterator[Sample], group: asyncio.TaskGroup) -> None:
    lane = _Lane(most=2 * loaded.run.max_concurrency)
    for item in items:
        await lane.room()
        if asking.switch.stopped:
            return
        flow = loaded.evaluation.flow(item)
        try:
            calls = list(next(flow))
        except Exception as error:
            asking.folder.narrate_exception(f"{item.id}: the evaluation itself failed", error)
            continue
        lane.add(len(calls))
        group.create_task(_go(asking, loaded, item, flow, calls, lane))
        await asyncio.sleep(0)


async def _go(asking: Asking, loaded: Loaded, item: Sample, flow: Flow, calls: list[Call], lane: _Lane) -> None:
    """One item's way: ask what its flow wants, tell it the replies, until it returns its scores."""
    replies: list[Reply] = []
    try:
        scores = await _ask_on(asking, loaded, item, flow, calls, lane, replies)
        row = Row(item, tuple(replies), checked(loaded.evaluation.kind, scores))
        _finished(asking, loaded, row)
        await keep_files(asking, loaded.evaluation, row)
    except Exception as error:
        asking.folder.narrate_exception(f"{item.id}: the evaluation itself failed", error)


async def _ask_on(
    asking: Asking, loaded: Loaded, item: Sample, flow: Flow, calls: list[Call], lane: _Lane, replies: list[Reply]
) -> object:
    while True:
        batch = await _ask_all(asking, loaded, item, calls, lane)
        replies.extend(batch)
        try:
            calls = list(flow.send(batch))
        except StopIteration as end:
            return end.value
        lane.add(len(calls))


async def _ask_all(asking: Asking, loaded: Loaded, item: Sample, calls: list[Call], lane: _Lane) -> list[Reply]:
    async def one(call: Call) -> Reply:
        try:
            return await ask(asking, call, item, loaded.evaluation.models[call.model])
        except Exception as error:
            asking.folder.narrate_exception(f"{item.id}: {call.stage} {call.model}: a bug of ours", error)
            message = f"{type(error).__name__}: {error}; the traceback is in run.log"
            return Reply(call, "error", error_kind="internal", error_message=message, final=False)
        finally:
            lane.add(-1)

    if len(calls) == 1:
        return [await one(calls[0])]
    return list(await asyncio.gather(*(one(call) for call in calls)))


async def keep_files(asking: Asking, evaluation: Evaluation, row: Row) -> None:
    """Write the item's own files, beside everything else; the run stops where the disk refuses them, as it does for the log."""
    if not row.finished:
        return
    if asking.totals is not None:
        asking.totals.add(row)
    files = row_files(evaluation, row)
    cleaned = {name: asking.folder.redact(text) for name, text in files.items()}
    try:
        if cleaned:
            await asyncio.to_thread(write_row_files, asking.folder.path, cleaned)
    except StorageError as error:
        asking.switch.stop(f"the run folder cannot be written: {error}", aborted=True)


def _finished(asking: Asking, loaded: Loaded, row: Row) -> None:
    if not row.finished:
        return
    asking.progress.items_done += 1
    try:
        asking.folder.append(RESULTS, result_line(loaded.evaluation, row))
    except StorageError as error:
        asking.switch.stop(f"the run folder cannot be written: {error}", aborted=True)
