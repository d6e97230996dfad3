"""Choices between models added up, and what is known of a judge in words: each sentence has its n, or says why not."""

from __future__ import annotations

from random import Random

import pytest

from tui_eval.core.kinds import Metric
from tui_eval.evaluation.judging.pairwise_preference import JudgedPair, choice_sums
from tui_eval.results.sums import judge_in_words as words
from tui_eval.results.sums.person_checks import CheckedAnswer, person_check
from tui_eval.statistics.judge_bias import length_correlation, partial_length_correlation, self_preference
from tui_eval.statistics.judge_ladder import judge_ladder
from tui_eval.statistics.judge_noise import judge_noise
from tui_eval.statistics.judge_outliers import beside_others
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
        words.self_preference_words("sim-a", ["m"], self_preference([[[5, 3], [4, 4]], [[5, 2], [4, 4]]], [[0], [1]])[0]),
        words.position_words(swapped_choices([("A", "B")] * 9)),
        words.length_beside_words(partial_length_correlation(b, lengths, a, range(60), 100)),
        words.ladder_words("sim-a", judge_ladder([[5, 4, 3, 2, 1]] * 9, 5)),
        words.beside_words("sim-a", beside_others([a, b, a[::-1]], range(60), 100)[2], 0.4, 0.8),
    ]

    starts = ["noise 0.", "", "alpha 0.", "judge ", "longer answers get better scores", "sim-a: no preference",
              "the same choice", "no lean towards length is shown beside human ratings", "sim-a is usable: orders 100 % [",
              "sim-a agrees less with the others than they with each other: rank correlation "]  # fmt: skip
    numbers = ("60", "60", "60", "35", "60", "2 q", "9", "60", "9 texts", "60")
    for sentence, start, n in zip(said, starts, numbers, strict=True):
        assert sentence.startswith(start) and n in sentence and ("[" in sentence or "9" in sentence), sentence
    assert (
        "more lenient" in said[1]
        and "corrected" in said[3]
        and said[6].endswith(
            "where they contradict each other it took what stood first in 9 of 9 (p 0.004): it prefers what stands first"
        )
    )
    assert said[5].endswith("scale points (2 questions, beside 1 judge of another family)") and "0.80 without it" in said[9]


def test_what_is_not_known_says_why() -> None:
    """No figure is made up, and none is 0 for want of marks."""
    said = [
        words.noise_words(judge_noise([(4, None)])),
        words.agreement_words(pair_agreement([4, 4], [4, 4], SCALE), kappa_interval([], [], SCALE)),
        words.agreement_words(pair_agreement([4], [None], SCALE), kappa_interval([], [], SCALE)),
        words.alpha_words(krippendorff_alpha([[1], [None]]), krippendorff_interval([[1], [None]])),
        words.person_words(person_check([CheckedAnswer(1, 4, 5)], GROUNDED)),
        words.length_words(length_correlation([1], [4], [9])),
        words.self_preference_words("sim-a", ["m"], self_preference([[[5, 3]]], [[0]])[0]),
        words.position_words(swapped_choices([])),
        words.length_beside_words(partial_length_correlation([4], [9], [4], [1])),
        words.ladder_words("sim-a", judge_ladder([])),
        words.beside_words("sim-a", beside_others([[4, 4]] * 3, [1, 2])[0], None, None),
    ]

    wanted = ("two scores", "throughout", "both scores", "two scores", "1 conversation:", "two scored", "one judge",
              "no answer", "it takes 12", "every step has no score", "no rank correlation over 2 answers")  # fmt: skip
    for sentence, why in zip(said, wanted, strict=True):
        assert why in sentence and "0.00" not in sentence, sentence


def test_a_place_that_is_not_shown_to_be_preferred_is_said_with_its_count() -> None:
    """Where choices contradict each other; where none does there is nothing to say."""
    choices: list[tuple[Choice | None, Choice | None]] = [("A", "B")] * 2 + [("B", "A")] * 3 + [("A", "A")] * 15
    assert words.position_words(swapped_choices(choices)) == (
        "the same choice in both orders: 75 % of 20; where they contradict each other it took what stood second in 3 of 5"
        " (p 1.000): no preference for a place is shown"
    )
    assert words.position_words(swapped_choices(choices[5:])) == "the same choice in both orders: 100 % of 15"


def test_an_undecided_ladder_names_steps_and_what_the_judge_can_do() -> None:
    """Steps that are not told apart; yes/no as a clause of a judge that is not usable otherwise; a step without a mark."""
    pure, random = judge_ladder([[5, 1, 1, 1, 1]] * 10, 5), judge_ladder([[5, 1, 1, 1, 1]] * 9 + [[4, 1, 1, 1, 1]], 5)
    said, less = words.ladder_words("judge", pure), words.ladder_words("judge", random)

    assert said.startswith("judge is undecided: orders 70 % [") and said.endswith(
        "over 10 texts (mean score 5.00, 1.00, 1.00, 1.00, 1.00 where 0, 25, 50, 75, 98 % is replaced); 50 of 50 scores parsed;"
        " 25 and 50 %, 50 and 75 %, 75 and 98 % are not distinguished; usable for yes/no questions: every whole text got 5,"
        " every other less"
    )
    assert "yes/no" not in less
    assert words.ladder_words("judge", judge_ladder([[5, 4, None, 2, 1]] * 4, 5)).startswith(
        "judge is undecided: 50 % has no score, over 4 texts (mean score 5.00, 4.00, -, 2.00, 1.00 where "
    )
    assert words.ladder_words("judge", judge_ladder([[3, 3, 3, 3, 3]] * 4, 5)).startswith("judge is not usable: orders 50 % [")


def test_who_leads_by_a_judge_alone_is_said_where_it_differs() -> None:
    """Judges that say the same stand together; nothing where all agree."""
    assert words.leader_words([("a", "x"), ("b", "x")], "x") == "" == words.leader_words([("a", None)], None)
    assert words.leader_words([("a", "y"), ("b", None), ("c", "y")], None) == (
        "by a or c alone y leads; by all no leader is shown"
    )
    assert words.leader_words([("a", "x"), ("b", None)], "x") == "by b alone no leader is shown; by all x leads"


def test_low_coverage_is_warned_of() -> None:
    """Below 95 %, what is alike once; of nothing, and from 95 % on, no word."""
    full = [("fluency", "a", 95, 100), ("fluency", "b", 19, 20), ("claims", "a", 0, 0)]
    few = [("fluency", "a", 94, 100), ("fluency", "b", 20, 20), ("relevance", "a", 94, 100), ("claims", "b", 1, 2_000)]

    assert words.coverage_words([]) == words.coverage_words(full) == ""
    assert words.coverage_words([*full, *few]) == (
        "Fewer than 95 % have a score, the others may be of another sort: fluency, relevance: a 94 of 100 (94.0 %); claims: b 1"
        " of 2,000 (0.1 %)."
    )
