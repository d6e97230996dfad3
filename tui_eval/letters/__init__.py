"""Which option a reply to a multiple-choice question picked, by either of two rules: the robust one or FormationEval's."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.letters.literal import read_literally
from tui_eval.letters.outcome import Reading
from tui_eval.letters.robust import read_robustly

__all__ = ["EXTRACTIONS", "Reading", "read_letter"]

EXTRACTIONS = ("robust", "formationeval-v0.1")
"""The rules by which a letter can be read: what the reply says, or what the code of FormationEval v0.1 makes of it."""


def read_letter(text: str | None, n_options: int, options: Sequence[str] = (), rule: str = "robust") -> Reading:
    """The option that a reply picked among the first `n_options` of A-Z (2 to 26).

    `options` are the option texts in the order in which they were shown, where they are known: a reply may repeat a text
    instead of its letter. `robust` prefers no letter over a wrong one and keeps the case of letters; `formationeval-v0.1`
    gives what that benchmark published, its misreadings included. Raises ValueError for another rule.
    """
    if rule == "robust":
        return read_robustly(text or "", n_options, options)
    if rule == "formationeval-v0.1":
        return read_literally(text or "", n_options)
    raise ValueError(f"unknown rule {rule!r}; known: {', '.join(EXTRACTIONS)}")
