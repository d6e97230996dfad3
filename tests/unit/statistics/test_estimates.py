"""Laws of the statistics: the published numbers to six places, and nothing said about nothing."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations, pairwise
from math import comb
from statistics import NormalDist, fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.kinds import Metric
from tui_eval.core.units import Unit
from tui_eval.results.sums.means import estimate
from tui_eval.results.sums.series import Items, Series
from tui_eval.statistics import estimates
from tui_eval.statistics.clusters import effective_clusters
from tui_eval.statistics.estimates import (
    binomial_tail,
    chi_square_tail,
    clustered_wilson,
    mean,
    median_of,
    nearest_rank,
    pass_at_k,
    pass_hat_k,
    repeats,
    shuffled,
    student_t,
    student_t_tail,
    wilson,
)
from tui_eval.statistics.paired import clustered_mean

counts = st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("group", ["proportion_ci", "wilson_other_levels"])
def test_wilson_gives_the_reference_intervals(vectors: dict[str, Any], group: str) -> None:
    """Every reference case (statsmodels) is met to six places, at the edges and at other levels, too."""
    for case in vectors["numeric"][group]["cases"]:
        given_ = case["inputs"]

        interval = wilson(given_["k"], given_["n"], given_["level"])

        assert interval == pytest.approx(case["expected"]["wilson"], abs=1e-6), case["id"]


def test_nearest_rank_gives_the_reference_percentiles(vectors: dict[str, Any]) -> None:
    """Every reference percentile is met, and is one of the values."""
    for case in vectors["numeric"]["latency_percentiles"]["cases"]:
        ordered = sorted(case["inputs"]["x"])

        found = {name: nearest_rank(Counter(ordered), int(name[1:]) / 100) for name in ("p50", "p90", "p95", "p99")}

        assert found == {name: case["expected"][f"{name}_nearest"] for name in found}, case["id"]


def test_of_nothing_nothing_is_known() -> None:
    """No value has a mean, a median, a percentile or an interval of nothing."""
    found = [mean([]), median_of([]), nearest_rank({}, 0.5), wilson(0, 0), clustered_wilson([], []), clustered_wilson([0], [0])]

    assert found == [None] * 6


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (0, -1)])
def test_impossible_counts_are_a_bug_of_the_caller(successes: int, n: int) -> None:
    """More successes than attempts, or fewer than none, are no proportion."""
    with pytest.raises(ValueError):
        wilson(successes, n)


@few
@given(counts, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_holds_the_proportion_and_is_symmetric(case: tuple[int, int], level: float) -> None:
    """The interval lies in 0..1, holds the proportion, and is the mirror image of that of the failures."""
    successes, n = case
    interval, mirrored = wilson(successes, n, level), wilson(n - successes, n, level)
    if interval is None or mirrored is None:
        assert n == 0
        return

    low, high = interval

    assert 0.0 <= low <= successes / n <= high <= 1.0
    assert low < high
    assert (low == 0.0) == (successes == 0) and (high == 1.0) == (successes == n)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_wilson_is_exact_at_the_edges() -> None:
    """No success begins at 0, all successes end at 1: not a hair beside it, for any number of attempts."""
    edges = [(wilson(0, n, level), wilson(n, n, level)) for n in range(1, 600) for level in (0.9, 0.95, 0.99)]

    assert {(none[0], every[1]) for none, every in edges if none and every} == {(0.0, 1.0)}
    assert all(none[1] < 1.0 and every[0] > 0.0 for none, every in edges if none and every)


@few
@given(st.integers(0, 50), st.integers(1, 50), st.integers(2, 9))
def test_wilson_narrows_with_evidence_and_widens_with_certainty(successes: int, failures: int, times: int) -> None:
    """The same proportion of more attempts has a narrower interval; a higher level has a wider one."""

    def width(k: int, n: int, level: float = 0.95) -> float:
        low, high = wilson(k, n, level) or (math.nan, math.nan)
        return high - low

    n = successes + failures

    assert width(successes * times, n * times) < width(successes, n) < width(successes, n, 0.99)


@few
@given(st.lists(st.integers(0, 1), min_size=1, max_size=60))
def test_clusters_of_one_are_no_clusters(outcomes: list[int]) -> None:
    """Where every question was asked once, the clustered interval is the plain one, on all its rows."""
    found = clustered_wilson(outcomes, [1] * len(outcomes))

    assert found == pytest.approx((*(wilson(sum(outcomes), len(outcomes)) or ()), len(outcomes)))


@few
@given(st.lists(st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=20))
def test_clusters_are_never_more_evidence_than_rows(clusters: list[tuple[int, int]]) -> None:
    """The interval holds the proportion; what it rests on lies between Kish's number of clusters and the rows."""
    successes, sizes = [k for k, _ in clusters], [n for _, n in clusters]

    low, high, effective = clustered_wilson(successes, sizes) or (1.0, 0.0, 0.0)

    assert 0.0 <= low <= sum(successes) / sum(sizes) <= high <= 1.0
    assert effective_clusters(sizes) <= effective <= sum(sizes)


