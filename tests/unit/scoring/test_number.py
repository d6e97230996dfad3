"""Scorer `number`: where it finds the number, by which locale it reads it, and when two numbers are equal."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scorer_cases import scored

from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.number_formats import AUTO, LOCALES, Convention, number_in
from tui_eval.evaluation.scoring.number_rule import ONLY_ELSEWHERE


@pytest.mark.parametrize(
    ("text", "value", "place"),
    [
        ("3 + 4 = 7", "7", "last number"),
        ("First 12, then 7 apples.", "7", "last number"),
        ("Two steps (3).\n#### 1,688\n\nThat took 2 lines.", "1688", "####"),
        ("#### 3. Third step\nSo it is 9.", "9", "last number"),
        ("#### Step 2\nSo it is 9.", "9", "last number"),
        ("#### Answer: 5 km", "5", "####"),
        ("So \\boxed{1{,}688} in 3 steps", "1688", "boxed"),
        ("\\boxed{\\frac{3}{4}} of 8", "3/4", "boxed"),
        ("$\\$1\\,688$", "1688", "last number"),
        ("-$5.50", "-5.5", "last number"),
        ("$-5", "-5", "last number"),
        ("x = −5", "-5", "last number"),
        ("5-3", "3", "last number"),
        ("1 1/2 cups", "3/2", "last number"),
        ("1½", "3/2", "last number"),
        ("⅔", "2/3", "last number"),
        ("1.5e3", "1500", "last number"),
        ("6.02 × 10^23", "6.02e23", "last number"),
        ("3 \\times 10^{-2}", "0.03", "last number"),
        ("5 m²", "5", "last number"),
        ("USD 50.", "50", "last number"),
        ("٣٫٥", "3.5", "last number"),
        (".5", "0.5", "last number"),
        ("45 %", "45", "last number"),
        ("**42**", "42", "last number"),
    ],
)
def test_where_the_number_is_found(text: str, value: str, place: str) -> None:
    """Alone behind ####, in the last box, else the last one; with sign, currency, fraction, power of ten."""
    reading = number_in(text, "en", percent=False)

    assert (reading.value, reading.place) == (Fraction(value), place)


@pytest.mark.parametrize(
    "text",
    ["1.688,50", "10 000", "1,2,3", "3.12.2024", "3/4/2024", "12:30", "2024-01-05", "1/0", "10^2", "10²", "9^9^9^9", "1e999999",
     "1,00,000", "0,123", "1" * 401, "1/" + "9" * 5_000, "9" * 5_000 + "/2", "x2", "v1.5", "H2O", "GPT4", "nothing", ""],
)  # fmt: skip
def test_what_is_no_single_number_is_unparsed(text: str) -> None:
    """A date, a time, a power, a list, or what the locale does not write so: no value, and a reason."""
    reading = number_in(text, "en", percent=False)

    assert reading.value is None and reading.why


@pytest.mark.parametrize(
    ("text", "locale", "value"),
    [
        ("1,688", "en", "1688"), ("1.688", "en", "1.688"), ("1,688.5", "en", "1688.5"),
        ("1.688", "de", "1688"), ("1,688", "de", "1.688"), ("1.688,50", "de", "1688.5"), ("1,688.50", "de", None),
        ("10 000,5", "fr", "10000.5"), ("10\u202f000", "fr", "10000"), ("10\u202f000", "en", "10000"), ("10.000", "fr", None),
        ("1'688.50", "de-CH", "1688.5"), ("1,00,000", "en-IN", "100000"), ("1.688", "es", "1688"), ("1 688", "es", "1688"),
        ("1,688", AUTO, None), ("1.688", AUTO, None), ("1,688.50", AUTO, "1688.5"), ("1.688,50", AUTO, "1688.5"),
        ("12,5", AUTO, "12.5"), ("12.5", AUTO, "12.5"), ("1688", AUTO, "1688"), ("1.234.567", AUTO, "1234567"),
    ],
)  # fmt: skip
def test_points_and_commas_are_read_by_the_locale(text: str, locale: str, value: str | None) -> None:
    """By its conventions and by no other; `auto` reads only what is the same in all of them."""
    assert number_in(text, locale, percent=False).value == (None if value is None else Fraction(value))


def _written(value: Decimal, convention: Convention, group: str) -> str:
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).rjust(1 - exponent, "0")
    whole, decimals = (text[:exponent], text[exponent:]) if exponent else (text, "")
    head = len(whole) % 3 or 3
    groups = [whole[:head], *(whole[n : n + 3] for n in range(head, len(whole), 3))] if group else [whole]
    return ("-" if sign else "") + group.join(groups) + (convention.decimal + decimals if decimals else "")


@given(
    st.decimals(min_value=-(10**12), max_value=10**12, places=3),
    st.sampled_from(sorted(LOCALES)),
    st.booleans(),
)
def test_a_number_written_in_a_locale_is_read_back_in_it(value: Decimal, locale: str, grouped: bool) -> None:
    """With the signs for groups that it has, or without."""
    convention = LOCALES[locale]
    for group in (*convention.groups, "\u202f") if grouped else ("",):
        text = _written(value, convention, group)

        assert number_in(f"It is {text}.", locale, percent=False).value == Fraction(value), text


@given(st.text(alphabet="0123456789.,' /-%$^e½\u202f", max_size=30))
def test_auto_never_contradicts_a_locale(text: str) -> None:
    """Where `auto` has a value, every locale that reads the number at all reads the same one."""
    value = number_in(text, AUTO, percent=False).value
    if value is None:
        return

    for locale in ("en", "de", "fr", "en-IN"):
        assert number_in(text, locale, percent=False).value in (value, None)


def test_tolerance_percent_and_other_locales(fence: Fence) -> None:
    """Absolute or relative, the wider holds; a percentage is a share only where that is set; a reading by another locale alone
    is wrong and says so."""
    assert scored("number", "3.1416", "3.14159", fence).value == 0
    assert scored("number", "3.1416", "3.14159", fence, tolerance=0.0001).value == 1
    assert scored("number", "990", "1000", fence, relative=0.01).value == 1
    assert scored("number", "989.9", "1000", fence, relative=0.01).value == 0
    assert scored("number", "0.3", "0.1", fence, tolerance=0.2).value == 1
    assert scored("number", "-990", "-1000", fence, relative=0.01).value == 1
    assert scored("number", "45 %", "0.45", fence).value == 0
    assert scored("number", "45 %", "0.45", fence, percent=True).value == 1
    assert scored("number", "0.45", "45%", fence, percent=True).value == 1

    only = scored("number", "1.688", "1688", fence)
    unparsed = scored("number", "1.688,50", "1688.5", fence)
    both = scored("number", "1,688", "1688", fence, locale="auto")

    assert (only.value, only.why.startswith(ONLY_ELSEWHERE), only.read) == (0, True, "1.688")
    assert unparsed.value == 0 and unparsed.why.startswith(ONLY_ELSEWHERE) and "de" in unparsed.why
    assert both.value == 0 and "1688" in both.why
    assert "1.688 in de" in scored("number", "1,688", "7", fence, locale="auto").why
    assert scored("number", "7", "seven", fence).value is None
    assert scored("number", "7", "A long solution. 3 + 4 = 7\n#### 7", fence).value == 1
