"""The questions of a set: filtered as one types, selected one by one or all that are shown, read and edited."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual.widget import Widget
from textual.widgets import Input

from tui_eval.core.errors import ConfigError, TuiEvalError
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import DOMAIN as DOMAINS
from tui_eval.datasets.groups import difficulty_of
from tui_eval.datasets.set_list import change_selection, read_set, reasons_left_out, selection, trouble
from tui_eval.datasets.sets import QuestionSet
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.datasets.question import QuestionScreen
from tui_eval.tui.screens.datasets.question_editor import EditingPage
from tui_eval.tui.screens.datasets.question_filter import HELP, QuestionFilter, texts_of
from tui_eval.tui.widgets.cells import Cell, Column, GeneratedRows, row_cells
from tui_eval.tui.widgets.chrome import told_from
from tui_eval.tui.widgets.filter import Filtered, FilterLine
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.quoted_page import QuotedPage
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.words import count
from tui_eval.workspace.places import Workspace


class SelectionStore:
    """Ids of the selected questions. Changes are made here at once; `save` writes them, from one thread at a time.

    Only what was changed here is written, so that what the command line selects meanwhile stays.
    """

    def __init__(self, workspace: Workspace, path: Path, question_set: QuestionSet, ids: set[str]) -> None:
        self.ids = ids
        self.reasons = dict(reasons_left_out(workspace, path))
        """Why some of the others are left out."""
        self.trouble = ""
        """Why it could not be kept."""
        self._workspace, self._path, self._found = workspace, path, question_set
        self._saving, self._changing = threading.Lock(), threading.Lock()
        self._unsaved: dict[str, bool] = {}

    @property
    def saved(self) -> bool:
        """Return whether the selection is on disk."""
        return not self._unsaved

    def change(self, ids: Collection[str], selected: bool) -> None:
        """Select these, or leave them out."""
        with self._changing:
            self._unsaved = self._unsaved | dict.fromkeys(ids, selected)
            self.ids = _changed(self.ids, dict.fromkeys(ids, selected))
            if selected:
                self.reasons = {name: text for name, text in self.reasons.items() if name not in ids}

    def save(self) -> None:
        """Write down what is selected now. ConfigError where that cannot be done."""
        with self._saving:
            changes = self._unsaved
            if not changes:
                return
            try:
                on_disk = change_selection(self._workspace, self._path, self._found, changes)
            except ConfigError as error:
                self.trouble = str(error)
                raise
            with self._changing:
                self._unsaved = {name: on for name, on in self._unsaved.items() if changes.get(name) is not on}
                self.ids, self.trouble = _changed(on_disk, self._unsaved), ""


def _changed(ids: set[str], changes: dict[str, bool]) -> set[str]:
    return (ids | {name for name, selected in changes.items() if selected}) - {name for name, on in changes.items() if not on}


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """Row of the list: a question, its number from 1, and whether it is selected."""

    question: Sample
    number: int
    selected: bool


def mark_cell(row: QuestionRow) -> Cell:
    """Say whether a question is selected."""
    return ("✓", "good") if row.selected else ("–", "dim")


def question_cell(row: QuestionRow) -> Cell:
    """Say a question, dim where it is not selected."""
    text = safe_line(row.question.question, 300)
    return text if row.selected else (text, "dim")


def _answer(row: QuestionRow) -> Cell:
    question = row.question
    return safe_line(f"{question.letter}  {question.answer_text}".strip(), 200) or ("-", "dim")


def _documents(row: QuestionRow) -> Cell:
    return safe_line(", ".join(row.question.documents) or "all", 100), "dim"


def _domain(row: QuestionRow) -> Cell:
    return safe_line("; ".join(row.question.group(DOMAINS)) or None, 100), "dim"


MARK = Column("", 1, mark_cell)
QUESTION = Column("question", 24, question_cell, share=4)
ID: Column[QuestionRow] = Column("id", 12, lambda row: (safe_line(row.question.id, 120), "dim"), share=1, middle=True)
ANSWER = Column("answer", 14, _answer, share=2)
DIFFICULTY: Column[QuestionRow] = Column("difficulty", 10, lambda row: safe_line(difficulty_of(row.question) or None, 40))
DOMAIN = Column("domain", 12, _domain, share=1, above=99)
OPEN: Sequence[Column[QuestionRow]] = (
    MARK,
    Column("no.", 5, lambda row: (str(row.number), "dim"), right=True),
    QUESTION,
    ANSWER,
    Column("documents", 12, _documents, share=1, above=99),
)
"""The columns of a set of open questions; `columns_of` has those of other sets."""
NONE_FOUND = "No question is like this; Esc or Backspace clears the filter."


Read = tuple[QuestionSet, SelectionStore, Sequence[Sample], Sequence[tuple[str, ...]], str]
"""A set, what is selected of it, what is shown, where its filter looks, and what a run would stumble over."""


class SetPreviewScreen(EditingPage, Filtered):
    """A set opened from the list."""

    BINDINGS = [
        bind("dataset.select", "select", "Select", tooltip="Select the question, or leave it out"),
        bind("dataset.all", "every(True)", "All", tooltip="Select all questions that are shown"),
        bind("dataset.none", "every(False)", "None", tooltip="Leave out all questions that are shown"),
        bind("filter", "filter", "Filter", tooltip=f"Filter: {HELP}"),
        bind("dataset.edit", "edit", "Edit", tooltip="Edit the question, its options and its answer"),
        bind("run.new", "run", "Run", tooltip="Set up a run with the selected questions"),
        bind("back", "back", "Back", show=False),
        bind("app.leave", "leave", "Back", tooltip="Back to the list of sets"),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._set: QuestionSet | None = None
        self._columns: Sequence[Column[QuestionRow]] = OPEN
        self._selected: SelectionStore | None = None
        self._every: Sequence[Sample] = ()
        """The questions of the set, and behind them what is shown besides."""
        self._texts: Sequence[tuple[str, ...]] = ()
        self._shown: Sequence[int] = ()
        self._trouble = ""

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the selection, the questions, and the filter."""
        yield Lines(id="about")
        yield RowTable(OPEN, id="list", empty="reading …")
        yield FilterLine(HELP, id="filter")

    def on_mount(self) -> None:
        """Read the set, in the background."""
        super().on_mount()
        self.beside(self._read, self._take, group="read", otherwise=self._leave_unread)

    def _leave_unread(self, why: str) -> None:
        self.eval_app.say(why, bad=True)
        if self.is_attached:
            self.app.pop_screen()

    def _read(self) -> Read:
        workspace = self.eval_app.workspace
        question_set = read_set(self._path)
        selected = SelectionStore(workspace, self._path, question_set, selection(workspace, self._path, question_set))
        every = (*question_set.questions, *self.besides(self._path))
        return question_set, selected, every, [texts_of(question) for question in every], trouble(self._path, question_set)

    def besides(self, path: Path) -> Sequence[Sample]:
        """Questions that are shown behind those of the set, and are none of it. Called beside the screen."""
        return ()

    def _take(self, read: Read) -> None:
        self._set, self._selected, self._every, self._texts, self._trouble = read
        self._columns = self.columns(self._set)
        self.query_one(RowTable).set_columns(self._columns)
        self.show_list()
        for screen in self.app.screen_stack:
            if isinstance(screen, QuestionScreen):
                screen.show_question()

    def columns(self, question_set: QuestionSet) -> Sequence[Column[QuestionRow]]:
        """Return the columns of the list of questions."""
        return columns_of(question_set)

    # what is shown

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as it is typed."""
        self.show_list()

    def show_list(self) -> None:
        """Those that are like the filter."""
        question_filter = QuestionFilter(self.query_one(FilterLine).value)
        table = self.query_one(RowTable)
        at = self.row
        self._shown = [row for row, texts in enumerate(self._texts) if question_filter.matches(texts)]
        table.empty = NONE_FOUND if self._set is not None else "reading …"
        place = self._shown.index(at) if at is not None and at in self._shown else 0
        table.show(GeneratedRows(lambda: len(self._shown), self._cells), place)
        self._tell()

    def _cells(self, place: int) -> Sequence[Cell]:
        row = self._shown[place]
        return row_cells(self._columns, QuestionRow(self.question(row), row + 1, self.is_selected(row)))

    def _tell(self) -> None:
        if self._set is None or self._selected is None:
            return
        n, n_selected = len(self._set.questions), len(self._selected.ids)
        extent = f", {count(len(self._shown))} shown" if len(self._shown) < len(self._every) else self.said_besides
        state: Piece = ("  saving …", "dim")
        if self._selected.trouble:
            why = told_from(self.eval_app.workspace.root, self._selected.trouble)
            state = (f"  ✗ not saved: {safe_line(why)}", "bad")
        elif self._selected.saved:
            state = ("  saved", "dim")
        summary: Piece = (f"{count(n_selected)} of {count(n)} selected{extent}", "accent" if n_selected else "warn")
        problem = f"  ! {safe_line(self._trouble)}" if self._trouble else ""
        place = f"  datasets/{safe_line(self._path.name, 60)}"
        self.query_one("#about", Lines).say(summary, state, (problem, "warn"), (place, "dim"))

    @property
    def said_besides(self) -> str:
        """Note on the questions that are shown besides the set; empty if there are none."""
        return ""

    # one question

    @property
    def row(self) -> int | None:
        """The question under the cursor, counted from 0 in the set."""
        place = self.query_one(RowTable).cursor
        return self._shown[place] if place < len(self._shown) else None

    def question(self, row: int) -> Sample:
        """A question of the set."""
        return self._every[row]

    def page(self, row: int) -> QuotedPage | None:
        """The page that a question rests on; None where it rests on none."""
        return None

    def is_selected(self, row: int) -> bool:
        """Return whether a run asks it."""
        return self._selected is not None and self.is_of_set(row) and self.question(row).id in self._selected.ids

    def reason(self, row: int) -> str:
        """Why it is left out; empty where nobody said, or it is not."""
        is_left_out = self._selected is not None and self.is_of_set(row) and not self.is_selected(row)
        return self._selected.reasons.get(self.question(row).id, "") if is_left_out and self._selected is not None else ""

    def is_of_set(self, row: int) -> bool:
        """Return whether it is a question of the set, and not shown besides."""
        return self._set is not None and row < len(self._set.questions)

    def where(self) -> str:
        """Return the place of the cursor among the questions that are shown, in words."""
        return f"{count(self.query_one(RowTable).cursor + 1)} of {count(len(self._shown))}"

    def step(self, by: int) -> None:
        """The cursor to another question."""
        self.query_one(RowTable).action_step(by)

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Read it in full."""
        if self.row is not None:
            self.app.push_screen(QuestionScreen(self))

    # selecting

    def action_select(self) -> None:
        """Select the question, or leave it out, and on to the next."""
        if self.toggle():
            self.query_one(RowTable).action_step(1)

    def toggle(self) -> bool:
        """Select the question under the cursor, or leave it out; whether there is one."""
        if self.row is None or self._selected is None or not self.is_of_set(self.row):
            return False
        self._selected.change({self.question(self.row).id}, not self.is_selected(self.row))
        self._save()
        return True

    def action_every(self, selected: bool) -> None:
        """Select all that are shown, or leave them out."""
        if self._selected is not None:
            self._selected.change([self.question(row).id for row in self._shown if self.is_of_set(row)], selected)
            self._save()

    def _save(self) -> None:
        self.query_one(RowTable).grown()
        self._tell()
        if self._selected is not None:  # of the app, not of this screen: it ends even when the screen is left meanwhile
            save = partial(self._save_now, self._selected)
            self.app.run_worker(save, thread=True, group="save", exit_on_error=False)

    def _save_now(self, selected: SelectionStore) -> None:
        with suppress(TuiEvalError):  # said above the list
            selected.save()
        self.app.call_from_thread(self._saved)

    def _saved(self) -> None:
        if self.is_attached:
            self.query_one(RowTable).grown()
            self._tell()

    def _when_saved(self, then: Callable[[], object]) -> None:
        """Go on once what is selected is on disk."""
        if self._selected is None or self._selected.saved:
            then()
        else:
            self.beside(self._selected.save, lambda result: then())

    # going on

    def action_edit(self) -> None:
        """Edit the question under the cursor."""
        if self.row is not None and self.is_of_set(self.row):
            question = self.question(self.row)
            self._when_saved(lambda: self.edit(self._path, question, self._moved))

    def _moved(self, place: Path) -> None:
        """The set was kept, perhaps elsewhere: read it again."""
        self._path = place
        self.beside(self._read, self._take, group="read")

    def action_run(self) -> None:
        """A run with what is selected."""
        self._when_saved(lambda: self.run_with(self._path))

    def action_back(self) -> None:
        """Clear the filter, else back to the list."""
        if self.query_one(FilterLine).value:
            self.query_one(FilterLine).action_clear()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Back to the list of sets; where nothing can be saved, that was said already."""
        if self._selected is not None and self._selected.trouble:
            self.app.pop_screen()
        else:
            self._when_saved(self.app.pop_screen)


def columns_of(question_set: QuestionSet) -> Sequence[Column[QuestionRow]]:
    """The columns of a set: difficulty and domain only where any of its questions names one."""
    if not question_set.lettered:
        return OPEN
    difficulty = [DIFFICULTY] if any(difficulty_of(question) for question in question_set.questions) else []
    domain = [DOMAIN] if any(question.group(DOMAINS) for question in question_set.questions) else []
    return (MARK, ID, QUESTION, ANSWER, *difficulty, *domain)
