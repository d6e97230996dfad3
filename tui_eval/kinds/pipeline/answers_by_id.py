"""Several questions in one call: answers read by the ids that they name, and one reminder that names those without one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.calls import Call, Reply
from tui_eval.evaluation.calls import asked_again, counting, has_more_room, reminded, truncated, was_cut
from tui_eval.reading.named_answers import TWICE, NamedAnswers, read_named_answers
from tui_eval.reading.prompts import fill


@dataclass(frozen=True, slots=True)
class AskedById:
    """The outcome of a call with several questions."""

    reply: Reply
    """The one that counts: the first that has an answer, else the last."""
    answers: dict[str, str]
    why: dict[str, str]
    """By id, of the questions without an answer."""


def asked_by_id(
    calls: Sequence[Call], ids: Sequence[Sequence[str]], reminder: str
) -> Generator[Sequence[Call], Sequence[Reply], list[AskedById]]:
    """One for each call, in order, all asked at once. `ids`: of the questions of each; `reminder`: with {ids} in it.

    Where a reply lacks some, these alone are asked for once more; what came at first stays as it was.
    """
    replies = list((yield [replace(call, up_to=1) for call in calls])) if calls else []
    first = [_read(reply, names) for reply, names in zip(replies, ids, strict=True)]
    short = [n for n, reading in enumerate(first) if not reading.complete and (replies[n].ok or has_more_room(replies[n]))]
    again = [replace(_again(calls[n], replies[n], reminder, first[n]), reads=_finds([*first[n].why])) for n in short]
    second = dict(zip(short, (yield again) if again else (), strict=True))
    return [_merged(reply, reading, second.get(n)) for n, (reply, reading) in enumerate(zip(replies, first, strict=True))]


def _again(call: Call, reply: Reply, reminder: str, reading: NamedAnswers) -> Call:
    """The call once more: of a reply that was cut behind some answers, the others alone are asked for."""
    words = fill(reminder, {"ids": ", ".join(reading.why)})
    return reminded(call, reply, words) if reading.answers else asked_again(call, reply, words)


def _finds(ids: Sequence[str]) -> Callable[[str | None], object]:
    """Reads answers under some of the ids; None where there is none."""
    return lambda text: read_named_answers(text, ids).answers or None


def _read(reply: Reply, ids: Sequence[str]) -> NamedAnswers:
    reading = (
        read_named_answers(reply.text, ids) if reply.ok else NamedAnswers({}, dict.fromkeys(ids, f"no reply: {reply.why}"))
    )
    if was_cut(reply):
        return NamedAnswers(
            reading.answers, {name: why if why == TWICE else truncated(reply) for name, why in reading.why.items()}
        )
    return reading


def _merged(reply: Reply, reading: NamedAnswers, again: Reply | None) -> AskedById:
    if again is None or not (again.ok or was_cut(again) or again.unsent):
        return AskedById(reply, reading.answers, reading.why)
    if again.unsent:
        final = counting(reply, again)
        return AskedById(final, reading.answers, _read(final, [*reading.answers, *reading.why]).why)
    more = _read(again, [*reading.why])
    return AskedById(reply if reading.answers else again, {**reading.answers, **more.answers}, more.why)
