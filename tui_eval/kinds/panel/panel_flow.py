"""In which order the panel asks its stages, and the factors of how many calls that makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tui_eval.core.calls import Json, Reply
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.kinds.panel.grading import graded_answers
from tui_eval.kinds.panel.panel_table import Config, ModelRow, stages
from tui_eval.kinds.panel.stage_calls import doer_call, final_call, judge_call


def flow(config: Config, item: Sample) -> Flow:
    """Doers, judges, final judges, one after the other; within a stage all at once. Then every answer is graded."""
    answers = yield [doer_call(config, item, row, n) for row, n in _numbered(config.doers)]
    verdicts: Sequence[Reply] = []
    if config.judges:
        verdicts = yield [judge_call(config, item, row, n, answers) for row, n in _numbered(config.judges)]
    finals: Sequence[Reply] = []
    if config.finals:
        finals = yield [final_call(config, item, row, n, answers, verdicts) for row, n in _numbered(config.finals)]
    return (yield from graded_answers(config, item, [*answers, *verdicts, *finals]))


def _numbered(rows: Sequence[ModelRow]) -> Iterator[tuple[ModelRow, int]]:
    """Each row once per call, with the index of the call among those of the same API model in this stage."""
    used: Counter[str] = Counter()
    for row in rows:
        for _ in range(row.calls):
            yield row, used[row.model_id or row.model]
            used[row.model_id or row.model] += 1


def labels(config: Config) -> Mapping[str, Json]:
    """The factors of the call formula (spec 003 §11)."""
    rows = stages(config)
    per_stage = {f"{stage}_n": sum(row.calls for row in rows.get(stage, [])) for stage in ("doer", "judge", "final")}
    return {"documents": max(1, len(config.documents)), "questions": len(config.questions), **per_stage}
