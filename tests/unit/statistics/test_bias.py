"""Laws of the bias figures: the reference numbers, the key as the measure, and no bias called on a handful of answers."""

from __future__ import annotations

import math
import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.bias import LongestBias, has_absolute_word, longest_bias, position_bias, qualifier_bias

positions = st.integers(2, 6).flatmap(
    lambda k: st.tuples(st.lists(st.tuples(st.integers(0, k - 1), st.integers(0, k - 1)), min_size=1, max_size=60), st.just(k))
)
"""Answers as (chosen, key), and the number of options."""
length_answers = st.lists(
    st.tuples(
        st.sampled_from([(True, True, True), (False, False, True), (True, False, False), (False, True, False), (False,) * 3]),
        st.integers(3, 6),
    ).map(lambda pair: (*pair[0], pair[1])),
    min_size=1,
    max_size=60,
)
word_answers = st.lists(
    st.tuples(
        st.sampled_from([kinds for kinds in product((True, False), repeat=3) if not (kinds[2] and kinds[0] != kinds[1])]),
        st.integers(3, 6).flatmap(lambda k: st.tuples(st.integers(1, k - 1), st.just(k))),
    ).map(lambda pair: (*pair[0], *pair[1])),
    min_size=1,
    max_size=60,
)


def numbers(letters: str) -> list[int]:
    """Positions of letters."""
    return [ord(letter) - ord("A") for letter in letters]


def by_length(case: dict[str, Any]) -> list[tuple[bool, bool, bool, int]]:
    """A reference case as answers."""
    rows = zip(case["pred"], case["key"], case["longest"], strict=True)
    return [(pred == longest, key == longest, pred == key, case["k"]) for pred, key, longest in rows]


def test_position_gives_the_reference_values(vectors: dict[str, Any]) -> None:
    """Shares, chi-square, p, total variation, deviation, recalls and their spread are those of the reference."""
    for case in vectors["numeric"]["mcq_position_bias"]["cases"]:
        given_, expected = case["inputs"], case["expected"]

        found = position_bias(numbers(given_["pred"]), numbers(given_["key"]), len(given_["letters"]))

        assert found is not None and found.n == len(given_["pred"])
        assert found.chosen_share == pytest.approx(expected["pred_share"], abs=1e-6), case["id"]
        assert found.key_share == pytest.approx(expected["key_share"], abs=1e-6), case["id"]
        assert found.recalls == pytest.approx(expected["recalls"], abs=1e-6), case["id"]
        assert (found.chi_square, found.p, found.total_variation, found.max_deviation, found.recall_sd) == pytest.approx(
            tuple(expected[name] for name in ("chi2", "p", "tv", "max_dev", "rstd")), abs=1e-6
        ), case["id"]


@few
@given(positions, st.randoms(use_true_random=False))
def test_position_does_not_depend_on_the_order_of_answers_or_options(
    case: tuple[list[tuple[int, int]], int], chance: random.Random
) -> None:
    """Rows in another order change nothing, positions in another order only the order of what is said by position."""
    answers, k = case
    names = chance.sample(range(k), k)
    mixed = [(names[chosen], names[key]) for chosen, key in chance.sample(answers, len(answers))]

    found = position_bias([chosen for chosen, _ in answers], [key for _, key in answers], k)
    other = position_bias([chosen for chosen, _ in mixed], [key for _, key in mixed], k)

    assert found is not None and other is not None
    assert found.chosen_share == tuple(other.chosen_share[name] for name in names)
    assert found.recalls == tuple(other.recalls[name] for name in names)
    assert (found.max_deviation, found.level, found.level_uniform) == (other.max_deviation, other.level, other.level_uniform)
    assert (found.p, found.total_variation) == pytest.approx((other.p, other.total_variation), abs=1e-9)
    assert sum(found.chosen_share) == pytest.approx(1) and sum(found.key_share) == pytest.approx(1)
    assert 0 <= found.max_deviation <= found.total_variation + 1e-12 <= 1 + 1e-12


@few
@given(st.lists(st.integers(0, 3), min_size=1, max_size=60))
def test_a_model_that_follows_the_key_has_no_position_bias(key: list[int]) -> None:
    """However uneven the key is; the benchmark authors' measure takes the key's unevenness for the model's."""
    found = position_bias(key, key, 4)

    assert found is not None
    assert (found.max_deviation, found.total_variation, found.level) == (0, 0, "low")
    assert found.max_deviation_uniform == pytest.approx(max(abs(share - 0.25) for share in found.key_share))
    assert set(found.recalls) <= {1.0, None}


