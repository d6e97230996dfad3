"""Answers judged by one model or several, some of them twice without a judge being told: one score for each, with all marks.

The score is the mean of the judges that gave a mark. What a judge says the second time shows its own noise and enters nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.results import Score
from tui_eval.evaluation.calls import ask_twice
from tui_eval.evaluation.judging.rubrics import Rubric, score_of, why_unmarked
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.reading.marks import read_reason

TWICE = " twice"
"""How `about` ends of a call that has an answer judged a second time."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge's reply comes to."""

    value: float | None
    """None where it can be read and there is nothing to mark."""
    detail: Json = ""
    """Its reason, or what else the value is made of."""
    why: str = ""
    """Why there is no value."""


Read = Callable[[str | None], Verdict | None]
"""What a judge's reply comes to; None = unreadable."""


@dataclass(frozen=True, slots=True)
class ToJudge:
    """An answer that is to be judged by one rubric."""

    rubric: Rubric
    answer: Reply
    ask: Callable[[AskedModel], Call]
    """The call that has a judge do it."""
    twice: bool = False
    read: Read | None = None
    """What a reply comes to, None = unreadable; where none is given, the rubric's mark."""


Judged = Generator[Sequence[Call], Sequence[Reply], list[Score]]


def judged(wanted: Sequence[ToJudge], judges: Sequence[AskedModel], reminder: str) -> Judged:
    """One score for each, in order, whatever happens; all are asked at once.

    `Score.read` is JSON: {"marks": {judge: mark}, "details": {judge: reason}, "again": {judge: mark}}, where there are any.
    """
    asked = [
        (place, judge.name, again, one.ask(judge))
        for place, one in enumerate(wanted)
        if one.answer.ok
        for judge in judges
        for again in ((False, True) if one.twice else (False,))
    ]
    calls = [replace(call, about=call.about + TWICE) if again else call for _, _, again, call in asked]
    reads = [wanted[place].read or _mark(wanted[place].rubric) for place, *_ in asked]
    found = yield from ask_twice(calls, reads, reminder)
    by_place: dict[int, list[tuple[str, bool, Verdict | None, Reply]]] = {}
    for (place, judge, again, _), (verdict, reply) in zip(asked, found, strict=True):
        by_place.setdefault(place, []).append((judge, again, verdict, reply))
    return [_score(one, by_place.get(place, ())) for place, one in enumerate(wanted)]


def _mark(rubric: Rubric) -> Read:
    def read(text: str | None) -> Verdict | None:
        value = rubric.read(text)
        return None if value is None else Verdict(value, read_reason(text))

    return read


def _score(one: ToJudge, found: Sequence[tuple[str, bool, Verdict | None, Reply]]) -> Score:
    if not one.answer.ok:
        return score_of(one.rubric, one.answer, None, f"no reply: {one.answer.why}")
    first = [(judge, verdict, reply) for judge, again, verdict, reply in found if not again]
    marks = {judge: verdict.value for judge, verdict, _ in first if verdict is not None and verdict.value is not None}
    said = {
        "marks": marks,
        "details": {judge: verdict.detail for judge, verdict, _ in first if verdict is not None and verdict.detail},
        "again": {
            judge: verdict.value for judge, again, verdict, _ in found if again and verdict and verdict.value is not None
        },
    }
    value = sum(marks.values()) / len(marks) if marks else None
    _, verdict, reply = first[0]
    why = "" if marks else verdict.why if verdict else why_unmarked(one.rubric, reply)
    kept = {name: values for name, values in said.items() if values}
    return replace(score_of(one.rubric, one.answer, value, why), read=json.dumps(kept, ensure_ascii=False) if kept else None)


def said_of(score: Score) -> dict[str, Any]:
    """What the judges said of an answer: `Score.read` of `judged`, parsed; empty where none said anything."""
    found: dict[str, Any] = json.loads(score.read) if score.read else {}
    return found


def as_judge(
    model: AskedModel, temperature: float | None, max_output_tokens: int, use_temperature: bool | None = None
) -> AskedModel:
    """A model with the limits that judges have, which are asked with more tokens where they are cut.

    `temperature`: None = its own; `use_temperature`: False = none is sent.
    """
    own = model.temperature if temperature is None else temperature
    sent = None if use_temperature is False else own
    return replace(model, temperature=sent, max_output_tokens=max_output_tokens, longer_when_cut=True)


def drawn_twice(answers: Sequence[tuple[str, str]], share: float, seed: int) -> frozenset[tuple[str, str]]:
    """So large a share of the answers, each named by model and question: those that are judged twice, drawn by hash."""
    by_hash = sorted(answers, key=lambda one: hashlib.sha256(json.dumps([seed, *one]).encode()).digest())
    return frozenset(by_hash[: math.ceil(share * len(answers))])
