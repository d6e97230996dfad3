"""The calls about one file: texts are made of it and questions written, then answered from each text, then judged."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import is_
from typing import Any

from tui_eval.core.calls import Attachment, Call, Message, Reply
from tui_eval.core.json_encoding import rows_json
from tui_eval.core.kinds import Flow, Metric
from tui_eval.core.plaintext import readable
from tui_eval.core.record_class import changed
from tui_eval.core.results import SampleResult, Score
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import AGAIN, Read, ask_twice, beyond_plan, replayed, truncated, was_cut, with_replies
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.pipeline.answer_judging import MARK, judged_answers
from tui_eval.kinds.pipeline.answers_by_id import AskedById, asked_by_id
from tui_eval.kinds.pipeline.file_results import FileAnswers, FilePlace, Processed, Worked, answers_about
from tui_eval.kinds.pipeline.file_task import FileTask, Material, process_prompt, questions_prompt
from tui_eval.kinds.pipeline.imported_stages import FileQuestion
from tui_eval.kinds.pipeline.text_fidelity import CHARACTERS, SURVIVED, SURVIVED_BY, WORDS, fidelity
from tui_eval.kinds.question_writing.filtering import example_reply
from tui_eval.kinds.question_writing.material import lacking_json
from tui_eval.kinds.question_writing.question_replies import ProposedQuestion, read_questions
from tui_eval.reading.named_answers import NOT_GIVEN
from tui_eval.reading.prompts import fill

VERSION = "pipeline/1"
"""Of what is worked out without a judge."""
PASSED = Metric("passed", threshold=1)
METRICS = (MARK, PASSED, CHARACTERS, WORDS, SURVIVED)
"""passed: whether a mark reaches the threshold. Error rates may be above 1."""
SCORED_AS = "process"
"""The stage under which stands what a text is worth, whoever made it."""
UNNAMED = "processed"
"""Who made a brought text whose file's name does not say."""
NO_QUESTION = "no question"
FEWER = f"{NO_QUESTION}: fewer were written than were asked for"
UNSAID = f"{NO_QUESTION}: it was not said whether it can be answered"
Asking = Generator[Sequence[Call], Sequence[Reply], Any]


def flow(task: FileTask, sample: Sample) -> Flow:
    """Error rates of each text, then a mark for each answer wanted, whatever happened to it."""
    work, replies = yield from with_replies(_worked(task, sample))
    _WORKED[:] = [(task, sample.id, replies, work)]
    return _scores(task, sample.data, work)


_WORKED: list[tuple[FileTask, str, Sequence[Reply], Worked]] = []
"""What was made of the sample that was looked at last: its scores, its files, its part of what adds up and its row in the
report follow one another."""


def worked(task: FileTask, row: SampleResult) -> Worked:
    """The same as it was, from the replies of a finished sample in their order; nothing of one whose flow raised."""
    if row.error:
        return Worked((), (), (), ())
    for cached_task, sample_id, replies, work in tuple(_WORKED):
        is_same = cached_task is task and sample_id == row.sample.id and len(replies) == len(row.replies)
        if is_same and all(map(is_, replies, row.replies)):
            return work
    work = work_of(task, row.sample, row.replies)
    _WORKED[:] = [(task, row.sample.id, row.replies, work)]
    return work


def work_of(task: FileTask, sample: Sample, replies: Sequence[Reply]) -> Worked:
    """Return all that was made of a file, by all its replies in their order."""
    work: Worked = replayed(_worked(task, sample), replies)
    return work


def settled(task: FileTask, row: SampleResult) -> Worked:
    """Return the settled part of a row that may not have ended: what rests on replies alone that settle their calls."""
    work = worked(task, row)
    if row.finished or row.error:
        return work
    waiting = [reply for reply in row.replies if not reply.final]
    unasked = {(r.call.model, r.call.about.removesuffix(AGAIN)) for r in waiting if task.is_of(r, "answers")}
    has_questions = not any(task.is_of(reply, "questions") for reply in waiting)
    stand = [
        n
        for n, answered in enumerate(work.answered)
        if has_questions
        and not _is_open(answered.text)
        and (answered.model, answers_about(task, answered.text, answered.model)) not in unasked
    ]
    return Worked(
        [text for text in work.texts if not _is_open(text)],
        work.places if has_questions else (),
        [work.answered[n] for n in stand],
        [work.marks[n] for n in stand] if work.marks else [],
        has_questions,
        frozenset((r.call.model, r.call.about.removesuffix(AGAIN)) for r in waiting if task.is_of(r, "judge")),
    )


def _is_open(text: Processed) -> bool:
    return text.reply is not None and not text.reply.final


