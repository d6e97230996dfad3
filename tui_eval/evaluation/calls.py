"""Asking once more where a reply cannot be read: with a reminder, or with more room where it was cut."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import TypeVar

from tui_eval.core.calls import Call, Message, Reply
from tui_eval.core.record_class import changed

Value = TypeVar("Value")
Result = TypeVar("Result")
Part = Generator[Sequence[Call], Sequence[Reply], Result]

AGAIN = " again"
"""How `about` ends of a call that is beyond the plan: a log tells it by that."""

TRUNCATED = "truncated"
"""How a reply ends that was cut and cannot be read."""

Read = Callable[[str | None], Value | None]


def ask_twice(
    calls: Sequence[Call], reads: Sequence[Read[Value] | None], reminder: str, more: int = 0
) -> Generator[Sequence[Call], Sequence[Reply], list[tuple[Value | None, Reply]]]:
    """One (value, reply) per call, in order; value None where neither the reply nor the one after the reminder is read.

    All are asked at once, and each reply is read in its call's own way; where there is none (None) nothing is to be read. The
    reply returned is the one that counts: the second, where it was sent; else the first, which came and could not be read.
    `more`: calls like each that may follow, too. A reply that was cut is asked for with more tokens in place of a reminder,
    where its call may be (`Call.longest`).
    """
    first = [call if read is None else changed(call, up_to=1 + more) for call, read in zip(calls, reads, strict=True)]
    replies = list((yield first)) if first else []
    values = [read(reply.text) if read and reply.ok else None for read, reply in zip(reads, replies, strict=True)]
    unread = [i for i, reply in enumerate(replies) if reads[i] and values[i] is None]
    unread = [i for i in unread if replies[i].ok or has_more_room(replies[i])]
    if unread:
        again = yield [changed(asked_again(calls[i], replies[i], reminder), reads=reads[i]) for i in unread]
        for i, reply in zip(unread, again, strict=True):
            if reply.unsent:
                replies[i] = counting(replies[i], reply)
            else:
                replies[i], read = reply, reads[i]
                values[i] = read(reply.text) if read and reply.ok else None
    return list(zip(values, replies, strict=True))


def ask_longer(call: Call, read: Read[Value], ends_inside: Callable[[str | None], bool]) -> Part[Reply]:
    """Ask, and once more with more tokens (`Call.longest`) where the reply was cut and cannot be read.

    Return the reply that counts: the second, where it was sent. `ends_inside`: whether a text ends inside what is to be read.
    """

    def settles(text: str | None) -> object:
        return True if ends_inside(text) else read(text)

    limited = call.longest is not None
    (reply,) = yield [changed(call, up_to=int(limited), reads=settles if limited else read)]
    cut = was_cut(reply) or (reply.ok and ends_inside(reply.text))
    if not (limited and cut) or (reply.ok and read(reply.text) is not None):
        return reply
    (second,) = yield [changed(with_more_room(call, reply), reads=read)]
    return counting(reply, second) if second.unsent else second


def counting(reply: Reply, second: Reply) -> Reply:
    """Return a first reply that counts since the second was not sent; of one that was cut it is kept where its server allows no
    more tokens."""
    if second.call.cut_at is None or not second.final:
        return reply
    return changed(reply, call=changed(reply.call, longest=None, cut_at=reply.call.max_output_tokens))


def was_cut(reply: Reply) -> bool:
    """Return whether the token limit ended a reply, with or without a text."""
    return reply.error_kind == "truncated" or (reply.ok and reply.finish_reason == "length")


def has_more_room(reply: Reply) -> bool:
    """Return whether a reply was cut that may be asked for with more tokens."""
    return was_cut(reply) and reply.call.longest is not None


def cut_words(reply: Reply, key: str = "run.max_output_tokens") -> str:
    """Say of a reply that was cut at which limit, and which key of a config raises it."""
    limit = reply.call.max_output_tokens
    if reply.call.cut_at is not None and not reply.call.beyond_plan:
        return "cut at the most tokens that its server allows"
    if limit is None:
        return "cut, though no token limit was sent: the server has one of its own"
    return f"cut at {limit:,} tokens; raise {key}"


def truncated(reply: Reply, key: str = "run.max_output_tokens") -> str:
    """Say why nothing was read of a reply that was cut; the word before the colon is what such are counted under."""
    return f"{TRUNCATED}: {cut_words(reply, key)}"


def with_more_room(call: Call, reply: Reply) -> Call:
    """Return the call whose reply was cut once more, with as many tokens as it may have."""
    cut_at = reply.call.max_output_tokens
    return beyond_plan(changed(call, max_output_tokens=call.longest, longest=None, cut_at=cut_at, up_to=0))


def asked_again(call: Call, reply: Reply, reminder: str) -> Call:
    """Return the call once more: with more tokens where its reply was cut and it may have them, else with a reminder."""
    return with_more_room(call, reply) if has_more_room(reply) else reminded(call, reply, reminder)


def reminded(call: Call, reply: Reply, reminder: str) -> Call:
    """The call once more, behind its reply and a reminder."""
    turns = (Message("assistant", reply.text or ""), Message("user", reminder))
    return beyond_plan(changed(call, messages=call.messages + turns, up_to=0))


class SideBySide(list[Call]):
    """Calls of parts of a flow that do not wait for each other: all of them, in order, and by the places of the parts.

    Whoever drives the flow sends all replies at once, or, with `RepliesOf`, each part's as soon as it has them.
    """

    def __init__(self, parts: Mapping[int, Sequence[Call]]) -> None:
        super().__init__(call for calls in parts.values() for call in calls)
        self.parts = dict(parts)


class RepliesOf(list[Reply]):
    """The replies to what one part wanted; other parts may still wait for theirs."""

    def __init__(self, place: int, replies: Sequence[Reply]) -> None:
        super().__init__(replies)
        self.place = place


def together(parts: Sequence[Part[Result]], later: Callable[[], Part[Result] | None] | None = None) -> Part[list[Result]]:
    """Parts of a flow side by side: what all of them want is asked at once, and none waits for another. What each returns, in
    order.

    `later`: one part more that rests on the others; asked for whenever one has gone on, until it is there.
    """
    if later is None and len(parts) == 1:
        return [(yield from parts[0])]
    begun = list(parts)
    results: dict[int, Result] = {}
    waiting: dict[int, Sequence[Call]] = {}

    def go_on(place: int, replies: Sequence[Reply] | None) -> None:
        try:
            waiting[place] = next(begun[place]) if replies is None else begun[place].send(replies)
        except StopIteration as end:
            results[place] = end.value
            waiting.pop(place, None)

    fresh = list(range(len(begun)))
    for place in fresh:
        go_on(place, None)
    while waiting:
        calls_by_place = {place: waiting[place] for place in fresh if place in waiting}
        response = yield SideBySide(calls_by_place)
        replies, fresh = iter(response), [response.place] if isinstance(response, RepliesOf) else list(calls_by_place)
        for place in fresh:
            go_on(place, [next(replies) for _ in waiting[place]])
        if later is not None and (part := later()) is not None:
            begun, later, fresh = [*begun, part], None, [*fresh, len(begun)]
            go_on(fresh[-1], None)
    return [results[place] for place in range(len(begun))]


def replayed(flow: Part[Result], replies: Iterable[Reply]) -> Result:
    """Return what a flow comes to that is told these replies, in their order."""
    remaining = iter(replies)
    try:
        calls = next(flow)
        while True:
            calls = flow.send([next(remaining) for _ in calls])
    except StopIteration as end:
        result: Result = end.value
    return result


def with_replies(flow: Part[Result]) -> Part[tuple[Result, Sequence[Reply]]]:
    """Run a flow; return its result, and all replies that it was sent, in order."""
    replies: list[Reply] = []
    try:
        calls = next(flow)
        while True:
            batch = yield calls
            replies.extend(batch)
            calls = flow.send(batch)
    except StopIteration as end:
        return end.value, replies


def beyond_plan(call: Call) -> Call:
    """A call that follows a planned one (`up_to`): a reminder, a repair, another round. It uses what the plan leaves over."""
    return changed(call, about=call.about + AGAIN, beyond_plan=True)
