"""Whether an answer stands in a text: whole words, numbers by value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.reading.whole_words import stands_in

FOUND = [
    ("5000", "5\u00a0000 EUR"),
    ("5'000", "5\u202f000 EUR"),
    ("1/2 cups", "1/2 cups"),
    ("2024", "03/04/2024"),
    ("rye", "The mill grinds\nRYE."),
    ("Rye.", "rye"),
    ("5 EUR", "It costs 5 EUR."),
    ("well-known", "a well-\nknown mill"),
    ("the final score", "The \ufb01nal **score**"),
    ("it's", "It\u2019s"),
    ("-5", "It was \u22125 degrees"),
    ("3-5", "3\u20135 days"),
    ("5 %", "5%"),
    ("No", "No."),
    ("\u5317\u4eac", "\u4ed6\u4f4f\u5728\u5317\u4eac\u5e02"),
    ("03.04.2024", "on 03.04.2024"),
    ("5", "| 5 | 100 |"),
    ("1000", "1,000"),
    ("1,000", "1000"),
    ("1,000", "1 000"),
    ("1 000", "1000"),
    ("1'000", "1,000"),
    ("1000", "1.000,0"),
    ("1,000", "1.000,00"),
    ("1.234.567", "1,234,567"),
    ("3.5 m", "3,5 m"),
    ("3.5", "3.50"),
    ("0,125", "0.125"),
    ("12:05", "at 12:05"),
    ("-1,000", "-1000"),
    ("1.000", "1000"),
    ("5 100", "5 100"),
    ("12,345.50", "12 345,5"),
]
NOT_FOUND = [
    ("5", "5\u00a0000 EUR"),
    ("5", "5\u202f000 EUR"),
    ("5", "5'000 EUR"),
    ("500 EUR", "1'500 EUR"),
    ("2 cups", "1/2 cups"),
    ("2 cups", "1 1/2 cups"),
    ("5 EUR", "15 EUR"),
    ("5", "15"),
    ("5", "5.5"),
    ("5", "0.5"),
    ("3.5 m", "13.5 m"),
    ("12", "2012"),
    ("no", "nothing"),
    ("rye", "ryegrass"),
    ("5", "-5"),
    ("-5", "5"),
    ("1,000", "1"),
    ("100", "1,000"),
    ("1000", "1.0"),
    ("007", "7"),
    ("4.2024", "03.04.2024"),
    ("rye bread", "bread of rye"),
    ("5 %", "5 EUR"),
    ("0.5", "5"),
    ("1.5", "15"),
    ("1,5", "15"),
    ("10", "1 000"),
    ("", "rye"),
]


@pytest.mark.parametrize(("answer", "text"), FOUND)
def test_it_stands_there(answer: str, text: str) -> None:
    """However it is set: letters of either size, mark-up, hyphens at line ends, thousands and decimals of any country."""
    assert stands_in(answer, text) is True


@pytest.mark.parametrize(("answer", "text"), NOT_FOUND)
def test_it_does_not(answer: str, text: str) -> None:
    """Not within other words or numbers, not with another sign, another order or another value."""
    assert not stands_in(answer, text)


def test_a_texts_other_numbers_tell_how_it_writes_decimals() -> None:
    """1.000 is one where decimals have points, a thousand where they have commas; either where nothing tells."""
    english, german = "3.5 m by 1.000 m", "3,5 m by 1.000 m"

    assert [stands_in("1", english), stands_in("1000", english)] == [True, False]
    assert [stands_in("1", german), stands_in("1000", german)] == [False, True]
    assert stands_in("1.000", "1000 kg", written_as=german) and not stands_in("1.000", "1000 kg", written_as=english)
    assert [stands_in("1", "1.000 m"), stands_in("1000", "1.000 m")] == [True, True]


@given(st.integers(-(10**7), 10**7), st.integers(-(10**7), 10**7))
def test_whole_numbers_are_one_if_they_are_equal(one: int, other: int) -> None:
    """In any of the forms that divide thousands."""
    for form in ("{:d}", "{:,d}"):
        text = f"There are {form.format(other)} of them."
        assert bool(stands_in(str(one), text)) == (one == other)
        assert stands_in(form.format(other), text)


@given(st.lists(st.sampled_from(["rye", "mill", "5", "15", "no", "nothing", "EUR"]), min_size=1, max_size=6), st.data())
def test_any_stretch_of_words_is_found_and_no_other(words: list[str], data: st.DataObject) -> None:
    """By definition: it stands there if its words do, one behind the other."""
    wanted = data.draw(st.lists(st.sampled_from([*words, "oats"]), min_size=1, max_size=3))
    stands = any(words[n : n + len(wanted)] == wanted for n in range(len(words)))

    assert stands_in(" ".join(wanted), ", ".join(words)) == stands
