"""A text in the reader's own pager, while the app waits behind it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile

from textual.app import App, SuspendNotSupported


def page(app: App[None], text: str) -> str:
    """Show safe text in $PAGER (else less, else more); what went wrong, or nothing."""
    try:
        command = shlex.split(os.environ.get("PAGER", "")) or [next(filter(shutil.which, ("less", "more")), "less")]
    except ValueError as error:
        return f"$PAGER cannot be read as a command: {error}"
    before = signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl+C is the pager's; asyncio would end the app
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="backslashreplace", suffix=".txt") as file:
            file.write(text)
            file.flush()
            with app.suspend():
                subprocess.run([*command, file.name], check=False)
    except (OSError, SuspendNotSupported) as error:
        return f"{command[0]}: cannot be started ({error}); $PAGER names another one"
    finally:
        signal.signal(signal.SIGINT, before)
    app.refresh(layout=True)
    return ""
