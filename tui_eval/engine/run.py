"""The engine on one page: what a run finds, what its calls share, everything asked, and what it came to written down."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import resource
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.loading import Loaded
from tui_eval.configuring.log_pass import LogPass, Told
from tui_eval.configuring.taken_answers import tell_taken
from tui_eval.core.calls import ModelSpec, Repair
from tui_eval.core.errors import ConfigError, FolderError, StorageError
from tui_eval.core.money import Budget
from tui_eval.engine.ask import repaired
from tui_eval.engine.batches.batch_resume import has_open_batches
from tui_eval.engine.batches.waves import ask_in_batches
from tui_eval.engine.calling import RunContext
from tui_eval.engine.circuit_breaker import CircuitBreaker
from tui_eval.engine.growing import GrowingFiles
from tui_eval.engine.http.direct import untried_version
from tui_eval.engine.http.send import Sender
from tui_eval.engine.limiter import Limiter
from tui_eval.engine.own_scoring import score_replies_by_code
from tui_eval.engine.preflight import preflight
from tui_eval.engine.previous_sessions import EarlierLives, earlier_lives, in_doubt_line, newly_in_doubt
from tui_eval.engine.progress import Progress
from tui_eval.engine.replaying import ToAsk, still_to_ask
from tui_eval.engine.samples import ask_everything
from tui_eval.engine.starting_counts import budget_of, count_earlier, new_progress
from tui_eval.engine.totals import LiveTotals
from tui_eval.engine.watch import TICK_S, Signals, Tick, check_disk, publish, ticks
from tui_eval.providers import WIRES
from tui_eval.reporting.derive import derive
from tui_eval.reporting.result_writer import RunOutcome
from tui_eval.results.verdicts import gate_code
from tui_eval.runs.cache import ReplyCache
from tui_eval.runs.folder import MANIFEST, RunFolder
from tui_eval.runs.reader import RunReader
from tui_eval.workspace.keys import Keys

if TYPE_CHECKING:
    from tui_eval.simulator.server import Simulator

Learned = Callable[[ModelSpec, Repair], None]
COLLECTED_AFTER = 10_000
"""New objects, some MB at most, before the garbage collector looks for rings among them."""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """End of a run."""

    outcome: RunOutcome | None
    """None when the reports could not be written."""
    progress: Progress
    stopped: str
    aborted: bool
    in_doubt: int
    simulator_requests: int | None
    """What the embedded simulator counted, where there was one."""

    @property
    def exit_code(self) -> int:
        """0 done, 1 done but a gate does not hold, 3 done but incomplete, 130 stopped by somebody and to be resumed."""
        complete = self.outcome is not None and not self.outcome.unfinished
        if self.stopped and not self.aborted and not complete:
            return 130
        if self.aborted:
            return 3
        sound = self.outcome is not None and not self.outcome.failed and not self.outcome.unscored.n
        return gate_code(self.outcome.report) if complete and self.outcome and sound else 3


class Crew(Protocol):
    """Others that ask for the run: its folder, log, budget and rules stay here."""

    async def ask(self, context: RunContext, loaded: Loaded, life: EarlierLives, embedded: Mapping[str, str]) -> None:
        """Ask everything that is still to be asked. `embedded`: the base URL of the run's own simulator, by wire."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of how a run is asked, where it is not its config that says so."""

    on_tick: Tick | None = None
    """Told a few times a second where the run stands."""
    narrate: Callable[[str], None] = lambda text: None
    """Told what goes on, in sentences."""
    warn: Callable[[str], None] | None = None
    """Told, in its place, what has to be known whatever happens: reasons, warnings; None = `narrate` is told that, too."""
    reopen_failed: bool = False
    """What failed or timed out for good is asked again."""
    offline: Path | None = None
    """Answer from this folder's log alone and send nothing."""
    cache: Path | None = None
    """Where replies are kept over runs, used if the run's settings say so."""
    check_first: bool = False
    """Ask each model one tiny question first, and start nothing where one cannot answer."""
    known: Mapping[str, dict[str, Repair]] = field(default_factory=dict)
    """What earlier runs learnt about each model's parameters."""
    on_learned: Learned = lambda model, repair: None
    """Told what this run learns about them."""
    on_words: Callable[[str, str], None] | None = None
    """Told the words of each streamed reply as they come, as they came, with the id of the attempt."""
    earlier: EarlierLives | None = None
    """What was read of its log already."""
    unlocked: bool = False
    """A person sees to it that no other process works on the run, where its file system keeps no locks."""
    crew: Crew | None = None
    """Asks what is still to be asked in this process's place."""
    to_ask: ToAsk | None = None
    """What is still to be asked, failed calls included, where that was counted already."""


