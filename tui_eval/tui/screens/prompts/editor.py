"""A file in the person's own editor, while the app waits behind it."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from pathlib import Path

from textual.app import App, SuspendNotSupported

NO_EDITOR = "neither $VISUAL nor $EDITOR names an editor; i edits the text here"


def edit(app: App[None], file: Path) -> str:
    """Open a file in $VISUAL, else $EDITOR, until it is left; what went wrong, or nothing."""
    words = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = shlex.split(words)
    except ValueError as error:
        return f"$VISUAL or $EDITOR cannot be read as a command: {error}; i edits the text here"
    if not command:
        return NO_EDITOR
    before = signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl+C is the editor's; asyncio would end the app
    try:
        with app.suspend():
            code = subprocess.run([*command, str(file.absolute())], check=False).returncode
    except (OSError, SuspendNotSupported) as error:
        return f"{command[0]}: cannot be started ({error}); $VISUAL or $EDITOR names another one, i edits the text here"
    finally:
        signal.signal(signal.SIGINT, before)
    app.refresh(layout=True)
    return f"{command[0]} ended with code {code}" if code else ""
