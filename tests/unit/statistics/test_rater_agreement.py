"""Laws of agreement between raters: the published numbers to six places, and reasons where there is none."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.rank_correlation import spearman
from tui_eval.statistics.rater_agreement import (
    Scale,
    Weight,
    kappa_interval,
    krippendorff_alpha,
    krippendorff_interval,
    pair_agreement,
    reliability,
)
from tui_eval.statistics.resampling import FEWEST, drawn_places, interval_of

SCALE = (1, 2, 3, 4, 5)
SCALES: tuple[Scale, ...] = ("nominal", "ordinal", "interval")
WEIGHTS: tuple[Weight, ...] = ("none", "linear", "quadratic")
marked = st.one_of(st.none(), st.sampled_from(SCALE))
both = st.lists(st.tuples(marked, marked), max_size=25)


def close(expected: float | None) -> Any:
    """The same but for rounding; None only for None."""
    return None if expected is None else pytest.approx(expected, abs=1e-6)


def test_kappas_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Percent, kappas, PABAK, distance, bias and rank correlation (scikit-learn, scipy)."""
    for case in vectors["numeric"]["cohen_kappa"]["cases"]:
        given_, wanted = case["inputs"], case["expected"]

        found = pair_agreement(given_["a"], given_["b"], given_["labels"])

        said = (found.percent, found.kappa, found.linear, found.quadratic, found.pabak, found.mean_absolute, found.bias)
        names = ("percent", "kappa", "linear", "quadratic", "pabak", "mae", "bias_mean_diff")
        assert said == pytest.approx([wanted[name] for name in names], abs=1e-6), case["id"]
        assert found.spearman == close(wanted["spearman"])


