"""Model text to what it means; no match is None with a reason, never a default."""

from __future__ import annotations


def zero_or_one(text: str | None) -> int | None:
    """A bare 0 or 1 around which only white space stands (spec 003 §14.3); anything else is None."""
    return {"0": 0, "1": 1}.get((text or "").strip())


def same_text(answer: str, truth: str, strip_whitespace: bool = True) -> bool:
    """Exact match of whole strings (spec 003 §14.2), white space at the ends ignored if asked."""
    return answer.strip() == truth.strip() if strip_whitespace else answer == truth


def lines_of(text: str) -> list[str]:
    """Lines without white space at their ends, empty ones dropped; split at \\r\\n, \\n and \\r only."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line.strip() for line in lines if line.strip()]
