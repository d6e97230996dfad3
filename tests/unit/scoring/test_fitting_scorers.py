"""Laws of scorers that are chosen by the right answers: who gives the right answer is right, whatever the answers are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.core.calls import Call, Reply
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.fitting_scorers import fitting_scorers
from tui_eval.evaluation.scoring.rule import Expected
from tui_eval.evaluation.scoring.scorer_table import row_of, rule_of
from tui_eval.evaluation.scoring.scoring import score

LONG = "The harbour of Skerrow was built in three years by people who had come over the sea in spring and stayed there."
SETS: dict[str, tuple[list[list[str]], list[str], str]] = {
    "GSM8K": ([["3 + 4 = <<3+4=7>>7.\n#### 7"], ["#### 1,688"]], ["number"], "numbers behind ####"),
    "numbers": ([["7"], ["$1,688.50"], ["-3"]], ["number"], "numbers"),
    "JSON": ([['{"name": "Oda", "age": 31}'], ['{"name": "Finn", "place": null}']], ["json"], "JSON"),
    "letters": ([["A"], ["D"], ["B"]], ["choice"], "letters"),
    "SQuAD 2": ([["Oda Finch", "Finch"], []], ["f1", "em"], "lists of short texts"),
    "one text": ([["Oda Finch"], ["1999"]], ["contains", "f1"], "short texts"),
    "summaries": ([[LONG], [LONG.replace("three", "four")]], ["rouge_l"], "long texts"),
    "years in words": ([["in 1999"], ["around 2001"]], ["contains", "f1"], "short texts"),
}


@pytest.mark.parametrize("name", SETS)
def test_each_form_has_its_scorers(name: str) -> None:
    """By what the right answers are, and it says what that is."""
    targets, scorers, why = SETS[name]
    fit = fitting_scorers(targets)

    assert fit is not None and fit.why == why
    assert [row_of(each).use for each in fit.scorers] == scorers


def test_the_keys_of_objects_are_told() -> None:
    """So that a prompt can ask for them."""
    fit = fitting_scorers(SETS["JSON"][0])
    assert fit is not None and fit.keys == ("name", "age", "place")


@pytest.mark.parametrize("nothing", [[], [None], [None, []]])
def test_nothing_fits_no_answers(nothing: list[list[str] | None]) -> None:
    """Where no sample has a right answer, there is nothing to choose by."""
    assert fitting_scorers(nothing) is None


WORDS = st.lists(st.text("abcdefgh", min_size=2, max_size=8), min_size=1, max_size=30).map(" ".join)
ANSWERS = st.one_of(
    st.lists(st.integers(-(10**9), 10**9).map(lambda n: [f"so it is {n}.\n#### {n:,}"]), min_size=1, max_size=4),
    st.lists(st.decimals(-1000, 1000, places=2).map(lambda n: [str(n)]), min_size=1, max_size=4),
    st.lists(
        st.dictionaries(st.text("abc", min_size=1), st.integers()).map(lambda each: [json.dumps(each)]), min_size=1, max_size=4
    ),
    st.lists(st.sampled_from("ABCD").map(lambda letter: [letter]), min_size=1, max_size=4),
    st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=4),
)


@given(ANSWERS)
def test_the_right_answer_is_right(targets: list[list[str]]) -> None:
    """Every scorer that is chosen gives its best to a reply that is a right answer and nothing else."""
    fit = fitting_scorers(targets)
    assert fit is not None

    fence = Fence()
    for row in map(row_of, fit.scorers):
        for each in targets:
            for text in each:
                reply = Reply(Call("answer", "s", "m", ()), "ok", text=text)
                assert score(row, reply, Expected(tuple(each)), fence).value == rule_of(row).best, (row.use, text)
