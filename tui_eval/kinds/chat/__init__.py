"""Grounded chat: models answer conversations about documents, turn by turn; judges mark every answer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tui_eval.core.calls import Call, Json, Message
from tui_eval.core.kinds import Flow, RunDefaults, Stage
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.datasets.selected import Selected
from tui_eval.evaluation.calls import Part, together
from tui_eval.evaluation.kind import Kind, Starts, TaskForm
from tui_eval.kinds.chat.chat_table import Config
from tui_eval.kinds.chat.dialogue_judging import METRICS, PROMPTS, DialogueJudging, metrics_of
from tui_eval.kinds.chat.dialogue_report import DialogueReport
from tui_eval.kinds.chat.dialogue_samples import dialogues_of
from tui_eval.kinds.chat.dialogue_turns import Answers, Dialogue, history_of, turns_of, waited_for
from tui_eval.kinds.chat.dialogues import ChatTask, resolve, samples
from tui_eval.reading.prompts import fill


def flow(task: ChatTask, sample: Sample) -> Flow:
    """Dialogues side by side, each judged when it has ended; choices between their answers when all have."""
    dialogues, answers = dialogues_of(sample), dict[int, Answers]()
    times = len(task.asked["answer"]) * task.repeat
    judging = DialogueJudging(sample, task.config.judge, task.asked["judge"], task.config.prompts, times, task.seed)

    def choices() -> Part[list[Score]] | None:
        there = len(answers) == len(dialogues)
        return judging.choices(dialogues, [answers[place] for place in range(len(dialogues))]) if there else None

    judged = [_judged(task, sample, judging, answers, place) for place in range(len(dialogues))]
    scores = yield from together(judged, choices if task.config.judge.pairs else None)
    return [score for part in scores for score in part]


def _judged(
    task: ChatTask, sample: Sample, judging: DialogueJudging, answers: dict[int, Answers], place: int
) -> Part[list[Score]]:
    """A dialogue's turns in order, after the model's own answers, or all at once after the ground truth; then its marks."""
    dialogue = dialogues_of(sample)[place]
    answers[place] = yield from turns_of(dialogue, partial(_answer, task, sample, dialogue), task.config.history == "own")
    return (yield from judging.marks(dialogue, answers[place]))


def _answer(task: ChatTask, sample: Sample, dialogue: Dialogue, n: int, answers: Answers) -> Call:
    """The turn at a place."""
    turn, context, prompts = dialogue.turn(n), dialogue.contexts[n], task.config.prompts
    system = fill(prompts["system"], {"context": context}) if context else prompts["system_alone"]
    history = history_of(dialogue, n, answers, task.config.history_pairs)
    again = context and dialogue.times[n] * task.repeat > 1
    messages = (Message("system", system, shared=len(system) if again else 0), *history, Message("user", turn.question))
    return dialogue.model.call(sample, messages, n, follows=waited_for(answers), example=turn.ground_truth or "An answer.")


UPPER_BOUND = "The models were shown the pages that hold the answers: an upper bound of what a search would bring."


def chat_report(task: ChatTask) -> DialogueReport:
    """The metrics that are judged, by the threshold of the config; below them what a reader must know of the run."""
    judge, wanted = task.config.judge, metrics_of(task.config.judge)
    metrics = [replace(m, threshold=judge.threshold) if m.high > 1 else m for m in METRICS if m.name in wanted]
    notes = [*([UPPER_BOUND] if task.config.context == "passages" else []), *(f"{warning}." for warning in task.warnings)]
    ladder, own = judge.metrics[0] if judge.ladder else "", task.config.history == "own"
    return DialogueReport(task, metrics, task.prices, task.max_concurrency, task.dataset, own, ladder, notes)


def _factors(task: ChatTask) -> dict[str, Json]:
    turns = sum(len(asked.places) for asked in task.conversations)
    return {"models": len(task.asked["answer"]), "conversations": len(task.conversations), "questions": turns}


def _from_set(selected: Selected) -> dict[str, Json]:
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
    task_form=TaskForm(_factors),
    starts=Starts(_from_set, frozenset({"turns"}), short_form="SET"),
)
