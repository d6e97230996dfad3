"""What the laws share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from samples import ALL_SAMPLES, registered, sample

from tui_eval.configuring.loading import Loaded


@pytest.fixture(autouse=True, scope="module")
def own_kinds() -> Iterator[None]:
    """The kinds of the tests are known beside those that are shipped: what holds for these holds for any."""
    with registered():
        yield


@pytest.fixture(scope="session")
def _loaded_before() -> dict[tuple[str, str], Loaded]:
    """Samples that a test of this process has loaded, by kind and name: laws only look at them."""
    return {}


@pytest.fixture(params=ALL_SAMPLES, ids=[name for _, name in ALL_SAMPLES])
def loaded(
    own_kinds: None,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    _loaded_before: dict[tuple[str, str], Loaded],
) -> Loaded:
    """Each sample evaluation in turn, from a folder that the tests share."""
    if request.param not in _loaded_before:
        _loaded_before[request.param] = sample(*request.param, tmp_path_factory.mktemp("sample"))
    return _loaded_before[request.param]
