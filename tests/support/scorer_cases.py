"""Replies and rows for the tests of scorers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tui_eval.core.calls import Call, Reply, Usage
from tui_eval.core.results import Score
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.rule import ScorerRow
from tui_eval.evaluation.scoring.scorer_table import row_of
from tui_eval.evaluation.scoring.scoring import score

CALL = Call("answer", "s1", "one", ())


def reply_of(text: str | None, **more: Any) -> Reply:
    """A reply with a text; `more`: its other fields."""
    return Reply(CALL, "ok", text, **{"latency_ms": 250, "usage": Usage(cost_usd=0.001), **more})


def failed(kind: Any) -> Reply:
    """A reply without a text, for this reason."""
    return Reply(CALL, "error", error_kind=kind)


def expected_of(targets: str | Sequence[str] | None, options: Sequence[str] = ()) -> Expected:
    """What a sample with these targets expects."""
    return Expected((targets,) if isinstance(targets, str) else None if targets is None else tuple(targets), tuple(options))


def scored(
    use: str, reply: str | Reply, targets: str | Sequence[str] | None, fence: Fence, *, options: Sequence[str] = (), **keys: Any
) -> Score:
    """The score of a reply by a rule with these keys."""
    row: ScorerRow = row_of({"use": use, **{name.rstrip("_"): value for name, value in keys.items()}})
    return score(row, reply_of(reply) if isinstance(reply, str) else reply, expected_of(targets, options), fence)
