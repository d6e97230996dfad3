"""What judges said of an answer, as its score keeps it: each judge's mark with its reason, or the claims it found."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tui_eval.results.sums.metrics import amount


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of one judge. Texts are foreign."""

    judge: str
    mark: float | None
    reason: str
    claims: tuple[tuple[str, str, str], ...] = ()
    """Of each claim: its verdict, the claim, the words that bear it out or contradict it."""


def judgements(read: str | None) -> list[Judgement]:
    """What `Score.read` holds of them; none where it holds anything else."""
    try:
        found = json.loads(read or "")
    except (ValueError, RecursionError):
        return []
    marks, details = (found.get(name) if isinstance(found, dict) else None for name in ("marks", "details"))
    marks, details = (one if isinstance(one, dict) else {} for one in (marks, details))
    return [_judgement(judge, marks.get(judge), details.get(judge)) for judge in dict.fromkeys((*marks, *details))]


def _judgement(judge: str, mark: object, detail: object) -> Judgement:
    entries = [entry for entry in detail if isinstance(entry, dict)] if isinstance(detail, list) else []
    claims = tuple(tuple(str(entry.get(name) or "") for name in ("verdict", "claim", "quote")) for entry in entries)
    return Judgement(judge, amount(mark), detail if isinstance(detail, str) else "", claims)  # type: ignore[arg-type]
