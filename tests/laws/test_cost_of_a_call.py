"""What a call costs beside a bare loop over the same requests: bounded so generously that only a blunder breaks it."""

from __future__ import annotations

from pathlib import Path

import children
import engine
import pytest
import workload
from budget_tables import WHOLE, Findings
from kind_workloads import LATENCY_SCALE

CALLS = 1_000
MOST = 6.0
"""Times the CPU of the bare httpx loop, start and reports included; about 2 to 2.5 is usual."""


@pytest.mark.soak
def test_distinct_questions_cost_a_few_times_a_bare_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Panel and choice, with a key, with the reply cache off and being filled."""
    monkeypatch.setenv(workload.KEY_NAME, workload.KEY)
    with children.simulator(LATENCY_SCALE) as url:
        bench = engine.Bench(tmp_path, url, ["panel", "choice"], Findings(CALLS))
        engine.measure(bench, most=False)

    found = {program: bench.found.times_bare(program, WHOLE).median for program in bench.programs}

    assert max(found.values()) < MOST, found
