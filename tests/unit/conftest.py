"""What the unit tests share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from makers import SHARED

from tui_eval.providers import WIRES


@pytest.fixture(scope="session")
def vectors() -> dict[str, Any]:
    """The reference vectors beside the repository; tests that need them are skipped where they are not."""
    path = SHARED / "vectors.json"
    if not path.is_file():
        pytest.skip("the reference vectors are not on this machine")
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without any key variable of the wires."""
    for name in (wire.key_env for wire in WIRES.values() if wire.key_env):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty folder to work in, apart from the one that holds the config."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder
