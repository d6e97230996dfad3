"""What the laws share."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import SAMPLES, sample

from tui_eval.session.loading import Loaded


@pytest.fixture(params=SAMPLES, ids=[name for _, name in SAMPLES])
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> Loaded:
    """Each sample evaluation in turn."""
    return sample(*request.param, tmp_path)
