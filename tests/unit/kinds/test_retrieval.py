"""Laws of the search: so many passages, in their order, the one with the rare words of the question among them."""

from __future__ import annotations

import random

from tui_eval.kinds.chat.conversation_selection import best_passages

WORDS = ["harbour", "gate", "keeper", "bell", "crown", "mast", "rope", "tide", "fog", "pilot", "ladder", "berth"]


def test_so_many_as_are_wanted_come_in_the_order_of_the_text() -> None:
    dice = random.Random(2)
    for _ in range(60):
        passages = [" ".join(dice.choices(WORDS, k=dice.randint(0, 30))) for _ in range(dice.randint(0, 12))]
        n = dice.randint(1, 14)

        found = best_passages(" ".join(dice.choices(WORDS, k=4)), passages, n)

        assert found == sorted(set(found)) and len(found) == min(n, len(passages))


def test_the_passage_with_a_rare_word_of_the_question_is_among_them() -> None:
    """However often the common words stand elsewhere, and in whatever case; of scripts without blanks by characters."""
    dice = random.Random(3)
    for rare in ("zephyr", "ZEPHYR", "港"):
        passages = [" ".join(dice.choices(WORDS, k=40)) for _ in range(30)]
        place = dice.randrange(30)
        passages[place] = f"{passages[place]} {'港口' if rare == '港' else 'Zephyr'}"

        assert best_passages(f"Is there a {rare} at the harbour gate?", passages, 1) == [place]


def test_a_question_that_shares_nothing_gets_the_first_ones() -> None:
    assert best_passages("??", ["a b", "c d", "e f"], 2) == [0, 1]
