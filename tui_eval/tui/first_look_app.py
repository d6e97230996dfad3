"""The first look at a folder of others: what it brings, before any of it takes effect; trusted, only looked at, or left."""

from __future__ import annotations

import os
from pathlib import Path

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from tui_eval.core.errors import ConfigError
from tui_eval.tui.sanitize import safe_line
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import look_only, record_of

KEYS = " y  trust it    s  look, send nothing    n  leave    j k  scroll"
MORE = " there is more: y trusts at the end    s  look    n  leave    j k  scroll"


class FirstLookApp(App[str]):
    """One screen before the app itself, with keys and colours that no folder can change; returns y, s or n."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #title { height: 1; background: $primary; color: $background; text-style: bold; }
    VerticalScroll { padding: 1; }
    VerticalScroll > Static { padding: 0 0 0 2; }
    .asks { color: $warning; }
    #keys { height: 1; dock: bottom; background: $surface; }
    """
    BINDINGS = [
        Binding("y", "exit_with('y')", "Trust"),
        Binding("s", "exit_with('s')", "Look"),
        Binding("n,q,escape,ctrl+c,ctrl+q", "exit_with('n')", "Leave", priority=True),
        Binding("j,down", "scroll(1)", "Down", show=False, priority=True),
        Binding("k,up", "scroll(-1)", "Up", show=False, priority=True),
    ]

    def __init__(self, folder: Path, lines: list[str]) -> None:
        super().__init__()
        self._folder = folder
        self._lines = lines
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        """The folder, what it brings, and the keys."""
        yield Static(" tui-eval · a folder that was not made here", id="title", markup=False)
        with VerticalScroll():
            yield Static(f"{safe_line(str(self._folder), 300)}\n\nIt contains:\n", markup=False)
            for line in self._lines:
                yield Static(safe_line(line, 1000), markup=False, classes="asks" if line.startswith("needs a yes") else "")
            yield Static(f"\n{CONSEQUENCES}", markup=False)
        yield Static(KEYS, id="keys", markup=False)

    def action_exit_with(self, answer: str) -> None:
        """Answer; y only once the end of what it brings was in view."""
        text = self.query_one(VerticalScroll)
        if answer == "y" and text.scroll_offset.y < text.max_scroll_y:
            text.scroll_page_down(animate=False)
            self.query_one("#keys", Static).update(MORE)
            return
        self.exit(answer)

    def action_scroll(self, lines: int) -> None:
        """Scroll what it brings."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


CONSEQUENCES = """\
y  its settings apply, and all that needs a yes above may be sent;
   later, new values, hosts for them and outside files are asked about
s  results can be read; nothing is sent in this session
n  nothing happens

A yes is kept at home, never in the folder."""


def may_bring(workspace: Workspace) -> bool:
    """Return whether a folder holds anything that could take effect here; cheap enough for each start."""
    names = ("prompts", "themes", ".conf")
    if any(os.path.lexists(workspace.root / name) for name in names):
        return True
    try:
        with os.scandir(workspace.root) as entries:
            return any(entry.name.endswith(".toml") or entry.is_symlink() for entry in entries)
    except OSError:
        return False


def looked_at(workspace: Workspace) -> bool:
    """Ask about a folder of others that brings anything; whether the app is to begin. What was answered holds from here on."""
    if record_of(workspace.root).own or not may_bring(workspace):
        return True
    from tui_eval.configuring.first_look import first_look  # only here: it loads settings of every model

    look = first_look(workspace)
    if not look.brings_anything:
        return True
    answer = FirstLookApp(workspace.root.absolute(), look.lines()).run()
    if answer == "y":
        try:
            look.allow()
        except ConfigError:
            return True  # it holds for this process, which says so where something is sent
    elif answer == "s":
        look_only()
    return answer in ("y", "s")
