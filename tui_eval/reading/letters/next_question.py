"""Where a reply goes on as somebody else: with the next question, as base models do, or with what a user says."""

from __future__ import annotations

import re

from tui_eval.reading.letters.outcome import Question
from tui_eval.reading.letters.plain import words_of

_ANSWER = r"(?:the )?(?:correct |final )?(?:answer|antwort|respuesta|réponse|risposta|resposta|ответ|答案|答え|정답|a) ?:"
_ITEM = r"(?:[(\[]?[a-z][.):\]] ?[^\n]{1,400}\n)"
_BLOCK = re.compile(
    rf"(?i)\n(?P<head>(?![(\[]?[a-z][.):\]] )[^\n]{{1,600}})\n(?P<options>(?=[(\[]?a[.):\]]){_ITEM}{{2,26}}){_ANSWER}"
)
"""A question, its options, and the words before its answer."""
_ASKED = re.compile(
    rf"(?i)\n(?:q|question|frage|pregunta|问题|問題|问)(?: ?#?\d{{1,4}})? ?[:.] ?[^\n]{{1,600}}\n{_ANSWER}(?P<said>[^\n]*)"
)
"""A question without options, and the words before its answer."""
_TURN = re.compile(r"\n(?P<who>User|Human|Student|USER|HUMAN) ?:(?=\s|\Z)")
_TITLE = re.compile(r"(?i)\n(?:next )?(?:question|problem|exercise|example|frage|pregunta)\b[^\n]{0,12}\Z")
_OPTION = re.compile(r"(?im)^[(\[]?[a-z][.):\]] ?(.+)$")


def without_next_question(text: str, question: Question) -> str:
    """The text up to the first new question with its own options or answer, or to the first turn of a user.

    A question whose options are those asked about is the one that the reply answers. Options that are not known could be
    the same.
    """
    if not question.texts:
        return text
    ends = [turn.start() for turn in _TURN.finditer(text) if not _is_option(turn["who"], question)][:1]
    ends += [asked.start() for asked in _ASKED.finditer(text) if not _is_option(asked["said"], question)][:1]
    ends += [block.start() for block in _BLOCK.finditer(text) if not _is_same(block["options"], question)][:1]
    if not ends:
        return text
    kept = text[: min(ends)]
    title = _TITLE.search(kept)
    kept = (kept[: title.start()] if title else kept).rstrip()
    return kept or text


def _is_option(words: str, question: Question) -> bool:
    said = words_of(words)
    return any(said and f"{option} ".startswith(f"{said} ") for option in question.texts)


def _is_same(lines: str, question: Question) -> bool:
    """Whether the options listed are those of the question, or some of them."""
    said = [f"{words_of(option)} " for option in _OPTION.findall(lines)]
    return any(words.startswith(f"{option} ") for words in said for option in question.texts if option)
