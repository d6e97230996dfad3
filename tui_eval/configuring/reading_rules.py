"""Of which kinds a run's replies can be read by another rule, for the app, which knows no kind."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.kinds import ReadingRules
from tui_eval.kinds import KINDS


def rules_by_kind(also: str = "") -> Mapping[str, ReadingRules]:
    """The rules of each of our kinds that has any, and of one more if a plug-in brings it, by the kind's name."""
    known = {**KINDS, also: KINDS[also]} if also in KINDS else KINDS
    return {kind.name: kind.rules for kind in known.values() if kind.rules is not None}
