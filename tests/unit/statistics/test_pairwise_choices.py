"""Laws of choices between two answers: swaps, win rates, strengths, and length."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.estimates import student_t
from tui_eval.statistics.paired import clustered_mean
from tui_eval.statistics.pairwise_choices import (
    Choice,
    LengthControlled,
    bradley_terry,
    bradley_terry_intervals,
    length_controlled,
    swapped_choices,
)
from tui_eval.statistics.score_differences import score_difference

choice: st.SearchStrategy[Choice | None] = st.sampled_from(["A", "B", "tie", None])
OTHER: dict[Choice | None, Choice | None] = {"A": "B", "B": "A", "tie": "tie", None: None}


def test_swaps_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Wins, ties, win rate, consistency and first-slot share; its p is no longer the vectors' (T12)."""
    for case in vectors["numeric"]["swap_verdicts"]["cases"]:
        wanted = case["expected"]

        found = swapped_choices([(a, b) for a, b in case["inputs"]["mapped_verdicts"]])

        assert (found.wins, found.losses, found.ties) == (wanted["wins"], wanted["losses"], wanted["ties"])
        assert (found.win_rate, found.consistency, found.first_share) == pytest.approx(
            [wanted[name] for name in ("win_rate", "position_consistency", "first_slot_share")], abs=1e-6
        )


def test_strengths_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Beta, Elo and a chance (statsmodels), to the tolerance of the reference; better than it: the slope is zero there."""
    for case in vectors["numeric"]["bradley_terry"]["cases"]:
        wins, wanted = case["inputs"]["wins"], case["expected"]

        found = bradley_terry(wins)

        assert found.beta == pytest.approx(wanted["beta"], abs=1e-6) and found.elo == pytest.approx(wanted["elo"], abs=1e-4)
        assert found.chance(0, 1) == pytest.approx(wanted["p_0_beats_1"], abs=1e-6) and not found.pseudo_wins


def test_length_control_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Logistic regression, with ties (statsmodels)."""
    for case in vectors["numeric"]["length_controlled_winrate"]["cases"]:
        wanted = case["expected"]

        found = length_controlled(case["inputs"]["y"], case["inputs"]["dlen"])

        assert found is not None
        assert (found.theta, found.phi, found.raw, found.rate) == pytest.approx(
            [wanted[name] for name in ("theta", "phi", "raw", "lc")], abs=1e-6
        )


def test_swaps_by_hand() -> None:
    """One win, one contradiction, one unread: of two items 3/4; both choices of the contradiction took what stood first."""
    found = swapped_choices([("A", "A"), ("A", "B"), ("B", None)])

    assert (found.n, found.left_out, found.wins, found.losses, found.ties) == (2, 1, 1, 0, 1)
    assert (found.win_rate, found.consistency, found.first_n, found.first_share) == (0.75, 0.5, 4, 0.75)
    assert (found.first_first, found.second_second, found.lean, found.p_position) == (1, 0, 0.5, 1.0)


