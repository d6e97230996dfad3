"""A file or a folder, found by typing its path, with what lies there under that name, or by walking."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from tui_eval.tui.keymap import KEYS, bind, spoken
from tui_eval.tui.page import beside, host
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.dialogs.dialog import Dialog
from tui_eval.tui.widgets.cells import Cell, Column, Rows, fitted, row_cells
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.words import count, size

MOST_READ = 200_000
"""Names of one folder that are looked at."""
MOST_SHOWN = 1_000
"""Of those that match, how many are listed."""


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A name in a folder."""

    name: str
    folder: bool
    bytes: int | None = None
    """None for folders, and where it is no file that can be read."""
    fits: bool = True
    """Whether it is of a sort that is looked for."""


@dataclass(frozen=True, slots=True)
class FolderListing:
    """Listing of a folder."""

    folder: Path
    found: Sequence[FolderEntry] = ()
    matching: int = 0
    """How many match; perhaps more than are listed."""
    names: int = 0
    more: bool = False
    """Whether the folder has more names than were looked at."""
    trouble: str = ""
    common: str = ""
    """As far as all that begin as typed agree."""


def look_in(folder: Path, typed: str, suffixes: Sequence[str], cancelled: Callable[[], bool]) -> FolderListing:
    """The names in a folder that begin as typed, or where none does, have it in them; hidden ones only with their dot."""
    try:
        names, more = _names(folder, typed.startswith("."), cancelled)
    except (OSError, ValueError) as error:
        return FolderListing(folder, trouble=_why(error))
    needle = typed.casefold()
    begins = [name for name in names if name.casefold().startswith(needle)]
    matching = begins or [name for name in names if needle in name.casefold()]
    folders = {name for name in matching if names[name]}
    order = sorted(matching, key=lambda name: (name not in folders, name != typed, name.casefold(), name))
    entries = [_entry_of(folder, name, name in folders, suffixes) for name in order[:MOST_SHOWN]]
    return FolderListing(folder, entries, len(matching), len(names), more, common=typeable(_common(begins)))


def typeable(text: str) -> str:
    """A text as far as it can stand in a line where one types: no control character, nothing that is shown as another."""
    for end, letter in enumerate(text):
        if not letter.isprintable() or safe(text[: end + 1]) != text[: end + 1]:
            return text[:end]
    return text


def _common(names: Sequence[str]) -> str:
    """The letters that all names begin with."""
    first, last = min(names, default=""), max(names, default="")
    return first[: next((i for i, letter in enumerate(first) if last[i : i + 1] != letter), len(first))]


def _names(folder: Path, hidden: bool, cancelled: Callable[[], bool]) -> tuple[dict[str, bool], bool]:
    """Every name and whether it is a folder, links followed; and whether there are more."""
    names: dict[str, bool] = {}
    with os.scandir(folder) as entries:
        for looked_at, entry in enumerate(entries):
            if looked_at == MOST_READ or (looked_at % 1000 == 0 and cancelled()):
                return names, True
            if hidden or not entry.name.startswith("."):
                names[entry.name] = _is_folder(entry)
    return names, False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _entry_of(folder: Path, name: str, is_folder: bool, suffixes: Sequence[str]) -> FolderEntry:
    if is_folder:
        return FolderEntry(name, True)
    try:
        about = os.stat(folder / name)
    except OSError:
        return FolderEntry(name, False, fits=False)
    readable = stat.S_ISREG(about.st_mode)
    fits = readable and (not suffixes or os.path.splitext(name)[1].casefold() in suffixes)
    return FolderEntry(name, False, about.st_size if readable else None, fits)


WHY_NOT: Mapping[type[Exception], str] = {
    FileNotFoundError: "There is no such folder; Backspace deletes letters, Ctrl+U all of them.",
    PermissionError: "You may not read this folder: its permissions do not allow it.",
    NotADirectoryError: "This is a file, not a folder; delete the last /.",
}
"""What is said of a folder that cannot be read."""


def _why(error: OSError | ValueError) -> str:
    return WHY_NOT.get(type(error)) or f"This folder cannot be read: {getattr(error, 'strerror', None) or error}"


HERE, UP = ".", ".."
TAKE = spoken(KEYS["path.take"].partition(",")[0])


class NameRow(NamedTuple):
    """Row of the list: what has the name, the sign before it, and whether the cursor is on it."""

    found: FolderEntry
    sign: str
    at_cursor: bool


def _name(row: NameRow) -> Cell:
    entry = row.found
    name = {HERE: "./  this folder", UP: "../  the folder above"}.get(
        entry.name, row.sign + safe_line(entry.name) + "/" * entry.folder
    )
    return (name, "accent") if entry.folder else name if entry.fits else (name, "dim")


def _size(row: NameRow) -> Cell:
    return "" if row.found.folder else "-" if row.found.bytes is None else size(row.found.bytes), "dim"


COLUMNS: Sequence[Column[NameRow]] = (
    Column("", 1, lambda row: "›" if row.at_cursor else " "),
    Column("name", 24, _name, share=1, middle=True),
    Column("size", 9, _size, right=True),
)


