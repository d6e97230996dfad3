"""What is known of each document: its table before a run, and while one goes on, how many questions were made and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.kinds import RunStamp, Totals
from tui_eval.core.results import SampleResult
from tui_eval.datasets.document_text.file_sorts import sort_of_file
from tui_eval.kinds.generate.sources import GenerateTask

PROGRESS = "generated/progress.json"
Counts = tuple[str, int, int]
"""A document, and how many of its questions were made and kept so far."""


def table_of_documents(paths: Sequence[str], name: str) -> Mapping[str, Json]:
    """The `[generate]` table for these files; conversations need text, so with a picture among them single questions."""
    form = {"form": "questions"} if any(sort_of_file(path) == "image" for path in paths) else {}
    return {"documents": list(paths), **form, "dataset": name}


def _counts(task: GenerateTask, row: SampleResult) -> Counts | None:
    if row.sample.repeat:
        return None
    made = [score for score in row.scores if score.read is not None]
    return row.sample.doc_id, len(made), sum(not score.why for score in made)


def _progress(task: GenerateTask, brought: Sequence[Counts | None], run: RunStamp) -> Mapping[str, Json]:
    found: dict[str, dict[str, Json]] = {name: {"wanted": 0, "made": 0, "kept": 0, "dropped": 0} for name in task.documents}
    for name, pieces in task.places:
        found[name]["wanted"] += pieces[0].turns + sum(one["count"] for one in pieces[0].lacking(()))
    for name, made, kept in filter(None, brought):
        for key, n in (("made", made), ("kept", kept), ("dropped", made - kept)):
            found[name][key] += n
    return {PROGRESS: {"documents": found}}


TOTALS = Totals(part=_counts, files=_progress)
"""While a run goes on: by document what is wanted, and what was made, kept and dropped, before doubles of other places."""
