"""Counts of questions by document: how many are wanted, and how many were made, kept and dropped while a run goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.kinds import RunStamp, Totals
from tui_eval.core.results import SampleResult
from tui_eval.kinds.generate.holding_questions import MadeQuestion, decided, made_by
from tui_eval.kinds.question_writing.material import QuestionTask

PROGRESS = "generated/progress.json"


def _made(task: QuestionTask, row: SampleResult) -> Sequence[MadeQuestion] | None:
    return None if row.sample.repeat else made_by(task, row)


def _progress(task: QuestionTask, brought: Sequence[Sequence[MadeQuestion]], run: RunStamp) -> Mapping[str, Json]:
    found: dict[str, dict[str, Json]] = {
        name: {"wanted": wanted, "made": 0, "kept": 0, "dropped": 0} for name, wanted in task.wanted_of.items()
    }
    for one in decided([one for made in brought for one in made]):
        for key in ("made", "dropped" if one.why else "kept"):
            found[one.document][key] += 1
    return {PROGRESS: {"documents": found}}


QUESTION_TOTALS = Totals(part=_made, files=_progress)
"""By document what is wanted, and what was made, kept and dropped so far, as the set would have it if the run ended now."""
