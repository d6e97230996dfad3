"""Commands that run something ask a simulator that never waits."""

from __future__ import annotations

import pytest

from tui_eval.configuring.loading import Loaded
from tui_eval.engine import run
from tui_eval.simulator.server import Simulator


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what it says otherwise."""

    def simulator(loaded: Loaded) -> Simulator:
        return Simulator(seed=loaded.run.seed, latency_scale=0)

    monkeypatch.setattr(run, "_simulator", simulator)
