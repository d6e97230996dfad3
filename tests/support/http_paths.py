"""The two paths of requests, for tests: straight to a connection, and through httpx."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import aiohttp
import pytest

from tui_eval.engine.http import direct

PATHS = ("direct", "httpx")
IS_TRIAL = os.environ.get("TESTS_TRY_AIOHTTP") == "1"
"""Whether the installed version of aiohttp is being tried: the direct path is then tested whatever it is."""


@contextlib.contextmanager
def on_path(path: str) -> Iterator[None]:
    """Send requests on this path; skip the test where that is not done with the installed aiohttp."""
    with pytest.MonkeyPatch.context() as patch:
        if path == "httpx":
            patch.setattr(direct, "TRIED_VERSIONS", frozenset())
        elif IS_TRIAL:
            patch.setattr(direct, "TRIED_VERSIONS", {aiohttp.__version__})
        elif direct.untried_version():
            pytest.skip(direct.untried_version())
        yield
