"""Edit distance against its definition, and the error rates of METHOD.md 5.5."""

from __future__ import annotations

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.statistics.edit_distance import (
    character_edits,
    character_error_rate,
    edit_distance,
    plain,
    pooled_rate,
    word_edits,
    word_error_rate,
)

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


TEXTS = st.lists(st.text("ab c\u0308\u00e4\n", max_size=15), min_size=1, max_size=5)


@given(TEXTS, st.data())
def test_the_rates_are_those_of_jiwer(references: list[str], data: st.DataObject) -> None:
    """Of one text, and of a corpus, whose changes and lengths add up; of references with something in them."""
    references = [one for one in map(plain, references) if one] or ["a"]
    texts = data.draw(
        st.lists(st.text("ab c\u00e4", max_size=15).map(plain), min_size=len(references), max_size=len(references))
    )
    pairs = list(zip(references, texts, strict=True))

    for reference, text in pairs:
        assert character_error_rate(reference, text) == pytest.approx(jiwer.cer(reference, text))
        assert word_error_rate(reference, text) == pytest.approx(jiwer.wer(reference, text))
    assert pooled_rate(character_edits(*pair) for pair in pairs) == pytest.approx(jiwer.cer(references, texts))
    assert pooled_rate(word_edits(*pair) for pair in pairs) == pytest.approx(jiwer.wer(references, texts))
    assert pooled_rate([]) is None
