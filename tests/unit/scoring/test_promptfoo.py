"""Scorer `promptfoo`: each type of assertion by promptfoo's documented semantics, tests by threshold and weight, refusals."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scorer_cases import reply_of, scored

from tui_eval.core.calls import Reply, Usage
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.registry import RULES
from tui_eval.evaluation.scoring.sample_scorers import scorers_by, version_in
from tui_eval.evaluation.scoring.scorer_table import row_of
from tui_eval.reading.promptfoo.assertions import ONE_TEXT, SEVERAL_TEXTS, TYPES, from_cell, problem_of
from tui_eval.reading.promptfoo.javascript_patterns import python_pattern

Assertion = dict[str, Any]
POINT = {"type": "object", "required": ["x"], "properties": {"x": {"type": "number", "minimum": 0}}}
VECTORS: list[tuple[Assertion, str, bool]] = [
    ({"type": "equals", "value": "Paris"}, "Paris", True),
    ({"type": "equals", "value": "Paris"}, "paris", False),
    ({"type": "equals", "value": "Paris"}, "Paris ", False),
    ({"type": "equals", "value": 4}, "4", True),
    ({"type": "equals", "value": {"a": 1, "b": [2]}}, '{"b": [2], "a": 1}', True),
    ({"type": "equals", "value": {"a": 1}}, '{"a": 1, "b": 2}', False),
    ({"type": "equals", "value": {"a": 1}}, "a is 1", False),
    ({"type": "contains", "value": "No"}, "No, he was of average height.", True),
    ({"type": "contains", "value": "no"}, "No, he was of average height.", False),
    ({"type": "contains", "value": "no"}, "north", True),
    ({"type": "contains", "value": 0}, "it is 10", True),
    ({"type": "icontains", "value": "NO"}, "no, he was not", True),
    ({"type": "icontains", "value": "yes"}, "no, he was not", False),
    ({"type": "contains-any", "value": ["one", "two"]}, "two of them", True),
    ({"type": "contains-any", "value": ["one", "two"]}, "Two of them", False),
    ({"type": "contains-all", "value": ["1,000", "in stock"]}, "1,000 are in stock", True),
    ({"type": "contains-all", "value": ["1,000", "in stock"]}, "1,000 are sold", False),
    ({"type": "icontains-any", "value": ["ONE", "TWO"]}, "two of them", True),
    ({"type": "icontains-any", "value": ["ONE", "TWO"]}, "three of them", False),
    ({"type": "icontains-all", "value": ["ONE", "TWO"]}, "one and two", True),
    ({"type": "icontains-all", "value": ["ONE", "TWO"]}, "one and three", False),
    ({"type": "starts-with", "value": "The"}, "The answer", True),
    ({"type": "starts-with", "value": "The"}, "the answer", False),
    ({"type": "starts-with", "value": "The"}, " The answer", False),
    ({"type": "regex", "value": r"\d{4}"}, "in 1998", True),
    ({"type": "regex", "value": r"^\d{4}$"}, "1998\n", False),
    ({"type": "regex", "value": "^Hello.*world$"}, "Hello, world", True),
    ({"type": "regex", "value": r"\d"}, "٣", False),
    ({"type": "is-json"}, '{"a": 1}', True),
    ({"type": "is-json"}, " [1]\n", True),
    ({"type": "is-json"}, "12", True),
    ({"type": "is-json"}, 'Here: {"a": 1}', False),
    ({"type": "is-json"}, '{"a": NaN}', False),
    ({"type": "is-json", "value": POINT}, '{"x": 1.5}', True),
    ({"type": "is-json", "value": POINT}, '{"x": -1}', False),
    ({"type": "contains-json"}, 'Here: {"a": 1}.', True),
    ({"type": "contains-json"}, "none at all {", False),
    ({"type": "contains-json", "value": POINT}, 'No: {"y": 1}, but {"x": 2}', True),
    ({"type": "contains-json", "value": POINT}, 'No: {"y": 1}', False),
    ({"type": "levenshtein", "value": "kitten"}, "sitting", True),
    ({"type": "levenshtein", "value": "kitten", "threshold": 2}, "sitting", False),
    ({"type": "levenshtein", "value": "kitten", "threshold": 3}, "sitting", True),
    ({"type": "latency", "threshold": 250}, "any", True),
    ({"type": "latency", "threshold": 249}, "any", False),
    ({"type": "cost", "threshold": 0.001}, "any", True),
    ({"type": "cost", "threshold": "0.0009"}, "any", False),
]
"""An assertion, a reply that took 250 ms and cost 0.001 USD, and whether it passes."""


def passes(reply: str | Reply, fence: Fence, *assertions: Assertion, **keys: Any) -> float | None:
    """The value of a test of these assertions."""
    return scored("promptfoo", reply, None, fence, **{"assert": list(assertions), **keys}).value


def measured(text: str) -> Reply:
    """A reply whose last attempt took 250 ms."""
    return reply_of(text, latency_ms=250)


@pytest.mark.parametrize("n", range(len(VECTORS)))
def test_an_assertion_passes_as_it_is_documented_and_with_not_the_other_way_round(n: int, fence: Fence) -> None:
    """Value, reply and verdict."""
    assertion, text, verdict = VECTORS[n]

    assert passes(measured(text), fence, assertion) == float(verdict)
    assert passes(measured(text), fence, {**assertion, "type": f"not-{assertion['type']}"}) == float(not verdict)


def test_every_type_that_is_taken_has_vectors_both_ways() -> None:
    """Nothing is mapped that is not shown to pass and to fail."""
    shown = {(assertion["type"], verdict) for assertion, _, verdict in VECTORS}

    assert shown == {(name, verdict) for name in TYPES for verdict in (True, False)}


def test_all_must_pass_or_the_weighted_mean_reaches_the_test_s_own_threshold(fence: Fence) -> None:
    """The documentation's example: equals (weight 2) fails, contains (weight 1) passes, so that the score is a third."""
    both = ({"type": "equals", "value": "Hello world", "weight": 2}, {"type": "contains", "value": "world", "weight": 1})

    assert passes("Goodbye world", fence, *both) == 0
    assert passes("Goodbye world", fence, *both, test_threshold=0.5) == 0
    assert passes("Goodbye world", fence, *both, test_threshold=0.2) == 1
    assert passes("nothing", fence, *both, test_threshold=0) == 0  # promptfoo takes 0 for none: all must pass
    assert passes("Hello world", fence, *both, test_threshold=0) == 1
    assert passes("Hello world", fence, *both) == 1


