"""429s in real runs: refusals by an endpoint that accepts others use up no retry, and never more than the budget."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from choice_bench import choice
from fault_bench import Served, asked, panel, run_here, simulated_by, spoken_by
from invariants import check

from tui_eval.simulator.apis import faults
from tui_eval.simulator.apis.replies import Reply, failure


def _refusing(share: float, seed: int) -> object:
    """A fault that refuses a share of the requests, by chance, and answers the rest."""
    chance = random.Random(seed)

    def meet(order: faults.Order) -> Reply:
        if chance.random() < share:
            return failure(429, "Too many requests (simulated).", "rate_limit_exceeded")
        return faults.normal(order)

    return meet


async def test_refusals_among_answers_use_up_no_retry(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of ten requests are refused, one retry is allowed, and every call is answered."""
    monkeypatch.setitem(faults.FAULTS, "429", _refusing(0.4, seed=1))
    model = spoken_by(served.url, "m", "fault:429")

    life = await run_here(panel([model], [asked("m", 80)], run={"retries": 1, "max_calls": 400}), tmp_path)

    records = check(life.path, await served.stats())
    assert life.ended.exit_code == 0
    assert sum(record["status"] == "ok" for record in records) == 80
    assert max(record["attempt"] for record in records) >= 2


async def test_without_retries_a_refused_call_is_asked_once(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """retries = 0 means that nothing is asked again, whatever the server accepts besides."""
    monkeypatch.setitem(faults.FAULTS, "429", _refusing(0.4, seed=2))

    life = await run_here(panel([spoken_by(served.url, "m", "fault:429")], [asked("m", 40)], run={"retries": 0}), tmp_path)

    records = check(life.path, await served.stats())
    assert len(records) == 40
    assert {record["error_kind"] for record in records} == {None, "rate_limit"}


async def test_refusals_never_pass_the_budget(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused attempts count: the server sees no request beyond max_calls, and a neighbour keeps its calls."""
    monkeypatch.setitem(faults.FAULTS, "429", _refusing(0.6, seed=3))
    models = [spoken_by(served.url, "m", "fault:429"), simulated_by(served.url, "other", "bench")]

    life = await run_here(panel(models, [asked("m", 40), asked("other", 40)], run={"retries": 3, "max_calls": 100}), tmp_path)

    stats = await served.stats()
    records = check(life.path, stats)
    assert stats["requests"] <= 100
    assert sum(record["model"] == "other" and record["status"] == "ok" for record in records) == 40


@pytest.mark.soak
@pytest.mark.parametrize("seed", [4, 5])
async def test_a_default_exam_outlives_stray_faults(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """1,000 questions with the kind's own limits, 1 % of requests refused and 1 % broken: nothing is left to ask, exit 0."""
    chance = random.Random(seed)

    def meet(order: faults.Order) -> Reply:
        drawn = chance.random()
        if drawn < 0.01:
            return failure(429, "Too many requests (simulated).", "rate_limit_exceeded")
        return failure(503, "Overloaded (simulated).") if drawn < 0.02 else faults.normal(order)

    monkeypatch.setitem(faults.FAULTS, "429", meet)

    life = await run_here(choice(tmp_path, [spoken_by(served.url, "m", "fault:429")], 1000), tmp_path)

    records = check(life.path, await served.stats())
    assert life.ended.exit_code == 0
    assert sum(record["status"] == "ok" for record in records) == 1000 < len(records)
