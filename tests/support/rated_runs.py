"""Persons who rate a run as the app has them do it: answers in the order that the product draws, each line with its chance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tui_eval.core.kinds import Metric
from tui_eval.results.annotation_sample import AnnotationSample, JudgedAnswer, JudgedAnswers
from tui_eval.results.stored_run import StoredRun
from tui_eval.runs.person_marks import PersonMark, add_mark, person_marks

Says = Callable[[JudgedAnswer, str], int | None]
"""What a person says of an answer with this text."""


def rate(run: Path, metric: Metric, says: Says, most: int = 60, person: str = "kim", seed: int = 0) -> int:
    """Rate so many answers (or as many as there are); how many these were."""
    stored = StoredRun(run / "results.jsonl")
    judged = JudgedAnswers(stored, metric.name)
    while not judged.complete:
        if not stored.advance(1.0):
            judged.advance(1.0)
    sample = AnnotationSample(judged.answers, metric, seed)
    for number in range(most):
        drawn = sample.current(person_marks(run), person)
        if drawn is None:
            return number
        one = drawn.answer
        row = stored.sample(one.row)
        assert row is not None
        about = (one.place.stage, one.place.model, one.call_index)
        text = next(found.text for found in row.kept() if (found.stage, found.model, found.call_index) == about)
        place = one.place
        add_mark(run, PersonMark(
            place.item_id, place.repeat, place.turn, place.model, metric.name, says(one, text or ""), "2026-11-27T10:00:00Z",
            place.stage, place.claim, person, drawn.chance, drawn.left,
        ))  # fmt: skip
    return most
