"""The share of a file's own words that a text made of it has kept, measured against a reference text (METHOD.md 5.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tui_eval.core.kinds import Metric
from tui_eval.reading.bare_text import bare
from tui_eval.reading.whole_words import stands_in
from tui_eval.results.sums.metrics import NO_END
from tui_eval.statistics.edit_distance import Edits, character_edits, word_edits

CHARACTERS = Metric("character_error_rate", 0, NO_END, better="lower", threshold=0.05)
WORDS = Metric("word_error_rate", 0, NO_END, better="lower", threshold=0.05)
SURVIVED = Metric("answers_survived")
"""The share of the reference answers that stand in the file word for word and stand in the text, too."""
NO_ANSWER = "no answer stands in the reference text"


SURVIVED_BY = "survived/2"
"""The rule by which answers are found: whole words, numbers by value. Before, they were looked for letter by letter."""


@dataclass(frozen=True, slots=True)
class TextEdits:
    """The edits that turn a reference into a text: as both stand there, and without mark-up and what only looks different."""

    characters: Edits
    words: Edits
    bare_characters: Edits
    bare_words: Edits


@lru_cache(maxsize=64)
def edits_of(reference: str, text: str) -> TextEdits:
    """Counted once for texts that are looked at again and again while their source goes on."""
    characters, words = character_edits(reference, text), word_edits(reference, text)
    bare_texts = bare(reference), bare(text)
    if bare_texts == (reference, text):
        return TextEdits(characters, words, characters, words)
    return TextEdits(characters, words, character_edits(*bare_texts), word_edits(*bare_texts))


def fidelity(reference: str, text: str | None, answers: Sequence[str] | None) -> Iterator[tuple[Metric, float | None, str]]:
    """(metric, value, why there is none) of a text; of no text (None) no values, for a reason that others know.

    `answers`: the reference answers to the questions about the file; None where nothing is asked about it.
    """
    edits = None if text is None else edits_of(reference, text)
    yield CHARACTERS, None if edits is None else _within(edits.characters.rate), ""
    yield WORDS, None if edits is None else _within(edits.words.rate), ""
    if answers is not None:
        share = None if text is None else survived(answers, reference, text)
        yield SURVIVED, share, "" if share is not None or text is None else NO_ANSWER


def _within(rate: float | None) -> float | None:
    return None if rate is None else min(rate, NO_END)


def survived(answers: Sequence[str], reference: str, text: str) -> float | None:
    """Of the answers that stand in the reference text, the share that stands in the text, too; None where none does."""
    present = [answer for answer in answers if stands_in(answer, reference, reference)]
    return sum(bool(stands_in(answer, text, reference)) for answer in present) / len(present) if present else None
