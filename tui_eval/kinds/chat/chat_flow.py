"""What is asked for one model's dialogue: its turns in order, then every answer is judged by every rubric."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache, partial

from tui_eval.core.calls import Call, Message, Reply
from tui_eval.core.kinds import Flow, Metric
from tui_eval.core.samples import Sample
from tui_eval.kinds.chat.chat_table import PROMPTS
from tui_eval.kinds.chat.dialogues import ChatTask, Dialogue, dialogues_of
from tui_eval.kinds.shared.asked_models import AskedModel
from tui_eval.kinds.shared.asking import Part, together
from tui_eval.kinds.shared.judging import Rubric, rubric_of
from tui_eval.kinds.shared.pair_choices import PREFERENCE, ToCompare, compared
from tui_eval.kinds.shared.several_judges import ToJudge, Verdict, judged
from tui_eval.reading.claims import MOST_CLAIMS, read_claims, supported_share
from tui_eval.reading.folding import folded
from tui_eval.reading.prompts import fill

VERSION = "chat/1"
MARKS = ("groundedness", "relevance", "coherence", "fluency", "correctness")
CLAIMS = Metric("claims")
METRICS = (*(Metric(name, 1, 5, threshold=3) for name in MARKS), CLAIMS, Metric("abstention", threshold=1), PREFERENCE)
"""claims: the share of an answer's claims that the context bears out; abstention: whether an unanswerable question is left
unanswered; preference: the share of choices between it and another model's answer that an answer wins."""
RUBRICS = {metric.name: rubric_of(metric, VERSION) for metric in METRICS}
DECLINED = "I would rather not answer that."
"""What stands in the history for a refusal, whose own words servers often keep to themselves."""
UNANSWERABLE = "The document does not hold the answer to this question: an answer that says so is a full answer."
NOTHING_SAID = "(nothing)"
_folded = lru_cache(maxsize=4)(folded)


def flow(task: ChatTask, sample: Sample) -> Flow:
    """Turns in order, after the model's own answers, or all at once after the ground truth; then all is judged at once."""
    dialogues, judge = dialogues_of(sample), task.config.judge
    answers = yield from together([_answers(task, sample, dialogue) for dialogue in dialogues])
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


def _answers(task: ChatTask, sample: Sample, dialogue: Dialogue) -> Part[dict[int, Reply]]:
    """One model's answers, by the places of the turns."""
    if task.config.history == "truth":
        replies = yield [_answer(task, sample, dialogue, n, {}) for n in dialogue.asked]
        return dict(zip(dialogue.asked, replies, strict=True))
    answers: dict[int, Reply] = {}
    for n in dialogue.asked:
        (answers[n],) = yield [_answer(task, sample, dialogue, n, answers)]
    return answers


def has_failed(reply: Reply) -> bool:
    """Whether a turn brought no answer that later turns could be asked after; a refusal is one."""
    return not reply.ok and reply.error_kind != "refused"


def degraded(task: ChatTask, answers: Mapping[int, Reply]) -> list[int]:
    """The places of the turns that were asked without an earlier turn of theirs, since that had failed."""
    failed = [n for n, reply in answers.items() if has_failed(reply) and not reply.unsent]
    first = min(failed, default=None) if task.config.history == "own" else None
    return [n for n, reply in answers.items() if first is not None and n > first and not reply.unsent]


def _answer(task: ChatTask, sample: Sample, dialogue: Dialogue, n: int, answers: Mapping[int, Reply]) -> Call:
    """The turn at a place. It is not asked while an earlier one has only not been sent: a resume asks both."""
    turn, context, prompts = dialogue.turn(n), dialogue.contexts[n], task.config.prompts
    system = fill(prompts["system"], {"context": context}) if context else prompts["system_alone"]
    history = _history(task, dialogue, n, answers)
    waits = tuple(reply for reply in answers.values() if reply.unsent)[-1:]
    messages = (Message("system", system), *history, Message("user", turn.question))
    return dialogue.model.call(sample, messages, n, follows=waits, example=turn.ground_truth or "An answer.")


