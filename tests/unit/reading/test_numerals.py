"""Laws of numbers in a text: one value however it is written, and never one value for two numbers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.reading.numerals import numerals_in


def values(text: str) -> list[str]:
    """The values of a text's numbers."""
    return [numeral.value for numeral in numerals_in(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,000 = 1000 = 1.000 = 1 000 = 1'000 = 1\u202f000", ["1000"] * 6),
        ("1.5 and 1,5 and 1.50 and 15", ["1.5", "1.5", "1.5", "15"]),
        ("1,234,567.80 or 1.234.567,8", ["1234567.8", "1234567.8"]),
        ("0.125 is no 125", ["0.125", "125"]),
        ("-5, −5 and 5", ["-5", "-5", "5"]),
        ("10-12, 10–12", ["10", "12", "10", "12"]),
        ("m² and 10² and 102", ["2", "10^2", "102"]),
        ("2½ and 21/2", ["2^1⁄2", "21", "2"]),
        ("２４メートル, ٢٤", ["24", "24"]),
        ("in 2019 300 people", ["2019", "300"]),
        ("03.12.2024, 4.2.1", ["03.12.2024", "4.2.1"]),
        ("007 and 7", ["7", "7"]),
        ("It was 12.", ["12"]),
        ("two, zwei, III", []),
        ("COVID-19", ["19"]),
    ],
)
def test_a_number_has_one_value_however_it_is_written(text: str, found: list[str]) -> None:
    """Thousands' separators, decimal commas, other scripts and raised digits."""
    assert values(text) == found


@few
@given(st.integers(0, 10**9), st.sampled_from([",", ".", "'", "\u00a0", ""]))
def test_thousands_may_be_separated(number: int, sign: str) -> None:
    """By any of the usual signs, or by none."""
    assert values(f"It is {number:,}!".replace(",", sign)) == [str(number)]


@few
@given(st.decimals(0, 10**6, places=3))
def test_a_decimal_point_is_never_lost(number: object) -> None:
    """A number with decimals is not the number of its digits, unless three of them may be thousands."""
    text = f"{number}"
    digits = text.replace(".", "").lstrip("0")

    if not text.endswith("0") and text.startswith("0."):
        assert values(text) != values(digits)


@few
@given(any_text)
def test_no_text_crashes_it(text: str) -> None:
    """Numbers stand in order, each where it says, with a digit in each."""
    found = numerals_in(text)

    assert all(one.start < one.end for one in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(any(sign.isnumeric() for sign in text[one.start : one.end]) for one in found)
