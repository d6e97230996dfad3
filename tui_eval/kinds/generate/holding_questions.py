"""The questions of a run that are in its set: those that hold, once each, whatever place they were asked at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from tui_eval.core.document_text import PAGE_BREAK, page_spans
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.kinds.question_writing.filtering import BUILDS_ON_DROPPED
from tui_eval.kinds.question_writing.material import Place, QuestionTask
from tui_eval.reading.same_questions import Asked, duplicates

TWICE = "asks what a question of another place asks"


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question as it came out of its sample."""

    sample: str
    document: str
    turn: dict[str, Any]
    asked: Asked
    why: str
    """Why it was dropped; empty = it was not."""
    round: int = 0
    """The try at its place that it is of."""
    wave: int = 0
    """How often the set had lost its place before it was written: those of an earlier wave come first."""


def made_by(task: QuestionTask, row: SampleResult) -> list[MadeQuestion]:
    """The questions of one sample, in the order in which they were written."""
    name = row.sample.doc_id
    text = task.documents[name].text or ""
    found = []
    for score in row.scores:
        if score.read is not None:
            turn = json.loads(score.read)
            at = None if score.why else _place(turn["quote"], turn["page"], text)
            asked = Asked(turn["question"], turn["ground_truth"] or "", turn["quote"], task.documents[name].sha256, at)
            wave = sum(lost < score.call_index for lost, _ in row.sample.data.lost)
            found.append(MadeQuestion(row.sample.id, name, turn, asked, score.why, score.call_index, wave))
    return found


def _place(quote: str, page: int | None, text: str) -> int | None:
    """Where a quote, in the document's own words, begins in its text; None where it has none."""
    start = page_spans(text)[page - 1][0] if page is not None and PAGE_BREAK in text else 0
    found = text.replace(PAGE_BREAK, "\n").find(quote, start) if quote else -1
    return found if found >= 0 else None


def decided(made: Sequence[MadeQuestion]) -> list[MadeQuestion]:
    """Every question, in order; one that stands alone and asks what one of an earlier place, or of an earlier wave, asks is
    dropped, and with it what builds on it."""
    held = sorted((one for one in made if not one.why and one.turn["depends_on"] is None), key=attrgetter("wave"))
    again = duplicates([one.asked for one in held])
    twice = {id(one) for one, first in zip(held, again, strict=True) if first is not None}
    gone: set[tuple[str, int, int]] = set()
    found = []
    for one in made:
        why = one.why or (TWICE if id(one) in twice else "")
        if not why and (one.sample, one.round, one.turn["depends_on"]) in gone:
            why = BUILDS_ON_DROPPED
        if why and not one.why:
            gone.add((one.sample, one.round, one.turn["place"]))
        found.append(replace(one, why=why))
    return found


def kept(found: Iterable[MadeQuestion]) -> int:
    """How many are in the set."""
    return sum(not one.why for one in found)


def places_that_go_on(task: QuestionTask, rows: Sequence[SampleResult]) -> list[Sample]:
    """The conversations that are asked for once more, at the next passage of their place: those of which most was dropped, for
    other places ask the same. `rows`: every place, in order, once all have ended; so whoever looks, it is the same ones."""
    made = [one for row in rows for one in made_by(task, row)]
    mine: dict[str, list[tuple[MadeQuestion, MadeQuestion]]] = {}
    for was, now in zip(made, decided(made), strict=True):
        mine.setdefault(was.sample, []).append((was, now))
    found = []
    for row in rows:
        place: Place = row.sample.data
        latest = max((was.round for was, _ in mine.get(row.sample.id, ())), default=-1)
        last = [(was, now) for was, now in mine.get(row.sample.id, ()) if was.round == latest]
        twice = frozenset(was.turn["place"] for was, now in last if not was.why and now.why == TWICE)
        is_over = latest + 1 >= len(place.pieces) or latest in dict(place.lost)
        if twice and not is_over and not place.pieces[latest].has_enough(kept(now for _, now in last)):
            found.append(replace(row.sample, data=replace(place, lost=(*place.lost, (latest, twice)))))
    return found
