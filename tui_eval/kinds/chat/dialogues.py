"""From the `[chat]` table to what is asked: each model's dialogue about each conversation, and what it is shown."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tui_eval.core.calls import Price
from tui_eval.core.conversations import Conversation, ConversationSet, Turn
from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_files import read_conversations
from tui_eval.kinds.chat.chat_table import Config
from tui_eval.kinds.shared.asked_models import AskedModel
from tui_eval.kinds.shared.families import own_family
from tui_eval.kinds.shared.inputs import Inputs, Task
from tui_eval.kinds.shared.queues import Samples, listed, sample_id
from tui_eval.kinds.shared.shown_documents import shown_of
from tui_eval.reading.document_body import tokens_of

USUAL_REPLY = 2000
"""Tokens that a reply is counted with that has no limit."""
UNGROUNDED = "nothing is shown of a document, so groundedness and claims are left out"


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation as one model is asked it."""

    model: AskedModel
    conversation: Conversation
    asked: tuple[int, ...]
    """The places of its turns that are asked; the others stand in the history with their ground truth."""
    contexts: tuple[str, ...]
    """By turn: what is shown of the document; empty = nothing."""
    twice: frozenset[int]
    """The places of the turns whose answer is judged twice."""

    def turn(self, n: int) -> Turn:
        """The turn at a place."""
        return self.conversation.turns[n]


Asked = tuple[Conversation, tuple[int, ...], tuple[str, ...]]


def dialogues_of(sample: Sample) -> tuple[Dialogue, ...]:
    """The dialogues of a sample: that of one model, or those of all models side by side."""
    found: Dialogue | tuple[Dialogue, ...] = sample.data
    return found if isinstance(found, tuple) else (found,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTask(Task):
    """The conversations, read."""

    config: Config
    dataset: str
    """What the set is called."""
    conversations: Sequence[Asked]
    """Each with the places of its turns that are asked, and what is shown of the document at every turn."""
    twice: frozenset[tuple[str, str]]
    """(model, id of the turn) of the answers that are judged twice."""
    prices: Mapping[str, Price | None] = field(default_factory=dict)
    """Of the models, by their names."""
    max_concurrency: int | None = None
    """How many calls may be in flight: latencies say so."""


def resolve(config: Config, inputs: Inputs) -> ChatTask:
    """The conversations read, with what is shown of their documents. ConfigError, naming the key, for what cannot be asked."""
    judge, models = config.judge, inputs.asked["answer"]
    if len(models) > config.max_models:
        raise ConfigError(f"chat.models: {len(models)} models; at most {config.max_models} (chat.max_models raises it)")
    if judge.pairs and len(models) < 2:
        raise ConfigError("chat.judge.pairs: a judge chooses between the answers of two models or more; chat.models names one")
    found = _read_set(config, inputs)
    texts = {document.filename: document.text for document in found.documents}
    chosen = []
    for one in found.conversations:
        places = tuple(n for n, turn in enumerate(one.turns) if not config.selected or turn.id in config.selected)
        if places:
            chosen.append((one, places, shown_of(texts.get(one.document, ""), one.turns, config.context)))
    _check_window(config, models, chosen)
    bare = sum(not any(contexts) for _, _, contexts in chosen)
    told = "" if bare == len(chosen) else f"{bare} of {len(chosen)} conversations: "
    answers = [(model.name, one.turns[n].id) for model in models for one, places, _ in chosen for n in places]
    return ChatTask(
        config=config,
        asked={**inputs.asked, "judge": tuple(_as_judge(config, model) for model in inputs.asked["judge"])},
        dataset=found.name or inputs.one("dataset").name.removesuffix(".json"),
        conversations=chosen,
        warnings=(*((f"{told}{UNGROUNDED}",) if bare else ()), *own_family(inputs.asked["judge"], models)),
        twice=_drawn(answers, judge.duplicates, inputs.run.seed),
        prices={name: spec.price for name, spec in inputs.models.items()},
        max_concurrency=inputs.run.max_concurrency,
    )


def _read_set(config: Config, inputs: Inputs) -> ConversationSet:
    file = inputs.one("dataset")
    try:
        value = json.loads(inputs.text("dataset"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"chat.dataset: {file.name}: not JSON: {error}") from None
    found = read_conversations(value, file.name)
    unknown = set(config.selected) - {turn.id for one in found.conversations for turn in one.turns}
    if unknown:
        raise ConfigError(f"chat.selected: {min(unknown)!r} is no question of {file.name}")
    return found


def _as_judge(config: Config, model: AskedModel) -> AskedModel:
    """A model with the limits that judges have."""
    own = config.judge.temperature
    return replace(
        model, temperature=model.temperature if own is None else own, max_output_tokens=config.judge.max_output_tokens
    )


def _drawn(answers: Sequence[tuple[str, str]], share: float, seed: int) -> frozenset[tuple[str, str]]:
    """So large a share of the answers, drawn by hash."""
    by_hash = sorted(answers, key=lambda one: hashlib.sha256(json.dumps([seed, *one]).encode()).digest())
    return frozenset(by_hash[: math.ceil(share * len(answers))])


def _check_window(
    config: Config, models: Sequence[AskedModel], chosen: Sequence[tuple[Conversation, object, tuple[str, ...]]]
) -> None:
    """ConfigError where a document, the history and a reply do not fit the window that is stated."""
    if config.context_window is None:
        return
    reply = max(model.max_output_tokens or USUAL_REPLY for model in models)
    for one, _, contexts in chosen:
        pairs = min(config.history_pairs, len(one.turns) - 1)
        questions = sum(tokens_of(turn.question) for turn in one.turns)
        needed = math.ceil(max(map(tokens_of, contexts)) + questions + (pairs + 1) * reply)
        if needed > config.context_window:
            told = f"about {needed:,} tokens with history and reply; chat.context_window is {config.context_window:,}"
            way = 'show less of it (context = "retrieved" or "passages"), or lower chat.history_pairs or run.max_output_tokens'
            raise ConfigError(f"chat.context: {one.id}: {one.document or 'no document'}: {told}: {way}")


def samples(task: ChatTask) -> Samples:
    """Model x conversation; each model has a queue of its own, so that none waits for another.

    Where a judge chooses between answers, a sample is a conversation with all its models: the choices need all of them.
    """
    models = task.asked["answer"]
    if task.config.judge.pairs:
        return listed(_sample(task, models, n, one[0].id, "", one) for n, one in enumerate(task.conversations))
    return listed(
        _sample(task, [model], n, sample_id(model.name, one[0].id), model.name, one)
        for model in models
        for n, one in enumerate(task.conversations)
    )


def _sample(task: ChatTask, models: Sequence[AskedModel], n: int, name: str, queue: str, found: Asked) -> Sample:
    one, asked, shown = found
    dialogues = tuple(
        Dialogue(model, one, asked, shown, frozenset(k for k in asked if (model.name, one.turns[k].id) in task.twice))
        for model in models
    )
    first = one.turns[asked[0]]
    unanswerable = sum(not one.turns[place].answerable for place in asked)
    groups: Mapping[str, tuple[str, ...]] = {"document": (one.document,)} if one.document else {}
    twice = sum(len(dialogue.twice) for dialogue in dialogues)
    return Sample(
        name, first.question, truth=first.ground_truth or None, groups=groups, queue=queue, doc_id=one.id, q_index=n,
        shape=(len(asked), twice, unanswerable, bool(shown[0])), data=dialogues if task.config.judge.pairs else dialogues[0],
    )  # fmt: skip
