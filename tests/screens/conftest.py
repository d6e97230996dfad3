"""Runs to look at, made once by the simulator with its waiting switched off, and an environment without surprises."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from made import make_both

UNWANTED = ("NO_COLOR", "COLORTERM", "TMUX", "SSH_CONNECTION", "PAGER", "LESS", "COLUMNS", "LINES")
"""Variables of the terminal that the tests were started in; those of TEXTUAL_* are left out, too."""


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in os.environ:
        if name in UNWANTED or name.startswith("TEXTUAL_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="session")
def made_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a panel and an exam, both over; not to be changed."""
    root = tmp_path_factory.mktemp("made")
    (root / "runs").mkdir()
    asyncio.run(make_both(root))
    return root


@pytest.fixture
def workspace(made_runs: Path, tmp_path: Path) -> Path:
    """A workspace of one's own with both runs in it."""
    shutil.copytree(made_runs / "runs", tmp_path / "runs")
    return tmp_path