def test_a_repeat_that_equals_the_first_answer_never_widens() -> None:
    """Thousands of runs, of items with one answer each, by themselves or in clusters, and the same with repeats of some:
    neither end lies further out, nor is the effective n below Kish's."""
    drawn = random.Random(20261126)
    for _ in range(4_000):
        sizes = [drawn.choice((1, 1, 2, 5, 30)) if drawn.random() < 0.5 else 1 for _ in range(drawn.randint(1, 25))]
        right = drawn.random()
        sums = [float(sum(drawn.random() < right for _ in range(size))) for size in sizes]
        once = clustered_wilson(sums, sizes, sum(sizes)) or (0.0, 0.0, 0.0)
        repeated = clustered_wilson(sums, sizes, sum(sizes) + drawn.choice((1, sum(sizes), 5 * sum(sizes)))) or (0.0, 0.0, 0.0)

        assert once[0] <= repeated[0] and repeated[1] <= once[1], (sums, sizes)
        assert once[2] >= effective_clusters(sizes), (sums, sizes)


def test_more_answers_of_the_same_means_never_widen() -> None:
    """The same of items that several answers agree about only in part: were there more of the same means, nothing widens."""
    drawn = random.Random(20261127)
    for _ in range(2_000):
        sizes = [drawn.choice((1, 1, 4)) for _ in range(drawn.randint(1, 15))]
        sums = [sum(drawn.randint(0, 4) for _ in range(size)) / 4 for size in sizes]
        ends = [clustered_wilson(sums, sizes, times * sum(sizes)) or (0.0, 0.0, 0.0) for times in (1, 2, 4, 9)]

        assert all(less[0] <= more[0] and more[1] <= less[1] for less, more in pairwise(ends)), (sums, sizes)


@few
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50), st.floats(0, 1))
def test_a_percentile_is_an_observed_value_with_its_share_below(values: list[float], share: float) -> None:
    """At least that share of the values is not above it, and it is one of them."""
    ordered = sorted(values)

    found = nearest_rank(Counter(ordered), share)

    assert found in ordered
    assert sum(value <= found for value in ordered) >= share * len(ordered) - 1e-9


@few
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=30))
def test_mean_and_median_lie_within(values: list[int]) -> None:
    """Both lie between the least and the greatest value, whatever the order."""
    found = [mean(values), median_of(values)]

    assert all(min(values) <= (value if value is not None else math.nan) <= max(values) for value in found)
    assert found == [mean(values[::-1]), median_of(values[::-1])]


def test_every_public_name_is_listed() -> None:
    """What a reader of the module may use is in `__all__`, in order."""
    defined = {name for name, thing in vars(estimates).items() if getattr(thing, "__module__", "") == estimates.__name__}

    assert set(estimates.__all__) == {name for name in defined if not name.startswith("_")} - {"Value"}
    assert estimates.__all__ == sorted(estimates.__all__)


