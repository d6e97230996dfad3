"""Laws of a printed page on a screen of another width: nothing but ends of lines changes, and tables and lists stay."""

from __future__ import annotations

from hypothesis import given
from makers import any_text, few

from tui_eval.tui.widgets.quoted_page import flowing

PROSE = [
    "The fees are in crowns and include water. Multihulls pay one and a half times the fee of their",
    "length. Members of the sailing club of Ardle pay half in May and in September. Whoever stays for more",
    "than four weeks pays the rate of a season, which the office works out.",
]
TABLE = ["up to 8 metres              14          70", "8 to 12 metres              19          95"]


@few
@given(any_text)
def test_only_ends_of_lines_change(text: str) -> None:
    """What stands somewhere in a text stands there after it, too: whatever was marked in it is."""
    after = flowing(text)
    assert len(after) == len(text)
    assert all(old == new or (old, new) == ("\n", " ") for old, new in zip(text, after, strict=True))


def test_full_lines_flow_and_a_paragraph_ends() -> None:
    """A line that was broken because it was full goes on; the next paragraph, a heading and a blank line do not."""
    rest = [
        "Power costs 3 crowns a night and is paid with a card from the machine. The crane costs 45 crowns for",
        "each lift.",
    ]
    made = flowing("\n".join(["2 Fees", *PROSE, *rest, "", "More."]))
    assert made.split("\n") == ["2 Fees", " ".join(PROSE), " ".join(rest), "", "More."]


def test_tables_lists_short_lines_and_scripts_without_blanks_stay() -> None:
    """Their lines mean something, or a blank would be wrong."""
    wide = [f"{row}          up to four weeks in the summer, whoever asks for it" for row in TABLE]
    items = ["- the east mole is closed to every vessel of more than fifteen metres of length;"] * 3
    verse = ["The harbour lies", "on the north shore", "of Tarn Sound"]
    japanese = ["港は北岸にあります。灯台は1912年に花崗岩で建てられました。" * 3] * 2
    for lines in (wide, items, verse, japanese):
        assert flowing("\n".join(lines)).split("\n") == lines
