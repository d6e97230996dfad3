"""Sums of scores: the quick ways come to what the plain ones do, order matters nowhere, and what is missing stays missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few
from oracles import gaffke

from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.core.samples import DOCUMENT, Sample
from tui_eval.core.units import Unit
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.results.sums import in_words
from tui_eval.results.sums.differences import Pair, corrected, difference_of, difference_of_counts, paired, power_of
from tui_eval.results.sums.means import Estimate, estimate
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG, all_alike
from tui_eval.results.sums.ranks import by_pairs, won_by
from tui_eval.results.sums.series import NO_TRUTH, Items, Series, grouped
from tui_eval.statistics.estimates import clustered_wilson, student_t_tail, wilson

MARK = Metric("mark", 1, 5)
right_or_wrong = st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=40)
several = st.lists(st.lists(st.sampled_from([0.0, 1.0, None]), max_size=3), min_size=1, max_size=20)


def series(values: Any) -> Series:
    """Scores by question: one each, or a list of several."""
    found = Series()
    for place, inside in enumerate(values):
        found.grow(place + 1)
        for answer, value in enumerate(inside if isinstance(inside, list) else [inside]):
            found.add(place, value, "" if value is not None else "no reply: timeout", answer)
    return found


def items(n: int, documents: Sequence[object] = ()) -> Items:
    """So many questions, each by itself or of these documents."""
    found = Items()
    for place in range(n):
        own = (f"q{place}",)
        found.place(Unit(f"q{place}", (str(documents[place]), *own) if documents else own), {})
    return found


def mean_of(values: Any, metric: Metric = RIGHT_OR_WRONG, documents: Sequence[object] = ()) -> Estimate:
    """The mean of scores by question."""
    return estimate(series(values), items(len(values), documents), metric)


@few
@given(several)
def test_a_rate_counts_every_question_once(values: list[list[float | None]]) -> None:
    """The mean of the questions' means between its bounds, with Wilson's interval; asked = scored + missing answers."""
    found = mean_of(values)
    flat = [value for inside in values for value in inside]
    means = [fmean(known) for inside in values if (known := [value for value in inside if value is not None])]

    assert (found.asked, found.missing) == (len(flat), flat.count(None))
    assert (found.scored, found.right) == (len(flat) - flat.count(None), flat.count(1.0))
    assert (found.n, found.value) == (len(means), pytest.approx(fmean(means)) if means else None)
    if means:
        expected = clustered_wilson(means, [1] * len(means), found.scored)
        assert (found.low, found.high, found.effective) == pytest.approx(expected)
    if found.value is not None and found.strict is not None and found.best_case is not None:
        assert found.strict <= found.value + 1e-12 and found.value <= found.best_case + 1e-12


def test_bounds_are_means_over_questions_as_the_rate_is() -> None:
    """A question with three answers weighs as much as one with one; one without any is wrong, or right."""
    found = mean_of([[0.0], [1.0, 1.0, 1.0], [1.0, None], [None]])

    assert found.value == pytest.approx((0 + 1 + 1) / 3)
    assert (found.strict, found.best_case) == pytest.approx(((0 + 1 + 0.5 + 0) / 4, (0 + 1 + 1 + 1) / 4))


def test_what_is_not_known_is_a_dash_and_never_a_zero() -> None:
    """In every word for a number; where it is known, it is there to the digit."""
    unknown = (in_words.percent(None), in_words.span(None, 0.5), in_words.points(None), in_words.decimal(None, 2))
    assert set(unknown) == {in_words.rank(None), in_words.p_value(None), in_words.in_unit(None, MARK), "-"}
    assert (in_words.percent(0.0), in_words.span(0.0, 1.0), in_words.points(0.0)) == ("0.0 %", "[0.0, 100.0]", "+0.0")
    assert (in_words.in_unit(0.5, RIGHT_OR_WRONG), in_words.in_unit(4.5, MARK)) == ("50.0 %", "4.50")
    assert (in_words.rank((2, 2)), in_words.rank((2, 5))) == ("2", "2-5")
    assert [in_words.p_value(p) for p in (0.0, 0.0004, 0.0006, 0.0312)] == ["<0.001", "<0.001", "0.001", "0.031"]


@few
@given(right_or_wrong, st.sets(st.integers(0, 39)))
def test_a_group_is_what_its_questions_are_alone(values: list[float | None], chosen: set[int]) -> None:
    """The rate within a group is the rate of a run that asked nothing else."""
    groups = grouped([{"set": ("in" if place in chosen else "out",)} for place in range(len(values))])
    for group in groups:
        assert estimate(series(values), items(len(values)), RIGHT_OR_WRONG, group) == mean_of(
            [values[i] for i in group.indexes]
        )
        assert group.bits == sum(1 << i for i in group.indexes)
    assert sorted(i for group in groups for i in group.indexes) == list(range(len(values)))


def test_what_a_question_names_twice_counts_once() -> None:
    """A domain that a question has twice holds it once."""
    domains = grouped([{"domain": ("log", "log", "core")}, {"domain": ("core",)}])
    assert [list(group.indexes) for group in domains] == [[0], [0, 1]]


@few
@given(several, several, st.booleans())
def test_two_models_swapped_only_turn_the_sign(a: Any, b: Any, by_document: bool) -> None:
    """The difference lies in its interval; one question tells no models apart."""
    every = items(20, [place // 2 for place in range(20)] if by_document else ())
    one, other = paired(series(a), series(b), RIGHT_OR_WRONG, every), paired(series(b), series(a), RIGHT_OR_WRONG, every)
    assert (one is None) == (other is None)
    if one is None or other is None:
        return
    assert (one.n, one.a_higher, one.b_higher) == (other.n, other.b_higher, other.a_higher)
    assert (one.p is None) == (other.p is None) and one.p == pytest.approx(other.p)
    assert one.value == pytest.approx(-(other.value or 0)) and one.low is not None and one.high is not None
    assert (one.low, one.high) == pytest.approx((-(other.high or 0), -(other.low or 0)))
    assert one.low <= one.value + 1e-9 and one.value - 1e-9 <= one.high and one.low < one.high
    assert (one.of_a, one.of_b, one.mean_a, one.mean_b) == (other.of_b, other.of_a, other.mean_b, other.mean_a)
    assert one.n > 1 or (one.p is None and one.low < 0 < one.high)


@few
@given(st.lists(st.lists(st.sampled_from([1.0, 2.0, 5.0, None]), min_size=4, max_size=4), min_size=1, max_size=5))
def test_ranks_leave_open_what_no_pair_tells(rows: list[list[float | None]]) -> None:
    """Best and worst rank lie in order within the number of models; who is told apart from all others has one rank."""
    models = [(f"m{i}", series(row * 8)) for i, row in enumerate(rows)]
    duels = [(one, other, paired(a, b, MARK, items(32))) for (one, a), (other, b) in combinations(models, 2)]
    pairs: list[Pair[str]] = corrected([(one, other, found) for one, other, found in duels if found is not None])
    ranks = by_pairs([name for name, _ in models], won_by(pairs))

    assert all(1 <= best <= worst <= len(models) for best, worst in ranks)
    for pair in pairs:
        assert pair.p_holm is not None and pair.found.p is not None and pair.found.p <= pair.p_holm <= 1
    for (name, _), (best, worst) in zip(models, ranks, strict=True):
        apart = [pair for pair in pairs if name in (pair.a, pair.b) and pair.significant]
        assert (best == worst) == (len(apart) == len(models) - 1)
    assert (power_of(pairs) is None) == (not pairs)


def test_holm_corrects_for_what_is_tested() -> None:
    """By hand: p .01, .04 and .03 of three tests are .03, .06 and .06; what is beside them has no p and corrects nothing."""
    found = [difference_of_counts(40, b, 0) for b in (0, 7, 4, 9, 5)]
    flags = [False, True, False, True, True]
    pairs = corrected([("x", str(n), one) for n, one in enumerate(found)], flags)

    assert [pair.tests for pair in pairs] == [0, 3, 0, 3, 3]
    p = [2 / 2**7, 2 / 2**9, 2 / 2**5]  # exact McNemar of 7, 9 and 5 of as many
    assert [pair.p_holm for pair in pairs] == [
        None,
        pytest.approx(2 * p[0]),
        None,
        pytest.approx(3 * p[1]),
        pytest.approx(p[2]),
    ]
    assert [pair.significant for pair in pairs] == [False, True, False, True, False]
    assert pairs[1].detectable == found[1].detectable(3) and pairs[0].detectable is None


@pytest.mark.parametrize("better", [1, -1])
@pytest.mark.parametrize("metric", [RIGHT_OR_WRONG, MARK], ids=lambda metric: metric.name)
def test_who_is_better_in_every_document_alike_is_told_apart(metric: Metric, better: int) -> None:
    """All right beside all wrong: a p of nearly 0 and not of 1; the same beside the same has a p of 1, and an interval."""
    ends = [metric.high] * 60, [metric.low] * 60
    best, worst = map(series, ends[::better])
    for size in (1, 3):
        every = items(60, [place // size for place in range(60)] if size > 1 else ())
        found = paired(best, worst, metric, every)
        assert found is not None and found.p is not None and found.p < 1e-9 and (found.value or 0) * better > 0
        same = paired(best, best, metric, every)
        assert same is not None and (same.p, same.value) == (1.0, 0.0) and (same.low or 0) < 0 < (same.high or 0)


def test_marks_that_differ_alike_have_an_interval_and_a_p_by_hand() -> None:
    """Four files each 7 points apart, of 100: the floor alone is the variance. Worked out in fractions, t in closed form."""
    error = Metric("error", 0, 1, "lower")
    found = difference_of([0.07] * 4, None, error, 1.0)
    share = (4 * Fraction(107, 200) + Fraction(1, 100)) / (4 + Fraction(2, 100))
    variance = 4 * Fraction(1, 100) * (share**2 + (1 - share) ** 2) / (4 * 3)
    t = 0.07 / math.sqrt(variance)
    angle = math.atan(t / math.sqrt(3))
    p = 1 - 2 / math.pi * (angle + math.sin(angle) * math.cos(angle))  # Student's t of 3 degrees of freedom

    assert (found.n, found.a_higher, found.b_higher, found.value) == (4, 4, 0, pytest.approx(0.07))
    assert found.p == pytest.approx(p, abs=1e-9) and 0.18 < p < 0.19
    half = 3.182446305 * math.sqrt(variance)
    assert (found.low, found.high) == pytest.approx((0.07 - half, 0.07 + half), abs=1e-6)


@few
@given(st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=3, max_size=3), min_size=2, max_size=20), st.booleans())
def test_a_share_of_repeats_has_wilsons_interval(values: list[list[float]], by_document: bool) -> None:
    """Of questions' shares, by documents where there are four or more; no wider than that of one answer each."""
    documents = [place // 2 for place in range(len(values))] if by_document else []
    found = mean_of(values, documents=documents)
    clustered = by_document and len(set(documents)) >= 4 and len(values) > len(set(documents))
    parts: dict[int, list[float]] = {}
    for place, inside in enumerate(values):
        parts.setdefault(documents[place] if clustered else place, []).append(fmean(inside))
    expected = clustered_wilson([math.fsum(p) for p in parts.values()], [len(p) for p in parts.values()], 3 * len(values))

    assert (found.n, found.value) == (len(values), pytest.approx(fmean(map(fmean, values))))
    assert (found.low, found.high, found.effective) == pytest.approx(expected)
    assert found.share and found.low is not None and found.high is not None and 0 <= found.low < found.high <= 1


of_two_minds = st.lists(st.lists(st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 1.0, None]), max_size=3), min_size=1, max_size=20)
"""What is right or wrong, as the mean of several judges' marks."""


