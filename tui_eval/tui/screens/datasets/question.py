"""One question in full: its options with the right one marked, or its true answers, and what else is on file about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from textual.widget import Widget

from tui_eval.core.samples import Sample
from tui_eval.datasets.dropped_questions import Dropped, dropped_of
from tui_eval.datasets.in_full import in_full
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Above
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.question_view import QuestionView
from tui_eval.tui.widgets.quoted_page import QuotedPage
from tui_eval.tui.widgets.text import Paragraph


class QuestionListing(Protocol):
    """The list that a question was opened from."""

    @property
    def row(self) -> int | None:
        """The question under its cursor."""
        ...

    def question(self, row: int) -> Sample:
        """A question."""
        ...

    def page(self, row: int) -> QuotedPage | None:
        """The page that it rests on; None where it rests on none."""
        ...

    def is_of_set(self, row: int) -> bool:
        """Return whether it is a question of the set, and not shown besides."""
        ...

    def is_selected(self, row: int) -> bool:
        """Return whether a run asks it."""
        ...

    def reason(self, row: int) -> str:
        """Why it is left out; empty where nobody said why."""
        ...

    def where(self) -> str:
        """Return its place among those that are shown, in words."""
        ...

    def step(self, by: int) -> None:
        """On to another."""
        ...

    def toggle(self) -> bool:
        """Select it, or leave it out."""
        ...

    def action_edit(self) -> None:
        """Edit it."""
        ...

    def action_run(self) -> None:
        """A run with the questions that are selected."""
        ...


class QuestionScreen(Above):
    """A question opened from its set."""

    MODE = "datasets"
    BINDINGS = [
        bind("record.next", "next(1)", "Next", tooltip="The next question that is shown in the list"),
        bind("record.previous", "next(-1)", "Previous", tooltip="The one before"),
        bind("dataset.select", "select", "Select", tooltip="Select the question, or leave it out"),
        bind("dataset.edit", "edit", "Edit", tooltip="Edit the question, its options and its answer"),
        bind("dataset.page", "page", "Page", tooltip="The page that the question rests on, alone or below the question"),
        bind("run.new", "run", "Run", tooltip="Set up a run with the selected questions of the set"),
        bind("back", "leave", "Back", show=False),
        bind("app.leave", "leave", "Back", tooltip="Back to the questions"),
    ]

    def __init__(self, questions: QuestionListing, page_only: bool = False) -> None:
        """`page_only`: begin with the page that the question rests on, as far as there is one."""
        super().__init__()
        self._questions, self._page_only = questions, page_only

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the question, and its text."""
        yield Lines(id="about")
        yield QuestionView()

    def on_mount(self) -> None:
        """Show it."""
        super().on_mount()
        self.show_question()
        if self._page_only:
            self.action_page()

    def show_question(self) -> None:
        """The question as it is now."""
        row = self._questions.row
        if row is None:
            return
        question = self._questions.question(row)
        selected = self._questions.is_selected(row)
        why = self._questions.reason(row)
        left_out = f"– left out: {safe_line(why)}" if why else "– left out"
        state = "✓ selected" if selected else left_out if self._questions.is_of_set(row) else "✗ dropped"
        self.query_one("#about", Lines).say(
            (f"{safe_line(question.id, 60)}  " if question.options or question.data else f"question {row + 1}  ", "strong"),
            (self._questions.where() + "  ", "dim"),
            (state, "good" if selected else "warn"),
        )
        view = self.query_one(QuestionView)
        view.show(paragraphs(question), self._questions.page(row))
        view.take_keys()

    def action_next(self, by: int) -> None:
        """On to another question of the list."""
        self._questions.step(by)
        self.show_question()

    def action_page(self) -> None:
        """The page alone, or below the question again."""
        self.query_one(QuestionView).turn_page()

    def offers(self, action: str) -> bool | str:
        """A page where there is one; what was dropped is taken back before it is edited."""
        row = self._questions.row
        if row is None or action not in ("page", "select", "edit"):
            return True
        if action == "select":
            return True if self._questions.is_of_set(row) else "Take back"
        return self._questions.page(row) is not None if action == "page" else self._questions.is_of_set(row)

    def action_select(self) -> None:
        """Select it, or leave it out."""
        self._questions.toggle()
        self.show_question()

    def action_edit(self) -> None:
        """Edit it."""
        self._questions.action_edit()

    def action_run(self) -> None:
        """A run with the questions that are selected."""
        self._questions.action_run()


def paragraphs(question: Sample) -> list[Paragraph]:
    """A question as text to read; the right option is marked by a sign, too. Of one that was dropped, why."""
    dropped = dropped_of(question)
    pieces = in_full(question) if dropped is None else _of_dropped(question, dropped)
    return [(safe(text[:LONGEST_TEXT]), tone) for text, tone in pieces]


def _of_dropped(question: Sample, dropped: Dropped) -> Iterator[Paragraph]:
    yield f"✗ dropped: {dropped.reason}", "bad"
    for name, text in (("question", question.question), ("answer", question.truth), ("quote", dropped.quote)):
        yield "", ""
        yield name, "accent"
        yield text or "-", "" if text else "dim"
