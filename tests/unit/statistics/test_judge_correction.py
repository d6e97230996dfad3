"""Laws of a judge's correction by a person, of its noise, and of how its marks are spread."""

from __future__ import annotations

import math
from itertools import permutations
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.estimates import student_t
from tui_eval.statistics.judge_correction import corrected_mean, lure_weights
from tui_eval.statistics.judge_noise import judge_noise
from tui_eval.statistics.score_differences import floor_error

marks = st.integers(1, 5)


def test_uniform_draws_and_whole_pools_weigh_1() -> None:
    """LURE is plain mean where chance was the same for all, and where nothing was left out."""
    for pool, many in ((1, 1), (5, 1), (5, 4), (9, 3)):
        assert lure_weights(pool, [1 / (pool - m) for m in range(many)]) == pytest.approx([1.0] * many)
    assert lure_weights(3, [0.9, 0.2, 1.0]) == [1.0] * 3 and lure_weights(4, []) == []
    for pool, chances in ((1, [0.5, 1.0]), (3, [0.0]), (3, [1.2]), (3, [math.nan])):
        with pytest.raises(ValueError):
            lure_weights(pool, chances)


@pytest.mark.parametrize("many", [1, 2, 3, 4])
def test_weighted_labels_have_the_mean_of_their_pool(many: int) -> None:
    """Over every order in which they may be drawn, whatever the chances."""
    values, likely = [1.0, 5.0, 2.0, 4.0, 4.0], [9.0, 1.0, 3.0, 0.5, 2.0]
    mean_of_draws = total = 0.0
    for order in permutations(range(5), many):
        chances = [likely[i] / sum(likely[j] for j in range(5) if j not in order[:m]) for m, i in enumerate(order)]
        often = math.prod(chances)
        weights = lure_weights(5, chances)
        mean_of_draws += often * math.fsum(w * values[i] for w, i in zip(weights, order, strict=True)) / many
        total += often
    assert (total, mean_of_draws) == pytest.approx((1.0, fmean(values)))


def test_a_mean_over_conversations_corrected_by_hand() -> None:
    """The judge gives 4, 3, 5 and 4; it is off by -1 and by the mean of 0 and -1 (of weights 1 and 2)."""
    found = corrected_mean(
        {"a": 4, "b": 3, "c": 5, "d": 4},
        {"a": [(-1, 1.0)], "c": [(0, 1.0), (-1, 2.0)]},
        {name: name for name in "abcd"},
        (1, 5),
    )

    assert (found.value, found.n_conversations, found.n_labels) == (3.0, 2, 3)
    shares = math.sqrt(2 * (1 / 16 + 1 / 16))  # of b and c by the judge alone; both corrections are the same
    half = student_t(0.975, 1) * math.hypot(shares, floor_error(-1, 2, 4))
    assert (found.low, found.high) == pytest.approx((3 - half, 3 + half))


def test_a_mean_that_is_corrected_within_one_cluster_may_be_anything() -> None:
    """One labelled conversation, and two of one document: the whole scale; no label, or one of nowhere, is an error."""
    judged, own = {"a": 4.0, "b": 3.0}, {"a": "a", "b": "b"}
    alone = corrected_mean(judged, {"a": [(1.0, 1.0)]}, own, (1, 5))
    assert (alone.value, alone.low, alone.high) == (4.5, 1, 5)
    both = corrected_mean(judged, {"a": [(3.0, 1.0)], "b": [(3.0, 1.0)]}, {"a": "d", "b": "d"}, (1, 5))
    assert (both.value, both.low, both.high) == (6.5, 1, 6.5)
    for errors in ({}, {"a": []}, {"z": [(1.0, 1.0)]}):
        with pytest.raises(ValueError):
            corrected_mean(judged, errors, own, (1, 5))


