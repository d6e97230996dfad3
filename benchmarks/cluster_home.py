"""What the way home costs: CPU a record from a worker's engine to the run's files, over TLS, acknowledged, with its credits.

python benchmarks/cluster_home.py [--workers 2] [--rate 500] [--seconds 20] [--most]

Each worker is a process that makes records as its engine would, at a steady rate: what is measured is all but the engine.
With --most they come as quickly as they can, and the coordinator is held to one core. The CPU that both sides take while
nothing comes is stated apart. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from distributed.security import Security
from own_folder import own

from tui_eval.cluster.changes import WorkerChanges, WorkerProgress
from tui_eval.cluster.channel import Channel, dial, listen_at
from tui_eval.cluster.coordinator import Coordinator
from tui_eval.cluster.credits import CreditBudget
from tui_eval.cluster.outbox import Outbox
from tui_eval.cluster.worker_link import WorkerLink
from tui_eval.cluster.worker_session import BUNDLE_S, GRANT_S
from tui_eval.configuring import preparing
from tui_eval.configuring.loading import load
from tui_eval.engine.previous_sessions import earlier_lives
from tui_eval.engine.progress import Tally
from tui_eval.engine.run import RunOptions, _run_context
from tui_eval.engine.watch import publish
from tui_eval.runs.folder import LOG, RESULTS, RunFolder
from tui_eval.workspace.places import Workspace, shipped

IDLE_S = 5.0
WORST, CHARGED = 400, 300
"""Micro-dollars of a call."""
MODELS = ("scholar", "sprinter", "rambler", "arbiter", "contrarian", "scorer")


def cpu_s() -> float:
    """Seconds of processor time of this process so far."""
    spent = os.times()
    return spent.user + spent.system


class Maker:
    """A worker without an engine: it makes records by its credits."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.budget = CreditBudget(True, self._may_begin)
        self.progress = WorkerProgress("run", 10**9, 10**9, time.monotonic())
        self.progress.models = {name: Tally(planned=10**8) for name in MODELS}
        self.changes = WorkerChanges(self.progress, self.budget)
        self.outbox = Outbox(self.changes, time.monotonic)
        self.made, self.heard = 0, -1e9

    def _may_begin(self) -> bool:
        return time.monotonic() - self.heard < GRANT_S and not self.outbox.is_behind

    def make(self) -> bool:
        """One call from its credit to its record; whether there was credit."""
        if self.budget.reserve(WORST) != "go":
            return False
        self.budget.settle(WORST, CHARGED)
        self.outbox.add(LOG, self.lines[self.made % len(self.lines)])
        self.progress.attempts += 1
        for tally in (self.progress.total, self.progress.models[MODELS[self.made % len(MODELS)]]):
            tally.count("ok", False)
            tally.cost_usd += CHARGED / 1e6
        if self.made % 10 == 0:
            self.outbox.add(RESULTS, self.lines[0])
            self.progress.items_done += 1
        self.made += 1
        return True

    async def serve(self, channel: Channel, rate: float, seconds: float, pipe: Connection) -> None:
        """Idle, then make records at a rate (0: as quickly as they go home), and tell what each took."""
        hearing = asyncio.create_task(self._hear(channel))
        await self._send_on(channel, time.monotonic() + IDLE_S, 0.0)
        before = cpu_s()
        await self._send_on(channel, time.monotonic() + IDLE_S, 0.0)
        idle = cpu_s() - before
        making = time.process_time()
        alone = Maker(self.lines)
        alone.heard = 1e18
        alone.budget.add(10**9, 10**15)
        for _ in range(20_000):
            alone.make()
        making = (time.process_time() - making) / 20_000
        before, began = cpu_s(), time.monotonic()
        await self._send_on(channel, began + seconds, rate or 1e9)
        pipe.send((self.made, cpu_s() - before, idle / IDLE_S, making, time.monotonic() - began))
        await channel.send({"do": "bundle", "t": time.monotonic(), "over": True})
        hearing.cancel()

    async def _hear(self, channel: Channel) -> None:
        while True:
            message = await channel.receive()
            if message["do"] == "heard":
                self.heard = max(self.heard, float(message["t"]))
                self.outbox.acknowledge(int(message["n"]))
                self.budget.spare = bool(message["spare"])
            elif message["do"] == "credits":
                self.budget.add(int(message["calls"]), int(message["money"]))

    async def _send_on(self, channel: Channel, end: float, rate: float) -> None:
        began, before = time.monotonic(), self.made
        while time.monotonic() < end:
            await asyncio.sleep(BUNDLE_S if rate < 1e9 else 0.02)
            due = int((time.monotonic() - began) * rate) if rate < 1e9 else self.made + 4000
            while self.made - before < due and self.make():
                pass
            bundle = self.outbox.close_bundle()
            message: dict[str, Any] = {"do": "bundle", "t": time.monotonic()}
            if bundle is not None:
                message |= bundle.as_message()
            need = self.budget.need(int(max(min(rate, 20_000) / 2, 1)))
            if need is not None:
                message["need"] = [need.calls, need.worst, need.has_unpriced, need.is_waiting]
            await channel.send(message)


