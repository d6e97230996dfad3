"""Folders on record as the person's own, as one that the program made, or that was trusted once."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tui_eval.workspace.trust import permit

if "XDG_CONFIG_HOME" not in os.environ:  # a benchmark: what it says yes to stays out of the person's own home
    HOME = tempfile.TemporaryDirectory(prefix="tui-eval-home-")
    os.environ["XDG_CONFIG_HOME"] = HOME.name


def own(folder: Path) -> Path:
    """The folder, on record as the person's: its configs may send keys to this machine, and ask hosts without a key."""
    folder.mkdir(parents=True, exist_ok=True)
    permit(folder, (), own=True)
    return folder
