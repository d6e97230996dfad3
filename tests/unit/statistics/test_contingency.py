"""Fisher's exact test: against the tables of counts themselves, and what it says by chance."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.statistics.bias import fisher_exact

COUNT = st.integers(0, 30)


def by_counting(a: int, b: int, c: int, d: int) -> float:
    """The same by adding up all tables with these margins."""
    row, other, column = a + b, c + d, a + c
    weights = {x: comb(row, x) * comb(other, column - x) for x in range(max(0, column - other), min(row, column) + 1)}
    whole = sum(weights.values())
    tails = (sum(w for x, w in weights.items() if x >= a), sum(w for x, w in weights.items() if x <= a))
    return 1.0 if len(weights) == 1 else min(1.0, 2 * min(tails) / whole)


@given(COUNT, COUNT, COUNT, COUNT)
def test_it_is_the_sum_of_the_tables_that_are_as_far(a: int, b: int, c: int, d: int) -> None:
    """Of those with the same margins; the same whichever share comes first, and whichever is counted."""
    p = fisher_exact(a, b, c, d)

    assert p == pytest.approx(by_counting(a, b, c, d), rel=1e-9)
    assert p == pytest.approx(fisher_exact(c, d, a, b), rel=1e-9) == pytest.approx(fisher_exact(b, a, d, c), rel=1e-9)


def test_large_counts_take_no_time() -> None:
    """A million replies, and shares that are far apart or alike."""
    assert fisher_exact(400_000, 100_000, 300_000, 200_000) == 0.0
    assert 0.9 < fisher_exact(250_000, 250_000, 250_000, 250_000) <= 1.0


def test_what_shares_nothing_says_nothing() -> None:
    """No reply on a side, or all of them alike."""
    assert fisher_exact(0, 0, 3, 4) == fisher_exact(5, 0, 3, 0) == fisher_exact(0, 5, 0, 3) == fisher_exact(0, 0, 0, 0) == 1.0