def worker(pipe: Connection, pem: tuple[str, str, str], lines: list[str], rate: float, seconds: float) -> None:
    """The process of one worker."""
    ca, cert, key = pem
    security = Security(tls_ca_file=ca, tls_worker_cert=cert, tls_worker_key=key, require_encryption=True)  # type: ignore[no-untyped-call]

    async def main() -> None:
        over = asyncio.Event()

        async def handle(channel: Channel) -> None:
            await Maker(lines).serve(channel, rate, seconds, pipe)
            over.set()

        address, listener = await listen_at("tls://127.0.0.1:0", security, handle)
        pipe.send(address)
        await over.wait()
        listener.stop()

    asyncio.run(main())


class Link(WorkerLink):
    """A link whose worker is over once its connection is."""

    async def _reconnected(self) -> bool:
        return False


async def coordinate(folder: Path, addresses: list[str], security: Any, lines: list[str]) -> tuple[float, float]:
    """Take in everything that workers send; CPU while nothing came, a second, and while records did."""
    workspace = Workspace(folder)
    loaded = load(shipped("examples") / "quickstart.toml", workspace, ["run.max_calls=1000000000", "run.max_cost_usd=1000000"])
    keys = preparing.keys_of(loaded)
    path = folder / "run"
    preparing.prepare(loaded, path, keys.redact, [], workspace=workspace)
    run_folder = RunFolder(path, keys.redact)
    life = earlier_lives(path)
    context = _run_context(run_folder, loaded, keys, RunOptions(), life, {"simulator": "http://127.0.0.1:9/v1"}, print, print)
    coordinator = Coordinator(None, {})  # type: ignore[arg-type]
    coordinator.begin(context, loaded, life, len(addresses))
    for number, address in enumerate(addresses):
        link = Link(f"w{number}", address, f"life{number}", security)
        link._channel = await dial(address, security, 10.0)
        link.told["no_more"] = True
        coordinator._links[link.life] = link
    telling = asyncio.create_task(coordinator._keep_telling())

    async def ticks() -> None:
        while True:
            publish(context, "running")
            await asyncio.sleep(0.25)

    ticking = asyncio.create_task(ticks())
    marks: list[float] = []

    async def take(link: WorkerLink) -> None:
        async for message in link.messages():
            if message.get("over"):
                link.close()
            await coordinator._take(link, message)
            if message.get("n") and context.folder.sizes[LOG]:
                marks.append(cpu_s())

    await asyncio.sleep(IDLE_S)
    before = cpu_s()
    taking = [asyncio.create_task(take(link)) for link in coordinator._links.values()]
    await asyncio.sleep(IDLE_S)
    idle = (cpu_s() - before) / IDLE_S
    await asyncio.wait(taking)
    busy = marks[-1] - marks[0]
    telling.cancel()
    ticking.cancel()
    await context.sender.close()
    run_folder.close()
    return idle, busy


def main() -> None:
    """Measure, and print what each part takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=500.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--most", action="store_true")
    given = parser.parse_args()
    rate = 0.0 if given.most else given.rate
    security = Security.temporary()  # type: ignore[no-untyped-call]
    lines = [_line(n) for n in range(64)]
    with tempfile.TemporaryDirectory() as name:
        folder = own(Path(name))
        spawn = multiprocessing.get_context("spawn")
        started = []
        for _ in range(given.workers):
            ours, theirs = spawn.Pipe()
            pem = (security.tls_ca_file, security.tls_worker_cert, security.tls_worker_key)
            process = spawn.Process(target=worker, args=(theirs, pem, lines, rate, given.seconds))
            process.start()
            started.append((process, ours, ours.recv()))
        if given.most:
            os.sched_setaffinity(0, {0})
            for process, _, _ in started:
                os.sched_setaffinity(process.pid or 0, {1})
        idle, busy = asyncio.run(coordinate(folder, [address for _, _, address in started], security, lines))
        told = [pipe.recv() for _, pipe, _ in started]
        for process, _, _ in started:
            process.join(10)
    n, took = sum(each[0] for each in told), max(each[4] for each in told)
    theirs_us = sum(each[1] - each[3] * each[0] for each in told) / n * 1e6
    ours_us, waiting = busy / n * 1e6, sum(each[2] for each in told)
    print(f"{n:,} records of {len(lines[0]):,} characters by {given.workers} workers in {took:.1f} s: {n / took:,.0f} a second")
    print(f"coordinator {ours_us:.1f} us a record, worker {theirs_us:.1f} us, together {ours_us + theirs_us:.1f} us")
    print(f"of it, while nothing comes, {(idle + waiting) * took / n * 1e6:.1f} us: the coordinator takes", end=" ")
    print(f"{100 * idle:.1f} % of a core, each worker {100 * waiting / len(told):.1f} %")


def _line(number: int) -> str:
    """A line as a log has it, of the usual length."""
    head = {"attempt_id": f"life-{number:06d}", "call_key": f"{number:064x}", "status": "ok", "error_kind": None, "final": True}
    place = {
        "attempt": 0,
        "run_id": "run",
        "stage": "doer",
        "item_id": f"doc/q{number}",
        "model": "scholar",
        "usage": {"cost_usd": 0.0003},
    }
    body = {"messages": [{"role": "user", "content": "A question about the tide gauge of the harbour. " * 20}]}
    tail = {"response_text": "An answer. " * 40, "response_json": {"choices": [{"message": {"content": "An answer. " * 40}}]}}
    return json.dumps({**head, **place, "request": body, **tail}) + "\n"


if __name__ == "__main__":
    main()
