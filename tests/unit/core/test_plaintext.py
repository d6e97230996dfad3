"""Laws of showing text from strangers: nothing steers a terminal, nothing runs in a spreadsheet, nothing is lost unseen."""

from __future__ import annotations

import csv
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.core.plaintext import csv_cell, one_line, readable, visible, zero_width_signs
from tui_eval.results.tables import rows_csv

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
FORMULA_SIGNS = "=+-@＝＋－＠"
INVISIBLE = [
    "",
    " ",
    "\u200b",
    "\u200c",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u00a0",
    "\u3000",
    "\u200b \u200d",
    "\u2063",
    "\u180e",
]

wild = st.text(st.sampled_from([*"ab=+-@'\",\\\n\t\r\x1b\x00\x9b\u2028\u200b\ud83d\ude00é", *BIDI]), max_size=30)


def harmless(text: str) -> bool:
    """Whether a terminal can be sent this text: newline and tab are the only controls in it."""
    return not any((unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\n\t") or c in BIDI for c in text)


def first_seen(cell: str) -> str:
    """The first character of a cell that takes up ink."""
    return next((c for c in cell if unicodedata.category(c) not in ("Cf", "Zs", "Zl", "Zp", "Cc")), " ")


def test_no_control_character_is_shown_as_it_is() -> None:
    """Every control character of Unicode, every bidi control and every surrogate becomes something to look at."""
    controls = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cc", "Cs")]

    shown = {character: visible(character) for character in [*controls, *BIDI] if character not in "\n\t"}

    assert [character for character, picture in shown.items() if not harmless(picture) or not picture] == []


@few
@given(wild | any_text)
def test_shown_text_is_harmless_and_stays_so(text: str) -> None:
    """Any text can be shown and written as UTF-8; making it visible twice changes nothing more."""
    shown = visible(text)

    assert harmless(shown)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert visible(shown) == shown


@few
@given(st.text(st.characters(blacklist_categories=("Cc", "Cs", "Cf", "Zl", "Zp")), max_size=60))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    """Letters of any script, emoji, accents, newlines and tabs are not touched."""
    assert visible(f"{text}\n\t{text}") == f"{text}\n\t{text}"


@pytest.mark.parametrize(
    "attack", ["\x1b]52;c;ZWNobw==\x07", "\x1b[2J", "\x9b31m", "\x1bP+q\x1b\\", "a\rb", "a\x08b", "\u202egnp.exe"]
)
def test_terminal_attacks_leave_a_trace_and_no_effect(attack: str) -> None:
    """Escape sequences, overprinting and reversed names are shown as what they are, with their letters kept."""
    shown = visible(attack)

    assert harmless(shown)
    assert [letter for letter in attack if letter.isalnum() and letter not in shown] == []


@few
@given(wild | any_text, st.integers(2, 40))
def test_one_line_is_one_short_line(text: str, limit: int) -> None:
    """No line break, no more than the limit, nothing but an ellipsis where it was cut."""
    line = one_line(text, limit)

    assert harmless(line) and "\n" not in line and "\t" not in line
    assert len(line) <= limit


@pytest.mark.parametrize("before", INVISIBLE, ids=[f"{text!a}" for text in INVISIBLE])
def test_no_cell_starts_a_formula(before: str) -> None:
    """No cell begins, for the eye, with a sign that starts a formula: not behind spaces or invisible characters either."""
    cells = [str(csv_cell(f"{before}{sign}1+1")) for sign in FORMULA_SIGNS]

    assert [cell for cell in cells if first_seen(cell) in FORMULA_SIGNS] == []


@few
@given(wild | any_text)
def test_a_cell_is_harmless_and_otherwise_the_text(text: str) -> None:
    """A cell is what can be shown of the text, with at most an apostrophe before it."""
    cell = str(csv_cell(text))

    assert cell in (visible(text), "'" + visible(text))
    assert not cell.lstrip("\u200b\u200c\u200d\u2060\ufeff\u00ad \u00a0").startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize("value", [0, -1, -0.5, 1e300, None, True])
def test_numbers_stay_numbers(value: object) -> None:
    """A negative number is no formula."""
    assert csv_cell(value) is value


@few
@given(st.lists(st.tuples(wild, wild | any_text), min_size=1, max_size=5))
def test_cells_come_back_from_a_csv_file(rows: list[tuple[str, str]]) -> None:
    """Whatever the texts, the file has one row for each, and the cells that were meant."""
    text = rows_csv([{"first": first, "second": second} for first, second in rows])

    read = list(csv.reader(io.StringIO(text.encode("utf-8").decode("utf-8"), newline="")))

    assert read == [["first", "second"], *([str(csv_cell(cell)) for cell in row] for row in rows)]


@given(wild)
def test_readable_text_is_harmless_and_stays_so(text: str) -> None:
    """Cleaned once it is clean; a text that was clean before is the same text, byte by byte, so that no call is another."""
    clean = readable(text)

    assert harmless(clean) and "\ufeff" not in clean and readable(clean) == clean
    assert clean == text or not harmless(text)


def test_readable_text_keeps_lines_and_what_is_seen() -> None:
    """Every line end is a newline; zero-width signs, mark-up and links stay, and the signs are counted."""
    text = "a\r\nb\rc\x0cd\u2028e\x85f\tg<b>h</b>![i](http://x/y.png)\u200bj\U000e0041k\ud83d"

    assert readable(text) == "a\nb\nc\nd\ne\nf\tg<b>h</b>![i](http://x/y.png)\u200bj\U000e0041k\ufffd"
    assert zero_width_signs(readable(text)) == 2 and zero_width_signs("a b") == 0