def test_alpha_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Nominal, ordinal and interval, with gaps (the krippendorff package)."""
    for case in vectors["numeric"]["krippendorff_alpha"]["cases"]:
        for scale in SCALES:
            found = krippendorff_alpha(case["inputs"]["ratings"], scale)
            assert found.alpha == close(case["expected"][scale]), (case["id"], scale)


def test_kappas_by_hand() -> None:
    """Four items, marks 1 1 2 3 and 1 2 2 3 on a scale of three: 3 of 4 alike.

    Expected by chance (2·1 + 1·2 + 1·1) / 16 = 5/16, kappa (3/4 - 5/16) / (11/16) = 7/11; linear: seen 1, expected
    (2·(2 + 2) + 1·(1 + 1) + 1·(2 + 2)) / 4 = 14/4, so 1 - 4/14; quadratic: expected (2·(2 + 4) + 2 + (4 + 2)) / 4 = 20/4.
    """
    found = pair_agreement([1, 1, 2, 3], [1, 2, 2, 3], [1, 2, 3])

    assert (found.n, found.left_out, found.percent, found.why) == (4, 0, 0.75, "")
    assert (found.kappa, found.linear, found.quadratic) == pytest.approx((7 / 11, 1 - 4 / 14, 1 - 4 / 20))
    assert (found.pabak, found.mean_absolute, found.bias) == pytest.approx((0.625, 0.25, 0.25))


def test_alpha_by_hand() -> None:
    """Items (1, 1), (1, 2), (2, 2): 2 of 6 pairs differ, 18 of 30 by chance: 1 - (2/6) / (18/30) = 4/9, on any scale."""
    for scale in SCALES:
        found = krippendorff_alpha([[1, 1, 2, None], [1, 2, 2, 5]], scale)
        assert found.alpha == pytest.approx(4 / 9)
        assert (found.n, found.left_out, found.marks, found.raters) == (3, 1, 6, 2)


def test_no_agreement_is_made_up() -> None:
    """One rater, nothing in common, one mark throughout: no kappa and no alpha, with the reason; percent where there is one."""
    constant = pair_agreement([4, 4, 4], [4, 4, 4], SCALE)
    apart = pair_agreement([4, None], [None, 4], SCALE)

    assert (constant.percent, constant.kappa, constant.linear, constant.quadratic) == (1.0, None, None, None)
    assert "4 throughout" in constant.why
    assert (apart.n, apart.left_out, apart.percent, apart.kappa) == (0, 2, None, None) and apart.why
    assert pair_agreement([], [], SCALE).why and krippendorff_alpha([]).why
    assert krippendorff_alpha([[1, 2, 3]]).why == krippendorff_alpha([[1, None], [None, 2]]).why == "no item has two scores"
    assert krippendorff_alpha([[3, 3], [3, 3]]).why == "every score is the same"
    one = pair_agreement([4], [5], SCALE)
    assert (one.n, one.percent, one.kappa, one.spearman) == (1, 0.0, 0.0, None)


@pytest.mark.parametrize(
    ("a", "b", "labels"), [([1], [1, 2], SCALE), ([6], [1], SCALE), ([1], [1], [1]), ([1], [1], [1, 1, 2])]
)
def test_marks_that_are_no_pairs_of_the_scale_are_a_bug_of_the_caller(a: list[int], b: list[int], labels: list[int]) -> None:
    """Other lengths, a mark off the scale, a scale of one mark or with one twice; raters or items with fewer marks."""
    with pytest.raises(ValueError):
        pair_agreement(a, b, labels)
    with pytest.raises(ValueError):
        kappa_interval(a, b, labels)
    with pytest.raises(ValueError):
        krippendorff_alpha([[1, 2], [1]])


@few
@given(both, st.randoms(use_true_random=False))
def test_the_order_of_items_and_raters_changes_no_agreement(pairs: list[tuple[int | None, int | None]], random: Random) -> None:
    """Items in another order, raters exchanged: the same figures, the bias with the other sign; missing ones only counted."""
    mixed = random.sample(pairs, len(pairs))
    a, b = [x for x, _ in pairs], [y for _, y in pairs]

    found, again = pair_agreement(a, b, SCALE), pair_agreement([y for _, y in mixed], [x for x, _ in mixed], SCALE)

    assert found.n + found.left_out == len(pairs)
    assert (found.n, found.percent, found.kappa, found.quadratic) == (again.n, again.percent, again.kappa, again.quadratic)
    assert found.bias == again.bias == None or found.bias == pytest.approx(-(again.bias or 0))  # noqa: E711
    for scale in SCALES:
        alpha = krippendorff_alpha([a, b], scale)
        assert alpha.alpha == close(krippendorff_alpha([[y for _, y in mixed], [x for x, _ in mixed]], scale).alpha)
        assert alpha.n == found.n and (alpha.alpha is None or alpha.alpha <= 1 + 1e-12)
        gaps = krippendorff_alpha([[*a, 3, None], [*b, None, None]], scale)
        assert gaps.alpha == close(alpha.alpha) and gaps.left_out == alpha.left_out + 2


@few
@given(both)
def test_agreement_is_whole_only_where_every_mark_is(pairs: list[tuple[int | None, int | None]]) -> None:
    """1 for the same marks, less for others; on a scale of two all weights are one; no kappa knows the unit of marks."""
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    same, found = pair_agreement(a, a, SCALE), pair_agreement(a, b, SCALE)
    halved = pair_agreement([x and x / 2 for x in a], [y and y / 2 for y in b], [x / 2 for x in SCALE])

    assert {same.kappa, same.linear, same.quadratic} <= {1.0, None} and same.percent in (1.0, None)
    assert found.kappa is None or (found.kappa == 1) == (found.percent == 1)
    assert (halved.quadratic, halved.linear) == (found.quadratic, found.linear)
    two = pair_agreement([x and x > 3 for x in a], [y and y > 3 for y in b], [0, 1])
    assert two.kappa == close(two.linear) == close(two.quadratic)


@few
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30))
def test_rank_correlation_knows_no_scale(pairs: list[tuple[int, int]]) -> None:
    """Any growing scale leaves it, the other way round turns its sign; it lies in -1..1."""
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    rho = spearman(a, b)

    assert rho == spearman([2**x for x in a], [y**3 - 7.0 for y in b]) == spearman(b, a)
    assert rho is None or (-1 - 1e-12 <= rho <= 1 + 1e-12 and spearman(a, [-y for y in b]) == -rho)


def test_an_interval_holds_its_figure_and_grows_where_answers_hang_together() -> None:
    """Kappa and alpha lie within; the same answers thrice, each thrice in one conversation, are no more evidence."""
    random = Random(18)
    a = [random.choice(SCALE) for _ in range(40)]
    b = [x if random.random() < 0.6 else random.choice(SCALE) for x in a]
    names = [i for i in range(40) for _ in range(3)]
    thrice = [[mark for mark in marks for _ in range(3)] for marks in (a, b)]

    for weight in WEIGHTS:
        alone = kappa_interval(a, b, SCALE, weight=weight, draws=400)
        kappa = {"none": "kappa", "linear": "linear", "quadratic": "quadratic"}[weight]
        assert (alone.low or 0) < getattr(pair_agreement(a, b, SCALE), kappa) < (alone.high or 0)
        assert kappa_interval(*thrice, SCALE, names, weight, draws=400) == alone
        naive = kappa_interval(*thrice, SCALE, weight=weight, draws=400)
        assert (naive.high or 0) - (naive.low or 0) < 0.8 * ((alone.high or 0) - (alone.low or 0))
    found = krippendorff_interval([a, b], draws=400)
    assert (found.low or 0) < (krippendorff_alpha([a, b]).alpha or 0) < (found.high or 0)
    assert krippendorff_interval(thrice, clusters=names, draws=400).clusters == 40


def test_conversations_of_unequal_length_count_as_fewer() -> None:
    """The same draws reach further out where few conversations hold most; equal ones change nothing."""
    random = Random(11)
    draws = [random.gauss(0, 1) for _ in range(2_000)]
    ends = [interval_of(draws, 20, degrees) for degrees in (None, 19.0, 7.0, 3.0, 1.0)]
    lows, highs = [found.low or 0 for found in ends], [found.high or 0 for found in ends]

    assert ends[0] == ends[1] and lows[1:] == sorted(lows[1:], reverse=True) and highs[1:] == sorted(highs[1:])
    assert lows[2] < lows[1] - 0.2 and lows[-1] == min(draws) and highs[-1] == max(draws)


@pytest.mark.soak
@pytest.mark.parametrize("sizes", [(10,) * 20, (60, 40, 20, *(4,) * 17), tuple(max(1, round(60 * 0.8**i)) for i in range(20))])
def test_intervals_of_kappa_hold_the_truth_where_conversations_differ_in_length(sizes: tuple[int, ...]) -> None:
    """Marks and a judge's error that hang together within a conversation: 93 in 100 intervals hold what many worlds have."""
    random = Random(2026)

    def world() -> tuple[list[float], list[float], list[int]]:
        rows = []
        for name, size in enumerate(random.choices(sizes, k=len(sizes))):
            middle, off = random.gauss(3, 1.0), random.gauss(0, 0.67)
            for mark in (random.gauss(middle, 0.66) for _ in range(size)):
                rows.append((mark, mark + off + random.gauss(0, 0.44), name))
        person, judge = ([float(min(max(round(row[place]), 1), 5)) for row in rows] for place in (0, 1))
        return person, judge, [name for *_, name in rows]

    worlds = [world() for _ in range(2_000)]
    every = ([mark for one in worlds for mark in one[place]] for place in (0, 1))
    truth = pair_agreement(*every, SCALE).quadratic or 0.0
    found = [kappa_interval(person, judge, SCALE, names, draws=200) for person, judge, names in worlds[:200]]

    assert sum((one.low or -1) <= truth <= (one.high or 1) for one in found) >= 0.93 * 200


