"""RunContext, reading, and asking once more with a reminder when the reply cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import TypeVar

from tui_eval.core.calls import Call, Message, Reply

Value = TypeVar("Value")

AGAIN = " again"
"""How `about` ends of a call that is beyond the plan: a log tells it by that."""

Read = Callable[[str | None], Value | None]


def ask_twice(
    calls: Sequence[Call], reads: Sequence[Read[Value] | None], reminder: str, more: int = 0, longer: int = 0
) -> Generator[Sequence[Call], Sequence[Reply], list[tuple[Value | None, Reply]]]:
    """One (value, reply) per call, in order; value None where neither the reply nor the one after the reminder is read.

    All are asked at once, and each reply is read in its call's own way; where there is none (None) nothing is to be read. The
    reply returned is the one that counts: the second, where it was sent; else the first, which came and could not be read.
    `more`: calls like each that may follow, too. `longer`: so many times as many tokens are allowed, once more, to a reply
    whose limit was used up before any text.
    """
    first = [call if read is None else replace(call, up_to=1 + more) for call, read in zip(calls, reads, strict=True)]
    replies = list((yield first)) if first else []
    values = [read(reply.text) if read and reply.ok else None for read, reply in zip(reads, replies, strict=True)]
    unread = [i for i, reply in enumerate(replies) if reads[i] and values[i] is None]
    unread = [i for i in unread if replies[i].ok or (longer and _is_cut(replies[i]))]
    if unread:
        again = yield [replace(_again(calls[i], replies[i], reminder, longer), reads=reads[i]) for i in unread]
        for i, reply in zip(unread, again, strict=True):
            if not reply.unsent:
                replies[i], read = reply, reads[i]
                values[i] = read(reply.text) if read and reply.ok else None
    return list(zip(values, replies, strict=True))


def _is_cut(reply: Reply) -> bool:
    return reply.error_kind == "truncated" or (reply.ok and reply.finish_reason == "length")


def _again(call: Call, reply: Reply, reminder: str, longer: int) -> Call:
    if longer and _is_cut(reply):
        limit = call.max_output_tokens
        return beyond_plan(replace(call, max_output_tokens=limit and limit * longer, up_to=0))
    return reminded(call, reply, reminder)


def reminded(call: Call, reply: Reply, reminder: str) -> Call:
    """The call once more, behind its reply and a reminder."""
    turns = (Message("assistant", reply.text or ""), Message("user", reminder))
    return beyond_plan(replace(call, messages=call.messages + turns, up_to=0))


Result = TypeVar("Result")
Part = Generator[Sequence[Call], Sequence[Reply], Result]


def together(parts: Sequence[Part[Result]]) -> Generator[Sequence[Call], Sequence[Reply], list[Result]]:
    """Parts of a flow side by side: what all of them want next is asked at once. What each returns, in order."""
    results: dict[int, Result] = {}
    waiting: dict[int, Sequence[Call]] = {}

    def go_on(place: int, replies: Sequence[Reply] | None) -> None:
        try:
            waiting[place] = next(parts[place]) if replies is None else parts[place].send(replies)
        except StopIteration as end:
            results[place] = end.value
            waiting.pop(place, None)

    for place in range(len(parts)):
        go_on(place, None)
    while waiting:
        asked = list(waiting.items())
        replies = iter((yield [call for _, calls in asked for call in calls]))
        for place, calls in asked:
            go_on(place, [next(replies) for _ in calls])
    return [results[place] for place in range(len(parts))]


def beyond_plan(call: Call) -> Call:
    """A call that follows a planned one (`up_to`): a reminder, a repair, another round. It uses what the plan leaves over."""
    return replace(call, about=call.about + AGAIN, beyond_plan=True)
