"""The engine on one page: items enter a window, every item goes its way, and what they came to is written down."""

from __future__ import annotations

import asyncio
import resource
import secrets
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tui_eval.derive import Outcome, derive, result_line
from tui_eval.drive import all_items, checked
from tui_eval.engine.ask import ask, repaired
from tui_eval.engine.batch_resume import has_open_batches
from tui_eval.engine.calling import PREFLIGHT, Asking
from tui_eval.engine.preflight import preflight
from tui_eval.engine.progress import Progress, Tally
from tui_eval.engine.room import Room
from tui_eval.engine.send import Sender
from tui_eval.engine.switch import Switch
from tui_eval.engine.waves import ask_in_batches
from tui_eval.errors import ConfigError, FolderError, StorageError
from tui_eval.keys import Keys
from tui_eval.loading import Loaded
from tui_eval.money import MICRO, Budget
from tui_eval.providers import WIRES
from tui_eval.simulator.server import Simulator
from tui_eval.store.cache import ReplyCache
from tui_eval.store.folder import LOG, PAUSE, PROGRESS, RESULTS, STOP, RunFolder
from tui_eval.store.ledger import Ledger
from tui_eval.store.reader import Recorded, RunReader
from tui_eval.types import Call, Flow, Item, ModelSpec, Repair, Reply, Row

TICK_S = 0.25
SPARE_FILES = 64
"""Open files besides the connections: logs, reports, libraries."""

