"""Consistency of several answers to one question: how often they pass, and where the spread comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.statistics.estimates import Repeats, mean, pass_at_k, pass_hat_k, repeats


@dataclass(frozen=True, slots=True)
class Consistency:
    """Over the questions that have several answers with a score."""

    questions: int
    repeats: Repeats
    """Mean and variances by question, over every question with a score."""
    k: int
    """Answers that every one of these questions has."""
    pass_at: float | None
    """Chance that at least one of k answers passes (pass@k, unbiased; arXiv 2107.03374)."""
    pass_hat: float | None
    """Chance that all k answers pass (pass^k; arXiv 2406.12045)."""


def consistency(scores: Sequence[Sequence[float]], passed: Sequence[Sequence[bool]]) -> Consistency | None:
    """From the scores by question, and which of them pass (nothing where their metric does not say); None without repeats."""
    several = [answers for answers in scores if len(answers) > 1]
    spread = repeats(scores)
    if not several or spread is None:
        return None
    k = min(map(len, several))
    counts = [(len(answers), sum(answers)) for answers in passed if len(answers) > 1]
    return Consistency(
        questions=len(several),
        repeats=spread,
        k=k,
        pass_at=mean([share for n, c in counts if (share := pass_at_k(n, c, k)) is not None]),
        pass_hat=mean([share for n, c in counts if (share := pass_hat_k(n, c, k)) is not None]),
    )