@pytest.mark.parametrize(
    ("moved", "of", "level", "level_uniform"),
    [
        (5, 100, "low", "low"),
        (6, 100, "low (noise)", "medium"),
        (9, 100, "low (noise)", "medium"),
        (10, 100, "medium", "medium"),
        (60, 1000, "medium", "medium"),
        (100, 1000, "medium", "medium"),
        (101, 1000, "high", "high"),
        (20, 100, "high", "high"),
        (3, 16, "low (noise)", "high"),
    ],
)
def test_levels_turn_at_five_and_ten_points_and_need_evidence(moved: int, of: int, level: str, level_uniform: str) -> None:
    """A limit met exactly is still below it; the same deviation of few answers is noise, in the authors' measure it is not."""
    key = [i % 4 for i in range(of)]
    ones = [i for i in range(of) if key[i] == 1][:moved]

    found = position_bias([0 if i in ones else k for i, k in enumerate(key)], key, 4)

    assert found is not None
    assert found.max_deviation == moved / of
    assert (found.level, found.level_uniform) == (level, level_uniform)


def test_a_position_that_never_holds_the_key_is_no_division_by_zero() -> None:
    """One answer there proves nothing, many do; its recall is not known."""
    few_there = position_bias([0, 1, 3], [0, 1, 2], 4)
    many_there = position_bias([3] * 40, [0, 1] * 20, 4)

    assert few_there is not None and many_there is not None
    assert few_there.p > 0.3 and few_there.level == "low (noise)"
    assert many_there.p < 1e-6 and many_there.level == "high"
    assert many_there.recalls == (0.0, 0.0, None, None) and math.isfinite(many_there.chi_square)


def test_one_recall_has_no_spread() -> None:
    """Where the key is always in one place, nothing is known of the recall of others."""
    found = position_bias([0, 0, 1], [0, 0, 0], 2)

    assert found is not None and found.recall_sd is None


def test_length_gives_the_reference_values(vectors: dict[str, Any]) -> None:
    """Shares, excess and the test on wrong answers are those of the reference."""
    for case in vectors["numeric"]["mcq_length_bias"]["cases"]:
        expected = case["expected"]

        found = longest_bias(by_length(case["inputs"]))

        assert found is not None
        assert (found.wrong_n, found.wrong_longest) == (expected["wrong_n"], expected["wrong_longest"]), case["id"]
        assert (found.picked, found.key, found.excess, found.p) == pytest.approx(
            tuple(expected[name] for name in ("pick", "base", "excess", "p")), abs=1e-6
        ), case["id"]
        assert found.expected == pytest.approx(1 / 3)


def length_case(sought: int, shunned: int, right_longest: int, right_other: int) -> LongestBias:
    """Answers to questions of four options: wrong ones on and off the longest, right ones on and off it."""
    wrong = [(True, False, False, 4)] * sought + [(False, False, False, 4)] * shunned
    found = longest_bias([*wrong, *[(True, True, True, 4)] * right_longest, *[(False, False, True, 4)] * right_other])
    assert found is not None
    return found


def test_a_long_key_is_no_length_bias() -> None:
    """A model that is always right where half of the keys are the longest is not biased; the authors' measure says high."""
    found = length_case(0, 0, 50, 50)

    assert (found.excess, found.level, found.p, found.expected) == (0.0, "low", None, None)
    assert (found.uniform, found.level_uniform) == (0.25, "high")


def test_length_levels_need_evidence() -> None:
    """The same excess is a bias where wrong answers seek the longest, and noise where they fall on it as often as any."""
    assert length_case(8, 0, 30, 62).level == "medium"
    assert length_case(8, 16, 30, 46).level == "low (noise)"
    assert length_case(5, 0, 30, 65).level == "low"
    assert length_case(11, 0, 30, 59).level == "high"


def test_a_limit_met_but_for_rounding_is_met() -> None:
    """23 of 60 against a third are five points exactly, though not in binary."""
    found = longest_bias([(True, True, True, 3)] * 23 + [(False, False, True, 3)] * 37)

    assert found is not None and found.picked - found.uniform > 0.05
    assert found.level_uniform == "low"


def test_expected_shares_are_the_mean_over_wrong_answers() -> None:
    """Questions of different sizes: of wrong answers 1/2 and 1/4 are expected, of all of them 1/3 and 1/5."""
    found = longest_bias([(True, False, False, 3), (False, False, False, 5), (False, False, True, 5), (True, True, True, 3)])

    assert found is not None
    assert found.expected == pytest.approx(0.375) and found.uniform == pytest.approx((1 / 3 + 1 / 5) / 2)
    assert found.p == pytest.approx(1 - 0.625**2)


