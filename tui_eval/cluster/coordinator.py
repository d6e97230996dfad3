"""The coordinator of a run over several workers: it owns folder, log, budget and rules, and hands out samples and credits."""

from __future__ import annotations

import asyncio
import json
import math
import secrets
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tui_eval.cluster.backlog import Backlog
from tui_eval.cluster.changes import take_changes
from tui_eval.cluster.credit_desk import CreditDesk
from tui_eval.cluster.credits import Need
from tui_eval.cluster.dask_cluster import DaskCluster
from tui_eval.cluster.files_at_home import FilesAtHome
from tui_eval.cluster.limit_shares import limit_shares
from tui_eval.cluster.run_rules import RunRules, longest_call_s
from tui_eval.cluster.sample_feed import Place, SampleFeed
from tui_eval.cluster.spool_intake import take_spools
from tui_eval.cluster.spools import forget_dead
from tui_eval.cluster.worker_link import WorkerLink
from tui_eval.cluster.worker_session import GRANT_S
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import NOTHING_PAID
from tui_eval.core.errors import ConfigError, StorageError
from tui_eval.engine.calling import RunContext
from tui_eval.engine.previous_sessions import EarlierLives, in_doubt_line, newly_in_doubt, settled_before
from tui_eval.engine.samples import ask_everything
from tui_eval.engine.starting_counts import count_anew
from tui_eval.runs.folder import LOG, MANIFEST, RESULTS, WITH_GRANTS
from tui_eval.runs.opening import table

LOOK_S = 0.05
"""Between two looks at what workers have to be told."""
JOIN_S = 1.0
"""Between two looks for new workers."""


