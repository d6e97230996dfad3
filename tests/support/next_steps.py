"""Failures of laws that something new does not meet yet: which file to edit, and what to add."""

from __future__ import annotations

from collections.abc import Iterable


def check_none_missing(missing: Iterable[str], step: str) -> None:
    """Fail with a sentence for each name that is missing somewhere; `step` has {name} where the name stands."""
    steps = [step.format(name=name) for name in sorted(missing)]
    if steps:
        raise AssertionError("\n".join(steps))
