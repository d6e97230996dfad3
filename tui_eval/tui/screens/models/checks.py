"""Checks of models: asked by child processes, told model by model as they end, remembered for the next time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.plaintext import count_of
from tui_eval.models.check_notes import MOST_QUESTIONS, USUAL_QUESTIONS, Note, check_size
from tui_eval.models.listing import ModelEntry
from tui_eval.tui.background.jobs import CommandJob
from tui_eval.tui.hosts_first import Leaving, leaving_of_models
from tui_eval.tui.page import Page
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.asking_first import ask_first
from tui_eval.tui.screens.models.model_rows import CheckState, holds, with_keys
from tui_eval.tui.words import usd

SHOWN = 6
"""Hosts that are named where nothing new goes to them."""


def ask_about_check(page: Page, entries: Sequence[ModelEntry], begin: Callable[[], None]) -> None:
    """Begin a check; at once where all of the models are simulated, else once a person says yes."""
    app, refused = page.eval_app, partial(page.eval_app.say, bad=True)
    try:
        size = check_size(entries, app.workspace)
    except TuiEvalError as error:
        refused(str(error))
        return
    if not size.models:
        begin()
        return
    cost = "cost unknown" if size.max_cost_usd is None else f"at most {usd(size.max_cost_usd)}"
    is_single = len(size.models) == 1
    who = safe_line(size.models[0], 40) if is_single else count_of(len(size.models), "model")
    kind = "a real model: usually" if is_single else f"{len(size.models)} real models: usually"
    each = "" if is_single else " each"
    summary = f"Tiny questions to {kind} {USUAL_QUESTIONS}{each}, at most {MOST_QUESTIONS}{each}; {cost}."
    find = partial(leaving_of_models, size.goes, app.workspace)
    ask_first(page, f"Ask {who}?", lambda leaving: [summary, *_places(leaving)], find, begin, refused)


def _places(leaving: Leaving) -> list[str]:
    """Lines on where it goes: all that is new, and some others."""
    lines = leaving.lines
    visible_lines = lines[: len(leaving.new) + SHOWN]
    more = [f"and {count_of(len(lines) - len(visible_lines), 'place')} more"] if len(visible_lines) < len(lines) else []
    return [*visible_lines, *more]


LIMIT_S = 3600.0
ENDED_WELL = (0, 3)
"""Exit codes of a check: all models answer, or some do not."""


class Checks:
    """Checks of models: those under way, and the last finding on each model."""

    def __init__(self, page: Page, on_change: Callable[[], None]) -> None:
        self._app, self._on_change = page.eval_app, on_change
        self._kept: Mapping[str, Note] = {}
        self._fresh: dict[str, Note] = {}
        self._jobs: dict[CommandJob, set[str]] = {}
        """Checks under way, with the names that are still being asked."""

    def of(self, entry: ModelEntry) -> CheckState:
        """Return the state of the check of a model."""
        notes = [notes[entry.name] for notes in (self._kept, self._fresh) if entry.name in notes]
        last = max(notes, key=lambda note: str(note.get("checked_at")), default=None)
        return CheckState(last if holds(entry, last) else None, entry.name in self.asking)

    @property
    def asking(self) -> set[str]:
        """The names of the models that are being asked."""
        return set().union(*self._jobs.values())

    def remember(self, notes: Mapping[str, Note]) -> None:
        """Take over the findings of earlier checks."""
        self._kept = notes

    def begin(self, names: Sequence[str]) -> str:
        """Ask these models, besides those that are being asked already; why not, or nothing."""
        if not names:
            return "no model is enabled: nothing to check"
        pending = [name for name in names if name not in self.asking]
        if not pending:
            return "it is being asked already" if len(names) == 1 else "all of them are being asked already"
        odd = next((name for name in pending if "," in name), None)
        if odd is not None:
            return f"{odd}: a model whose name holds a comma cannot be checked alone; give it another name (e)"
        arguments = ["models", "check", f"--models={','.join(pending)}", "--json-lines"]
        job = CommandJob(
            self._app.workspace, arguments, self._ended, limit_s=LIMIT_S, on_output=lambda line: self._take_finding(job, line)
        )
        self._jobs[job] = set(pending)
        job.start()
        self._on_change()
        return ""

    def end(self) -> None:
        """Ask no more."""
        for job in self._jobs:
            job.end()
        self._jobs.clear()

    def _take_finding(self, job: CommandJob, line: str) -> None:
        with self._app.guarded():
            finding = json.loads(line)
            name = str(finding["name"])
            self._fresh[name] = {"checked_at": datetime.now().astimezone().isoformat(timespec="seconds"), **finding}
            self._jobs[job].discard(name)
            self._on_change()

    def _ended(self, job: CommandJob) -> None:
        with self._app.guarded():
            del self._jobs[job]
            well = job.code in ENDED_WELL
            last = job.words.rpartition("\n")[2]
            words = last if well else with_keys(job.words)
            self._app.say(words or "the check ended without a word", bad=not well)
            self._on_change()
