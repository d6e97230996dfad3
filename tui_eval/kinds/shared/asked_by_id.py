"""Several questions in one call: answers read by the ids that they name, and one reminder that names those without one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.calls import Call, Reply
from tui_eval.kinds.shared.asking import reminded
from tui_eval.reading.named_answers import NamedAnswers, read_named_answers
from tui_eval.reading.prompts import fill


@dataclass(frozen=True, slots=True)
class AskedById:
    """What a call with several questions brought."""

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
    short = [n for n, found in enumerate(first) if replies[n].ok and not found.complete]
    again = [
        replace(reminded(calls[n], replies[n], fill(reminder, {"ids": ", ".join(first[n].why)})), reads=_finds([*first[n].why]))
        for n in short
    ]
    second = dict(zip(short, (yield again) if again else (), strict=True))
    return [_merged(reply, found, second.get(n)) for n, (reply, found) in enumerate(zip(replies, first, strict=True))]


def _finds(ids: Sequence[str]) -> Callable[[str | None], object]:
    """Reads answers under some of the ids; None where there is none."""
    return lambda text: read_named_answers(text, ids).answers or None


def _read(reply: Reply, ids: Sequence[str]) -> NamedAnswers:
    if not reply.ok:
        return NamedAnswers({}, dict.fromkeys(ids, f"no reply: {reply.why}"))
    return read_named_answers(reply.text, ids)


def _merged(reply: Reply, found: NamedAnswers, again: Reply | None) -> AskedById:
    if again is None or not again.ok:
        return AskedById(reply, found.answers, found.why)
    more = read_named_answers(again.text, [*found.why])
    return AskedById(reply if found.answers else again, {**found.answers, **more.answers}, more.why)
