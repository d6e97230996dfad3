"""The conversations of a set on file that a run asks: which of their turns, and what is shown of the document with each."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tui_eval.core.conversations import Conversation, Turn
from tui_eval.core.document_text import PAGE_BREAK, page_at, pages_of
from tui_eval.core.errors import ConfigError
from tui_eval.core.units import digest
from tui_eval.datasets.conversation_files import read_conversations
from tui_eval.evaluation.inputs import Inputs, json_of
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.reading.document_body import tokens_of
from tui_eval.reading.passages import passages_of

_K, _B = 1.2, 0.75
"""How soon a word that is repeated stops counting, and how far long passages are held back; the usual values."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
"""A word; of scripts without blanks each character."""


def best_passages(query: str, passages: Sequence[str], n: int) -> list[int]:
    """The places of the n passages that go best with the query, in the order of the text; all where there are no more.

    BM25 (Robertson and Zaragoza 2009) with idf = ln(1 + (N - df + 0.5) / (df + 0.5)); of equals the earlier one.
    """
    words = [Counter(_words(passage)) for passage in passages]
    lengths = [counts.total() for counts in words]
    usual = sum(lengths) / len(lengths) if any(lengths) else 1.0
    within = Counter(word for counts in words for word in counts)
    weight = {word: math.log(1 + (len(words) - df + 0.5) / (df + 0.5)) for word, df in within.items()}
    query_words = list(dict.fromkeys(_words(query)))

    def score(place: int) -> float:
        held_back = _K * (1 - _B + _B * lengths[place] / usual)
        counts = words[place]
        return sum(weight[word] * counts[word] * (_K + 1) / (counts[word] + held_back) for word in query_words if counts[word])

    return sorted(sorted(range(len(passages)), key=lambda place: (-score(place), place))[:n])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


Shown = Literal["document", "retrieved", "passages", "none"]
RETRIEVED = 8
"""How many passages are shown of a document that is searched."""


def shown_of(text: str, turns: Sequence[Turn], how: Shown) -> tuple[str, ...]:
    """By turn what is shown of a text, the same to all models; empty = nothing.

    A search goes by the questions so far. The pages are those that the quotes of any turn stand on; where none does, all.
    """
    if how == "none" or not text:
        return ("",) * len(turns)
    if how == "retrieved":
        passages = [_plain(passage.text) for passage in passages_of(text)] or [_plain(text)]
        queries = [" ".join(turn.question for turn in turns[: n + 1]) for n in range(len(turns))]
        return tuple("\n\n".join(passages[n] for n in best_passages(query, passages, RETRIEVED)) for query in queries)
    pages = pages_of(text) if how == "passages" and PAGE_BREAK in text else []
    quoted = sorted({page for turn in turns for page in _pages_of(turn, text) if page <= len(pages)})
    return ("\n\n".join(pages[page - 1] for page in quoted) or _plain(text),) * len(turns)


def _pages_of(turn: Turn, text: str) -> Iterable[int]:
    """The pages on which the quote of a turn stands: two where it runs over a page's end."""
    if turn.quote_at and turn.quote_at[-1][1] <= len(text):
        return range(page_at(text, turn.quote_at[0][0]), page_at(text, turn.quote_at[-1][1]) + 1)
    return (turn.page,) if turn.page else ()


def _plain(text: str) -> str:
    return text.replace(PAGE_BREAK, "\n\n")


USUAL_REPLY = 2000
"""Tokens that a reply is counted with that has no limit."""
MOST_NAMED = 5
WAY_OUT = 'show less of it (context = "retrieved" or "passages"), or lower chat.history_pairs or run.max_output_tokens'
SMALL_WINDOW = 32_000
"""Tokens that every model in use today has room for."""


@dataclass(frozen=True, slots=True)
class SelectedConversation:
    """A conversation of which something is asked."""

    conversation: Conversation
    places: tuple[int, ...]
    """Of the turns that are asked."""
    contexts: tuple[str, ...]
    """By turn: what is shown of the document; empty = nothing."""
    times: tuple[int, ...]
    """By turn: with how many turns that are asked the same is shown, in the whole set."""
    document: str
    """A digest of the document, whatever of it is shown; empty = none."""


