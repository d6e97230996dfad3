"""Reads a context: which of its sentences tells what is asked, how well it bears out an answer, how alike two texts are."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tui_eval.simulator.answers.knowledge import contains, fold

_COMMON = (
    "the and for are was were has have had been being its his her their this that these those with from into onto upon "
    "what which who whom whose when where why how does did doing done can could would should may might must will shall "
    "you your our not but than then there here they them she him about many much any some all more most very just also "
    "one ones let say said says tell told give given name answer question according document text passage context is it "
    "in on of to at by as an or be do if so up we he me my no us am per"
)
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]*[A-ZÀ-Þ0-9])|\n\s*\n|\n(?=\s*(?:[-*•|#]|\d+[.)]))")
_COMMON_WORDS = frozenset(_COMMON.split())
_HARD_BREAK = re.compile(r"\s*\n\s*")
_NOT_TOLD = (
    r"(?:tell|say|mention|state|contain|include|give|specify|provide|answer|cover|told|said|mentioned|stated|given|specified)"
)
_DECLINES = re.compile(
    r"\b(?:documents?|text|passage|context|pages?|source|handbook|report|excerpt|it|that|this)\b[^.]{0,40}"
    rf"\b(?:does|do|is|are|was)(?: not|n['’]t) (?:\w+ )?{_NOT_TOLD}\b|"
    r"\b(?:cannot|can['’]t|could not|couldn['’]t) (?:be )?(?:\w+ )?(?:tell|told|know|known|find|found|answered?|determined?)\b|"
    r"\b(?:do not|don['’]t) know\b|\bnot (?:mentioned|stated|given|specified|told|found|answerable) (?:in|by|from)\b|"
    r"\bno (?:information|mention|answer) \w+\b|\bunanswerable\b",
    re.I,
)
_LEAST_SHARED = 2
_LEAST_SHARE = 0.34
_WEIGHT_OF_HISTORY = 0.5
_OWN_WORDS = 0.75
_OF_A_REFUSAL = 0.1


@dataclass(frozen=True, slots=True)
class Context:
    """A text, sentence by sentence."""

    sentences: tuple[str, ...]
    words: tuple[frozenset[str], ...]
    """The telling words of each sentence."""
    weight: dict[str, float]
    """How telling a word is here: the rarer, the more."""


@dataclass(frozen=True, slots=True)
class Found:
    """Sentences of a context that bear on a question."""

    ranked: tuple[str, ...]
    """Its sentences, the one that shares most with the question first; only those that share something."""
    tells: bool
    """Whether the first of them shares enough to be an answer."""


def stems(text: str) -> frozenset[str]:
    """The telling words of a text, with their commonest endings taken off."""
    return frozenset(
        _stem(word) for word in fold(text).split() if word not in _COMMON_WORDS and (len(word) > 1 or word.isdigit())
    )


def _stem(word: str) -> str:
    if word.isdigit() or len(word) < 4:
        return word
    for ending in ("ings", "ing", "ies", "ied", "ed", "es", "ly", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=32)
def read(text: str) -> Context:
    """Read a context. The same one comes with many questions, so the last few are kept."""
    pieces = (_HARD_BREAK.sub(" ", piece).strip() for piece in _SENTENCE.split(text))
    # A heading in capitals, or of one or two words, says nothing.
    sentences = tuple(
        dict.fromkeys(piece for piece in pieces if len(piece.split()) > 2 and not piece.isupper() and stems(piece))
    )
    words = tuple(stems(sentence) for sentence in sentences)
    counts = Counter(word for one in words for word in one)
    weight = {word: 1 + math.log(len(sentences) / count) for word, count in counts.items()}
    return Context(sentences, words, weight)


def look_up(context: Context, question: str, history: Sequence[str] = ()) -> Found:
    """The sentences that share words with the question; what was asked before it counts half, for "and on Friday?"."""
    asked = stems(question)
    before = frozenset(word for text in history[-1:] for word in stems(text)) - asked
    scores = [
        sum(context.weight[word] for word in words & asked)
        + _WEIGHT_OF_HISTORY * sum(context.weight[word] for word in words & before)
        for words in context.words
    ]
    order = sorted((n for n, score in enumerate(scores) if score > 0), key=lambda n: (-scores[n], n))
    if not order:
        return Found((), tells=False)
    best = context.words[order[0]]
    shared = len(best & asked) + _WEIGHT_OF_HISTORY * len(best & before)
    enough = shared >= _LEAST_SHARED and len(best & asked) >= _LEAST_SHARE * len(asked)
    return Found(tuple(context.sentences[n] for n in order), tells=enough)


def declines(text: str) -> bool:
    """Return whether a text says that the answer is not to be had."""
    return bool(_DECLINES.search(text))


def agreement(answer: str, reference: str) -> float:
    """Score how well an answer agrees with the true one, from 0 to 1: whole, or by the share of its telling words."""
    if declines(reference) or declines(answer):
        return float(declines(reference) == declines(answer))
    if contains(answer, reference):
        return 1.0
    wanted, given = stems(reference), stems(answer)
    if not wanted:
        return 0.0
    share = len(wanted & given) / len(wanted)
    figures = {word for word in wanted if word[0].isdigit()}
    return share if figures <= given else share / 2


def support(answer: str, context: Context) -> float:
    """Score how well a context supports an answer, from 0 to 1: by the words of each sentence that one place of it has."""
    return 1.0 if declines(answer) else _borne_out(answer, context)


def kept(answer: str, context: Context) -> float:
    """Score how well work on a text (a summary, a translation) is supported by that text, from 0 to 1.

    Whoever says that the text does not tell has not done it; unless the words are the text's own, which may say so.
    """
    share = _borne_out(answer, context)
    return min(share, _OF_A_REFUSAL) if share < _OWN_WORDS and declines(answer) else share


def _borne_out(answer: str, context: Context) -> float:
    claims = [words for sentence in _sentences(answer) if (words := stems(sentence))]
    if not claims or not context.words:
        return 0.0
    # Two sentences side by side are one place: an answer may draw on both.
    places = [first | second for first, second in zip(context.words, (*context.words[1:], frozenset()), strict=True)]
    known = frozenset(context.weight)
    shares = [max(len(claim & place) for place in places) / len(claim) for claim in claims]
    return sum(shares) / len(shares) * (1 if figures_of(answer) <= known else 0.6)


def figures_of(text: str) -> frozenset[str]:
    """The numbers in a text."""
    return frozenset(word for word in fold(text).split() if word[0].isdigit())


def relevance(answer: str, question: str, context: Context | None) -> float:
    """Score the relevance of an answer to its question, from 0 to 1, by words that they or its place in the text share."""
    asked = stems(question)
    if declines(answer):
        return 0.5
    if not asked:
        return 1.0
    given = stems(answer)
    nearest: Iterable[str] = ()
    if context is not None and context.words and given:
        place = max(context.words, key=lambda words: len(words & given) / math.sqrt(len(words)))
        nearest = place if 2 * len(place & given) >= len(given) else ()
    # Half the words of a question are enough: nobody repeats them all.
    return min(1.0, 2 * len(asked & given.union(nearest)) / len(asked))


def _sentences(text: str) -> list[str]:
    return [piece for piece in _SENTENCE.split(text) if piece.strip()]
