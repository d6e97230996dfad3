"""What is known of a run that was killed again and again, and what must hold of it: pure, so that lies can test it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tui_eval.evaluation.calls import AGAIN

Moment = Literal["request", "half a reply", "reply", "batch request", "batch made", "batch answered"]
"""What happens in the server: a request is there whole, half of its reply is sent, all of it is. Of batches: something is asked
about one, one was made and nobody was told so yet, and whatever was asked is about to be answered."""
Table = dict[str, Any]

LOST_AFTER_S = 10.0
"""A reply that was sent this long before the kill was no more in flight: a process that gets any time has written it down."""
MICRO = 1e-6


@dataclass(slots=True)
class Visit:
    """A request that came to the server, by itself or within a batch."""

    id: str
    """What the program calls the attempt."""
    arrived: float
    """Monotonic clock, seconds."""
    usd: float = 0.0
    """What the server charges for it, whether or not its reply arrived."""
    sent_at: float | None = None
    """When the last byte of its reply was sent; None where it never was, and in batches."""
    status: int | None = None
    """HTTP status of the reply; 0 = hung up."""
    batched: bool = False

    @property
    def answered(self) -> bool:
        """Whether a good reply was sent, to its last byte."""
        return self.status == 200 and (self.batched or self.sent_at is not None)


@dataclass(frozen=True, slots=True)
class Made:
    """A batch that the server made."""

    id: str
    """The server's name for it."""
    calls: frozenset[str]
    """What the program calls the attempts in it."""


@dataclass(frozen=True, slots=True)
class Kill:
    """What stood in the folder when its process was killed."""

    where: str
    at: float
    intents: int
    """Lines of intents.jsonl."""
    ended: frozenset[str]
    """Ids of attempts that are in the log."""
    settled: frozenset[str]
    """Keys of calls that are settled in the log."""
    asked: int
    """Requests that the server had counted."""


@dataclass(slots=True)
class Evidence:
    """A run's last state under its caps, and what the server counted up to then."""

    visits: Sequence[Visit]
    intents: Sequence[Table]
    records: Sequence[Table]
    kills: Sequence[Kill]
    max_calls: int
    max_cost_usd: float | None
    max_concurrency: int
    made: Sequence[Made] = ()
    """The batches that the server made."""
    batches: Sequence[Table] = ()
    """Lines of batches.jsonl."""
    changed: Sequence[str] = ()
    """Files of which a part that was written before a kill is there no more."""


@dataclass(slots=True)
class Found:
    """Violations by name, each in words; no name, no violation."""

    lost: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    handed_over: list[str] = field(default_factory=list)
    over_caps: list[str] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Every violation with its name."""
        for name in self.__slots__:
            yield from (f"{name.replace('_', ' ')}: {text}" for text in getattr(self, name))


def in_doubt(evidence: Evidence) -> list[Table]:
    """Intents whose attempt has no end on file."""
    ended = {record["attempt_id"] for record in evidence.records}
    return [intent for intent in evidence.intents if intent["attempt_id"] not in ended]


def judged(evidence: Evidence, found: Found) -> None:
    """Hold all laws against a run's last state."""
    found.lost += _lost(evidence)
    found.repeated += _repeated(evidence)
    found.handed_over += _handed_over(evidence)
    found.over_caps += _over_caps(evidence)
    found.other += _ledger(evidence)


def _lost(evidence: Evidence) -> Iterator[str]:
    for name in evidence.changed:
        yield f"{name}: what stood there before a kill is not there any more"
    sent = {visit.id: visit.sent_at for visit in evidence.visits if visit.sent_at is not None}
    for kill, more in zip(evidence.kills, _begun_between(evidence), strict=False):
        for identity in sorted(more - kill.ended):
            if identity in sent and kill.at - sent[identity] > LOST_AFTER_S:
                yield f"{identity}: answered {kill.at - sent[identity]:.1f} s before a kill, and not in the log"
    on_file = {record["attempt_id"] for record in evidence.records}
    for visit in evidence.visits:
        if visit.batched and visit.id not in on_file:
            yield f"{visit.id}: answered in a batch, and not in the log"


def _begun_between(evidence: Evidence) -> Iterator[set[str]]:
    """By kill: ids of the attempts that its life has begun."""
    before = 0
    for kill in evidence.kills:
        yield {intent["attempt_id"] for intent in evidence.intents[before : kill.intents]}
        before = kill.intents


def _repeated(evidence: Evidence) -> Iterator[str]:
    keys = _keys(evidence)
    for identity, n in Counter(visit.id for visit in evidence.visits).items():
        if n > 1:
            yield f"{identity or 'a request without an id'}: reached the server {n} times"
    for number, kill in enumerate(evidence.kills, 1):
        later = [*(r["call_key"] for r in evidence.records if r["attempt_id"] not in kill.ended and sent(r))]
        later += [intent["call_key"] for intent in evidence.intents[kill.intents :]]
        for key in sorted(kill.settled.intersection(later)):
            yield f"call {key[:12]}: settled in the log at kill {number}, and asked again"
    for key in sorted(_settled_twice(evidence.records)):
        yield f"call {key[:12]}: has a record behind the one that settled it"
    good = Counter(keys.get(visit.id, visit.id) for visit in evidence.visits if visit.answered)
    doubtful = Counter(intent["call_key"] for intent in in_doubt(evidence))
    for key, n in good.items():
        if n - 1 > doubtful[key]:
            yield f"call {key[:12]}: answered {n} times, {doubtful[key]} of them in flight at a kill"


