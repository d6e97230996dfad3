"""How many questions are wanted of each document, and how many were made, kept and dropped while a run goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.kinds import RunStamp, Totals
from tui_eval.core.results import SampleResult
from tui_eval.kinds.shared.written_questions.pieces import QuestionTask

PROGRESS = "generated/progress.json"
Counts = tuple[str, int, int]
"""A document, and how many of its questions were made and kept so far."""


def _counts(task: QuestionTask, row: SampleResult) -> Counts | None:
    if row.sample.repeat:
        return None
    made = [score for score in row.scores if score.read is not None]
    return row.sample.doc_id, len(made), sum(not score.why for score in made)


def _progress(task: QuestionTask, brought: Sequence[Counts | None], run: RunStamp) -> Mapping[str, Json]:
    found: dict[str, dict[str, Json]] = {name: {"wanted": 0, "made": 0, "kept": 0, "dropped": 0} for name in task.documents}
    for name, pieces in task.places:
        found[name]["wanted"] += pieces[0].wanted
    for name, made, kept in filter(None, brought):
        for key, n in (("made", made), ("kept", kept), ("dropped", made - kept)):
            found[name][key] += n
    return {PROGRESS: {"documents": found}}


QUESTION_TOTALS = Totals(part=_counts, files=_progress)
"""By document what is wanted, and what was made, kept and dropped, before doubles of other places."""
