"""Scorers that compare texts, words and JSON: one case for each thing that docs/scoring.md says of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scorer_cases import scored

from tui_eval.evaluation.scoring.extraction import last_boxed
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.json_rule import equal_values
from tui_eval.evaluation.scoring.overlap_rules import common_subsequence
from tui_eval.evaluation.scoring.text_folding import folded, squad_words, unicode_words

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-2, 2) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("use", "text", "target", "keys", "value"),
    [
        ("exact", " Oda\n Finch ", "Oda Finch", {}, 1),
        ("exact", "oda finch", "Oda Finch", {}, 0),
        ("exact", " a", "a", {"ignore": []}, 0),
        ("exact", "cafe\u0301", "caf\u00e9", {"ignore": []}, 1),
        ("exact", "The U.S., 3.5 -2!", "us 3.5 -2", {"ignore": ["case", "punctuation", "articles"]}, 0),
        ("exact", "It's 3.5, -2!", "its 3.5 -2", {"ignore": ["case", "punctuation"]}, 1),
        ("exact", "3.5", "35", {"ignore": ["punctuation"]}, 0),
        ("exact", "-5", "5", {"ignore": ["punctuation"]}, 0),
        ("exact", "$5", "5", {"ignore": ["punctuation"]}, 0),
        ("exact", "STRASSE", "straße", {"ignore": ["case"]}, 1),
        ("contains", "It is 15.", "5", {}, 0),
        ("contains", "It is 15.", "5", {"whole_words": False}, 1),
        ("contains", "It is 1.5.", "5", {}, 0),
        ("contains", "It is 5.", "5", {}, 1),
        ("contains", "north", "no", {}, 0),
        ("contains", "No, not so", "no", {}, 1),
        ("contains", "他去了北京。", "北京", {}, 1),
        ("contains", "well-known", "known", {}, 1),
        ("contains", "1,500", "500", {}, 0),
        ("contains", "in north, no", "no", {}, 1),
        ("starts_with", "Yes, it is", "yes", {}, 1),
        ("starts_with", "Yesterday", "yes", {}, 0),
        ("starts_with", "So yes", "yes", {}, 0),
        ("contains_any", "a red fox", ["cat", "fox"], {}, 1),
        ("contains_any", "a red fox", None, {"values": ["cat", "dog"]}, 0),
        ("contains_all", "a red fox", ["red", "fox"], {}, 1),
        ("contains_all", "a red fox", ["red", "cat"], {}, 0),
        ("regex", "so 42", None, {"pattern": r"\d+$"}, 1),
        ("regex", "so 42", None, {"pattern": r"\d+", "whole": True}, 0),
        ("regex", "42\n", None, {"pattern": r"\d+", "whole": True}, 1),
        ("regex", "so 42", r"\d\d", {}, 1),
        ("em", "The cat!", "a Cat", {}, 1),
        ("em", "cats", "cat", {}, 0),
        ("f1", "the red cat", "a black cat", {}, 0.5),
        ("f1", "北京市", "北京", {}, 0.8),
        ("rouge_l", "b a c", "a b c", {}, 2 / 3),
        ("rouge_l", "für den Test", "Für den, Test!", {}, 1),
        ("similarity", "abcd", "abce", {}, 0.75),
        ("similarity", "AB  c", "ab c", {}, 1),
        ("json", '{"a": 1}', None, {}, 1),
        ("json", 'So: {"a": 1}.', None, {}, 1),
        ("json", 'So: {"a": 1}.', None, {"accept": "whole"}, 0),
        ("json", '{"a": 1,}', None, {}, 0),
        ("json", '{"a": 1,}', None, {"accept": "repaired"}, 1),
        ("json", "no", None, {}, 0),
        ("json", '{"a": 1}', None, {"schema": {"required": ["b"]}}, 0),
        ("json", '{"a": 1}', None, {"schema": {"required": ["a"]}}, 1),
        ("json", '{"a": 1.0, "b": 2}', '{"b": 2, "a": 1}', {"equal": True}, 1),
        ("json", '{"a": true}', '{"a": 1}', {"equal": True}, 0),
        ("json", '{"a": [2, 1]}', '{"a": [1, 2]}', {"equal": True}, 0),
        ("json", '{"a": [2, 1]}', '{"a": [1, 2]}', {"equal": True, "order_free": True}, 1),
        ("json", '{"a": {"b": [1, 5]}, "c": 3}', '{"a": {"b": [2, 5]}}', {"values": ["a.b[1]"]}, 1),
        ("json", '{"a": {"b": [1, 5]}, "c": 3}', '{"a": {"b": [2, 5]}}', {"values": ["a.b[1]", "a.b[0]"]}, 0),
        ("choice", "So the answer is (B).", "B", {"n_options": 4}, 1),
        ("choice", "I do not know", "B", {"n_options": 4}, 0),
    ],
)
def test_what_the_page_says(use: str, text: str, target: Any, keys: dict[str, Any], value: float, fence: Fence) -> None:
    """Each row of the tables."""
    assert scored(use, text, target, fence, **keys).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("extract", "text", "found"),
    [
        ("last_line", "one\ntwo\n\n", "two"),
        ("boxed", "\\boxed{1} then \\boxed{a{b}c}", "a{b}c"),
        ("boxed", "\\boxed{1} \\boxed{2", "1"),
        ({"after": "Answer:"}, "answer: no\nANSWER: Rome \nBye", "Rome"),
        ({"after": "Answer:"}, "Answer:\nRome\nBye", "Rome\nBye"),
        ({"regex": r"is (\w+)"}, "it is so, it is Rome", "Rome"),
        ({"json": "a[0].b"}, 'Sure: {"a": [{"b": "Rome"}]}', "Rome"),
        ({"json": "a"}, '{"a": 1.5}', "1.5"),
        ({"json": "$[-1]"}, '["a", "Rome"]', "Rome"),
        ({"json": "a"}, '{"a": {"b": 1}}', '{"b": 1}'),
    ],
)
def test_what_is_extracted(extract: Any, text: str, found: str, fence: Fence) -> None:
    """The last of several places; the rest of the line behind a mark; texts of JSON as they are."""
    assert scored("exact", text, found, fence, extract=extract).value == 1
    nothing = scored("exact", "", found, fence, extract=extract)

    assert (nothing.value == 0 and "found" in nothing.why) or "matches nothing" in nothing.why


def test_a_target_of_which_nothing_is_left_is_missing(fence: Fence) -> None:
    """Not 0: nobody could be right. Another target that has words counts instead."""
    for use in ("em", "f1", "rouge_l", "rouge_l_en", "contains"):
        assert scored(use, "a cat", "..." if use != "contains" else " ", fence).value is None
        assert scored(use, "a cat", ["...", "a cat"], fence).value == 1
    assert scored("rouge_l_en", "北京", "北京", fence).value is None


@given(st.text(max_size=40))
def test_folding_twice_is_folding_once(text: str) -> None:
    """By any set of normalizations."""
    for ignore in (
        ["case"],
        ["whitespace"],
        ["accents", "case"],
        ["punctuation"],
        ["articles", "case", "punctuation", "accents"],
    ):
        once = folded(text, ignore)  # type: ignore[arg-type]

        assert folded(once, ignore) == once  # type: ignore[arg-type]


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_the_longest_common_subsequence_is_that_of_a_table(first: list[str], second: list[str]) -> None:
    """By bits as by the textbook."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, one in enumerate(first):
        for j, other in enumerate(second):
            table[i + 1][j + 1] = table[i][j] + 1 if one == other else max(table[i][j + 1], table[i + 1][j])

    assert common_subsequence(first, second) == table[-1][-1]