def test_what_nobody_knows_is_missing_unless_the_rest_decides(fence: Fence) -> None:
    """A stored reply has no latency: never a pass or a failure for it."""
    stored, fast = reply_of("yes", cached=True), {"type": "latency", "threshold": 1000}

    assert passes(stored, fence, fast) is None
    assert passes(stored, fence, fast, {"type": "equals", "value": "no"}) == 0
    assert passes(stored, fence, fast, {"type": "equals", "value": "yes"}, test_threshold=0.5) == 1
    assert passes(reply_of("yes", usage=Usage()), fence, {"type": "cost", "threshold": 1}) is None


def test_the_reason_names_the_assertion_that_fails(fence: Fence) -> None:
    """For people who look at one sample."""
    score = scored("promptfoo", "north", None, fence, **{"assert": [{"type": "icontains", "value": "south"}]})

    assert score.why == "fails: icontains: 'south'"


def test_assertions_of_the_config_stand_in_the_version_and_a_sample_s_own_do_not() -> None:
    """The first judge every sample, so that others are another rule; the second are part of their sample."""
    one, other = (row_of({"use": "promptfoo", "assert": [{"type": "contains", "value": value}]}) for value in "ab")
    scorers = scorers_by([one], None, "passed", [[other]])

    told = version_in(scorers, one)
    assert told.startswith("promptfoo/1 ") and told == RULES["promptfoo"].version_of(one)
    assert version_in(scorers_by([other], None, "passed"), other) not in (told, "promptfoo/1")
    assert version_in(scorers, other) == "promptfoo/1"


REFUSED: list[tuple[Assertion, str]] = [
    ({"type": "javascript", "value": "output.length < 9"}, "`javascript`, which tui-eval cannot score"),
    ({"type": "not-llm-rubric", "value": "is rude"}, "`not-llm-rubric`, which tui-eval cannot score"),
    ({"type": "is-refusal"}, "`is-refusal`, which tui-eval cannot score"),
    ({"type": "contains", "value": "file://x.txt"}, "`contains` of a file: write the value here"),
    ({"type": "contains", "value": "x", "transform": "output.trim()"}, "`contains` with `transform`, which"),
    ({"type": "contains", "value": ""}, "`contains` without a text"),
    ({"type": "contains-any", "value": "a, b"}, "`contains-any` without a list of texts"),
    ({"type": "regex", "value": r"\p{L}"}, "`regex` with an expression that \\p has no equal in Python"),
    ({"type": "regex", "value": "a{2"}, ""),
    ({"type": "regex", "value": "(a"}, "`regex` with an expression that cannot be written for Python"),
    ({"type": "is-json", "value": {"type": "string", "format": "date"}}, "`is-json` with `format` in its schema"),
    ({"type": "latency"}, "`latency` without a threshold, which passes whatever the reply is"),
    ({"type": "equals", "value": "x", "weight": 0}, "`equals` with weight 0, which passes whatever the reply is"),
    ({"type": "equals", "value": "x", "threshold": 0.5}, "`equals` with a threshold, which has no effect there"),
    ({"type": "levenshtein", "value": "x", "threshold": 0}, "`levenshtein` with a threshold that is not a number above 0"),
    ({"value": "x"}, "an assertion without a type"),
]


