"""Judges of the answers from a file's texts: a mark against the reference, scores by a person's own rubrics, and attacks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from tui_eval.core.calls import Call
from tui_eval.core.kinds import Metric
from tui_eval.core.results import SampleResult, Score
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import Part
from tui_eval.evaluation.inputs import Inputs
from tui_eval.evaluation.judging.judge_attacks import Attack, Attacks, all_of
from tui_eval.evaluation.judging.judge_frames import JudgeFrames, marks_held, prompt_version
from tui_eval.evaluation.judging.judge_panel import Rubric, ToJudge, drawn_twice, judged, own_rubric_of, rubric_of, score_of
from tui_eval.evaluation.judging.judge_part import ScoredAnswer
from tui_eval.evaluation.judging.own_rubrics import RubricForm
from tui_eval.evaluation.judging.rubric_judging import AnswerToJudge, RubricJudging
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.pipeline.file_results import FileAnswers, FilePlace, Worked, judged_about, told_as
from tui_eval.kinds.pipeline.file_task import FileTask, Judge, Material
from tui_eval.kinds.pipeline.imported_stages import FileQuestion

MARK = Metric("mark", 0, 5, threshold=4)
UNANSWERABLE = "The text does not hold the answer to this question: an answer that says so is a full answer."
RUBRICS = RubricForm(
    ("judge", "metrics"),
    (MARK.name,),
    frozenset({"document", "target"}),
    system="rubric_system",
    beside={"rubric_system": "judge_system"},
)
"""The prompt of the pipeline's own judges speaks of a reference, which a rubric need not see."""
Marks = list[list[Score]]
ByRubrics = dict[tuple[int, int], list[Score]]
USUAL_DUPLICATES = 0.1
"""The share of answers that is judged twice where a config names rubrics and no share."""


def judging_of(
    table: Judge, inputs: Inputs, judges: tuple[AskedModel, ...], prompts: Mapping[str, str], answers: Mapping[str, Any]
) -> RubricJudging | None:
    """The judges by a person's own rubrics; None where there are no rubrics and nothing is judged twice. ConfigError for what
    is no rubric. `answers`: by file, (how many models answer from how many texts, how many questions)."""
    rubrics = RUBRICS.rubrics(table.metrics or (), prompts, "pipeline")
    share = table.duplicates if table.duplicates is not None else USUAL_DUPLICATES * bool(rubrics)
    places = [(_name(n, m), file) for file, (rows, columns) in answers.items() for n in range(rows) for m in range(columns)]
    twice = drawn_twice(places, share, inputs.run.seed)
    if not rubrics and not twice:
        return None
    return RubricJudging.of(RUBRICS, rubrics, judges, prompts, table.frames, inputs.run.seed, twice)


def _name(n: int, m: int) -> str:
    """Return the name of an answer within its file: the place of who answers from which text, and that of its question."""
    return f"{n}#{m}"


def judged_answers(
    task: FileTask, sample: Sample, answered: Sequence[FileAnswers], places: Sequence[FilePlace]
) -> Part[tuple[Marks, ByRubrics]]:
    """A mark for each answer, and its scores by rubrics; what has none says why."""
    rubric, judging = _rubric(task.frames), task.judging
    cases = [
        (n, m, entry, place.question, entry.found.answers[place.question.id])
        for n, entry in enumerate(answered)
        for m, place in enumerate(places)
        if place.question and place.question.id in entry.found.answers
    ]
    twice = [judging is not None and judging.is_twice(_name(n, m), sample) for n, m, *_ in cases]
    to_judge = [
        ToJudge(rubric, entry.found.reply, _judge_asker(task, sample, entry, question, answer), again)
        for (_, _, entry, question, answer), again in zip(cases, twice, strict=True)
    ]
    own = [
        ((n, m), request)
        for (n, m, entry, question, answer), again in zip(cases, twice, strict=True)
        for request in (judging.requests(sample, _answer_to_judge(task, entry, question, answer, again)) if judging else ())
    ]
    requests = [*to_judge, *(request for _, request in own)]
    scores = yield from judged(requests, task.asked["judge"], task.prompts["reminder"])
    marks = {(n, m): score for (n, m, *_), score in zip(cases, scores, strict=False)}
    by_rubrics = _missing(judging, answered, places) if judging else {}
    for (place, _), score in zip(own, scores[len(cases) :], strict=True):
        by_rubrics.setdefault(place, []).append(score)
    return [
        [marks.get((n, m)) or _unmarked(rubric, entry, place) for m, place in enumerate(places)]
        for n, entry in enumerate(answered)
    ], by_rubrics


