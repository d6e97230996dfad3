"""The question before calls to real models: asked at once, with number and cost as soon as a process has counted them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from tui_eval.core.plaintext import count_of
from tui_eval.runs.steering import RunEntry
from tui_eval.tui.background.jobs import CommandJob
from tui_eval.tui.page import beside, host
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.confirm import ANSWERS, Confirm
from tui_eval.tui.words import count, usd

if TYPE_CHECKING:
    from tui_eval.tui.hosts_first import Leaving

COUNTING = "counting what it would ask …"
STILL = "still counting: y works once the number of calls and their cost are shown"
NOT_YET = "n  no (also Esc, Backspace, q)"


class ConfirmCalls(Confirm):
    """A yes counts only once the figures stand there: what nobody could read is answered by no key."""

    CSS = f"""{Confirm.CSS.replace("Confirm", "ConfirmCalls")}
    ConfirmCalls VerticalScroll {{ height: auto; max-height: 55vh; margin: 1 0; background: $surface; }}
    ConfirmCalls #figures {{ height: auto; }}
    """

    def __init__(self, question: str) -> None:
        super().__init__(question, "")
        self._question = question
        self._told_early = STILL
        self.counted = False
        """Whether the figures stand there."""

    def compose(self) -> ComposeResult:
        """The question, the figures, and the keys, which are always in view."""
        with Vertical():
            yield Static(self._question, markup=False)
            with VerticalScroll():
                yield Static(COUNTING, id="figures", markup=False)
            yield Static(NOT_YET, id="answers", markup=False)

    def show_figures(self, words: str) -> None:
        """Put the figures; from here on a yes counts."""
        self.counted = True
        self.query_one("#figures", Static).update(words)
        self.query_one("#answers", Static).update(ANSWERS)

    def show_trouble(self, words: str) -> None:
        """Say why nothing can be asked; a yes counts for nothing."""
        self._told_early = words
        self.query_one("#figures", Static).update(words)

    def dismiss(self, result: bool | None = None) -> AwaitComplete:
        """Answer, and go; a yes that comes too early does neither."""
        if result and not self.counted:
            self.query_one("#figures", Static).update(self._told_early)
            return AwaitComplete.nothing()  # type: ignore[no-any-return, no-untyped-call]
        return super().dismiss(result)


LIMIT_S = 1800.0
"""Seconds after which counting is given up: the largest logs take some minutes on a slow machine."""
SHOWN_MODELS = 6
PAID_AGAIN = (
    "Yes asks these calls, and pays for them, once more. No does nothing: put a sound copy of the log in its place, and "
    "resume then."
)
TakeUp = Callable[[bool], None]
"""What a yes begins. True: lines of the log are destroyed, and their calls are to be asked again."""
LeavingOf = Callable[[Mapping[str, Any]], "Leaving"]


class CallsQuestion:
    """One question about one run, from its first words to the answer.

    `leaving_of` knows the hosts, as `late` has it: what stands behind it takes a moment to load.
    """

    def __init__(self, app: App[Any], entry: RunEntry, failed: bool, take_up: TakeUp, leaving_of: LeavingOf) -> None:
        self._leaving_of = leaving_of
        self._app, self._host, self._take_up = app, host(app), take_up
        self._dialog = ConfirmCalls(f"Send calls of {safe_line(entry.run_id, 44)} to real models?")
        self._size: Mapping[str, Any] = {}
        """What was counted, as `tui-eval resume --dry-run --json` has it."""
        self._leaving: Leaving | None = None
        words = ["resume", str(entry.path.absolute()), *["--failed"] * failed, "--dry-run", "--json"]
        self._job = CommandJob(self._host.workspace, words, self._take_size, limit_s=LIMIT_S)

    def put(self) -> None:
        """Ask; counting begins once the question is drawn."""
        self._app.push_screen(self._dialog, self._answered)
        self._app.call_after_refresh(self._job.start)

    def _answered(self, yes: bool | None) -> None:
        self._job.end()
        if not yes:
            return
        with self._host.telling():
            if self._leaving is not None:
                self._leaving.allow(self._host.workspace)
            self._take_up(bool(self._size["damaged"]))

    def _take_size(self, job: CommandJob) -> None:
        if not self._dialog.is_attached:
            return
        if job.code == 0 and not job.cut:
            with self._host.guarded():
                size = json.loads(job.stdout)
                find = partial(self._leaving_of, size["egress"])  # what knows the hosts takes a moment to load
                beside(self._dialog, find, partial(self._show, size), otherwise=self._show_trouble, keys_wait=False)
        else:
            why = safe_line(job.words.removeprefix("error: "), 1000) or f"counting ended with code {job.code}"
            self._show_trouble(why)

    def _show(self, size: Mapping[str, Any], leaving: Leaving) -> None:
        self._size, self._leaving = size, leaving
        rest = leaving.lines[len(leaving.new) :]
        self._dialog.show_figures("\n".join([*size_lines(size), *leaving.new, *model_lines(size["models"]), *rest]))

    def _show_trouble(self, why: str) -> None:
        if self._dialog.is_attached:
            self._dialog.show_trouble(f"It cannot go on: {why}")


def size_lines(size: Mapping[str, Any]) -> list[str]:
    """Describe how many calls there are, below which limit, at what cost at most."""
    lines = [f"{count_of(size['calls'], 'call')} to real models, at most {count(size['room'])} with retries.", cost_words(size)]
    if not size["calls"] and not size["may_follow"]:
        lines = ["No call to a real model is left to be asked."]
    if size["simulated_calls"]:
        lines.append(f"{count_of(size['simulated_calls'], 'call')} more to simulated models.")
    if size["in_batches"]:
        lines.append(
            f"{count_of(size['in_batches'], 'call')} of them were handed over in batches: they are fetched, not asked again."
        )
    if size["damaged"]:
        lines.append(f"{safe_line(size['damaged'], 200)}. {PAID_AGAIN}")
    return lines


def cost_words(size: Mapping[str, Any]) -> str:
    """The most that it costs: if each call is sent once, and whatever happens where there is a cap on cost."""
    most, rest = size["max_cost_usd"], size["left_usd"]
    if rest is not None and (most is None or rest < most):
        return f"Cost: at most {usd(rest)}, which the run's cap on cost leaves."
    if most is None:
        return "Cost unknown."
    return f"Cost: at most {usd(most)} if each is sent once" + ("." if rest is None else f", {usd(rest)} whatever happens.")


def model_lines(models: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the real models that are asked, those with the most calls first."""
    real_models = sorted((model for model in models if model["real"] and model["calls"]), key=lambda model: -model["calls"])
    lines = [f"{safe_line(model['name'], 40)}: {count_of(model['calls'], 'call')}" for model in real_models[:SHOWN_MODELS]]
    rest = real_models[SHOWN_MODELS:]
    more = f"{count_of(len(rest), 'more model')}: {count_of(sum(model['calls'] for model in rest), 'call')}"
    return [*lines, *([more] if rest else [])]
