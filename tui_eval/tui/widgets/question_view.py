"""A question in full, and below it the page that it rests on, the quote marked."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.marked_text import MarkedReading
from tui_eval.tui.widgets.quoted_page import QuotedPage
from tui_eval.tui.widgets.text import Paragraph, Reading


class QuestionView(Vertical):
    """The question above, its page below; where there is no page, the question alone."""

    DEFAULT_CSS = """
    QuestionView { height: 1fr; width: 1fr; }
    QuestionView > Lines { background: $surface; display: none; }
    QuestionView > MarkedReading { display: none; }
    QuestionView.-paged > Lines, QuestionView.-paged > MarkedReading { display: block; }
    QuestionView.-page-only > #question { display: none; }
    QuestionView.-no-text > #question { display: block; }
    QuestionView.-no-text > MarkedReading { display: none; }
    """

    def compose(self) -> ComposeResult:
        """The question, the page's name, the page."""
        yield Reading(id="question")
        yield Lines(id="page-name")
        yield MarkedReading(id="page")

    def show(self, paragraphs: Sequence[Paragraph], page: QuotedPage | None) -> None:
        """Show another question; `page`: None where it rests on none."""
        self.query_one("#question", Reading).show(paragraphs)
        self.set_class(page is not None, "-paged")
        self.set_class(page is not None and not page.text, "-no-text")
        if page is not None:
            self.query_one("#page-name", Lines).say((f"── {page.title} ", "warn" if page.missing else "dim"))
            self.query_one(MarkedReading).show_text(page.text, page.start, page.end, struck=page.struck)

    def turn_page(self) -> None:
        """The page alone, or the question above it again."""
        if self.has_class("-paged"):
            self.toggle_class("-page-only")
            self.take_keys()

    def take_keys(self) -> None:
        """Give the keys that scroll to the page, else to the question."""
        paged = self.has_class("-paged") and not self.has_class("-no-text")
        self.query_one("#page" if paged else "#question", Reading).focus()
