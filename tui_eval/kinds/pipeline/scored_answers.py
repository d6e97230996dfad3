"""Answers from processed texts beside the reference answers of their questions, for the scorers of a config."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tui_eval.core.calls import Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.samples import Sample
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.targets import TargetedAnswer, Targets
from tui_eval.kinds.pipeline.file_flow import METRICS, place_of_text, work_of
from tui_eval.kinds.pipeline.file_task import FileTask, Material
from tui_eval.kinds.pipeline.text_fidelity import CHARACTERS, SURVIVED, WORDS


def answers(task: FileTask, sample: Sample, replies: Sequence[Reply]) -> Iterator[TargetedAnswer]:
    """Each answer to each question of a file, also under the model whose text it was given from. A question without an answer
    in the text has no target: no rule can tell whether a reply says so."""
    work = work_of(task, sample, replies)
    for entry in work.answered:
        for question in (place.question for place in work.places if place.question):
            expected = Expected((question.reference,) if question.answerable and question.reference.strip() else None)
            text, why = entry.found.answers.get(question.id), entry.found.why.get(question.id, "no reply: not_sent")
            reply = entry.found.reply if text is None else replace(entry.found.reply, text=text)
            why = why if text is None else ""
            yield TargetedAnswer(reply, expected, why, (place_of_text(entry.text),), question=question.question)


def has_target(task: FileTask, sample: Sample) -> bool:
    """Return whether questions about a file have reference answers, or will be written with them."""
    material: Material = sample.data
    if material.piece is not None:
        return material.piece.output_format.require_reference_answer
    return any(question.answerable and question.reference.strip() for question in material.questions)


def own_metrics(task: FileTask) -> tuple[Metric, ...]:
    """Marks and scores by rubrics where somebody judges, and how much of texts is left where their words are known."""
    if task.threshold is not None:
        return (*METRICS, *(rubric.metric for rubric in task.rubrics.values()))
    return (CHARACTERS, WORDS, SURVIVED) if any(material.reference.strip() for material in task.materials) else ()


TARGETS = Targets(
    ("answers",),
    answers,
    has_target,
    "pipeline.questions: have them written with reference answers, or supply questions that have some",
    own_metrics,
)
