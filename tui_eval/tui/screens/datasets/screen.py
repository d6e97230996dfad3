"""The sets of questions in the workspace: a list of them, and what is done to one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from textual.widget import Widget

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.plaintext import count_of
from tui_eval.datasets.set_list import SetEntry, SetList, read_set
from tui_eval.datasets.set_store import delete
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Place
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.datasets.bringing import DocumentsPage
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.tui.widgets.cells import Cell, Column
from tui_eval.tui.widgets.chrome import told_from
from tui_eval.tui.widgets.filter import FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.list_view import ListView
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.words import count, size


def selected_words(selected: int | None, n: int | None) -> Cell:
    """Describe how many of a set's questions are selected."""
    if n is None:
        return "-", "dim"
    if selected is None:
        return f"unknown of {count(n)}", "warn"
    if selected == n:
        return f"all {count(n)}"
    return f"{count(selected)} of {count(n)}", "accent" if selected else "warn"


def origin(entry: SetEntry) -> str:
    """Describe what is left of a set once it is deleted."""
    if entry.source.startswith("typed,"):
        return "It was typed here: there is no other copy."
    if not entry.source or entry.source == "by hand":
        return "It was put here by hand: there may be no other copy."
    return "The file it was imported from is not touched."


def mark(entry: SetEntry) -> str:
    """The sign before what is to be known of a set: it cannot be used, or not without care."""
    return "✗" if entry.questions is None else "!"


def _sort(entry: SetEntry) -> Cell:
    return (f"✗ {entry.sort}", "bad") if entry.questions is None else entry.sort


def _problem(entry: SetEntry) -> Cell:
    if not entry.problem:
        return ""
    return f"{mark(entry)} {safe_line(entry.problem, 200)}", "bad" if entry.questions is None else "warn"


COLUMNS: Sequence[Column[SetEntry]] = (
    Column("name", 16, lambda entry: safe_line(entry.name, 80), share=2, middle=True),
    Column("questions", 13, _sort),
    Column("selected", 15, lambda entry: selected_words(entry.selected, entry.questions), value=lambda entry: entry.selected),
    Column("size", 8, lambda entry: (size(entry.bytes), "dim"), right=True, value=lambda entry: float(entry.bytes)),
    Column("from", 20, lambda entry: (safe_line(entry.source, 100) if entry.source else "-", "dim"), share=2, middle=True),
    Column("what to know", 14, _problem, share=3, above=119),
)
"""The columns of the list of sets."""


NO_SETS = """No datasets in this workspace yet.

  i  imports a file or a folder: multiple-choice questions as JSON or CSV,
     open questions as text, or a folder of documents with a Questions.md
  a  lets you type or paste questions
  d  has a model write questions about your documents: PDFs, texts, web pages
  s  sets up a run; the examples there bring their own questions

A file put into the datasets folder by hand appears here, too."""


class DatasetsScreen(DocumentsPage, Place, SortableList[SetEntry]):
    """The list of sets, read anew when it is gone to."""

    BINDINGS = [
        bind("run.new", "run", "Run", tooltip="Set up a run with the selected questions of this set"),
        bind("dataset.delete", "delete", "Delete", tooltip="Delete the set for good; asks first"),
        bind("filter", "filter", "Filter", tooltip=FILTERING),
        bind("back", "back", "Clear the filter, or go back", show=False),
        bind("app.leave", "leave", "Quit", tooltip="Back to where one came from, else quit; runs go on by themselves"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.view = ListView(COLUMNS, lambda entry: f"{entry.path.name} {entry.problem}")
        self._shelf: SetList | None = None
        self._all: Sequence[SetEntry] | None = None
        self._trouble = ""
        self._at: Path | None = None
        """The set that the cursor is to be put on."""

    def parts(self) -> Iterable[Widget]:
        """Yield the number of sets, the list, the filter, and the facts about the set under the cursor."""
        yield Lines(id="about")
        yield RowTable(COLUMNS, id="list", empty="reading …")
        yield FilterLine(self.view.help_words(), id="filter")
        yield Lines(id="chosen")

    def on_screen_resume(self) -> None:
        """The folder may have changed while one was elsewhere."""
        self.reread()

    def reread(self, at: Path | None = None) -> None:
        """Look at the folder again, in the background; then put the cursor on a set."""
        self._at = at or self._at
        self.beside(self._listed, self._take, group="list")

    def _listed(self) -> tuple[Sequence[SetEntry], str]:
        if self._shelf is None:
            self._shelf = SetList(self.eval_app.workspace)
        try:
            return self._shelf.listed(), self._shelf.trouble
        except TuiEvalError as error:
            return (), str(error)

    def _take(self, listing: tuple[Sequence[SetEntry], str]) -> None:
        self._all, self._trouble = listing
        self.show_list()

    def offers(self, action: str) -> bool | str:
        """Only what can be done to the set under the cursor; where there is none, s still sets up a run."""
        entry = self.current
        if action == "run":
            return "New run" if entry is None else entry.questions is not None
        return entry is not None if action in ("delete", "open") else True

    # the list

    def entries(self) -> Sequence[SetEntry]:
        """All sets."""
        return self._all or ()

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Say more of another set."""
        self._tell()

    def show_list(self) -> None:
        """Draw the sets that are asked for; the cursor stays on its own."""
        self.list_entries("" if self._all else NO_SETS, lambda entry: entry.path, self._at)
        self._at = None
        self._tell()
        self.refresh_bindings()

    def _tell(self) -> None:
        every, entry = self._all or (), self.current
        of = f"{len(self.listed)} of " if len(self.listed) < len(every) else ""
        sets = of + count_of(len(every), "dataset")
        about = self.query_one("#about", Lines)
        if self._trouble:
            about.say((f"✗ {safe_line(told_from(self.eval_app.workspace.root, self._trouble))}", "bad"))
        else:
            about.say((sets, "accent" if of else ""), ("  in the datasets folder of the workspace", "dim"))
        place = "" if entry is None else f"datasets/{safe_line(entry.path.name, 80)}"
        problem = "" if entry is None or not entry.problem else f"  {mark(entry)} {safe_line(entry.problem)}"
        self.query_one("#chosen", Lines).say((place, "dim"), (problem, "bad" if entry and entry.questions is None else "warn"))

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Read its questions; where there are none to be read, the whole reason."""
        entry = self.current
        if entry is not None and entry.questions is None:
            self.beside(partial(read_set, entry.path), lambda question_set: self.reread())
        elif entry is not None:
            self.eval_app.show("review" if "turns" in entry.has else "questions", entry.path)

    def action_run(self) -> None:
        """A run with what is selected; without any set, from an example or a kind."""
        if self.current is None:
            self.eval_app.action_new_run()
        else:
            self.run_with(self.current.path)

    def action_delete(self) -> None:
        """Ask, then throw it away."""
        entry = self.current
        if entry is None:
            self.eval_app.say("there is no set to delete")
            return
        consequence = "its documents go, too" if "documents" in entry.has else "runs that were made with it stay"
        words = f"{count(entry.questions)} questions, {size(entry.bytes)}; {consequence}. {origin(entry)}"
        question = f"Delete datasets/{safe_line(entry.path.name, 60)} for good?"
        confirm(self.app, question, words, partial(self._delete, entry))

    def _delete(self, entry: SetEntry) -> None:
        self.beside(partial(delete, self.eval_app.workspace, entry.path), lambda result: self._deleted(entry))

    def _deleted(self, entry: SetEntry) -> None:
        self.eval_app.say(f"deleted {safe_line(entry.path.name, 80)}")
        self.reread()
