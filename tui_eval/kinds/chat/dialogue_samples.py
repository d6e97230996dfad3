"""Samples of dialogues: a model's with each conversation, or those of all models side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tui_eval.core.samples import DOCUMENT, Sample
from tui_eval.evaluation.sample_queues import Samples, listed, sample_id
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.chat.conversation_selection import Asked
from tui_eval.kinds.chat.dialogue_turns import Dialogue

Twice = Collection[tuple[str, str]]
"""(model, id of the turn) of the answers that are judged twice."""


def dialogues_of(sample: Sample) -> tuple[Dialogue, ...]:
    """The dialogues of a sample: that of one model, or those of all models side by side."""
    found: Dialogue | tuple[Dialogue, ...] = sample.data
    return found if isinstance(found, tuple) else (found,)


def dialogue_samples(models: Sequence[AskedModel], asked: Sequence[Asked], twice: Twice, side_by_side: bool) -> Samples:
    """Model x conversation; each model has a queue of its own, so that none waits for another.

    Side by side a sample is a conversation with all its models, as where a judge chooses between their answers.
    """
    places = enumerate(asked)
    if side_by_side:
        return listed(_sample(each.conversation.id, "", n, each, _dialogues(models, each, twice)) for n, each in places)
    return listed(
        _sample(sample_id(model.name, each.conversation.id), model.name, n, each, _dialogues([model], each, twice)[0])
        for n, each in places
        for model in models
    )


def _dialogues(models: Sequence[AskedModel], asked: Asked, twice: Twice) -> tuple[Dialogue, ...]:
    one = asked.conversation
    hidden = [frozenset(k for k in asked.places if (model.name, one.turns[k].id) in twice) for model in models]
    told = zip(models, hidden, strict=True)
    return tuple(Dialogue(model, one, asked.places, asked.contexts, asked.times, places) for model, places in told)


def _sample(name: str, queue: str, n: int, asked: Asked, data: Dialogue | tuple[Dialogue, ...]) -> Sample:
    one, places = asked.conversation, asked.places
    first = one.turns[places[0]]
    unanswerable = sum(not one.turns[place].answerable for place in places)
    groups: Mapping[str, tuple[str, ...]] = {DOCUMENT: (one.document,)} if one.document else {}
    twice = sum(len(dialogue.twice) for dialogue in (data if isinstance(data, tuple) else (data,)))
    return Sample(
        name, first.question, truth=first.ground_truth or None, groups=groups, queue=queue, doc_id=one.id, q_index=n,
        shape=(len(places), twice, unanswerable, bool(asked.contexts[0])), data=data,
    )  # fmt: skip
