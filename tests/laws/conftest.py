"""What the laws share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import ALL_SAMPLES, registered, sample

from tui_eval.session.loading import Loaded


@pytest.fixture(autouse=True, scope="module")
def own_kinds() -> Iterator[None]:
    """The kinds of the tests are known beside those that are shipped: what holds for these holds for any."""
    with registered():
        yield


@pytest.fixture(params=ALL_SAMPLES, ids=[name for _, name in ALL_SAMPLES])
def loaded(own_kinds: None, request: pytest.FixtureRequest, tmp_path: Path) -> Loaded:
    """Each sample evaluation in turn."""
    return sample(*request.param, tmp_path)
