"""Batch mode: wave after wave. Each flow is driven from the log until it wants calls that are not there; these are handed over.

It is what a resume does, again and again: no flow is kept while its calls wait, however long they do.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from tui_eval.drive import all_items
from tui_eval.engine.ask import ask, kept_back, known_reply, not_carried, skipped, unsent
from tui_eval.engine.batch import FOLDER, Batch, calls_file, carried, in_batch, looked_up, note, prepared_calls, requests_file
from tui_eval.engine.calling import Asking, Pending
from tui_eval.engine.logbook import prepared_line, write_unsent
from tui_eval.errors import StorageError
from tui_eval.loading import Loaded
from tui_eval.money import batch_price, to_micro, worst_case
from tui_eval.providers import WIRES
from tui_eval.providers.batches import Batches, BatchState
from tui_eval.store.folder import make_private
from tui_eval.store.reader import Recorded, RunReader
from tui_eval.store.record import reply_of
from tui_eval.types import Call, Fault, Item, Json, ModelSpec, Repair, Reply, Request, call_key, unasked

OPEN = frozenset({"submitting", "submitted"})
UNSTREAMED = {"stream": Repair("stream"), "stream_options": Repair("stream_options")}
"""A batch takes no streams."""


def has_open_batches(asking: Asking) -> bool:
    """Whether an earlier life handed over what was not fetched yet."""
    return any(event.get("state") in OPEN for event in asking.batches_on_file().values())


async def ask_in_batches(asking: Asking, loaded: Loaded, only_open: bool = False) -> None:
    """Everything that is still to be asked, in as few batches as may be. What no batch takes is asked one by one.

    `only_open`: fetch what was handed over before, and no more.
    """
    make_private(asking.folder.path / FOLDER)
    waves = _Waves(asking, loaded)
    try:
        await waves.take_up()
        while not only_open and not asking.switch.stopped and await waves.next():
            pass
    except StorageError as error:
        asking.switch.stop(f"the run folder cannot be written: {error}", aborted=True)
    finally:
        if not only_open:
            waves.recorded.close()


class _Sink:
    """The file of one model's requests while they are collected, and beside it what each will be in the log."""

    def __init__(self, asking: Asking, model: ModelSpec, batches: Batches, name: str) -> None:
        self.batches = batches
        self.batch = Batch(name, model, "", None, asking.run_id, time.time())
        self.size = len(batches.before) + len(batches.after)
        self._requests = _created(requests_file(asking, name))
        self._calls = _created(calls_file(asking, name))
        self._requests.write(batches.before)

    def fits(self, line: bytes) -> bool:
        """Whether another request may be added, by the provider's limits."""
        size = self.size + len(self.batches.between) + len(line)
        return len(self.batch.offsets) < self.batches.most_requests and size <= self.batches.most_bytes

    def add(self, identity: str, line: bytes, prepared: str, request: Request) -> None:
        """Add a request."""
        if self.batch.offsets:
            self._requests.write(self.batches.between)
            self.size += len(self.batches.between)
        self.batch.path, self.batch.organization_header = request.path, request.organization_header
        self.batch.offsets[identity] = self._calls.tell()
        self._calls.write(prepared.encode("ascii"))
        self._requests.write(line)
        self.size += len(line)

    def close(self) -> None:
        """Have both files on the disk."""
        self._requests.write(self.batches.after)
        for file in (self._requests, self._calls):
            file.flush()
            os.fsync(file.fileno())
            file.close()


