"""What is asked for one model's dialogue: its turns in order, then every answer is judged by every rubric."""

from __future__ import annotations

from functools import partial

from tui_eval.core.calls import Call, Message
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.kinds.chat.dialogues import ChatTask
from tui_eval.kinds.shared.asking import together
from tui_eval.kinds.shared.dialogue_judging import DialogueJudging
from tui_eval.kinds.shared.dialogue_samples import dialogues_of
from tui_eval.kinds.shared.dialogue_turns import Answers, Dialogue, history_of, turns_of, waited_for
from tui_eval.reading.prompts import fill


def flow(task: ChatTask, sample: Sample) -> Flow:
    """Turns in order, after the model's own answers, or all at once after the ground truth; then all is judged at once."""
    dialogues, own = dialogues_of(sample), task.config.history == "own"
    answers = yield from together([turns_of(one, partial(_answer, task, sample, one), own) for one in dialogues])
    times = len(task.asked["answer"]) * task.repeat
    judging = DialogueJudging(sample, task.config.judge, task.asked["judge"], task.config.prompts, times)
    return (yield from judging.scores(dialogues, answers))


def _answer(task: ChatTask, sample: Sample, dialogue: Dialogue, n: int, answers: Answers) -> Call:
    """The turn at a place."""
    turn, context, prompts = dialogue.turn(n), dialogue.contexts[n], task.config.prompts
    system = fill(prompts["system"], {"context": context}) if context else prompts["system_alone"]
    history = history_of(dialogue, n, answers, task.config.history_pairs)
    again = context and dialogue.times[n] * task.repeat > 1
    messages = (Message("system", system, shared=len(system) if again else 0), *history, Message("user", turn.question))
    return dialogue.model.call(sample, messages, n, follows=waited_for(answers), example=turn.ground_truth or "An answer.")