def test_a_preference_for_a_place_shows_in_contradictions() -> None:
    """Nine that took what stood first both times against two that took the second: the exact sign test of 11; by cluster a t
    test over all items. A choice beside a tie contradicts nothing."""
    both: list[tuple[Choice | None, Choice | None]] = [("A", "B")] * 9 + [("B", "A")] * 2 + [("A", "A"), ("B", "B")] * 20
    found = swapped_choices(both)
    assert (found.first_first, found.second_second, found.n) == (9, 2, 51)
    assert found.p_position == pytest.approx(2 * sum(math.comb(11, k) for k in (9, 10, 11)) / 2**11)
    assert (found.lean_low or 0) < 7 / 51 == found.lean < (found.lean_high or 0)

    names = [i // 3 for i in range(51)]
    clustered = swapped_choices(both, names)
    wanted = score_difference([1.0] * 9 + [-1.0] * 2 + [0.0] * 40, names, 1.0)
    assert (clustered.p_position, clustered.lean, clustered.lean_low) == (wanted.p, wanted.value, wanted.interval()[0])
    ties = swapped_choices([("A", "tie"), ("tie", "B"), ("B", "tie")])
    assert (ties.first_first, ties.second_second, ties.p_position, ties.lean) == (0, 0, 1.0, 0.0)
    assert swapped_choices(both, [1] * 51).p_position == 1.0


def test_a_taste_by_conversation_is_no_preference_for_a_place() -> None:
    """Judges that take what stands first in one conversation and the second in the next: 17 in 100 were said to prefer a place
    (T12), where 5 should be. What prefers one is seen."""
    random, seen, biased = Random(12), 0, 0

    def run(taste: float, bias: float) -> float:
        choices: list[tuple[Choice | None, Choice | None]] = []
        for _ in range(12):
            lean = random.gauss(0, taste)
            for _ in range(5):
                worth = 1 / (1 + math.exp(-random.gauss(0, 1)))
                first, second = (random.random() < worth + sign * (lean + bias) for sign in (1, -1))
                choices.append(("A" if first else "B", "A" if second else "B"))
        return swapped_choices(choices, [i // 5 for i in range(60)]).p_position or 1.0

    for _ in range(300):
        seen += run(0.25, 0.0) < 0.05
        biased += run(0.0, 0.2) < 0.05
    assert seen <= 0.09 * 300 and biased >= 0.9 * 300


def test_of_no_choice_nothing_is_known() -> None:
    """No item, none complete, ties alone: no share of what there is none of."""
    for empty in (swapped_choices([]), swapped_choices([("A", None)])):
        assert (empty.n, empty.win_rate, empty.low, empty.consistency, empty.p_position) == (0, None, None, None, None)
    ties = swapped_choices([("tie", "tie")])
    assert (ties.win_rate, ties.consistency, ties.first_n, ties.first_share, ties.p_position) == (0.5, 1, 0, None, None)
    assert length_controlled([], []) is None
    with pytest.raises(ValueError):
        swapped_choices([("A", "A")], [1, 2])


@few
@given(st.lists(st.tuples(choice, choice), max_size=20), st.randoms(use_true_random=False))
def test_models_exchanged_are_the_mirror_image(choices: list[tuple[Choice | None, Choice | None]], random: Random) -> None:
    """A called B, orders exchanged, items mixed: win rate and interval mirrored; what the order decides is the same."""
    mirrored = [(OTHER[b], OTHER[a]) for a, b in random.sample(choices, len(choices))]

    found, again = swapped_choices(choices), swapped_choices(mirrored)

    assert found.n + found.left_out == len(choices) and found.wins + found.losses + found.ties == found.n
    assert (found.wins, found.ties, found.left_out) == (again.losses, again.ties, again.left_out)
    assert (found.consistency, found.first_n, found.p_position) == (again.consistency, again.first_n, again.p_position)
    assert (found.first_first, found.second_second, found.lean) == (again.first_first, again.second_second, again.lean)
    if found.win_rate is not None and found.low is not None and again.high is not None:
        assert (again.win_rate, again.high) == pytest.approx((1 - found.win_rate, 1 - found.low))
        assert found.low <= found.win_rate <= (found.high or 0)


def test_choices_of_one_conversation_are_no_independent_evidence() -> None:
    """Three equal choices in each conversation: a wider interval than of three times as many conversations."""
    choices: list[tuple[Choice | None, Choice | None]] = [("A", "A"), ("B", "B"), ("A", "B"), ("A", "A"), ("B", "B")] * 2
    thrice = [pair for pair in choices for _ in range(3)]

    alone = swapped_choices(thrice)
    grouped = swapped_choices(thrice, [i for i in range(10) for _ in range(3)])

    assert grouped.win_rate == alone.win_rate and (grouped.low or 0) < (alone.low or 0) < (alone.high or 0) < (
        grouped.high or 0
    )


# ----------------------------------------------------------------------------------------------------------------- strengths

tables = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 6), min_size=k, max_size=k), min_size=k, max_size=k)
)


@few
@given(tables, st.randoms(use_true_random=False))
def test_strengths_make_the_wins_what_is_expected(table: list[list[int]], random: Random) -> None:
    """At the maximum each model wins as often as its chances say; models in another order keep theirs; the mean is 0."""
    wins = [[0 if i == j else n for j, n in enumerate(row)] for i, row in enumerate(table)]
    order = random.sample(range(len(wins)), len(wins))

    found, mixed = bradley_terry(wins), bradley_terry([[wins[i][j] for j in order] for i in order])

    assert (found.beta is None) == (mixed.beta is None) == bool(found.why)
    if found.beta is None or mixed.beta is None:
        return
    assert sum(found.beta) == pytest.approx(0, abs=1e-9)
    assert mixed.beta == pytest.approx([found.beta[i] for i in order], abs=1e-6)
    for i, row in enumerate(wins):
        met = [(j, n + wins[j][i] + found.pseudo_wins) for j, n in enumerate(row) if n + wins[j][i]]
        expected = sum(n * (found.chance(i, j) or 0) for j, n in met)
        assert sum(row) + 0.5 * found.pseudo_wins * len(met) == pytest.approx(expected, abs=1e-6)


