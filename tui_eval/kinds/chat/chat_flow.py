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
from tui_eval.kinds.chat.dialogues import ChatTask, Dialogue
from tui_eval.kinds.shared.asked_models import AskedModel
from tui_eval.kinds.shared.judging import Rubric, rubric_of
from tui_eval.kinds.shared.several_judges import ToJudge, Verdict, judged
from tui_eval.reading.claims import MOST_CLAIMS, read_claims, supported_share
from tui_eval.reading.folding import folded
from tui_eval.reading.prompts import fill

VERSION = "chat/1"
MARKS = ("groundedness", "relevance", "coherence", "fluency", "correctness")
CLAIMS = Metric("claims")
METRICS = (*(Metric(name, 1, 5, threshold=3) for name in MARKS), CLAIMS, Metric("abstention", threshold=1))
"""claims: the share of an answer's claims that the context bears out; abstention: whether an unanswerable question is left
unanswered."""
RUBRICS = {metric.name: rubric_of(metric, VERSION) for metric in METRICS}
DECLINED = "I would rather not answer that."
"""What stands in the history for a refusal, whose own words servers often keep to themselves."""
UNANSWERABLE = "The document does not hold the answer to this question: an answer that says so is a full answer."
NOTHING_SAID = "(nothing)"
_folded = lru_cache(maxsize=4)(folded)


def flow(task: ChatTask, sample: Sample) -> Flow:
    """Turns in order, after the model's own answers, or all at once after the ground truth; then all is judged at once."""
    dialogue: Dialogue = sample.data
    answers: dict[int, Reply] = {}
    if task.config.history == "truth":
        replies = yield [_answer(task, sample, n, {}) for n in dialogue.asked]
        answers = dict(zip(dialogue.asked, replies, strict=True))
    else:
        for n in dialogue.asked:
            (answers[n],) = yield [_answer(task, sample, n, answers)]
    wanted = [one for n, reply in answers.items() for one in _rubrics(task, sample, n, reply)]
    return (yield from judged(wanted, task.asked["judge"], task.config.prompts["reminder"]))


def has_failed(reply: Reply) -> bool:
    """Whether a turn brought no answer that later turns could be asked after; a refusal is one."""
    return not reply.ok and reply.error_kind != "refused"


def degraded(task: ChatTask, answers: Mapping[int, Reply]) -> list[int]:
    """The places of the turns that were asked without an earlier turn of theirs, since that had failed."""
    failed = [n for n, reply in answers.items() if has_failed(reply) and not reply.unsent]
    first = min(failed, default=None) if task.config.history == "own" else None
    return [n for n, reply in answers.items() if first is not None and n > first and not reply.unsent]


def _answer(task: ChatTask, sample: Sample, n: int, answers: Mapping[int, Reply]) -> Call:
    """The turn at a place. It is not asked while an earlier one has only not been sent: a resume asks both."""
    dialogue: Dialogue = sample.data
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


def _rubrics(task: ChatTask, sample: Sample, n: int, reply: Reply) -> list[ToJudge]:
    """All that the answer to a turn is judged by: what rests on the document only where something was shown of it."""
    dialogue: Dialogue = sample.data
    context, turn, judge = dialogue.contexts[n], dialogue.turn(n), task.config.judge
    names = [name for name in dict.fromkeys(judge.metrics) if context or name != "groundedness"]
    found = [_to_judge(task, sample, reply, RUBRICS[name], n in dialogue.twice) for name in names]
    if not turn.answerable:
        found.append(_to_judge(task, sample, reply, RUBRICS["abstention"]))
    if judge.claims and context:
        ask = partial(_judge_call, task, sample, reply, RUBRICS[CLAIMS.name])
        found.append(ToJudge(RUBRICS[CLAIMS.name], reply, ask, read=partial(_claims, context=context)))
    return found


def _to_judge(task: ChatTask, sample: Sample, reply: Reply, rubric: Rubric, twice: bool = False) -> ToJudge:
    return ToJudge(rubric, reply, partial(_judge_call, task, sample, reply, rubric), twice)


def _judge_call(task: ChatTask, sample: Sample, reply: Reply, rubric: Rubric, judge: AskedModel) -> Call:
    """The call that has a judge look at an answer; it is shown what METHOD.md 5.1 gives to the rubric, and no more."""
    dialogue: Dialogue = sample.data
    n, prompts = reply.call.call_index, task.config.prompts
    turn = dialogue.turn(n)
    slots = {
        "context": dialogue.contexts[n],
        "question": turn.question,
        "answer": reply.text or "",
        "truth": turn.ground_truth or NOTHING_SAID,
        "history": _told(reply.call.messages[1:-1]),
        "flag": "" if turn.answerable else UNANSWERABLE,
        "most": str(MOST_CLAIMS),
    }
    user = fill(prompts[rubric.name], {name: slots[name] for name in PROMPTS[rubric.name]})
    about = f"{rubric.name} {reply.call.model}#{n}"
    example = _example(rubric.name, dialogue.contexts[n])
    return judge.ask(sample, prompts["judge_system"], user, n, about=about, follows=(reply,), example=example)


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
