"""Another program that has the terminal for a while: a pager, an editor."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from typing import Any

from textual.app import App, SuspendNotSupported


def run_in_foreground(app: App[Any], command: Sequence[str]) -> int:
    """Let a program have the terminal until it ends; return its exit code. OSError where it cannot be started."""
    before = signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl+C is the program's; asyncio would end the app
    trouble: Exception | None = None
    try:
        with app.suspend():
            try:
                return subprocess.run(command, check=False).returncode
            except (OSError, ValueError) as error:  # Textual takes the terminal back only where none passes through it
                trouble = error
    except SuspendNotSupported as error:
        trouble = error
    finally:
        signal.signal(signal.SIGINT, before)
    raise OSError(str(trouble))
