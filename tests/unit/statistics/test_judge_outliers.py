"""Laws of a judge beside the others: an odd one is found, equals are not, and little tells nothing."""

from __future__ import annotations

from random import Random

import pytest

from tui_eval.statistics.judge_outliers import beside_others


def panel(random: Random, noises: tuple[float, ...], n: int = 60, lenient: float = 0.0) -> list[list[float | None]]:
    """Marks of the same answers by judges with so much noise each; the first is lenient."""
    worth = [random.uniform(1, 5) for _ in range(n)]
    return [[x + random.gauss(0, noise) + lenient * (j == 0) for x in worth] for j, noise in enumerate(noises)]


def test_the_odd_judge_is_the_one_that_is_found() -> None:
    """A judge that guesses beside two that see; of all three the others' agreement is what they have without it."""
    found = beside_others(panel(Random(1), (4.0, 0.4, 0.4), lenient=1.0), [i // 3 for i in range(60)], 200)

    assert [one.is_odd for one in found] == [True, False, False]
    odd = found[0]
    assert odd.n == 60 and odd.rho is not None and odd.theirs is not None and odd.rho < 0.6 < odd.theirs
    assert odd.lean == pytest.approx(1.0, abs=1.2) and (odd.distance or 0) > 2 and odd.interval.clusters == 20


def test_equal_judges_are_hardly_ever_odd() -> None:
    """None of three in 100 panels but for a few."""
    random = Random(2)
    odd = sum(
        one.is_odd
        for _ in range(60)
        for one in beside_others(panel(random, (0.8, 0.8, 0.8), 40), [i // 4 for i in range(40)], 100)
    )
    assert odd <= 9


def test_too_little_tells_nothing() -> None:
    """Two judges, marks that never vary, answers that one judge left out, four conversations."""
    with pytest.raises(ValueError):
        beside_others([[1.0], [2.0]], [1])
    alike = beside_others([[4.0] * 9, [3.0] * 9, [4.0] * 9], range(9), 50)
    assert all(one.rho is None and not one.is_odd and one.interval.low is None for one in alike)
    gaps = beside_others([[4.0, None, 2.0], [4.0, 3.0, 2.0], [4.0, 1.0, None]], [1, 2, 3], 50)
    assert [one.n for one in gaps] == [1, 1, 1] and gaps[0].rho is None
    few = beside_others(panel(Random(1), (4.0, 0.4, 0.4)), [i // 15 for i in range(60)], 50)
    assert few[0].rho is not None and few[0].interval.low is None and not few[0].is_odd
