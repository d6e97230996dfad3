"""Taking a scorer into a config: a re-score of the run, the config file that it came from, or the form of a new run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.inline_toml import read_inline
from tui_eval.configuring.drafting.run_origin import config_of_run
from tui_eval.core.errors import TuiEvalError
from tui_eval.reporting.scorer_bench import ScorerLine
from tui_eval.runs.folder import CONFIG
from tui_eval.tui.background.jobs import CommandJob
from tui_eval.tui.page import Page, beside
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.dialogs.choose import Choose
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.workspace.plain_files import ANYWHERE, read_file
from tui_eval.workspace.toml_files import MAX_TOML_BYTES, has_comments


class ConfigOrigin(NamedTuple):
    """Config file that a run was started from."""

    draft: Draft
    label: str
    """Its path as a person is shown it."""
    has_comments: bool


class ScorerTaking:
    """Asks how a scorer is to be taken, says what that does, and does it."""

    def __init__(self, page: Page, path: Path) -> None:
        """`path`: the run folder."""
        self._page, self._path = page, path
        self._job: CommandJob | None = None

    def ask(self, line: ScorerLine) -> None:
        """Ask how; for a scorer that cannot be taken, say why."""
        app = self._page.eval_app
        if not line.settings:
            app.say(f"{line.name}: {line.why_not}")
        elif self._job is not None:
            app.say("the scorer before is still being taken; wait for it")
        else:
            beside(self._page, self._find_origin, partial(self._choose, line), group="take")

    def _find_origin(self) -> ConfigOrigin | None:
        workspace = self._page.eval_app.workspace
        try:
            path = config_of_run(self._path, workspace)
            if path is None:
                return None
            text = read_file(path, MAX_TOML_BYTES, ANYWHERE).decode("utf-8", "replace")
            label = safe_line(os.path.relpath(path, workspace.root.resolve()), 200)
            return ConfigOrigin(Draft.opened(path, workspace), label, has_comments(text))
        except (TuiEvalError, OSError):
            return None

    def _choose(self, line: ScorerLine, origin: ConfigOrigin | None) -> None:
        ways: list[tuple[str, str, Callable[[], None]]] = [
            ("re-score this run", "at no cost, beside the run's own files", partial(self._confirm_rescore, line)),
        ]
        if origin is not None:
            about = "write it into the config file of this run"
            ways.append((origin.label, about, partial(self._confirm_config, line, origin)))
        ways.append(("a new run", "the form of a run like this one, scored by it", partial(self._new_run, line)))
        note = f"{safe_line(line.settings, 300)}\nIt takes the place of the scorers that the config has."

        entries = [(name, about) for name, about, _ in ways]
        question = Choose(f"Take {safe_line(line.name, 60)}: where?", entries, note=note)
        question.ask(self._page.app, lambda choice: ways[choice[0]][2]())

    # a re-score

    def _confirm_rescore(self, line: ScorerLine) -> None:
        words = (
            f"It scores every stored reply by {safe_line(line.settings, 300)} and writes the tables into rescored/ of the run. "
            "No model is asked. The run's own files stay as they are."
        )
        confirm(self._page.app, f"Re-score this run by {safe_line(line.name, 60)}?", words, partial(self._rescore, line))

    def _rescore(self, line: ScorerLine) -> None:
        self._page.eval_app.say("writing the re-score …")
        self._run(["rescore", str(self._path.absolute()), "--set", line.settings, "--json"], self._rescored)

    def _rescored(self, job: CommandJob) -> None:
        try:
            path = json.loads(job.stdout)["path"]
        except (ValueError, KeyError, TypeError):
            self._page.eval_app.say(f"no re-score: {_trouble_of(job)}", bad=True)
        else:  # a code other than 0 is a gate's, or says that some replies have no score
            warning = f"; {safe_line(job.words.splitlines()[-1], 200)}" if job.code and job.words else ""
            self._page.eval_app.say(f"kept in {safe_line(path, 500)}{warning}", bad=bool(job.code))

    # the config file

    def _confirm_config(self, line: ScorerLine, origin: ConfigOrigin) -> None:
        former = origin.draft.get(("scorers",))
        before = f" in place of {_names(former)}" if former else ""
        comments = " Comments in the file are lost." if origin.has_comments else ""
        words = (
            f"{origin.label} then has {safe_line(line.settings, 300)}{before}.{comments} "
            "It is written only if the config holds with it. Runs that are there stay as they are."
        )
        question = f"Write {safe_line(line.name, 60)} into {origin.label}?"
        confirm(self._page.app, question, words, partial(self._try_config, line, origin))

    def _try_config(self, line: ScorerLine, origin: ConfigOrigin) -> None:
        self._page.eval_app.say(f"checking {origin.label} with it …")
        arguments = ["run", str(origin.draft.path), "--dry-run", "--json", "--set", line.settings]
        self._run(arguments, partial(self._write_config, line, origin))

    def _write_config(self, line: ScorerLine, origin: ConfigOrigin, job: CommandJob) -> None:
        app, draft = self._page.eval_app, origin.draft
        if job.code != 0 or draft.path is None:
            app.say(f"{origin.label} is not changed: {_trouble_of(job)}", bad=True)
            return
        try:
            draft.set(("scorers",), _scorers_of(line))
            notes = draft.save(draft.path, [app.workspace.env_file])
        except TuiEvalError as error:
            app.say(f"{origin.label} is not changed: {error}", bad=True)
        else:
            app.say("; ".join([f"{origin.label} now has {safe_line(line.settings, 300)}", *notes]))

    # a new run

    def _new_run(self, line: ScorerLine) -> None:
        beside(self._page, partial(self._draft_with, line), self._page.eval_app.show_setup, group="take")

    def _draft_with(self, line: ScorerLine) -> Draft:
        draft = Draft.opened(self._path / CONFIG, self._page.eval_app.workspace)
        draft.set(("scorers",), _scorers_of(line))
        return draft

    # both

    def _run(self, arguments: list[str], then: Callable[[CommandJob], None]) -> None:
        def ended(job: CommandJob) -> None:
            self._job = None
            then(job)

        self._job = CommandJob(self._page.eval_app.workspace, arguments, ended).start()


def _scorers_of(line: ScorerLine) -> Any:
    """The value of the setting."""
    return read_inline(line.settings.partition("=")[2])


def _names(scorers: Any) -> str:
    """Scorers of a config by their names, as a person is shown them."""
    entries = scorers if isinstance(scorers, list) else [scorers]
    names = [entry.get("name") or entry.get("use") if isinstance(entry, dict) else entry for entry in entries]
    return safe_line(", ".join(map(str, names)), 200)


def _trouble_of(job: CommandJob) -> str:
    """Return the reason why a command came to nothing, in a sentence."""
    lines = [line for line in job.words.splitlines() if not line.startswith("note: ")]
    return safe("; ".join(lines)).removeprefix("error: ")[:1000] or f"the command ended with code {job.code}"
