"""Tells work on a text (to summarise, rewrite, translate it, to extract from it) from a question, by its words."""

import re
from functools import lru_cache
from typing import Literal

from tui_eval.simulator.answers.prompt_sections import paragraphs

Task = Literal["shorten", "keep", "translate", "extract"]
"""What is to be done with a text: keep = write it down again, whole, in the same words or in others."""
_VERBS: dict[Task, str] = {
    "shorten": r"summari[sz](?:e|es|ing)|shorten(?:s|ing)?|condens(?:e|es|ing)|abridg(?:e|es|ing)|sum up|boil down",
    "keep": r"re-?writ(?:e|es|ing)|re-?phras(?:e|es|ing)|re-?word(?:s|ing)?|paraphras(?:e|es|ing)|reformulat(?:e|es|ing)|"
    r"transcrib(?:e|es|ing)|proofread(?:s|ing)?|simplif(?:y|ies|ying)|copy out",
    "translate": r"translat(?:e|es|ing)",
    "extract": r"extract(?:s|ing)?|(?:pick|pull|pulls|picks) out",
}
_NOUNS: dict[Task, str] = {
    "shorten": r"summary|summaries|synops[ie]s|précis|abridgements?|abstracts?|short(?:er|ened)? version|tl;?dr",
    "keep": r"transcripts?|transcriptions?|paraphrases?|rewrites?|rewritten version",
    "translate": r"translations?",
    "extract": r"extractions?",
}
_ALL_VERBS, _ALL_NOUNS = ("|".join(f"(?P<{task}>{words})" for task, words in table.items()) for table in (_VERBS, _NOUNS))
_BY_VERB = re.compile(rf"\b(?:{_ALL_VERBS})\b", re.I)
_BY_NOUN = re.compile(
    r"\b(?:writ(?:e|es|ing)|give|mak(?:e|es|ing)|produc(?:e|es|ing)|provid(?:e|es)|create|draft|return|compose|prepare|generate|"
    rf"need|want|reply with|respond with|answer with)\b[^.\n]{{0,50}}?\b(?:{_ALL_NOUNS})\b",
    re.I,
)
_CUED = re.compile(rf"\b(?:{_ALL_NOUNS})\b[^:\n]*:\s*\Z", re.I)
_SPEAKS = re.compile(
    rf"\b(?:{'|'.join(_VERBS.values())}|{'|'.join(_NOUNS.values())}|(?:summari[sz]|shorten|condens|abridg|translat|transcrib)ed)\b",
    re.I,
)
_NO_ORDER = re.compile(
    r"(?:\b(?:do not|don't|without|no|never|not|need not|rather than|instead of)\s+(?:[\w-]+\s+){0,2}|"
    r"\b(?:the|a|an|this|its|his|her|their|each|every|following|of)\s+)$",
    re.I,
)
"""What stands before such a verb that orders nothing: not to do it, or a noun that looks like it (an extract)."""
_LEADS = re.compile(
    r"\W*(?:(?:please|now|then|first|next|kindly|can|could|would|will|you|your|task|is|to|just|and|read|it|the|this|text|"
    r"document|below|above|i)\W+){0,10}",
    re.I,
)
"""What may stand before the verb of a sentence that is an order, whatever its last sign is: "Could you summarise it?"."""
_ASKS = re.compile(
    r"\banswer(?:s|ing)? (?:[\w']+ ){0,3}questions?\b|\banswer (?:from|out of|by|using|the user|it|them|whatever|what)\b|"
    r"\bthe (?:user's|following|given) questions?\b|\bquestions? (?:about|below|follows?|that)\b",
    re.I,
)
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|\n+")
_INLINE = re.compile(r"([^\n:]{3,200}:)\s+(\S.*)", re.S)
_CUE = re.compile(r"\n\s*([^\W\d_][^\n.:]{0,60}:)\s*\Z")
_LONGEST_ORDER = 400
_LEAST_WORDS = 12


@lru_cache(maxsize=512)
def task_of(words: str, *, leading: bool = False) -> Task | None:
    """Return the task that a prompt's own words order; leading: only by how sentences begin, where a text may be in them."""
    for sentence in _SENTENCE_END.split(words):
        if found := _task(sentence, leading=leading or sentence.rstrip().endswith("?")):
            return found
    # The line that a reply is to follow: "Summary:".
    return None if leading else _named(_CUED.search(words, max(len(words) - 80, 0)))


def asks(words: str) -> bool:
    """Return whether a prompt's own words ask something, or speak of questions, besides what they order."""
    sentences = _SENTENCE_END.split(words)
    return any(one.rstrip().endswith("?") and not _task(one, leading=True) for one in sentences) or bool(_ASKS.search(words))


def is_question(text: str) -> bool:
    """Return whether a paragraph is a question, and nothing beside it."""
    return text.endswith("?") and len(_SENTENCE_END.split(text)) == 1


@lru_cache(maxsize=512)
def speaks_of_work(words: str) -> bool:
    """Return whether words speak of a summary, a translation and the like, as those of a prompt for a mark do."""
    return bool(_SPEAKS.search(words))


def beside(words: str) -> tuple[str, str]:
    """The order in a message without headings, and the text beside it: behind a colon, below it or above it; or nothing."""
    inline = _INLINE.match(words)
    if inline and task_of(inline[1], leading=True):
        return inline[1], inline[2].strip()
    pieces = paragraphs(words)
    ends = [n for n in {0, len(pieces) - 1} if pieces and len(pieces[n]) <= _LONGEST_ORDER and task_of(pieces[n], leading=True)]
    orders = "\n\n".join(pieces[n] for n in ends)
    return orders, "\n\n".join(piece for n, piece in enumerate(pieces) if n not in ends)


def without_cue(text: str) -> tuple[str, str]:
    """A text, and the line behind it that a reply is to follow ("Summary:"), or nothing."""
    cue = _CUE.search(text, max(len(text) - 80, 0))
    return (text[: cue.start()].rstrip(), cue[1]) if cue else (text, "")


def is_text(text: str) -> bool:
    """Return whether a message is long enough to be a text to work on."""
    return len(text.split(None, _LEAST_WORDS)) >= _LEAST_WORDS


def _task(sentence: str, *, leading: bool) -> Task | None:
    if leading:
        start = lead.end() if (lead := _LEADS.match(sentence)) else 0
        return _named(_BY_VERB.match(sentence, start) or _BY_NOUN.match(sentence, start))
    ordered = (found for found in _BY_VERB.finditer(sentence) if not _NO_ORDER.search(sentence[: found.start()]))
    found = next(ordered, None) or _BY_NOUN.search(sentence)
    return None if found is None or _NO_ORDER.search(sentence[: found.start()]) else _named(found)


def _named(found: re.Match[str] | None) -> Task | None:
    return next((task for task in _VERBS if found[task]), None) if found else None
