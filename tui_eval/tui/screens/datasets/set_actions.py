"""Base of the screens about sets of questions: work beside the keys, and a run with a set."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from tui_eval.datasets.set_store import plain_name
from tui_eval.tui.page import Page, beside


class SetPage(Page):
    """A screen about sets of questions."""

    MODE = "datasets"

    beside = beside
    """Work beside the keys, as a method."""

    def run_with(self, path: Path) -> None:
        """Open the form of a run with what is selected of a set."""
        self.beside(partial(self._config, path), self._new_run, "setup")

    def _config(self, path: Path) -> dict[str, Any]:
        from tui_eval.configuring.drafting.new_configs import as_config, with_only_model  # brings every kind along

        config = with_only_model(self.eval_app.workspace, as_config(self.eval_app.workspace, path))
        return {"name": plain_name(path.name), **config}

    def _new_run(self, config: dict[str, Any]) -> None:
        self.eval_app.new_run(config, self.eval_app.workspace.root)
