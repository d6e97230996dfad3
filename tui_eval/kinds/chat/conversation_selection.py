"""The conversations of a set on file that a run asks: which of their turns, and what is shown of the document with each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.conversations import Conversation
from tui_eval.core.errors import ConfigError
from tui_eval.datasets.conversation_files import read_conversations
from tui_eval.evaluation.inputs import Inputs, json_of
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.chat.context import Shown, shown_of
from tui_eval.reading.document_body import tokens_of

USUAL_REPLY = 2000
"""Tokens that a reply is counted with that has no limit."""
MOST_NAMED = 5
SMALL_WINDOW = 32_000
"""Tokens that every model in use today has room for."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A conversation of which something is asked."""

    conversation: Conversation
    places: tuple[int, ...]
    """Of the turns that are asked."""
    contexts: tuple[str, ...]
    """By turn: what is shown of the document; empty = nothing."""
    times: tuple[int, ...]
    """By turn: with how many turns that are asked the same is shown, in the whole set."""


def chosen(inputs: Inputs, role: str, selected: Collection[str], how: Shown) -> tuple[str, list[Asked]]:
    """What a set is called, and its conversations with the selected turns (none = all). ConfigError, naming the key."""
    file, key = inputs.one(role), inputs.keys[role]
    found = read_conversations(json_of(file, key), file.name)
    unknown = set(selected) - {turn.id for one in found.conversations for turn in one.turns}
    if unknown:
        raise ConfigError(f"{key.rpartition('.')[0]}.selected: {min(unknown)!r} is no question of {file.name}")
    texts = {document.filename: document.text for document in found.documents}
    asked = []
    for one in found.conversations:
        places = tuple(n for n, turn in enumerate(one.turns) if not selected or turn.id in selected)
        if places:
            asked.append((one, places, shown_of(texts.get(one.document, ""), one.turns, how)))
    counts = Counter(contexts[n] for _, places, contexts in asked for n in places)
    told = [Asked(one, places, shown, tuple(counts[context] for context in shown)) for one, places, shown in asked]
    return found.name or file.name.removesuffix(".json"), told


@dataclass(frozen=True, slots=True)
class Windows:
    """How many tokens fit the models that are shown conversations, prompt and reply together."""

    stated: int | None
    """As the config states it for all of them."""
    known: Mapping[str, int]
    """By model, as it is known of each; where the config states one, that counts."""


def check_window(found: Sequence[Asked], models: Sequence[AskedModel], pairs: int, windows: Windows, table: str) -> list[str]:
    """A sentence where nobody says how much fits a model that is shown much.

    ConfigError where a document, so many pairs of history and a reply do not fit the window that is stated, else those that
    are known: it says which conversations do not. `table`: the kind's, whose keys are named.
    """
    if not found:
        return []
    for model in () if windows.stated is not None else models:
        if model.name in windows.known:
            _check_fits(found, model, pairs, windows.known[model.name], table)
    unknown = [model for model in models if windows.stated is not None or model.name not in windows.known]
    if not unknown:
        return []
    reply = max(model.max_output_tokens or USUAL_REPLY for model in unknown)
    most, one = max(((_needed(asked, pairs, reply), asked.conversation) for asked in found), key=lambda each: each[0])
    if windows.stated is None:
        told = f"{one.document or one.id} takes about {most:,} tokens with history and reply"
        unsure = f"{told}; whether the models' windows hold that is not known: {table}.context_window = N checks it"
        return [unsure] if most > SMALL_WINDOW else []
    if most > windows.stated:
        told = f"about {most:,} tokens with history and reply; {table}.context_window is {windows.stated:,}"
        raise ConfigError(f"{table}.context: {one.id}: {one.document or 'no document'}: {told}: {_way_out(table)}")
    return []


def _check_fits(found: Sequence[Asked], model: AskedModel, pairs: int, window: int, table: str) -> None:
    """Raise ConfigError, naming the conversations, where some do not fit a model's own window."""
    needed = {asked.conversation.id: _needed(asked, pairs, model.max_output_tokens or USUAL_REPLY) for asked in found}
    long = [name for name, tokens in needed.items() if tokens > window]
    if long:
        names = ", ".join(long[:MOST_NAMED]) + (f" and {len(long) - MOST_NAMED} more" if len(long) > MOST_NAMED else "")
        told = f"up to about {max(needed.values()):,} tokens with history and reply; its context window is {window:,}"
        own = f"if it holds more: tui-eval models edit {model.name} --set context_window=N, or {table}.context_window = N"
        which = f"{len(long)} of {len(found)} conversations do not fit {model.name} ({names})"
        raise ConfigError(f"{table}.context: {which}: {told}: {_way_out(table)}; {own}")


def _way_out(table: str) -> str:
    return f'show less of it (context = "retrieved" or "passages"), or lower {table}.history_pairs or run.max_output_tokens'


def _needed(asked: Asked, pairs: int, reply: int) -> int:
    """The tokens that the longest prompt of a conversation takes, with its reply."""
    turns = asked.conversation.turns
    questions = sum(tokens_of(turn.question) for turn in turns)
    return math.ceil(max(map(tokens_of, asked.contexts)) + questions + (min(pairs, len(turns) - 1) + 1) * reply)
