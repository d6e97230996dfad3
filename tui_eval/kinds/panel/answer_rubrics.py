"""Rubrics of a person's own in a panel: judges score the answers of doers and final judges, beside the panel's own judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tui_eval.core.calls import Reply
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.evaluation.inputs import Inputs
from tui_eval.evaluation.judging.judge_panel import drawn_twice
from tui_eval.evaluation.judging.judge_part import ScoredAnswer
from tui_eval.evaluation.judging.own_rubrics import RubricForm
from tui_eval.evaluation.judging.rubric_judging import AnswerToJudge, RubricJudges, RubricJudging
from tui_eval.evaluation.stage_models import numbered

ANSWERING = ("doer", "final")
"""The stages whose replies are answers. What judges of the panel write is about answers."""
RUBRICS = RubricForm(
    ("rubrics", "metrics"),
    sees=frozenset({"document", "target"}),
    stage="rubric",
    system="rubric_system",
    reminder="rubric_reminder",
    beside={"rubric_system": "judge_system", "rubric_reminder": "reminder"},
)
"""Its judges are none of the panel's: their stage and prompts have other names."""


def judging_of(
    table: RubricJudges, prompts: Mapping[str, str], inputs: Inputs, sample_ids: Iterable[str]
) -> RubricJudging:  # fmt: skip
    """The judges with their limits, and which answers to these samples they judge twice. ConfigError for what is no rubric."""
    rows = [(stage, row, n) for stage in ANSWERING for row, n in numbered(inputs.asked.get(stage, ()))]
    answers = [(f"{stage}:{row.name}#{n}", sample_id) for sample_id in sample_ids for stage, row, n in rows]
    twice = drawn_twice(answers, table.duplicates, inputs.run.seed)
    rubrics, judges = RUBRICS.rubrics(table.metrics, prompts, "panel"), table.asked(inputs.asked[RUBRICS.stage])
    return RubricJudging.of(RUBRICS, rubrics, judges, prompts, table.frames, inputs.run.seed, twice)


def answers_to_judge(judging: RubricJudging, sample: Sample, replies: Sequence[Reply]) -> list[AnswerToJudge]:
    """The answers among replies, each with what its judges may be shown."""
    slots = {"question": sample.question, "truth": sample.truth or "", "context": sample.data.text}
    return [
        AnswerToJudge(reply, slots, judging.is_twice(_name(reply), sample))
        for reply in replies
        if reply.call.stage in ANSWERING
    ]


def scored_answers(judging: RubricJudging, row: SampleResult) -> Iterator[ScoredAnswer]:
    """The answers of a row, with their scores by rubrics."""
    for reply in row.replies:
        call = reply.call
        if call.stage in ANSWERING:
            place = (call.stage, call.model, call.call_index)
            scores = [
                score
                for score in row.scores
                if score.name in judging.rubrics and (score.stage, score.model, score.call_index) == place
            ]
            yield ScoredAnswer(scores, len(reply.text or ""), judging.is_twice(_name(reply), row.sample))


def _name(reply: Reply) -> str:
    """Who gave an answer."""
    return f"{reply.call.stage}:{reply.call.model}#{reply.call.call_index}"
