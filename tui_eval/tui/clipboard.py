"""Copying over SSH: into tmux's buffer where there is one, else by the terminal's own escape."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

LONGEST_ESCAPE = 74_994
"""Bytes in base64 beyond which terminals drop OSC 52."""


def copy(text: str, by_escape: Callable[[str], None]) -> str:
    """Copy text and say what was done, or why nothing was. `by_escape` sends OSC 52."""
    data = text.encode("utf-8", "backslashreplace")
    if os.environ.get("TMUX") and shutil.which("tmux"):
        trouble = _into_tmux(data)
        if not trouble:
            return f"copied {len(text):,} characters into the tmux buffer (prefix ] pastes) and the terminal's clipboard"
        return f"nothing was copied: tmux said {trouble}; w writes it to a file"
    if (len(data) + 2) // 3 * 4 > LONGEST_ESCAPE:
        return f"nothing was copied: {len(text):,} characters are more than a terminal's clipboard takes; w writes it to a file"
    by_escape(data.decode("utf-8"))
    return f"sent {len(text):,} characters to the terminal's clipboard; if nothing arrives there, w writes it to a file"


def _into_tmux(data: bytes) -> str:
    """Load tmux's buffer, and hand it on to the terminal outside; what went wrong, or nothing."""
    try:
        done = subprocess.run(["tmux", "load-buffer", "-w", "-"], input=data, capture_output=True, timeout=3, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    return "" if done.returncode == 0 else done.stderr.decode("utf-8", "replace").strip()[:100] or "no"