async def run(path: Path, loaded: Loaded, keys: Keys, options: RunOptions | None = None) -> RunEnd:
    """Ask everything a prepared run folder still has to ask, then write its reports.

    StorageError only when not even the start works.
    """
    options = options or RunOptions()
    folder = RunFolder(path, keys.redact, options.unlocked)
    try:
        return await _run(folder, loaded, keys, options)
    except ConfigError as error:
        folder.narrate(f"the run ended: {error}")
        raise
    except Exception as error:
        folder.narrate_exception("the run ended by a bug", error)
        raise
    finally:
        folder.close()


async def _run(folder: RunFolder, loaded: Loaded, keys: Keys, options: RunOptions) -> RunEnd:
    def say(text: str) -> None:
        clean = keys.redact(text)
        folder.narrate(clean)
        options.narrate(clean)

    def warn(text: str) -> None:
        clean = keys.redact(text)
        folder.narrate(clean)
        (options.warn or options.narrate)(clean)

    folder.clear_wishes()
    for note in folder.mended:
        (options.warn or options.narrate)(keys.redact(note))
    for note in loaded.notes:
        say(note)
    for note in loaded.warnings:
        warn(note)
    tell_taken(folder.path, say)
    open_files_for(loaded.run.max_concurrency * (2 if needs_simulator(loaded) else 1))
    repeats, recorded_stages = loaded.evaluation.repeat, loaded.evaluation.task.recorded
    life = earlier_lives(options.offline or folder.path, repeats, options.earlier, recorded_stages)
    simulator = _simulator(loaded) if needs_simulator(loaded) and options.offline is None else None
    embedded = {} if simulator is None else {"simulator": await simulator.start()}
    context = _run_context(folder, loaded, keys, options, life, embedded, say, warn)
    _tell_what_was_found(context, life, options.crew is not None)
    with Signals(context.breaker), _leaving_no_rows(context):
        ticker = asyncio.create_task(ticks(context, options.on_tick))
        try:
            async with _adding_up(context, loaded.evaluation):
                with _seldom_collected():
                    await _ask(context, loaded, options, life, embedded)
        finally:
            ticker.cancel()
            simulator_requests = await _let_go(context, life, simulator)
        await score_replies_by_code(context, loaded, keys)
        return _finish(context, loaded, life, simulator_requests, options.on_tick)


def _run_context(
    folder: RunFolder,
    loaded: Loaded,
    keys: Keys,
    options: RunOptions,
    life: EarlierLives,
    embedded: Mapping[str, str],
    say: Callable[[str], None],
    warn: Callable[[str], None],
) -> RunContext:
    """Build what all calls of the run share; the budget knows what earlier lives used of it."""
    offline, specs = options.offline, loaded.evaluation.models.values()
    planned = loaded.run.only and "broken" not in loaded.plan  # else any may be asked, whatever its address
    reached = loaded.asked_models.values() if planned else specs
    asked_specs = [spec for spec in reached if offline is None and not WIRES[spec.wire].recorded]
    keeps = options.cache is not None and loaded.run.cache and offline is None
    context = RunContext(
        kind=loaded.evaluation.kind,
        run=loaded.run,
        run_id=folder.path.name,
        life=secrets.token_hex(3),
        folder=folder,
        budget=budget_of(loaded),
        limiter=Limiter(loaded.run.max_concurrency),
        sender=Sender(keys, WIRES, asked_specs, embedded, loaded.run.proxy or "", told=loaded.egress.reached),
        breaker=CircuitBreaker(loaded.run.stop_model_after, loaded.run.on_failure == "abort", say, warn),
        progress=new_progress(folder.path, loaded),
        recorded=life.recorded,
        reopen_failed=options.reopen_failed,
        taken=loaded.evaluation.task.recorded,
        offline=offline is not None,
        copies=offline is not None and offline.resolve() != folder.path.resolve(),
        repairs={name: dict(repairs) for name, repairs in options.known.items()},
        on_learned=options.on_learned,
        on_words=options.on_words,
        cache=ReplyCache(options.cache) if options.cache is not None and keeps else None,
    )
    if not context.copies:
        count_earlier(context, life)
    if offline is None:
        _keep_room(context.budget, loaded, life, options)
    for spec in specs:
        if WIRES[spec.wire].simulated:
            context.first_attempts.meet(spec.name)
        if WIRES[spec.wire].recorded:
            context.breaker.closed[spec.name] = "its answers were imported: there is no server to ask"
    return context


