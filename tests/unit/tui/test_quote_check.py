"""Laws of an edited turn: its quote is held against its document, and only what was changed is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui_eval.core.conversations import GroundingDocument, Turn
from tui_eval.core.document_text import LeftOut
from tui_eval.reading.quotes import LONGEST_QUOTE
from tui_eval.tui.screens.datasets.review import QuoteCheck

PAGES = [
    "The harbour lies on the north shore. Berths 1 to 3",
    "have 2.4 metres of water.\nThe mole was built in 1912\nof granite.",
]
PAGED, PLAIN, PICTURE = (
    GroundingDocument(filename=name, sha256="", pages=pages, uploaded_at="", text=text)
    for name, pages, text in (
        ("harbour.pdf", 2, "\f".join(PAGES)),
        ("harbour.txt", None, "\n".join(PAGES)),
        ("quay.png", None, ""),
    )
)
WAS = Turn(id="t1", question="When?", ground_truth="in 1912", quote="The mole was built in 1912", page=2)


def problem(document: GroundingDocument, before: Turn = WAS, **changed: object) -> str:
    """What is said of a turn in which this was changed."""
    return QuoteCheck(document).problem(replace(before, **changed), before)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changed",
    [
        {"quote": "the mole  was built in 1912\nof granite"},
        {"quote": "“The harbour lies on the north shore.”", "page": 1},
        {"quote": "Berths 1 to 3 have 2.4 metres", "page": 1},
        {"quote": "north shore", "page": None},
        {"quote": "", "page": None},
        {"question": "When was it built?"},
    ],
)
def test_the_documents_own_words_are_taken(changed: dict[str, object]) -> None:
    """Whatever the white space, the quotation marks and the page's end; and no quote at all."""
    assert problem(PAGED, **changed) == ""


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"quote": "The mole was built in 1913"}, "[quote] is not in harbour.pdf"),
        ({"quote": "The moles was built in 1912"}, "[quote] is not in harbour.pdf"),
        ({"quote": "north shore"}, "[quote] is on page 1, but [page] is 2"),
        ({"page": 1}, "[quote] is on page 2, but [page] is 1"),
        ({"page": 3}, "[page] is 3; harbour.pdf has 2"),
        ({"quote": "", "page": 0}, "[page] is 0; harbour.pdf has 2"),
        ({"quote": "built " * LONGEST_QUOTE}, f"it may have {LONGEST_QUOTE}"),
        ({"quote": "-", "page": None}, "[quote] is not in harbour.pdf"),
    ],
)
def test_words_that_stand_elsewhere_or_nowhere_are_not(changed: dict[str, object], said: str) -> None:
    """The sentence says where they stand, or that they do not."""
    assert said in problem(PAGED, **changed)


def test_what_was_not_changed_is_not_held_against_it() -> None:
    """An imported quote may be another's words: question and answer can be mended all the same."""
    false = replace(WAS, quote="nobody said this")
    assert problem(PAGED, false, question="Who?", ground_truth="nobody") == ""
    assert problem(PAGED, false, quote="nobody says this")


def test_documents_without_pages_or_text() -> None:
    """A text has no page to be wrong; what is in a picture nobody can look up."""
    assert problem(PLAIN, quote="3 have 2.4 metres", page=None) == ""
    assert problem(PLAIN, quote="4 have 2.4 metres", page=None)
    assert problem(PICTURE, quote="whatever", page=7) == ""


def test_a_quote_that_leaps_over_running_lines_is_taken() -> None:
    """Where the set tells what these are; where it does not, the words between are the document's."""
    text = "Berths 1 to 3\nHandbook\fPage 2\nhave 2.4 metres of water."
    out = tuple(
        LeftOut(page, text.index(words), text.index(words) + len(words)) for page, words in ((1, "Handbook"), (2, "Page 2"))
    )
    known = GroundingDocument(filename="harbour.pdf", sha256="", pages=2, uploaded_at="", text=text, left_out=out)

    assert problem(known, quote="Berths 1 to 3 have 2.4 metres", page=1) == ""
    assert problem(known, quote="Berths 1 to 3 Handbook Page 2 have 2.4 metres", page=1) == ""
    assert problem(replace(known, left_out=()), quote="Berths 1 to 3 have 2.4 metres", page=1)