class Coordinator:
    """Asks a run's samples by the workers of a cluster."""

    def __init__(self, cluster: DaskCluster, keys: Mapping[str, str]) -> None:
        """`keys`: the values that models are asked with, by their variables."""
        self._cluster, self._keys = cluster, keys
        self._links: dict[str, WorkerLink] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._busy: set[str] = set()
        """Addresses of workers that have, or had, a session of ours."""
        self._backlog = Backlog()
        self._slots: list[float] = []
        """For each share of the limits when it is free: monotonic clock, infinity while a worker has it."""
        self._later: list[tuple[str, dict[str, Any]]] = []
        """Messages that are sent at the next look."""

    async def ask(self, context: RunContext, loaded: Loaded, life: EarlierLives, embedded: Mapping[str, str]) -> None:
        """Ask everything that is still to be asked; what workers cannot ask, such as a further wave, is asked here."""
        self._context, self._loaded, self._life, self._embedded = context, loaded, life, embedded
        await self._cluster.connect()
        try:
            await self._ask_by_workers()
        finally:
            for link in self._links.values():
                link.close()
            await self._cluster.close()
            forget_dead(context.run_id)
        if not context.breaker.stopped and (loaded.evaluation.kind.further is not None or not self._feed.is_empty):
            self._read_on()
            context.reopen_failed = False  # what had failed before was asked again by workers
            context.progress.on_file = Counter(settled_before(life.log, False))
            context.progress.items_done = 0
            await ask_everything(context, loaded)

    def begin(self, context: RunContext, loaded: Loaded, life: EarlierLives, parts: int) -> None:
        """Have credits, samples, rules and files of a run ready. `parts`: the shares of its limits, each for one worker."""
        self._context, self._loaded, self._life = context, loaded, life
        self._desk = CreditDesk(context, self._links)
        self._book = self._desk.book
        self._feed = SampleFeed(context, loaded)
        self._rules = RunRules(context, loaded)
        self._files = FilesAtHome(context, loaded, self._read_on, self._under_way)
        self._slots = [0.0] * parts

    # workers

    async def _ask_by_workers(self) -> None:
        context = self._context
        addresses = await self._cluster.workers()
        if await take_spools(self._cluster, addresses, context, self._life.ledger):
            count_anew(context, self._loaded, self._life)
        ledger = newly_in_doubt(self._life.ledger, context.folder.path)
        if ledger.in_doubt:
            context.breaker.warn(in_doubt_line(ledger))
        self._write_format()
        context.folder.truncate_results()
        most = len(addresses) if self._cluster.bounds is None else self._cluster.bounds[1]
        self.begin(context, self._loaded, self._life, limit_shares(self._loaded, most))
        if len(self._slots) < most:
            context.breaker.narrate(
                f"{len(self._slots)} of {most} workers are used: the limits of the run cannot be divided further"
            )
        await self._look_for_workers()
        if not self._tasks:
            context.breaker.stop("no worker could begin the run", aborted=True)
        beside = {asyncio.create_task(each) for each in (self._keep_looking(), self._keep_telling(), self._files.keep_on())}
        try:
            while self._tasks:
                ended, _ = await asyncio.wait({*beside, *self._tasks.values()}, return_when=asyncio.FIRST_COMPLETED)
                for task in ended & beside:
                    task.result()  # none ends but by a bug, without which the run would wait for ever
                for address in [address for address, task in self._tasks.items() if task.done()]:
                    self._tasks.pop(address).result()
                if not self._tasks and not self._is_complete:
                    context.breaker.stop("all workers are gone; tui-eval resume goes on", aborted=True)
        finally:
            for task in (*beside, *self._tasks.values()):
                task.cancel()
            await asyncio.wait({*beside, *self._tasks.values()})
            self._show_workers()

    @property
    def _is_complete(self) -> bool:
        """Return whether every sample that workers ask went its way."""
        return self._feed.is_empty and not any(link.given for link in self._links.values())

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(JOIN_S)
            if self._context.breaker.stopped or self._is_complete:
                continue
            if self._cluster.is_lost:
                self._context.breaker.stop("the cluster's scheduler is gone; tui-eval resume goes on", aborted=True)
            else:
                await self._scale()
                await self._look_for_workers()

    async def _scale(self) -> None:
        """Have as many workers as the samples that are left can fill, where we start them; those without any are ended."""
        if self._cluster.bounds is None:
            return
        open_samples = Counter(queue for link in self._links.values() for queue, _ in link.given) + self._feed.open_samples
        wanted = self._backlog.workers(open_samples, self._cluster.bounds[0], len(self._slots))
        for warning in await self._cluster.scale(wanted):
            self._context.breaker.warn(warning)
        working = [link for link in self._links.values() if link.is_connected and not link.is_retiring]
        idle = [link for link in working if link.hungry and not link.given] if self._feed.is_empty else []
        for link in idle[: max(len(working) - wanted, 0)]:
            link.is_retiring = True
            self._context.breaker.narrate(f"worker {link.shown.name} has nothing left to do, and ends")
            await link.send({"do": "no_more"})

    async def _look_for_workers(self) -> None:
        """Have new workers join where a share of the limits is free for them."""
        workers = await self._cluster.workers()
        for worker in sorted(workers, key=workers.__getitem__):
            free = [place for place, at in enumerate(self._slots) if at <= time.monotonic()]
            if worker in self._busy or not free or self._context.breaker.stopped:
                continue
            self._busy.add(worker)
            self._slots[free[0]] = float("inf")
            self._tasks[worker] = asyncio.create_task(self._work_with(worker, free[0]))

    async def _work_with(self, worker: str, slot: int) -> None:
        """One worker, from joining to its end or its loss."""
        link = WorkerLink(f"w{len(self._links) + 1}", worker, secrets.token_hex(3), self._cluster.security)
        link.shown.address = self._cluster.place_of(worker)
        self._links[link.life] = link
        try:
            why = await self._begun(link, slot)
            if why:
                self._context.breaker.warn(f"worker {link.shown.name} ({worker}) cannot begin: {why}")
                link.shown.state, self._slots[slot] = "refused", 0.0
                return
            async for message in link.messages():
                if not await self._take(link, message):
                    break
            if not link.is_ended:
                self._lose(link, slot)
                return
            self._slots[slot] = 0.0
            if link.is_retiring:
                await self._cluster.retire(link.worker)
        except Exception as error:
            self._context.folder.narrate_exception(f"worker {link.shown.name}: a bug of ours", error)
            self._lose(link, slot)

    async def _begun(self, link: WorkerLink, slot: int) -> str:
        context, run = self._context, self._loaded.run
        parts = len(self._slots)
        try:
            urls = await self._cluster.urls_for(link.worker, self._embedded)
        except ConfigError as error:
            return str(error)
        order = {
            "life": link.life,
            "share": run.max_concurrency // parts + (slot < run.max_concurrency % parts),
            "parts": parts,
            "embedded": urls,
            "reopen_failed": context.reopen_failed,
            "max_calls": context.progress.max_calls,
            "known": self._rules.repairs,
            "met": self._rules.met,
            "has_cache": context.cache is not None,
        }
        try:
            address = await self._cluster.begin_host(link.worker)
            why = await link.begin(address, order, context.folder.path, self._keys)
        except (OSError, ConfigError) as error:
            return str(error)
        if not why:
            context.breaker.narrate(f"worker {link.shown.name} joined: {link.shown.address}")
        for warning in link.warnings:
            if warning not in self._loaded.warnings:
                context.breaker.warn(f"worker {link.shown.name}: {warning}")
        return why

    def _lose(self, link: WorkerLink, slot: int) -> None:
        """A worker is gone: what it may have sent is charged, and its samples go to others."""
        context = self._context
        calls = self._book.lose(link.life)
        context.budget.idle = self._book.idle
        context.progress.in_flight -= link.shown.in_flight
        link.shown.state, link.shown.in_flight = "lost", 0
        free_s = GRANT_S + longest_call_s(self._loaded)
        context.breaker.warn(
            f"worker {link.shown.name} is lost: up to {calls} calls that it may have sent are charged, "
            f"and {len(link.given)} samples go to others. If dask starts it again, it joins in about {free_s:.0f} s"
        )
        self._slots[slot] = time.monotonic() + free_s
        for life, answer in self._rules.forget(link.life):
            self._later.append((life, answer))
        if link.given:
            self._read_on()
            self._feed.give_again(link.given)
            link.given = set()
        link.close()

    def _under_way(self) -> list[Place]:
        """Return the samples that workers have."""
        return [place for link in self._links.values() for place in sorted(link.given)]

    def _read_on(self) -> None:
        """Read what came to the log since: the samples of a lost worker need what is home of them."""
        self._life.read_on()
        self._context.recorded = self._life.recorded

    # messages

    async def _take(self, link: WorkerLink, message: Mapping[str, Any]) -> bool:
        """Take a message; whether what it brought is on our disk. Else the worker keeps it, and is let go."""
        number = int(message.get("n", 0))
        if number > link.have + 1:
            link.drop()
            return True
        if number > link.have:
            if not self._write_lines(message["lines"]):
                return False
            link.have = number
            await self._take_changes(link, message["changes"])
            if link.is_cut_off:
                return False
        if need := message.get("need"):
            self._desk.need(link.life, Need(*need))
        await link.send({"do": "heard", "t": message.get("t", 0.0), "n": link.have, "spare": self._book.has_spare()})
        await self._desk.serve()
        if link.is_done and not link.was_recalled:
            link.was_recalled = True
            await link.send({"do": "recall", "of": "end"})
        return True

    def _write_lines(self, lines: Mapping[str, list[str]]) -> bool:
        """Write what came into the run's files; whether it is there."""
        folder = self._context.folder
        for name in (LOG, RESULTS):
            if not lines.get(name):
                continue
            try:
                folder.append_lines(name, lines[name])
            except StorageError as error:
                self._context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
                try:
                    folder.append_last(name, "".join(lines[name]))
                except StorageError as last:
                    folder.narrate(f"records of a worker wait there, or in its spool: {last}")
                    return False
        return True

    async def _take_changes(self, link: WorkerLink, changes: Mapping[str, Any]) -> None:
        context, budget = self._context, self._context.budget
        take_changes(context.progress, dict(changes))
        link.shown.in_flight += changes.get("sums", {}).get("in_flight", 0)
        if account := changes.get("account"):
            begun, home, spent, held, promised = account
            self._book.come_home(link.life, begun, home, spent, held)
            self._book.account(link.life).promised = promised
            link.shown.attempts = home
            await self._money_changed()
        if planned := changes.get("planned"):
            budget.keep_less(planned[0])
            budget.release(planned[1])
        ended = {(queue, place) for queue, place in changes.get("ended", ())}
        self._files.note(ended & link.given)
        link.given -= ended
        for word, *values in changes.get("events", ()):
            await self._take_event(link, word, values)
        context.budget.idle = self._book.idle

    async def _take_event(self, link: WorkerLink, word: str, values: list[Any]) -> None:
        if word == "want":
            await self._hand_out(link, *values)
        elif word == "gave_back":
            self._take_back(link, *values)
        elif word == "done":
            link.is_done = True
        elif word == "no_simulator":
            link.is_cut_off = True
            self._context.breaker.warn(f"worker {link.shown.name} does not reach the run's simulator on this machine any more")
        elif word == "known":
            await self._look_up(link, *values)
        else:
            for life, answer in self._rules.take(link.life, link.shown.name, word, values):
                await self._links[life].send(answer)

    async def _hand_out(self, link: WorkerLink, queue: str, n: int) -> None:
        """Give a worker the next samples, no more than its part of all that are left; near the end fewer at a time, so that all
        are busy to the end."""
        self._backlog.note(queue, n)
        if link.is_retiring:
            return
        open_ones = self._feed.total_left + sum(len(each.given) for each in self._links.values())
        room = math.ceil(open_ones / len(self._slots)) - len(link.given)
        most = min(n, room, max(1, self._feed.count_left(queue) // (2 * len(self._slots))))
        taken = await self._feed.take(queue, most) if most > 0 else []
        if not taken:
            link.hungry.append((queue, n))
            return
        link.given |= {(queue, place) for place, *_ in taken}
        await link.send({"do": "samples", "queue": queue, "places": taken})

    async def _look_up(self, link: WorkerLink, key: str, model: str) -> None:
        """Say what the log, or else the cache, has of a call."""
        context, spec = self._context, self._loaded.evaluation.models[model]
        record = None if context.recorded is None else context.recorded.record(key)
        of_log, paid = record is not None, NOTHING_PAID
        if record is not None and context.recorded is not None:
            paid = context.recorded.paid_before(key)
        elif context.cache is not None:
            record = context.cache.get(key, context.sender.place(spec))
        line = None if record is None else json.dumps(record)
        await link.send({"do": "reply", "key": key, "record": line, "of_log": of_log, "paid": list(paid)})

    async def _say_again(self, link: WorkerLink) -> None:
        """Tell a worker that is back what may have been lost with its connection; it knows what it has."""
        by_queue: dict[str, list[int]] = {}
        for queue, place in sorted(link.given):
            by_queue.setdefault(queue, []).append(place)
        for queue, places in by_queue.items():
            await link.send({"do": "samples", "queue": queue, "places": self._feed.again(queue, places)})
        for answer in self._rules.first_of(link.life):
            await link.send(answer)
        if link.was_recalled or self._desk.is_waited_for(link.life):
            await link.send({"do": "recall", "of": "end" if link.was_recalled else "all"})

    def _take_back(self, link: WorkerLink, of: str, begun: int, held: int) -> None:
        self._desk.take_back(link.life, begun, held)
        if of == "end":
            link.shown.state, link.is_ending = "done", True

    async def _money_changed(self) -> None:
        async with self._context.settled:
            self._context.settled.notify_all()

    # what workers are told

    async def _keep_telling(self) -> None:
        """Tell workers of changed rules, of the end, and what they wait for."""
        while True:
            await asyncio.sleep(LOOK_S)
            later, self._later = self._later, []
            for life, answer in later:
                await self._links[life].send(answer)
            for link in list(self._links.values()):
                await self._tell(link)
            await self._desk.serve()
            self._show_workers()

    async def _tell(self, link: WorkerLink) -> None:
        if not link.is_connected:
            return
        if link.is_ending:
            await link.send({"do": "end"})
            link.close()
            return
        if link.has_returned:
            link.has_returned = False
            await self._say_again(link)
        rules = self._rules.news(link.told)
        if rules:
            await link.send({"do": "rules", **rules})
        if link.hungry and not self._feed.is_empty:
            hungry, link.hungry = link.hungry, []
            for queue, n in hungry:
                await self._hand_out(link, queue, n)
        if self._is_complete and not link.told.get("no_more"):
            link.told["no_more"] = True
            await link.send({"do": "no_more"})

    def _show_workers(self) -> None:
        now = time.monotonic()
        self._context.progress.workers = [
            {
                "name": shown.name,
                "address": shown.address,
                "state": shown.state,
                "in_flight": shown.in_flight,
                "attempts": shown.attempts,
                "credits": (account := self._book.account(life)).upto - account.begun,
                "heard_s": round(now - shown.heard, 1),
            }
            for life, shown in ((life, link.shown) for life, link in self._links.items())
        ]

    def _write_format(self) -> None:
        """Have older versions refuse the folder: they do not know what a grant is."""
        folder = self._context.folder
        manifest = table(folder.path / MANIFEST)
        if manifest.get("format", 1) < WITH_GRANTS:
            folder.replace(MANIFEST, json.dumps({**manifest, "format": WITH_GRANTS}, indent=2) + "\n")