def test_what_every_label_adds_is_added_to_the_mean() -> None:
    """A judge that is more lenient by 1 everywhere has the same corrected mean and interval but for the floor's place."""
    random = Random(3)
    judged = {name: random.uniform(2, 4) for name in range(20)}
    errors = {name: [(random.choice((-1.0, 0.0, 1.0)), 1.0) for _ in range(1 + name % 3)] for name in range(12)}
    own = {name: name for name in judged}
    found = corrected_mean(judged, errors, own, (1, 5))

    lenient = corrected_mean(
        {name: mark + 1 for name, mark in judged.items()},
        {name: [(error - 1, weight) for error, weight in labels] for name, labels in errors.items()}, own, (1, 5),
    )  # fmt: skip

    assert lenient.value == pytest.approx(found.value) and lenient.low == pytest.approx(found.low, abs=0.02)
    twice = corrected_mean({(n, i): m for n, m in judged.items() for i in (0, 1)},
                           {(n, i): e for n, e in errors.items() for i in (0, 1)},
                           {(n, i): n for n in judged for i in (0, 1)}, (1, 5))  # fmt: skip
    assert (twice.value, twice.low, twice.high) == pytest.approx((found.value, found.low, found.high))


def test_corrected_intervals_hold_what_they_promise() -> None:
    """A lenient judge of conversations of 1 or 9 turns, by one in the long ones: labels of 30 of 40 hold the truth where one
    label a conversation beside all other answers was off by .46 (T6)."""
    random, held, off = Random(2026), 0, []
    for _ in range(200):
        talks = {name: [random.choice((1, 2, 3, 3, 4)) for _ in range(random.choice((1, 9)))] for name in range(40)}
        judged = {name: fmean(marks) + (len(marks) == 9) for name, marks in talks.items()}
        errors = {name: [(-float(len(talks[name]) == 9), 1.0)] for name in random.sample(range(40), 30)}
        found = corrected_mean(judged, errors, {name: name for name in talks}, (1, 5))
        held += found.low <= 2.6 <= found.high
        off.append(found.value - 2.6)
    assert held >= 0.92 * 200 and abs(fmean(off)) < 0.03


# --------------------------------------------------------------------------------------------------------------------- noise


def test_noise_by_hand() -> None:
    """Differences 0, 1, 2, 1 of four answers: √(6 / 8); of three marks the variance; one unread mark leaves an answer out."""
    found = judge_noise([(4, 4), (4, 5), (1, 3), (3, 2), (5, None)], threshold=3)

    assert (found.n, found.left_out, found.same, found.mean_range, found.flips) == (4, 1, 0.25, 1.0, 2)
    assert found.noise == pytest.approx(math.sqrt(6 / 8))
    assert found.interval.low is None and "4 answers" in found.interval.why
    assert judge_noise([(1, 2, 3)]).noise == pytest.approx(1.0)


def test_noise_of_nothing_is_unknown() -> None:
    """No answer judged twice, or none read twice: no figure, with the reason; a judge that never wavers has no interval."""
    for found in (judge_noise([]), judge_noise([(4, None), (None, None)])):
        assert (found.n, found.noise, found.same, found.flips) == (0, None, None, None) and found.why
    steady = judge_noise([(4, 4)] * 9)
    assert (steady.noise, steady.same) == (0, 1) and steady.interval.low is None
    with pytest.raises(ValueError):
        judge_noise([(1, 2)], [1, 2])


@few
@given(st.lists(st.tuples(marks, marks), min_size=1, max_size=15), st.randoms(use_true_random=False))
def test_noise_knows_no_order(pairs: list[tuple[int, int]], random: Random) -> None:
    """Answers and their two marks in another order, all marks higher by one: the same noise."""
    mixed = [(b + 1, a + 1) for a, b in random.sample(pairs, len(pairs))]

    found, again = judge_noise(pairs, draws=50), judge_noise(mixed, draws=50)

    assert (found.noise, found.same, found.mean_range) == pytest.approx((again.noise, again.same, again.mean_range))


def test_planted_noise_is_found() -> None:
    """A judge that adds a normal error of .5: its noise lies within the interval, in each of ten worlds but one at most."""
    held = 0
    for seed in range(10):
        random = Random(seed)
        answers = [random.uniform(1, 5) for _ in range(60)]
        found = judge_noise([(x + random.gauss(0, 0.5), x + random.gauss(0, 0.5)) for x in answers], draws=300)
        held += (found.interval.low or 1) < 0.5 < (found.interval.high or 0)
    assert held >= 9
