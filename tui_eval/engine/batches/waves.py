"""Batch mode: wave after wave. Each flow is driven from the log until it wants calls that are not there; these are handed over.

It is what a resume does, again and again: no flow is kept while its calls wait, however long they do.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tui_eval.configuring.evaluation import latest
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Json, ModelSpec, Repair, Reply, Request, unasked
from tui_eval.core.errors import StorageError
from tui_eval.core.key import call_key
from tui_eval.core.money import batch_price, worst_case
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.engine.ask import allow_more_tokens, ask, known_reply, not_carried
from tui_eval.engine.batches.batch import Sink, carried
from tui_eval.engine.batches.batch_resume import take_up
from tui_eval.engine.batches.batch_wire import FOLDER, in_batch
from tui_eval.engine.calling import Pending, RunContext
from tui_eval.engine.growing import so_far
from tui_eval.engine.logbook import prepared_line, write_unsent
from tui_eval.engine.samples import keep_files
from tui_eval.engine.turns import LONGEST_NAP_S, kept_back, no_more_room, skipped, unsent
from tui_eval.evaluation.drivers import checked
from tui_eval.providers import WIRES
from tui_eval.runs.offsets import OffsetTable
from tui_eval.runs.reader import Recorded, RunReader
from tui_eval.runs.record import reply_of
from tui_eval.runs.writing import Inside

UNSTREAMED = {"stream": Repair("stream"), "stream_options": Repair("stream_options")}
"""A batch takes no streams."""
LEFT = frozenset({"transient", "rate_limit"})
"""What became of calls that a batch brought back unanswered, or that were not taken for now."""
NO_CALL = Call("batch", "batch", "batch", ())


async def ask_in_batches(context: RunContext, loaded: Loaded, only_open: bool = False) -> None:
    """Everything that is still to be asked, in as few batches as may be. What no batch takes is asked one by one.

    `only_open`: fetch what was handed over before, and no more.
    """
    waves = _Waves(context, loaded)
    try:
        os.close((Inside(context.folder.path) / FOLDER).open_folder())
        await take_up(context, loaded.evaluation.models)
        waves.refresh()
        while not only_open and not context.breaker.stopped and await waves.next():
            pass
    except StorageError as error:
        context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
    finally:
        if not only_open:
            waves.recorded.close()


class _Waves:
    """State between the waves: the log so far, what was counted, and what this life will not ask again."""

    def __init__(self, context: RunContext, loaded: Loaded) -> None:
        self.context = context
        self.evaluation = loaded.evaluation
        self.reader = RunReader(context.folder.path)
        self.recorded = Recorded(context.folder.path)
        context.recorded = self.recorded
        self.read_to = 0
        self.latest = OffsetTable()
        """By call key: where the last record stands that this life wrote."""
        self.answered: set[str] = set()
        """Models that answered a call of this run."""
        self.dearest = 0
        """The most that one of the calls that are asked by themselves can cost, in micro-dollars."""
        self.counted: set[str] = set()
        self.given_up: dict[str, Reply] = {}
        self.sinks: dict[str, Sink] = {}
        self.kept_so_far: dict[tuple[int, str], int] = {}
        """How many replies of a sample were told when its files were written last, where they grow."""
        self.moved = False
        self.numbers = 0
        self.refresh()

    async def next(self) -> bool:
        """One wave; whether it brought anything that others may rest on."""
        self.moved = False
        items_done = 0
        ended: list[SampleResult] = []
        window = asyncio.Semaphore(2 * self.context.run.max_concurrency)
        async with asyncio.TaskGroup() as group:
            try:
                for sample in self._items():
                    await self.context.breaker.open.wait()
                    if self.context.breaker.stopped:
                        break
                    items_done += await self._driven(sample, group, window, ended) and not sample.checks_judge
                    await asyncio.sleep(0)
                await self._go_on(ended, group, window)
                self._hand_over_all(group)
            except StorageError as error:
                self.context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
            self._drop_all()
        self.context.progress.items_done = items_done
        self.refresh()
        return self.moved

    def _items(self) -> Iterator[Sample]:
        return self.evaluation.samples()

    async def _go_on(self, ended: list[SampleResult], group: asyncio.TaskGroup, window: asyncio.Semaphore) -> None:
        """Have the samples go on that do by what all others came to, further and further, as far as the log tells."""
        while not self.context.breaker.stopped and (further := self.evaluation.further(ended)):
            newer: list[SampleResult] = []
            for sample in further:
                await self._driven(sample, group, window, newer)
                await asyncio.sleep(0)
            if len(newer) < len(further):
                return
            ended = latest(ended, newer)

    async def _driven(
        self, sample: Sample, group: asyncio.TaskGroup, window: asyncio.Semaphore, ended: list[SampleResult]
    ) -> bool:
        """Return whether the sample's flow came to its end for good; where it did not, what it wants next is on its way.

        `ended`: takes up what it came to, where others may rest on it.
        """
        flow = self.evaluation.flow(sample)
        known_replies: list[Reply] = []
        for_good = True
        try:
            calls = list(next(flow))
            while True:
                entries = [self._looked_up(call, sample) for call in calls]
                replies = [entry for entry in entries if isinstance(entry, Reply)]
                if len(replies) < len(calls):
                    break
                for_good &= all(reply.final for reply in replies)
                known_replies += replies
                calls = list(flow.send(replies))
        except StopIteration as end:
            if for_good:
                await self._keep_files(sample, known_replies, end.value, ended)
            return for_good
        except Exception as error:
            self.context.folder.narrate_exception(f"{sample.id}: the evaluation itself failed", error)
            return False
        if self.evaluation.kind.sample_files.partial:
            await self._keep_so_far(sample, [*known_replies, *(entry for entry in entries if isinstance(entry, Reply))])
        for entry in entries:
            if isinstance(entry, Pending):
                await self._want(entry, group, window)
        return False

    async def _keep_so_far(self, sample: Sample, replies: Sequence[Reply]) -> None:
        """Write what of a sample's files is there, where it was told more than the last time."""
        key = sample.repeat, sample.id
        if len(replies) == self.kept_so_far.get(key, 0):
            return
        self.kept_so_far[key] = len(replies)
        reply_by_key = {self._key(reply.call): reply for reply in replies}
        try:
            row = so_far(self.evaluation, sample, lambda key, call: reply_by_key.get(key))
            await keep_files(self.context, self.evaluation, row)
        except Exception as error:
            self.context.folder.narrate_exception(f"{sample.id}: its files cannot be made", error)

    async def _keep_files(self, sample: Sample, replies: Sequence[Reply], scores: object, ended: list[SampleResult]) -> None:
        """Write the files of a sample that is done; a kind that cannot make them costs this sample and no other."""
        kind = self.evaluation.kind
        if kind.sample_files.files is None and kind.further is None and self.context.totals is None:
            return
        try:
            row = SampleResult(sample, tuple(replies), checked(kind, scores))
            if kind.further is not None:
                ended.append(row)
            await keep_files(self.context, self.evaluation, row)
        except Exception as error:
            self.context.folder.narrate_exception(f"{sample.id}: its files cannot be made", error)

    def _looked_up(self, call: Call, sample: Sample) -> Reply | Pending:
        """Return what a call came to: from the log, the cache, or given up in this life. Pending = it is still to be asked."""
        key = self._key(call)
        if (given_up := self.given_up.get(key)) is not None:
            return replace(given_up, call=call)
        pending = Pending(call, sample, self._model(call), key)
        record = self._this_life(key) or self.recorded.record(key)
        ours = record is not None and self._is_ours(record)
        if (nothing := unasked(call) or not_carried(call, pending.model)) is not None:
            write_unsent(self.context, pending, nothing, record)
            self._count(pending, nothing, replayed=False)
            return nothing
        on_file = known_reply(self.context, pending, record, self.context.reopen_failed and not ours)
        if on_file is not None:
            self._count(pending, on_file.reply, replayed=not ours, cached=on_file.cached, free=on_file.free)
            return on_file.reply
        if record is not None and ours and _was_left_unanswered(record):
            reply = reply_of(record, call)
            self.given_up[key] = _bare(reply)
            self._count(pending, reply, replayed=False)
            return reply
        allow_more_tokens(self.context, pending, record)
        return pending

    def _this_life(self, key: str) -> dict[str, Any] | None:
        """Return what this life wrote of a call last."""
        offset = self.latest.get(key)
        record = None if offset is None else self.recorded.record_at(offset)
        return record if record is not None and record["call_key"] == key else None

    def _is_ours(self, head: Mapping[str, Json]) -> bool:
        """Return whether an attempt was made in this life."""
        return str(head["attempt_id"]).startswith(f"{self.context.life}-")

    def _count(self, pending: Pending, reply: Reply, replayed: bool, cached: bool = False, free: bool = False) -> None:
        """A call is over, as far as this life goes: count it once, and keep nothing of the budget for it."""
        if pending.key not in self.counted:
            self.counted.add(pending.key)
            self.context.progress.call_ended(reply, replayed=replayed, cached=cached, free=free)
            pending.end(self.context.budget)

    def _give_up(self, pending: Pending, reply: Reply) -> None:
        """The call is not asked in this life; the flows go on with that."""
        write_unsent(self.context, pending, reply, self.recorded.record(pending.key))
        self.given_up[pending.key] = _bare(reply)
        self._count(pending, reply, replayed=False)
        self.moved = True

    async def _want(self, pending: Pending, group: asyncio.TaskGroup, window: asyncio.Semaphore) -> None:
        """Have a call asked: in a batch, where its provider takes batches, else by itself."""
        context, model = self.context, pending.model
        if reason := context.breaker.why_not(model):
            self._give_up(pending, unsent(pending.call, reason))
            return
        if WIRES[model.wire].batches is None:
            await self._ask_alone(pending, group, window)
            return
        if not self._is_known(model):
            await self._get_acquainted(pending, group, window)
            return
        if pending.extra and not context.budget.may_retry():
            self._give_up(pending, kept_back(context, pending))
            return
        self._want_in_batch(pending, group)

    def _want_in_batch(self, pending: Pending, group: asyncio.TaskGroup) -> None:
        context, model = self.context, pending.model
        repairs = {**context.repairs.get(model.name, {}), **UNSTREAMED}
        try:
            request = WIRES[model.wire].encode(pending.call, in_batch(model), repairs)
            refused = no_more_room(pending.call, in_batch(model), request, repairs)
        except Exception as error:
            context.folder.narrate_exception(f"{pending.sample.id}: {pending.call.stage} {model.name}: a bug of ours", error)
            message = f"{type(error).__name__}: {error}; the traceback is in run.log"
            self._give_up(pending, Reply(pending.call, "error", error_kind="internal", error_message=message))
            return
        if refused is not None:
            self._give_up(pending, refused)
            return
        worst = worst_case(pending.call, batch_price(model.price))
        verdict = context.budget.verdict(worst)
        if verdict == "wait":
            return
        if verdict != "go":
            self._give_up(pending, skipped(context, pending.call, verdict))
            return
        self._add(pending, request, worst, group)

    def _is_known(self, model: ModelSpec) -> bool:
        """Return whether a model was asked before: by a preflight or for a call of this run; or was found out about earlier."""
        context = self.context
        begun = context.first_attempts.has_begun(model.name)
        return begun or model.name in self.answered or bool(context.repairs.get(model.name))

    async def _get_acquainted(self, pending: Pending, group: asyncio.TaskGroup, window: asyncio.Semaphore) -> None:
        """Ask a model's first call alone: what it takes is found out for the price of one attempt, not of a whole batch."""
        task = await self._ask_alone(pending, group, window)
        await self._patiently(lambda: asyncio.wait({task}), group)

    async def _ask_alone(self, pending: Pending, group: asyncio.TaskGroup, window: asyncio.Semaphore) -> asyncio.Task[None]:
        """Have a call asked by itself, once there is room."""
        self.dearest = max(self.dearest, worst_case(pending.call, pending.model.price) or 0)
        await self._patiently(window.acquire, group)
        self.moved = True
        return group.create_task(self._asked_alone(pending, window))

    async def _patiently(self, wait: Callable[[], Awaitable[object]], group: asyncio.TaskGroup) -> None:
        """Wait for calls that are under way. Where they wait for money that collected calls hold, these are handed over."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_NAP_S):
                    await wait()
                    return
            if self.context.budget.must_wait(self.dearest):
                self._hand_over_all(group)

    async def _asked_alone(self, pending: Pending, window: asyncio.Semaphore) -> None:
        context = self.context
        try:
            reply = await ask(context, pending.call, pending.sample, pending.model)
            self.counted.add(pending.key)
        except Exception as error:
            context.folder.narrate_exception(f"{pending.sample.id}: {pending.call.stage}: a bug of ours", error)
            message = f"{type(error).__name__}: {error}; the traceback is in run.log"
            reply = Reply(pending.call, "error", error_kind="internal", error_message=message, final=False)
        finally:
            window.release()
        if not reply.final:
            self.given_up[pending.key] = _bare(reply)

    def _add(self, pending: Pending, request: Request, worst: int | None, group: asyncio.TaskGroup) -> None:
        """Put a call into its model's next batch; its place in the budget is taken once it is on file."""
        context, model = self.context, pending.model
        batches = WIRES[model.wire].batches
        assert batches is not None
        identity = context.next_id()
        line = batches.line(identity, request)
        sink = self.sinks.get(model.name)
        if sink is not None and not sink.fits(line):
            self._hand_over(sink, group)
            sink = None
        if sink is None:
            self.numbers += 1
            sink = self.sinks[model.name] = Sink(context, model, batches, f"{context.life}-{self.numbers:03d}")
        sink.add(identity, line, prepared_line(context, pending, identity, request.body, worst), request)
        context.budget.reserve(worst)
        pending.begin(context.budget)
        self.moved = True

    def _hand_over_all(self, group: asyncio.TaskGroup) -> None:
        """Hand over what was collected, unless the run was stopped meanwhile."""
        for sink in list(self.sinks.values()):
            if not self.context.breaker.stopped:
                self._hand_over(sink, group)

    def _hand_over(self, sink: Sink, group: asyncio.TaskGroup) -> None:
        sink.close()
        del self.sinks[sink.batch.model.name]
        group.create_task(carried(self.context, sink.batch))

    def _drop_all(self) -> None:
        """Forget what was collected and not handed over."""
        for sink in self.sinks.values():
            sink.drop(self.context)
        self.sinks.clear()

    def refresh(self) -> None:
        """Take in what was written to the log since."""
        for offset, head in self.reader.heads(self.read_to):
            self.recorded.add(head, offset)
            if self._is_ours(head):
                self.latest.set(head["call_key"], offset)
            if head["status"] == "ok" and not head["cached"]:
                self.answered.add(head["model"])
            self.read_to = offset
        # The last line is read once more next time: its end is not known here, and adding it twice changes nothing.

    def _model(self, call: Call) -> ModelSpec:
        return self.evaluation.models[call.model]

    def _key(self, call: Call) -> str:
        return call_key(call, self._model(call))


def _was_left_unanswered(record: Mapping[str, Json]) -> bool:
    """Return whether its batch came back without it, or was not taken for now: it is left to a resume, not asked repeatedly."""
    asked_in_vain = record["started_at"] is not None and record["http_status"] is None
    return asked_in_vain and not record["final"] and record["error_kind"] in LEFT


def _bare(reply: Reply) -> Reply:
    """A reply without its call, whose words would be kept for as long as the run takes."""
    return replace(reply, call=NO_CALL)
