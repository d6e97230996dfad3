"""Parts that every screen has: the line of screens above, status and keys below, and one look per tick at what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast

from textual.app import App, ComposeResult
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState, get_current_worker

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.kinds import ReadingRules
from tui_eval.runs.steering import RunEntry, Started
from tui_eval.tui.background.ordered_keys import OPENS
from tui_eval.tui.background.run_board import RunBoard
from tui_eval.tui.background.slices import Job, go_on
from tui_eval.tui.form_store import KeptForms, StoredDraft
from tui_eval.tui.widgets.chrome import KeysLine, ScreensLine, StatusLine
from tui_eval.workspace.places import Workspace

if TYPE_CHECKING:
    from tui_eval.tui.open_run import OpenedRun
    from tui_eval.tui.settings import Settings


Result = TypeVar("Result")


class Notification(NamedTuple):
    """Something that was told in passing."""

    words: str
    """Safe to show; perhaps several lines."""
    bad: bool
    at: float
    """When (monotonic clock)."""


class RulesByKind(Protocol):
    """The rules by which each kind's replies are read."""

    def known(self, kind: str | None) -> ReadingRules | None:
        """Those of a kind, at once; None where it has none, or where they were not looked up yet."""

    def of(self, kind: str | None) -> ReadingRules | None:
        """Those of a kind, looked up; to be asked beside the screen."""

    def has_targets(self, kind: str | None) -> bool:
        """Return whether scorers apply to a kind, at once; False where it was not looked up yet."""


class RunActions(Protocol):
    """Actions on runs, from any screen."""

    started: dict[Path, Started]
    """By run folder the processes that were started from here and are at work, so far as is known."""

    def stop(self, entry: RunEntry) -> None:
        """Ask, then stop."""

    def pause(self, entry: RunEntry) -> None:
        """Pause it; a paused one goes on."""

    def resume(self, entry: RunEntry, failed: bool) -> None:
        """Take it up again; `failed`: what failed or could not be read is asked again."""

    def rescore(self, entry: RunEntry) -> bool:
        """Make its reports anew from the log, a person's marks counted in; whether that was begun."""

    def rescores(self, path: Path) -> bool:
        """Return whether that is going on."""

    def done(self, deed: Callable[[], None], words: str) -> None:
        """Do something to a run and say so, or say why it cannot be done."""


