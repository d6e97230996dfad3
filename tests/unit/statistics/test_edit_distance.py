"""Edit distance against its definition, and the error rates of METHOD.md 5.5."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_eval.statistics.edit_distance import character_error_rate, edit_distance, word_error_rate

WORDS = st.text("abc", max_size=12)


def by_definition(first: str, second: str) -> int:
    row = list(range(len(second) + 1))
    for i, one in enumerate(first, 1):
        new = [i]
        for j, other in enumerate(second, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (one != other)))
        row = new
    return row[-1]


@given(WORDS, WORDS)
def test_it_is_the_least_number_of_changes(first: str, second: str) -> None:
    assert edit_distance(first, second) == by_definition(first, second) == edit_distance(second, first)


def test_long_texts_take_no_long_time() -> None:
    """Sequences of other things than characters, too."""
    words = [f"w{n % 97}" for n in range(20_000)]

    assert edit_distance(words, [*words[:100], "new", *words[101:]]) == 1


def test_the_cases_of_the_method() -> None:
    """Above 1 as it is; no reference, no rate; white space and composition say nothing, case does."""
    cases = [("kitten sitting", "kitten sitten", 2 / 14, 1 / 2), ("a b", "a x b y", 4 / 3, 2 / 2), ("word", "", 1, 1)]

    for reference, text, by_character, by_word in cases:
        assert (character_error_rate(reference, text), word_error_rate(reference, text)) == (by_character, by_word)
    assert character_error_rate(" \n", "x") is None is word_error_rate("", "x")
    assert character_error_rate("Ga\u0308nse  und\nEnten", "G\u00e4nse und Enten ") == 0.0 < character_error_rate("A", "a")  # type: ignore[operator]
