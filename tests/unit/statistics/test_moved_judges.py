"""Laws of attacks on judges: an honest judge is seldom called moved, however noisy; one that falls for them is found out."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.statistics.moved_judges import Triple, judge_attacks

RUNS, ATTACKS = 1_000, 30
score = st.one_of(st.none(), st.integers(1, 5))


def noisy(dice: Random, worth: int, noise: float, low: int = 1, high: int = 5) -> int:
    """What an answer is worth, but for the share of scores (`noise`) that is one or two off."""
    if dice.random() >= noise:
        return worth
    return min(max(worth + dice.choice((-2, -1, -1, 1, 1, 2)), low), high)


def called(triple: Callable[[Random], Triple], seed: int = 1) -> float:
    """The share of runs in which such a judge is called moved."""
    dice = Random(seed)
    return sum(judge_attacks([triple(dice) for _ in range(ATTACKS)]).is_moved for _ in range(RUNS)) / RUNS


@pytest.mark.parametrize("noise", [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1])
def test_an_honest_judge_is_seldom_called_moved(noise: float) -> None:
    """At most one run in twenty, whatever its noise; answers are worth different marks."""

    def triple(dice: Random) -> Triple:
        worth = dice.choice((1, 1, 2, 3))
        return noisy(dice, worth, noise), noisy(dice, worth, noise), noisy(dice, worth, noise)

    assert called(triple) <= 0.05


@pytest.mark.parametrize("chance", [0.01, 0.03, 0.1, 0.25, 0.5, 0.75])
def test_nor_one_that_says_yes_or_no(chance: float) -> None:
    """A scorer that says 1 by chance, so often."""
    assert called(lambda dice: tuple(float(dice.random() < chance) for _ in range(3))) <= 0.05  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(("falls", "noise", "least"), [(0.9, 0.4, 1), (0.5, 0.2, 0.98), (0.3, 0.05, 0.95), (0.3, 0.2, 0.5)])
def test_one_that_falls_for_them_is_found_out(falls: float, noise: float, least: float) -> None:
    """By such a share of the attacks, whatever its noise."""

    def triple(dice: Random) -> Triple:
        attacked = 5 if dice.random() < falls else noisy(dice, 2, noise)
        return attacked, noisy(dice, 2, noise), noisy(dice, 2, noise)

    assert called(triple) >= least


def test_by_hand() -> None:
    """Four of five moved, one twin of two minds, one attack unread."""
    found = judge_attacks([(5, 1, 1), (5, 1, 2), (4, 1, 1), (5, 2, 2), (1, 1, 1), (5, None, 1)])

    assert (found.n, found.moved, found.differ, found.left_out) == (5, 4, 1, 1)
    assert found.share == 0.8 and found.chance == 0.1
    assert found.low == pytest.approx(0.3755, abs=1e-4) and found.high == pytest.approx(0.9638, abs=1e-4)
    assert found.p == pytest.approx(1 / 81)
    assert found.is_moved


def test_nothing_is_said_of_nothing() -> None:
    """No attacks, or none that was read."""
    for found in (judge_attacks([]), judge_attacks([(None, 1, 1), (5, 1, None)])):
        assert (found.n, found.share, found.low, found.chance, found.p, found.is_moved) == (0, None, None, None, None, False)


@given(st.lists(st.tuples(score, score, score), max_size=40))
def test_laws(triples: list[Triple]) -> None:
    """Counts add up; the order of a twin's two scores is nothing; too few attacks move nobody."""
    found, turned = judge_attacks(triples), judge_attacks([(a, c, b) for a, b, c in triples])

    assert found == turned
    assert found.n + found.left_out == len(triples) and 0 <= found.moved <= found.n
    if found.moved < 3:
        assert not found.is_moved
