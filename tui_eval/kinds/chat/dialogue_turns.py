"""One model's turns of a conversation in order, what a failed one does to later ones; dialogues as samples."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.calls import Call, Message, Reply
from tui_eval.core.conversations import Turn
from tui_eval.core.samples import DOCUMENT, Sample
from tui_eval.evaluation.calls import Part
from tui_eval.evaluation.sample_queues import Samples, listed, sample_id
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.chat.conversation_selection import SelectedConversation

DECLINED = "I would rather not answer that."
"""What stands in the history for a refusal whose own words the server keeps to itself."""
Answers = Mapping[int, Reply]
"""By the places of the turns."""


@dataclass(frozen=True, slots=True)
class Dialogue(SelectedConversation):
    """A conversation as one model is asked it; turns that are not asked stand in the history with their ground truth."""

    model: AskedModel
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
        replies = yield [ask(n, {}) for n in dialogue.places]
        return dict(zip(dialogue.places, replies, strict=True))
    answers: dict[int, Reply] = {}
    for n in dialogue.places:
        (answers[n],) = yield [ask(n, answers)]
    return answers


def has_failed(reply: Reply) -> bool:
    """Return whether a turn brought no answer that later turns could be asked after; a refusal is one."""
    return not reply.ok and reply.error_kind != "refused"


def degraded(answers: Answers) -> list[int]:
    """The places of the turns that were asked without an earlier turn of theirs, since that had failed."""
    first = min((n for n, reply in answers.items() if has_failed(reply) and not reply.unsent), default=None)
    return [n for n, reply in answers.items() if first is not None and n > first and not reply.unsent]


def waited_for(answers: Answers) -> tuple[Reply, ...]:
    """Return the reply that a turn waits for: an earlier one that has only not been sent, since a resume asks both."""
    return tuple(reply for reply in answers.values() if reply.unsent)[-1:]


def history_of(dialogue: Dialogue, n: int, answers: Answers, pairs: int) -> list[Message]:
    """List the messages before a turn: the latest pairs, whole; what has no answer leaves as a pair before they are counted."""
    exchanges = []
    for place, turn in enumerate(dialogue.conversation.turns[:n]):
        reply = answers.get(place)
        text = turn.ground_truth if reply is None else _reply_text(reply)
        if text and text.strip():
            exchanges.append((Message("user", turn.question), Message("assistant", text)))
    return [message for pair in (exchanges[-pairs:] if pairs else []) for message in pair]


def _reply_text(reply: Reply) -> str:
    """Return the text that a model is taken to have said; nothing where its turn failed."""
    if reply.ok:
        return reply.text or ""
    words = reply.refusal_words or ""
    return "" if has_failed(reply) else words if words.strip() else DECLINED


Twice = Collection[tuple[str, str]]
"""(model, id of the turn) of the answers that are judged twice."""


def dialogues_of(sample: Sample) -> tuple[Dialogue, ...]:
    """The dialogues of a sample: that of one model, or those of all models side by side."""
    data: Dialogue | tuple[Dialogue, ...] = sample.data
    return data if isinstance(data, tuple) else (data,)


def dialogue_samples(
    models: Sequence[AskedModel], conversations: Sequence[SelectedConversation], twice: Twice, side_by_side: bool
) -> Samples:
    """Model x conversation; each model has a queue of its own, so that none waits for another.

    Side by side a sample is a conversation with all its models, as where a judge chooses between their answers.
    """
    places = enumerate(conversations)
    if side_by_side:
        return listed(_sample(each.conversation.id, "", n, each, _dialogues(models, each, twice)) for n, each in places)
    return listed(
        _sample(sample_id(model.name, each.conversation.id), model.name, n, each, _dialogues([model], each, twice)[0])
        for n, each in places
        for model in models
    )


def _dialogues(models: Sequence[AskedModel], entry: SelectedConversation, twice: Twice) -> tuple[Dialogue, ...]:
    conversation = entry.conversation
    hidden = [frozenset(k for k in entry.places if (model.name, conversation.turns[k].id) in twice) for model in models]
    hidden_by_model = zip(models, hidden, strict=True)
    return tuple(
        Dialogue(conversation, entry.places, entry.contexts, entry.times, entry.document, model, places)
        for model, places in hidden_by_model
    )


def _sample(name: str, queue: str, n: int, entry: SelectedConversation, data: Dialogue | tuple[Dialogue, ...]) -> Sample:
    conversation, places = entry.conversation, entry.places
    first = conversation.turns[places[0]]
    unanswerable = sum(not conversation.turns[place].answerable for place in places)
    groups: Mapping[str, tuple[str, ...]] = {DOCUMENT: (conversation.document,)} if conversation.document else {}
    twice = sum(len(dialogue.twice) for dialogue in (data if isinstance(data, tuple) else (data,)))
    return Sample(
        name, first.question, truth=first.ground_truth or None, groups=groups, queue=queue, doc_id=conversation.id, q_index=n,
        shape=(len(places), twice, unanswerable, bool(entry.contexts[0])), data=data,
    )  # fmt: skip
