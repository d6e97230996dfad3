"""What a chat run comes to: each model by each metric, by turn number, with degraded turns, claims, times, and the judges."""

from __future__ import annotations

from dataclasses import replace

from tui_eval.kinds.chat.dialogue_judging import METRICS, metrics_of
from tui_eval.kinds.chat.dialogue_report import DialogueReport
from tui_eval.kinds.chat.dialogues import ChatTask

UPPER_BOUND = "The models were shown the pages that hold the answers: an upper bound of what a search would bring."


def chat_report(task: ChatTask) -> DialogueReport:
    """The metrics that are judged, by the threshold of the config; below them what a reader must know of the run."""
    judge, wanted = task.config.judge, metrics_of(task.config.judge)
    metrics = [replace(m, threshold=judge.threshold) if m.high > 1 else m for m in METRICS if m.name in wanted]
    notes = [*([UPPER_BOUND] if task.config.context == "passages" else []), *(f"{warning}." for warning in task.warnings)]
    ladder, own = judge.metrics[0] if judge.ladder else "", task.config.history == "own"
    return DialogueReport(task, metrics, task.prices, task.max_concurrency, task.dataset, own, ladder, notes)
