"""Common parts of the batches of both APIs: many requests answered cheaply, out of order, after a while, not for ever."""

import asyncio
import hashlib
import json
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_eval.simulator.apis.chat import Asked, Chat
from tui_eval.simulator.apis.interfaces import Interface, read_object, request_id, translate
from tui_eval.simulator.apis.replies import LABEL, BodyError, Reply

Table = dict[str, Any]
WINDOW_S = 24 * 3600
PRICE = 0.5
"""What a request costs inside a batch, where 1 is its price outside."""
_STARTS, _ENDS = 0.1, 0.9
"""Between these shares of a batch's time its requests are answered, one after the other; before and after it is prepared."""
_AT_ONCE = 20
"""Requests answered before other connections have their turn."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of one request of a batch."""

    custom_id: str
    request_id: str
    status: int | None
    """As if it had come alone; None = it expired."""
    body: Any = None
    """A JSON object, or the text of a reply that is none."""

    @property
    def failed(self) -> bool:
        """Return whether it was answered with an error."""
        return self.status is not None and self.status >= 400


@dataclass(slots=True)
class Batch:
    """One batch: its outcomes are settled from the start and come to light as its time passes."""

    outcomes: tuple[Outcome, ...]
    """In the order in which they are reached, which is not that of the requests."""
    seconds: float
    """How long it takes; 0 = it is over when it is next looked at."""
    id: str
    begun: float = field(default_factory=time.monotonic)
    created_at: int = field(default_factory=lambda: int(time.time()))
    stopped: float | None = None
    """At which share of its time it was cancelled."""

    def share(self) -> float:
        """Return the share of its time that has passed: from 0 to 1."""
        return min((time.monotonic() - self.begun) / self.seconds, 1.0) if self.seconds > 0 else 1.0

    def over(self) -> bool:
        """Return whether nothing changes any more. A cancelled batch takes a little while to stop."""
        return self.share() >= (1.0 if self.stopped is None else min(self.stopped + _STARTS, 1.0))

    def moment(self) -> int:
        """When it came to where it stands, in seconds since 1970, as nearly as its pretended time tells."""
        end = 1.0 if self.stopped is None else min(self.stopped + _STARTS, 1.0)
        return self.created_at + int(self.seconds * min(self.share(), end))

    def working(self) -> bool:
        """Return whether its requests are being answered."""
        return _STARTS <= self.share() < _ENDS

    def preparing(self) -> bool:
        """Return whether its requests are still being looked through."""
        return self.share() < _STARTS

    def cancel(self) -> None:
        """Answer no more of it."""
        if self.stopped is None:
            self.stopped = self.share()

    def reached(self) -> tuple[Outcome, ...]:
        """The outcomes up to now, of answers and errors; expired ones are never reached."""
        share = self.share() if self.stopped is None else self.stopped
        done = min(max((share - _STARTS) / (_ENDS - _STARTS), 0.0), 1.0)
        return tuple(one for one in self.outcomes[: int(len(self.outcomes) * done)] if one.status is not None)

    def left(self) -> tuple[Outcome, ...]:
        """The outcomes that nobody will see, as the batch was cancelled or they expired."""
        known = {one.custom_id for one in self.reached()}
        return tuple(one for one in self.outcomes if one.custom_id not in known)


def new_id(prefix: str) -> str:
    """An id that no other simulator has given: a client that comes back with an old one finds nothing."""
    return f"{prefix}sim_{secrets.token_hex(8)}"


async def settle(chat: Chat, interface: Interface, requests: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[Outcome, ...]:
    """Answer all requests, each a custom id and a body, and bring the outcomes out of order."""
    outcomes = []
    for number, (custom_id, body) in enumerate(requests):
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)
        outcomes.append(_outcome(chat, interface, custom_id, dict(body)))
    return _out_of_order(outcomes)


def _outcome(chat: Chat, interface: Interface, custom_id: str, body: Table) -> Outcome:
    raw = json.dumps(body).encode()
    reply: Reply | None
    try:
        reply = chat.settle(Asked(interface, raw, body, interface.to_chat(body), custom_id))
    except BodyError as error:
        reply = translate(interface, error.reply(), raw, custom_id)
    named = request_id(raw, custom_id)
    if reply is None:
        return Outcome(custom_id, named, None)
    told = read_object(reply.body)
    return Outcome(custom_id, named, reply.status, reply.body.decode(errors="replace") if told is None else _cheaper(told))


def _cheaper(body: Table) -> Table:
    usage = body.get("usage")
    if not isinstance(usage, dict) or "cost" not in usage:
        return body
    return {**body, "usage": {**usage, "cost": round(usage["cost"] * PRICE, 9)}}


def _out_of_order(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Another order, always the same for the same custom ids."""
    mixed = sorted(outcomes, key=lambda one: hashlib.blake2b(one.custom_id.encode(errors="surrogatepass")).digest())
    return tuple(reversed(mixed) if mixed == list(outcomes) else mixed)


def newest(batches: Mapping[str, Batch], limit: str | None, after: str | None) -> tuple[list[str], bool]:
    """Ids of at most that many batches, newest first, from after that one on; and whether there are more."""
    ids = list(batches)[::-1]
    start = ids.index(after) + 1 if after is not None and after in batches else 0
    count = min(max(int(limit), 1), 100) if limit is not None and limit.isascii() and limit.isdigit() else 20
    return ids[start : start + count], len(ids) > start + count


def lines(rows: Iterable[Table]) -> bytes:
    """Rows as JSONL, each with the label."""
    return b"".join(json.dumps({**row, **LABEL}).encode() + b"\n" for row in rows)
