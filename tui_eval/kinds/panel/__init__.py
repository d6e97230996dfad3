"""The panel: doers answer, judges compare the answers, final judges write the one that is kept; then all are graded."""

from __future__ import annotations

from tui_eval.core.calls import Json, Reply
from tui_eval.core.kinds import Metric, RunDefaults, Stage
from tui_eval.core.results import SampleResult
from tui_eval.evaluation.kind import Kind, SampleForm, Starts, TaskForm
from tui_eval.evaluation.sample_results import reply_json
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.kinds.panel.open_questions import table_of
from tui_eval.kinds.panel.panel_flow import flow, labels, model_ids, samples
from tui_eval.kinds.panel.panel_table import PROMPTS, Config
from tui_eval.kinds.panel.resolving import PanelTask, in_full, resolve

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


PANEL = Kind(
    name="panel",
    about="models answer questions, judges compare the answers; graded against truths where there are any",
    Config=Config,
    defaults=RunDefaults(
        max_calls=100, retries=0, timeout_s=60.0, max_output_tokens=200, backoff="linear", longer_when_cut=True
    ),
    stages=(Stage("doer"), Stage("judge", role="work"), Stage("final"), Stage("scorer", role="judge")),
    metrics=(CORRECT,),
    prompts=PROMPTS,
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=report,
    sample_form=SampleForm(result),
    task_form=TaskForm(labels, in_full),
    starts=Starts(table_of, frozenset()),
)
