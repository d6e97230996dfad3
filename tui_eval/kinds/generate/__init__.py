"""Generating question sets from documents: a model writes questions, each is checked against the text, another model looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.kinds import Flow, RunDefaults, Stage
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.core.units import Unit, Units, digest
from tui_eval.datasets.document_text.file_sorts import sort_of_file
from tui_eval.evaluation.calls import Part
from tui_eval.evaluation.kind import Kind, SampleFiles, SetMaker, TaskForm
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.generate.question_report import (
    KEPT_METRIC,
    QUESTION_TOTALS,
    TWICE,
    QuestionReport,
    places_that_go_on,
    question_score,
    unwritten_score,
)
from tui_eval.kinds.generate.sources import GenerateConfig, GenerateTask, factors, resolve, samples
from tui_eval.kinds.generate.verification_pass import NOT_CHECKED, Round, second_opinion
from tui_eval.kinds.question_writing.filtering import Sifted, example_reply, sift_questions, sift_turns, without_dropped
from tui_eval.kinds.question_writing.material import MaterialPiece, QuestionPlace, lacking_json, questions_template
from tui_eval.kinds.question_writing.question_replies import read_questions, read_turns
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


def flow(task: GenerateTask, sample: Sample) -> Flow:
    """Questions about one place of a document, and what is thought of them: one score for each question that was made, 1 it is
    kept, 0 it is not and why. What was kept stands in `read`.

    Where fewer were made than wanted, a score without a value for each that is missing. A place that the set had lost after a
    try goes on with the next one.
    """
    place: QuestionPlace = sample.data
    (maker,), pieces, lost = task.asked["maker"], place.pieces, dict(place.lost)
    all_questions: list[Sifted] = []
    scores: list[Score] = []
    for index, piece in enumerate(pieces):
        is_last = index + 1 == len(pieces)
        round_ = Round(sample, piece, index, task.config.prompts, len(pieces), task.seed)
        questions, reply = yield from _round(task, round_, all_questions)
        unseen = any(question.why == NOT_CHECKED for question in questions)
        over = (
            is_last
            or not reply.ok
            or unseen
            or _enough(piece, [question for question in (*all_questions, *questions) if not question.why])
        )
        if index in lost and reply.ok:  # another place asks the same as some of these; what builds on them falls with them
            elsewhere = [
                replace(question, why=question.why or TWICE) if question.place in lost[index] else question
                for question in questions
            ]
            questions, over = without_dropped(elsewhere, conversation=True), is_last
        if piece.turns and not over:
            questions = [replace(question, why=question.why or TOO_FEW) for question in questions]
        all_questions += questions
        scores += [question_score(maker, index, question) for question in questions]
        if over:
            break
    missing = pieces[0].wanted - len(all_questions)
    return scores + [unwritten_score(maker, reply, bool(questions)) for _ in range(missing)]


def _round(task: GenerateTask, round_: Round, earlier: Sequence[Sifted]) -> Part[tuple[list[Sifted], Reply]]:
    """The questions that came of one try, each with why it is dropped. `earlier`: those of earlier tries."""
    piece, (maker,) = round_.piece, task.asked["maker"]
    call = _maker_call(maker, round_, [question.draft.type for question in earlier if not question.why])
    with_answers = piece.output_format.require_reference_answer
    drafts, reply = yield from round_.asked(
        call, read_turns if piece.turns else partial(read_questions, with_answers=with_answers)
    )
    questions = sift_turns(drafts or [], piece) if piece.turns else sift_questions(drafts or [], piece, earlier)
    for checker in task.asked.get("check", ())[:1]:
        questions = yield from second_opinion(task.config.check, checker, round_, questions, reply)
    return questions, reply


def _enough(piece: MaterialPiece, questions: Sequence[Sifted]) -> bool:
    """Return whether nothing more is asked for: of a conversation most turns are there; of each category all."""
    return (
        piece.has_enough(len(questions)) if piece.turns else not piece.lacking([question.draft.type for question in questions])
    )


def _maker_call(maker: AskedModel, round_: Round, categories: Sequence[str]) -> Call:
    """Return the call that asks for questions, of categories the missing ones. `categories`: those of questions there are."""
    prompts, piece = round_.prompts, round_.piece
    if piece.turns:
        user = fill(prompts["conversation"], {"passage": piece.text, "turns": str(piece.turns)})
    else:
        slots = {"text": piece.text, "categories_json": lacking_json(piece.schema, tuple(categories))}
        user = fill(questions_template(piece, prompts), slots)
    return maker.ask(
        round_.sample, prompts["maker_system"], user, round_.index, round_.shown, example=partial(example_reply, piece)
    )


def table_of_documents(paths: Sequence[str], name: str) -> Mapping[str, Json]:
    """The `[generate]` table for these files; conversations need text, so with a picture among them single questions."""
    form = {"form": "questions"} if any(sort_of_file(path) == "image" for path in paths) else {}
    return {"documents": list(paths), **form, "dataset": name}


def unit_of(task: GenerateTask, sample: Sample) -> Unit:
    """A place of a document, whatever is asked about it."""
    piece, document = sample.data.pieces[0], task.documents[sample.doc_id].sha256
    return Unit(digest(document, piece.start, piece.text), (sample.doc_id, f"{sample.doc_id}/{sample.q_index}"))


GENERATE = Kind(
    name="generate",
    about="a model writes questions about your documents; those that the text does not bear out are dropped",
    Config=GenerateConfig,
    defaults=RunDefaults(max_concurrency=10, retries=3, timeout_s=60.0, max_output_tokens=2000, longer_when_cut=True),
    stages=(Stage("maker"), Stage("check", role="judge")),
    metrics=(KEPT_METRIC,),
    prompts=PROMPTS,
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=QuestionReport,
    units=Units("place", "question", of=unit_of),
    sample_files=SampleFiles(totals=QUESTION_TOTALS),
    further=places_that_go_on,
    task_form=TaskForm(factors),
    set_maker=SetMaker(table_of_documents, lambda task: task.config.dataset or ""),
)