def test_an_interval_is_the_same_in_any_order_and_says_why_there_is_none() -> None:
    """Items or conversations in another order; too few, all alike, and often undefined: no interval, with the reason."""
    random = Random(4)
    rows = [(random.choice(SCALE), random.choice(SCALE), random.randrange(9)) for _ in range(30)]
    mixed = random.sample(rows, len(rows))
    found, again = (
        kappa_interval([a for a, *_ in rows], [b for _, b, _ in rows], SCALE, [name for *_, name in rows], draws=300)
        for rows in (rows, mixed)
    )
    few_items = kappa_interval([1, 2, 3, None], [1, 2, 3, 4], SCALE)
    alike = kappa_interval([*SCALE, 1, 2], [*SCALE, 1, 2], SCALE)
    hardly = kappa_interval([4] * 11 + [5], [4] * 12, SCALE)

    assert found == again and found.low is not None and found.clusters == 9
    assert few_items.low is None and few_items.clusters == 3 and str(FEWEST) in few_items.why
    assert alike.low is None and "1 in every draw" in alike.why
    assert hardly.low is None and hardly.undefined and "not defined" in hardly.why


def test_draws_are_the_same_ones_and_favour_nothing() -> None:
    """A fixed stream: each place about as often as any other, every draw of as many as there are."""
    drawn = list(drawn_places(7, 500))

    assert drawn == list(drawn_places(7, 500)) and {len(places) for places in drawn} == {7}
    assert all(abs(sum(places.count(i) for places in drawn) - 500) < 4 * 21 for i in range(7))


def test_alpha_in_a_word() -> None:
    """Krippendorff's rule, at its limits."""
    assert [reliability(alpha) for alpha in (0.8, 0.79, 0.667, 0.66, -0.2)] == [
        "good",
        "tentative",
        "tentative",
        "poor",
        "poor",
    ]
