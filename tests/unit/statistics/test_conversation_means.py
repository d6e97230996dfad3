"""Laws of means over conversations and of latencies."""

from __future__ import annotations

import math
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.conversation_means import conversation_means
from tui_eval.statistics.latencies import latencies, least_n, linear_percentile, percentile_bounds

turns = st.lists(st.one_of(st.none(), st.integers(1, 5)), max_size=4)


def test_conversations_of_the_vectors(vectors: dict[str, Any]) -> None:
    """By conversation, by model, and by turn with the conversation as cluster."""
    for case in vectors["numeric"]["multi_turn_aggregate"]["cases"]:
        wanted = case["expected"]

        found = conversation_means(case["inputs"]["turns"])

        assert found.conversations == pytest.approx(wanted["conversation"], abs=1e-6), case["id"]
        assert found.model is not None and found.turns is not None
        said = (found.model.mean, found.model.se, found.turns.mean, found.turns.se)
        assert said == pytest.approx([wanted[n] for n in ("macro", "macro_se", "micro", "micro_se_clustered")], abs=1e-6)


def test_conversations_by_hand() -> None:
    """An unread turn is left out and counted: 4.5, 2 and nothing; by turn number, of those that have it."""
    found = conversation_means([[4, 5], [2, None, None], [None]])

    assert found.conversations == (4.5, 2.0, None) and (found.asked, found.scored) == (6, 3)
    assert found.model is not None and (found.model.n, found.model.mean, found.model.se) == (2, 3.25, 1.25)
    assert found.turns is not None and (found.turns.n, found.turns.clusters) == (3, 2)
    assert [(one.turn, one.asked, one.found and (one.found.n, one.found.mean)) for one in found.by_turn] == [
        (1, 3, (2, 3.0)), (2, 2, (1, 5.0)), (3, 1, None),
    ]  # fmt: skip


def test_of_no_conversation_nothing_is_known() -> None:
    """None at all, none with a turn, none with a mark; one conversation has a mean and no interval."""
    for marks in ([], [[], []], [[None]]):
        found = conversation_means(marks)
        assert found.model is None and found.turns is None and found.scored == 0
    one = conversation_means([[3, 4]]).model
    assert one is not None and (one.mean, one.se, one.low) == (3.5, None, None)
    with pytest.raises(ValueError):
        conversation_means([[1]], [1, 2])


@few
@given(st.lists(turns, max_size=8), st.randoms(use_true_random=False))
def test_conversations_know_no_order(marks: list[list[int | None]], random: Random) -> None:
    """In another order, with an unmarked one more: the same means; each its own source is no source; turns add up."""
    found = conversation_means(marks)
    again = conversation_means([*random.sample(marks, len(marks)), [None, None]], range(len(marks) + 1))

    assert (found.model is None) == (again.model is None) and found.scored == again.scored
    if found.model and again.model and found.turns and again.turns:
        for one, other in ((found.model, again.model), (found.turns, again.turns)):
            assert (one.n, one.clusters, one.mean, one.se) == pytest.approx((other.n, other.clusters, other.mean, other.se))
    assert sum(one.asked for one in found.by_turn) == found.asked
    assert sum(one.found.n for one in found.by_turn if one.found) == found.scored


def test_conversations_about_one_document_are_no_independent_evidence() -> None:
    """Pairs of equal conversations about one document: wider than if each spoke of its own."""
    marks: list[list[float | None]] = [[5, 4], [5, 4], [2, 2], [2, 2], [3, 5], [3, 5], [1, 2], [1, 2]]

    alone, shared = conversation_means(marks).model, conversation_means(marks, "aabbccdd").model

    assert alone and shared and shared.mean == alone.mean and (shared.se or 0) > 1.3 * (alone.se or 0) and shared.clusters == 4


# ------------------------------------------------------------------------------------------------------------------ latencies


