"""Laws of the page beside a question: the quote is marked wherever it stands, and what passages left out is struck through."""

from __future__ import annotations

import re

import pytest

from tui_eval.core.conversations import GroundingDocument, Turn
from tui_eval.core.document_text import LeftOut
from tui_eval.tui.widgets.quoted_page import QuotedPage, quoted_page

HEAD = "Harbour Handbook"
TEXT = f"{HEAD}\nThe quay is\x07 lit from dusk\n1\f{HEAD}\nto dawn. Swans have right of way.\n2\f{HEAD}\nEnd.\n3"
LEFT_OUT = tuple(
    LeftOut(TEXT.count("\f", 0, found.start()) + 1, *found.span()) for found in re.finditer(rf"{HEAD}|\d(?=\f|$)", TEXT)
)


def page(quote: str, number: int = 1, left_out: tuple[LeftOut, ...] = LEFT_OUT, **more: object) -> QuotedPage:
    """What is shown of a turn with this quote."""
    document = GroundingDocument(filename="h.pdf", sha256="", pages=3, uploaded_at="", text=TEXT, left_out=left_out)
    return quoted_page(Turn(id="t", question="", ground_truth="", quote=quote, page=number, **more), document)  # type: ignore[arg-type]


def marked(found: QuotedPage) -> str:
    """What is marked, with what is struck through in it left out."""
    return "".join(
        sign for at, sign in enumerate(found.text[: found.end])
        if at >= found.start and not any(start <= at < end for start, end in found.struck)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("quote", "number", "pages"),
    [
        ("Swans have right of way.", 2, "page 2 of 3"),
        ("lit from dusk to dawn.", 1, "pages 1 and 2 of 3"),
        ("lit from dusk 1 Harbour Handbook to dawn.", 1, "pages 1 and 2 of 3"),
        ("right of way. End.", 2, "pages 2 and 3 of 3"),
    ],
)
def test_a_quote_is_marked_on_its_page_and_over_its_end(quote: str, number: int, pages: str) -> None:
    """With the running lines between or without them; these are struck through on every page that is shown."""
    found = page(quote, number)
    without = "".join(quote.replace("1 Harbour Handbook", "").split())

    assert found.title == f"h.pdf, {pages}" and not found.missing
    assert "".join(marked(found).split()) == without
    assert {found.text[start:end] for start, end in found.struck} <= {HEAD, "1", "2", "3"} and found.struck


def test_offsets_say_where_it_stands_without_any_list() -> None:
    """A set that does not tell what was left out still has where the quote stands; without both it is missing."""
    first, second = TEXT.index("lit from dusk"), TEXT.index("to dawn")
    parts = ((first, first + 13), (second, second + 8))

    assert page("lit from dusk to dawn.", left_out=(), quote_at=parts).title == "h.pdf, pages 1 and 2 of 3"
    assert page("lit from dusk to dawn.", left_out=()).missing
    assert page("lit from dusk to dawn.", quote_at=((10_000, 10_010),)).title == "h.pdf, pages 1 and 2 of 3"