class _Waves:
    """What is known between the waves: the log so far, what was counted, and what this life will not ask again."""

    def __init__(self, asking: Asking, loaded: Loaded) -> None:
        self.asking = asking
        self.evaluation = loaded.evaluation
        self.reader = RunReader(asking.folder.path)
        self.recorded = Recorded(asking.folder.path)
        asking.recorded = self.recorded
        self.read_to = 0
        self.counted: set[str] = set()
        self.given_up: dict[str, Reply] = {}
        self.sinks: dict[str, _Sink] = {}
        self.moved = False
        self.numbers = 0
        self._refresh()

    async def take_up(self) -> None:
        """Go on with the batches that earlier lives of the run left open."""
        events = self.asking.batches_on_file()
        self._clear_away({name for name, event in events.items() if event.get("state") in OPEN})
        async with asyncio.TaskGroup() as group:
            for name, event in events.items():
                if event.get("state") in OPEN and event.get("model") in self.evaluation.models:
                    group.create_task(self._resumed(name, event))
        self._refresh()

    def _clear_away(self, open_names: set[str]) -> None:
        """Delete the files of what was never handed over, and of what is over."""
        for file in (self.asking.folder.path / FOLDER).iterdir():
            if file.name.partition(".")[0] not in open_names:
                file.unlink(missing_ok=True)

    async def next(self) -> bool:
        """One wave; whether it brought anything that others may rest on."""
        self.moved = False
        items_done = 0
        window = asyncio.Semaphore(2 * self.asking.run.max_concurrency)
        async with asyncio.TaskGroup() as group:
            for item in self._items():
                if self.asking.switch.stopped:
                    break
                await self.asking.switch.open.wait()
                items_done += await self._driven(item, group, window)
                await asyncio.sleep(0)
            for sink in list(self.sinks.values()):
                self._hand_over(sink, group)
        self.asking.progress.items_done = items_done
        self._refresh()
        return self.moved

    def _items(self) -> Iterator[Item]:
        evaluation = self.evaluation
        return all_items(evaluation.kind, evaluation.config, evaluation.files, evaluation.repeat)

    async def _driven(self, item: Item, group: asyncio.TaskGroup, window: asyncio.Semaphore) -> bool:
        """Whether the item's flow came to its end; where it did not, what it wants next is on its way."""
        flow = self.evaluation.kind.flow(self.evaluation.config, item)
        try:
            calls = list(next(flow))
            while True:
                found = [self._looked_up(call, item) for call in calls]
                replies = [entry for entry in found if isinstance(entry, Reply)]
                if len(replies) < len(calls):
                    break
                calls = list(flow.send(replies))
        except StopIteration:
            return True
        except Exception as error:
            self.asking.folder.narrate_exception(f"{item.id}: the evaluation itself failed", error)
            return False
        for entry in found:
            if isinstance(entry, Pending):
                await self._want(entry, group, window)
        return False

    def _looked_up(self, call: Call, item: Item) -> Reply | Pending:
        """What a call came to: from the log, from the cache, or given up in this life. Pending = it is still to be asked."""
        key = self._key(call)
        if (given_up := self.given_up.get(key)) is not None:
            return replace(given_up, call=call)
        pending = Pending(call, item, self._model(call), key)
        record = self.recorded.record(key)
        ours = record is not None and record["attempt_id"].startswith(self.asking.life)
        if (nothing := unasked(call) or not_carried(call, pending.model)) is not None:
            write_unsent(self.asking, pending, nothing, record)
            self._count(key, nothing, replayed=False)
            return nothing
        known = known_reply(self.asking, pending, record, self.asking.reopen_failed and not ours)
        if known is not None:
            self._count(key, known.reply, replayed=not ours, cached=known.cached)
            return known.reply
        if record is not None and ours and _was_left_unanswered(record):
            self.given_up[key] = reply_of(record, call)
            self._count(key, self.given_up[key], replayed=False)
            return self.given_up[key]
        return pending

    def _count(self, key: str, reply: Reply, replayed: bool, cached: bool = False) -> None:
        if key not in self.counted:
            self.counted.add(key)
            self.asking.progress.call_ended(reply, replayed=replayed, cached=cached)

    def _give_up(self, pending: Pending, reply: Reply) -> None:
        """The call is not asked in this life; the flows go on with that."""
        write_unsent(self.asking, pending, reply, self.recorded.record(pending.key))
        self.given_up[pending.key] = reply
        self._count(pending.key, reply, replayed=False)
        pending.end(self.asking.budget)
        self.moved = True

    async def _want(self, pending: Pending, group: asyncio.TaskGroup, window: asyncio.Semaphore) -> None:
        """Have a call asked: in a batch, where its provider takes batches, else by itself."""
        asking, model = self.asking, pending.model
        if reason := asking.switch.why_not(model):
            self._give_up(pending, unsent(pending.call, reason))
            return
        if WIRES[model.wire].batches is None:
            await window.acquire()
            group.create_task(self._asked_alone(pending, window))
            self.moved = True
            return
        if pending.asked_before and not asking.budget.may_retry():
            self._give_up(pending, kept_back(asking, pending.call, "asked in vain before"))
            return
        worst = worst_case(pending.call, batch_price(model.price))
        verdict = asking.budget.reserve(worst)
        if verdict == "wait":
            return
        if verdict != "go":
            self._give_up(pending, skipped(asking, pending.call, verdict))
            return
        pending.begin(asking.budget)
        self._add(pending, worst, group)

    async def _asked_alone(self, pending: Pending, window: asyncio.Semaphore) -> None:
        try:
            reply = await ask(self.asking, pending.call, pending.item, pending.model)
            self.counted.add(pending.key)
            if not reply.final:
                self.given_up[pending.key] = reply
        finally:
            window.release()

    def _add(self, pending: Pending, worst: int | None, group: asyncio.TaskGroup) -> None:
        asking, model = self.asking, pending.model
        batches = WIRES[model.wire].batches
        assert batches is not None
        repairs = {**asking.repairs.get(model.name, {}), **UNSTREAMED}
        request = WIRES[model.wire].encode(pending.call, in_batch(model), repairs)
        identity = asking.next_id()
        line = batches.line(identity, request)
        sink = self.sinks.get(model.name)
        if sink is not None and not sink.fits(line):
            self._hand_over(sink, group)
            sink = None
        if sink is None:
            self.numbers += 1
            sink = self.sinks[model.name] = _Sink(asking, model, batches, f"{asking.life}-{self.numbers:03d}")
        sink.add(identity, line, prepared_line(asking, pending, identity, request.body, worst), request)
        self.moved = True

    def _hand_over(self, sink: _Sink, group: asyncio.TaskGroup) -> None:
        sink.close()
        del self.sinks[sink.batch.model.name]
        group.create_task(carried(self.asking, sink.batch))

    async def _resumed(self, name: str, event: dict[str, object]) -> None:
        """Look after a batch of an earlier life: find it at the server if need be, wait for it, fetch it."""
        asking = self.asking
        header = event.get("organization_header")
        began = event.get("began_at")
        batch = Batch(
            name,
            self.evaluation.models[str(event["model"])],
            str(event.get("path") or ""),
            header if isinstance(header, str) else None,
            asking.run_id,
            float(began) if isinstance(began, int | float) else 0.0,
            id=str(event.get("id") or ""),
        )
        if not calls_file(asking, name).is_file():
            asking.switch.stop(f"batch {batch.id or name}: the file of its calls is gone from {FOLDER}/", aborted=True)
            return
        held = self._held_again(batch)
        if not batch.id:
            found = await looked_up(asking, batch)
            if isinstance(found, Fault):
                asking.switch.stop(
                    f"batch {name} may have been handed over, and cannot be looked up: {found.message}", aborted=True
                )
                return
            if found is None:
                self._lost(batch, held)
                return
            self._found(batch, found)
        asking.switch.narrate(f"batch {batch.id} of {batch.model.name}, handed over before, is looked after again")
        asking.progress.in_flight += len(batch.offsets)
        await carried(asking, batch)

    def _held_again(self, batch: Batch) -> int:
        """Reserve again what the calls of an open batch may cost; what of it is in the log already is over."""
        budget, total = self.asking.budget, 0
        for offset, head in prepared_calls(calls_file(self.asking, batch.name)):
            record = self.recorded.record(head["call_key"])
            if record is not None and record["attempt_id"] == head["attempt_id"]:
                continue
            batch.offsets[head["attempt_id"]] = offset
            held = to_micro(head["charged_usd"] or 0.0)
            budget.calls_used += 1
            budget.kept = max(budget.kept - (head["attempt"] == 0), 0)
            budget.held += held
            total += held
        return total

    def _lost(self, batch: Batch, held: int) -> None:
        """The server never got it: nothing was asked, nothing is charged."""
        budget = self.asking.budget
        budget.calls_used -= len(batch.offsets)
        budget.kept += len(batch.offsets)
        budget.held -= held
        note(self.asking, batch, "lost")
        for file in (requests_file(self.asking, batch.name), calls_file(self.asking, batch.name)):
            file.unlink(missing_ok=True)

    def _found(self, batch: Batch, state: BatchState) -> None:
        batch.id = state.id
        note(self.asking, batch, "submitted", id=state.id, calls=len(batch.offsets))
        requests_file(self.asking, batch.name).unlink(missing_ok=True)

    def _refresh(self) -> None:
        """Take in what was written to the log since."""
        for offset, head in self.reader.heads(self.read_to):
            self.recorded.add(head, offset)
            self.read_to = offset
        # The last line is read once more next time: its end is not known here, and adding it twice changes nothing.

    def _model(self, call: Call) -> ModelSpec:
        return self.evaluation.models[call.model]

    def _key(self, call: Call) -> str:
        return call_key(call, self._model(call))


def _was_left_unanswered(record: Mapping[str, Json]) -> bool:
    """Whether its batch ended without answering it; it is left to a resume, not handed over again and again."""
    return record["batch_id"] is not None and record["http_status"] is None


def _created(path: Path) -> BinaryIO:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    return os.fdopen(descriptor, "wb")
