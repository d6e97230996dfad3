"""What is asked for one model's dialogue: its turns in order, then every answer is judged by every rubric."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

from tui_eval.core.calls import Call, Message, Reply
from tui_eval.core.kinds import Flow, Metric
from tui_eval.core.samples import Sample
from tui_eval.kinds.chat.chat_table import PROMPTS
from tui_eval.kinds.chat.dialogues import ChatTask
from tui_eval.kinds.shared.asked_models import AskedModel
from tui_eval.kinds.shared.asking import together
from tui_eval.kinds.shared.claim_judging import CLAIMS, claims_example, claims_in
from tui_eval.kinds.shared.dialogue_samples import dialogues_of
from tui_eval.kinds.shared.dialogue_turns import Answers, Dialogue, history_of, turns_of, waited_for
from tui_eval.kinds.shared.judging import Rubric, rubric_of
from tui_eval.kinds.shared.pair_choices import PREFERENCE, ToCompare, compared
from tui_eval.kinds.shared.several_judges import ToJudge, judged
from tui_eval.reading.claims import MOST_CLAIMS
from tui_eval.reading.prompts import fill, filled_to

VERSION = "chat/1"
MARKS = ("groundedness", "relevance", "coherence", "fluency", "correctness")
METRICS = (*(Metric(name, 1, 5, threshold=3) for name in MARKS), CLAIMS, Metric("abstention", threshold=1), PREFERENCE)
"""abstention: whether an unanswerable question is left unanswered."""
RUBRICS = {metric.name: rubric_of(metric, VERSION) for metric in METRICS}
UNANSWERABLE = "The document does not hold the answer to this question: an answer that says so is a full answer."
NOTHING_SAID = "(nothing)"


def flow(task: ChatTask, sample: Sample) -> Flow:
    """Turns in order, after the model's own answers, or all at once after the ground truth; then all is judged at once."""
    dialogues, judge = dialogues_of(sample), task.config.judge
    own = task.config.history == "own"
    answers = yield from together([turns_of(one, partial(_answer, task, sample, one), own) for one in dialogues])
    wanted = [
        one
        for dialogue, found in zip(dialogues, answers, strict=True)
        for n, reply in found.items()
        for one in _rubrics(task, sample, dialogue, n, reply)
    ]
    judges, reminder = task.asked["judge"], task.config.prompts["reminder"]
    parts = [judged(wanted, judges, reminder)]
    if judge.pairs:
        pairs = [_to_compare(task, sample, dialogues, n, [found[n] for found in answers]) for n in dialogues[0].asked]
        parts.append(compared(pairs, judges, reminder, VERSION))
    scores = yield from together(parts)
    return [score for part in scores for score in part]


def _answer(task: ChatTask, sample: Sample, dialogue: Dialogue, n: int, answers: Answers) -> Call:
    """The turn at a place."""
    turn, context, prompts = dialogue.turn(n), dialogue.contexts[n], task.config.prompts
    system = fill(prompts["system"], {"context": context}) if context else prompts["system_alone"]
    history = history_of(dialogue, n, answers, task.config.history_pairs)
    again = context and dialogue.times[n] * task.repeat > 1
    messages = (Message("system", system, shared=len(system) if again else 0), *history, Message("user", turn.question))
    return dialogue.model.call(sample, messages, n, follows=waited_for(answers), example=turn.ground_truth or "An answer.")


def _rubrics(task: ChatTask, sample: Sample, dialogue: Dialogue, n: int, reply: Reply) -> list[ToJudge]:
    """All that the answer to a turn is judged by: what rests on the document only where something was shown of it."""
    context, turn, judge = dialogue.contexts[n], dialogue.turn(n), task.config.judge
    names: list[str] = [name for name in dict.fromkeys(judge.metrics) if context or name != "groundedness"]
    if not turn.answerable:
        names.append("abstention")

    def to_judge(name: str) -> ToJudge:
        ask = partial(_judge_call, task, sample, dialogue, reply, RUBRICS[name])
        read = claims_in(context) if name == CLAIMS.name else None
        return ToJudge(RUBRICS[name], reply, ask, n in dialogue.twice and name in judge.metrics, read)

    return [to_judge(name) for name in (*names, *([CLAIMS.name] if judge.claims and context else []))]


def _judge_call(task: ChatTask, sample: Sample, dialogue: Dialogue, reply: Reply, rubric: Rubric, judge: AskedModel) -> Call:
    """The call that has a judge look at an answer; it is shown what METHOD.md 5.1 gives to the rubric, and no more."""
    n, prompts = reply.call.call_index, task.config.prompts
    slots = {**_shown(dialogue, reply), "context": dialogue.contexts[n], "answer": reply.text or "", "most": str(MOST_CLAIMS)}
    user = fill(prompts[rubric.name], {name: slots[name] for name in PROMPTS[rubric.name]})
    about = f"{rubric.name} {reply.call.model}#{n}"
    best = json.dumps({"reason": "It says what it should, and says it well.", "score": 1 if rubric.name == "abstention" else 5})
    example = claims_example(dialogue.contexts[n]) if rubric.name == CLAIMS.name else best
    begins = filled_to(prompts[rubric.name], "context", slots["context"]) if _is_read_again(task, dialogue, n) else ""
    return judge.ask(sample, prompts["judge_system"], user, n, begins=begins, about=about, follows=(reply,), example=example)


def _is_read_again(task: ChatTask, dialogue: Dialogue, n: int) -> bool:
    """Whether a judge is shown the same of the document more than once."""
    rubrics = task.config.judge.claims + ("groundedness" in task.config.judge.metrics)
    return dialogue.times[n] * len(task.asked["answer"]) * rubrics * task.repeat > 1


def _shown(dialogue: Dialogue, reply: Reply) -> dict[str, str]:
    """What a judge may be shown of the question to an answer."""
    turn = dialogue.turn(reply.call.call_index)
    return {
        "question": turn.question,
        "truth": turn.ground_truth or NOTHING_SAID,
        "history": _told(reply.call.messages[1:-1]),
        "flag": "" if turn.answerable else UNANSWERABLE,
    }


def _to_compare(task: ChatTask, sample: Sample, dialogues: Sequence[Dialogue], n: int, answers: Sequence[Reply]) -> ToCompare:
    """Choices between the models' answers to the turn at a place. They are shown what was said to it in truth, since each
    model has a history of its own."""
    prompts, dialogue = task.config.prompts, dialogues[0]
    said = [Message("user", turn.question) for turn in dialogue.conversation.turns[:n]]

    def ask(judge: AskedModel, first: Reply, second: Reply) -> Call:
        shown = {**_shown(dialogue, first), "history": _told(said), "first": first.text or "", "second": second.text or ""}
        user = fill(prompts["pair"], {name: shown[name] for name in PROMPTS["pair"]})
        about = f"{PREFERENCE.name} {first.call.model} {second.call.model}#{n}"
        example = json.dumps({"reason": "Both say what the reference says.", "better": "tie"})
        return judge.ask(sample, prompts["judge_system"], user, n, about=about, follows=(first, second), example=example)

    return ToCompare(answers, ask)


def _told(history: Sequence[Message]) -> str:
    speakers = {"user": "User", "assistant": "Assistant"}
    return "\n".join(f"{speakers[message.role]}: {message.content}" for message in history) or NOTHING_SAID
