"""Every screen of the app in one table, each loaded when it is first gone to, so that the first screen comes at once."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App, ScreenStackError
from textual.screen import Screen

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.plugins import Lazy

if TYPE_CHECKING:
    from tui_eval.configuring.drafting.drafts import Draft
    from tui_eval.core.kinds import ReadingRules
    from tui_eval.reporting.resend import Original
    from tui_eval.runs.entry import RunEntry
    from tui_eval.tui.hosts_first import Leaving
    from tui_eval.tui.open_run import OpenedRun
    from tui_eval.workspace.places import Workspace


MODES: Mapping[str, Lazy[type[Screen[Any]]]] = {
    "models": Lazy("tui_eval.tui.screens.models.screen:ModelsScreen"),
    "datasets": Lazy("tui_eval.tui.screens.datasets.screen:DatasetsScreen"),
    "run": Lazy("tui_eval.tui.screens.live.screen:LiveScreen"),
    "results": Lazy("tui_eval.tui.screens.runs.screen:RunsScreen"),
    "prompts": Lazy("tui_eval.tui.screens.prompts.screen:PromptsScreen"),
    "log": Lazy("tui_eval.tui.screens.log.screen:LogScreen"),
}
"""The screens of the number keys."""
ABOVE: Mapping[str, Lazy[type[Screen[Any]]]] = {
    "result": Lazy("tui_eval.tui.screens.result.screen:ResultScreen"),
    "setup": Lazy("tui_eval.tui.screens.setup.screen:SetupScreen"),
    "compare": Lazy("tui_eval.tui.screens.compare.screen:CompareScreen"),
    "bench": Lazy("tui_eval.tui.screens.bench.screen:ScorerBenchScreen"),
    "letters": Lazy("tui_eval.tui.screens.bench.letters:LettersScreen"),
    "resend": Lazy("tui_eval.tui.screens.resend.screen:ResendScreen"),
    "questions": Lazy("tui_eval.tui.screens.datasets.question_list:SetPreviewScreen"),
    "review": Lazy("tui_eval.tui.screens.datasets.review:ReviewScreen"),
}
"""What stands on top of those, and is given what it is about."""


def new_screen(name: str, *about: Any) -> Screen[Any]:
    """Make a screen of either table; `about`: what it is about."""
    return (MODES.get(name) or ABOVE[name]).load()(*about)


MOST_KEPT = 12
"""Screens that are kept as they were left, the newest."""


def screen_of(app: App[Any], name: str, *about: Any) -> Screen[Any]:
    """Return the screen about the same as it was left, where it is kept; else a new one."""
    from tui_eval.tui.page import ReturningPage

    key = f"{name} {about}"
    screen: Screen[Any] | None = app.get_screen(key) if app.is_screen_installed(key) else None
    app.uninstall_screen(key)
    if isinstance(screen, ReturningPage) and not screen.again():
        screen.remove()
        screen = None
    screen = screen or new_screen(name, *about)
    if isinstance(screen, ReturningPage):
        app.install_screen(screen, key)
    for oldest in [*app._installed_screens][:-MOST_KEPT]:
        with suppress(ScreenStackError):  # another stands on it
            old = app.get_screen(oldest)
            app.uninstall_screen(oldest)
            old.remove()
    return screen


def begin_setup(app: App[Any]) -> None:
    """Ask what a new run is to start from."""
    from tui_eval.tui.screens.setup.begin import begin

    begin(app)


def ask_before_calls(app: App[Any], entry: RunEntry, failed: bool, take_up: Callable[[bool], None]) -> None:
    """Ask whether a run with real models is to be taken up again, with what that would ask of them."""
    from tui_eval.tui.screens.runs.calls_question import CallsQuestion

    CallsQuestion(app, entry, failed, take_up, leaving_of_entry).put()


def leaving_of_entry(entry: Mapping[str, Any]) -> Leaving:
    """Return the egress of a run that is taken up again, from the JSON of its dry run."""
    from tui_eval.tui.hosts_first import leaving_of_entry

    return leaving_of_entry(entry)


def begin_bringing(screen: Screen[Any]) -> None:
    """Ask, on the screen of datasets, which documents or questions are brought."""
    from tui_eval.tui.screens.datasets.bringing import DocumentsPage

    if isinstance(screen, DocumentsPage):
        screen.action_bring()


def set_made_by(run: Path, workspace: Workspace) -> Path | str:
    """The set of questions that a run made, else why there is none to be seen."""
    from tui_eval.datasets.set_list import set_of_run

    try:
        return set_of_run(run, workspace) or "no set in the datasets folder was made by this run; v shows its results"
    except TuiEvalError as error:
        return str(error)


def draft(content: dict[str, Any], folder: Path) -> Draft:
    """A config that is being put together; paths in it are relative to the folder."""
    from tui_eval.configuring.drafting.drafts import Draft

    return Draft(content, folder)


def original_call(run: Path, attempt_id: str, workspace: Workspace) -> Original:
    """A recorded call, to be sent again. TuiEvalError where it cannot be."""
    from tui_eval.reporting.resend import original

    return original(run, attempt_id, workspace)


def real_models(run: Path) -> list[str]:
    """Names of a run's models that are neither simulated nor imported. TuiEvalError where its config cannot be read."""
    from tui_eval.configuring.reopening import real_models

    return real_models(run)


def certify(run: Path, workspace: Workspace) -> Sequence[str]:
    """Write the certificates that persons' marks of a run allow; lines that say which, and why not others, then all that the
    workspace has."""
    from tui_eval.reporting.certifying import certify, listed

    outcomes, listing = certify(run, workspace), [entry.sentence for entry in listed(workspace)]
    next_step = "C, on the results, counts the ratings in; this run's report then names its certificates, as later runs' do."
    lines = [line for outcome in outcomes for line in outcome.lines]
    lines += ["", next_step] if any(outcome.certificate for outcome in outcomes) else []
    return [*lines, "", "Certificates of this workspace", "", *listing] if listing else lines


def opened_run(path: Path, every_s: float) -> OpenedRun:
    """A run to be looked at. TuiEvalError where the folder is none."""
    from tui_eval.tui.open_run import OpenedRun

    return OpenedRun(path, every_s)


class RulesOfKinds:
    """The rules by which each kind's replies are read, and to which kinds scorers apply; what knows kinds takes a moment to
    load."""

    def __init__(self) -> None:
        self._found: Mapping[str, ReadingRules] = {}
        self._scored: frozenset[str] = frozenset()

    def known(self, kind: str | None) -> ReadingRules | None:
        """Those of a kind, at once; None where it has none, or where they were not looked up yet."""
        return self._found.get(kind or "")

    def has_targets(self, kind: str | None) -> bool:
        """Return whether scorers apply to a kind, at once; False where it was not looked up yet."""
        return kind in self._scored

    def of(self, kind: str | None) -> ReadingRules | None:
        """Those of a kind, looked up; to be asked beside the screen."""
        from tui_eval.configuring.drafting.new_configs import rules_by_kind
        from tui_eval.configuring.scorer_settings import scored_kinds

        self._scored = scored_kinds(kind or "")
        self._found = rules_by_kind(kind or "")
        return self.known(kind)


def load_ahead(rules: RulesOfKinds) -> None:
    """Load what the other screens need, so that no first visit waits for it, nor a look for garbage goes through it."""
    import tui_eval.tui.open_run
    import tui_eval.tui.screens.runs.calls_question
    import tui_eval.tui.screens.setup.begin  # noqa: F401

    for screen in (*MODES.values(), *ABOVE.values()):
        screen.load()
    rules.of(None)
    gc.freeze()
