"""What is asked for one model's dialogue: its turns in order, then every answer is judged by every rubric."""

from __future__ import annotations

from functools import partial

from tui_eval.core.calls import Call, Message
from tui_eval.core.kinds import Flow
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import Part, together
from tui_eval.kinds.chat.dialogue_judging import DialogueJudging
from tui_eval.kinds.chat.dialogue_samples import dialogues_of
from tui_eval.kinds.chat.dialogue_turns import Answers, Dialogue, history_of, turns_of, waited_for
from tui_eval.kinds.chat.dialogues import ChatTask
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