@pytest.mark.parametrize(
    ("p", "df", "t"),
    [
        (0.975, 1, 12.706204736),
        (0.975, 2, 4.302652730),
        (0.975, 9, 2.262157163),
        (0.975, 30, 2.042272456),
        (0.995, 5, 4.032142984),
        (0.9, 4, 1.533206274),
        (0.975, 120, 1.979930405),
    ],
)
def test_quantiles_of_students_t_are_those_of_the_tables(p: float, df: int, t: float) -> None:
    """To eight places, and the mirror image below the middle."""
    assert student_t(p, df) == pytest.approx(t, abs=1e-8)
    assert student_t(1 - p, df) == pytest.approx(-t, abs=1e-8)
    assert student_t(0.5, df) == 0.0


@pytest.mark.parametrize("t", [1e-9, 0.01, 0.5, 1.0, 3.0, 40.0, 1e6, 1e200])
def test_students_tail_has_closed_forms_to_meet(t: float) -> None:
    """One degree of freedom is Cauchy's distribution, two have a root; many are all but normal."""
    assert student_t_tail(t, 1) == pytest.approx(2 / math.pi * math.atan(1 / t), rel=1e-11)
    two = 2 / (t * t) / (1 + 2 / (t * t) + math.sqrt(1 + 2 / (t * t))) if t > 1 else 1 - t / math.sqrt(2 + t * t)
    assert student_t_tail(t, 2) == pytest.approx(two, rel=1e-11)
    assert student_t_tail(-t, 1e9) == pytest.approx(math.erfc(t / math.sqrt(2)), rel=1e-5, abs=1e-300)


@few
@given(st.floats(0.001, 0.999), st.integers(1, 5000))
def test_quantile_and_tail_of_students_t_are_inverse(p: float, df: int) -> None:
    """Beyond the quantile, on both sides, lies what was left."""
    assert student_t_tail(student_t(p, df), df) == pytest.approx(2 * min(p, 1 - p), abs=1e-12)


@pytest.mark.parametrize(
    ("x", "df", "p"), [(3.841458821, 1, 0.05), (5.991464547, 2, 0.05), (7.814727903, 3, 0.05), (37.65248413, 25, 0.05)]
)
def test_chi_square_meets_the_tables(x: float, df: int, p: float) -> None:
    """The 5 % points are 5 % points; what is all but certain is never more than certain."""
    assert chi_square_tail(x, df) == pytest.approx(p, abs=1e-9)
    assert max(chi_square_tail(0.05, more) for more in range(1, 40)) <= 1.0


@few
@given(st.floats(0.001, 2000), st.integers(1, 40))
def test_chi_square_is_a_tail(x: float, df: int) -> None:
    """All at 0, less further out, more with more degrees of freedom, one degree the square of a normal number."""
    assert chi_square_tail(0, df) == chi_square_tail(-1, df) == 1.0
    further, here, more = chi_square_tail(x * 1.5, df), chi_square_tail(x, df), chi_square_tail(x, df + 2)
    assert 0 <= further <= here + 1e-15 and here <= more + 1e-15 and max(here, more) <= 1
    assert chi_square_tail(x, 1) == pytest.approx(2 * NormalDist().cdf(-math.sqrt(x)), rel=1e-6, abs=1e-12)