def _worked(task: FileTask, sample: Sample) -> Asking:
    material: Material = sample.data
    texts, places = yield from _make(task, sample, material)
    answered = yield from _answered(task, sample, material, texts, places)
    marks, by_rubrics = (yield from judged_answers(task, sample, answered, places)) if task.asked.get("judge") else ([], {})
    return Worked(texts, places, answered, marks, by_rubrics=by_rubrics)


# ------------------------------------------------------------------------------------------------- texts and questions


def _make(task: FileTask, sample: Sample, material: Material) -> Asking:
    """The processed texts and the questions, asked at once; what is short of a category is asked for once more."""
    makers = [(model, run) for model in task.asked.get("process", ()) for run in range(task.runs)]
    counts: Counter[str] = Counter()
    calls = []
    for model, _ in makers:
        user = Message("user", process_prompt(task, material), _attachments(material))
        example = material.reference or material.text or "What stands on the page."
        calls.append(model.call(sample, [user], counts[model.model_id], example=example))
        counts[model.model_id] += 1
    writing = [_questions_call(task, sample, material, [])] if material.piece else []
    read = partial(read_questions, with_answers=_wants_answers(material))
    reads: list[Read[list[ProposedQuestion]] | None] = [None] * len(calls) + [read] * len(writing)
    results = yield from ask_twice([*calls, *writing], reads, task.prompts["reminder"], more=2)
    texts = [
        Processed(model.name, model.model_id, run + 1, readable(reply.text or "") if reply.ok else None, reply)
        for (model, run), (_, reply) in zip(makers, results, strict=False)
    ]
    imported = [Processed(text.model or UNNAMED, text.model, text.run, text.text, None) for text in material.texts]
    drafts, reply = results[-1] if writing else ([], None)
    drafts = drafts or []
    places = _places(material, drafts, reply)
    if drafts and any(place.question is None for place in places):
        categories = [place.category for place in places if place.question]
        more = [beyond_plan(_questions_call(task, sample, material, categories))]
        ((again, _),) = yield from ask_twice(more, [read], task.prompts["reminder"])
        places = _places(material, [*drafts, *(again or [])], reply)
    return [*texts, *imported], places


def _wants_answers(material: Material) -> bool:
    """Return whether each question comes with a reference answer."""
    return material.piece is None or material.piece.output_format.require_reference_answer


def _attachments(material: Material) -> tuple[Attachment, ...]:
    return (material.attachment,) if material.attachment else ()


def _questions_call(task: FileTask, sample: Sample, material: Material, categories: Sequence[str]) -> Call:
    """Return the call that asks for questions, of categories the missing ones. `categories`: those of questions there are."""
    (model,), piece = task.asked["questions"], material.piece
    assert piece is not None
    missing = lacking_json(piece.schema, tuple(categories))
    user = Message("user", questions_prompt(task, material, missing), _attachments(material))
    text = material.reference or piece.text
    asked = replace(piece, text=text, whole=text, attachment=None if text else piece.attachment)
    return model.call(sample, [user], bool(categories), example=partial(example_reply, asked))


def _places(material: Material, drafts: Sequence[ProposedQuestion], reply: Reply | None) -> list[FilePlace]:
    """Each question that is wanted: of every category as many as its count says, none twice, numbered from 1."""
    if material.piece is None or material.piece.schema is None:
        return [FilePlace(question.category, question) for question in material.questions]
    why = FEWER
    if not drafts and reply is not None:
        why = f"{NO_QUESTION}: {truncated(reply) if was_cut(reply) else 'unparsed' if reply.ok else reply.why}"
    rest, unsaid = _usable(drafts, material.piece.output_format.require_answerable_flag)
    places: list[FilePlace] = []
    for category in material.piece.schema.categories:
        for _ in range(category.count):
            draft = next((draft for draft in rest if draft.type == category.name), None)
            rest = [candidate for candidate in rest if candidate is not draft]
            number = str(len(places) + 1)
            question = None
            if draft is not None:
                question = FileQuestion(number, category.name, draft.question, draft.answer, draft.answerable)
            places.append(FilePlace(category.name, question, "" if question else UNSAID if category.name in unsaid else why))
    return places


def _usable(drafts: Sequence[ProposedQuestion], flagged: bool) -> tuple[list[ProposedQuestion], set[str]]:
    """Those that may be taken, none twice; and the categories of those that do not say whether they can be answered, which
    are not taken where the schema wants it said (`flagged`)."""
    silent = [draft for draft in drafts if flagged and not draft.says_answerable]
    once = {" ".join(draft.question.casefold().split()): draft for draft in reversed(drafts) if draft not in silent}
    return sorted(once.values(), key=drafts.index), {draft.type for draft in silent}


# ------------------------------------------------------------------------------------------------------------- answers


