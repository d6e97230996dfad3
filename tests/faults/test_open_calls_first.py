"""A run that is taken up again asks what its log does not mention before it goes through what is settled there."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fault_bench import LOG, resume_here, run_here, serving
from made import exam_config, panel_config, write_exam
from rescored import check_rescored

from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.evaluation.kind import Kind
from tui_eval.reporting.row_feed import MOST_WAITING

QUESTIONS = 40


def noting(begun: list[str]) -> Callable[[Kind], Kind]:
    """What changes a kind so that the samples are noted whose flows are begun, in order."""

    def changed(kind: Kind) -> Kind:
        def flow(task: Any, sample: Sample) -> Flow:
            begun.append(sample.id)
            return kind.flow(task, sample)

        return replace(kind, flow=flow)

    return changed


def without(path: Path, samples: set[str]) -> list[dict[str, Any]]:
    """Take from a log what it says of these samples; the records that were taken."""
    lines = (path / LOG).read_bytes().splitlines(keepends=True)
    records = [json.loads(line) for line in lines]
    kept = [line for line, record in zip(lines, records, strict=True) if record["item_id"] not in samples]
    (path / LOG).write_bytes(b"".join(kept))
    return [record for record in records if record["item_id"] in samples]


@pytest.mark.parametrize("seed", range(3))
async def test_what_a_log_does_not_mention_is_asked_first(seed: int, tmp_path: Path) -> None:
    """In the order of the samples; then comes what is settled. Every open call is asked once, no settled one, and the reports
    are those that a re-score makes."""
    chance, begun = random.Random(seed), list[str]()
    async with serving(latency_scale=0) as served:
        config = panel_config(served.url, QUESTIONS, max_calls=5000)
        del config["panel"]["doers"][1]
        first = await run_here(config, tmp_path)
        every = [sample.id for sample in first.loaded.evaluation.samples()]
        open_ones = set(chance.sample(every, chance.randrange(1, 5)))
        taken = without(first.path, open_ones)
        before = served.simulator.stats()["requests"]
        again = await resume_here(first.path, change=noting(begun))
        asked = served.simulator.stats()["requests"] - before

    assert begun[: len(open_ones)] == [name for name in every if name in open_ones]
    assert set(begun) == set(every)
    assert asked == len(taken)
    assert again.ended.exit_code == 0 and again.ended.progress.items_done == QUESTIONS
    check_rescored(again.path)


async def test_few_rows_wait_for_those_before_them(tmp_path: Path) -> None:
    """Where most is open, no more is asked ahead than may wait, by all models together: rows still reach the reports."""
    begun: list[str] = []
    write_exam(tmp_path, MOST_WAITING)
    async with serving(latency_scale=0) as served:
        config = exam_config(served.url)
        config["run"]["max_calls"] = 10 * MOST_WAITING
        config["run"]["max_concurrency"] = MOST_WAITING
        first = await run_here(config, tmp_path)
        every = [sample.id for sample in first.loaded.evaluation.samples()]
        settled = set(every[:30])
        without(first.path, set(every) - settled)
        again = await resume_here(first.path, change=noting(begun))

    assert again.ended.outcome is not None
    ahead = set(begun[: min(map(begun.index, settled))])
    assert 0 < len(ahead) <= MOST_WAITING // 2 and set(begun) == set(every)
    assert max(map(begun.count, settled)) == 1, "reports drive it no second time: its row was handed on"
    check_rescored(again.path)
