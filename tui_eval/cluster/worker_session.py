"""One run on one worker: samples come, calls are made by credits, and records go home in bundles."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tui_eval.cluster.changes import WorkerChanges, WorkerProgress
from tui_eval.cluster.credits import CreditBudget
from tui_eval.cluster.home_folder import HomeFolder
from tui_eval.cluster.outbox import Outbox
from tui_eval.cluster.sent_records import KeptReplies, RecordsAtHome, SentRecords
from tui_eval.cluster.simulator_way import SimulatorWay
from tui_eval.cluster.spools import Spool
from tui_eval.cluster.worker_rules import FirstOfAll, HomeBreaker
from tui_eval.configuring.loading import Loaded
from tui_eval.configuring.preparing import keys_of
from tui_eval.configuring.reopening import reopen
from tui_eval.core.calls import ModelSpec, Repair
from tui_eval.core.samples import Sample
from tui_eval.engine.calling import RunContext
from tui_eval.engine.limiter import Limiter
from tui_eval.engine.run import open_files_for
from tui_eval.engine.samples import Lane, begin_sample
from tui_eval.engine.starting_counts import new_progress
from tui_eval.evaluation.sample_queues import sample_at
from tui_eval.providers import WIRES
from tui_eval.workspace.places import Workspace

GRANT_S = 5.0
"""A grant ends so long after the coordinator was last heard, by this machine's monotonic clock."""
AHEAD_S = 0.5
"""Credits are asked for what could begin in so long."""
LOOK_S = 0.2
"""Between two looks at whether a coordinator that is gone is back."""
BUNDLE_S = 0.1
"""Between two bundles."""
LEAST_S = 0.01
"""The same where a call waits for credit."""
Send = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Order:
    """The coordinator's first word to a worker: the run, and its part of the limits."""

    life: str
    """Names its attempts."""
    share: int
    """Calls that it may have in flight."""
    parts: int
    """Workers among which what is stated of models is divided."""
    embedded: Mapping[str, str]
    """The base URL of the run's own simulator, by wire."""
    reopen_failed: bool
    max_calls: int
    known: Mapping[str, Sequence[Sequence[Any]]]
    """What was learnt about each model's parameters."""
    met: Sequence[str]
    """Models whose first call is through."""
    has_cache: bool


def load_run(path: Path) -> Loaded:
    """Return what the run of a folder asks. Whose keys go where was settled by the coordinator's person."""
    return reopen(path, Workspace(path), sends=False)