@few
@given(length_answers, st.randoms(use_true_random=False))
def test_length_is_a_matter_of_counts(answers: list[tuple[bool, bool, bool, int]], chance: random.Random) -> None:
    """The order changes nothing; what is said of wrong answers lies within them; right answers leave it as it is."""
    found = longest_bias(answers)
    more = longest_bias([*answers, (True, True, True, 4), (False, False, True, 4)])

    assert found is not None and more is not None
    assert found == longest_bias(iter(chance.sample(answers, len(answers))))
    assert 0 <= found.wrong_longest <= found.wrong_n <= found.n
    assert (found.p is None) == (found.expected is None) == (found.wrong_n == 0)
    assert found.excess == pytest.approx(found.picked - found.key)
    assert (found.wrong_n, found.wrong_longest, found.expected, found.p) == (
        more.wrong_n,
        more.wrong_longest,
        more.expected,
        more.p,
    )


@few
@given(word_answers, st.randoms(use_true_random=False))
def test_absolute_words_are_a_matter_of_counts(answers: list[tuple[bool, bool, bool, int, int]], chance: random.Random) -> None:
    """The order changes nothing; looking at the options without such a word instead turns the excess around."""
    turned = [(not chosen, not key, right, k - n_with, k) for chosen, key, right, n_with, k in answers]

    found, other = qualifier_bias(answers), qualifier_bias(turned)

    assert found is not None and other is not None
    assert found == qualifier_bias(iter(chance.sample(answers, len(answers))))
    assert found.excess == pytest.approx(-other.excess)
    assert 0 <= found.wrong_with <= found.wrong_n <= found.n
    assert found.p is None or 0 <= found.p <= 1


def test_absolute_words_sought_and_shunned_are_both_a_bias() -> None:
    """Wrong answers that all hold such a word, or none, of 40: both are told from chance; half of them is not."""
    right = [(False, False, True, 2, 5)] * 60

    def found(with_word: int, key_has: int) -> tuple[float, float | None, str]:
        wrong = [(i < with_word, False, False, 2, 5) for i in range(40)]
        bias = qualifier_bias([*wrong, *[(False, True, False, 2, 5)] * key_has, *right])
        assert bias is not None
        return bias.excess, bias.p, bias.level

    sought, even, shunned = found(40, 0), found(20, 0), found(0, 40)

    assert [sought[2], even[2], shunned[2]] == ["high", "low (noise)", "high"]
    assert [sought[0], even[0], shunned[0]] == pytest.approx([0.4, 0.2, -40 / 140])
    assert [sought[1], even[1], shunned[1]] == pytest.approx([2 / 2**40, 1.0, 2 / 2**40])
    assert found(35, 60)[2] == "low (noise)"  # fewer than the key has, though wrong answers seek them: no clear lean


def test_no_answers_have_no_bias() -> None:
    """Of nothing, and of questions with one option, nothing is said."""
    assert [position_bias([], [], 4), position_bias([0, 0], [0, 0], 1), longest_bias([]), qualifier_bias([])] == [None] * 4


def test_answers_that_contradict_themselves_are_a_bug_of_the_caller() -> None:
    """Positions outside, lists of different lengths, a right answer that is not the key, two longest options."""
    for wrong in (
        lambda: position_bias([4], [0], 4),
        lambda: position_bias([0], [-1], 4),
        lambda: position_bias([0, 1], [0], 4),
        lambda: longest_bias([(True, False, True, 4)]),
        lambda: longest_bias([(True, True, False, 4)]),
        lambda: qualifier_bias([(False, True, True, 1, 4)]),
    ):
        with pytest.raises(ValueError):
            wrong()


@pytest.mark.parametrize(
    "text", ["It is ALWAYS so.", "never", "(only here)", "all\tof it", "None, of these", "sand,all", "“Only”"]
)
def test_absolute_words_are_found_in_any_case(text: str) -> None:
    """As a word of its own, beside marks, at either end."""
    assert has_absolute_word(text)


@pytest.mark.parametrize(
    "text", ["", "tall walls", "nevertheless", "nonetheless", "read-only", "all-purpose", "call", "only_one"]
)
def test_parts_of_other_words_are_no_absolute_words(text: str) -> None:
    """Neither inside a longer word nor in a compound."""
    assert not has_absolute_word(text)
