"""Laws of text on the screen: nothing in it steers a terminal, and every sign is as wide as it is counted."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few
from rich.cells import cell_len

from tui_eval.tui.sanitize import MARKS, safe, safe_line
from tui_eval.tui.widgets.cells import Column, blank, fitted, widths
from tui_eval.tui.widgets.text import wrapped

MARKED = st.text(
    st.sampled_from("ae \u0301\u0323\u20dd\u093f宽\U0001f600\u200d\ufe0f\U0001f3fd\u05d0\u1100\u1161\t\n"), max_size=80
)
"""Letters, wide signs and what heaps up on them or joins them."""
TEXTS = st.one_of(any_text, MARKED)
STEERING = [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
STEERING += [*range(0xD800, 0xE000)]


def _steers(letter: str) -> bool:
    return ord(letter) in STEERING and letter != "\n"


def _marks(text: str) -> int:
    """The longest heap of marks on one letter."""
    most = heap = 0
    for letter in text:
        heap = heap + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        most = max(most, heap)
    return most


def test_no_character_steers_a_terminal_or_joins() -> None:
    """Of every character that could: what is shown of it holds no control, no direction, no surrogate and no joiner."""
    odd = [letter for letter in map(chr, range(0xE0200)) if unicodedata.category(letter)[0] in "MZ" or _is_control(letter)]
    assert len(odd) > 4000
    for letter in odd:
        shown = safe(f"a{letter}b")
        assert shown.isascii() or not any(map(_steers, shown)), hex(ord(letter))
        assert cell_len(shown) == sum(map(cell_len, shown)), hex(ord(letter))


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs")


@few
@given(TEXTS)
def test_safe_text(text: str) -> None:
    """Safe once is safe for good; at most two marks a letter; as wide as its signs together; no tab."""
    shown = safe(text)
    assert safe(shown) == shown
    assert _marks(shown) <= MARKS
    assert cell_len(shown) == sum(map(cell_len, shown))
    assert not any(map(_steers, shown)) and "\t" not in shown
    assert shown.count("\n") == text.count("\n")


@few
@given(TEXTS, st.integers(2, 30))
def test_safe_line(text: str, limit: int) -> None:
    """One line, at most so many characters (a mark at its start stands on a sign of its own), nothing that steers."""
    shown = safe_line(text, limit)
    assert "\n" not in shown and not any(map(_steers, shown))
    assert len(shown) <= limit + 1
    assert _marks(shown) <= MARKS


@pytest.mark.parametrize("value", [None, 3, 2.5, True, [1], {"a": "\x1b[2J"}, b"\x1b", float("nan")])
def test_anything_is_a_line(value: object) -> None:
    """What is no text is shown as Python writes it; what is not known is a dash."""
    shown = safe_line(value)
    assert shown and not any(map(_steers, shown))
    assert (shown == "-") == (value is None)


def test_text_of_the_world_stays() -> None:
    """Letters of every script with their marks, and wide signs, stay what they are."""
    for text in ("Zoë, naïve", "e\u0301", "宽度", "हिन्दी", "עִבְרִית", "ไทยนี้", "Việt", "a │ ▁█ ✓", "😀"):
        assert safe(text) == text


@few
@given(TEXTS.map(safe), st.integers(0, 40), st.booleans())
def test_a_cell_has_exactly_its_width(text: str, width: int, right: bool) -> None:
    """Cut or filled up, a cell is as many columns wide as it is told to be; one that fits keeps all of its text."""
    line = text.replace("\n", " ")
    shown = fitted(line, width, right)
    assert cell_len(shown) == width
    if cell_len(line) <= width:
        assert shown.strip() == line.strip()


COLUMNS = st.lists(
    st.builds(
        Column,
        st.just("x"),
        st.integers(1, 30),
        st.just(blank),
        share=st.integers(0, 3),
        above=st.sampled_from([0, 0, 79, 119]),
    ),
    min_size=1,
    max_size=9,
).map(lambda columns: [Column("first", columns[0].width, blank, share=columns[0].share), *columns[1:]])


@few
@given(COLUMNS, st.integers(10, 200), st.integers(0, 9))
def test_columns_fit_their_room(columns: list[Column[Any]], terminal: int, skipped: int) -> None:
    """Columns never take more than there is, the first is always there, narrow terminals lack what they should."""
    room = terminal - 2
    found = widths(columns, room, terminal, skipped)
    shown = [width for width in found if width]
    assert sum(shown) + len(shown) - 1 <= room
    assert found[0] > 0
    for index, (column, width) in enumerate(zip(columns, found, strict=True)):
        assert not width or index == 0 or (terminal > column.above and index > skipped and width >= column.width)


@few
@given(TEXTS.map(safe), st.integers(8, 30), st.booleans())
def test_wrapping_loses_nothing(text: str, width: int, hanging: bool) -> None:
    """Every sign that is seen comes once and in order; no line is wider than it may be, none begins with a lonely mark."""
    lines = [line for line, _ in wrapped([(text, "")], width, hanging)]
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert max(map(cell_len, lines)) <= width
    assert len(lines) >= text.count("\n") + 1
    assert not any(unicodedata.category(line[0]) in ("Mn", "Me") for line in lines if line)


@few
@given(st.lists(st.text("abcdefg", min_size=1, max_size=7), min_size=1, max_size=30))
def test_words_that_fit_stay_whole(words: list[str]) -> None:
    """Lines are broken at blanks where there are any."""
    lines = [line for line, _ in wrapped([(" ".join(words), "")], 24)]
    assert " ".join(lines).split() == words


def test_what_is_left_of_an_indented_line_is_indented() -> None:
    """As far as it is, up to a third of the width; where lines are to be pieces of the text, not at all."""
    line = "  -> the ferry comes home in the evening"
    assert [text for text, _ in wrapped([(line, "")], 24, hanging=True)] == ["  -> the ferry comes", "  home in the evening"]
    assert [text for text, _ in wrapped([(line, "")], 24)] == ["  -> the ferry comes", "home in the evening"]
    far = [text for text, _ in wrapped([(" " * 20 + "far and away", "")], 24, hanging=True)]
    assert far[1:] == [" " * 8 + "and away"]


def test_a_long_line_is_wrapped_in_no_time() -> None:
    """Work grows with the text, not with its square: 2 MB on one line are wrapped at once, ASCII or not."""
    for letter in ("x", "é"):
        assert sum(len(line) for line, _ in wrapped([(letter * 2_000_000, "")], 78)) == 2_000_000
