"""Every sentence that says what persons' ratings show so far, or what they lack: one table, each tried by simulation.

tests/laws/test_true_rating_sentences.py has a trial for each of them.
"""

from __future__ import annotations

from typing import Final, Literal

Sentence = Literal["of_each", "enough", "too_few", "more_marks", "enough_marks", "too_few_talks", "width", "alike", "persons"]

SENTENCES: Final[dict[Sentence, str]] = {
    "of_each": "{missing} more for a certificate",
    "enough": "{least} of each are there",
    "too_few": "this run has {n} to rate, a certificate takes {least} of each",
    "more_marks": "{missing} more for a correction",
    "enough_marks": "as many as a correction takes",
    "too_few_talks": "this run has {n}, a correction takes {conversations}",
    "width": "corrected {what} ±{half} at {n}",
    "alike": "{share} alike{kappa} over {n}",
    "persons": "{a} and {b}: {share} alike{kappa} over {n} that both rated",
}


def say(name: Sentence, **fields: object) -> str:
    """A sentence of the table with its fields filled in."""
    return SENTENCES[name].format(**fields)
