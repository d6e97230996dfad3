"""Laws of reading what models write: a form that was not asked for is None, never a guess."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.reading.grades import lines_of, same_text, zero_or_one


def test_a_grade_is_read_as_the_reference_reads_it(vectors: dict[str, Any]) -> None:
    """A bare 0 or 1 and nothing else, in every reference case."""
    for case in vectors["binary_scorer_parsing"]:
        found = zero_or_one(case["text"])

        assert found == case["expected"], case["text"]


@pytest.mark.parametrize(
    "text", [None, "", " ", "0 1", "01", "1.", "1.0", "-0", "+1", "１", "①", "true", "1\n0", "[1]", "1\x00"]
)
def test_what_is_no_bare_digit_is_no_grade(text: str | None) -> None:
    """Nothing, two digits, a sentence or a digit of another script has no grade."""
    assert zero_or_one(text) is None


@few
@given(st.sampled_from("01"), st.text(" \t\r\n", max_size=5), st.text(" \t\r\n", max_size=5))
def test_white_space_around_a_grade_does_not_matter(digit: str, before: str, after: str) -> None:
    """Models put newlines where they like."""
    assert zero_or_one(before + digit + after) == int(digit)


@few
@given(any_text)
def test_no_text_crashes_a_reader(text: str) -> None:
    """Any text has a grade of 0, 1 or None, and some lines."""
    grade = zero_or_one(text)

    assert grade in (0, 1, None)
    assert all(line == line.strip() and line for line in lines_of(text))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb", ["a", "b"]),
        ("a\n\n \t\nb\n", ["a", "b"]),
        ("  a  \n\tb", ["a", "b"]),
        ("", []),
        ("a\u2028b\nc\u2029d", ["a\u2028b", "c\u2029d"]),
        ("a\x0bb\x0cc\x1cd\x1de\x1ef\x85g", ["a\x0bb\x0cc\x1cd\x1de\x1ef\x85g"]),
    ],
)
def test_lines_end_where_a_text_editor_ends_them(text: str, lines: list[str]) -> None:
    """\\r\\n, \\n and \\r end a line and nothing else does: no question is torn in two at a rare separator."""
    assert lines_of(text) == lines


@few
@given(st.lists(st.text(st.characters(blacklist_characters="\r\n"), min_size=1, max_size=9).filter(lambda t: t == t.strip())))
def test_lines_written_are_lines_read(lines: list[str]) -> None:
    """A list of questions joined by any of the three line ends comes back as it was."""
    found = [lines_of(end.join(lines)) for end in ("\n", "\r\n", "\r")]

    assert found == [[line for line in lines if line]] * 3


@pytest.mark.parametrize(
    ("answer", "truth", "stripped", "raw"),
    [
        ("Paris", "Paris", True, True),
        (" Paris\n", "Paris", True, False),
        ("Paris", "Paris ", True, False),
        ("paris", "Paris", False, False),
        ("Paris.", "Paris", False, False),
        ("in Paris", "Paris", False, False),
        ("New  York", "New York", False, False),
        ("", "", True, True),
    ],
)
def test_exact_means_exact(answer: str, truth: str, stripped: bool, raw: bool) -> None:
    """Only white space at the ends may be ignored, and only when asked: no case, no full stop, no part of the answer."""
    assert same_text(answer, truth) is stripped
    assert same_text(answer, truth, strip_whitespace=False) is raw
