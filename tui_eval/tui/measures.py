"""Where answers were scored by several metrics: which of them a screen shows, all at first, and what it says of it."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe_line

MEASURE = bind("measure.next", "screen.measure", "Measure", tooltip="Show the next metric alone; after the last one all again")


def turned(chosen: int | None, many: int) -> int | None:
    """The measure after the chosen one; None is all of them, before the first and after the last."""
    after = 0 if chosen is None else chosen + 1
    return after if after < many > 1 else None


def shown(chosen: int | None, names: Sequence[str]) -> str:
    """Which measure is shown; empty where there is nothing to choose."""
    if len(names) < 2:
        return ""
    which = "all" if chosen is None else f"{safe_line(names[chosen], 20)}, {chosen + 1} of"
    return f"{which} {len(names)} measures"