@few
@given(st.integers(0, 150), st.integers(-1, 151), st.sampled_from([(0, 1), (1, 7), (1, 3), (1, 2), (99, 100), (1, 1)]))
def test_the_binomial_tail_is_the_sum(n: int, k: int, p: tuple[int, int]) -> None:
    """Added up in whole numbers it is the same."""
    hit, of = p
    ways = sum(comb(n, i) * hit**i * (of - hit) ** (n - i) for i in range(max(k, 0), n + 1))

    assert binomial_tail(k, n, hit / of) == pytest.approx(ways / of**n, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("k", [49_000, 50_000, 50_500, 52_000])
def test_the_binomial_tail_holds_for_many_trials(k: int) -> None:
    """Of 100,000 trials it is the sum to nine digits, in the middle and far out."""
    term = total = comb(100_000, k)
    for i in range(k, 53_500):
        term = term * (100_000 - i) // (i + 1)
        total += term

    assert binomial_tail(k, 100_000, 0.5) == pytest.approx(total / 2**100_000, rel=1e-9)


def test_the_same_words_give_the_same_order_anywhere() -> None:
    """One order is written down: if it changes, old runs no longer show what they showed."""
    assert shuffled(5, 7, "q/1", 0) == (0, 2, 3, 4, 1)
    assert [shuffled(0, "x"), shuffled(1, "x")] == [(), (0,)]
    assert shuffled(2, "\ud800", -3) in ((0, 1), (1, 0))


@few
@given(st.integers(0, 300), st.lists(st.text(max_size=5) | st.integers(), max_size=4))
def test_shuffling_loses_nothing(n: int, words: list[str | int]) -> None:
    """Each place comes once, and again the same."""
    assert sorted(shuffled(n, *words)) == list(range(n))
    assert shuffled(n, *words) == shuffled(n, *words)


def test_different_words_are_different_orders() -> None:
    """However the words are cut, and whether a number is a number: no two of them share an order of thirty."""
    words = [("a", "bc"), ("ab", "c"), ("abc",), ("abc", ""), (1,), ("1",), (1, 1), (11,), (-1,), (), ("i1:1",), ("bc", "a")]

    assert len({shuffled(30, *each) for each in words}) == len(words)


def test_every_option_stands_everywhere_equally_often() -> None:
    """Over 10,000 questions each of four options is at each position as often, and so is each of the 24 orders."""
    orders = Counter(shuffled(4, 2026, f"question/{i}", 0) for i in range(10_000))
    for position in range(4):
        there = Counter[int]()
        for order, times in orders.items():
            there[order[position]] += times
        assert chi_square_tail(sum((there[i] - 2500) ** 2 / 2500 for i in range(4)), 3) > 0.001

    expected = 10_000 / 24
    assert len(orders) == 24
    assert chi_square_tail(sum((times - expected) ** 2 / expected for times in orders.values()), 23) > 0.001


def test_repeats_are_shuffled_independently() -> None:
    """The second order of a question is the first one as often as chance has it: one of 24."""
    same = sum(shuffled(4, 1, i, 0) == shuffled(4, 1, i, 1) for i in range(4800))

    assert 0.001 < binomial_tail(same, 4800, 1 / 24) < 0.999


def test_pass_at_k_gives_the_reference_values(vectors: dict[str, Any]) -> None:
    """Both unbiased formulas meet every case."""
    for case in vectors["numeric"]["pass_at_k"]["cases"]:
        found = (pass_at_k(**case["inputs"]), pass_hat_k(**case["inputs"]))

        assert found == pytest.approx((case["expected"]["pass_at_k"], case["expected"]["pass_hat_k"]), abs=1e-6), case["id"]


@few
@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n + 1))))
def test_passes_are_counted_over_every_choice_of_tries(case: tuple[int, int, int]) -> None:
    """Of every k of the n tries, the share with a pass and the share of passes alone; more tries than there were: not known."""
    n, c, k = case
    chosen = list(combinations([i < c for i in range(n)], k))
    if not chosen:
        assert pass_at_k(n, c, k) is None and pass_hat_k(n, c, k) is None
        return

    assert pass_at_k(n, c, k) == pytest.approx(fmean(map(any, chosen)))
    assert pass_hat_k(n, c, k) == pytest.approx(fmean(map(all, chosen)))
    assert pass_at_k(n, c, 1) == pass_hat_k(n, c, 1) == pytest.approx(c / n)


def test_repeats_give_the_reference_values(vectors: dict[str, Any]) -> None:
    """Mean, standard error, both variances, and the standard error at other numbers of repeats."""
    for case in vectors["numeric"]["epochs"]["cases"]:
        found, expected = repeats(case["inputs"]["scores"]), case["expected"]

        assert found is not None and found.n == len(expected["question_means"])
        assert (found.mean, found.se, found.within, found.between, found.se_at(1), found.se_at(10)) == pytest.approx(
            tuple(expected[name] for name in ("mean", "se", "s2_within", "var_between", "se_at_K1", "se_at_K10")), abs=1e-6
        ), case["id"]


scores = st.lists(st.lists(st.integers(0, 5).map(float), max_size=5), max_size=12)