def _keep_room(budget: Budget, loaded: Loaded, life: EarlierLives, options: RunOptions) -> None:
    """Keep calls of the budget for planned ones of which no attempt was made. Where the cap leaves room for little else, those
    that no sample of a run that is taken up again comes to are counted, and not kept: every sample is driven for that.
    """
    plan = loaded.plan
    budget.kept = max(plan["total_calls"] - life.begun, 0)
    again = plan["total_calls"] if options.reopen_failed else 0
    if life.recorded is None or budget.max_calls - budget.calls_used >= budget.kept + plan["up_to_more"] + again:
        return
    to_ask = options.to_ask or still_to_ask(loaded.evaluation, life.recorded, options.reopen_failed)
    budget.keep_just(to_ask.planned)


def _tell_what_was_found(context: RunContext, life: EarlierLives, may_come_home: bool) -> None:
    """Damaged lines, calls in doubt unless workers may have records (`may_come_home`), and what is known of parameters."""
    for number in life.log.damaged:
        context.breaker.warn(
            f"call_logs.jsonl: line {number} cannot be read: its content is not known, and its call is asked again"
        )
    ledger = newly_in_doubt(life.ledger, context.folder.path)
    if ledger.in_doubt and not context.offline and not may_come_home:
        context.breaker.warn(in_doubt_line(ledger, stored=True))
    if not context.offline and (untried := untried_version()):
        context.folder.narrate(untried)
    for name, repairs in context.repairs.items():
        for repair in repairs.values():
            context.breaker.narrate(f"{name}: {repaired(repair)} (found out before)")


def _simulator(loaded: Loaded) -> Simulator:
    from tui_eval.simulator.server import Simulator  # most runs ask servers alone, and it takes a while to load

    return Simulator(seed=loaded.run.seed)


@contextlib.contextmanager
def _leaving_no_rows(context: RunContext) -> Iterator[None]:
    """Leave no file half written that rows were handed on to, whatever ends the run; the reports keep theirs."""
    try:
        yield
    finally:
        if context.feed is not None:
            context.feed.drop()