class WorkerSession:
    """A run on a worker, from its order to its last acknowledged record."""

    def __init__(self, order: Order, path: Path, loaded: Loaded) -> None:
        """`path`: a folder with the run's config, manifest and inputs, of which `loaded` was made."""
        self.order = order
        self.loaded = loaded
        self.context = self._context(path)
        self.is_over = asyncio.Event()
        self.end = asyncio.Event()
        """Nothing more is to be done."""
        self._is_cut_off = False
        """Whether the run's simulator is gone: what is in flight never ends."""
        self.no_more = False
        """Whether no more samples come."""
        self._wake = asyncio.Event()
        self._send: Send | None = None
        self._heard = -1e9
        self._alone_since = time.monotonic()
        self._begun: deque[tuple[float, int]] = deque()
        self._ready: dict[str, deque[tuple[Sample, int]]] = {name: deque() for name in self.loaded.evaluation.queues}
        self._came = asyncio.Event()
        self._have: set[tuple[str, int]] = set()
        """Samples that came, by queue and place: one may be sent twice."""
        self._wanted: dict[str, bool] = dict.fromkeys(self._ready, False)
        self.spool = Spool(path.name, order.life)
        self._spooled = 0
        """The last bundle that is in it."""

    # what calls share

    def _context(self, path: Path) -> RunContext:
        order, loaded = self.order, self.loaded
        keys = keys_of(loaded)
        self.budget = CreditBudget(loaded.run.max_cost_usd is not None, self._may_begin)
        open_files_for(order.share)
        progress = _worker_progress(path, loaded, order)
        self.changes = WorkerChanges(progress, self.budget)
        self.outbox = Outbox(self.changes, time.monotonic)
        folder = HomeFolder(path, keys.redact, self.outbox, self._tell("say"), lambda: self._wake.set())
        specs = loaded.evaluation.models.values()
        asked = [spec for spec in specs if not WIRES[spec.wire].recorded]
        self.first = FirstOfAll(self._tell("first"), self._tell("met"))
        self.kept = KeptReplies(self._tell("keep")) if order.has_cache else None
        self.records, breaker = SentRecords(path), HomeBreaker(self._tell)
        self.at_home = RecordsAtHome(self._tell("known"), self.records, self.kept, breaker.stopping)
        context = RunContext(
            kind=loaded.evaluation.kind,
            run=loaded.run,
            run_id=path.name,
            life=order.life,
            folder=folder,
            budget=self.budget,
            limiter=Limiter(order.share, order.parts, self._tell("closed")),
            sender=SimulatorWay(
                order.embedded,
                self._lose_simulator,
                keys=keys,
                wires=WIRES,
                models=asked,
                proxy=loaded.run.proxy or "",
                told=loaded.egress.reached,
            ),
            breaker=breaker,
            progress=progress,
            recorded=self.records,
            reopen_failed=order.reopen_failed,
            taken=loaded.evaluation.task.recorded,
            repairs={name: {each[0]: Repair(*each) for each in repairs} for name, repairs in order.known.items()},
            on_learned=self._learned,
            first_attempts=self.first,
            cache=self.kept,
            fetch=self.at_home.fetch,
            unsent_life=f"{order.life}u",
        )
        for name in order.met:
            self.first.meet(name)
        return context

    def _tell(self, word: str) -> Callable[..., None]:
        """Return a function that tells the coordinator of something."""

        def tell(*values: Any) -> None:
            self.changes.events.append([word, *values])
            self._wake.set()

        return tell

    def _learned(self, model: ModelSpec, repair: Repair) -> None:
        self._tell("repair")(model.name, [repair.parameter, repair.rename_to, repair.lower_to])

    def _lose_simulator(self) -> None:
        self._is_cut_off = True
        self._tell("no_simulator")()

    def _may_begin(self) -> bool:
        """Return whether the grant holds by our own clock, and records are acknowledged in time."""
        return (
            self._send is not None
            and not self._is_cut_off
            and time.monotonic() - self._heard < GRANT_S
            and not self.outbox.is_behind
        )

    # what comes

    def receive(self, message: Mapping[str, Any]) -> None:
        """Take what the coordinator says."""
        do = str(message["do"])
        if do == "heard":
            self._heard = max(self._heard, float(message["t"]))
            self.outbox.acknowledge(int(message["n"]))
            self.budget.spare = bool(message["spare"])
        elif do == "samples":
            self._take_samples(message)
        elif do == "credits":
            self.budget.add(int(message["calls"]), int(message["money"]))
        elif do == "refused":
            self.budget.refuse(message["verdict"], int(message["worst"]))
        elif do == "recall":
            begun, held = self.budget.give_back()
            self._tell("gave_back")(message["of"], begun, held)
        elif do == "rules":
            self._take_rules(message)
        elif do == "first":
            self.first.answer(str(message["model"]), bool(message["go"]))
        elif do == "reply":
            self.at_home.answer(str(message["key"]), message["record"], message["paid"], bool(message["of_log"]))
        elif do == "no_more":
            self.no_more = True
            self._came.set()
        elif do == "end":
            self.end.set()
            self._wake.set()
        self._money_changed()

    def _money_changed(self) -> None:
        """Wake calls that wait for credit."""

        async def tell() -> None:
            async with self.context.settled:
                self.context.settled.notify_all()

        self._telling = asyncio.ensure_future(tell())

    def _take_samples(self, message: Mapping[str, Any]) -> None:
        queue = str(message["queue"])
        for place, lines, is_mentioned in message["places"]:
            if (queue, place) in self._have:
                continue
            self._have.add((queue, place))
            sample = sample_at(self.loaded.evaluation.queues[queue], place)
            self.records.take(sample.id, lines)
            if is_mentioned:
                self.records.samples.add(sample.id)
            self._ready[queue].append((sample, place))
        self._wanted[queue] = False
        self._came.set()

    def _take_rules(self, message: Mapping[str, Any]) -> None:
        """The run's rules as they are now: what is closed, paused, stopped, learnt."""
        breaker = self.context.breaker
        breaker.closed.update(message.get("closed", {}))
        for name, *repair in message.get("repairs", ()):
            self.context.repairs.setdefault(name, {})[repair[0]] = Repair(*repair)
        for name in message.get("met", ()):
            self.first.meet(name)
        for name, seconds in message.get("closed_for", {}).items():
            self.context.limiter.endpoint(self.loaded.evaluation.models[name]).close(float(seconds))
        if "paused" in message:
            breaker.pause(bool(message["paused"]))
        if message.get("stopped"):
            breaker.stopped, breaker.aborted = str(message["stopped"]), bool(message.get("aborted"))
            breaker.stopping.set()
            breaker.open.set()
            self.context.limiter.give_up_waiting()
            self._came.set()
        if message.get("broken_off"):
            breaker.broken_off = True
            breaker.deadlines.end_all()

    # what goes

    async def attach(self, send: Send, have: int) -> None:
        """A coordinator is there, which has every bundle up to one on its disk: send it the others."""
        self.outbox.acknowledge(have)
        while bundle := next((each for each in self.outbox.waiting if each.number > have), None):
            await send({"do": "bundle", **bundle.as_message()})
            have = bundle.number
        self._send = send  # in the same moment: no bundle is closed in between
        self.at_home.ask_again()
        self.spool.hold()
        if self._spooled:
            self.spool.remove()
            self._spooled = 0
        self._wake.set()

    def detach(self, send: Send) -> None:
        """A way to the coordinator is lost. Without a newer one begin nothing, end what is in flight, keep it on disk."""
        if send == self._send:
            self._send, self._alone_since = None, time.monotonic()
            self._wake.set()

    async def alone(self, patience_s: float) -> None:
        """Wait until no coordinator has been there for so long. Once no call is in flight, the next may have what is kept."""
        while self._send is not None or not (self._is_cut_off or self._has_waited(patience_s)):
            if self._send is None and not self.context.progress.in_flight and not self.outbox.has_open_lines:
                self.spool.let_go()
            await asyncio.sleep(LOOK_S)

    def _has_waited(self, patience_s: float) -> bool:
        return time.monotonic() - self._alone_since >= patience_s and not self.context.progress.in_flight

    async def run(self) -> None:
        """Ask all samples that come, until there are no more and every record is home, or on disk for the next coordinator."""
        sending = asyncio.create_task(self._send_on())
        try:
            async with asyncio.TaskGroup() as group:
                for queue in self._ready:
                    group.create_task(self._feed(queue, group))
            self._tell("done")()
            await self.end.wait()
        finally:
            self.is_over.set()
            self._wake.set()
            await asyncio.wait({sending}, timeout=GRANT_S)
            sending.cancel()
            self.spool.let_go()
            await self.context.sender.close()

    async def _feed(self, queue: str, group: asyncio.TaskGroup) -> None:
        lane, ready, share = Lane(most=2 * self.order.share), self._ready[queue], self.order.share
        samples, calls = 1, 1  # begun, and the first calls of them
        while not self.context.breaker.stopped:
            await lane.room()
            if len(ready) * calls <= share * samples and not self.no_more and not self._wanted[queue]:
                self._wanted[queue] = True
                self._tell("want")(queue, max(2 * share * samples // calls, 1))
            if not ready:
                if self.no_more or self.context.breaker.stopped:  # it may have been stopped while there was no room
                    return
                self._came.clear()
                await self._came.wait()
                continue
            sample, place = ready.popleft()
            before = lane.unfinished
            task = begin_sample(self.context, self.loaded, sample, lane, group)
            if task is None:
                self._ended(sample, place)
            else:
                samples, calls = samples + 1, calls + lane.unfinished - before
                task.add_done_callback(lambda _, sample=sample, place=place: self._ended(sample, place))  # type: ignore[misc]
            await asyncio.sleep(0)

    def _ended(self, sample: Sample, place: int) -> None:
        self.changes.ended.append((sample.queue, place))
        self.records.forget(sample.id)

    @property
    def _rate(self) -> int:
        """Attempts that could begin in half a second, by those of the last two."""
        now, begun = time.monotonic(), self.budget.calls_used
        self._begun.append((now, begun))
        while self._begun[0][0] < now - 4 * AHEAD_S and len(self._begun) > 1:
            self._begun.popleft()
        then, before = self._begun[0]
        if now - then < AHEAD_S or not begun:
            return self.order.share
        return max(round((begun - before) / (now - then) * AHEAD_S), 1)

    async def _send_on(self) -> None:
        """Send what there is, ten times a second and where a call waits; without a coordinator keep it on disk."""
        last = 0.0
        while not self.is_over.is_set() or self.outbox.waiting or self.changes.ended:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BUNDLE_S):
                    await self._wake.wait()
            self._wake.clear()
            await asyncio.sleep(max(last + LEAST_S - time.monotonic(), 0.0))
            last = time.monotonic()
            await self._send_now()
            if self.is_over.is_set() and self._send is None:
                return

    async def _send_now(self) -> None:
        send, bundle = self._send, self.outbox.close_bundle()
        if send is None:
            self._keep_on_disk()
            return
        need = self.budget.need(self._rate)
        message: dict[str, Any] = {"do": "bundle", "t": time.monotonic()}
        if bundle is not None:
            message |= bundle.as_message()
        if need is not None:
            message["need"] = [need.calls, need.worst, need.has_unpriced, need.is_waiting]
        try:
            await send(message)
        except (OSError, EOFError):
            self.detach(send)

    def _keep_on_disk(self) -> None:
        """Write down every bundle that no coordinator has acknowledged."""
        for bundle in self.outbox.waiting:
            if bundle.number > self._spooled and bundle.lines:
                self.spool.add(bundle.as_message())
                self._spooled = bundle.number


def _worker_progress(path: Path, loaded: Loaded, order: Order) -> WorkerProgress:
    """Return counters of a run that has not begun."""
    base = new_progress(path, loaded)
    progress = WorkerProgress(base.run_id, base.planned, order.max_calls, base.started, base.beside)
    progress.models = {name: replace(tally) for name, tally in base.models.items()}
    return progress