def _answered(
    task: FileTask, sample: Sample, material: Material, texts: Sequence[Processed], places: Sequence[FilePlace]
) -> Asking:
    """Every text answered from by every model, all its questions in one call; or what was brought."""
    questions = [place.question for place in places if place.question]
    ids = [question.id for question in questions]
    pairs = [(text, model) for text in texts for model in task.asked.get("answers", ())]
    if ids:
        calls = [_answers_call(task, sample, text, model, questions) for text, model in pairs]
        results = yield from asked_by_id(calls, [ids] * len(calls), task.prompts["answers_reminder"])
        results = [_without_text(result, text) for (text, _), result in zip(pairs, results, strict=True)]
    else:
        results = [AskedById(_nothing(sample, model.name, text.run), {}, {}) for text, model in pairs]
    answered = [
        FileAnswers(text, model.name, model.model_id, result) for (text, model), result in zip(pairs, results, strict=True)
    ]
    for entry in material.answers:
        text = Processed(entry.process_model or UNNAMED, entry.process_model, entry.run, None, None)
        reply = replace(_nothing(sample, entry.model, entry.run), status="ok", text="", error_kind=None)
        why = {question.id: entry.why.get(question.id, NOT_GIVEN) for question in questions if question.id not in entry.answers}
        answered.append(FileAnswers(text, entry.model, entry.model, AskedById(reply, dict(entry.answers), why), asked=False))
    return answered


def _without_text(result: AskedById, text: Processed) -> AskedById:
    """Say of what could not be asked, since there is no text to answer from, why there is none."""
    if result.reply.error_kind != "not_sent" or text.text is not None or text.reply is None:
        return result
    return replace(result, why=dict.fromkeys(result.why, f"no reply: no text to answer from ({text.reply.why})"))


def _answers_call(
    task: FileTask, sample: Sample, text: Processed, model: AskedModel, questions: Sequence[FileQuestion]
) -> Call:
    ids = [question.as_json()["id"] for question in questions]
    entries = [{"id": number, "question": question.question} for number, question in zip(ids, questions, strict=True)]
    expected = [{"id": number, "answer": question.reference} for number, question in zip(ids, questions, strict=True)]
    slots = {"text": text.text or "", "questions": rows_json(entries)}
    user = Message("user", fill(task.prompts["answer_from_text"], slots))
    example = json.dumps({"answers": expected}, ensure_ascii=False)
    about, follows = answers_about(task, text, model.name), (text.reply,) if text.reply else ()
    return model.call(sample, [user], text.run - 1, about=about, follows=follows, example=example)


def _nothing(sample: Sample, model: str, run: int) -> Reply:
    """Stands for an answering reply where nobody was asked."""
    return Reply(Call("answers", sample.id, model, (), call_index=run - 1), "error", error_kind="not_sent")


# ------------------------------------------------------------------------------------------------------------- scores


def _scores(task: FileTask, material: Material, work: Worked) -> list[Score]:
    """Score each text, under their own stage; the marks under that of the answers, and under that of the texts, too.

    For what a text is worth shows in the answers from it, whether they are made in this run or were brought.
    """
    scores = [score for text in work.texts for score in _fidelity(task, material, text, work.places)]
    threshold = MARK.high if task.threshold is None else task.threshold
    for n, (answered, marks) in enumerate(zip(work.answered, work.marks, strict=False)):
        for m, (mark, place) in enumerate(zip(marks, work.places, strict=True)):
            passed = None if mark.value is None else float(mark.value >= threshold)
            category_mark = changed(mark, pattern=place.category)
            by_rubrics = [changed(score, pattern=place.category) for score in work.by_rubrics.get((n, m), ())]
            every = (category_mark, changed(category_mark, name=PASSED.name, value=passed), *by_rubrics)
            scores += every
            scores += [changed(each, **_of_text(answered.text)) for each in every]
    return scores


def place_of_text(text: Processed) -> tuple[str, str, int]:
    """(stage, model, call_index) under which stands what a text is worth."""
    return SCORED_AS, text.model, text.reply.call.call_index if text.reply else text.run - 1


def _of_text(text: Processed) -> dict[str, Any]:
    return dict(zip(("stage", "model", "call_index"), place_of_text(text), strict=True))


def _fidelity(task: FileTask, material: Material, text: Processed, places: Sequence[FilePlace]) -> Iterator[Score]:
    """Measure how much of the file's own words a text has kept; nothing where nobody says which those are."""
    if not material.reference.strip():
        return
    lost = "" if text.text is not None else f"no reply: {text.reply.why if text.reply else 'not brought'}"
    answers = [place.question.reference for place in places if place.question and place.question.answerable]
    for metric, value, why in fidelity(material.reference, text.text, answers if places else None):
        version = SURVIVED_BY if metric is SURVIVED else VERSION
        yield replace(Score("", "", 0, metric.name, value, lost or why, version), **_of_text(text))