def selected_conversations(
    inputs: Inputs, role: str, selected: Collection[str], how: Shown
) -> tuple[str, list[SelectedConversation]]:
    """Return the name of a set, and its conversations with the selected turns (none = all). ConfigError, naming the key."""
    file, key = inputs.one(role), inputs.keys[role]
    dataset = read_conversations(json_of(file, key), file.name)
    ids = {turn.id for conversation in dataset.conversations for turn in conversation.turns}
    selected_ids = {turn_id for turn_id in ids if turn_id in selected or _short(turn_id) in {*selected} - ids}
    if unknown := set(selected) - selected_ids - {*map(_short, selected_ids)}:
        raise ConfigError(f"{key.rpartition('.')[0]}.selected: {min(unknown)!r} is not a question of {file.name}")
    documents = {document.filename: document for document in dataset.documents}
    entries = []
    for conversation in dataset.conversations:
        places = tuple(n for n, turn in enumerate(conversation.turns) if not selected or turn.id in selected_ids)
        if places:
            about = documents.get(conversation.document)
            hashed = "" if about is None else digest(about.sha256, about.text)
            entries.append(
                (conversation, places, shown_of("" if about is None else about.text, conversation.turns, how), hashed)
            )
    counts = Counter(contexts[n] for _, places, contexts, _ in entries for n in places)
    conversations = [
        SelectedConversation(conversation, places, contexts, tuple(counts[context] for context in contexts), about)
        for conversation, places, contexts, about in entries
    ]
    return dataset.name or file.name.removesuffix(".json"), conversations


def _short(turn_id: str) -> str:
    """Return a turn's short name for a selection, where no id is that: of a folder's question the id without its document."""
    return turn_id.rpartition("/")[2]


def check_window(
    conversations: Sequence[SelectedConversation],
    models: Sequence[AskedModel],
    pairs: int,
    stated: int | None,
    windows: Mapping[str, int],
) -> list[str]:
    """A sentence where nobody says how much fits a model that is shown much.

    ConfigError where a document, so many pairs of history and a reply do not fit the window that is stated for all models, else
    those that are known, by model: it says which conversations do not. Windows hold prompt and reply together, in tokens.
    """
    if not conversations:
        return []
    for model in () if stated is not None else models:
        if model.name in windows:
            _check_fits(conversations, model, pairs, windows[model.name])
    unknown = [model for model in models if stated is not None or model.name not in windows]
    if not unknown:
        return []
    reply = max(model.max_output_tokens or USUAL_REPLY for model in unknown)
    most, conversation = max(
        ((_needed(entry, pairs, reply), entry.conversation) for entry in conversations), key=lambda each: each[0]
    )
    if stated is None:
        size_text = f"{conversation.document or conversation.id} takes about {most:,} tokens with history and reply"
        unsure = f"{size_text}; whether the models' windows hold that is not known: chat.context_window = N checks it"
        return [unsure] if most > SMALL_WINDOW else []
    if most > stated:
        size_text = f"about {most:,} tokens with history and reply; chat.context_window is {stated:,}"
        raise ConfigError(f"chat.context: {conversation.id}: {conversation.document or 'no document'}: {size_text}: {WAY_OUT}")
    return []


def _check_fits(conversations: Sequence[SelectedConversation], model: AskedModel, pairs: int, window: int) -> None:
    """Raise ConfigError, naming the conversations, where some do not fit a model's own window."""
    needed = {entry.conversation.id: _needed(entry, pairs, model.max_output_tokens or USUAL_REPLY) for entry in conversations}
    long = [name for name, tokens in needed.items() if tokens > window]
    if long:
        names = ", ".join(long[:MOST_NAMED]) + (f" and {len(long) - MOST_NAMED} more" if len(long) > MOST_NAMED else "")
        size_text = f"up to about {max(needed.values()):,} tokens with history and reply; its context window is {window:,}"
        own = f"if it holds more: tui-eval models edit {model.name} --set context_window=N, or chat.context_window = N"
        which = f"{len(long)} of {len(conversations)} conversations do not fit {model.name} ({names})"
        raise ConfigError(f"chat.context: {which}: {size_text}: {WAY_OUT}; {own}")


def _needed(entry: SelectedConversation, pairs: int, reply: int) -> int:
    """The tokens that the longest prompt of a conversation takes, with its reply."""
    turns = entry.conversation.turns
    questions = sum(tokens_of(turn.question) for turn in turns)
    return math.ceil(max(map(tokens_of, entry.contexts)) + questions + (min(pairs, len(turns) - 1) + 1) * reply)
