"""Result of reading one reply to a lettered question: a letter and how it was found, or none and why."""

from __future__ import annotations

from dataclasses import dataclass

CONTRADICTED = "text of another option"
"""What is noted of a letter beside which the reply gives the text of another option."""

SHARED = "also the text of another option"
"""What is noted of a bare letter that is one option's label and another option's text: the label counts."""


@dataclass(frozen=True, slots=True)
class LetterReading:
    """Result of reading one reply."""

    letter: str | None
    """A capital among the question's labels; None where the reply picks no option."""
    pattern: str
    """Name of the pattern that found the letter; `failed` where none did."""
    reason: str
    """Nothing with a letter, else `empty`, `ambiguous`, `refusal`, `truncated`, `truncated_reasoning` or `no_letter`."""
    note: str = ""
    """What a reader should know of a letter that counts all the same: `CONTRADICTED`, `SHARED`, or nothing."""


def no_letter(reason: str) -> LetterReading:
    """The reading of a reply that picks no option."""
    return LetterReading(None, "failed", reason)


@dataclass(frozen=True, slots=True)
class LetteredOptions:
    """Labels and option texts of a question, as far as a reader of its replies knows them."""

    labels: str
    """A, B, ... as many as it has options."""
    texts: tuple[str, ...]
    """The options as words (`plain.words_of`), in the order of the labels; none where they are not known."""

    def reading(self, letter: str, pattern: str) -> LetterReading:
        """This letter, or none where the question has no such label."""
        return LetterReading(letter, pattern, "") if letter in self.labels else no_letter("no_letter")
