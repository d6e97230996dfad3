"""The `[choice]` table of a run that the program puts together: of a set on file, or of answers made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.calls import Json
from tui_eval.datasets.selected import Selected


def table_of(selected: Selected) -> dict[str, Json]:
    """The file, and the ids where not all of it is asked."""
    filtered = {} if selected.whole else {"filter": {"ids": [question.id for question in selected.questions]}}
    return {"benchmark": selected.path, **filtered}


def table_of_answers(questions: str, answers: str, models: Sequence[str]) -> dict[str, Json]:
    """The two files, and who answered."""
    return {"benchmark": questions, "answers": answers, "models": list(models)}
