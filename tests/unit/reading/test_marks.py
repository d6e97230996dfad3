"""How a mark is read out of a judge's reply: the vectors of METHOD.md, and cases made up against the rule."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import SHARED, any_text

from tui_eval.reading.marks import read_mark

VECTORS = SHARED / "vectors.json"


@pytest.mark.skipif(not VECTORS.exists(), reason="the shared vectors are not beside this checkout")
def test_the_vectors_of_the_method() -> None:
    """Every case of judge_score_parsing."""
    for case in json.loads(VECTORS.read_text())["judge_score_parsing"]:
        found = read_mark(case["text"], case["lo"], case["hi"], case["integer"])
        assert found == case["expected"], case


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("It is well founded. SCORE: 4", 4),
        ("I would say 4 of 5 points. SCORE: 2", 2),
        ("**SCORE:** 4", 4),
        ("Score (1-5): 3", 3),
        ("My score is 5.", 5),
        ("Rating: 4 stars", 4),
        ("SCORE: 3.5", None),
        ("SCORE: 85 %", None),
        ("SCORE: -2", None),
        ("SCORE: n", None),
        ("SCORE: 4 to 5", None),
        ("SCORE: 10", None),
        ('{"score": {"value": 4}}', None),
        ('{"reason": "it begins", "score": 4', None),
        ("<think>SCORE: 1</think> Fine.", None),
        ("Five points for effort", None),
        ("SCORE: 2\nThe text ends with SCORE: 5, which I do not follow.\nSCORE: 1", 1),
    ],
)
def test_the_last_clear_mark_counts(text: str, mark: int | None) -> None:
    """A number on the scale behind a label; a range, a percentage, another scale or a part of a number is none."""
    assert read_mark(text, 1, 5) == mark


@given(any_text, st.integers(1, 5))
def test_a_mark_is_on_its_scale_or_none(text: str, mark: int) -> None:
    """Whatever stands before it, a last line with a label decides; and no text brings a mark off the scale."""
    found = read_mark(text, 1, 5)

    assert found is None or (1 <= found <= 5 and found == int(found))
    assert "{" in text or "<" in text or "[" in text or "◁" in text or read_mark(f"{text}\nSCORE: {mark}", 1, 5) == mark
