"""A set of conversations looked through: its turns, those that were dropped, and beside each the page that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

from tui_eval.core.conversations import GroundingDocument, Turn
from tui_eval.core.document_text import PAGE_BREAK, pages_of, without_running
from tui_eval.core.plaintext import count_of
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_samples import CONVERSATION, DOCUMENT, TURN, TYPE, turn_of
from tui_eval.datasets.dropped_questions import dropped_of
from tui_eval.datasets.sets import QuestionSet
from tui_eval.datasets.taken_back import document_called
from tui_eval.reading.folding import Folded, folded
from tui_eval.reading.quotes import LONGEST_QUOTE, QuotePlace, find_quote, trimmed
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.datasets.question_form import form_question
from tui_eval.tui.screens.datasets.question_list import MARK, QUESTION, QuestionRow, SetPreviewScreen, group_column, used
from tui_eval.tui.widgets.cells import Cell, Column
from tui_eval.tui.widgets.quoted_page import QuotedPage, page_of_dropped, quoted_page


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


def _answer(row: QuestionRow) -> Cell:
    """Say what a turn is to be answered, or why it was dropped."""
    dropped = dropped_of(row.question)
    if dropped is not None:
        return safe_line(dropped.reason, 200), "warn"
    return safe_line(row.question.answer_text, 200) or ("-", "dim")


TURNS: Sequence[Column[QuestionRow]] = (
    MARK,
    group_column("turn", 14, CONVERSATION, TURN, share=1, middle=True, field="conversation"),
    group_column("", 0, TURN, field="turn"),
    QUESTION,
    Column("answer", 14, _answer, share=2),
    group_column("", 0, DOCUMENT, field="document"),
)
"""Columns of turns."""
OF_SORT = group_column("type", 10, TYPE, share=1, above=79)
KIND = replace(OF_SORT, cell=lambda row: ("dropped", "dim") if row.store is None else OF_SORT.cell(row))
"""The column behind these, drawn where any turn has a type."""
WHOLE = "Select the whole conversation, or leave all of it out"


class ReviewScreen(SetPreviewScreen):
    """Turns with boxes to tick, and beside them the question under the cursor and the page that it rests on."""

    BINDINGS = [
        bind("dataset.edit", "edit", "Edit", tooltip="Edit the question, its answer, its quote and its page"),
        bind("dataset.conversation", "conversation", "Conversation", tooltip=WHOLE),
        bind("dataset.page", "page", "Page", tooltip="The page that the question rests on alone, or below the question"),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._documents: dict[str, GroundingDocument] = {}
        """Those of the set, by their names."""
        self._paged: tuple[Sample, QuotedPage | None] | None = None
        """The question whose page was looked for last."""
        self._checked: tuple[GroundingDocument, QuoteCheck] | None = None
        """The document that an edited quote was held against last."""

    def besides(self, path: Path) -> Sequence[Sample]:
        """Return the questions that were dropped when the set was made."""
        from tui_eval.configuring.generated_sets import dropped_questions  # brings every kind of evaluation along

        return dropped_questions(path, self.eval_app.workspace)

    def columns(self, questions: QuestionSet, rows: Sequence[QuestionRow]) -> Sequence[Column[QuestionRow]]:
        """Return the columns of turns."""
        found = questions.conversations
        self._documents = {document.filename: document for document in found.documents} if found else {}
        return *TURNS, *(used([KIND], [row for row in rows if row.store is not None]) or [replace(KIND, width=0)])

    @property
    def said_besides(self) -> str:
        """Note on the number of dropped questions."""
        n = sum(row.store is None for row in self._rows)
        return f", {count_of(n, 'dropped question')} below" if n else ""

    def page(self, question: Sample) -> QuotedPage | None:
        """The page that a turn rests on, or on which the quote of a dropped question stands."""
        if self._paged is None or self._paged[0] is not question:
            self._paged = question, self._page(question)
        return self._paged[1]

    def _page(self, question: Sample) -> QuotedPage | None:
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

    # keys

    def offers(self, action: str) -> bool | str:
        """Return whether a key applies, or its label; a dropped question is taken back before it is edited."""
        of_set = self.current is None or self.current.store is not None
        if action == "select" and not of_set:
            return "Take back"
        return of_set if action in ("edit", "conversation") else True

    def action_select(self) -> None:
        """Select a turn, or leave it out; take a dropped question back into the set."""
        row = self.current
        if row is None or row.store is not None:
            super().action_select()
        else:
            work = partial(self._take_back, row.question)
            self._when_saved(lambda: self.beside(work, self._taken_back, "take back"))

    def _take_back(self, question: Sample) -> str:
        from tui_eval.configuring.generated_sets import take_back  # brings every kind of evaluation along

        return take_back(self._path, question)

    def _taken_back(self, note: str) -> None:
        """It is one of the set now: read it again."""
        self.eval_app.say(f"taken back into datasets/{safe_line(self._path.name, 60)}{'; ' * bool(note)}{note}")
        self._reread()

    def action_page(self) -> None:
        """The page that the question rests on alone, or below the question again."""
        self.inspector.panes.turn_page()

    def action_conversation(self) -> None:
        """Select the whole conversation under the cursor; where all of it is, leave it out."""
        row = self.current
        if row is None or self._selected is None or self._set is None:
            return
        of = row.question.group(CONVERSATION)
        ids = {question.id for question in self._set.questions if of and question.group(CONVERSATION) == of}
        self._selected.change(ids, not ids <= self._selected.ids)
        self._save()
