"""A run folder that is not here: what a worker would write into it goes into an outbox."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

from tui_eval.cluster.outbox import Outbox
from tui_eval.runs.folder import INTENTS, LOG, RESULTS, Redact, RunFolder
from tui_eval.workspace.memory_limits import lacks_memory


class HomeFolder(RunFolder):
    """The engine's view of a run folder on a worker. What is on disk beside it holds the config and the inputs alone."""

    def __init__(
        self, path: Path, redact: Redact, outbox: Outbox, say: Callable[[str], None], hurry: Callable[[], None]
    ) -> None:
        """`say`: told what belongs into the run's own log; `hurry`: told that a bundle is large enough to be sent now."""
        self.path, self.redact, self._outbox, self._say, self._hurry = path, redact, outbox, say, hurry
        self.mended = []
        self.sizes = {LOG: 0, RESULTS: 0}
        self.lost = ""

    def append(self, name: str, line: str) -> bytes:
        """Send one line home, without any key; what was granted is on file there, and needs no line for each attempt."""
        clean = self._clean(line)
        if name != INTENTS:
            self._outbox.add(name, clean)
            if self._outbox.is_full:
                self._hurry()
        return clean.encode("ascii")

    def append_last(self, name: str, line: str) -> None:
        """The same: there is no disk here that could be full."""
        self.append(name, line)

    def narrate(self, text: str) -> None:
        """Have a line added to the run's own log."""
        self._say(self.redact(text))

    def narrate_exception(self, message: str, error: BaseException) -> None:
        """The same of a traceback; a lack of memory ends the worker."""
        if lacks_memory(error):
            raise error
        self.narrate(message + "\n" + "".join(traceback.format_exception(error)).rstrip())

    def sync(self) -> None:
        """Nothing is on a disk here."""

    def close(self) -> None:
        """Nothing is open here."""
