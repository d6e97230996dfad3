"""One question in full, as lines to read: its options with the right one marked, or its answers, and what else is on file."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase
from typing import Literal

from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import DOMAIN, TOPIC, calculation_of, difficulty_of

Meant = Literal["strong", "good", "accent", "dim", ""]


def in_full(question: Sample) -> Iterator[tuple[str, Meant]]:
    """Texts, not cleaned, and how each is meant; the right option has a sign, too."""
    yield question.question, "strong"
    yield "", ""
    for number, option in enumerate(question.options):
        right = number == question.answer
        text = f"{'✓' if right else ' '} {ascii_uppercase[number]})  {option}"
        yield text + ("   (the right answer)" if right else ""), "good" if right else ""
    if not question.options:
        yield "answer", "accent"
        yield question.truth or "none on file", "" if question.truth else "dim"
    for name, truth in question.document_truths.items():
        yield "", ""
        yield f"answer for the document {one_line(name, 80)}", "accent"
        yield truth, ""
    yield "", ""
    for fact in _facts(question):
        yield fact, "dim"


def _facts(question: Sample) -> Iterator[str]:
    """What else is on file; what a benchmark does not say is "-"."""
    if not question.options:
        yield f"asked of       {one_line(', '.join(question.documents) or 'every document of the set', 2000)}"
        return
    yield f"difficulty     {one_line(difficulty_of(question)) or '-'}"
    yield f"domains        {one_line('; '.join(question.group(DOMAIN)), 2000) or '-'}"
    yield f"topics         {one_line('; '.join(question.group(TOPIC)), 2000) or '-'}"
    yield f"a calculation  {calculation_of(question) or '-'}"