@few
@given(of_two_minds, st.sets(st.integers(0, 19), min_size=1), st.booleans())
def test_an_answer_that_judges_are_of_two_minds_about_counts_in_part(
    values: list[list[float | None]], chosen: set[int], by_document: bool
) -> None:
    """One judge of three is a third of right, never all of it and never nothing; of any group of questions."""
    every = items(len(values), [place // 4 for place in range(len(values))] if by_document else ())
    (group,) = grouped([{"by": ("it",)} if place in chosen else {} for place in range(20)])
    for found, inside in (
        (estimate(series(values), every, RIGHT_OR_WRONG), values),
        (
            estimate(series(values), every, RIGHT_OR_WRONG, group),
            [one for place, one in enumerate(values) if place in chosen],
        ),
    ):
        known = [value for one in inside for value in one if value is not None]
        assert found.scored == len(known) and found.right == pytest.approx(sum(known), abs=1e-5)
        if known:
            assert found.low is not None and found.high is not None and 0 <= found.low < found.high <= 1
            assert found.strict is not None and found.best_case is not None and found.value is not None
            assert 0 <= found.strict <= found.value + 1e-12 and found.value <= found.best_case + 1e-12 <= 1 + 2e-12


@few
@given(of_two_minds, of_two_minds, st.booleans())
def test_no_two_models_differ_by_more_than_everything(a: Any, b: Any, by_document: bool) -> None:
    """The difference is of the answers that both have; its interval, and what would show, end where two scores can differ."""
    every = items(20, [place // 4 for place in range(20)] if by_document else ())
    found = paired(series(a), series(b), RIGHT_OR_WRONG, every)
    common = [
        fmean(gaps)
        for one, other in zip(a, b, strict=False)
        if (gaps := [x - y for x, y in zip(one, other, strict=False) if x is not None and y is not None])
    ]
    if found is None:
        assert not common
        return
    assert found.n == len(common) and found.value == pytest.approx(fmean(common))
    assert found.low is not None and found.high is not None and -1 <= found.low < found.high <= 1
    assert (found.mean_a or 0) - (found.mean_b or 0) == pytest.approx(found.value)
    assert all(seen is None or 0 < seen <= 1 for seen in (found.detectable(tests) for tests in (1, 50)))


@few
@given(st.lists(st.integers(1, 5), min_size=1, max_size=12))
def test_marks_have_gaffkes_interval(values: list[int]) -> None:
    """However few: never of width 0, never beyond the scale, and by another way of working it out to the third digit."""
    found = mean_of(list(map(float, values)), MARK)
    assert found.value is not None and found.low is not None and found.high is not None
    assert 1 <= found.low <= found.value <= found.high <= 5 and found.low < found.high
    assert (found.low, found.high) == pytest.approx(gaffke(values, 1, 5), abs=1e-3)
    assert (found.strict, found.effective, found.share) == (None, None, False)


@pytest.mark.parametrize(("values", "top"), [([0.1, 0.0, 0.3], 1.0), ([0.1, 2.5, 0.3], 2.5), ([0.0, 0.0], 1.0)])
def test_an_error_rate_has_a_scale_from_0_to_1_or_to_the_largest_seen(values: list[float], top: float) -> None:
    """Its metric has no end; three times wrong is not taken for certain."""
    found = mean_of(values, Metric("error_rate", 0, 99_999, "lower"))
    assert (found.low, found.high) == pytest.approx(gaffke(values, 0, top), abs=1e-3)


def test_conversations_about_one_document_are_one_observation() -> None:
    """Twenty conversations about four documents are four observations, in the mean, in a difference, and turn by turn."""
    bases = {"a.pdf": 5.0, "b.pdf": 4.0, "c.pdf": 2.0, "d.pdf": 1.5}
    lower = {"c.pdf", "d.pdf"}
    report = ScoreReport(Task(config=None, asked={}), [MARK])
    for n, (document, base) in enumerate((one for one in bases.items() for _ in range(5)), start=1):
        sample = Sample(f"talk {n}", doc_id=f"talk {n}", q_index=n, groups={DOCUMENT: (document,)}, question=f"talk {n}")
        given_marks = {"high": base, "low": base - 0.5 * (document in lower)}
        scores = [Score("answer", model, 0, "mark", mark) for model, mark in given_marks.items()]
        report.count(report.units.of(None, sample), sample.groups, scores)
    told = report.tables()
    scores_of = dict(zip(told["scores"].columns, told["scores"].rows[0], strict=True))
    pair = dict(zip(told["pairs"].columns, told["pairs"].rows[0], strict=True))

    assert (scores_of["n_items"].value, scores_of["mean"].value) == (20, 3.125)
    assert (scores_of["ci_low"].value, scores_of["ci_high"].value) == pytest.approx(gaffke([5, 4, 2, 1.5], 1, 5), abs=1e-3)
    # .25 over four documents of 0, 0, .5, .5: variance 1/12 over 4, and the floor of a scale of 8
    share = (4 * 4.25 / 8 + 0.01) / 4.02
    error = math.sqrt(1 / 48 + 64 * 0.01 * (share**2 + (1 - share) ** 2) / 12)
    assert (pair["n"].value, pair["difference"].value) == (20, 0.25)
    assert pair["p"].value == pytest.approx(student_t_tail(0.25 / error, 3), abs=1e-5)
    assert pair["told_apart"].value == "no" and "4 documents" in told["scores"].note


@few
@given(several)
def test_what_has_no_truth_is_not_asked_for(values: list[list[float | None]]) -> None:
    """It is counted under its reason, and changes no rate."""
    found, every = series(values), items(len(values))
    before = estimate(found, every, RIGHT_OR_WRONG)
    found.add(0, None, NO_TRUTH, 9)

    assert estimate(found, every, RIGHT_OR_WRONG) == before and found.why[NO_TRUTH] == 1


def test_a_mean_of_marks_is_by_document_where_questions_share_one() -> None:
    """Eight questions of four documents are four observations: a wider interval, that of their means."""
    values = [2.0, 2.0, 4.0, 4.0, 3.0, 3.0, 2.0, 2.0]
    alone, together = mean_of(values, MARK), mean_of(values, MARK, "aabbccdd")

    assert alone.value == together.value and alone.low is not None and together.low is not None
    assert together.low < alone.low
    assert (together.low, together.high) == pytest.approx(gaffke([2, 4, 3, 2], 1, 5), abs=1e-3)
    assert (alone.low, alone.high) == pytest.approx(gaffke(values, 1, 5), abs=1e-3)


def test_right_or_wrong_is_counted_the_same_however_it_is_asked() -> None:
    """Three of four by bits, item by item, and as a group of more: Wilson's interval of METHOD.md 1.2."""
    whole = mean_of([1.0, 0.0, 1.0, 1.0])
    (group,) = [one for one in grouped([{"g": ("x",)}] * 4 + [{}] * 3) if one.value == "x"]
    assert (whole.low, whole.high, whole.effective, whole.strict, whole.best_case) == (*(wilson(3, 4) or ()), 4.0, 0.75, 0.75)
    assert estimate(series([1.0, 0.0, 1.0, 1.0, 0.0, None, 1.0]), items(7), RIGHT_OR_WRONG, group) == whole


@pytest.mark.parametrize(
    ("metric", "marks", "said"),
    [
        (MARK, {5: 160}, "mark: all 160 scores are 5: it is uninformative."),
        (MARK, {5: 159, 1: 1}, "mark: 99 % of 160 scores are 5: it is uninformative."),
        (MARK, {4: 9, 5: 1}, "mark: 90 % of 10 scores are 4: it is uninformative."),
        (MARK, {2.5: 20, 3: 2}, "mark: 90 % of 22 scores are 2.5: it is uninformative."),
        (MARK, {1: 20}, "mark: all 20 scores are 1: it is uninformative."),
        (MARK, {4: 8, 5: 2}, ""),
        (MARK, {5: 4}, ""),
        (MARK, {}, ""),
        (RIGHT_OR_WRONG, {1: 160}, ""),
        (Metric("error", 0, 100, "lower"), {0: 20}, "error: all 20 scores are 0: it is uninformative."),
    ],
)
def test_marks_that_are_all_alike_are_told_from_enough_on(metric: Metric, marks: dict[float, int], said: str) -> None:
    """Nearly all one and the same, best or not, never rounded up to all; not of what is right or wrong."""
    assert all_alike(metric, marks) == said
