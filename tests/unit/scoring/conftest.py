"""What the tests of scorers share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tui_eval.evaluation.scoring.fence.fenced_child import Fence


@pytest.fixture(scope="session")
def fence() -> Iterator[Fence]:
    """One fenced child for all tests of a process."""
    with Fence() as one:
        yield one