Tick = Callable[[Progress], None]
Learned = Callable[[ModelSpec, Repair], None]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended."""

    outcome: Outcome | None
    """None when the reports could not be written."""
    progress: Progress
    stopped: str
    aborted: bool
    in_doubt: int
    simulator_requests: int | None
    """What the embedded simulator counted, where there was one."""

    @property
    def exit_code(self) -> int:
        """0 done, 3 done but incomplete, 130 stopped by somebody and to be resumed."""
        complete = self.outcome is not None and not self.outcome.unfinished
        if self.stopped and not self.aborted and not complete:
            return 130
        if self.aborted:
            return 3
        return 0 if complete and self.outcome and not self.outcome.failed else 3


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


async def run(
    path: Path,
    loaded: Loaded,
    keys: Keys,
    on_tick: Tick | None = None,
    narrate: Callable[[str], None] = lambda text: None,
    reopen_failed: bool = False,
    offline: Path | None = None,
    cache: Path | None = None,
    check_first: bool = False,
    known: Mapping[str, dict[str, Repair]] | None = None,
    on_learned: Learned = lambda model, repair: None,
) -> Ended:
    """Ask everything a prepared run folder still has to ask, then write its reports.

    `offline`: answer from this folder's log alone and send nothing. `cache`: where replies are kept over runs, used if
    the run's settings say so. `check_first`: ask each model one tiny question first, and start nothing where one cannot
    answer. `known`: what earlier runs learnt about each model's parameters; `on_learned` is told what this one does.
    StorageError only when not even the start works.
    """
    folder = RunFolder(path, keys.redact)
    try:
        options = _Options(on_tick, narrate, reopen_failed, offline, cache, check_first, known or {}, on_learned)
        return await _run(folder, loaded, keys, options)
    except Exception as error:
        folder.narrate_exception("the run ended by a bug", error)
        raise
    finally:
        folder.close()


@dataclass(frozen=True, slots=True)
class _Options:
    """What `run` was asked for, under the same names."""

    on_tick: Tick | None
    narrate: Callable[[str], None]
    reopen_failed: bool
    offline: Path | None
    cache: Path | None
    check_first: bool
    known: Mapping[str, dict[str, Repair]]
    on_learned: Learned


async def _run(folder: RunFolder, loaded: Loaded, keys: Keys, options: _Options) -> Ended:
    offline = options.offline

    def say(text: str) -> None:
        clean = keys.redact(text)
        folder.narrate(clean)
        options.narrate(clean)

    evaluation = loaded.evaluation
    folder.clear_wishes()
    for note in (*folder.mended, *loaded.warnings):
        say(note)
    switch = Switch(loaded.run.stop_model_after, loaded.run.on_failure == "abort", say)
    progress = _progress(folder, loaded)
    _open_files_for(loaded.run.max_concurrency * (2 if _needs_simulator(loaded) else 1))
    ledger, recorded, begun = _earlier_lives(folder.path if offline is None else offline)
    simulator = Simulator(seed=loaded.run.seed) if _needs_simulator(loaded) and offline is None else None
    embedded = {} if simulator is None else {"simulator": await simulator.start()}
    asked = [spec for spec in evaluation.models.values() if offline is None and not WIRES[spec.wire].recorded]
    sender = Sender(keys, WIRES, asked, embedded)
    asking = Asking(
        kind=evaluation.kind,
        run=loaded.run,
        run_id=folder.path.name,
        life=secrets.token_hex(3),
        folder=folder,
        budget=Budget(loaded.run.max_calls or 1, loaded.run.max_cost_usd),
        room=Room(loaded.run.max_concurrency),
        sender=sender,
        switch=switch,
        progress=progress,
        recorded=recorded,
        reopen_failed=options.reopen_failed,
        offline=offline is not None,
        copies=offline is not None and not _same_folder(offline, folder.path),
        repairs={name: dict(repairs) for name, repairs in options.known.items()},
        on_learned=options.on_learned,
        cache=ReplyCache(options.cache) if options.cache is not None and loaded.run.cache and offline is None else None,
    )
    if offline is None:
        asking.budget.restore(ledger.calls, ledger.spent)
        asking.budget.kept = max(loaded.plan["total_calls"] - begun, 0)
    for number in RunReader(folder.path).damaged():
        say(f"call_logs.jsonl: line {number} cannot be read; what it held is not known, and its call is asked again")
    if ledger.in_doubt and offline is None:
        say(_in_doubt_line(ledger))
    for name, repairs in asking.repairs.items():
        for repair in repairs.values():
            say(f"{name}: {repaired(repair)} (found out before)")
    for spec in evaluation.models.values():
        if WIRES[spec.wire].simulated:
            asking.acquainted[spec.name] = _set_event()
        if WIRES[spec.wire].recorded:
            switch.closed[spec.name] = "its answers were imported: there is no server to ask"
    with _Signals(switch):
        ticker = asyncio.create_task(_ticks(asking, options.on_tick))
        try:
            progress.state = "running"
            if options.check_first and not begun and offline is None and not asking.batches_on_file():
                _refuse(asking, await preflight(asking, evaluation))
            if loaded.run.mode == "batch" and offline is None:
                folder.truncate_results()
                await ask_in_batches(asking, loaded)
            else:
                if offline is None and has_open_batches(asking):
                    await ask_in_batches(asking, loaded, only_open=True)
                await _ask_everything(asking, loaded)
        finally:
            ticker.cancel()
            await sender.close()
            counted = None if simulator is None else sum(int(simulator.stats()[name]) for name in ("requests", "batched"))
            if simulator is not None:
                await simulator.stop()
            if recorded is not None:
                recorded.close()
            if asking.recorded is not None:
                asking.recorded.close()
        return _finish(asking, loaded, len(ledger.in_doubt), counted, options.on_tick, say)


def _refuse(asking: Asking, problems: Mapping[str, str]) -> None:
    """Start nothing where a model cannot answer."""
    for name, why in problems.items():
        asking.folder.narrate(f"cannot answer: {name}: {why}")
    if problems:
        asking.progress.refused = dict(problems)
        asking.switch.stop(f"refused to start: {', '.join(problems)} cannot answer", aborted=True)


def _open_files_for(connections: int) -> None:
    """Raise this process's own limit on open files where it is too low. ConfigError where it may not be raised so far."""
    needed = connections + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise ConfigError(
            f"run.max_concurrency: {needed} open files are needed, {hard} are allowed; lower it, or raise the limit (ulimit -n)"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def _same_folder(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


def _progress(folder: RunFolder, loaded: Loaded) -> Progress:
    progress = Progress(
        run_id=folder.path.name,
        planned=loaded.plan["total_calls"],
        max_calls=loaded.run.max_calls or 1,
        started=time.monotonic(),
        items=loaded.plan["items"],
        limit=loaded.run.max_concurrency,
        simulated=any(WIRES[spec.wire].simulated for spec in loaded.evaluation.models.values()),
    )
    for name in loaded.evaluation.models:
        calls = sum(stage["calls"] for stage in loaded.plan["stages"] if stage["model"] == name)
        progress.models[name] = Tally(planned=calls)
    return progress


def _earlier_lives(path: Path) -> tuple[Ledger, Recorded | None, int]:
    """What the log holds already: attempts and money used; the replies (None for a run that has not begun); calls begun."""
    ledger = Ledger()
    log = path / LOG
    if not log.exists():
        return ledger, None, 0
    reader = RunReader(path)
    recorded = Recorded(path)
    begun = 0
    for offset, head in reader.heads():
        recorded.add(head, offset)
        ledger.end(head)
        planned = head["stage"] != PREFLIGHT
        begun += planned and (head["cached"] or (head["attempt"] == 0 and head["started_at"] is not None))
    ledger.begin(reader.intents())
    return ledger, recorded if log.stat().st_size else None, begun


def _in_doubt_line(ledger: Ledger) -> str:
    known = [intent["worst_usd"] for intent in ledger.in_doubt if intent["worst_usd"] is not None]
    bound = f"at most ${sum(known):.4f}, charged to the budget" if known else "at a cost that is not known"
    if known and len(known) < len(ledger.in_doubt):
        bound += f", and {len(ledger.in_doubt) - len(known)} at a cost that is not known"
    names = ", ".join(intent["attempt_id"] for intent in ledger.in_doubt[:5])
    more = ", ..." if len(ledger.in_doubt) > 5 else ""
    return (
        f"{len(ledger.in_doubt)} calls were in flight when the run broke off; they may have been answered and billed "
        f"({bound}) and are asked again: {names}{more}"
    )


def _needs_simulator(loaded: Loaded) -> bool:
    return any(spec.wire == "simulator" and spec.base_url is None for spec in loaded.evaluation.models.values())


async def _ask_everything(asking: Asking, loaded: Loaded) -> None:
    """One feeder per lane; each ends when its items are through or nothing may be started any more."""
    asking.folder.truncate_results()
    evaluation = loaded.evaluation

    def items(lane: str | None = None) -> Iterator[Item]:
        return all_items(evaluation.kind, evaluation.config, evaluation.files, evaluation.repeat, lane)

    async with asyncio.TaskGroup() as group:
        for lane in dict.fromkeys(item.lane for item in items()):
            group.create_task(_feed(asking, loaded, items(lane), group))


async def _feed(asking: Asking, loaded: Loaded, items: Iterator[Item], group: asyncio.TaskGroup) -> None:
    lane = _Lane(most=2 * loaded.run.max_concurrency)
    for item in items:
        await lane.room()
        if asking.switch.stopped:
            return
        flow = loaded.evaluation.kind.flow(loaded.evaluation.config, item)
        try:
            calls = list(next(flow))
        except Exception as error:
            asking.folder.narrate_exception(f"{item.id}: the evaluation itself failed", error)
            continue
        lane.add(len(calls))
        group.create_task(_go(asking, loaded, item, flow, calls, lane))
        await asyncio.sleep(0)


async def _go(asking: Asking, loaded: Loaded, item: Item, flow: Flow, calls: list[Call], lane: _Lane) -> None:
    """One item's way: ask what its flow wants, tell it the replies, until it returns its scores."""
    replies: list[Reply] = []
    try:
        scores = await _ask_on(asking, loaded, item, flow, calls, lane, replies)
        _finished(asking, loaded, Row(item, tuple(replies), checked(scores)))
    except Exception as error:
        asking.folder.narrate_exception(f"{item.id}: the evaluation itself failed", error)


async def _ask_on(
    asking: Asking, loaded: Loaded, item: Item, flow: Flow, calls: list[Call], lane: _Lane, replies: list[Reply]
) -> object:
    while True:
        batch = await _ask_all(asking, loaded, item, calls, lane)
        replies.extend(batch)
        try:
            calls = list(flow.send(batch))
        except StopIteration as end:
            return end.value
        lane.add(len(calls))


async def _ask_all(asking: Asking, loaded: Loaded, item: Item, calls: list[Call], lane: _Lane) -> list[Reply]:
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


def _finished(asking: Asking, loaded: Loaded, row: Row) -> None:
    if not row.finished:
        return
    asking.progress.items_done += 1
    try:
        asking.folder.append(RESULTS, result_line(loaded.evaluation, row))
    except StorageError as error:
        asking.switch.stop(f"the run folder cannot be written: {error}", aborted=True)


async def _ticks(asking: Asking, on_tick: Tick | None) -> None:
    """A few times a second: what others wish for, what they may see."""
    while True:
        switch, folder = asking.switch, asking.folder
        if folder.wishes(STOP):
            switch.stop("STOP was asked for")
        switch.pause(folder.wishes(PAUSE))
        if not folder.intact():
            switch.stop("the log was moved or replaced while the run was writing it", aborted=True)
        _check_disk(asking)
        _publish(asking, "stopping" if switch.stopped else "paused" if switch.paused else "running")
        if on_tick is not None:
            on_tick(asking.progress)
        await asyncio.sleep(TICK_S)


def _check_disk(asking: Asking) -> None:
    if asking.folder.lost:
        asking.switch.stop(asking.folder.lost, aborted=True)


def _publish(asking: Asking, state: str) -> None:
    progress = asking.progress
    progress.state = state
    if asking.switch.stopped:
        progress.why = asking.switch.stopped
    progress.calls_used = asking.budget.calls_used
    progress.charged_usd = asking.budget.spent / MICRO
    lowered = [limit for limit in asking.room.endpoints.values() if limit.limit < limit.most]
    tightest = min(lowered, key=lambda limit: limit.limit, default=None)
    progress.limit = int(tightest.limit) if tightest else asking.room.max_concurrency
    progress.limit_reason = tightest.reason if tightest else ""
    try:
        asking.folder.replace(PROGRESS, progress.snapshot(time.monotonic()))
    except StorageError as error:
        asking.switch.stop(f"the run folder cannot be written: {error}", aborted=True)


def _finish(
    asking: Asking, loaded: Loaded, in_doubt: int, counted: int | None, on_tick: Tick | None, say: Callable[[str], None]
) -> Ended:
    """Write the reports and the last progress."""
    outcome: Outcome | None = None
    asking.folder.sync()
    _check_disk(asking)
    _publish(asking, "reporting")
    try:
        outcome = derive(asking.folder.path, loaded.evaluation)
    except (StorageError, FolderError) as error:
        say(f"the reports could not be written: {error}; when that is mended, --rescore {asking.folder.path}")
    switch = asking.switch
    stopped = asking.folder.redact(switch.stopped)
    ended = Ended(outcome, asking.progress, stopped, switch.aborted, in_doubt, counted)
    state = {0: "done", 130: "stopped"}.get(ended.exit_code, "aborted" if switch.aborted else "incomplete")
    _publish(asking, state)
    if on_tick is not None:
        on_tick(asking.progress)
    return ended


class _Signals:
    """SIGINT or SIGTERM once: start nothing new. Again: cancel what is in flight. A closed terminal changes nothing."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._names = (signal.SIGINT, signal.SIGTERM)

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for name in self._names:
            loop.add_signal_handler(name, self._interrupted)

    def __exit__(self, *unused: object) -> None:
        loop = asyncio.get_running_loop()
        for name in self._names:
            loop.remove_signal_handler(name)

    def _interrupted(self) -> None:
        if self._switch.stopped:
            self._switch.break_off()
        else:
            self._switch.stop("interrupted", hint="; calls in flight may finish (Ctrl-C once more breaks them off)")
