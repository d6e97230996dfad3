"""Texts that look like a key: they are neither shown nor kept where keys do not belong."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"(?i:bearer|basic)\s+\S{8,}|(sk|pk|rk|gsk|csk|xai|hf|r8|nvapi|pplx|fw|tgp|ghp|glpat)[-_][A-Za-z0-9_-]{12,}|"
    r"AIza[0-9A-Za-z_-]{20,}|(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9]{32,}"
)


def looks_secret(text: str) -> bool:
    """Whether a text looks like a key: it is not shown then, and not kept where keys do not belong."""
    return bool(_SECRET.fullmatch(text.strip()))
