"""Nothing that nobody allowed leaves a stranger's folder, by any way in: in a network in which every address is one server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from canary_room import WAYS

ROOM = Path(__file__).resolve().parents[1] / "support" / "canary_room.py"
NETWORK = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && exec "$@"'
"""Every address is this machine, and nothing leads out of it."""


def _rooms() -> bool:
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    tried = subprocess.run(["unshare", "-rn", "sh", "-c", NETWORK, "sh", "true"], capture_output=True, check=False)
    return tried.returncode == 0


pytestmark = pytest.mark.skipif(not _rooms(), reason="needs unshare and ip, and the right to make a network namespace")


def tried(folder: Path, way: str) -> dict[str, Any]:
    """What arrived at the only server there is."""
    command = ["unshare", "-rn", "sh", "-c", NETWORK, "sh", sys.executable, str(ROOM), str(folder / "room"), way]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**found, "said": done.stderr}


@pytest.mark.soak
@pytest.mark.parametrize("way", WAYS)
def test_nothing_leaves_that_nobody_allowed(way: str, tmp_path: Path) -> None:
    """No key, no other variable, nothing of a .env, no private file and no file outside, in any spelling."""
    seen = tried(tmp_path, way)

    assert seen["codes"] and not seen["found"], seen["said"]


def test_what_was_allowed_leaves(tmp_path: Path) -> None:
    """The same folder after a yes: the server has the key and the file, so that the tests above can fail."""
    seen = tried(tmp_path, "after a yes")

    assert seen["found"] == ["key", "outside"] and seen["codes"] == [0], seen["said"]
