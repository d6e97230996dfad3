"""Of which kinds a run's replies can be read by another rule, for the app, which knows no kind."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.kinds import ReadingRules
from tui_eval.kinds import KINDS


def rules_by_kind() -> Mapping[str, ReadingRules]:
    """The rules of each kind that has any, by the kind's name."""
    return {kind.name: kind.rules for kind in KINDS.values() if kind.rules is not None}