class FoundTable(RowTable, can_focus=False):
    """The names; the keys stay with the line above."""


class PickPath(Dialog[Path]):
    """A path as it is typed, and below it what is there. None where nothing was picked."""

    SCOPED_CSS = False  # it holds for what is built on this, too
    CSS = """
    PickPath > Vertical { height: 88%; }
    PickPath Input { height: 1; border: none; padding: 0 1; background: $panel; }
    PickPath Input:focus { border: none; }
    PickPath #title { padding: 0 1; text-style: bold; height: auto; max-height: 3; }
    """
    BINDINGS = [
        bind("path.take", "take", "Take it"),
        bind("path.complete", "complete", "Complete", priority=True),
        bind("path.down", "step(1)", "Down", show=False),
        bind("path.up", "step(-1)", "Up", show=False),
        bind("path.half_down", "half(1)", "Half a page down", show=False),
        bind("path.half_up", "half(-1)", "Half a page up", show=False),
        bind("path.close", "dismiss(None)", "Close"),
    ]

    def __init__(self, title: str, start: Path, folders: bool = False, suffixes: Sequence[str] = ()) -> None:
        super().__init__()
        self._title = title
        self._start = start.absolute()
        self._folders = folders
        self._suffixes = tuple(suffix.casefold() for suffix in suffixes)
        self._look = FolderListing(self._start)
        self._looking = True
        self._then: Callable[[], None] | None = None
        """What a key asked for while a folder was still being read."""
        self._prefilled = ""
        """What stood in the line before anything was typed."""
        self._odd_names: dict[str, Path] = {}
        """Folders whose names cannot be typed, by what stands in the line in their place."""

    def compose(self) -> ComposeResult:
        """The line, the list, and what the keys do."""
        with Vertical():
            yield Static(self._title, markup=False, id="title")
            yield Input(compact=True, select_on_focus=False, placeholder="a path; ~ is your home folder")
            yield Lines(id="where")
            yield FoundTable(COLUMNS, header=False)
            yield Lines(id="hint")

    def on_mount(self) -> None:
        """Begin where a file was picked last, else where the caller says."""
        line = self.query_one(Input)
        line.cursor_blink = False
        last = host(self).picked_from
        line.value = self._as_typed(last) if last is not None and last.is_dir() else ""
        self._prefilled = line.value
        line.cursor_position = len(line.value)
        line.focus()
        self._begin()

    # what is typed, and what is there

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look again as it is typed; a key that waited was meant for what stood there before."""
        doubled = event.value.rfind("//")
        path = event.value[doubled + 1 :] if doubled >= 0 else self._path_meant(event.value)
        if path != event.value:  # a path that was typed or pasted behind what stood there
            event.input.value = path
            event.input.cursor_position = len(path)
            return
        self._then = None
        self._begin()

    def _path_meant(self, typed: str) -> str:
        """A path without the folder that stood there, where it leads nowhere with it, and to a folder from where this began."""
        own = typed.removeprefix(self._prefilled)
        if not self._prefilled or own == typed or "/" not in own:
            return typed
        folder, name = (os.path.expanduser(text[: text.rfind("/") + 1]) for text in (typed, own))
        leads = not os.path.isdir(self._start / folder) and os.path.isdir(self._start / name)
        return own if leads else typed

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: into the folder under the cursor, or this file."""
        self.when_seen(partial(self._open, False))

    def _begin(self) -> None:
        folder, typed = self._typed
        self._looking = True
        work = partial(look_in, folder, typed, self._suffixes, lambda: get_current_worker().is_cancelled)
        beside(self, work, partial(self._take_look, typed), group="look", keys_wait=False)

    def _take_look(self, typed: str, look: FolderListing) -> None:
        if (look.folder, typed) != self._typed:
            return
        above = [] if typed or look.trouble else [FolderEntry(HERE, True)] * self._folders + [FolderEntry(UP, True)]
        self._look, self._looking = replace(look, found=(*above, *look.found)), False
        table = self.query_one(FoundTable)
        table.empty = look.trouble or "No name here begins with this, or contains it."
        table.show(Rows(lambda: len(self._look.found), self._cells), self._first(len(above), typed))
        self._tell()
        if self._then is not None:
            then, self._then = self._then, None
            then()

    def _first(self, above: int, typed: str) -> int:
        """The row where the cursor begins: where a file is looked for, the first of a folder that fits; else the first name."""
        if not self._look.found[above:]:
            return 0
        looked_for = self._suffixes and not self._folders and not typed
        fitting = (row for row, entry in enumerate(self._look.found) if entry.fits and not entry.folder)
        return next(fitting, above) if looked_for else above

    def _tell(self) -> None:
        look = self._look
        here = f"in {safe_line(_from_home(look.folder), 200)}"
        bound = f" (the first {count(MOST_SHOWN)}; type more of the name)" if look.matching > MOST_SHOWN else ""
        names = f"{count(look.matching)} of {count(look.names)}{'+' if look.more else ''} names{bound} "
        self.query_one("#where", Lines).say((f"✗ {here}", "bad") if look.trouble else (names + here, "dim"))
        self._hint()

    def _hint(self) -> None:
        self.query_one("#hint", Lines).say((self.hint(), "accent"))

    def hint(self) -> str:
        """Describe the keys as they work now."""
        entry = self._current_entry
        words = "Tab completes  Esc leaves"
        if entry is None:
            return words
        room = max(self.size.width // 6, 12)
        name = "this folder" if entry.name == HERE else fitted(safe_line(entry.name), room).rstrip() + "/" * entry.folder
        enter = "takes" if self._taken_by_enter(entry) else "opens"
        also = f"  {TAKE} takes it" if self._folders and entry.folder and entry.name not in (HERE, UP) else ""
        return f"Enter {enter} {name}{also}{self.hint_besides()}  {words}"

    def hint_besides(self) -> str:
        """Describe other keys, two blanks before each."""
        return ""

    def sign(self, path: Path) -> str:
        """Return the sign before the name of a path."""
        return ""

    @property
    def file(self) -> Path | None:
        """The file under the cursor; None where it is on none that can be read."""
        entry = self._current_entry
        return None if entry is None or entry.folder or entry.bytes is None else self._look.folder / entry.name

    def take(self, path: Path) -> None:
        """Be done with it."""
        self.dismiss(path)

    def _cells(self, row: int) -> Sequence[Cell]:
        entry = self._look.found[row]
        sign = self.sign(self._look.folder / entry.name)
        return row_cells(COLUMNS, NameRow(entry, sign, row == self.query_one(FoundTable).cursor))

    # keys

    def action_step(self, by: int) -> None:
        """The cursor in the list."""
        self.query_one(FoundTable).action_step(by)
        self._hint()

    def action_half(self, direction: int) -> None:
        """Half a page."""
        self.query_one(FoundTable).action_half(direction)
        self._hint()

    def action_complete(self) -> None:
        """As far as all names that begin like this agree."""
        self.when_seen(self._complete)

    def action_take(self) -> None:
        """This file, or this folder where a folder is looked for."""
        self.when_seen(partial(self._open, True))

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """A double click does what Enter does."""
        self._open(False)

    def when_seen(self, then: Callable[[], None]) -> None:
        """Do something once the folder is read."""
        if self._looking:
            self._then = then
        else:
            then()

    def _complete(self) -> None:
        entries = [entry for entry in self._look.found if entry.name not in (HERE, UP)]
        if len(entries) == 1 and entries[0].folder:
            self._type(self._as_typed(self._look.folder / entries[0].name))
        elif len(self._look.common) >= len(self._typed[1]):
            self._type(self._before + self._look.common)

    def _open(self, take: bool) -> None:
        entry = self._current_entry
        if entry is None:
            return
        path = self._look.folder if entry.name == HERE else self._look.folder / entry.name
        if entry.folder and not self._taken_by_enter(entry) and not (take and self._folders and entry.name != UP):
            self._type(self._as_typed(self._look.folder.parent if entry.name == UP else path))
        elif not entry.folder and entry.bytes is None:
            self.query_one("#hint", Lines).say(("✗ not a file that can be read; choose another", "bad"))
        else:
            host(self).picked_from = self._look.folder
            self.take(path)

    def _taken_by_enter(self, entry: FolderEntry) -> bool:
        return not entry.folder or entry.name == HERE

    @property
    def _current_entry(self) -> FolderEntry | None:
        row = self.query_one(FoundTable).cursor
        return self._look.found[row] if row < len(self._look.found) else None

    # paths and how they are written

    @property
    def _before(self) -> str:
        """Typed text up to the last slash."""
        typed = self.query_one(Input).value
        return typed[: typed.rfind("/") + 1] if typed != "~" else "~/"

    @property
    def _typed(self) -> tuple[Path, str]:
        """The folder that is meant, and the beginning of a name in it."""
        typed = self.query_one(Input).value
        before = self._before
        if before in self._odd_names:
            return self._odd_names[before], typed[len(before) :]
        return self._start / os.path.expanduser(before), typed[len(before) :] if typed != "~" else ""

    def _type(self, text: str) -> None:
        line = self.query_one(Input)
        if line.value != text:
            line.value, self._looking = text, True
        line.cursor_position = len(text)

    def _as_typed(self, folder: Path) -> str:
        """A folder as one would type it: from where this began if it lies there, else from ~ or /."""
        folder = Path(os.path.normpath(folder))
        if folder == self._start:
            return ""
        inside = folder.is_relative_to(self._start)
        text = (str(folder.relative_to(self._start)) if inside else _from_home(folder)).rstrip("/") + "/"
        if typeable(text) == text and self._start / os.path.expanduser(text) == folder:
            return text
        text = safe_line(text, len(text) + 1).rstrip("/") + "/"
        while self._odd_names.setdefault(text, folder) != folder:
            text = f"{text[:-1]}~/"
        return text


def _from_home(folder: Path) -> str:
    """A path with ~ for the home folder; links stay as they are."""
    home = Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) and folder != home else str(folder)