def _history(task: ChatTask, dialogue: Dialogue, n: int, answers: Mapping[int, Reply]) -> list[Message]:
    """What was said before a turn: the latest pairs, whole; what has no answer leaves as a pair before they are counted."""
    said = []
    for place, turn in enumerate(dialogue.conversation.turns[:n]):
        reply = answers.get(place)
        text = turn.ground_truth if reply is None else reply.text if reply.ok else "" if has_failed(reply) else DECLINED
        if text and text.strip():
            said.append((Message("user", turn.question), Message("assistant", text)))
    kept = said[-task.config.history_pairs :] if task.config.history_pairs else []
    return [message for pair in kept for message in pair]


def _rubrics(task: ChatTask, sample: Sample, dialogue: Dialogue, n: int, reply: Reply) -> list[ToJudge]:
    """All that the answer to a turn is judged by: what rests on the document only where something was shown of it."""
    context, turn, judge = dialogue.contexts[n], dialogue.turn(n), task.config.judge
    names: list[str] = [name for name in dict.fromkeys(judge.metrics) if context or name != "groundedness"]
    if not turn.answerable:
        names.append("abstention")

    def to_judge(name: str) -> ToJudge:
        ask = partial(_judge_call, task, sample, dialogue, reply, RUBRICS[name])
        read = partial(_claims, context=context) if name == CLAIMS.name else None
        return ToJudge(RUBRICS[name], reply, ask, n in dialogue.twice and name in judge.metrics, read)

    return [to_judge(name) for name in (*names, *([CLAIMS.name] if judge.claims and context else []))]


def _judge_call(task: ChatTask, sample: Sample, dialogue: Dialogue, reply: Reply, rubric: Rubric, judge: AskedModel) -> Call:
    """The call that has a judge look at an answer; it is shown what METHOD.md 5.1 gives to the rubric, and no more."""
    n, prompts = reply.call.call_index, task.config.prompts
    slots = {**_shown(dialogue, reply), "context": dialogue.contexts[n], "answer": reply.text or "", "most": str(MOST_CLAIMS)}
    user = fill(prompts[rubric.name], {name: slots[name] for name in PROMPTS[rubric.name]})
    about = f"{rubric.name} {reply.call.model}#{n}"
    example = _example(rubric.name, dialogue.contexts[n])
    return judge.ask(sample, prompts["judge_system"], user, n, about=about, follows=(reply,), example=example)


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
        example = json.dumps({"reason": "Both say what the reference says.", "choice": "tie"})
        return judge.ask(sample, prompts["judge_system"], user, n, about=about, follows=(first, second), example=example)

    return ToCompare(answers, ask)


def _told(history: Sequence[Message]) -> str:
    speakers = {"user": "User", "assistant": "Assistant"}
    return "\n".join(f"{speakers[message.role]}: {message.content}" for message in history) or NOTHING_SAID


def _claims(text: str | None, context: str) -> Verdict | None:
    found = read_claims(text, _folded(context))
    if found is None:
        return None
    share = supported_share(found)
    return Verdict(share, [asdict(claim) for claim in found], "no claims" if share is None else "")


def _example(name: str, context: str) -> str:
    if name == CLAIMS.name:
        claim = {"claim": "The answer's claim.", "quote": context[:80].strip(), "verdict": "supported"}
        return json.dumps({"claims": [claim] * 3}, ensure_ascii=False)
    return json.dumps({"reason": "It says what it should, and says it well.", "score": 1 if name == "abstention" else 5})


def of_dialogue(replies: Collection[Reply], stage: str) -> dict[int, Reply]:
    """The replies of a stage by the places of their turns."""
    return {reply.call.call_index: reply for reply in replies if reply.call.stage == stage}
