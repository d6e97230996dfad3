"""Choices between models added up, and what is known of a judge in words: each sentence has its n, or says why not."""

from __future__ import annotations

from random import Random

import pytest

from tui_eval.core.kinds import Metric
from tui_eval.evaluation.judging.pairwise_preference import JudgedPair, choice_sums
from tui_eval.results.sums import judge_in_words as words
from tui_eval.results.sums.person_checks import CheckedAnswer, person_check
from tui_eval.statistics.judge_bias import length_correlation, self_preference
from tui_eval.statistics.judge_noise import judge_noise
from tui_eval.statistics.pairwise_choices import Choice, swapped_choices
from tui_eval.statistics.rater_agreement import kappa_interval, krippendorff_alpha, krippendorff_interval, pair_agreement

SCALE = (1, 2, 3, 4, 5)
GROUNDED = Metric("groundedness", 1, 5, threshold=3)


def judged(n: int, random: Random) -> list[JudgedPair]:
    """So many conversations in which strong beats middling beats weak, mostly; one reply in twenty is unread."""
    found = []
    for i in range(n):
        for a, b in (("strong", "middling"), ("weak", "strong"), ("middling", "weak")):
            better: Choice = "B" if a == "weak" else "A"
            worse: Choice = "A" if better == "B" else "B"
            said: list[Choice | None] = [better if random.random() < 0.75 else worse for _ in range(2)]
            first = None if random.random() < 0.05 else said[0]
            found.append(JudgedPair(a, b, first, said[1], i // 2, random.gauss(20, 50)))
    return found


def test_choices_rank_models_whichever_way_pairs_are_named() -> None:
    """Each pair with its n and what is missing; strengths in order; pairs in another order or turned round change nothing."""
    rows, models = judged(40, Random(2)), ("strong", "middling", "weak")
    turn: dict[Choice | None, Choice | None] = {"A": "B", "B": "A", "tie": "tie", None: None}
    turned = [
        JudgedPair(one.b, one.a, turn[one.b_first], turn[one.a_first], one.conversation, -one.longer_by)
        for one in reversed(rows)
        if one.longer_by is not None
    ]

    found, again = choice_sums(rows, models, draws=100), choice_sums(turned, models, draws=100)

    assert list(found.pairs) == [("strong", "middling"), ("strong", "weak"), ("middling", "weak")]
    assert all(one.n + one.left_out == 40 and (one.win_rate or 0) > 0.5 for one in found.pairs.values())
    elo = found.strengths.elo or ()
    assert list(elo) == sorted(elo, reverse=True) and sum(elo) == pytest.approx(3000)
    assert found.strengths.n == found.overall.n == sum(one.n for one in found.pairs.values())
    even = [one.by_length["strong", "weak"] for one in (found, again)]
    assert even[0] is not None and even[1] is not None and even[0].n == found.pairs["strong", "weak"].n
    assert (even[0].rate, even[0].low, even[0].high) == pytest.approx((even[1].rate, even[1].low, even[1].high))
    assert again.pairs == found.pairs and again.strengths.elo == pytest.approx(elo) and again.intervals == found.intervals
    assert {interval.clusters for interval in found.intervals} == {20}


def test_no_choice_is_no_tie() -> None:
    """Nothing read: no strengths and no win rate; a model beside itself is a bug of the caller."""
    found = choice_sums([JudgedPair("a", "b", None, "A", 1)], ("a", "b"))

    assert (found.overall.n, found.overall.left_out, found.strengths.beta) == (0, 1, None) and found.intervals[0].why
    for pair in (("a", "a"), ("a", "x")):
        with pytest.raises(ValueError):
            choice_sums([JudgedPair(*pair, "A", "A", 1)], ("a", "b"))


def test_what_is_known_is_said_with_its_n() -> None:
    """A figure, its interval and what it rests on, for each."""
    random = Random(6)
    a = [random.choice(SCALE) for _ in range(60)]
    b = [min(5, x + random.choice((0, 0, 1))) for x in a]
    lengths = [100 * x + random.randint(0, 50) for x in a]
    answers = [CheckedAnswer(i, f, y if i < 35 else None) for i, (y, f) in enumerate(zip(a, b, strict=True))]

    said = [
        words.noise_words(judge_noise(list(zip(a, b, strict=True)), threshold=3)),
        words.agreement_words(pair_agreement(a, b, SCALE), kappa_interval(a, b, SCALE, draws=100)),
        words.alpha_words(krippendorff_alpha([a, b]), krippendorff_interval([a, b], draws=100)),
        words.person_words(person_check(answers, GROUNDED)),
        words.length_words(length_correlation([i // 3 for i in range(60)], a, lengths, draws=100)),
        words.self_preference_words("sim-a", self_preference([[[5, 3], [4, 4]], [[5, 2], [4, 4]]], [0, 1])[0]),
        words.position_words(swapped_choices([("A", "B")] * 9)),
    ]

    starts = ["noise 0.", "", "alpha 0.", "judge ", "longer answers get better marks", "sim-a no preference", "the same choice"]
    for sentence, start, n in zip(said, starts, ("60", "60", "60", "35", "60", "2 q", "9"), strict=True):
        assert sentence.startswith(start) and n in sentence and ("[" in sentence or "9" in sentence), sentence
    assert "more lenient" in said[1] and "corrected" in said[3] and "prefers what stands first" in said[6]


def test_what_is_not_known_says_why() -> None:
    """No figure is made up, and none is 0 for want of marks."""
    said = [
        words.noise_words(judge_noise([(4, None)])),
        words.agreement_words(pair_agreement([4, 4], [4, 4], SCALE), kappa_interval([], [], SCALE)),
        words.agreement_words(pair_agreement([4], [None], SCALE), kappa_interval([], [], SCALE)),
        words.alpha_words(krippendorff_alpha([[1], [None]]), krippendorff_interval([[1], [None]])),
        words.person_words(person_check([CheckedAnswer(1, 4, 5)], GROUNDED)),
        words.length_words(length_correlation([1], [4], [9])),
        words.self_preference_words("sim-a", self_preference([[[5, 3]]], [0])[0]),
        words.position_words(swapped_choices([])),
    ]

    wanted = (
        "two marks",
        "throughout",
        "both marks",
        "two marks",
        "this set has 1 conversation",
        "two marked",
        "one judge",
        "no answer",
    )
    for sentence, why in zip(said, wanted, strict=True):
        assert why in sentence and "0.00" not in sentence, sentence


def test_low_coverage_is_warned_of() -> None:
    """Below 95 %, what is alike once; of nothing, and from 95 % on, no word."""
    full = [("fluency", "a", 95, 100), ("fluency", "b", 19, 20), ("claims", "a", 0, 0)]
    few = [("fluency", "a", 94, 100), ("fluency", "b", 20, 20), ("relevance", "a", 94, 100), ("claims", "b", 1, 2_000)]

    assert words.coverage_words([]) == words.coverage_words(full) == ""
    assert words.coverage_words([*full, *few]) == (
        "Fewer than 95 % have a mark, the others may be of another sort: fluency, relevance: a 94 of 100 (94.0 %); claims: b 1"
        " of 2,000 (0.1 %)."
    )
