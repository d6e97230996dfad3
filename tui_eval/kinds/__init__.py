"""The kinds of evaluation there are, by the name a config gives; each is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tui_eval.core.plugins import Later, Registry
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.kind_validation import problems_of


def _problems(name: str, brought: Any) -> Iterator[str]:
    """What is wrong with a kind that a package brings."""
    if not isinstance(brought, Kind):
        yield f"it is no Kind but {type(brought).__name__}"
    elif brought.name != name:
        yield f"it calls itself {brought.name!r}"
    else:
        yield from problems_of(brought)


def _panel() -> Kind:
    from tui_eval.kinds.panel import PANEL

    return PANEL


def _choice() -> Kind:
    from tui_eval.kinds.choice import CHOICE

    return CHOICE


def _generate() -> Kind:
    from tui_eval.kinds.generate import GENERATE

    return GENERATE


def _chat() -> Kind:
    from tui_eval.kinds.chat import CHAT

    return CHAT


def _pipeline() -> Kind:
    from tui_eval.kinds.pipeline import PIPELINE

    return PIPELINE


def _graph() -> Kind:
    from tui_eval.kinds.graph import GRAPH

    return GRAPH


def _call() -> Kind:
    from tui_eval.kinds.call import CALL

    return CALL


_OURS = {
    "panel": Later(_panel),
    "choice": Later(_choice),
    "generate": Later(_generate),
    "chat": Later(_chat),
    "pipeline": Later(_pipeline),
    "graph": Later(_graph),
    "call": Later(_call),
}
KINDS: Registry[Kind] = Registry("tui_eval.kinds", "kind", _problems, _OURS)
