"""Letters of the scorer bench: the rule that is tried, the process that tries it, and the outcome of the trial."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tui_eval.tui.background.jobs import CommandJob
from tui_eval.tui.page import Page, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.bench.rule import ReadingRule, Rules
from tui_eval.tui.screens.bench.rule_rows import Tried, tried_of

LIMIT_S = 60.0
"""After so long a trial is ended: a pattern can take for ever on some replies."""


class Bench:
    """One rule after the other, tried on a run in a process of its own. `changed` is called when there is something new."""

    def __init__(self, page: Page, path: Path, rules: Rules, changed: Callable[[], None]) -> None:
        self.path, self.rules = path, rules
        self.own: ReadingRule | None = None
        """The rule of the run itself, once it was read."""
        self.rule = rules.usual()
        """The one that was chosen last; while it is tried, what is shown is by the one before."""
        self.tried: Tried | None = None
        self.tried_rule = self.rule
        """The one that `tried` is by."""
        self.trouble = ""
        self._page, self._changed = page, changed
        self._job: CommandJob | None = None
        self._keeping: CommandJob | None = None

    @property
    def busy(self) -> bool:
        """Return whether a trial is under way."""
        return self._job is not None

    def begin(self) -> None:
        """Try the run's own rule first: what it reads, and what it does not."""
        beside(self._page, partial(self.rules.of_run, self.path), self._begin, keys_wait=False)

    def is_own(self, rule: ReadingRule) -> bool:
        """Return whether this is the rule of the run."""
        return self.own is not None and self.rules.settings(rule) == self.rules.settings(self.own)

    def attempt(self, rule: ReadingRule) -> None:
        """Read every stored reply by this rule; the trial before it is ended."""
        self.end()
        self.rule, self.trouble = rule, ""
        self._job = CommandJob(self._page.eval_app.workspace, self._command("--dry-run"), self._ended, limit_s=LIMIT_S).start()
        self._changed()

    def end(self) -> None:
        """End a trial that nobody sees; a re-score that is being written goes on to its end."""
        if self._job is not None:
            self._job.end()
            self._job = None

    def keep(self) -> None:
        """Write what the rule makes of the run beside it; the run's own files stay as they are."""
        app = self._page.eval_app
        if self.busy:
            app.say("not kept: the rule is still being tried; w keeps it once its answers are shown", bad=True)
        elif self.tried is None:
            app.say("there is nothing to keep yet", bad=True)
        elif self.is_own(self.rule):
            app.say("this is the run's own rule: these are its results already")
        elif self._keeping is None:
            app.say("writing the re-score …")
            self._keeping = CommandJob(app.workspace, self._command(), self._finish_keeping).start()

    def _command(self, *more: str) -> list[str]:
        settings = [word for setting in self.rules.settings(self.rule) for word in ("--set", setting)]
        return ["rescore", str(self.path.absolute()), *settings, "--json", *more]

    def _begin(self, own: ReadingRule) -> None:
        self.own = own
        self.attempt(own)

    def _ended(self, job: CommandJob) -> None:
        if job is not self._job:
            return
        if job.code == 0 and not job.cut:
            beside(self._page, partial(_parsed, job), partial(self._take, job), group="parse", keys_wait=False)
        else:
            self._take(job, trouble_of(job))

    def _take(self, job: CommandJob, outcome: Tried | str) -> None:
        """Show what came of a trial: changes, or words why there are none."""
        if job is self._job and self._page.is_mounted:
            tried, trouble = (None, outcome) if isinstance(outcome, str) else (outcome, "")
            self._job, self.tried, self.tried_rule, self.trouble = None, tried, self.rule, trouble
            self._changed()

    def _finish_keeping(self, job: CommandJob) -> None:
        self._keeping = None
        app = self._page.eval_app
        if job.code != 0:
            app.say(trouble_of(job), bad=True)
        else:
            app.say(f"kept in {json.loads(job.stdout)['path']}")


def _parsed(job: CommandJob) -> Tried | str:
    try:
        return tried_of(job.stdout)
    except (ValueError, KeyError, TypeError):
        return "the output of the trial cannot be read"


def trouble_of(job: CommandJob) -> str:
    """Why a trial came to nothing, in a sentence."""
    if job.timed_out:
        return f"ended after {LIMIT_S:g} s: a pattern takes too long on some reply, or the run is very large"
    if job.cut:
        return "too many answers are read differently to list them here; tui-eval rescore RUN --dry-run shows them"
    return safe_line(job.words.removeprefix("error: ") or f"the command ended with code {job.code}", 1000)
