"""One question in full, as lines to read: its options with the right one marked, or its answers, and what else is on file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from string import ascii_uppercase
from typing import Literal

from tui_eval.core.conversations import Turn
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_samples import CONVERSATION, DOCUMENT, TURN, turn_of
from tui_eval.datasets.field_values import is_blank
from tui_eval.datasets.groups import DOMAIN, TOPIC, calculation_of, difficulty_of

Meant = Literal["strong", "good", "accent", "dim", ""]


def in_full(question: Sample) -> Iterator[tuple[str, Meant]]:
    """Texts, not cleaned, and how each is meant; the right option has a sign, too."""
    yield question.question, "strong"
    yield "", ""
    if isinstance(question.data, Mapping):
        yield from _columns(question)
        return
    for number, option in enumerate(question.options):
        right = number == question.answer
        text = f"{'✓' if right else ' '} {ascii_uppercase[number]})  {option}"
        yield text + ("   (the right answer)" if right else ""), "good" if right else ""
    if not question.options:
        yield "answer", "accent"
        yield question.truth or "none stored", "" if question.truth else "dim"
    turn = turn_of(question)
    if turn is not None and turn.quote:
        yield "", ""
        yield f"where the document says so{'' if turn.page is None else f', page {turn.page}'}", "accent"
        yield f"“{turn.quote}”", ""
    for name, truth in question.document_truths.items():
        yield "", ""
        yield f"answer for the document {one_line(name, 80)}", "accent"
        yield truth, ""
    yield "", ""
    for fact in _facts(question):
        yield fact, "dim"


def _columns(question: Sample) -> Iterator[tuple[str, Meant]]:
    """Every column of a sample that has some of its own; of a list each entry on a line."""
    for name, value in question.data.items():
        if is_blank(value) or value == question.question:
            continue
        yield one_line(name, 80), "accent"
        entries = value if isinstance(value, list) else [value]
        if not entries:
            yield "an empty list", "dim"
        for entry in entries:
            yield entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False), ""
        yield "", ""


def _facts_of_turn(question: Sample, turn: Turn) -> Iterator[str]:
    """Yield a turn's place, and what is said of it."""
    place = "; ".join(question.group(CONVERSATION))
    yield f"conversation   {one_line(place, 200)}, turn {'; '.join(question.group(TURN))}"
    if turn.depends_on is not None:
        yield f"builds on      {one_line(turn.depends_on, 200)}"
    yield f"document       {one_line('; '.join(question.group(DOCUMENT)), 200) or '-'}"
    yield f"type           {one_line(turn.type, 200) or '-'}"
    if not turn.answerable:
        yield "answerable     no: the document does not say, and the right answer says so"
    if turn.quote_repaired:
        yield "quote          it was written differently; here it is as the document has it"
    if turn.known_without_document:
        yield "known          a model answered it correctly without the document"


def _facts(question: Sample) -> Iterator[str]:
    """Yield the other facts on file; what a benchmark does not say is "-"."""
    turn = turn_of(question)
    if turn is not None:
        yield from _facts_of_turn(question, turn)
        return
    if not question.options:
        yield f"asked of       {one_line(', '.join(question.documents) or 'every document of the set', 2000)}"
        return
    yield f"difficulty     {one_line(difficulty_of(question)) or '-'}"
    yield f"domains        {one_line('; '.join(question.group(DOMAIN)), 2000) or '-'}"
    yield f"topics         {one_line('; '.join(question.group(TOPIC)), 2000) or '-'}"
    yield f"a calculation  {calculation_of(question) or '-'}"
