"""What the panel reports: accuracy by stage and model, and each sample in the form of its specification."""

from __future__ import annotations

from tui_eval.core.calls import Json, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.results import SampleResult
from tui_eval.evaluation.sample_results import reply_json
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.kinds.panel.panel_flow import model_ids
from tui_eval.kinds.panel.resolving import PanelTask

CORRECT = Metric("correct", threshold=1.0)
GRADED = ("doer", "judge", "final")
MEANING = {"doer": "answer agrees with truth", "judge": "text agrees with truth", "final": "answer agrees with truth"}
JUDGES = "\nA judge's row: how often its text agrees with the truth, not how well it judges."


def report(task: PanelTask) -> ScoreReport:
    """Accuracy per stage and model; nothing without a benchmark."""
    if task.benchmark is None:
        return ScoreReport(task, (CORRECT,))
    by = "Exact match. " if task.scorer is None else "Compared by the scorer model. "
    expected = [(stage, row.name) for stage in GRADED for row in task.asked.get(stage, ())]
    also, judged = JUDGES if "judge" in task.asked else "", () if task.scorer is None else (CORRECT.name,)
    return ScoreReport(task, (CORRECT,), "scorer", expected, MEANING, by, also, judged=judged)


def result(task: PanelTask, row: SampleResult) -> Json:
    """A sample of results.json (spec 003 §12.4), with its scores."""
    ids = model_ids(task)
    scored = {(s.stage, s.model, s.call_index): s for s in row.scores}

    def shown(reply: Reply) -> Json:
        call = reply.call
        entry = {"model_id": ids.get(call.model, call.model), "model": call.model, **reply_json(reply)}
        score = scored.get((call.stage, call.model, call.call_index))
        return entry if score is None else {**entry, "correct": score.value, "correct_why": score.why}

    doers, judges, finals = ([shown(r) for r in row.replies if r.call.stage == stage] for stage in GRADED)
    return {
        "item_id": row.sample.id,
        "doc_id": row.sample.doc_id,
        "q_index": row.sample.q_index,
        "repeat": row.sample.repeat,
        "question": row.sample.question,
        "truth": row.sample.truth,
        "finished": row.finished,
        "doers": doers,
        "judges": judges,
        "finals": finals,
        "primary_outputs": finals if "final" in task.asked else doers,
    }
