"""Items on which two sides differ: what was asked, and what each of them said, read from their run folders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tui_eval.core.kinds import Metric
from tui_eval.results.comparison.sides import RunSide
from tui_eval.results.stored_samples import Mark, StoredSample, parse_sample
from tui_eval.results.sums.metrics import upwards
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.log.growing_lines import LogFile
from tui_eval.runs.reader import line_at

LONGEST = 2000
"""Characters of a text that a flip in a list holds."""


@dataclass(frozen=True, slots=True)
class SideReply:
    """One reply of a side to an item, and what was said of it. Texts are foreign."""

    item_id: str
    repeat: int
    call_index: int
    status: str
    text: str | None
    """None where there is no reply."""
    value: float | None
    why: str
    """Why it has no value, or has this one without a comparison."""
    read: str
    """What was read from it, such as a letter, and by which pattern; empty where nothing was."""
    judged: tuple[tuple[str, str], ...]
    """Who said what of it: replies about it alone, and those that were made of all answers of its stage."""


@dataclass(frozen=True, slots=True)
class Flip:
    """An item on which one side does better than the other."""

    places: tuple[int, int]
    """What either run calls it."""
    question: str
    truth: str
    score_a: float
    score_b: float
    answers_a: tuple[SideReply, ...]
    """Several where it was asked several times."""
    answers_b: tuple[SideReply, ...]
    metric: Metric
    """What both were scored by."""

    @property
    def a_better(self) -> bool:
        """Return whether a does better."""
        return upwards(self.metric, self.score_a - self.score_b) > 0


def flip_of(a: RunSide, b: RunSide, places: tuple[int, int], longest: int | None = LONGEST) -> Flip:
    """An item of both sides, its texts cut at `longest` characters, or not at all."""
    question, truth, answers_a = answers_of(a, places[0], longest)
    other_question, other_truth, answers_b = answers_of(b, places[1], longest)
    scores = (a.series.mean(places[0]) or 0.0, b.series.mean(places[1]) or 0.0)
    return Flip(places, question or other_question, truth or other_truth, *scores, answers_a, answers_b, a.metric)


def answers_of(side: RunSide, place: int, longest: int | None = LONGEST) -> tuple[str, str, tuple[SideReply, ...]]:
    """The question, its truth, and the side's answers. Nothing where the file is another by now."""
    question = truth = ""
    answers: list[SideReply] = []
    for sample in _samples(side, place):
        question, truth = question or sample.question[:longest], truth or (sample.truth or "")[:longest]
        answers += [_answer(sample, mark, longest) for mark in sample.marks if _is_of(side, mark)]
    return question, truth, tuple(answers)


def _samples(side: RunSide, place: int) -> Iterator[StoredSample]:
    """The lines of an item; a file that was written anew meanwhile has others in their places, which are left out."""
    expected_id = side.run.places[place]
    try:
        file = LogFile(side.run.path / RESULTS)
    except OSError:
        return
    for offset in side.lines.get(place, ()):
        sample = parse_sample(line_at(file.descriptor, offset))
        if sample is not None and sample.item_id.removeprefix(f"{sample.queue}/") == expected_id:
            yield sample


def _is_of(side: RunSide, mark: Mark) -> bool:
    return (mark.stage, mark.model, mark.name) == side.key[:3]


def _answer(sample: StoredSample, mark: Mark, longest: int | None) -> SideReply:
    reply = sample.answer_of(mark)
    why = mark.why or ("" if reply is None else reply.why)
    return SideReply(
        item_id=sample.item_id,
        repeat=sample.repeat,
        call_index=mark.call_index,
        status="" if reply is None else reply.status,
        text=None if reply is None or reply.text is None else reply.text[:longest],
        value=mark.value,
        why=why[:longest],
        read=" by ".join(filter(None, (mark.read, mark.pattern))) if mark.read else "",
        judged=tuple(_judged(sample, mark, longest)),
    )


def _judged(sample: StoredSample, mark: Mark, longest: int | None) -> Iterator[tuple[str, str]]:
    """Yield the verdicts on this answer alone, and on it by stages after its own, unless theirs are the sample's answers."""
    about = f"{mark.stage}:{mark.model}#{mark.call_index}"
    stages = list(dict.fromkeys(reply.stage for reply in sample.answers))
    later = stages[stages.index(mark.stage) + 1 :] if mark.stage in stages else []
    for place, reply in enumerate(sample.answers):
        own = not reply.about and reply.stage in later and place not in sample.primary
        if reply.text and (reply.about == about or own):
            yield f"{reply.stage} {reply.model}", reply.text[:longest]
