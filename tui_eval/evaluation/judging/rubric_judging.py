"""Judges that mark answers by a person's own rubrics, where a kind has no judges of its own: table, calls, attacks, report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from pydantic import Field, model_validator

from tui_eval.core.calls import Call, Price, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.results import SampleResult, Score, Table
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import Part
from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.judging.judge_attacks import Attack, Attacks, AttackSet
from tui_eval.evaluation.judging.judge_frames import FramesKey, JudgeFrames, marks_held
from tui_eval.evaluation.judging.judge_panel import ToJudge, as_judge, judged, own_rubric_of
from tui_eval.evaluation.judging.judged_report import JudgedReport
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.reading.front_matter.rubrics import OwnRubric
from tui_eval.workspace.validation import Strict

STAGE = "judge"
NOTHING = "(nothing)"


class RubricJudges(Strict):
    """Who judges the answers by rubrics of your own, and how."""

    model: Annotated[str, names("model", stage=STAGE), Field(examples=["mini"])]
    """The model that judges. It should not be one of the models that answer, or of their family."""
    models: Annotated[list[str], names("model", stage=STAGE)] = []
    """Several models that judge, in addition to the key model or instead of it. The mean of their scores counts, and each
    judge's score is reported."""
    metrics: Annotated[list[str], Field(min_length=1, examples=[["politeness"]])]
    """The rubrics: the names of files in the folder of the evaluation type in prompts/, with `metric: true` in their front
    matter."""
    duplicates: Annotated[float, Field(ge=0, le=1)] = 0.1
    """The share of answers that a judge scores twice without knowing it. The two scores show how far it agrees with itself. 0
    = none."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """How freely a judge chooses its words. Models that take no temperature are sent none. Left out = 0."""
    use_temperature: bool | None = None
    """Send judges a temperature. false = send none, not even a model's own. Empty = yes."""
    max_output_tokens: Annotated[int, Field(ge=1)] = 800
    """The most tokens of a judge's reply. A reply that is cut off is asked for once more with four times as many."""
    frames: FramesKey = None
    attacks: AttackSet = None
    prompts: dict[str, str] = {}
    """The texts of the rubrics, and of judge_system and reminder, for this run. For one that is left out, the file in prompts/
    is used."""

    @model_validator(mode="before")
    @classmethod
    def _first_of_several(cls, table: Any) -> Any:
        several = table.get("models") if isinstance(table, dict) else None
        if not isinstance(several, list) or not several:
            return table
        first = table.get("model") or several[0]
        return {**table, "model": first, "models": [name for name in several if name != first]}

    def asked(self, models: Sequence[AskedModel]) -> tuple[AskedModel, ...]:
        """The models with the limits of judges."""
        return tuple(as_judge(model, self.temperature, self.max_output_tokens, self.use_temperature) for model in models)


@dataclass(frozen=True, slots=True)
class AnswerToJudge:
    """An answer to judge, with what its judges may be shown, by the slots of shipped prompts."""

    answer: Reply
    slots: Mapping[str, str]
    twice: bool = False


def rubric_scores(task: Task, table: RubricJudges, sample: Sample, answers: Sequence[AnswerToJudge]) -> Part[list[Score]]:
    """A score of every answer by every rubric, all at once; one that rests on a document is left out where there is none."""
    requests = [
        ToJudge(own_rubric_of(rubric, table.frames), each.answer, partial(_call, task, table, sample, rubric, each), each.twice)
        for each in answers
        for rubric in task.rubrics.values()
        if "context" not in rubric.slots or each.slots.get("context")
    ]
    return (yield from judged(requests, task.asked[STAGE], table.prompts["reminder"]))


def _call(task: Task, table: RubricJudges, sample: Sample, rubric: OwnRubric, each: AnswerToJudge, judge: AskedModel) -> Call:
    """One answer by one rubric, in frames that it cannot forge."""
    call = each.answer.call
    slots = {name: {"answer": each.answer.text or "", **each.slots}.get(name) or NOTHING for name in rubric.slots}
    frames = JudgeFrames.of(table.frames, task.seed, each.slots.get("context", ""))
    shown = frames.prompt(rubric.text, slots)
    about = f"{rubric.metric.name} {call.stage}:{call.model}#{call.call_index}"
    example = json.dumps({"reason": "It is as it should be.", "score": rubric.best})
    held = marks_held(shown.held, slots, {"answer": (call.model, f"{call.stage} {call.call_index}")})
    system = frames.system(table.prompts["judge_system"])
    return judge.ask(
        sample, system, shown.text, call.call_index, about=about, follows=(each.answer,), example=example, holds_marks=held
    )


def rubric_attacks(
    inputs: Inputs, table: RubricJudges | None, judges: Sequence[AskedModel], rubrics: Mapping[str, OwnRubric]
) -> Attacks | None:
    """Attacks on the judges by each rubric; None where the table names none."""
    attacks, seed = inputs.attacks(), inputs.run.seed
    if table is None or not attacks:
        return None

    def ask(rubric: OwnRubric, sample: Sample, judge: AskedModel, attack: Attack, text: str, about: str) -> Call:
        frames = JudgeFrames.of(table.frames, seed, attack.document)
        slots = {"context": attack.document, "question": attack.question, "truth": attack.truth, "answer": text}
        shown = frames.prompt(rubric.text, {slot: slots.get(slot, NOTHING) for slot in rubric.slots})
        example = json.dumps({"reason": "The document says otherwise.", "score": rubric.worst})
        return judge.ask(sample, frames.system(table.prompts["judge_system"]), shown.text, about=about, example=example)

    first, *others = (
        Attacks(attacks, judges, own_rubric_of(rubric, table.frames), table.prompts["reminder"], partial(ask, rubric))
        for rubric in rubrics.values()
    )
    return Attacks(attacks, judges, first.rubric, first.reminder, first.ask, tuple(others))


class RubricReport(JudgedReport):
    """Adds up samples of one answer each that judges marked by rubrics."""

    def __init__(
        self,
        task: Task,
        metrics: Sequence[Metric],
        prices: Mapping[str, Price | None],
        max_concurrency: int | None,
        twice: frozenset[tuple[str, str]],
    ) -> None:
        """As JudgedReport; `twice`: (model, id of the sample) of the answers that are judged twice."""
        super().__init__(task, metrics, prices, max_concurrency)
        self._twice = twice

    def add(self, row: SampleResult) -> None:
        """Take in a sample."""
        super().add(row)
        if row.sample.checks_judge:
            return
        answers = [reply for reply in row.replies if reply.call.stage == "answer"]
        twice = [reply.call.call_index for reply in answers if (reply.call.model, row.sample.id) in self._twice]
        self.add_answers(row, answers, twice, ())

    def tables(self) -> Mapping[str, Table]:
        """Return the tables of judged answers, but that of turns."""
        return {name: table for name, table in super().tables().items() if name != "answers"}

    def headline(self) -> Sequence[Table]:
        """The same in short."""
        turns = self.ends.table().title
        return [table for table in super().headline() if table.title != turns]