def test_latencies_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Nearest rank, linear, and the intervals of median and p90 (numpy, scipy); from how many values on."""
    for case in vectors["numeric"]["latency_percentiles"]["cases"]:
        values, wanted = case["inputs"]["x"], case["expected"]

        found = latencies(values).percentiles

        assert {f"{name}_nearest": one.value for name, one in found.items()}.items() <= wanted.items(), case["id"]
        for name in ("p50", "p90", "p95", "p99"):
            assert linear_percentile(values, int(name[1:]) / 100) == pytest.approx(wanted[f"{name}_linear"], abs=1e-6)
        assert [found["p50"].low, found["p50"].high] == wanted["median_ci"]
        assert [found["p90"].low, found["p90"].high] == wanted["p90_ci"]
    for case in vectors["numeric"]["quantile_min_n"]["cases"]:
        assert least_n(case["inputs"]["p"]) == case["expected"]["n"]


def test_latencies_by_hand() -> None:
    """Six values bound the median by their least and greatest, five do not; p90 wants 29 and p99 299."""
    six = latencies([3, 1, 2, 6, 5, 4])

    assert (six.n, six.mean, six.greatest) == (6, 3.5, 6) and [six.percentiles[n].value for n in ("p50", "p90")] == [3, 6]
    assert (six.percentiles["p50"].low, six.percentiles["p50"].high) == (1, 6)
    assert percentile_bounds([1, 2, 3, 4, 5], 0.5) == (None, None)
    assert [latencies([1.0] * n).percentiles["p90"].enough for n in (28, 29)] == [False, True] and least_n(0.99) == 299


def test_of_no_call_no_latency_is_known() -> None:
    """Nothing, and one call: no percentile of nothing, no interval of one."""
    nothing, one = latencies([]), latencies([7])

    assert (nothing.n, nothing.mean, nothing.greatest, nothing.percentiles["p50"].value) == (0, None, None, None)
    assert (one.mean, one.low, one.percentiles["p99"].value, one.percentiles["p99"].enough) == (7, None, 7, False)
    assert linear_percentile([], 0.5) is None and percentile_bounds([], 0.5) == (None, None)
    for share in (0, 1, 1.5):
        with pytest.raises(ValueError):
            percentile_bounds([1], share)
    with pytest.raises(ValueError):
        linear_percentile([1], 1.5)


def test_failing_does_not_make_a_model_quick() -> None:
    """Calls given up at 60 count at 60: percentiles that reach it say that the truth is that or more."""
    found = latencies([1.0, 2.0, 3.0], [60.0, 60.0])

    assert (found.n, found.timed_out, found.greatest) == (5, 2, 60)
    assert (found.percentiles["p50"].value, found.percentiles["p50"].censored) == (3.0, False)
    assert (found.percentiles["p90"].value, found.percentiles["p90"].censored) == (60.0, True)


@few
@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_percentiles_were_observed_and_grow(values: list[int], random: Random) -> None:
    """Each is one of the values, p50 <= p90 <= p99 <= the greatest, within its bounds; the order changes nothing."""
    found = latencies(values)
    ordered = [found.percentiles[name] for name in ("p50", "p90", "p99")]

    assert found == latencies(random.sample(values, len(values))) and found.mean == pytest.approx(fmean(values))
    assert [one.value for one in ordered] == sorted(one.value or 0 for one in ordered)
    for one in ordered:
        assert one.value in values
        assert (one.low is None or one.low <= (one.value or 0)) and (one.high is None or (one.value or 0) <= one.high)
        below = linear_percentile(values, one.share)
        assert below is not None and min(values) <= below <= max(values)


def test_bounds_of_percentiles_hold_what_they_promise() -> None:
    """Of exponential latencies: both bounds of the median hold it in 95 % of 400 worlds, or nearly."""
    random, held = Random(8), 0
    for _ in range(400):
        low, high = percentile_bounds([random.expovariate(1) for _ in range(40)], 0.5)
        held += (low or 0) <= math.log(2) <= (high or math.inf)
    assert held >= 0.93 * 400