def _answer_to_judge(task: FileTask, entry: FileAnswers, question: FileQuestion, answer: str, twice: bool) -> AnswerToJudge:
    """An answer, with the text that it was given from; that of answers made elsewhere is not known."""
    slots = {
        "question": question.question,
        "truth": question.reference,
        "context": entry.text.text or "",
        "answer": answer,
    }
    return AnswerToJudge(entry.found.reply, slots, twice, judged_about(task, entry, question), entry.asked)


def _missing(judging: RubricJudging, answered: Sequence[FileAnswers], places: Sequence[FilePlace]) -> ByRubrics:
    """The scores by rubrics of answers that are wanted and not there, each with the reason."""
    return {
        (n, m): [_unmarked(own_rubric_of(rubric, judging.frames), entry, place) for rubric in judging.rubrics.values()]
        for n, entry in enumerate(answered)
        for m, place in enumerate(places)
        if place.question is None or place.question.id not in entry.found.answers
    }


def scored_answers(task: FileTask, work: Worked, row: SampleResult) -> Iterator[ScoredAnswer]:
    """The answers about a file, each with its mark and its scores by rubrics."""
    assert task.judging is not None
    for n, (entry, marks) in enumerate(zip(work.answered, work.marks, strict=False)):
        for m, (mark, place) in enumerate(zip(marks, work.places, strict=True)):
            if place.question is not None:
                length = len(entry.found.answers.get(place.question.id, ""))
                scores, twice = [mark, *work.by_rubrics.get((n, m), ())], task.judging.is_twice(_name(n, m), row.sample)
                yield ScoredAnswer(scores, length, twice, place.question.id)


@cache
def _rubric(frames: bool | None) -> Rubric:
    """Return the rubric that answers are marked by; another version where they stand in frames."""
    return rubric_of(MARK, prompt_version("pipeline", frames))


def attacks_on(
    inputs: Inputs,
    judges: Sequence[AskedModel],
    prompts: Mapping[str, str],
    frames: bool | None,
    judging: RubricJudging | None,
) -> Attacks | None:
    """Attacks on judges of answers, in the prompt in which they mark these, and by each rubric. None where the config names
    none."""
    attacks, seed = inputs.attacks(), inputs.run.seed

    def ask(sample: Sample, judge: AskedModel, attack: Attack, text: str, about: str) -> Call:
        within = JudgeFrames.of(frames, seed, attack.document)
        slots = {"question": attack.question, "reference": attack.truth, "flag": "", "answer": text}
        judged = within.prompt(prompts["judge_answer"], slots, own=("flag",))
        example = json.dumps({"reason": "It says something else.", "score": 0})
        return judge.ask(sample, within.system(prompts["judge_system"]), judged.text, about=about, example=example)

    if not attacks or not judges:
        return None
    by_mark = Attacks(attacks, judges, _rubric(frames), prompts["reminder"], ask)
    return all_of([by_mark, *(judging.attacks(attacks) if judging else ())])


_EXAMPLE = json.dumps({"reason": "It says what the reference says.", "score": 5})


def _judge_asker(task: FileTask, sample: Sample, entry: FileAnswers, question: FileQuestion, answer: str) -> Any:
    slots = {
        "question": question.question,
        "reference": question.reference or "(none is given)",
        "flag": "" if question.answerable else UNANSWERABLE,
        "answer": answer,
    }
    material: Material = sample.data
    frames = JudgeFrames.of(task.frames, task.seed, material.text or material.name)
    judged = frames.prompt(task.prompts["judge_answer"], slots, own=("flag",))
    system = frames.system(task.prompts["judge_system"])
    marks = marks_held(judged.held, slots, {"answer": (entry.model, f"{told_as(task, entry.text)} {question.id}")})
    follows = (entry.found.reply,) if entry.asked else ()

    def ask(judge: AskedModel) -> Call:
        about = judged_about(task, entry, question)
        return judge.ask(
            sample, system, judged.text, entry.text.run - 1, about=about, follows=follows, example=_EXAMPLE, holds_marks=marks
        )

    return ask


def _unmarked(rubric: Rubric, entry: FileAnswers, place: FilePlace) -> Score:
    why = place.why or (entry.found.why.get(place.question.id, "") if place.question else "") or "no reply: not_sent"
    return score_of(rubric, entry.found.reply, None, why)
