"""One question as an inspector shows it: its options with the right one marked, or its answers, what is on file, its page."""

from __future__ import annotations

from collections.abc import Iterator

from tui_eval.core.samples import Sample
from tui_eval.datasets.dropped_questions import Dropped, dropped_of
from tui_eval.datasets.in_full import in_full
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.inspector import Dossier, Section, section
from tui_eval.tui.widgets.lines import Piece
from tui_eval.tui.widgets.quoted_page import QuotedPage
from tui_eval.tui.widgets.text import Paragraph


def question_dossier(
    question: Sample, number: int, where: str, state: Piece, page: QuotedPage | None, whole: bool
) -> Dossier:  # fmt: skip
    """Say what is on file of a question; of one that was dropped, why. `number`: its own, from 1; `where`: its place in the
    list, in words; `state`: whether it is asked; `page`: the one that it rests on."""
    dropped = dropped_of(question)
    pieces = in_full(question) if dropped is None else _of_dropped(question, dropped)
    sections: list[Section] = [each for text, tone in pieces for each in section("", text, whole, tone)]
    title = safe_line(question.id, 60) if question.options or question.data else f"question {number}"
    beside, above = (page.sections, page.heading) if page is not None else ((), ())
    heading: tuple[Piece, ...] = ((f"{title}  ", "strong"), (f"{where}  ", "dim"), state)
    return Dossier(
        heading,
        tuple(sections),
        beside,
        name=f"question-{number}",
        beside_title=above,
    )


def _of_dropped(question: Sample, dropped: Dropped) -> Iterator[Paragraph]:
    yield f"✗ dropped: {dropped.reason}", "bad"
    for name, text in (("question", question.question), ("answer", question.truth), ("quote", dropped.quote)):
        yield "", ""
        yield name, "accent"
        yield text or "-", "" if text else "dim"
