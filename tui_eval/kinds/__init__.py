"""The kinds of evaluation there are, by the name a config gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tui_eval.core.plugins import Registry
from tui_eval.kinds.call import CALL
from tui_eval.kinds.chat import CHAT
from tui_eval.kinds.choice import CHOICE
from tui_eval.kinds.generate import GENERATE
from tui_eval.kinds.graph import GRAPH
from tui_eval.kinds.panel import PANEL
from tui_eval.kinds.pipeline import PIPELINE
from tui_eval.kinds.shared.kind import Kind
from tui_eval.kinds.shared.soundness import problems_of


def _problems(name: str, brought: Any) -> Iterator[str]:
    """What is wrong with a kind that a package brings."""
    if not isinstance(brought, Kind):
        yield f"it is no Kind but {type(brought).__name__}"
    elif brought.name != name:
        yield f"it calls itself {brought.name!r}"
    else:
        yield from problems_of(brought)


_OURS = (PANEL, CHOICE, GENERATE, CHAT, PIPELINE, GRAPH, CALL)
KINDS: Registry[Kind] = Registry("tui_eval.kinds", "kind", _problems, {kind.name: kind for kind in _OURS})
