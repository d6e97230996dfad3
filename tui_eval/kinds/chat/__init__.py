"""Grounded chat: models answer conversations about documents, turn by turn; judges mark every answer."""

from __future__ import annotations

from tui_eval.core.calls import Json
from tui_eval.core.kinds import RunDefaults, Stage
from tui_eval.datasets.selected import Selected
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds.chat.chat_flow import flow
from tui_eval.kinds.chat.chat_report import chat_report
from tui_eval.kinds.chat.chat_table import Config
from tui_eval.kinds.chat.dialogue_judging import METRICS, PROMPTS
from tui_eval.kinds.chat.dialogues import ChatTask, resolve, samples


def _labels(task: ChatTask) -> dict[str, Json]:
    turns = sum(len(asked.places) for asked in task.conversations)
    return {"models": len(task.asked["answer"]), "conversations": len(task.conversations), "questions": turns}


def _table_of(selected: Selected) -> dict[str, Json]:
    """The set's file, and the ids where not all of it is asked."""
    chosen = {} if selected.whole else {"selected": [question.id for question in selected.questions]}
    return {"dataset": selected.path, **chosen}


CHAT = Kind(
    name="chat",
    about="models side by side on conversations about documents, judged for groundedness and more",
    Config=Config,
    defaults=RunDefaults(max_concurrency=10, retries=3, timeout_s=60.0, max_output_tokens=2000),
    stages=(Stage("answer"), Stage("judge", role="judge")),
    metrics=METRICS,
    prompts={"system": ("context",), "system_alone": (), **PROMPTS},
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=chat_report,
    labels=_labels,
    needs=frozenset({"turns"}),
    table_of=_table_of,
    short_form="SET",
)
