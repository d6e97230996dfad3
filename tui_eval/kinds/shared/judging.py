"""Judging: a model marks the answers of others by a rubric; one score an answer, whatever happened to it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from tui_eval.core.calls import Call, Reply
from tui_eval.core.results import Score
from tui_eval.kinds.shared.asking import ask_twice

NO_TRUTH = "no truth for this question"
"""Why an answer has no score where nothing says what would be right."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """What answers are marked for, and how a judge's reply is read."""

    name: str
    """The metric that its marks are values of."""
    version: str
    """Of the prompt and of the reading together; marks of two versions share no table."""
    read: Callable[[str | None], float | None]
    """A mark out of a judge's reply; None where there is none, never a default."""
    judge: str = "judge"
    """What the judging model is called where a mark is missing."""


def marks(
    rubric: Rubric, answers: Sequence[Reply], ask: Callable[[Reply, int], Call], reminder: str
) -> Generator[Sequence[Call], Sequence[Reply], list[Score]]:
    """One score for each answer, in order. `ask`: the call that has the n-th answer with a text marked.

    A judge that cannot be read is reminded once. What has no mark says why: there was no answer, the judge was not asked,
    failed, or could not be read.
    """
    valid = [reply for reply in answers if reply.ok]
    judged = yield from ask_twice([ask(reply, n) for n, reply in enumerate(valid)], rubric.read, reminder)
    verdicts = {id(reply): verdict for reply, verdict in zip(valid, judged, strict=True)}
    scores = []
    for reply in answers:
        value, verdict = verdicts.get(id(reply), (None, reply))
        why = "" if value is not None else f"no reply: {reply.why}" if not reply.ok else _why_unmarked(rubric, verdict)
        scores.append(score_of(rubric, reply, value, why))
    return scores


def score_of(rubric: Rubric, reply: Reply, value: float | None, why: str = "") -> Score:
    """The score of an answer by a rubric."""
    return Score(reply.call.stage, reply.call.model, reply.call.call_index, rubric.name, value, why, rubric.version)


def _why_unmarked(rubric: Rubric, verdict: Reply) -> str:
    if verdict.ok:
        return f"{rubric.judge} unparsed"
    unsent = verdict.status == "skipped_budget" or verdict.error_kind in ("not_sent", "cancelled")
    return f"not scored: {verdict.why}" if unsent else f"{rubric.judge} failed: {verdict.why}"
