"""Parts of limits: each has room for one call, so that all together never ask more than is stated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fault_bench import panel, simulated_by, write_config

from tui_eval.cluster.limit_shares import limit_shares
from tui_eval.configuring.loading import load
from tui_eval.workspace.places import Workspace


@pytest.mark.parametrize(
    ("limits", "run", "most"),
    [
        ({}, {"max_concurrency": 3}, 3),
        ({}, {"max_concurrency": 50}, 8),
        ({"max_in_flight": 2}, {"max_concurrency": 50}, 2),
        ({"requests_per_minute": 5}, {"max_concurrency": 50}, 5),
        ({"tokens_per_minute": 1000}, {"max_concurrency": 50, "max_output_tokens": 300}, 2),
        ({"tokens_per_minute": 100}, {"max_concurrency": 50, "max_output_tokens": 300}, 1),
        ({"tokens_per_minute": 100_000}, {"max_concurrency": 50, "max_output_tokens": 300}, 8),
    ],
)
def test_each_part_has_room_for_a_call(limits: dict[str, int], run: dict[str, Any], most: int, tmp_path: Path) -> None:
    """The least limit says among how many workers the run is divided."""
    models = [simulated_by("http://127.0.0.1:9/v1", "one", "bench", **({"limits": limits} if limits else {}))]
    loaded = load(write_config(tmp_path, panel(models, [{"model": "one", "calls": 4}], 9, run=run)), Workspace(tmp_path))
    assert limit_shares(loaded, 8) == most
