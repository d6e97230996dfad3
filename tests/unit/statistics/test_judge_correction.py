"""Laws of a judge's correction by a person, of its noise, and of how its marks are spread."""

from __future__ import annotations

import math
from itertools import permutations
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.estimates import student_t
from tui_eval.statistics.judge_correction import PredictionPoweredMean, corrected_mean, lure_weights, ppi_mean
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


def corrected(*given_: Any, **options: Any) -> PredictionPoweredMean:
    """A mean that is known to be there."""
    found = ppi_mean(*given_, **options)
    assert found is not None
    return found


def test_corrected_means_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Plain and tuned, with their intervals (ppi_py)."""
    for case in vectors["numeric"]["ppi_mean"]["cases"]:
        given_, wanted = case["inputs"], case["expected"]

        found = corrected(given_["y"], given_["f_lab"], given_["f_unlab"])
        tuned = corrected(given_["y"], given_["f_lab"], given_["f_unlab"], tuned=True)

        assert (found.mean, found.se) == pytest.approx((wanted["theta"], wanted["se"]), abs=1e-6), case["id"]
        assert (found.low, found.high) == pytest.approx(wanted["ci"], abs=1e-6)
        assert (tuned.mean, tuned.low, tuned.high) == pytest.approx((wanted["ppi_pp_theta"], *wanted["ppi_pp_ci"]), abs=1e-6)
        assert (found.person_mean, found.judge_mean) == pytest.approx((wanted["human_only_mean"], wanted["judge_only_mean"]))


def test_a_correction_by_hand() -> None:
    """Person 4, 2 where the judge says 5, 3; it says 5, 5, 3, 3 of the others: 4 - 1 = 3, and only its own spread is left."""
    found = corrected([4, 2], [5, 3], [5, 5, 3, 3])

    assert (found.n_person, found.n_judge, found.clusters, found.mean) == (2, 4, 6, 3.0)
    assert found.se == pytest.approx(math.sqrt(1 / 4))


def test_nothing_is_corrected_by_nothing() -> None:
    """No mark of a person, or none of the judge alone; pairs that are none."""
    assert ppi_mean([], [], [3, 4]) is None and ppi_mean([3], [4], []) is None
    with pytest.raises(ValueError):
        ppi_mean([1], [1, 2], [3])
    with pytest.raises(ValueError):
        ppi_mean([1, 2], [1, 2], [3], ([1], [2]))


@few
@given(
    st.lists(st.tuples(marks, marks), min_size=1, max_size=12), st.lists(marks, min_size=1, max_size=12), st.integers(-3, 3),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_a_lenient_judge_changes_no_corrected_mean(
    pairs: list[tuple[int, int]], others: list[int], more: int, random: Random
) -> None:
    """So many marks more everywhere, rows in another order, each its own cluster: the same mean and interval."""
    person, judge = [y for y, _ in pairs], [f for _, f in pairs]
    mixed = random.sample(pairs, len(pairs))
    found = corrected(person, judge, others)

    lenient = corrected(
        [y for y, _ in mixed], [f + more for _, f in mixed], [f + more for f in others],
        (range(len(pairs)), range(len(pairs), len(pairs) + len(others))),
    )  # fmt: skip

    assert (lenient.mean, lenient.low, lenient.high) == pytest.approx((found.mean, found.low, found.high))
    tuned = corrected(person, judge, others, tuned=True)
    assert 0 <= tuned.weight <= 1 and ((tuned.low is None) == (tuned.high is None))
    assert tuned.low is None or tuned.high is None or tuned.low < tuned.mean < tuned.high
    useless = corrected(person, [3] * len(person), [3] * len(others), tuned=True)
    assert useless.mean == pytest.approx(fmean(person)) and useless.weight == 0


def test_the_same_answers_thrice_are_no_more_evidence() -> None:
    """Clusters of three equal rows bring the interval of one row each."""
    person, judge, others = [4, 2, 5, 3], [5, 3, 4, 3], [5, 4, 2, 3, 1]
    names = ([i for i in range(4) for _ in range(3)], [i for i in range(4, 9) for _ in range(3)])
    thrice = [[mark for mark in found for _ in range(3)] for found in (person, judge, others)]

    assert corrected(*thrice, names).se == pytest.approx(corrected(person, judge, others).se)
    assert corrected(*thrice).se < 0.6 * corrected(*thrice, names).se


def test_corrected_intervals_hold_what_they_promise() -> None:
    """A judge that is lenient, noisy and sure of itself: the truth lies in 95 % of 30 person's marks' intervals, or nearly."""
    random, held, tuned_held, narrower, naive = Random(2026), 0, 0, 0, 0
    for _ in range(400):
        truth = [random.choice((1, 2, 3, 4, 4, 5)) for _ in range(200)]
        judge = [min(5, y + random.choice((0, 0, 1))) for y in truth]
        found = corrected(truth[:30], judge[:30], judge[30:])
        tuned = corrected(truth[:30], judge[:30], judge[30:], tuned=True)
        mean_of_all = 19 / 6
        held += found.low <= mean_of_all <= found.high
        tuned_held += tuned.low <= mean_of_all <= tuned.high
        narrower += tuned.high - tuned.low <= found.high - found.low + 1e-9
        naive += abs(fmean(judge) - mean_of_all) < 0.1
    assert held >= 0.92 * 400 and tuned_held >= 0.92 * 400 and narrower >= 0.9 * 400 and naive < 0.1 * 400


@pytest.mark.soak
def test_corrected_intervals_know_that_few_conversations_hold_most_answers() -> None:
    """One of 40 conversations has as many answers as all others: 79 in 100 intervals held the truth as if all had as many."""
    random, held, tuned_held = Random(5), 0, 0
    for _ in range(300):
        sizes = random.choices([200] + [5] * 39, k=40)
        middles = [(random.gauss(3, 0.7), random.gauss(0.4, 0.2)) for _ in sizes]
        rows = [
            (name, mark, mark + lenient + random.gauss(0, 0.2))
            for name, (size, (middle, lenient)) in enumerate(zip(sizes, middles, strict=True))
            for mark in (random.gauss(middle, 0.7) for _ in range(size))
        ]
        random.shuffle(rows)
        first: dict[int, int] = {}
        for place, (name, _, _) in enumerate(rows):
            if len(first) < 30:
                first.setdefault(name, place)
        both = [rows[place] for place in first.values()]
        others = [row for place, row in enumerate(rows) if place not in first.values()]
        marks_of = ([y for _, y, _ in both], [f for _, _, f in both], [f for _, _, f in others])
        names = ([name for name, _, _ in both], [name for name, _, _ in others])

        found, tuned = corrected(*marks_of, names), corrected(*marks_of, names, tuned=True)
        held += found.low <= 3 <= found.high
        tuned_held += tuned.low <= 3 <= tuned.high

    assert held >= 0.94 * 300 and tuned_held >= 0.94 * 300


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
