"""How a mark is read out of a judge's reply: the vectors of METHOD.md, and cases made up against the rule."""

from __future__ import annotations

import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import SHARED, any_text

from tui_eval.reading.marks import mark_reading, read_mark, read_reason

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
        ("Score: 2. Final score: 4", 4),
        ("Score: 4/5. Final score: 8/10", None),
        ("Score: 4 - well founded", 4),
        ("Score: 4 to be fair", 4),
        ("The mark is: 4", 4),
        ("SCORE: 4. The score is well deserved.", 4),
        ("Score: 4, 3 claims fail", 4),
        ("Score: 4 on a scale of 1 to 5", 4),
        ("**Score: 4**/5", 4),
        ("Score: 3 - 4", None),
        ("Score: 3 or 4", None),
        ("Score: 3, 4", None),
        ("Score: 4+", None),
        ("Score: 4-", None),
        ("Score: 4 (of 10)", None),
        ("Score: 4 on a scale of 1 to 10", None),
        ('{"score": 4, "max_score": 10}', None),
        ('{"score": 4, "scale": 5}', 4),
        ('{"score": 4}\n{"score": 5', None),
        ('{"score": 4}\nI hope this {helps', 4),
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


@pytest.mark.parametrize(
    ("text", "form", "why"),
    [
        ('{"reason": "ok", "score": 4}', "JSON", ""),
        ("<S2>4</S2>", "tags", ""),
        ("[[4]]", "brackets", ""),
        ("[RESULT] 4", "brackets", ""),
        ("SCORE: 4", "label", ""),
        ("4.", "bare number", ""),
        ("8/10", "bare number", "it marks on another scale: 8/10, not 1 to 5"),
        ('{"score": "8/10"}', "JSON", "it marks on another scale: 8/10, not 1 to 5"),
        ('{"score": 4, "out_of": 10}', "JSON", "it marks on another scale: out_of 10"),
        ('{"score": 7}', "JSON", "7 is not on the scale of 1 to 5"),
        ('{"score": 4.5}', "JSON", "4.5 is no whole number"),
        ('{"score": [4]}', "JSON", "its mark is [4], no number"),
        ('{"score": 1e400}', "JSON", "its mark is no finite number"),
        ('{"score": 4', "label", "its JSON is cut off"),
        ("SCORE: four", "label", "its mark is no number: four"),
        ("SCORE: 4-5", "label", "its mark is not one number: 4-5"),
        ("I cannot evaluate this response.", None, "the reply has no mark in it"),
        ("", None, "the reply is empty"),
        (None, None, "the reply is empty"),
        ("<think>SCORE: 4", None, "the reply ends before its thinking does"),
    ],
)
def test_a_reading_says_where_the_mark_stood_or_why_there_is_none(text: str | None, form: str | None, why: str) -> None:
    """Missing with its reason, never zero: a person who opens the number sees what the judge said."""
    found = mark_reading(text, 1, 5)

    assert (found.form, found.why) == (form, why) and found.value == (None if why else 4)


@given(any_text)
def test_a_reading_has_a_mark_or_a_reason(text: str) -> None:
    """One of both, whatever the text."""
    found = mark_reading(text, 1, 5)

    assert (found.value is None) == bool(found.why)


@pytest.mark.parametrize(
    "text", ["{" * 99_000, "<score>" * 14_000, "score:" + "\n" * 90_000 + "x", '{"score":1}' + '{"score' * 14_000]
)
def test_hostile_replies_take_a_bounded_time(text: str) -> None:
    """What has a mark's beginning thousands of times is gone through once, not once for each of them."""
    started = process_time()

    mark_reading(text, 1, 5)

    assert process_time() - started < 10


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"reason": "It keeps to the text.", "score": 4}', "It keeps to the text."),
        ('Well. {"reason": "no", "score": 1} Rather: {"score": 4, "reason": "Yes."}', "Yes."),
        ("It keeps to the text.\n\nSCORE: 4", "It keeps to the text."),
        ("4", "4"),
        (None, ""),
    ],
)
def test_the_reason_of_a_mark_is_what_is_said_for_it(text: str | None, reason: str) -> None:
    """Of an object what it calls so, else what stands before the mark."""
    assert read_reason(text) == reason
