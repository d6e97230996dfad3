"""A set of conversations looked through: its turns, those that were dropped, and beside each the page that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from pathlib import Path

from textual.containers import Horizontal
from textual.widget import Widget

from tui_eval.core.conversations import GroundingDocument, Turn
from tui_eval.core.document_text import PAGE_BREAK, pages_of, without_running
from tui_eval.core.plaintext import count_of
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_samples import CONVERSATION, TURN, TYPE, turn_of
from tui_eval.datasets.dropped_questions import dropped_of
from tui_eval.datasets.sets import QuestionSet
from tui_eval.datasets.taken_back import document_called
from tui_eval.reading.folding import Folded, folded
from tui_eval.reading.quotes import LONGEST_QUOTE, QuotePlace, find_quote, trimmed
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.datasets.question import QuestionScreen, paragraphs
from tui_eval.tui.screens.datasets.question_filter import HELP_TURNS
from tui_eval.tui.screens.datasets.question_form import form_question
from tui_eval.tui.screens.datasets.question_list import QuestionRow, SetPreviewScreen, mark_cell, question_cell
from tui_eval.tui.widgets.cells import Cell, Column
from tui_eval.tui.widgets.filter import FilterLine
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.question_view import QuestionView
from tui_eval.tui.widgets.quoted_page import QuotedPage, page_of_dropped, quoted_page
from tui_eval.tui.widgets.table import RowTable


class QuoteCheck:
    """One document; it is folded once, however often a quote is looked for, as it is at every key."""

    def __init__(self, document: GroundingDocument) -> None:
        self._document = document
        self._name = safe_line(document.filename, 60)

    def fold(self) -> None:
        """Fold it now, which takes 0.2 s for a million characters: beside the keys, before one of them has to wait for it."""
        _ = self._pages if len(self._pages) > 1 else self._whole

    def problem(self, turn: Turn, before: Turn) -> str:
        """Return the problem of a turn's quote and page, in words; "" if there is none, or neither was changed."""
        if (turn.quote, turn.page) == (before.quote, before.page) or not self._document.text:
            return ""
        pages = len(self._pages)
        if turn.page is not None and pages > 1 and not 1 <= turn.page <= pages:
            return f"[page] is {turn.page}; {self._name} has {pages}"
        return self._quote_problem(turn) if turn.quote else ""

    def _quote_problem(self, turn: Turn) -> str:
        size = len(trimmed(turn.quote))
        if size > LONGEST_QUOTE:
            return f"[quote] has {size} characters; it may have {LONGEST_QUOTE}"
        page, pages = turn.page, self._pages
        if page is None or len(pages) == 1:
            is_in_text = _stands(turn.quote, self._whole)
            return "" if is_in_text else self._nowhere
        if _stands(turn.quote, pages[page - 1]) or (page < len(pages) and self._ends_on_the_next(turn.quote, page)):
            return ""
        other_page = next((number for number, text in enumerate(pages, start=1) if _stands(turn.quote, text)), None)
        return self._nowhere if other_page is None else f"[quote] is on page {other_page}, but [page] is {page}"

    @property
    def _nowhere(self) -> str:
        return f"[quote] is not in {self._name}; give the document's own words, or nothing"

    @cached_property
    def _pages(self) -> Sequence[Folded]:
        return [folded(page) for page in pages_of(self._document.text)]

    @cached_property
    def _whole(self) -> Folded:
        return folded(self._document.text.replace(PAGE_BREAK, "\n"))

    @cached_property
    def _without_running(self) -> Sequence[str]:
        return pages_of(without_running(self._document.text, self._document.left_out).text)

    def _ends_on_the_next(self, quote: str, page: int) -> bool:
        """Return whether a quote begins on a page and ends on the one behind it, be it without the running lines between."""
        for pages in ([folded_page.original for folded_page in self._pages], self._without_running):
            here, behind = pages[page - 1], pages[page]
            match = _place(quote, folded(f"{here}\n{behind}"))
            if match is not None and match.start < len(here):
                return True
        return False


def _stands(quote: str, page: Folded) -> bool:
    return _place(quote, page) is not None


def _place(quote: str, page: Folded) -> QuotePlace | None:
    """Find a quote word for word; faults of copying are a model's, not a person's."""
    return find_quote(quote, page, mend=False)


BESIDE = 120
"""Columns of a terminal from which on a question stands beside the list."""


def _mark(row: QuestionRow) -> Cell:
    return ("✗", "bad") if dropped_of(row.question) is not None else mark_cell(row)


def _turn(row: QuestionRow) -> Cell:
    groups = (row.question.group(name) for name in (CONVERSATION, TURN))
    return safe_line(" · ".join("; ".join(group) for group in groups if group), 120), "dim"


def _answer(row: QuestionRow) -> Cell:
    """Say what a turn is to be answered, or why it was dropped."""
    dropped = dropped_of(row.question)
    if dropped is not None:
        return safe_line(dropped.reason, 200), "warn"
    return safe_line(row.question.answer_text, 200) or ("-", "dim")


def _type(row: QuestionRow) -> Cell:
    turn = turn_of(row.question)
    if dropped_of(row.question) is not None:
        return "dropped", "dim"
    return safe_line(turn.type, 60) if turn is not None and turn.type else "-", "dim"


MARK = Column("", 1, _mark)
TURNS: Sequence[Column[QuestionRow]] = (
    MARK,
    Column("turn", 14, _turn, share=1, middle=True),
    Column("question", 24, question_cell, share=4),
    Column("answer", 14, _answer, share=2),
)
KIND = Column("type", 10, _type, share=1, above=99)
"""The column behind these where any turn has a type."""
ONLY: Sequence[Column[QuestionRow]] = (
    MARK,
    Column("turn", 12, _turn, share=1, middle=True),
    Column("question", 20, question_cell, share=4),
)
"""The columns where answer and type stand beside the list."""
WHOLE = "Select the whole conversation, or leave all of it out"


