"""The rules that proposed questions are held against without asking anybody; each that does not hold, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tui_eval.core.document_text import PAGE_BREAK, page_at
from tui_eval.kinds.question_writing.material import Piece
from tui_eval.kinds.question_writing.question_replies import Draft
from tui_eval.reading.question_checks import (
    FOLLOW_UP,
    numbers_reason,
    quote_reason,
    told_reason,
)
from tui_eval.reading.quotes import find_quote
from tui_eval.reading.same_questions import Asked, duplicates
from tui_eval.reading.standing_alone import pointing_reason
from tui_eval.reading.writing_systems import foreign_reason

BUILDS_ON_DROPPED = "builds on a question that was dropped"


@dataclass(frozen=True, slots=True)
class Sifted:
    """A proposed question, and what became of it so far."""

    draft: Draft
    why: str = ""
    """Why it is dropped; empty = it is not."""
    quote: str = ""
    """In the document's own words."""
    at: int | None = None
    """Where it begins in the document's text."""
    page: int | None = None
    quote_at: tuple[tuple[int, int], ...] = ()
    """Where it stands in the document's text, if it runs over a page's end: what lies between its parts is no part of it."""
    repaired: bool = False
    first: bool = False
    """Whether it has to be understood by itself."""
    known_without: bool = False
    place: int = 0
    """Its place among the questions of its reply."""

    @property
    def turn(self) -> dict[str, Any]:
        """The question as it is kept, or was proposed; what it builds on by the place that has in the reply."""
        marks = {"quote_at": self.quote_at, "quote_repaired": self.repaired, "known_without_document": self.known_without}
        return {
            "question": self.draft.question,
            "ground_truth": self.draft.answer,
            "quote": self.draft.quote if self.why else self.quote,
            "page": self.page,
            "type": self.draft.type,
            "answerable": self.draft.answerable,
            "place": self.place,
            "depends_on": self.draft.depends_on,
            **{name: value for name, value in marks.items() if value},
        }


def sift_turns(drafts: Sequence[Draft], piece: Piece) -> list[Sifted]:
    """A conversation's turns: what follows a dropped one falls with it, and only the last may have no answer."""
    found = [sifted(draft, place, piece, first=draft.depends_on is None) for place, draft in enumerate(drafts)]
    alone = len(drafts) > 1 and all(draft.depends_on is None and draft.type != FOLLOW_UP for draft in drafts)
    for place, one in enumerate(found):
        why = "no question of its conversation builds on another" if alone else ""
        why = why or ("more than were asked for" if place >= piece.turns else "")
        is_last = place == min(len(found), piece.turns) - 1
        why = why or ("cannot be answered, and is not the last" if not one.draft.answerable and not is_last else "")
        found[place] = replace(one, why=one.why or why)
    return without_dropped(_once(found), conversation=True)


def sift_questions(drafts: Sequence[Draft], piece: Piece, made: Sequence[Sifted]) -> list[Sifted]:
    """Single questions: of each category no more than are wanted and not there yet. `made`: those of earlier rounds."""
    kept = [one for one in made if not one.why]
    wanted = {entry["name"]: entry["count"] for entry in piece.lacking([one.draft.type for one in kept])}
    found = []
    for one in _once([*kept, *(sifted(draft, len(made) + n, piece, first=True) for n, draft in enumerate(drafts))])[
        len(kept) :
    ]:
        if not one.why and one.draft.type not in wanted:
            one = replace(one, why=f"of no category that was asked for: {one.draft.type!r}")
        elif not one.why and not wanted[one.draft.type]:
            one = replace(one, why="more than were asked for")
        elif not one.why:
            wanted[one.draft.type] -= 1
        found.append(one)
    return found


def without_dropped(found: Sequence[Sifted], conversation: bool) -> list[Sifted]:
    """The same, where in a conversation what builds on a dropped question is dropped, too."""
    kept: list[Sifted] = []
    for one in found:
        earlier = one.draft.depends_on
        if conversation and not one.why and earlier is not None and kept[earlier].why:
            one = replace(one, why=BUILDS_ON_DROPPED)
        kept.append(one)
    return kept


def _once(found: Sequence[Sifted]) -> list[Sifted]:
    """The same, where a question that repeats an earlier one that holds is dropped."""
    places = [n for n, one in enumerate(found) if not one.why]
    asked = [Asked(found[n].draft.question, found[n].draft.answer, found[n].quote, at=found[n].at) for n in places]
    twice = {places[n] for n, first in enumerate(duplicates(asked)) if first is not None}
    return [replace(one, why="asks what another question asks") if n in twice else one for n, one in enumerate(found)]


def sifted(draft: Draft, place: int, piece: Piece, first: bool) -> Sifted:
    """One question by itself, at its place. `first`: it has to be understood without any other."""
    new = Sifted(draft, first=first, place=place)
    unsaid = piece.output_format.require_answerable_flag and not draft.says_answerable
    why = "it is not said whether it can be answered" if unsaid else ""
    why = why or (pointing_reason(draft.question) if first and not piece.attachment else "")
    why = why or (told_reason(draft.question, draft.answer) if draft.answerable else "")
    if why or piece.attachment:
        return replace(new, why=why)
    why = foreign_reason(draft.question, piece.text)
    if why or not draft.answerable:
        return replace(new, why=why)
    quoted = _quoted(draft.quote, piece)
    if quoted is None:
        return replace(new, why=quote_reason(draft.quote, piece.text, piece.whole) or "its quote is not in the text")
    if why := numbers_reason(draft.answer, draft.quote, piece.text):
        return replace(new, why=why)
    parts = quoted.parts
    over = PAGE_BREAK in piece.whole[parts[0][0] : parts[-1][1]]
    page = page_at(piece.whole, parts[0][0]) if piece.paged else None
    at, quote_at = parts[0][0], parts if over else ()
    return replace(new, quote=quoted.words, at=at, page=page, quote_at=quote_at, repaired=quoted.repaired)


@dataclass(frozen=True, slots=True)
class _Quoted:
    """A quote that was found: the document's own words, and where in its text they stand, part by part."""

    words: str
    parts: tuple[tuple[int, int], ...]
    repaired: bool


def _quoted(quote: str, piece: Piece) -> _Quoted | None:
    """Where a quote stands: one that runs over a page's end is looked for with and without the running lines between."""
    for reading in piece.readings:
        if where := find_quote(quote, reading.text, document=piece.whole):
            parts = reading.parts(where.start, where.end)
            words = reading.text[where.start : where.end].replace(PAGE_BREAK, "\n")
            placed = tuple((piece.start + start, piece.start + end) for start, end in parts)
            return _Quoted(words, placed, where.how == "repaired")
    return None
