"""Changes on a worker beside its lines: counts, findings, needs; sent as differences. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from tui_eval.cluster.credits import CreditBudget
from tui_eval.core.calls import Reply
from tui_eval.core.records import Attempt
from tui_eval.engine.progress import EarlierCalls, Progress, Tally
from tui_eval.runs.log_counts import tallied_as

SUMS = ("items_done", "in_flight", "in_flight_extra", "cached", "charged_simulated")
"""Numbers of a progress that add up over workers."""
_FLAG = "simulated"


@dataclass(slots=True)
class WorkerProgress(Progress):
    """A worker's counters. Calls of earlier lives are the coordinator's to count: it is told which were come to."""

    replays: Counter[EarlierCalls] = field(default_factory=Counter)
    reopened: Counter[EarlierCalls] = field(default_factory=Counter)
    attempts: int = 0
    """Attempts that were sent and written down."""

    def call_ended(
        self,
        reply: Reply,
        replayed: bool,
        cached: bool = False,
        free: bool = False,
        lost: bool = False,
        reopened: str | None = None,
    ) -> None:
        """Count a call that has ended; see Progress."""
        call = reply.call
        if replayed and not cached:
            self.replays[EarlierCalls(call.model, tallied_as(reply.status, reply.error_kind), call.beyond_plan)] += 1
            return
        if reopened is not None:
            self.reopened[EarlierCalls(call.model, reopened, call.beyond_plan)] += 1
        Progress.call_ended(self, reply, replayed, cached, free, lost)

    def attempt_ended(self, attempt: Attempt) -> None:
        """Count what an attempt cost that was written down."""
        self.attempts += attempt.started_at is not None and not attempt.cached
        Progress.attempt_ended(self, attempt)


class WorkerChanges:
    """Changes since they were last asked for."""

    def __init__(self, progress: WorkerProgress, budget: CreditBudget) -> None:
        self._progress, self._budget = progress, budget
        self.ended: list[tuple[str, int]] = []
        """Samples that went their way, by queue and place."""
        self.events: list[list[Any]] = []
        """What the coordinator is to know of, in order; each begins with a word."""
        self._sums: dict[str, int] = dict.fromkeys(SUMS, 0)
        self._tallies: dict[str, dict[str, Any]] = {}
        self._failures: dict[str, Counter[tuple[str, str]]] = {"failures": Counter(), "without_text": Counter()}
        self._account: tuple[int, ...] = ()
        self._planned = (0, 0)
        self._caps: set[str] = set()

    def __call__(self) -> dict[str, Any]:
        """Return them, by name; empty where there are none."""
        budget, progress = self._budget, self._progress
        found: dict[str, Any] = {}
        account = (budget.calls_used, progress.attempts, budget.spent, budget.held, budget.promised)
        if account != self._account:
            self._account = found["account"] = account
        planned = budget.asked_less, budget.never_asked
        if planned != self._planned:
            found["planned"] = [now - before for now, before in zip(planned, self._planned, strict=True)]
            self._planned = planned
        sums = {name: getattr(progress, name) for name in SUMS}
        if sums != self._sums:
            found["sums"] = {name: value - self._sums[name] for name, value in sums.items() if value != self._sums[name]}
            self._sums = sums
        if tallies := dict(self._changed_tallies()):
            found["tallies"] = tallies
        for name, before in self._failures.items():
            if more := getattr(progress, name) - before:
                found[name] = [[*failure, n] for failure, n in more.items()]
                self._failures[name] = Counter(getattr(progress, name))
        for name in ("replays", "reopened"):
            if counted := getattr(progress, name):
                found[name] = [[*call, n] for call, n in counted.items()]
                counted.clear()
        if new := progress.caps_reached - self._caps:
            self._caps |= new
            found["caps_reached"] = sorted(new)
        for name in ("ended", "events"):
            if entries := getattr(self, name):
                found[name] = entries
                setattr(self, name, [])
        return found

    def _changed_tallies(self) -> Any:
        for model, tally in self._progress.models.items():
            now = asdict(tally)
            before = self._tallies.get(model) or asdict(Tally(planned=tally.planned, simulated=False))
            if now != before:
                self._tallies[model] = now
                yield model, {name: value - before[name] for name, value in now.items() if value != before[name]}


def take_changes(progress: Progress, changes: dict[str, Any]) -> None:
    """Add what a worker counted to the run's own counters."""
    for model, parts in changes.get("tallies", {}).items():
        for tally in (progress.total, progress.models[model]):
            for name, more in parts.items():
                setattr(tally, name, bool(more) or tally.simulated if name == _FLAG else getattr(tally, name) + more)
    for name, more in changes.get("sums", {}).items():
        setattr(progress, name, getattr(progress, name) + more)
    for name in ("failures", "without_text"):
        for model, message, n in changes.get(name, ()):
            getattr(progress, name)[model, message] += n
    progress.came_to({EarlierCalls(*call): n for *call, n in changes.get("replays", ())})
    progress.reopen({EarlierCalls(*call): n for *call, n in changes.get("reopened", ())})
    progress.caps_reached |= set(changes.get("caps_reached", ()))
