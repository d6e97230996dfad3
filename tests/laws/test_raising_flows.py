"""A flow that raises costs its own sample, whatever its kind: every other one is in the reports, and the error is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from answered_log import answer_samples, prepared
from fault_bench import strict_json, strict_lines
from soaking import FEW_LOADED

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.loading import Loaded
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.evaluation.inputs import Task
from tui_eval.reporting.derive import derive


class SlipError(Exception):
    """The bug."""


def slipping(evaluation: Evaluation, sample_id: str, after: int) -> Evaluation:
    """The evaluation with a flow that raises for one sample, once it was told so many lots of replies."""
    flow_of = evaluation.kind.flow

    def flow(task: Task, sample: Sample) -> Flow:
        steps = flow_of(task, sample)
        if sample.id != sample_id:
            return (yield from steps)
        calls = next(steps)
        for _ in range(after):
            try:
                calls = steps.send((yield calls))
            except StopIteration:
                break
        raise SlipError("between two stages")

    return replace(evaluation, kind=replace(evaluation.kind, flow=flow))


@FEW_LOADED
@pytest.mark.parametrize("after", [0, 1, 2, 50])
def test_one_sample_is_lost_and_no_other(loaded: Loaded, after: int, tmp_path: Path) -> None:
    out = prepared(loaded, tmp_path / "run")
    answer_samples(out, loaded, range(1000))
    first, *others = loaded.evaluation.samples()

    outcome = derive(out, slipping(loaded.evaluation, first.id, after))

    assert sum(outcome.broken.values()) == 1
    errors = {line["item_id"]: line["error"] for line in strict_lines(out / "results.jsonl")}
    listed = [sample.id for sample in others if not sample.checks_judge]
    assert errors == {first.id: "SlipError: between two stages", **dict.fromkeys(listed, "")}
    for file in out.rglob("*.json"):
        strict_json(file.read_bytes())