@contextlib.contextmanager
def _seldom_collected() -> Iterator[None]:
    """Have the garbage collector leave alone what was loaded, which stays, and come round less often."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(COLLECTED_AFTER, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


@contextlib.asynccontextmanager
async def _adding_up(context: RunContext, evaluation: Evaluation) -> AsyncIterator[None]:
    """Have the files that add up written meanwhile, where the kind has some; none is written any more when the reports are."""
    if (evaluation.kind.sample_files.totals is None and not evaluation.kind.sample_files.partial) or context.offline:
        yield
        return
    started_at = str(RunReader(context.folder.path).table(MANIFEST).get("started_at", ""))
    totals = context.totals = LiveTotals(context.folder, context.breaker, replace(evaluation, started_at=started_at))
    if context.recorded is not None:
        await totals.add_earlier(context.recorded)
    writing = {asyncio.create_task(totals.write_on())}
    if evaluation.kind.sample_files.partial:
        context.growing = GrowingFiles(context.folder, context.breaker, evaluation, totals, lambda: context.recorded)
        writing.add(asyncio.create_task(context.growing.write_on()))
    try:
        yield
    finally:
        for task in writing:
            task.cancel()
        await asyncio.wait(writing)
        context.totals = context.growing = None  # the reports add up anew, from the log


async def _ask(
    context: RunContext, loaded: Loaded, options: RunOptions, life: EarlierLives, embedded: Mapping[str, str]
) -> None:
    """Everything that is still to be asked, call by call or in batches."""
    context.progress.state = "running"
    if context.offline:
        await ask_everything(context, loaded)
        return
    if options.check_first and not life.begun and not context.batches_on_file():
        _refuse(context, await preflight(context, loaded))
    if loaded.run.mode == "batch":
        context.folder.truncate_results()
        await ask_in_batches(context, loaded)
        return
    if options.crew is not None:
        await options.crew.ask(context, loaded, life, embedded)
        return
    if has_open_batches(context):
        await ask_in_batches(context, loaded, only_open=True)
    await ask_everything(context, loaded)


async def _let_go(context: RunContext, life: EarlierLives, simulator: Simulator | None) -> int | None:
    """Close what was open; the requests that the simulator counted, where there was one."""
    await context.sender.close()
    request_count = None if simulator is None else sum(int(simulator.stats()[name]) for name in ("requests", "batched"))
    if simulator is not None:
        await simulator.stop()
    if context.recorded is not None and context.recorded is not life.recorded:
        context.recorded.close()
    return request_count


def _refuse(context: RunContext, problems: Mapping[str, str]) -> None:
    """Start nothing where a model cannot answer."""
    for name, why in problems.items():
        context.folder.narrate(f"cannot answer: {name}: {why}")
    if problems:
        context.progress.refused = dict(problems)
        context.breaker.stop(f"refused to start: {', '.join(problems)} cannot answer", aborted=True)


def _telling(context: RunContext, on_tick: Tick | None) -> Told:
    """Return a function that says, a few times a second, how far the reports are."""
    last = time.monotonic()

    def told(share: float) -> None:
        nonlocal last
        if time.monotonic() - last < TICK_S:
            return
        context.progress.reported = share
        publish(context, "reporting")
        if on_tick is not None:
            on_tick(context.progress)
        last = time.monotonic()

    return told


def _finish(
    context: RunContext,
    loaded: Loaded,
    life: EarlierLives,
    simulator_requests: int | None,
    on_tick: Tick | None,
) -> RunEnd:
    """Write the reports and the last progress."""
    outcome: RunOutcome | None = None
    context.folder.sync()
    check_disk(context)
    if not context.breaker.stopped:
        context.progress.all_asked()
    publish(context, "reporting")
    report_share, log = _telling(context, on_tick), life.log
    if log.path != context.folder.path:
        log.recorded.close()
        log = LogPass(context.folder.path, loaded.evaluation.repeat)
    try:
        outcome = derive(context.folder.path, loaded.evaluation, log=log, told=report_share, feed=context.feed)
    except (StorageError, FolderError) as error:
        context.breaker.warn(
            f"the reports could not be written: {error}; when that is fixed, run tui-eval rescore {context.folder.path}"
        )
    breaker = context.breaker
    for line in outcome.unscored.lines() if outcome is not None else ():
        breaker.warn(line)
    stopped = context.folder.redact(breaker.stopped)
    ended = RunEnd(outcome, context.progress, stopped, breaker.aborted, len(life.ledger.in_doubt), simulator_requests)
    state = {0: "done", 1: "done", 130: "stopped"}.get(ended.exit_code, "aborted" if breaker.aborted else "incomplete")
    publish(context, state)
    if on_tick is not None:
        on_tick(context.progress)
    return ended


SPARE_FILES = 64
"""Open files besides the connections: logs, reports, libraries."""


def open_files_for(connections: int) -> None:
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


def needs_simulator(loaded: Loaded) -> bool:
    """Return whether a model is asked of the simulator that comes with the run."""
    return any(spec.wire == "simulator" and spec.base_url is None for spec in loaded.evaluation.models.values())
