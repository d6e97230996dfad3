"""What was read out of one reply to a lettered question: a letter and how it was found, or none and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of one reply."""

    letter: str | None
    """A capital among the question's labels; None where the reply picks no option."""
    pattern: str
    """Name of the pattern that found the letter; `failed` where none did."""
    reason: str
    """Nothing with a letter, else `empty`, `ambiguous`, `refusal`, `truncated_reasoning` or `no_letter`."""


def no_letter(reason: str) -> Reading:
    """The reading of a reply that picks no option."""
    return Reading(None, "failed", reason)