@pytest.mark.parametrize("n", range(len(REFUSED)))
def test_what_no_rule_can_judge_is_refused_by_name(n: int) -> None:
    """Where a set is imported, and in a row's own column as well."""
    assertion, words = REFUSED[n]

    assert problem_of(assertion).startswith(words) and bool(problem_of(assertion)) == bool(words)
    if words:
        with pytest.raises(ValueError, match="asks for"):
            row_of({"use": "promptfoo", "assert": [assertion]})


def test_a_schema_that_refers_elsewhere_is_refused() -> None:
    """Nothing is retrieved."""
    with pytest.raises(ValueError, match="lies outside it"):
        row_of({"use": "promptfoo", "assert": [{"type": "is-json", "value": {"$ref": "https://example.org/x.json"}}]})


CELLS: dict[str, Assertion] = {
    "Paris": {"type": "equals", "value": "Paris"},
    "at 12:30: sharp": {"type": "equals", "value": "at 12:30: sharp"},
    "note: it rains": {"type": "equals", "value": "note: it rains"},
    "contains: Paris": {"type": "contains", "value": "Paris"},
    "not-icontains:error": {"type": "not-icontains", "value": "error"},
    'contains-any: <b>, "a, b"': {"type": "contains-any", "value": ["<b>", "a, b"]},
    "regex:^a: b$": {"type": "regex", "value": "^a: b$"},
    "is-json": {"type": "is-json"},
    "levenshtein(3): kitten": {"type": "levenshtein", "threshold": "3", "value": "kitten"},
    "latency(1000)": {"type": "latency", "threshold": "1000"},
    "llm-rubric: is kind": {"type": "llm-rubric", "value": "is kind"},
    "fn:output.length": {"type": "fn", "value": "output.length"},
}


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_of_a_table_is_an_assertion(cell: str) -> None:
    """`type: value`, `type(threshold): value`, or a text to equal."""
    assert from_cell(cell) == CELLS[cell]


PATTERNS: list[tuple[str, list[str], list[str]]] = [
    (r"\bno\b", ["no!"], ["north"]),
    (r"^\w+$", ["word_1"], ["two words", "Zürich"]),
    (r"a.c", ["abc"], ["a\nc", "a\u2028c"]),
    (r"[\w.-]+@[\w-]+\.\w+", ["write a.b-c@x-y.de"], ["no address"]),
    (r"(?<year>\d{4})-\k<year>", ["1998-1998"], ["1998-1999"]),
    (r"(a|b)\1", ["aa"], ["ab"]),
    (r"(?<!\$)\b5\b", ["5 of them"], ["$5"]),
    (r"x{,3}", ["x{,3}"], ["xxx"]),
    (r"[\]}]", ["}"], [")"]),
    (r"\/a\/", ["/a/"], ["a"]),
    (r"\u00e9", ["é"], ["e"]),
    (r"}", ["}"], ["{"]),
]


@pytest.mark.parametrize("n", range(len(PATTERNS)))
def test_an_expression_of_javascript_matches_the_same_texts(n: int, fence: Fence) -> None:
    """As a browser's console shows them."""
    pattern, matching, others = PATTERNS[n]

    assert [passes(text, fence, {"type": "regex", "value": pattern}) for text in (*matching, *others)] == [
        *[1.0] * len(matching),
        *[0.0] * len(others),
    ]


@given(st.text(alphabet=r"ab.*+?()[]{}|^$\dwsk<>=!-,:/1", max_size=12))
def test_any_expression_is_written_for_python_or_refused_in_words(pattern: str) -> None:
    """Nothing else is raised, and what is written compiles."""
    with suppress(ValueError):
        assert re.compile(python_pattern(pattern))


@given(st.text(max_size=30), st.text(min_size=1, max_size=5), st.sampled_from([*ONE_TEXT[:4], *SEVERAL_TEXTS]))
def test_not_is_always_the_other_verdict(text: str, value: str, name: str) -> None:
    """Also of an empty reply."""
    told: Any = [value] if name in SEVERAL_TEXTS else value
    if problem_of({"type": name, "value": told}):
        return
    found = [passes(measured(text), Fence(), {"type": kind, "value": told}) for kind in (name, f"not-{name}")]
    assert sorted(found, key=str) == [0.0, 1.0]
