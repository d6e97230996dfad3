"""RunContext, reading, and asking once more with a reminder when the reply cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import TypeVar

from tui_eval.core.calls import Call, Message, Reply

Value = TypeVar("Value")

AGAIN = " again"


Read = Callable[[str | None], Value | None]


def ask_twice(
    calls: Sequence[Call], reads: Sequence[Read[Value]], reminder: str
) -> Generator[Sequence[Call], Sequence[Reply], list[tuple[Value | None, Reply]]]:
    """One (value, reply) per call, in order; value None where neither the reply nor the one after the reminder is read.

    All are asked at once, and each reply is read in its call's own way. The reply returned is the one that counts: the
    second, where there was one.
    """
    replies = list((yield [replace(call, up_to=1) for call in calls])) if calls else []
    values = [read(reply.text) if reply.ok else None for read, reply in zip(reads, replies, strict=True)]
    unread = [i for i, reply in enumerate(replies) if reply.ok and values[i] is None]
    if unread:
        again = yield [_again(calls[i], replies[i], reminder) for i in unread]
        for i, reply in zip(unread, again, strict=True):
            replies[i] = reply
            values[i] = reads[i](reply.text) if reply.ok else None
    return list(zip(values, replies, strict=True))


def _again(call: Call, reply: Reply, reminder: str) -> Call:
    turns = (Message("assistant", reply.text or ""), Message("user", reminder))
    return replace(call, messages=call.messages + turns, about=call.about + AGAIN, up_to=0)
