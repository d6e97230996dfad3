"""Judging: a model marks the answers of others by a rubric; one score an answer, whatever happened to it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial

from tui_eval.core.calls import Call, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.evaluation.calls import ask_twice, truncated, was_cut
from tui_eval.reading.marks import read_mark


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


def rubric_of(metric: Metric, version: str, judge: str = "judge") -> Rubric:
    """A rubric whose marks are whole numbers on a metric's scale, behind SCORE: or in another form that judges use."""
    return Rubric(metric.name, version, partial(read_mark, low=metric.low, high=metric.high), judge)


Marks = Generator[Sequence[Call], Sequence[Reply], list[Score]]


def marks(rubric: Rubric, answers: Sequence[Reply], ask: Callable[[Reply, int], Call], reminder: str) -> Marks:
    """One score for each answer, in order. `ask`: the call that has the n-th answer with a text marked.

    A judge that cannot be read is reminded once. What has no mark says why: there was no answer, the judge was not asked,
    failed, or could not be read.
    """
    return (yield from marks_by([rubric], answers, lambda _, reply, n: ask(reply, n), reminder))


def marks_by(
    rubrics: Sequence[Rubric], answers: Sequence[Reply], ask: Callable[[Rubric, Reply, int], Call], reminder: str
) -> Marks:
    """The same by several rubrics, all asked at once: one score for each rubric and answer, rubric by rubric."""
    valid = list(enumerate(reply for reply in answers if reply.ok))
    wanted = [(rubric, reply, ask(rubric, reply, n)) for rubric in rubrics for n, reply in valid]
    reads = [rubric.read for rubric, _, _ in wanted]
    judged = yield from ask_twice([call for _, _, call in wanted], reads, reminder)
    verdicts = {(rubric.name, id(reply)): found for (rubric, reply, _), found in zip(wanted, judged, strict=True)}
    scores = []
    for rubric in rubrics:
        for reply in answers:
            value, verdict = verdicts.get((rubric.name, id(reply)), (None, reply))
            why = "" if value is not None else f"no reply: {reply.why}" if not reply.ok else why_unmarked(rubric, verdict)
            scores.append(score_of(rubric, reply, value, why))
    return scores


def score_of(rubric: Rubric, reply: Reply, value: float | None, why: str = "") -> Score:
    """The score of an answer by a rubric."""
    return Score(reply.call.stage, reply.call.model, reply.call.call_index, rubric.name, value, why, rubric.version)


def why_unmarked(rubric: Rubric, verdict: Reply) -> str:
    """Why a judge's last reply gave no mark."""
    if was_cut(verdict):
        return f"{rubric.judge} {truncated(verdict, 'max_output_tokens')}"
    if verdict.ok:
        return f"{rubric.judge} unparsed"
    return f"not scored: {verdict.why}" if verdict.unsent else f"{rubric.judge} failed: {verdict.why}"