def _handed_over(evidence: Evidence) -> Iterator[str]:
    """Every batch that the server made holds calls that no other one does, and is known to the run under one name."""
    for identity, n in Counter(call for batch in evidence.made for call in batch.calls).items():
        if n > 1:
            yield f"{identity}: handed over in {n} batches"
    named: dict[str, set[str]] = {}
    for event in evidence.batches:
        if event.get("id"):
            named.setdefault(str(event.get("name")), set()).add(str(event["id"]))
    for name, ids in named.items():
        if len(ids) > 1:
            yield f"batch {name}: handed over as {' and as '.join(sorted(ids))}"
    known = set().union(*named.values())
    for batch in evidence.made:
        if batch.id not in known:
            yield f"batch {batch.id}: was made of {len(batch.calls)} calls, and no line of batches.jsonl names it"


def sent(record: Mapping[str, Any]) -> bool:
    """Whether a record is of an attempt that left this machine, or may have."""
    return record["started_at"] is not None and not record["cached"]


def _keys(evidence: Evidence) -> dict[str, str]:
    """Call keys by attempt id."""
    both: Iterable[Table] = (*evidence.intents, *evidence.records)
    return {entry["attempt_id"]: entry["call_key"] for entry in both}


def _settled_twice(records: Sequence[Table]) -> set[str]:
    settled: set[str] = set()
    twice = set()
    for record in records:
        if record["call_key"] in settled:
            twice.add(record["call_key"])
        if record["final"]:
            settled.add(record["call_key"])
    return twice


def _over_caps(evidence: Evidence) -> Iterator[str]:
    for number, kill in enumerate(evidence.kills, 1):
        if kill.asked > evidence.max_calls:
            yield f"kill {number}: the server had counted {kill.asked} requests, the cap is {evidence.max_calls}"
    if len(evidence.visits) > evidence.max_calls:
        yield f"the server counted {len(evidence.visits)} requests, the cap is {evidence.max_calls}"
    if (used := calls_used(evidence)) > evidence.max_calls:
        yield f"{used} attempts are on file, the cap is {evidence.max_calls}"
    if evidence.max_cost_usd is None:
        return
    told = sum(visit.usd for visit in evidence.visits)
    if told > evidence.max_cost_usd + MICRO:
        yield f"the server charged ${told:.6f}, the cap is ${evidence.max_cost_usd:.6f}"
    if (charged := charged_usd(evidence)) > evidence.max_cost_usd + MICRO * (1 + len(evidence.records)):
        yield f"${charged:.6f} are on file as charged, the cap is ${evidence.max_cost_usd:.6f}"


def calls_used(evidence: Evidence) -> int:
    """Attempts that were sent, or may have been."""
    ids = {intent["attempt_id"] for intent in evidence.intents}
    return len(ids | {record["attempt_id"] for record in evidence.records if sent(record)})


def left_out(evidence: Evidence) -> list[Table]:
    """Records of planned calls that the budget had no room for, then or later."""
    settled = {record["call_key"] for record in evidence.records if record["final"]}
    skipped = [record for record in evidence.records if record["status"] == "skipped_budget"]
    return [record for record in skipped if record["call_key"] not in settled and not record["about"].endswith(AGAIN)]


def charged_usd(evidence: Evidence) -> float:
    """What is charged on file, with the worst case of what is in doubt."""
    known = sum(record["charged_usd"] or 0.0 for record in evidence.records)
    return float(known + sum(intent["worst_usd"] or 0.0 for intent in in_doubt(evidence)))


def _ledger(evidence: Evidence) -> Iterator[str]:
    begun = {intent["attempt_id"] for intent in evidence.intents}
    if len(begun) < len(evidence.intents):
        yield "an attempt was begun twice under one id"
    if len({record["attempt_id"] for record in evidence.records}) < len(evidence.records):
        yield "an attempt ended twice under one id"
    for visit in evidence.visits:
        if not visit.batched and visit.id not in begun:
            yield f"{visit.id or 'a request without an id'}: was sent before it was written down"
    lives = Counter(intent["attempt_id"].rpartition("-")[0] for intent in in_doubt(evidence))
    for life, n in lives.items():
        if n > evidence.max_concurrency:
            yield f"life {life} left {n} attempts in doubt, at most {evidence.max_concurrency} were under way at once"
    if len(lives) > len(evidence.kills):
        yield f"{len(lives)} lives left attempts in doubt, {len(evidence.kills)} were killed"
