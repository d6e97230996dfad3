"""The truth table of the scorer bench, in short: every design of a fixed scorer exactly, some draws of chosen ones."""

from __future__ import annotations

import numpy as np
import pytest
import truth_scorers
from truth_scorers import CANDIDATES, COVERED, RATINGS, SPREADS, WEIGHTS


@pytest.mark.parametrize("n", RATINGS)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_a_fixed_scorer_is_covered_in_every_design(n: int, weight: float) -> None:
    """By every outcome there is, of errors that lie closer than those of the table where they are small."""
    errors = [*np.arange(0, 0.1, 0.01), *np.arange(0.1, 0.51, 0.1)]
    designs = truth_scorers.fixed(n, weight, errors)
    assert min(each.covered for each in designs.values()) >= COVERED


@pytest.mark.parametrize("k", CANDIDATES)
def test_a_chosen_scorer_is_covered_as_often_as_is_said(k: int) -> None:
    """In the design that covers least."""
    random = np.random.default_rng(k)
    for spread in SPREADS[:3]:
        cell = truth_scorers.chosen(random, 40, 0.5, k, spread, 0.1, 1_000)
        assert not cell.beyond, (spread, cell.rate)
