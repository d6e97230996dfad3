"""The `[choice]` table of a run with the selected questions of a set on file."""

from __future__ import annotations

from tui_eval.core.calls import Json
from tui_eval.datasets.selected import Selected


def table_of(selected: Selected) -> dict[str, Json]:
    """The file, and the ids where not all of it is asked."""
    filtered = {} if selected.whole else {"filter": {"ids": [question.id for question in selected.questions]}}
    return {"benchmark": selected.path, **filtered}