class ReviewScreen(SetPreviewScreen):
    """Turns with boxes to tick, and the question under the cursor in full where there is room beside them."""

    CSS = """
    ReviewScreen QuestionView { display: none; width: 5fr; border-left: tall $panel; }
    ReviewScreen RowTable { width: 4fr; }
    ReviewScreen.-wide QuestionView { display: block; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (BESIDE, "-wide")]
    BINDINGS = [
        bind("filter", "filter", "Filter", tooltip=f"Filter: {HELP_TURNS}"),
        bind("dataset.edit", "edit", "Edit", tooltip="Edit the question, its answer, its quote and its page"),
        bind("dataset.conversation", "conversation", "Conversation", tooltip=WHOLE),
        bind("dataset.page", "page", "Page", tooltip="The question's page in the document, its quote marked"),
        bind("pane.next", "app.focus_next", "Next part", show=False),
        bind("pane.previous", "app.focus_previous", "Part before", show=False),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._documents: dict[str, GroundingDocument] = {}
        self._checked: tuple[GroundingDocument, QuoteCheck] | None = None
        """The document that an edited quote was held against last."""

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the selection, the turns, the one under the cursor, and the filter."""
        yield Lines(id="about")
        with Horizontal():
            yield RowTable(ONLY, id="list", empty="reading …")
            yield QuestionView()
        yield FilterLine(HELP_TURNS, id="filter")

    def besides(self, path: Path) -> Sequence[Sample]:
        """Return the questions that were dropped when the set was made."""
        from tui_eval.configuring.generated_sets import dropped_questions  # brings every kind of evaluation along

        return dropped_questions(path, self.eval_app.workspace)

    def columns(self, question_set: QuestionSet) -> Sequence[Column[QuestionRow]]:
        """Beside the list stands what has no column."""
        self._documents = (
            {document.filename: document for document in question_set.conversations.documents}
            if question_set.conversations
            else {}
        )
        if self.app.size.width >= BESIDE:
            return ONLY
        return (*TURNS, *([KIND] if any(question.group(TYPE) for question in question_set.questions) else []))

    @property
    def said_besides(self) -> str:
        """Note on the number of dropped questions."""
        n = len(self._every) - (len(self._set.questions) if self._set is not None else 0)
        return f", {count_of(n, 'dropped question')} below" if n else ""

    def page(self, row: int) -> QuotedPage | None:
        """The page that a turn rests on, or on which the quote of a dropped question stands."""
        question = self.question(row)
        dropped, turn = dropped_of(question), turn_of(question)
        if dropped is not None:
            return page_of_dropped(dropped.quote, self._document(dropped.document))
        document = self._document(next(iter(question.documents), ""))
        return None if turn is None or document is None else quoted_page(turn, document)

    def edit_problem(self, before: Sample, text: str) -> str:
        """Return the problem of its parts; else of its quote, which has to be the document's own words."""
        wrong, was = super().edit_problem(before, text), turn_of(before)
        document = self._document(next(iter(before.documents), ""))
        if wrong or was is None or document is None:
            return wrong
        if self._checked is None or self._checked[0] is not document:
            self._checked = (document, QuoteCheck(document))
            self.run_worker(self._checked[1].fold, thread=True, exit_on_error=False)
        now = turn_of(form_question(text, before))
        return "" if now is None else self._checked[1].problem(now, was)

    def _document(self, name: str) -> GroundingDocument | None:
        return document_called(name, self._documents)

    # what stands beside the list

    def show_list(self) -> None:
        """The list, and the question under its cursor."""
        super().show_list()
        self._show_question()

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Another question."""
        self._show_question()
        self.refresh_bindings()

    def on_resize(self) -> None:
        """There may be room beside the list now, or none any more."""
        if self._set is not None:
            self.query_one(RowTable).set_columns(self.columns(self._set))

    def _show_question(self) -> None:
        if self.row is not None:
            self.query_one(QuestionView).show(paragraphs(self.question(self.row)), self.page(self.row))

    # keys

    def offers(self, action: str) -> bool | str:
        """Return whether a key applies, or its label; a dropped question is taken back before it is edited."""
        of_set = self.row is not None and self.is_of_set(self.row)
        if action == "select" and self.row is not None and not of_set:
            return "Take back"
        return of_set if action in ("edit", "conversation") else True

    def toggle(self) -> bool:
        """Select a turn, or leave it out; take a dropped question back into the set."""
        if self.row is None or self.is_of_set(self.row):
            return super().toggle()
        question = self.question(self.row)
        self._when_saved(lambda: self.beside(partial(self._take_back, question), self._taken_back, "take back"))
        return False

    def _take_back(self, question: Sample) -> str:
        from tui_eval.configuring.generated_sets import take_back  # brings every kind of evaluation along

        return take_back(self._path, question)

    def _taken_back(self, note: str) -> None:
        """It is one of the set now: read it again."""
        self.eval_app.say(f"taken back into datasets/{safe_line(self._path.name, 60)}{'; ' * bool(note)}{note}")
        self.beside(self._read, self._take, group="read")

    def action_page(self) -> None:
        """The page that the question rests on."""
        if self.row is not None:
            self.app.push_screen(QuestionScreen(self, page_only=True))

    def action_conversation(self) -> None:
        """Select the whole conversation under the cursor; where all of it is, leave it out."""
        if self.row is None or self._selected is None or self._set is None:
            return
        of = self.question(self.row).group(CONVERSATION)
        ids = {question.id for question in self._set.questions if of and question.group(CONVERSATION) == of}
        self._selected.change(ids, not ids <= self._selected.ids)
        self._save()
