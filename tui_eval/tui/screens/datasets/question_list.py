"""The questions of a set: filtered and sorted, selected one by one or all that are shown, read beside the list, edited."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textual.widget import Widget

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_samples import TURN
from tui_eval.datasets.groups import CALC_REQUIRED, DIFFICULTY, DOMAIN, TOPIC
from tui_eval.datasets.set_list import change_selection, read_set, reasons_left_out, selection, trouble
from tui_eval.datasets.sets import QuestionSet
from tui_eval.tui.inspecting import Inspecting
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import ReturningPage, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.datasets.question import question_dossier
from tui_eval.tui.screens.datasets.question_editor import EditingPage
from tui_eval.tui.widgets.cells import Cell, Column
from tui_eval.tui.widgets.chrome import told_from
from tui_eval.tui.widgets.filter import FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.inspector import Dossier, Inspector, Split
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.list_view import ListView, shown_text
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


@dataclass(frozen=True, slots=True, eq=False)
class QuestionRow:
    """Row of the list: a question, and its number from 1."""

    question: Sample
    number: int
    store: SelectionStore | None
    """What is selected of its set; None of a question that is shown besides the set, and is none of it."""
    words: str
    """What words are looked for in, casefolded."""

    @property
    def selected(self) -> bool:
        """Return whether a run asks it."""
        return self.store is not None and self.question.id in self.store.ids

    @property
    def state(self) -> Piece:
        """Say whether a run asks it, and why not."""
        why = self.store.reasons.get(self.question.id, "") if self.store is not None else ""
        left_out = "– left out" + f": {safe_line(why)}" * bool(why)
        return ("✓ selected", "good") if self.selected else ("✗ dropped" if self.store is None else left_out, "warn")


def mark_cell(row: QuestionRow) -> Cell:
    """Say whether a question is selected, or was dropped."""
    return ("✗", "bad") if row.store is None else ("✓", "good") if row.selected else ("–", "dim")


def _question(row: QuestionRow) -> Cell:
    """Say a question, dim where it is not selected."""
    return safe_line(row.question.question, 300), "" if row.selected else "dim"


def _answer(row: QuestionRow) -> Cell:
    question = row.question
    return safe_line(f"{question.letter}  {question.answer_text}".strip(), 200) or ("-", "dim")


def group_column(title: str, width: int, *sorts: str, **more: Any) -> Column[QuestionRow]:
    """Make the column of the groups of these sorts that a question belongs to; one 0 wide is there to be asked for alone."""

    def names(row: QuestionRow) -> str:
        return " · ".join(filter(None, ("; ".join(row.question.group(sort)) for sort in sorts)))

    return Column(title, width, lambda row: (safe_line(names(row) or None, 120), "dim"), value=names, **more)


def _documents(row: QuestionRow) -> Cell:
    return safe_line(", ".join(row.question.documents) or "all", 100), "dim"


MARK = Column("", 1, mark_cell)
QUESTION = Column("question", 24, _question, share=4, value=lambda row: row.question.question)
ID: Column[QuestionRow] = Column(
    "id", 12, lambda row: (safe_line(row.question.id, 120), "dim"), share=1, middle=True, value=lambda row: row.question.id
)
NUMBER: Column[QuestionRow] = Column(
    "no.", 5, lambda row: (str(row.number), "dim"), right=True, is_lowest_first=True, value=lambda row: row.number
)
ANSWER = Column("answer", 14, _answer, share=2, value=lambda row: row.question.answer_text)
DOCUMENTS = Column("documents", 12, _documents, share=1, above=79, field="document")
GROUPED: Sequence[Column[QuestionRow]] = (
    group_column("difficulty", 10, DIFFICULTY),
    group_column("domain", 12, DOMAIN, share=1, above=79),
    group_column("topic", 0, TOPIC),
)
"""Behind those of a benchmark, where any question has them."""


Read = tuple[QuestionSet, SelectionStore, Sequence[QuestionRow], Sequence[Column[QuestionRow]], str]
"""A set, what is selected of it, its rows with those shown besides, their columns, and what a run would stumble over."""


class SetPreviewScreen(EditingPage, ReturningPage, Inspecting, SortableList[QuestionRow]):
    """A set opened from the list: its questions, and beside them the one under the cursor in full."""

    BINDINGS = [
        bind("dataset.select", "select", "Select", tooltip="Select the question, or leave it out"),
        bind("dataset.all", "every(True)", "All", tooltip="Select all questions that are shown"),
        bind("dataset.none", "every(False)", "None", tooltip="Leave out all questions that are shown"),
        bind("filter", "filter", "Filter", tooltip=FILTERING),
        bind("dataset.edit", "edit", "Edit", tooltip="Edit the question, its options and its answer"),
        bind("run.new", "run", "Run", tooltip="Set up a run with the selected questions"),
        bind("back", "back", "Back", show=False),
        bind("app.leave", "leave", "Back", tooltip="Back to the list of sets"),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = self._first_path = path
        self._set: QuestionSet | None = None
        """None until it is read."""
        self._selected: SelectionStore | None = None
        self._rows: Sequence[QuestionRow] = ()
        """The questions of the set, and behind them what is shown besides."""
        self._trouble = ""
        """What a run with the set would stumble over."""
        self.view: ListView[QuestionRow] = ListView((MARK, QUESTION), all_words=lambda row: row.words)

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the selection, the questions, the one under the cursor, and the filter."""
        yield Lines(id="about")
        with Split():
            yield RowTable(self.view.columns, id="list", empty="reading …")
            yield Inspector(has_models=False)
        yield FilterLine("", id="filter")

    def on_mount(self) -> None:
        """Read the set, in the background."""
        self.again()

    def again(self) -> bool:
        """Read it, as it is now; one that was kept under another name is opened by that."""
        self._reread(self._leave_unread)
        return self._path == self._first_path

    def _reread(self, otherwise: Callable[[str], object] | None = None) -> None:
        self.beside(self._read, self._take, group="read", otherwise=otherwise)

    def _leave_unread(self, why: str) -> None:
        self.eval_app.say(why, bad=True)
        if self.is_attached:
            self.app.pop_screen()

    def _read(self) -> Read:
        workspace, questions = self.eval_app.workspace, read_set(self._path)
        store = SelectionStore(workspace, self._path, questions, selection(workspace, self._path, questions))
        every = [*((each, store) for each in questions.questions), *((each, None) for each in self.besides(self._path))]
        rows = [QuestionRow(each, number, of, words_of(each)) for number, (each, of) in enumerate(every, start=1)]
        return questions, store, rows, self.columns(questions, rows), trouble(self._path, questions)

    def besides(self, path: Path) -> Sequence[Sample]:
        """Questions that are shown behind those of the set, and are none of it. Called beside the screen."""
        return ()

    def _take(self, read: Read) -> None:
        self._set, self._selected, self._rows, columns, self._trouble = read
        view = replace(self.view, columns=columns)
        self.view = view.with_query(view.text)
        self.query_one(FilterLine).placeholder = view.help_words()
        self.query_one(RowTable).set_columns(view.marked_columns())
        self.show_list()

    def columns(self, questions: QuestionSet, rows: Sequence[QuestionRow]) -> Sequence[Column[QuestionRow]]:
        """Return the columns of the list of questions. Called beside the screen."""
        if not questions.lettered:
            return MARK, NUMBER, QUESTION, ANSWER, DOCUMENTS
        return MARK, ID, QUESTION, ANSWER, *used(GROUPED, rows)

    # what is shown

    def entries(self) -> Sequence[QuestionRow]:
        """All questions, and what is shown besides."""
        return self._rows

    def show_list(self) -> None:
        """Draw the questions that are asked for; the cursor stays on its own."""
        self.list_entries("reading …" if self._set is None else "", lambda row: row.number)
        self._look_again()

    def _look_again(self) -> None:
        """Draw what selecting changes."""
        self.query_one(RowTable).grown()
        self._tell()
        self.inspect(keep_place=True)

    def _tell(self) -> None:
        if self._set is None or self._selected is None:
            return
        n, n_selected = len(self._set.questions), len(self._selected.ids)
        extent = f", {count(len(self.listed))} shown" if len(self.listed) < len(self._rows) else self.said_besides
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

    def page(self, question: Sample) -> QuotedPage | None:
        """The page that a question rests on; None where it rests on none."""
        return None

    def dossier(self, whole: bool) -> Dossier | None:
        """Say what is on file of the question under the cursor."""
        row = self.current
        if row is None:
            return None
        return question_dossier(row.question, row.number, self.inspected_list.where, row.state, self.page(row.question), whole)

    # selecting

    def action_select(self) -> None:
        """Select the question under the cursor, or leave it out."""
        row = self.current
        if row is not None and row.store is not None:
            row.store.change({row.question.id}, not row.selected)
            self._save()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """All that are shown are selected from the list alone: whoever reads one question does not mean the others."""
        return action != "every" or not self.in_inspector

    def action_every(self, selected: bool) -> None:
        """Select all that are shown, or leave them out."""
        if self._selected is not None:
            self._selected.change([row.question.id for row in self.listed if row.store is not None], selected)
            self._save()

    def _save(self) -> None:
        self._look_again()
        if self._selected is not None:  # of the app, not of this screen: it ends even when the screen is left meanwhile
            beside(self.app, self._selected.save, self._saved, otherwise=self._saved, outlives=True, keys_wait=False)

    def _saved(self, outcome: object) -> None:
        """Draw that it is saved, or why not, which stands above the list."""
        if self.is_attached:
            self._look_again()

    def _when_saved(self, then: Callable[[], object]) -> None:
        """Go on once what is selected is on disk."""
        if self._selected is None or self._selected.saved:
            then()
        else:
            self.beside(self._selected.save, lambda result: then())

    # going on

    def action_edit(self) -> None:
        """Edit the question under the cursor."""
        row = self.current
        if row is not None and row.store is not None:
            self._when_saved(lambda: self.edit(self._path, row.question, self._moved))

    def _moved(self, place: Path) -> None:
        """The set was kept, perhaps elsewhere: read it again."""
        self._path = place
        self._reread()

    def action_run(self) -> None:
        """A run with what is selected."""
        self._when_saved(lambda: self.run_with(self._path))

    async def action_back(self) -> None:
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


def used(columns: Sequence[Column[QuestionRow]], rows: Sequence[QuestionRow]) -> list[Column[QuestionRow]]:
    """Return the columns in which any row has something."""
    return [each for each in columns if any(shown_text(each, row) != "-" for row in rows)]


def words_of(question: Sample) -> str:
    """Return all that words are looked for in, casefolded: the question, its options, its answer, and what it belongs to."""
    groups = (name for sort, names in question.groups.items() if sort not in (TURN, CALC_REQUIRED) for name in names)
    answer = f"{question.letter} {question.answer_text}"
    return "\n".join((question.question, *question.options, question.id, answer, *question.documents, *groups)).casefold()
