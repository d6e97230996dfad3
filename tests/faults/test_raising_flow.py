"""A bug of ours in one item's evaluation costs that item, is told with its traceback, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fault_bench import (
    Served,
    asked,
    by_model,
    panel,
    resume_here,
    run_here,
    simulated_by,
    spoken_by,
    strict_json,
    strict_lines,
)
from invariants import check

from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.evaluation.kind import Kind

QUESTIONS = 6
STAGES = 3
"""Doer, judge, final: three calls an item."""


class SlipError(Exception):
    """The bug."""


def _before_asking(flow: Flow) -> Flow:
    if flow:
        raise SlipError("before the first call")
    return (yield from flow)


def _between_stages(flow: Flow) -> Flow:
    yield next(flow)
    raise SlipError("between two stages")


def _after_all(flow: Flow) -> Flow:
    yield from flow
    raise SlipError("after the last call")


def _returns_nothing(flow: Flow) -> Flow:
    yield from flow
    return None  # type: ignore[return-value]


def _asks_for_nonsense(flow: Flow) -> Flow:
    yield from flow
    yield 42  # type: ignore[misc]
    return []


SLIPS: dict[str, tuple[Callable[[Flow], Flow], int]] = {
    "before asking": (_before_asking, 0),
    "between stages": (_between_stages, 1),
    "after all": (_after_all, STAGES),
    "returns nothing": (_returns_nothing, STAGES),
    "asks for nonsense": (_asks_for_nonsense, STAGES),
}


def _slipping(slip: Callable[[Flow], Flow]) -> Callable[[Kind], Kind]:
    """The kind with a flow that goes wrong for one item."""

    def change(kind: Kind) -> Kind:
        def flow(config: Any, item: Sample) -> Flow:
            whole = kind.flow(config, item)
            return slip(whole) if item.q_index == 2 else whole

        return replace(kind, flow=flow)

    return change


@pytest.mark.parametrize("name", SLIPS)
async def test_an_item_that_raises_is_alone(served: Served, tmp_path: Path, name: str) -> None:
    """The item ends as internal with its traceback in run.log; every other item is finished; exit 3; a resume asks nothing
    that was answered."""
    slip, asked_of_it = SLIPS[name]
    models = [simulated_by(served.url, "only", "bench")]
    stages = {"judges": [asked("only")], "finals": [asked("only")]}

    life = await run_here(panel(models, [asked("only")], QUESTIONS, **stages), tmp_path, _slipping(slip))

    stats = await served.stats()
    check(life.path, stats)
    assert stats["requests"] == STAGES * (QUESTIONS - 1) + asked_of_it
    assert life.ended.exit_code == 3
    assert "Traceback" in (life.path / "run.log").read_text()
    rows = strict_lines(life.path / "results.jsonl")
    assert [bool(row["error"]) for row in rows] == [number == 2 for number in range(QUESTIONS)]
    assert life.report["outcomes"]["internal"] == 1
    again = await resume_here(life.path, change=_slipping(slip))
    assert (await served.stats())["requests"] == stats["requests"]
    assert again.ended.exit_code == 3


async def test_a_mended_bug_finishes_the_item(served: Served, tmp_path: Path) -> None:
    """Once the bug is gone, a resume asks only what that item still lacked."""
    models = [simulated_by(served.url, "only", "bench")]
    stages = {"judges": [asked("only")], "finals": [asked("only")]}
    first = await run_here(panel(models, [asked("only")], QUESTIONS, **stages), tmp_path, _slipping(_between_stages))

    second = await resume_here(first.path)

    stats = await served.stats()
    check(second.path, stats)
    assert stats["requests"] == STAGES * QUESTIONS
    assert second.ended.exit_code == 0


@pytest.mark.parametrize("wire", ["simulator", "openai"])
async def test_a_call_that_cannot_be_built_is_alone(served: Served, tmp_path: Path, wire: str) -> None:
    """A call whose request cannot be made ends as an error on record; the other calls of its model do not wait for ever,
    and the money it held comes back."""

    def change(kind: Kind) -> Kind:
        def flow(config: Any, item: Sample) -> Flow:
            whole = kind.flow(config, item)
            calls = next(whole)
            if item.q_index == 0:
                calls = [replace(call, temperature=float("nan")) for call in calls]
            whole.send((yield calls))
            return []

        return replace(kind, flow=flow)

    spoken = spoken_by if wire == "openai" else simulated_by
    models = [spoken(served.url, "only", "bench", price={"input": 100.0, "output": 1000.0})]
    config = panel(
        models, [asked("only")], QUESTIONS, run={"max_cost_usd": 0.4, "max_output_tokens": 200, "max_concurrency": 2}
    )

    async with asyncio.timeout(60):
        life = await run_here(config, tmp_path, change)

    own = by_model(life.records)["only"]
    assert sum(record["status"] == "ok" for record in own) == QUESTIONS - 1
    assert life.ended.exit_code == 3
    assert strict_json((life.path / "report.json").read_bytes())["in_doubt"] == []