@given(JSON, JSON)
def test_values_of_json_are_equal_as_python_says_but_for_booleans(first: Any, second: Any) -> None:
    """Equality is one: of itself, in both directions, and whatever the order of keys."""
    assert equal_values(first, first, False) and equal_values(first, first, True)
    assert equal_values(first, second, False) == equal_values(second, first, False)
    if equal_values(first, second, False):
        assert first == second and equal_values(first, second, True)
    if isinstance(first, list):
        assert equal_values(first, first[::-1], True)


@given(st.text(alphabet="{}\\ab", max_size=20))
def test_a_box_is_found_with_balanced_braces(inner: str) -> None:
    """Whatever stands in it, where its own braces balance."""
    depth, balanced, escaped = 0, True, False
    for sign in inner:
        escaped, skip = sign == "\\" and not escaped, escaped
        depth += 0 if skip else {"{": 1, "}": -1}.get(sign, 0)
        balanced = balanced and depth >= 0
    if balanced and depth == 0 and not escaped:
        assert last_boxed(f"x \\boxed{{{inner}}} y") == inner.strip()


def test_words_of_other_scripts() -> None:
    """One word for each character where a script puts no blanks; marks on letters stay."""
    assert squad_words("Die STRASSE, die Straße!") == ["die", "strasse", "die", "strasse"]
    assert squad_words("他去了北京。") == list("他去了北京") == unicode_words("他去了北京。")
    assert unicode_words("हिन्दी भाषा।") == ["हिन्दी", "भाषा"] and unicode_words("well-known_x") == ["well", "known", "x"]
    assert squad_words("don't well-known") == ["dont", "wellknown"]


@pytest.mark.parametrize("use", ["rouge_l", "rouge_l_en"])
def test_texts_of_too_many_words_are_missing_with_the_reason(use: str) -> None:
    """The work grows with both, so that it ends at a limit; a long reply to a short target has its score."""
    with Fence() as fence:
        long = scored(use, "a b " * 50_000, "b a " * 50_000, fence)
        assert (long.value, long.why) == (None, "too long to compare: 100,000 words with 100,000")
        assert scored(use, "a b " * 50_000, "a b", fence).value is not None
