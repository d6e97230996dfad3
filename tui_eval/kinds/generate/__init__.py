"""Generating question sets from documents: a model writes questions, each is checked against the text, another model looks."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.kinds import Flow, RunDefaults, Stage
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.datasets.document_text.file_sorts import sort_of_file
from tui_eval.evaluation.kind import Kind, SampleFiles, SetMaker, TaskForm
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.generate.generate_table import Config
from tui_eval.kinds.generate.holding_questions import TWICE, places_that_go_on
from tui_eval.kinds.generate.question_report import (
    KEPT_METRIC,
    QUESTION_TOTALS,
    QuestionReport,
    question_score,
    unwritten_score,
)
from tui_eval.kinds.generate.sources import GenerateTask, factors, resolve, samples
from tui_eval.kinds.generate.verification_pass import NOT_CHECKED, Asking, Check, Round, second_opinion
from tui_eval.kinds.question_writing.example_replies import example_reply
from tui_eval.kinds.question_writing.filtering import Sifted, sift_questions, sift_turns, without_dropped
from tui_eval.kinds.question_writing.material import Piece, Place
from tui_eval.kinds.question_writing.question_replies import read_questions, read_turns
from tui_eval.kinds.question_writing.whole_documents import questions_template
from tui_eval.reading.prompts import fill

TOO_FEW = "too few questions of its conversation hold"
PROMPTS: Mapping[str, tuple[str, ...]] = {
    "maker_system": (),
    "conversation": ("passage", "turns"),
    "questions_text": ("text", "categories_json"),
    "questions_image": ("categories_json",),
    "reminder": (),
    "closed_book_system": (),
    "closed_book": ("questions",),
    "agreement_system": (),
    "agreement": ("passage", "questions"),
}
"""What is said to whom, and the slots of each."""


@dataclass(frozen=True, slots=True)
class Writers:
    """Who writes questions, who looks at them, and what they are told."""

    maker: AskedModel
    checker: AskedModel | None
    """None where there is no second opinion."""
    check: Check
    prompts: Mapping[str, str]
    seed: int = 0
    """The run's."""


def write_questions(writers: Writers, sample: Sample, place: Place) -> Flow:
    """One score for each question that was made: 1 it is kept, 0 it is not and why. What was kept stands in `read`.

    Where fewer were made than wanted, a score without a value for each that is missing. A place that the set had lost after a
    try goes on with the next one.
    """
    pieces, lost = place.pieces, dict(place.lost)
    made: list[Sifted] = []
    scores: list[Score] = []
    for index, piece in enumerate(pieces):
        is_last = index + 1 == len(pieces)
        found, reply = yield from _round(writers, Round(sample, piece, index, writers.prompts, len(pieces), writers.seed), made)
        unseen = any(one.why == NOT_CHECKED for one in found)
        over = is_last or not reply.ok or unseen or _enough(piece, [one for one in (*made, *found) if not one.why])
        if index in lost and reply.ok:
            found, over = _asked_elsewhere(found, lost[index]), is_last
        if piece.turns and not over:
            found = [replace(one, why=one.why or TOO_FEW) for one in found]
        made += found
        scores += [question_score(writers.maker, index, one) for one in found]
        if over:
            break
    missing = pieces[0].wanted - len(made)
    return scores + [unwritten_score(writers.maker, reply, bool(found)) for _ in range(missing)]


def _asked_elsewhere(found: Sequence[Sifted], places: Collection[int]) -> list[Sifted]:
    """The same questions; those at these places, and what builds on them, are dropped since another place asks the same."""
    return without_dropped([replace(one, why=one.why or TWICE) if one.place in places else one for one in found], True)


def _round(writers: Writers, round_: Round, made: Sequence[Sifted]) -> Asking[tuple[list[Sifted], Reply]]:
    """The questions that came of one try, each with why it is dropped. `made`: those of earlier tries."""
    piece = round_.piece
    call = _maker_call(writers.maker, round_, [one.draft.type for one in made if not one.why])
    with_answers = piece.output_format.require_reference_answer
    drafts, reply = yield from round_.asked(
        call, read_turns if piece.turns else partial(read_questions, with_answers=with_answers)
    )
    found = sift_turns(drafts or [], piece) if piece.turns else sift_questions(drafts or [], piece, made)
    if writers.checker is not None:
        found = yield from second_opinion(writers.check, writers.checker, round_, found, reply)
    return found, reply


def _enough(piece: Piece, kept: Sequence[Sifted]) -> bool:
    """Whether nothing more is asked for: of a conversation most turns are there; of each category all."""
    return piece.has_enough(len(kept)) if piece.turns else not piece.lacking([one.draft.type for one in kept])


def _maker_call(maker: AskedModel, round_: Round, kept: Sequence[str]) -> Call:
    """What asks for questions; of categories those that are missing. `kept`: the categories of those that are there."""
    prompts, piece = round_.prompts, round_.piece
    if piece.turns:
        user = fill(prompts["conversation"], {"passage": piece.text, "turns": str(piece.turns)})
    else:
        slots = {"text": piece.text, "categories_json": json.dumps(piece.lacking(kept), ensure_ascii=False, indent=1)}
        user = fill(questions_template(piece, prompts), slots)
    return maker.ask(round_.sample, prompts["maker_system"], user, round_.index, round_.shown, example=example_reply(piece))


def flow(task: GenerateTask, sample: Sample) -> Flow:
    """Questions about one place of a document, and what is thought of them."""
    (maker,), checkers = task.asked["maker"], task.asked.get("check", ())
    writers = Writers(maker, next(iter(checkers), None), task.config.check, task.config.prompts, task.seed)
    return write_questions(writers, sample, sample.data)


def table_of_documents(paths: Sequence[str], name: str) -> Mapping[str, Json]:
    """The `[generate]` table for these files; conversations need text, so with a picture among them single questions."""
    form = {"form": "questions"} if any(sort_of_file(path) == "image" for path in paths) else {}
    return {"documents": list(paths), **form, "dataset": name}


GENERATE = Kind(
    name="generate",
    about="a model writes questions about your documents; kept is what the text bears out",
    Config=Config,
    defaults=RunDefaults(max_concurrency=10, retries=3, timeout_s=60.0, max_output_tokens=2000, longer_when_cut=True),
    stages=(Stage("maker"), Stage("check", role="judge")),
    metrics=(KEPT_METRIC,),
    prompts=PROMPTS,
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=lambda task: QuestionReport(task, "maker", task.config.check),
    sample_files=SampleFiles(totals=QUESTION_TOTALS),
    further=places_that_go_on,
    task_form=TaskForm(factors),
    set_maker=SetMaker(table_of_documents, lambda task: task.config.dataset or ""),
)
