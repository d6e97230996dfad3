"""The last look at what goes to the terminal: a strip's text holds no control character, whoever put it there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rich.cells import cell_len
from rich.segment import Segment
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.strip import Strip

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def cleaned(update: Any) -> Any:
    """An update of the screen whose texts cannot steer the terminal. Every `safe` text passes unchanged."""
    if isinstance(update, LayoutUpdate):
        update.strips = [[_clean(strip) for strip in line] for line in update.strips]
    elif isinstance(update, ChopsUpdate):
        update.chops = [{x: strip and _clean(strip) for x, strip in line.items()} for line in update.chops]
    return update


def _clean(strip: Strip) -> Strip:
    if not any(_CONTROL.search(segment.text) for segment in strip if not segment.control):
        return strip
    return Strip(_cleaned_segments(strip), strip.cell_length)


def _cleaned_segments(strip: Iterable[Segment]) -> list[Segment]:
    return [s if s.control else Segment(_CONTROL.sub(_sign, s.text), s.style) for s in strip]


def _sign(found: re.Match[str]) -> str:
    """As wide as the character was counted, so that nothing beside it moves."""
    return "\ufffd" * cell_len(found.group())
