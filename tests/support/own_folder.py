"""Folders on record as the person's own, as one that the program made, or that was trusted once."""

from __future__ import annotations

from pathlib import Path

from tui_eval.workspace.trust import permit


def own(folder: Path) -> Path:
    """The folder, on record as the person's: its configs may send keys to this machine, and ask hosts without a key."""
    permit(folder, (), own=True)
    return folder
