"""Progress of a run: counted as attempts end, written for whoever watches."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from tui_eval.core.calls import WITHOUT_TEXT, Json, Reply
from tui_eval.core.money import MICRO, charged_or_unknown, how_much
from tui_eval.core.records import Attempt
from tui_eval.runs.buckets import Buckets, cost_counted
from tui_eval.runs.folder import this_moment
from tui_eval.runs.log_counts import tallied_as

MOST_FAILURES = 50
"""Different messages that are counted."""


class EarlierCalls(NamedTuple):
    """Calls of an earlier life that are alike: of one model, and ended in one way (a field of Tally)."""

    model: str
    how: str
    extra: bool
    """Whether they are beyond the plan."""


@dataclass(slots=True)
class Tally:
    """Counts of ended calls, as progress shows them."""

    ok: int = 0
    no_text: int = 0
    """Replies that were refused, empty, or cut before any text."""
    error: int = 0
    timeout: int = 0
    skipped: int = 0
    not_sent: int = 0
    lost: int = 0
    """Calls that were sent and whose ends no disk took: they may have been answered and billed, and are asked again."""
    beyond_plan: int = 0
    """How many of skipped and not_sent no plan has: what would have been asked again."""
    extra: int = 0
    """How many of those that were asked no plan has: reminders, repeats with more tokens."""
    cost_usd: float = 0.0
    simulated_usd: float = 0.0
    """How much of cost_usd nobody was paid."""
    unknown_cost: int = 0
    """Attempts of which nobody knows what they cost, over all lives of the run: as many as its statistics tell of."""
    planned: int = 0
    simulated: bool = False
    """Whether any of it is simulated."""

    @property
    def done(self) -> int:
        """Calls that have ended, asked or not."""
        return self.asked + self.skipped + self.not_sent + self.lost

    @property
    def settled(self) -> int:
        """The same without what was to be asked again and was not sent: to be held against the plan."""
        return self.done - self.beyond_plan

    @property
    def asked(self) -> int:
        """Calls that were really asked and have ended: what was skipped is no progress."""
        return self.ok + self.no_text + self.error + self.timeout

    @property
    def of_plan(self) -> int:
        """Calls of the plan that have ended, asked or not."""
        return self.settled - self.extra

    def count(self, how: str, extra: bool, by: int = 1) -> None:
        """Count calls that ended in a way, which is the name of a field; `extra`: they are beyond the plan."""
        setattr(self, how, getattr(self, how) + by)
        self.beyond_plan += by * (extra and how in ("skipped", "not_sent"))
        self.extra += by * (extra and how in ("ok", "no_text", "error", "timeout"))


@dataclass(slots=True)
class Progress:
    """Counters of a run: overall and per model. `planned` counts calls; one call may take several attempts."""

    run_id: str
    planned: int
    max_calls: int
    started: float
    """Monotonic clock at the start of this life, seconds."""
    beside: frozenset[str] = frozenset()
    """Stages whose calls no plan has."""
    state: str = "starting"
    why: str = ""
    total: Tally = field(default_factory=Tally)
    models: dict[str, Tally] = field(default_factory=dict)
    items_done: int = 0
    items: int = 0
    in_flight: int = 0
    in_flight_extra: int = 0
    """How many of them are calls beyond the plan."""
    limit: int = 0
    limit_reason: str = ""
    calls_used: int = 0
    charged_usd: float = 0.0
    charged_simulated: int = 0
    """Micro-dollars of it that nobody was paid."""
    log_bytes: int = 0
    """The part of the log that all counts are of: whoever reads just so much of it comes to the same."""
    results_bytes: int = 0
    """Of results.jsonl the part that `items_done` is of."""
    on_file: Counter[EarlierCalls] = field(default_factory=Counter)
    """Calls that ended in earlier lives, that are counted, and that this life has not come to yet."""
    replayed: int = 0
    """Calls answered from the log or the cache, in this life."""
    cached: int = 0
    """Those of them that the cache answered."""
    fetched: int = 0
    """Calls that came back out of batches in this life."""
    worked_before_s: float | None = 0.0
    """Seconds that earlier lives of the run took; None where one of an older version does not say."""
    least_left_s: float = 0.0
    """The time that stated rates want at least for what is still to be asked, seconds."""
    workers: Sequence[Mapping[str, Json]] = ()
    """What is shown of each worker, where there are some."""
    reported: float = 0.0
    """How much of the reports is written, as a share of 1, while they are."""
    refused: dict[str, str] = field(default_factory=dict)
    """Models that could not answer the preflight, and why: then nothing was started."""
    caps_reached: set[str] = field(default_factory=set)
    """The caps, as keys of [run], that left calls unasked in this life."""
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many calls failed for good, by model and message; the messages of the first ones only."""
    without_text: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The same of replies that came without a text."""

    def call_ended(
        self,
        reply: Reply,
        replayed: bool,
        cached: bool = False,
        free: bool = False,
        lost: bool = False,
        reopened: str | None = None,
    ) -> None:
        """Count a call that has ended; `replayed`: its reply was on file already, `cached`: in the cache; `free`: it came from
        another run or from the cache, so that this run was charged nothing, whatever it once cost; `lost`: it was sent, and no
        record of its end is on file; `reopened`: how it had ended before it was asked again.

        What attempts cost is counted by attempt_ended; here only a failure of which none was made. What is asked beside the
        plan is none of the calls that are done of those planned; it costs, and may fail.
        """
        call, how = reply.call, "lost" if lost else tallied_as(reply.status, reply.error_kind)
        beside = call.stage in self.beside
        if reopened is not None:
            self._forget(EarlierCalls(call.model, reopened, call.beyond_plan))
        is_counted = replayed and not cached and self._take_from_file(EarlierCalls(call.model, how, call.beyond_plan))
        for tally in (self.total, self.models[call.model]):
            if not beside and not is_counted:
                tally.count(how, call.beyond_plan)
            if not reply.ended_at:
                tally.unknown_cost += cost_counted(reply.status, reply.error_kind, free, reply.usage.cost_usd) == "cost_unknown"
        if reply.status in ("error", "timeout") and reply.error_kind != "not_sent" and not lost:
            _count(self.without_text if reply.error_kind in WITHOUT_TEXT else self.failures, reply)
        self.replayed += replayed and not beside
        self.cached += cached

    def attempt_ended(self, attempt: Attempt) -> None:
        """Count what an attempt cost that was written down."""
        usage = attempt.usage
        unknown = cost_counted(attempt.status, attempt.error_kind, attempt.cached, usage.cost_usd) == "cost_unknown"
        self._cost(attempt.model, usage.total_usd or 0.0, int(unknown))

    def lived_before(self, earlier: Buckets, ended: Mapping[EarlierCalls, int]) -> None:
        """Count what the attempts of earlier lives cost, and the calls that `ended` in them and stay so.

        They are counted at once, as whoever reads the log counts them, and not one by one as this life comes to them.
        """
        for call, n in ended.items():
            if call.model in self.models and n > 0:
                self.on_file[call] = n
                for tally in (self.total, self.models[call.model]):
                    tally.count(call.how, call.extra, n)
        for model in self.models.keys() & earlier.simulated_models:
            self.made_up(model)
        for (_, model), bucket in earlier.leaves.items():
            if model in self.models:
                self._cost(model, bucket.cost, bucket.counts["cost_unknown"])

    def came_to(self, calls: Mapping[EarlierCalls, int]) -> None:
        """Calls of earlier lives that a worker came to, and that stay as they were."""
        for call, n in calls.items():
            self.on_file[call] -= min(n, self.on_file[call])
            self.replayed += n

    def reopen(self, calls: Mapping[EarlierCalls, int]) -> None:
        """Calls of earlier lives that a worker asked again."""
        for call in Counter(calls).elements():
            self._forget(call)

    def all_asked(self) -> None:
        """Every call that the run has was come to: what else is on file belongs to no sample of it any more."""
        for call in list(self.on_file.elements()):
            self._forget(call)

    def _take_from_file(self, call: EarlierCalls) -> bool:
        """Return whether a call was counted when this life began; from now on it is one that this life has come to."""
        there = self.on_file[call] > 0
        self.on_file[call] -= there
        return there

    def _forget(self, call: EarlierCalls) -> None:
        """Count a call of an earlier life no more."""
        if self._take_from_file(call):
            for tally in (self.total, self.models[call.model]):
                tally.count(call.how, call.extra, -1)

    def _cost(self, model: str, usd: float, unknown: int) -> None:
        for tally in (self.total, self.models[model]):
            tally.cost_usd += usd
            tally.simulated_usd += usd if self.models[model].simulated else 0.0
            tally.unknown_cost += unknown

    def made_up(self, model: str, charge: int | None = None) -> None:
        """A reply of a model says that it is simulated, or its provider is; `charge`: micro-dollars it came to."""
        self.models[model].simulated = self.total.simulated = True
        self.charged_simulated += charge or 0

    @property
    def simulated(self) -> bool:
        """Return whether any of its models is simulated."""
        return self.total.simulated

    def _paid(self) -> dict[str, Json]:
        """Return what was charged for real models, of a run of both sorts."""
        real = [tally for tally in self.models.values() if not tally.simulated]
        if how_much(len(self.models) - len(real), len(self.models)) != "some":
            return {}
        charged = round(self.charged_usd * MICRO) - self.charged_simulated
        return {"charged_real_usd": charged_or_unknown(charged, sum(tally.unknown_cost for tally in real))}

    def eta_s(self, now: float) -> float | None:
        """Seconds to go at the rate of this life so far, and no fewer than stated rates want; None while nothing is known."""
        settled = self.total.settled - self.replayed - self.on_file.total()
        if settled <= 0:
            return None
        return max(max(self.planned - self.total.of_plan, 0) * (now - self.started) / settled, self.least_left_s)

    def snapshot(self, now: float) -> str:
        """The content of progress.json."""
        eta = self.eta_s(now)
        entry: dict[str, Json] = {
            "run_id": self.run_id,
            "state": self.state,
            "why": self.why,
            "simulated": self.simulated,
            "heartbeat": this_moment(),
            "worked_s": None if self.worked_before_s is None else round(self.worked_before_s + now - self.started, 1),
            "planned": self.planned,
            "done": self.total.done,
            "items_done": self.items_done,
            "items": self.items,
            "in_flight": self.in_flight,
            "in_flight_extra": self.in_flight_extra,
            "log_bytes": self.log_bytes,
            "results_bytes": self.results_bytes,
            "limit": self.limit,
            "limit_reason": self.limit_reason,
            "cached": self.cached,
            "calls_used": self.calls_used,
            "max_calls": self.max_calls,
            "charged_usd": charged_or_unknown(round(self.charged_usd * MICRO), self.total.unknown_cost),
            "charged_simulated_usd": self.charged_simulated / MICRO,
            **self._paid(),
            "eta_s": None if eta is None or self.state not in ("running", "starting") else round(eta, 1),
            **({"workers": list(self.workers)} if self.workers else {}),
            **({"reported": round(self.reported, 3)} if self.state == "reporting" else {}),
            "total": asdict(self.total),
            "failures": [{"model": m, "message": text, "n": n} for (m, text), n in self.failures.most_common(10)],
            "models": {name: asdict(tally) for name, tally in self.models.items()},
        }
        return json.dumps(entry, ensure_ascii=True, allow_nan=False) + "\n"


def _count(failures: Counter[tuple[str, str]], reply: Reply) -> None:
    failure = (reply.call.model, reply.error_message or reply.why)
    if failure in failures or len(failures) < MOST_FAILURES:
        failures[failure] += 1