@few
@given(scores, st.randoms(use_true_random=False))
def test_repeats_count_each_question_once(asked: list[list[float]], chance: random.Random) -> None:
    """The order of questions and repeats changes nothing, nor do questions without a score; more repeats never hurt."""
    mixed = [chance.sample(question, len(question)) for question in chance.sample(asked, len(asked))]

    found = repeats(asked)

    assert found == repeats([*mixed, []])
    if found is None:
        assert not any(asked)
        return
    assert found.mean == pytest.approx(fmean(fmean(question) for question in asked if question))
    assert (found.se is None) == (found.n < 2)
    assert (found.within is None) == all(len(question) < 2 for question in asked)
    few_, many = found.se_at(1), found.se_at(20)
    assert (few_ is None) == (many is None) == (found.se is None or found.within is None)
    assert few_ is None or many is None or many <= few_


def test_the_error_at_the_repeats_there_were_is_the_error() -> None:
    """Where questions differ more than the repeats' noise explains, nothing is cut off and both ways meet."""
    found = repeats([[0.0, 0.0, 1.0], [5.0, 4.0, 5.0], [9.0, 9.0, 9.0]])

    assert found is not None
    assert found.se_at(3) == pytest.approx(found.se)


pairs = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda pair: (pair[0] / 4, pair[1] / 4)), max_size=20)


def test_missing_answers_give_the_reference_bounds(vectors: dict[str, Any]) -> None:
    """Accuracy over those answered, over all, its interval and its bounds are those of the reference."""
    right_or_wrong, items = Metric("correct", threshold=1.0), Items()
    for case in vectors["numeric"]["accuracy_policies"]["cases"]:
        right, expected = case["inputs"]["right"], case["expected"]
        answered, total = right + case["inputs"]["wrong"], sum(case["inputs"].values())
        series = Series()
        for n in range(total):
            items.place(Unit(f"q{n}", (f"q{n}",)), {})
            series.add(n, float(n < right) if n < answered else None, "" if n < answered else "no reply: timeout")

        found = estimate(series, items, right_or_wrong)

        assert (found.strict, found.best_case) == pytest.approx(tuple(expected["bounds"]), abs=1e-6), case["id"]
        assert found.strict == pytest.approx(expected["accuracy_strict"], abs=1e-6)
        assert wilson(right, total) == pytest.approx(expected["wilson_strict"], abs=1e-6)
        assert found.scored / found.asked == pytest.approx(expected["coverage"], abs=1e-6)
        wanted = expected["accuracy_scored"]
        assert found.value == (None if wanted is None else pytest.approx(wanted, abs=1e-6))


def test_paired_differences_are_the_reference_values(vectors: dict[str, Any]) -> None:
    """The difference and, without the floor, its standard error; interval and p are those of NUMBERS.md 2."""
    for case in vectors["numeric"]["paired_diff"]["cases"]:
        differences = [x - y for x, y in zip(case["inputs"]["a"], case["inputs"]["b"], strict=True)]
        found, expected = clustered_mean(differences, range(len(differences))), case["expected"]
        wanted = (expected["n"], expected["mean_diff"], expected["se"])
        assert (found.n, found.mean, found.se) == pytest.approx(wanted, abs=1e-6)
        assert (found.low, found.high) == pytest.approx(tuple(expected["ci_t"]), abs=1e-6)


def test_figures_that_cannot_be_are_a_bug_of_the_caller() -> None:
    """Impossible counts and shares: no figure."""
    some = repeats([[1.0]])
    assert some is not None
    for wrong in (
        lambda: student_t(1.0, 3),
        lambda: student_t(0.9, 0),
        lambda: student_t_tail(1.0, 0),
        lambda: chi_square_tail(1.0, 0),
        lambda: binomial_tail(1, -1, 0.5),
        lambda: binomial_tail(1, 2, 1.5),
        lambda: pass_at_k(3, 4, 1),
        lambda: pass_hat_k(3, 1, 0),
        lambda: some.se_at(0),
    ):
        with pytest.raises(ValueError):
            wrong()
