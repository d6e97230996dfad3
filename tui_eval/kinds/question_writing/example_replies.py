"""The replies that plans rest on: questions about a piece that are kept, so that what follows them is planned."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache

from tui_eval.kinds.question_writing.filtering import sifted
from tui_eval.kinds.question_writing.material import Piece
from tui_eval.kinds.question_writing.question_replies import Draft
from tui_eval.reading.question_checks import FACT, FOLLOW_UP, alike

_SENTENCE = re.compile(r"[^.!?。！？\f\n]{12,200}[.!?。！？]?")
_FIRST = 1001
"""A number that questions are told apart by; such as the text has are left out."""
FOLLOWS = {"depends_on": 1}


@lru_cache(maxsize=1024)
def example_reply(piece: Piece) -> str:
    """A reply that asks all that is wanted of a piece, each with words of the text that answer it.

    A flow is driven again and again, for the plan, the run, its files and its reports: the same piece is not searched again.
    """
    sorts = [one["name"] for one in piece.lacking(()) for _ in range(one["count"])]
    sorts = sorts or [FACT, *[FOLLOW_UP] * (piece.turns - 1)]
    said = list(dict.fromkeys(" ".join(found.split()) for found in _SENTENCE.findall(piece.text))) or [piece.text[:200].strip()]
    numbers = (n for n in range(_FIRST, _FIRST + len(piece.text) + len(sorts) + 1) if str(n) not in piece.text)
    drafts: list[Draft] = []
    for n, sort in enumerate(sorts):
        drafts.append(_draft(sort, [*said[n % len(said) :], *said], next(numbers), piece, drafts))
    single = piece.schema is not None
    names = ("category", "reference_answer") if single else ("type", "answer")
    entries = [
        {names[0]: one.type, "question": one.question, names[1]: one.answer, "quote": one.quote}
        | ({} if single or not n else FOLLOWS)
        | ({"answerable": True} if piece.output_format.require_answerable_flag else {})
        for n, one in enumerate(drafts)
    ]
    return json.dumps({"questions" if single else "turns": entries}, ensure_ascii=False)


def _draft(sort: str, said: Sequence[str], number: int, piece: Piece, earlier: Sequence[Draft]) -> Draft:
    """A question that holds: about a sentence, by its longest word, or else by a number alone. `said`: the sentences to try."""
    first = piece.schema is not None or not earlier
    for quote in said:
        words = quote.split() or [sort]
        for question in (f"{max(words, key=len)} {number}, {words[-1]} {number}?", f"{number}?"):
            found = Draft(question, quote or "An answer.", quote, sort)
            if not any(alike(one.question, question) for one in earlier) and not sifted(found, len(earlier), piece, first).why:
                return found
    return found
