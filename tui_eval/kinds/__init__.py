"""Registry of the kinds of evaluation, by the name a config gives; each is loaded at its first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tui_eval.core.plugins import Lazy, Registry
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.kind_validation import problems_of


def _problems(name: str, kind: Any) -> Iterator[str]:
    """Yield the problems of a kind that a package brings."""
    if not isinstance(kind, Kind):
        yield f"it is not a Kind but a {type(kind).__name__}"
    elif kind.name != name:
        yield f"it calls itself {kind.name!r}"
    else:
        yield from problems_of(kind)


_OURS: Mapping[str, Lazy[Kind]] = {
    "panel": Lazy("tui_eval.kinds.panel:PANEL"),
    "choice": Lazy("tui_eval.kinds.choice:CHOICE"),
    "generate": Lazy("tui_eval.kinds.generate:GENERATE"),
    "chat": Lazy("tui_eval.kinds.chat:CHAT"),
    "pipeline": Lazy("tui_eval.kinds.pipeline:PIPELINE"),
    "graph": Lazy("tui_eval.kinds.graph:GRAPH"),
    "qa": Lazy("tui_eval.kinds.qa:QA"),
    "call": Lazy("tui_eval.kinds.call:CALL"),
}
KINDS: Registry[Kind] = Registry("tui_eval.kinds", "kind", _problems, _OURS)
