"""A text without its mark-up, and with one form of what only looks different."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.reading.bare_text import bare

SAME = {
    "ligature": ("\ufb01nal", "final"),
    "curly quotes": ("\u201cso\u201d, he said, it\u2019s", "\"so\", he said, it's"),
    "dashes": ("1990\u20131995 \u2014 then", "1990-1995 - then"),
    "soft hyphen": ("trans\u00adcription", "transcription"),
    "soft hyphen at a line's end": ("trans\u00ad\ncription", "transcription"),
    "zero width": ("har\u200bbour\ufeff", "harbour"),
    "no-break space": ("5\u00a0m", "5 m"),
    "full width": ("\uff21\uff22\uff11", "AB1"),
    "bold": ("**Total** 5", "Total 5"),
    "bold within a word": ("**T**otal", "Total"),
    "nested": ("***a** b* and _c_ and ~~d~~", "a b and c and d"),
    "heading": ("## Results ##\n\nNone", "Results None"),
    "list": ("- one\n* two\n+ three\n\u2022 four\n- [x] five", "one two three four five"),
    "quotation": ("> a\n> > b", "a b"),
    "table": ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a b\n1 2"),
    "code": ("```python\nx = 1\n```\nand `y`", "x = 1 and y"),
    "link and picture": ("see [the map](http://x.example/a_b \"A\") ![a mill](m.png)", "see the map a mill"),
    "rules": ("a\n***\nb\n---\nc", "a b c"),
    "HTML": ("<h1>A</h1><p>B<br>C &amp; <b>D</b>E</p><!-- no -->", "A B C & DE"),
    "escaped": (r"1\. a \* b", "1. a * b"),
}  # fmt: skip
DIFFERENT = ["2 * 3", "a_b_c", "~5", "x < 4 > y", "C#", "-5", "1. one", "# ", "5 | 6"]


@pytest.mark.parametrize("name", SAME)
def test_what_only_looks_different_is_the_same(name: str) -> None:
    """On either side: mark-up of Markdown and HTML, ligatures, quotation marks, dashes, what is invisible."""
    one, other = SAME[name]

    assert bare(one) == bare(other) == " ".join(bare(other).split())


@pytest.mark.parametrize("text", DIFFERENT[:-2])
def test_what_is_no_mark_up_stays(text: str) -> None:
    """Signs that stand for themselves."""
    assert bare(text) == text


@given(st.text(st.sampled_from("aA1 \n*_`~|#<>b/&;-\u00ad\u200b\u2019\u2014.[]()!\\"), max_size=60))
def test_no_word_is_lost_or_made(text: str) -> None:
    """Whatever signs stand around them, letters and digits stay, in their order; but for what stands in a tag or an address."""
    plain = "".join(sign for sign in text if sign in "aA1b")

    if not any(sign in text for sign in "<&[\\"):
        assert "".join(sign for sign in bare(text) if sign in "aA1b") == plain
    assert bare(text).strip() == bare(text)


def test_no_text_takes_long() -> None:
    """Twenty thousand signs that could begin something."""
    began = time.process_time()
    for sign in ("*", "_a", "[", "<b", "|-", "`", "**a", "> ", "- ", "<!--", "![a]("):
        bare(sign * (20_000 // len(sign)))

    assert time.process_time() - began < 10
