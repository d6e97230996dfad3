"""Pages and places in the text of a document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.document_text import joined, letters_in, page_at, page_spans, pages_of, plain, plain_page

anything = st.text(st.characters(), max_size=60)
pages = st.lists(st.text(st.characters(exclude_characters="\f"), max_size=30), min_size=1, max_size=12)


@few
@given(pages)
def test_pages_come_back_from_the_text(given_pages: list[str]) -> None:
    """Joining and taking apart are each other's reverse, empty pages and odd line ends included."""
    assert pages_of(joined(given_pages)) == given_pages


def test_a_form_feed_within_a_page_is_refused() -> None:
    """It would shift every page behind it."""
    with pytest.raises(ValueError, match="form feed"):
        joined(["one", "two\fthree"])


@few
@given(pages)
def test_every_place_is_on_its_page(given_pages: list[str]) -> None:
    """page_at agrees with page_spans for every character; a form feed belongs to the page it ends."""
    text = joined(given_pages)
    spans = page_spans(text)

    assert [text[start:end] for start, end in spans] == given_pages
    for number, (start, end) in enumerate(spans, 1):
        assert {page_at(text, offset) for offset in range(start, end + 1)} == {number}


@pytest.mark.parametrize("offset", [-1, 4])
def test_a_place_outside_the_text_is_refused(offset: int) -> None:
    """There is no page for it."""
    with pytest.raises(ValueError, match="offset"):
        page_at("a\fb", offset)


@few
@given(anything)
def test_plain_text_can_be_kept(text: str) -> None:
    """It is UTF-8, has no control character but line end, tab and page break, is plain already, and loses no letter."""
    found = plain(text)

    assert found.encode("utf-8").decode("utf-8") == plain(found) == found
    assert not {letter for letter in found if ord(letter) < 32} - {"\n", "\t", "\f"}
    assert [letter for letter in text if letter.isalnum()] == [letter for letter in found if letter.isalnum()]
    assert "\f" not in plain_page(text)


def test_plain_text_keeps_what_a_document_has() -> None:
    """Ligatures and hyphens at line ends stay; NULs go; halves of a character become a whole one, or the sign for none."""
    assert plain("e\ufb03cient hyphen-\r\nation\rx\x00\x07y") == "e\ufb03cient hyphen-\nation\nxy"
    assert plain("\ud83d\ude00 \ud83d.") == "\U0001f600 \ufffd."


def test_white_space_is_not_counted() -> None:
    """Blanks, tabs, line ends and page breaks are no letters."""
    assert letters_in(" a\tb\n\fc ü ") == 4