def test_strengths_that_have_no_end_are_bounded_and_say_so() -> None:
    """A model that wins everything gets a finite strength through half a win on both sides; models that never met get none."""
    whole = bradley_terry([[0, 5], [0, 0]])
    apart = bradley_terry([[0, 5, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])

    assert whole.pseudo_wins and whole.beta == pytest.approx([math.log(11) / 2, -math.log(11) / 2])
    assert apart.beta is None and apart.elo is None and apart.chance(0, 1) is None and "never met" in apart.why
    assert bradley_terry([[0]]).beta is None and bradley_terry([]).beta is None
    with pytest.raises(ValueError):
        bradley_terry([[0, 1]])


def test_intervals_of_strengths_draw_questions() -> None:
    """They hold the figure, do not depend on the order of questions, and say why there are none."""
    random = Random(7)
    questions = []
    for _ in range(30):
        first = [random.random() < chance for chance in (0.75, 0.8, 0.6)]
        questions.append([[0, first[0], first[1]], [not first[0], 0, first[2]], [not first[1], not first[2], 0]])
    total = [[sum(table[i][j] for table in questions) for j in range(3)] for i in range(3)]

    found = bradley_terry_intervals(questions, draws=200)

    elo = bradley_terry(total).elo or ()
    assert all((one.low or 0) < value < (one.high or 0) for one, value in zip(found, elo, strict=True))
    assert found == bradley_terry_intervals(questions[::-1], draws=200)
    assert all(one.low is None and one.why for one in bradley_terry_intervals(questions[:1]))
    assert bradley_terry_intervals([]) == []


# -------------------------------------------------------------------------------------------------------------------- length


def test_a_judge_that_likes_length_is_found_out() -> None:
    """The longer answer of equal models wins nine times of ten: controlled about .5; what length alone decides has no fit."""
    random = Random(5)
    by = [random.gauss(50, 100) for _ in range(300)]
    values = [float((step > 0) == (random.random() < 0.9)) for step in by]

    found = length_controlled(values, by)

    assert found is not None and found.phi is not None and found.rate is not None
    assert found.phi > 1 and found.raw > 0.6 and abs(found.rate - 0.5) < 0.08
    parted, alike = length_controlled([1, 1, 0, 0], [5, 4, -1, -2]), length_controlled([1, 0, 1], [7, 7, 7])
    assert parted is not None and parted.rate is None and parted.raw == 0.5 and "no end" in parted.why
    assert alike is not None and alike.rate is None and alike.why
    won = length_controlled([1, 1, 1], [1, 2, 3])
    assert won is not None and won.rate is None
    with pytest.raises(ValueError):
        length_controlled([1], [1, 2])


def test_the_interval_of_what_length_is_taken_from_rests_on_whole_conversations() -> None:
    """Every item three times over in its cluster says no more than once; without clusters it would seem to. Turned round, the
    interval is turned round; where length says nothing it is that of the clustered mean, by the slope of the logistic."""
    random = Random(7)
    by = [random.gauss(0, 50) for _ in range(40)]
    values = [float(random.random() < 0.4) for _ in by]
    once, thrice = length_controlled(values, by), length_controlled(values * 3, by * 3, [*range(40)] * 3)
    naive, turned = length_controlled(values * 3, by * 3), length_controlled([1 - one for one in values], [-one for one in by])

    def ends(found: object) -> tuple[float, float]:
        assert isinstance(found, LengthControlled) and found.low is not None and found.high is not None
        return found.low, found.high

    assert ends(thrice) == pytest.approx(ends(once), abs=2e-3) and ends(naive)[1] - ends(naive)[0] < 0.65 * (
        ends(once)[1] - ends(once)[0]
    )
    assert ends(turned) == pytest.approx((1 - ends(once)[1], 1 - ends(once)[0]))

    even, groups = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0] * 2, [n // 4 for n in range(16)]
    length = [1.0] * 8 + [-1.0] * 8
    plain, found = clustered_mean(even, groups), length_controlled(even, length, groups)
    low, _ = ends(found)
    assert found is not None and found.phi == pytest.approx(0) and plain.se is not None
    rate = plain.mean
    assert math.log(low / (1 - low)) == pytest.approx(
        math.log(rate / (1 - rate)) - student_t(0.975, 3) * plain.se / (rate * (1 - rate))
    )
    assert (alone := length_controlled(values, by, [1] * 40)) is not None and alone.low is None and alone.rate is not None