class EvalHost(Protocol):
    """Interface of the app to its screens, beyond Textual's own; the app imports them, and none of them the app."""

    workspace: Workspace
    board: RunBoard
    opened: OpenedRun | None
    """The run that is looked at."""
    kept: KeptForms
    every_s: float
    """Between two looks at what changed; seconds."""
    key_at: float
    """When a key came last (monotonic clock)."""
    log_query: str | None
    """What another screen, or another run, wants the log to be filtered by when it is gone to next; empty = by nothing."""
    picked_from: Path | None
    """The folder that a file was chosen from last."""

    settings: Settings
    """What a person chose in the app."""

    @property
    def told(self) -> Notification | None:
        """Message in the status row now."""

    @property
    def run_actions(self) -> RunActions:
        """Actions on runs."""

    @property
    def rules(self) -> RulesByKind:
        """By which rules replies are read."""

    @property
    def entry(self) -> RunEntry | None:
        """The open run, as it is shown."""

    def say(self, words: str, bad: bool = False) -> None:
        """A short message, in the place of the one before; never mark-up, never an escape."""

    def clear_notifications(self) -> None:
        """Tell nothing any more."""

    def copy_text(self, text: str, shown: bool = False) -> None:
        """Copy, and say what was done."""

    def guarded(self) -> AbstractContextManager[None]:
        """Write down and tell once an exception that is raised in here; the app goes on."""

    def telling(self) -> AbstractContextManager[None]:
        """Tell why what is done in here cannot be done, where a person can mend that; it ends there, and the app goes on."""

    def open_run(self, path: Path) -> None:
        """Look at this run from now on."""

    def close_run(self, path: Path) -> None:
        """Look at it no more."""

    def open_first(self) -> None:
        """Open the run that was asked for, else a live one, else the newest."""

    def show(self, name: str, *args: Any) -> None:
        """A screen of the table `lazy_imports.ABOVE` on top of this one, and what it is about."""

    def send_again(self, run: Path, attempt_id: str) -> None:
        """Open the screen for sending an attempt's call again, or say why it cannot be sent."""

    def new_run(self, content: dict[str, Any], folder: Path) -> None:
        """The form of a new run that holds this already; paths in it are relative to the folder."""

    async def action_bring(self) -> None:
        """Pick documents or questions of one's own, and go on with them on the screen of datasets."""

    async def review(self, run: Path) -> None:
        """Look through the set of questions that a run made, on the screen of datasets; where there is none, say so."""

    def certify(self, run: Path) -> Sequence[str]:
        """Write the certificates that persons' marks of a run allow; to be called beside the screen."""

    def show_setup(self, draft: StoredDraft) -> None:
        """Show the form of a run; a step back leads here again."""

    async def leave_setup(self) -> None:
        """From the form back to where one came from."""

    async def begun(self, path: Path, started: Started) -> None:
        """Watch a run that was just started."""

    async def action_visit(self, mode: str) -> None:
        """Go somewhere from what stands on a screen; a step back leads here again."""

    async def action_number(self, mode: str) -> None:
        """Go to a screen by its number: from there, no step leads back here."""

    def action_leave(self) -> None:
        """Quit: runs are processes of their own and go on."""

    def call_from_thread(self, callback: Callable[..., Any], *args: Any) -> Any:
        """Textual's own: from a thread, have the app call something, and wait for it."""

    async def step_back(self) -> bool:
        """Back to where one came from; whether there was such a place."""

    def action_new_run(self) -> None:
        """Ask what a new run is to start from."""


def host(widget: MessagePump) -> EvalHost:
    """The app that a widget or a screen stands in, as screens know it."""
    return cast("EvalHost", widget.app)


def beside(
    node: Screen[Any] | App[Any],
    work: Callable[[], Result],
    then: Callable[[Result], object],
    group: str = "",
    otherwise: Callable[[str], object] | None = None,
    outlives: bool = False,
    keys_wait: bool = True,
) -> None:
    """Do what may take a while in a thread, then go on with its result; what is wrong is told, or handed to `otherwise`.

    Of a group the last counts: a thread cannot be broken off, and what was asked for earlier may come later. Keys wait for
    it, unless it never is what they are for: it may ask something. With a screen that was left meanwhile nothing goes on,
    unless the work `outlives` it.
    """
    tell = otherwise or partial(host(node).say, bad=True)

    def run() -> None:
        worker = get_current_worker()

        def go_on(result: Result) -> None:
            if outlives or (node.is_attached and not worker.is_cancelled):
                then(result)

        try:
            result = work()
        except (TuiEvalError, OSError) as error:
            host(node).call_from_thread(tell, str(error))
        else:
            host(node).call_from_thread(go_on, result)

    node.run_worker(
        run,
        group=f"{OPENS * keys_wait}{group or 'beside'}",
        description="beside the keys",
        exclusive=bool(group),
        exit_on_error=False,
        thread=True,
    )


