"""Screens that read files in the background, in slices, so that no key has to wait for a disk."""

from __future__ import annotations

from collections.abc import Sequence

from textual.worker import Worker, get_current_worker

from tui_eval.results.answer_search import Job, go_on
from tui_eval.tui.page import Page


class ReadingOn(Page):
    """A screen with jobs that are taken up again whenever there is something to do."""

    _reader: Worker[None] | None = None

    def jobs(self) -> Sequence[Job]:
        """What is to be done, asked for again before each slice."""
        return ()

    def read_on(self) -> None:
        """Go on in the background, if there is something to do and nobody is at it."""
        if (self._reader is None or self._reader.is_finished) and any(job.behind() for job in self.jobs()):
            self._reader = self.run_worker(self._go_on, thread=True, exit_on_error=False, group="reading")

    def _go_on(self) -> None:
        worker = get_current_worker()
        go_on(self.jobs, lambda: worker.is_cancelled)
