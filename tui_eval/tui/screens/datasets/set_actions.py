"""Base of the screens about sets of questions: work beside the keys, and a run with a set."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from tui_eval.core.errors import TuiEvalError
from tui_eval.datasets.set_store import plain_name
from tui_eval.tui.background.ordered_keys import OPENS
from tui_eval.tui.page import Page

T = TypeVar("T")


class SetPage(Page):
    """A screen about sets of questions."""

    MODE = "datasets"

    def beside(
        self, work: Callable[[], T], then: Callable[[T], object], group: str = "", otherwise: Callable[[], object] | None = None
    ) -> None:
        """Do what may take a while in a thread, then go on here; what is wrong is told, then `otherwise` done.

        Of a group the last counts. Keys wait for it: what it finds may be what they are for, or ask something.
        """
        work_on = partial(self._work, work, then, otherwise)
        self.run_worker(work_on, thread=True, exclusive=bool(group), group=f"{OPENS}{group or 'beside'}", exit_on_error=False)

    def _work(self, work: Callable[[], T], then: Callable[[T], object], otherwise: Callable[[], object] | None) -> None:
        try:
            result = work()
        except (TuiEvalError, OSError) as error:
            self.app.call_from_thread(self._failed, str(error), otherwise)
        else:
            self.take(then, result)

    def _failed(self, words: str, otherwise: Callable[[], object] | None) -> None:
        self.eval_app.say(words, bad=True)
        if otherwise is not None and self.is_attached:
            otherwise()

    def run_with(self, path: Path) -> None:
        """Open the form of a run with what is selected of a set."""
        self.beside(partial(self._config, path), self._new_run, "setup")

    def _config(self, path: Path) -> dict[str, Any]:
        from tui_eval.configuring.drafting.new_configs import as_config, with_only_model  # brings every kind along

        config = with_only_model(self.eval_app.workspace, as_config(self.eval_app.workspace, path))
        return {"name": plain_name(path.name), **config}

    def _new_run(self, config: dict[str, Any]) -> None:
        self.eval_app.new_run(config, self.eval_app.workspace.root)
