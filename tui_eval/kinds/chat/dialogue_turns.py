"""One model's turns of a conversation in order: what was said before each, and what a turn that failed does to later ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tui_eval.core.calls import Call, Message, Reply
from tui_eval.core.conversations import Conversation, Turn
from tui_eval.evaluation.calls import Part
from tui_eval.evaluation.stage_models import AskedModel

DECLINED = "I would rather not answer that."
"""What stands in the history for a refusal whose own words the server keeps to itself."""
Answers = Mapping[int, Reply]
"""By the places of the turns."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation as one model is asked it."""

    model: AskedModel
    conversation: Conversation
    asked: tuple[int, ...]
    """The places of its turns that are asked; the others stand in the history with their ground truth."""
    contexts: tuple[str, ...]
    """By turn: what is shown of the document; empty = nothing."""
    times: tuple[int, ...]
    """By turn: with how many turns that are asked the same is shown, in the whole set."""
    twice: frozenset[int]
    """The places of the turns whose answer is judged twice."""

    def turn(self, n: int) -> Turn:
        """The turn at a place."""
        return self.conversation.turns[n]


def turns_of(dialogue: Dialogue, ask: Callable[[int, Answers], Call], own: bool) -> Part[dict[int, Reply]]:
    """The answers to a dialogue's turns: after the model's own ones before (`own`), one by one, else all at once.

    `ask`: the call of the turn at a place, after these answers.
    """
    if not own:
        replies = yield [ask(n, {}) for n in dialogue.asked]
        return dict(zip(dialogue.asked, replies, strict=True))
    answers: dict[int, Reply] = {}
    for n in dialogue.asked:
        (answers[n],) = yield [ask(n, answers)]
    return answers


def has_failed(reply: Reply) -> bool:
    """Whether a turn brought no answer that later turns could be asked after; a refusal is one."""
    return not reply.ok and reply.error_kind != "refused"


def degraded(answers: Answers) -> list[int]:
    """The places of the turns that were asked without an earlier turn of theirs, since that had failed."""
    first = min((n for n, reply in answers.items() if has_failed(reply) and not reply.unsent), default=None)
    return [n for n, reply in answers.items() if first is not None and n > first and not reply.unsent]


def waited_for(answers: Answers) -> tuple[Reply, ...]:
    """What a turn follows: it is not asked while an earlier one has only not been sent, since a resume asks both."""
    return tuple(reply for reply in answers.values() if reply.unsent)[-1:]


def history_of(dialogue: Dialogue, n: int, answers: Answers, pairs: int) -> list[Message]:
    """What was said before a turn: the latest pairs, whole; what has no answer leaves as a pair before they are counted."""
    said = []
    for place, turn in enumerate(dialogue.conversation.turns[:n]):
        reply = answers.get(place)
        text = turn.ground_truth if reply is None else _said(reply)
        if text and text.strip():
            said.append((Message("user", turn.question), Message("assistant", text)))
    return [message for pair in (said[-pairs:] if pairs else []) for message in pair]


def _said(reply: Reply) -> str:
    """What a model is taken to have said; nothing where its turn failed."""
    if reply.ok:
        return reply.text or ""
    words = reply.refusal_words or ""
    return "" if has_failed(reply) else words if words.strip() else DECLINED
