"""Keys that do something to one run, wherever a screen is about one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tui_eval.runs.steering import RunEntry
from tui_eval.tui.page import Page


class RunKeys(Page):
    """A screen whose keys do something to one run."""

    @property
    def chosen(self) -> RunEntry | None:
        """The run that they are about."""
        return self.eval_app.entry

    def with_run(self, deed: Callable[[RunEntry], object]) -> None:
        """Do something to it, or say that there is none."""
        if self.chosen is None:
            self.eval_app.say("no run is open", bad=True)
        else:
            deed(self.chosen)

    def action_stop(self) -> None:
        """Stop it, once that is confirmed."""
        self.with_run(self.eval_app.run_actions.stop)

    def action_pause(self) -> None:
        """Pause it, or let it go on."""
        self.with_run(self.eval_app.run_actions.pause)

    def action_resume(self, failed: bool = False) -> None:
        """Take it up again in a process of its own."""
        self.with_run(partial(self.eval_app.run_actions.resume, failed=failed))

    def action_path(self) -> None:
        """Copy the path of its folder."""
        self.with_run(lambda entry: self.eval_app.copy_text(str(entry.path.resolve()), shown=True))

    async def action_review(self) -> None:
        """The questions that it made."""
        if self.chosen is not None:
            await self.eval_app.review(self.chosen.path)
