"""Noise floors and gates under builds that differ by chance: what is counted, what stands for what, and odd runs."""

from __future__ import annotations

from random import Random

import pytest
from truth_gates import MARK, RIGHT
from truth_noise import Models, gated, planted

from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.core.units import QUESTIONS, Unit, clusters_of
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.gate_noise import DRAWS, GateForm, caught_drops, drawn_builds, gate_noise, is_red, tiled_items
from tui_eval.results.sums.metrics import NO_END
from tui_eval.results.sums.noise_floor import builds_of, floor_of, noise_floor

ERRORS = Metric("errors", 0, NO_END, better="lower")


def two_builds(first: list[float | None], second: list[float | None], metric: Metric = RIGHT) -> Board:
    """A run of one model with two repeats; None where an answer has no score."""
    found = Board.empty(QUESTIONS, [metric])
    for repeat, values in enumerate((first, second)):
        for place, value in enumerate(values):
            why = "" if value is not None else "no reply: timeout"
            found.add(Unit(f"q{place}", (f"q{place}",)), {}, repeat, [Score("answer", "m", 0, metric.name, value, why)])
    return found


def test_the_floor_is_that_of_the_variance_within_items() -> None:
    """8 of 40 changed: 1.96 · √(2 · 0.1 / 40); of three builds the variance over all of them."""
    found = noise_floor(next(iter(two_builds([1.0] * 40, [0.0] * 8 + [1.0] * 32).series.values())), RIGHT)
    assert found is not None and (found.items, found.builds, found.changed) == (40, 2, 8)
    assert found.floor(40)[0] == pytest.approx(1.96 * (2 * 0.1 / 40) ** 0.5, abs=1e-5)
    assert found.floor(40, 4)[0] == pytest.approx(found.floor(40)[0] / 2) == pytest.approx(found.floor(160)[0])
    three = floor_of([[0.0, 1.0, 1.0]] * 12, RIGHT)
    assert three is not None and three.variance == pytest.approx(1 / 3) and three.builds == 3


@pytest.mark.parametrize("n", [1, 4, 40])
def test_where_nothing_changed_there_is_an_upper_end_alone(n: int) -> None:
    """Never a width of 0, never beyond the scale; no figure."""
    found = floor_of([[1.0, 1.0]] * n, RIGHT)
    assert found is not None and not found.known
    value, low, high = found.floor(n)
    assert (value, low) == (0.0, 0.0) and 0 < high <= 1
    assert floor_of([], RIGHT) is None


def test_a_scale_without_an_end_goes_by_what_was_seen() -> None:
    found = floor_of([[0.1, 3.0], [0.2, 0.2]], ERRORS)
    assert found is not None and found.span == pytest.approx(3.0) and found.floor(2)[2] <= 3.0


def test_an_item_that_one_build_alone_scored_says_nothing_of_noise() -> None:
    board = two_builds([1.0, None, 0.0, 1.0], [0.0, 1.0, None, 1.0])
    series = next(iter(board.series.values()))
    found = noise_floor(series, RIGHT)
    assert found is not None and (found.items, found.changed) == (2, 1)
    assert builds_of(series)[1][1][0][1] == 1.0 and builds_of(series)[1][0][0][1] is None


def test_missing_answers_are_held_against_the_gate() -> None:
    """Half of the answers are missing in one build or the other: with at most 20 % allowed every build is red."""
    values: list[float | None] = [1.0] * 20
    board = two_builds([*values, *[None] * 20], [*values, *[None] * 20])
    form = GateForm(against=False, max_missing=0.2)
    assert gate_noise(board, gated(board), form, 40, "seed").red == DRAWS
    assert gate_noise(board, gated(board), GateForm(against=False, max_missing=0.6), 40, "seed").red == 0


def test_what_is_undecided_counts_as_the_config_says() -> None:
    """Of four questions `against` decides nothing: that stops no build, unless the config says so."""
    board = two_builds([1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0])
    sides = gated(board)
    builds = [drawn_builds(one.pairs, 0) for one in sides]
    assert not is_red(GateForm(), sides, builds, board.items, "question")
    assert is_red(GateForm(inconclusive="fail"), sides, builds, board.items, "question")
    assert caught_drops(GateForm(), sides, board.items, "question") == [(sides[0].side, None)]
    assert caught_drops(GateForm(rule="shown_not_worse"), sides, board.items, "question") == []


def test_identical_builds_are_never_red_and_a_drop_is_named() -> None:
    """Nothing changed on 40 questions: unchanged builds pass; the drop is what one-sided McNemar asks, 5 of them and more."""
    board = two_builds([1.0] * 40, [1.0] * 40)
    found = gate_noise(board, gated(board), GateForm(), 40, "seed")
    ((_, drop),) = found.caught
    assert found.red == 0 and drop is not None and 5 / 40 < drop < 0.3


def test_exchanged_answers_are_builds_of_the_same_answers() -> None:
    """Whatever the coins: each item's two answers, one in either build; the same seed draws the same."""
    board = Models(30, 0.3).run(Random(1))[1]
    (one,) = gated(board)
    for coins in (0, (1 << 30) - 1, 12345):
        now, then = drawn_builds(one.pairs, coins)
        for place, (first, second) in one.pairs.items():
            assert {now.total[place], then.total[place]} == {first[0][1], second[0][1]}
    assert gate_noise(board, [one], GateForm(), 30, "a") == gate_noise(board, [one], GateForm(), 30, "a")


def test_some_items_stand_for_all_of_them() -> None:
    """50 of 205: each as often as the next, documents kept whole and apart; the drop is about that of asking all."""
    design = Models(50, 0.2, document=5)
    board = design.run(Random(2))[1]
    items, (many,) = tiled_items(board.items, gated(board), 205)
    assert len(items) == 205 and len(many.pairs) == 205
    clusters, _ = clusters_of(items.units)
    assert clusters is not None and len(set(clusters)) == 41 and {clusters.count(name) for name in clusters} == {5}
    (few,), (all_,) = (gate_noise(board, gated(board), GateForm(), n, "seed", 100).caught for n in (50, 205))
    assert few[1] is not None and all_[1] is not None and all_[1] < 0.7 * few[1]


def test_a_drop_without_room_is_not_planted() -> None:
    """What is right in both builds cannot lose more than there is."""
    board = two_builds([1.0] * 4 + [0.0] * 16, [1.0] * 4 + [0.0] * 16)
    sides = gated(board)
    assert planted(Random(1), board, sides, sides[0].side, 0.5) is None


def test_marks_have_a_floor_in_their_own_unit() -> None:
    found = noise_floor(next(iter(Models(40, 0.1, MARK).run(Random(3))[1].series.values())), MARK)
    assert found is not None and found.known and found.span == 4
    low, high = found.floor(40)[1:]
    assert 0 < low < high <= 4
