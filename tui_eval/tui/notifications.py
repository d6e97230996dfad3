"""Notifications: one line in the status row, all recent ones on a key, and copying over SSH."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from textual import events
from textual.app import ScreenStackError
from textual.notifications import SeverityLevel
from textual.widgets import Input, TextArea

from tui_eval.core.errors import TuiEvalError
from tui_eval.tui.background.frame_throttling import PacedApp
from tui_eval.tui.page import Notification, Page
from tui_eval.tui.sanitize import safe
from tui_eval.tui.screens.dialogs.help import Help
from tui_eval.tui.unused_keys import unused_words
from tui_eval.workspace.memory_limits import lacks_memory, memory_words

LONGEST_ESCAPE = 74_994
"""Bytes in base64 beyond which terminals drop OSC 52."""


def copy(text: str, by_escape: Callable[[str], None]) -> str:
    """Copy text and say what was done, or why nothing was. `by_escape` sends OSC 52."""
    data = text.encode("utf-8", "backslashreplace")
    if os.environ.get("TMUX") and shutil.which("tmux"):
        trouble = _into_tmux(data)
        if not trouble:
            return f"copied {len(text):,} characters to tmux (prefix ] pastes) and the clipboard"
        return f"nothing was copied: tmux said {trouble}; w writes it to a file"
    if (len(data) + 2) // 3 * 4 > LONGEST_ESCAPE:
        return f"nothing was copied: {len(text):,} characters are too many; w writes them to a file"
    by_escape(data.decode("utf-8"))
    return f"sent {len(text):,} characters to the clipboard; if none arrive, w writes a file"


def _into_tmux(data: bytes) -> str:
    """Load tmux's buffer, and hand it on to the terminal outside; what went wrong, or nothing."""
    try:
        process = subprocess.run(["tmux", "load-buffer", "-w", "-"], input=data, capture_output=True, timeout=3, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    return "" if process.returncode == 0 else process.stderr.decode("utf-8", "replace").strip()[:100] or "no"


FOR_S, BAD_FOR_S = 3.0, 8.0
"""So long a line stays; one about something bad besides until a key is pressed after it."""
TOGETHER_S = 1.0
"""Bad things within this time are told together: none takes the place of another that nobody can have read."""
KEPT = 50
LONGEST = 1200
"""Characters of one message."""


class TellingApp(PacedApp):
    """Tells in the status row of the page on show, where it covers nothing that one needs; Textual's own messages, too."""

    def __init__(self) -> None:
        super().__init__()
        self._told: Notification | None = None
        self._told_before: deque[Notification] = deque(maxlen=KEPT)

    @property
    def told(self) -> Notification | None:
        """Message in the status row now."""
        message = self._told
        if message is None:
            return None
        unseen = message.bad and self.key_at <= message.at
        return message if unseen or time.monotonic() - message.at < (BAD_FOR_S if message.bad else FOR_S) else None

    def say(self, words: str, bad: bool = False) -> None:
        """A short message, in the place of the one before; never mark-up, never an escape."""
        self.notify(words, severity="error" if bad else "information", markup=False)

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Tell why what is done in here cannot be done, where a person can mend that; it ends there, and the app goes on."""
        try:
            yield
        except (TuiEvalError, OSError) as error:
            self.say(str(error), bad=True)

    def copy_text(self, text: str, shown: bool = False) -> None:
        """Copy, and say what was done."""
        message = copy(text, self.copy_to_clipboard)
        self.say(f"{text}\n{message}" if shown else message)

    def told_of_memory(self, error: Exception) -> bool:
        """Tell of a lack of memory, which is no bug; whether it was one."""
        lacks = lacks_memory(error)
        if lacks:
            self.say(memory_words("the action of this key was not done, and the app goes on"), bad=True)
        return lacks

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Tell it in the status row, however it comes."""
        words, bad, now = safe(f"{title} {message}".strip()[:LONGEST]), severity != "information", time.monotonic()
        self._told_before.append(Notification(words, bad, now))
        before = self._told
        if bad and before is not None and before.bad and now - before.at < TOGETHER_S:
            words = before.words if words in before.words else f"{before.words}; {words}"
        self._tell(Notification(words, bad, now))

    def clear_notifications(self) -> None:
        """Tell nothing any more."""
        self._tell(None)

    def _tell(self, message: Notification | None) -> None:
        self._told = message
        with suppress(ScreenStackError):
            page = next((screen for screen in reversed(self.screen_stack) if isinstance(screen, Page)), None)
            if page is not None:
                page.say_status()

    async def _on_key(self, event: events.Key) -> None:
        """Do what a key stands for; where it stands for nothing, say so: a key is never silent but in a text that is typed."""
        event.prevent_default()  # Textual's own handler would do it once more
        if not await self._check_bindings(event.key) and not isinstance(self.focused, Input | TextArea):
            words = unused_words(event.key, self._keymap, self.screen)
            if words:
                (self.screen.say_here if isinstance(self.screen, Page) else self.say)(words)

    def action_focus_next(self) -> None:
        """To the next part that takes keys."""
        self._go_to_part(self.screen.focus_next)

    def action_focus_previous(self) -> None:
        """To the part before."""
        self._go_to_part(self.screen.focus_previous)

    def _go_to_part(self, move: Callable[[], object]) -> None:
        before = self.focused
        move()
        if self.focused is before:
            self.say("no other part of this screen takes keys")

    def action_told(self) -> None:
        """All that was told lately, in full, the newest first."""
        if isinstance(self.screen, Help):
            return
        now = time.monotonic()
        lines: list[tuple[str, Any]] = []
        for each in reversed(self._told_before):
            lines += [(f"{now - each.at:.0f} s ago", "dim"), (each.words, "bad" if each.bad else ""), ("", "")]
        self.push_screen(Help("Notices, the newest first", lines or [("No notices yet.", "dim")]))
