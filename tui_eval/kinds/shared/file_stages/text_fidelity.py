"""How much of a file's own words a text made of it has kept, measured against a reference text (METHOD.md 5.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui_eval.core.kinds import Metric
from tui_eval.reading.folding import folded
from tui_eval.results.sums.metrics import NO_END
from tui_eval.statistics.edit_distance import character_error_rate, word_error_rate

CHARACTERS = Metric("character_error_rate", 0, NO_END, better="lower", threshold=0.05)
WORDS = Metric("word_error_rate", 0, NO_END, better="lower", threshold=0.05)
SURVIVED = Metric("answers_survived")
"""The share of the reference answers that stand in the file word for word and stand in the text, too."""
NO_ANSWER = "no answer stands in the reference text"


def fidelity(reference: str, text: str | None, answers: Sequence[str] | None) -> Iterator[tuple[Metric, float | None, str]]:
    """(metric, value, why there is none) of a text; of no text (None) no values, for a reason that others know.

    `answers`: the reference answers to the questions about the file; None where nothing is asked about it.
    """
    for metric, rate in ((CHARACTERS, character_error_rate), (WORDS, word_error_rate)):
        value = None if text is None else rate(reference, text)
        yield metric, None if value is None else min(value, NO_END), ""
    if answers is not None:
        share = None if text is None else survived(answers, reference, text)
        yield SURVIVED, share, "" if share is not None or text is None else NO_ANSWER


def survived(answers: Sequence[str], reference: str, text: str) -> float | None:
    """Of the answers that stand in the reference text, folded, the share that stands in the text, too; None where none does."""
    whole, kept = folded(reference).fold, folded(text).fold
    strings = [fold for answer in answers if (fold := folded(answer).fold.rstrip(" .")) and fold in whole]
    return sum(fold in kept for fold in strings) / len(strings) if strings else None
