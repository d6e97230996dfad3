"""Which option a reply to a multiple-choice question picked: by the robust rule, FormationEval's, or a person's own."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.reading.letters.literal import read_literally
from tui_eval.reading.letters.outcome import CONTRADICTED, SHARED, Reading, no_letter
from tui_eval.reading.letters.own import read_by_patterns
from tui_eval.reading.letters.robust import read_robustly

__all__ = ["CONTRADICTED", "EXTRACTIONS", "PATTERNS", "SHARED", "VERSIONS", "Reading", "read_letter"]

EXTRACTIONS = ("robust", "formationeval-v0.1")
"""The shipped rules by which a letter can be read: what the reply says, or what the code of FormationEval v0.1 makes of it."""
VERSIONS = {"robust": "3", "formationeval-v0.1": "1"}
"""Of each shipped rule: another version may read another letter from the same reply."""
PATTERNS = "patterns"
"""The rule that a person makes of regular expressions."""


def read_letter(
    text: str | None,
    n_options: int,
    options: Sequence[str] = (),
    rule: str = "robust",
    patterns: Sequence[str] = (),
    fallback: str = "none",
    finished: bool | None = None,
) -> Reading:
    """The option that a reply picked among the first `n_options` of A-Z (2 to 26).

    `options` are the option texts in the order in which they were shown, where they are known: a reply may repeat a text
    instead of its letter. `robust` prefers no letter over a wrong one and keeps the case of letters; `formationeval-v0.1`
    gives what that benchmark published, its misreadings included; `patterns` tries these regular expressions, then the rule
    that is named as `fallback`, if any is. `finished`: whether the reply came to its end (None: not known); of a reply that
    was cut, `robust` takes only a letter that is declared. Raises ValueError for another rule.
    """
    if rule == "robust":
        return read_robustly(text or "", n_options, options, finished)
    if rule == "formationeval-v0.1":
        return read_literally(text or "", n_options)
    if rule != PATTERNS:
        raise ValueError(f"unknown rule {rule!r}; known: {', '.join((*EXTRACTIONS, PATTERNS))}")
    reading = read_by_patterns(text or "", n_options, patterns)
    if reading.letter is None and fallback != "none":
        return read_letter(text, n_options, options, fallback, finished=finished)
    if reading.letter is None and finished is False and reading.reason != "truncated_reasoning":
        return no_letter("truncated")
    return reading
