"""Judges that mark answers by a person's own rubrics, beside whatever else a kind measures: table, calls, attacks, report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field

from tui_eval.core.calls import Call, Price, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.results import SampleResult, Score, Table
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import Part
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judge_attacks import Attack, Attacks
from tui_eval.evaluation.judging.judge_frames import JudgeFrames, marks_held
from tui_eval.evaluation.judging.judge_panel import ToJudge, as_judge, judged, own_rubric_of
from tui_eval.evaluation.judging.judge_table import JudgeLimits, JudgingModels
from tui_eval.evaluation.judging.judged_report import JudgedReport
from tui_eval.evaluation.judging.own_rubrics import RubricForm
from tui_eval.evaluation.stage_models import SCORING, AskedModel
from tui_eval.reading.front_matter.rubrics import OwnRubric

NOTHING = "(nothing)"


class _RubricChoice(JudgingModels):
    """Rubrics that judges score by."""

    metrics: Annotated[list[str], Field(min_length=1, examples=[["politeness"]])]
    """The rubrics: the names of files in the folder of the evaluation type in prompts/, with `metric: true` in their front
    matter."""
    duplicates: Annotated[float, Field(ge=0, le=1)] = 0.1
    """The share of answers that a judge scores twice without knowing it. The two scores show how far it agrees with itself. 0
    = none."""


class RubricJudges(JudgeLimits, _RubricChoice):
    """Who judges the answers by rubrics of your own, and how."""

    def asked(self, models: Sequence[AskedModel]) -> tuple[AskedModel, ...]:
        """The models with the limits of judges."""
        return tuple(as_judge(model, self.temperature, self.max_output_tokens, self.use_temperature) for model in models)


@dataclass(frozen=True, slots=True)
class AnswerToJudge:
    """An answer to judge, with what its judges may be shown, by the slots of shipped prompts."""

    answer: Reply
    slots: Mapping[str, str]
    """The slot `answer` among them where the answer is a part of its reply."""
    twice: bool = False
    about: str = ""
    """What tells the calls about it from those about others; empty = its stage, model and index."""
    asked: bool = True
    """Whether its reply is one of this run, so that its judges wait for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricJudging:
    """Judges of a run that score answers by rubrics of a person's own, and all that they are told besides."""

    rubrics: Mapping[str, OwnRubric]
    judges: tuple[AskedModel, ...]
    system: str
    reminder: str
    frames: bool | None
    seed: int
    twice: frozenset[tuple[str, str]] = frozenset()
    """(who answers, the sample's id in the first repeat) of the answers that are judged twice, in each repeat."""

    @classmethod
    def of(
        cls,
        form: RubricForm,
        rubrics: Mapping[str, OwnRubric],
        judges: tuple[AskedModel, ...],
        prompts: Mapping[str, str],
        frames: bool | None,
        seed: int,
        twice: frozenset[tuple[str, str]],
    ) -> RubricJudging:
        """Those that are asked with the prompts of a table of a config, whose names the form tells."""
        system, reminder = prompts.get(form.system, ""), prompts[form.reminder]
        return cls(
            rubrics=rubrics, judges=judges, system=system, reminder=reminder, frames=frames, seed=seed, twice=twice
        )  # fmt: skip

    def is_twice(self, who: str, sample: Sample) -> bool:
        """Return whether an answer to a sample is judged twice."""
        return (who, sample.id.removesuffix(f"#{sample.repeat + 1}") if sample.repeat else sample.id) in self.twice

    def scores(self, sample: Sample, answers: Sequence[AnswerToJudge]) -> Part[list[Score]]:
        """A score of every answer by every rubric, all at once."""
        requests = [request for each in answers for request in self.requests(sample, each)]
        return (yield from judged(requests, self.judges, self.reminder))

    def requests(self, sample: Sample, each: AnswerToJudge) -> list[ToJudge]:
        """An answer by every rubric; one that rests on a document is left out where there is none."""
        return [
            ToJudge(own_rubric_of(rubric, self.frames), each.answer, partial(self._call, sample, rubric, each), each.twice)
            for rubric in self.rubrics.values()
            if "context" not in rubric.slots or each.slots.get("context")
        ]

    def _call(self, sample: Sample, rubric: OwnRubric, each: AnswerToJudge, judge: AskedModel) -> Call:
        """One answer by one rubric, in frames that it cannot forge."""
        call = each.answer.call
        slots = {name: {"answer": each.answer.text or "", **each.slots}.get(name) or NOTHING for name in rubric.slots}
        frames = JudgeFrames.of(self.frames, self.seed, each.slots.get("context", ""))
        shown = frames.prompt(rubric.text, slots)
        about = f"{rubric.metric.name} {each.about or f'{call.stage}:{call.model}#{call.call_index}'}"
        example = json.dumps({"reason": "It is as it should be.", "score": rubric.best})
        held = marks_held(shown.held, slots, {"answer": (call.model, each.about or f"{call.stage} {call.call_index}")})
        system, follows = frames.system(self.system), (each.answer,) if each.asked else ()
        return judge.ask(
            sample, system, shown.text, call.call_index, about=about, follows=follows, example=example, holds_marks=held
        )

    def attacks(self, attacks: Sequence[Attack]) -> list[Attacks]:
        """Attacks on the judges by each rubric; none where there are no attacks."""
        return [
            Attacks(attacks, self.judges, own_rubric_of(rubric, self.frames), self.reminder, partial(self._attack, rubric))
            for rubric in self.rubrics.values()
            if attacks
        ]

    def _attack(self, rubric: OwnRubric, sample: Sample, judge: AskedModel, attack: Attack, text: str, about: str) -> Call:
        frames = JudgeFrames.of(self.frames, self.seed, attack.document)
        slots = {"context": attack.document, "question": attack.question, "truth": attack.truth, "answer": text}
        shown = frames.prompt(rubric.text, {slot: slots.get(slot, NOTHING) for slot in rubric.slots})
        example = json.dumps({"reason": "The document says otherwise.", "score": rubric.worst})
        return judge.ask(sample, frames.system(self.system), shown.text, about=about, example=example)


TITLES = ("Rates by rubric, stage and model", "Scores by rubric, stage and model")


class RubricReport(JudgedReport):
    """Adds up samples of one answer each that judges marked by rubrics."""

    def __init__(
        self,
        task: Task,
        metrics: Sequence[Metric],
        prices: Mapping[str, Price | None],
        max_concurrency: int | None,
        judging: RubricJudging,
    ) -> None:
        """As JudgedReport; `judging`: which answers are judged twice."""
        super().__init__(task, metrics, prices, max_concurrency, titles=TITLES)
        self._judging = judging

    def add(self, row: SampleResult) -> None:
        """Take in a sample."""
        super().add(row)
        if row.sample.checks_judge:
            return
        beside = (self._of_task.rubric_stage, SCORING)
        answers = [reply for reply in row.replies if reply.call.stage not in beside]
        twice = [reply.call.call_index for reply in answers if self._judging.is_twice(reply.call.model, row.sample)]
        self.add_answers(row, answers, twice, ())

    def tables(self) -> Mapping[str, Table]:
        """Return the tables of judged answers, but that of turns."""
        return {name: table for name, table in super().tables().items() if name != "answers"}

    def headline(self) -> Sequence[Table]:
        """The same in short."""
        turns = self.ends.table().title
        return [table for table in super().headline() if table.title != turns]
