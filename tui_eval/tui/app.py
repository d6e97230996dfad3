"""The full-screen app: which screens there are, which run is open, and what is done to runs. It reads run folders."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.geometry import Size
from textual.screen import Screen

from tui_eval.runs import steering
from tui_eval.runs.steering import RunEntry
from tui_eval.tui import lazy_imports
from tui_eval.tui.background.ordered_keys import OPENS
from tui_eval.tui.background.run_board import RunBoard
from tui_eval.tui.form_store import KeptForms, StoredDraft
from tui_eval.tui.keymap import FILE as KEYMAP_FILE
from tui_eval.tui.keymap import Palette, bind, clashes, commands, own_keys
from tui_eval.tui.notifications import TellingApp
from tui_eval.tui.page import EvalHost, Page, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.confirm import Confirm, confirm
from tui_eval.tui.screens.dialogs.help import Help, keys_of
from tui_eval.tui.screens.dialogs.too_small import TooSmall, too_small
from tui_eval.tui.screens.runs.run_actions import AppRunActions
from tui_eval.tui.settings import Settings
from tui_eval.tui.shutdown import farewell, finished, hung_up
from tui_eval.tui.themes import WITHOUT_COLOURS, all_themes, known_theme
from tui_eval.tui.widgets.chrome import SCREENS, keys_that_work
from tui_eval.workspace.places import Workspace

if TYPE_CHECKING:
    from tui_eval.reporting.resend import Original
    from tui_eval.tui.open_run import OpenedRun

ENDED = 143
"""Exit code where the app was told to end (SIGTERM), or its terminal is gone."""
AHEAD_S = 0.3
"""After the first screen stands, the modules of the others are loaded beside it."""


class EvalApp(TellingApp):
    """Runs of a workspace, watched and read from the keyboard."""

    TITLE = "tui-eval"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    MODES = {name: partial(lazy_imports.new_screen, name) for name in lazy_imports.MODES}
    BINDINGS: ClassVar[list[Binding]] = [  # type: ignore[assignment]
        *(bind(f"go.{mode}", f"number('{mode}')", title, show=False) for mode, title in SCREENS),
        bind("go.previous", "turn(-1)", "Previous screen", show=False),
        bind("go.next", "turn(1)", "Next screen", show=False),
        bind("run.new", "new_run", "New run", tooltip="Set up a run: from an example, a kind, a config, an earlier run"),
        bind("app.help", "help", "Help"),
        bind("app.palette", "command_palette", "Commands", show=False),
        bind("app.told", "told", "Notices", show=False, tooltip="The latest notices, in full"),
        bind("app.redraw", "redraw", "Draw the screen anew", show=False),
        bind("app.suspend", "suspend_process", "Suspend the app (fg brings it back)", show=False),
        bind("app.leave", "leave", "Quit", tooltip="Quit; runs go on by themselves"),
        Binding("ctrl+q", "leave", "Quit", show=False, priority=True, id="app.always_leave"),
    ]

    def __init__(self, workspace: Workspace, attach: Path | None = None) -> None:
        over_ssh = bool(os.environ.get("SSH_CONNECTION"))
        super().__init__()
        self.workspace = workspace
        self.settings = Settings(workspace)
        self.every_s = 0.5 if over_ssh else 0.25
        self.board = RunBoard(workspace, 2.0 if over_ssh else 1.0)
        self.opened: OpenedRun | None = None
        self.log_query: str | None = None
        """Filter of the log from when it is gone to next, empty = none; None where it stays as it is."""
        self.animation_level = "none"
        self._begun = False
        """Whether the first screen stands."""
        self._trail: list[str] = []
        """The screens that one came from, step by step."""
        self._first = None if attach is None else self.board.also(attach)
        self._troubles: set[str] = set()
        self._clashes: set[str] = set()
        self.run_actions = AppRunActions(self)
        self.board.processes = self.run_actions.started
        self.picked_from: Path | None = None
        """The folder that a file was chosen from last."""
        self.kept = KeptForms()
        self.rules = lazy_imports.RulesOfKinds()
        self._own_theme()
        self._own_keys()

    # starting and ending

    async def on_mount(self) -> None:
        """Show the runs, or the one that was asked for."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.action_leave, ENDED)
        self.board.start()
        self.set_interval(self.every_s, self._tick)
        self.set_timer(
            AHEAD_S, threading.Thread(target=lazy_imports.load_ahead, args=[self.rules], name="load ahead", daemon=True).start
        )
        await self.action_go("results" if self._first is None else "result" if finished(self._first) else "run")
        self._begun = True
        self._fit(self.size)
        while self.settings.wrong:
            self.say(self.settings.wrong.pop(0), bad=True)

    def on_resize(self, event: events.Resize) -> None:
        """On a terminal that is too small, cover everything: no key may do what cannot be seen."""
        self._fit(event.size)

    def _fit(self, size: Size) -> None:
        if not self._begun:
            return
        covered = isinstance(self.screen, TooSmall)
        if too_small(size) and not covered:
            self.push_screen(TooSmall())
        elif covered and not too_small(size):
            self.pop_screen()

    def _ask_size(self) -> None:
        # Two signals of a window being dragged can overtake one another in Textual's handler: then the older size stays.
        size = self.size if self.is_headless else Size(*shutil.get_terminal_size())
        if size != self.size:
            self.post_message(events.Resize(size, size))

    def on_unmount(self) -> None:
        """Let go of everything."""
        self.board.close()
        if self.opened is not None:
            self.opened.close()

    def action_leave(self, code: int = 0) -> None:
        """Quit: runs are processes of their own and go on. A form that is not saved is asked about, once."""
        unsaved = self.kept.unsaved
        if unsaved and not code and not isinstance(self.screen, Confirm):
            names = ", ".join(safe_line(draft.get(("name",)) or draft.kind, 40) for draft in unsaved[:3])
            words = f"A form of a run ({names}) is neither saved nor started. s goes back to it, and F2 there saves it."
            confirm(self, "Quit without it?", words, partial(self._leave, 0))
            return
        self._leave(code)

    def _leave(self, code: int) -> None:
        live = [entry.run_id for entry in self.board.latest if entry.live and entry.state != "paused"]
        paused = [entry.run_id for entry in self.board.latest if entry.live and entry.state == "paused"]
        self.exit(return_code=code, message=farewell(live, paused))

    def _tick(self) -> None:
        if not self.is_running or not self.screen_stack:
            return
        if hung_up(sys.stdin):
            self.action_leave(ENDED)
        self._ask_size()
        self._fit(self.size)
        self.run_actions.look_at_started()
        self.board.take_up()
        opened, troubles = self.opened, [self.board.trouble]
        if opened is not None:
            opened.follow(self.board.entry(opened.path))
            troubles.append(opened.follower.trouble)
        for trouble in filter(None, troubles):
            self._tell_once(trouble)
        page = next((screen for screen in reversed(self.screen_stack) if isinstance(screen, Page)), None)
        if page is not None:  # also where a question or the help stands before it
            page.tick()
            self._tell_clashes(page)

    # going about

    async def action_go(self, mode: str) -> None:
        """Go to a screen; the results of the open run stand on top of the list of runs."""
        if mode in ("run", "log", "result") and self.opened is None:
            self.open_first()
        if mode == "result":
            await self._go_to_result()
            return
        if mode == self.current_mode and len(self.screen_stack) > 1 and isinstance(self.screen, Page):
            await self.pop_screen()
            return
        if not isinstance(self.screen, Page) and len(self.screen_stack) > 1:
            return
        await self.switch_mode(mode)
        if mode == "log" and self.log_query is not None:
            await self._only_first()

    async def action_visit(self, mode: str) -> None:
        """Go somewhere from what stands on a screen; a step back leads here again."""
        if not (mode == "result" and self.current_mode == "results"):  # that one stands on top of the list it came from
            self._trail.append(self.current_mode)
        self.log_query = self.log_query or ("" if mode == "log" else self.log_query)  # all calls, where none are asked for
        await self.action_go(mode)
        if mode == "run":
            await self._only_first()  # the monitor was meant, not a form that stands on it

    async def action_number(self, mode: str) -> None:
        """Go to a screen by its number: from there, no step leads back here."""
        self._trail.clear()
        await self.action_go(mode)

    async def step_back(self) -> bool:
        """Back to where one came from; whether there was such a place."""
        while self._trail:
            mode = self._trail.pop()
            if mode != self.current_mode:
                await self.switch_mode(mode)
                return True
        return False

    async def action_turn(self, by: int) -> None:
        """The next screen, or the one before."""
        names = [mode for mode, _ in SCREENS]
        await self.action_number(names[(names.index(self.current_mode) + by) % len(names)])

    def action_help(self) -> None:
        """Every key that works here."""
        self.push_screen(Help(f"Keys of {self.current_mode}", keys_of(keys_that_work(self.screen))))

    async def _go_to_result(self) -> None:
        if self.current_mode != "results":
            await self.switch_mode("results")
        await self._only_first()
        self.show("result", self.opened and self.opened.path)

    # setting up a run, and comparing

    def action_new_run(self) -> None:
        """Ask what a new run is to start from."""
        lazy_imports.begin_setup(self)

    def new_run(self, content: dict[str, Any], folder: Path) -> None:
        """The form of a new run that holds this already, at what it lacks; paths in it are relative to the folder."""
        self.show_setup(lazy_imports.draft(content, folder), at_needed=True)

    async def action_bring(self) -> None:
        """Pick documents or questions of one's own, and go on with them on the screen of datasets."""
        if self.current_mode != "datasets":
            await self.action_visit("datasets")
        await self._only_first()
        lazy_imports.begin_bringing(self.screen)

    def certify(self, run: Path) -> Sequence[str]:
        """Write the certificates that persons' marks of a run allow; to be called beside the screen."""
        return lazy_imports.certify(run, self.workspace)

    async def review(self, run: Path) -> None:
        """Look through the set of questions that a run made; where there is none, say so."""
        entry = self.board.entry(run)
        if entry is not None and entry.live:
            self.say("the set is put together when the run has ended; v shows the results so far")
            return
        path = lazy_imports.set_made_by(run, self.workspace)
        if isinstance(path, str):
            self.say(path, bad=True)
            return
        await self.action_visit("datasets")
        await self._only_first()
        self.show("review", path)

    def show_setup(self, draft: StoredDraft, at_needed: bool = False) -> None:
        """Show the form of a run; a step back leads here again. `at_needed`: at the first field that has to be filled in."""
        self.kept.keep(draft)
        screen = lazy_imports.new_screen("setup", draft, at_needed)
        self.run_worker(self._show_setup(screen), group=f"{OPENS}form", description="a form")

    async def _show_setup(self, screen: Screen[Any]) -> None:
        if self.current_mode != "run":
            self._trail.append(self.current_mode)
            await self.switch_mode("run")
        await self._only_first()
        await self.push_screen(screen)

    async def leave_setup(self) -> None:
        """From the form back to where one came from."""
        await self._only_first()
        await self.step_back()

    async def begun(self, path: Path, started: steering.Started) -> None:
        """Watch a run that was just started."""
        self.run_actions.started[path] = started
        self.board.begun = path
        self.board.look()
        self.open_run(path)
        await self.switch_mode("run")
        await self._only_first()

    def show(self, name: str, *args: Any) -> None:
        """A screen of the table `lazy_imports.ABOVE` on top of this one, and what it is about."""
        self.push_screen(lazy_imports.screen_of(self, name, *args))

    def send_again(self, run: Path, attempt_id: str) -> None:
        """Open the screen for sending an attempt's call again, or say why it cannot be sent."""
        self.say("reading what was sent …")
        work = partial(lazy_imports.original_call, run, attempt_id, self.workspace)  # it loads what reads configs
        beside(
            self.screen,
            work,
            partial(self._show_original, self.screen),
            group="resend",
            otherwise=lambda why: self.say(f"this call cannot be sent again: {why}", bad=True),
        )

    def _show_original(self, asked_on: Screen[Any], original: Original) -> None:
        if asked_on.is_current:
            self.clear_notifications()
            self.show("resend", original)

    def pop_screen(self) -> AwaitComplete:
        """One screen back; from the first one nowhere, however many keys were pressed while it was gone to."""
        if len(self.screen_stack) <= 1:
            return AwaitComplete.nothing()  # type: ignore[no-any-return, no-untyped-call]
        return super().pop_screen()

    async def _only_first(self) -> None:
        """Take off what stands on top of the screen's first page."""
        while len(self.screen_stack) > 1:
            await self.pop_screen()

    # the open run

    def open_run(self, path: Path) -> None:
        """Look at this run from now on."""
        if self.opened is not None and self.opened.path == path:
            return
        with self.telling():
            opened = lazy_imports.opened_run(path, self.every_s)
            if self.opened is not None:
                self.opened.close()
            opened.follow(self.board.entry(path))
            self.opened, self.log_query = opened, self.log_query or ""

    def close_run(self, path: Path) -> None:
        """Look at it no more."""
        if self.opened is not None and self.opened.path == path:
            self.opened.close()
            self.opened = None

    @property
    def entry(self) -> RunEntry | None:
        """The open run, as it is shown."""
        return None if self.opened is None else self.opened.entry or self.board.entry(self.opened.path)

    def open_first(self) -> None:
        """Open the run that was asked for, else a live one, else the newest."""
        entries = self.board.entries
        newest = next((entry for entry in entries if entry.live), entries[0] if entries else None)
        if self._first is not None:
            self.open_run(self._first)
        elif newest is not None:
            self.open_run(newest.path)

    # telling and copying

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """Write down and tell once an exception that is raised in here; the app goes on."""
        try:
            yield
        except Exception as error:
            if not self.told_of_memory(error):
                self._tell_once(traceback.format_exc())

    def written_down(self, error: Exception) -> None:
        """Write down what went wrong when nobody looks any more."""
        self._note("".join(traceback.format_exception(error)))

    def _note(self, trouble: str) -> Path:
        return self.settings.note(f"{time.strftime('%Y-%m-%dT%H:%M:%S')}\n{trouble}\n")

    def _tell_once(self, trouble: str) -> None:
        if trouble in self._troubles:
            return
        self._troubles.add(trouble)
        file = self._note(trouble)
        self.say(f"something went wrong on this screen; the rest goes on. {file} has the traceback", bad=True)

    # themes and keys

    def _own_theme(self) -> None:
        themes, wrong = all_themes(self.workspace)
        self.settings.wrong += wrong
        for theme in themes.values():
            self.register_theme(theme)
        theme_name = WITHOUT_COLOURS if self.no_color else os.environ.get("TEXTUAL_THEME") or self.settings.theme
        self.theme, trouble = known_theme(theme_name or "", self.available_themes, themes)
        self.settings.wrong += trouble

    def _own_keys(self) -> None:
        self._keys, wrong = own_keys(self.workspace.root / ".conf" / KEYMAP_FILE, self.workspace.root)
        self.settings.wrong += wrong
        self.set_keymap(self._keys)

    def _tell_clashes(self, screen: Page) -> None:
        """Two things on one key because of a person's own keys: said once. Textual tells only some of them."""
        if not self._keys:
            return
        for names in clashes((node._bindings for node in (screen.focused or screen).ancestors_with_self), self._keys):
            if names not in self._clashes:
                self._clashes.add(names)
                self.say(f"{KEYMAP_FILE}: {names} have one key; only one of them can be reached", bad=True)

    def action_command_palette(self) -> None:
        """Open the command palette, once."""
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def get_system_commands(self, screen: Screen[Any]) -> Iterator[SystemCommand]:
        """Yield the commands of the command palette."""
        yield from commands(self, screen, self._choose_theme)

    def _choose_theme(self, name: str) -> None:
        self.theme = name
        trouble = self.settings.keep_theme(name)
        if trouble:
            self.say(trouble, bad=True)


if TYPE_CHECKING:

    def _as_host(app: EvalApp) -> EvalHost:
        """The type checker sees here that the app has all that screens need of it."""
        return app