class Page(Screen[None]):
    """A screen of the app. Its parts come from `parts`; `look` is called on every tick while it is the one on show."""

    MODE = ""
    """The number key's screen that it belongs to."""
    _said_here: Notification | None = None

    def compose(self) -> ComposeResult:
        """The frame around the parts."""
        yield ScreensLine(self.MODE)
        yield from self.parts()
        yield StatusLine()
        yield KeysLine()

    def parts(self) -> Iterable[Widget]:
        """Return the widgets between the lines above and below."""
        return ()

    def look(self) -> None:
        """See what changed, and draw it."""

    def offers(self, action: str) -> bool | str:
        """Return whether the line of keys names an action now, or by which other words; the key works all the same."""
        return True

    @property
    def eval_app(self) -> EvalHost:
        """The app, as screens know it."""
        return host(self)

    def on_mount(self) -> None:
        """Draw what is known already; Textual calls it behind what a screen of this sort does when it is mounted."""
        self.app.call_after_refresh(self.tick)

    def on_screen_resume(self) -> None:
        """Back on show: draw what changed meanwhile."""
        self.app.call_after_refresh(self.tick)

    def say_here(self, words: str) -> None:
        """A short message about this screen alone: it goes when the screen does."""
        self.eval_app.say(words)
        self._said_here = self.eval_app.told

    def on_screen_suspend(self) -> None:
        """Another screen is on show: what was said of this one would read as said of that."""
        if self._said_here is not None and self.eval_app.told is self._said_here:
            self.eval_app.clear_notifications()

    def run_worker(  # type: ignore[override]
        self, work: Any, name: str | None = "", *, description: str = "beside the keys", **options: Any
    ) -> Worker[Any]:
        """Work beside the keys. Described here: Textual would spell out all that the work holds, which may be a whole run."""
        return super().run_worker(work, name, description=description, **options)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Tell an exception of a background worker once."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            with self.eval_app.guarded():
                raise event.worker.error

    def tick(self) -> None:
        """One look, kept apart from the next: what goes wrong in it is told once and ends nothing."""
        if self.is_mounted and self.is_attached:
            with self.eval_app.guarded():
                if (opened := self.eval_app.opened) is not None:
                    opened.entry = self.joined(opened.latest)
                self.look()
                self.query_one(KeysLine).look(self)
            with self.eval_app.guarded():  # last: it says what was just looked at
                self.say_status()

    def joined(self, latest: RunEntry | None) -> RunEntry | None:
        """Return the open run as it is to be shown: as it is now, or as it was when what else is shown of it was counted."""
        return latest

    def say_status(self) -> None:
        """Show the latest message, else how the runs stand."""
        status, message = next(iter(self.query(StatusLine)), None), self.eval_app.told
        if status is not None and message is not None:
            status.tell(message.words, message.bad)
        elif status is not None:
            entries, shown = self.eval_app.board.entries, self.eval_app.entry
            entries = [shown if shown is not None and shown.path == entry.path else entry for entry in entries]
            status.look(entries, self.eval_app.workspace.root)


class ReturningPage(Page):
    """A screen that is kept as it was left: where the same is opened again, it stands there as before."""

    def again(self) -> bool:
        """Look at what has changed since it was left; return whether it can stand there again, or is to be made anew."""
        raise NotImplementedError


class Above(Page):
    """A screen on top of the one that it was opened from."""

    def action_leave(self) -> None:
        """Back to where it was opened."""
        self.app.pop_screen()


class Place(Page):
    """A screen that is gone to from others, or by its number."""

    async def action_leave(self) -> None:
        """Back to where one came from, else quit."""
        if not await self.eval_app.step_back():
            self.eval_app.action_leave()


class ReadingOn(Page):
    """A screen with jobs that are taken up again whenever there is something to do."""

    _reader: Worker[None] | None = None

    def jobs(self) -> Sequence[Job]:
        """Return the jobs to be done; asked for again before each slice."""
        return ()

    @property
    def is_reading(self) -> bool:
        """Return whether somebody is at it."""
        return self._reader is not None and not self._reader.is_finished

    def read_on(self) -> None:
        """Go on in the background, if there is something to do and nobody is at it."""
        if not self.is_reading and any(job.behind() for job in self.jobs()):
            self._reader = self.run_worker(self._go_on, thread=True, exit_on_error=False, group="reading")

    def _go_on(self) -> None:
        worker = get_current_worker()
        go_on(self.jobs, lambda: worker.is_cancelled)
