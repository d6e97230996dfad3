"""The rules that proposed questions are held against without asking anybody; and replies that hold, which plans rest on."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from tui_eval.core.document_text import PAGE_BREAK, Lean, page_at
from tui_eval.core.gathering import gathered
from tui_eval.kinds.question_writing.material import MaterialPiece
from tui_eval.kinds.question_writing.question_replies import ProposedQuestion
from tui_eval.reading.folding import Folded, folded
from tui_eval.reading.question_checks import (
    FACT,
    FOLLOW_UP,
    alike,
    numbers_reason,
    quote_reason,
    told_reason,
)
from tui_eval.reading.quotes import find_quote
from tui_eval.reading.same_questions import GroundedQuestion, duplicates
from tui_eval.reading.standing_alone import pointing_reason

_SCRIPTS = {
    "Latin": "A-Za-zªºÀ-ÖØ-öø-ʯḀ-ỿ",
    "Greek": "Ͱ-Ͽἀ-῿",
    "Cyrillic": "Ѐ-ԯ",
    "Armenian": "Ա-֏",
    "Hebrew": "א-ת",
    "Arabic": "ؠ-يٱ-ۓݐ-ݿ",
    "Devanagari": "ऀ-ॣॱ-ॿ",
    "Bengali": "ঀ-৥",
    "Tamil": "ஂ-௥",
    "Thai": "ก-๎",
    "Georgian": "Ⴀ-ჿ",
    "Hangul": "가-힣ᄀ-ᇿ㄰-㆏",
    "Han": "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f",
    "Kana": "ぁ-ゟァ-ヺー-ヿㇰ-ㇿｦ-ﾟ",
}
_LETTERS = {name: re.compile(f"[{letters}]") for name, letters in _SCRIPTS.items()}
_LONGEST = 20_000
"""Characters of a text that are looked at."""
_SHARE = 0.2
"""Letters that a text must at least have in the script of what it is about: names and terms keep theirs."""
_WORDS = {
    "English": "the of and is are what which how does do was were with for that this from when why who must can should by it",
    "German": "der die das und ist sind was welche welcher wie nicht mit für dass dem den ein eine einen wird werden von zu "
    "bei wann warum wer muss kann soll sich auf im",
    "French": "le la les des et est sont que quelle quel quels comment ne pas avec pour dans une un du au aux sur par quand "
    "pourquoi qui doit peut",
    "Spanish": "el la los las y es son qué cuál cuáles cómo no con para en una un del al por cuándo quién debe puede se su",
    "Italian": "il lo la gli le e è sono che quale quali come non con per nel nella una un del della di quando perché chi "
    "deve può",
    "Portuguese": "o a os as e é são que qual quais como não com para em uma um do da dos das no na quando quem deve pode",
    "Dutch": "de het een en is zijn wat welke hoe niet met voor dat van op in bij wanneer waarom wie moet kan wordt worden",
    "Polish": "i jest są co jaki jaka jakie jak nie z dla że w na do od przez kiedy dlaczego kto musi może się oraz",
    "Turkish": "ve bir bu ne hangi nasıl için ile mi mı değil olan olarak kadar ne zaman neden kim",
    "Russian": "и что как какой какая какие каким это от когда почему кто должен обязан может из они есть или",
    "Ukrainian": "і що як який яка які яким це від коли чому хто повинен може та із є вони або",
}
_LANGUAGES = gathered((word, name) for name, words in _WORDS.items() for word in dict.fromkeys(words.split()))
"""By small word the languages that have it."""
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 3
"""Small words that tell a language."""


@lru_cache(maxsize=16)
def script_of(text: str) -> str:
    """The script of most letters, such as "Latin" or "Cyrillic"; "Japanese" where kana stand among Han; "" without letters."""
    counts = _counts(text)
    if counts["Kana"] * 10 >= counts["Kana"] + counts["Han"] > 0:
        counts["Japanese"] = counts.pop("Kana") + counts.pop("Han", 0)
    return max(counts, key=lambda name: counts[name]) if any(counts.values()) else ""


@lru_cache(maxsize=16)
def language_of(text: str) -> str:
    """The language that a text's small words tell, of those known here; "" where they are few or tell of two alike."""
    hits = dict.fromkeys(_WORDS, 0)
    for word, n in Counter(_WORD.findall(text[:_LONGEST].casefold())).items():
        for name in _LANGUAGES.get(word, ()):
            hits[name] += n
    best, second = sorted(hits, key=lambda name: -hits[name])[:2]
    return best if hits[best] >= _ENOUGH and hits[best] >= 1.3 * hits[second] else ""


def foreign_reason(text: str, passage: str) -> str:
    """Why a text is not in the language of the passage it is about; "" where script and small words do not tell that."""
    script, counts = script_of(passage), _counts(text)
    letters = sum(counts.values())
    if not script or not letters:
        return ""
    theirs = counts["Kana"] + counts["Han"] if script == "Japanese" else counts[script]
    if theirs < _SHARE * letters:
        return f"it is written in {script_of(text)} letters, the text in {script}"
    if {script, script_of(text)} == {"Japanese", "Han"} and counts["Kana"] + counts["Han"] >= 10:
        actual, expected = ("Chinese", "Japanese") if script == "Japanese" else ("Japanese", "Chinese")
        return f"it is {actual}, the text {expected}"
    language, expected = language_of(text), language_of(passage)
    return f"it is {language}, the text {expected}" if language and expected and language != expected else ""


def _counts(text: str) -> Counter[str]:
    """The letters of a text by script."""
    head = text[:_LONGEST]
    if head.isascii():
        return Counter(Latin=sum(map(str.isalpha, head)))
    return Counter({name: len(letters.findall(head)) for name, letters in _LETTERS.items()})


BUILDS_ON_DROPPED = "builds on a question that was dropped"


@dataclass(frozen=True, slots=True)
class Sifted:
    """A proposed question, and what became of it so far."""

    draft: ProposedQuestion
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


def sift_turns(drafts: Sequence[ProposedQuestion], piece: MaterialPiece) -> list[Sifted]:
    """A conversation's turns: what follows a dropped one falls with it, and only the last may have no answer."""
    questions = [sifted(draft, place, piece, first=draft.depends_on is None) for place, draft in enumerate(drafts)]
    alone = len(drafts) > 1 and all(draft.depends_on is None and draft.type != FOLLOW_UP for draft in drafts)
    for place, question in enumerate(questions):
        why = "no question of its conversation builds on another" if alone else ""
        why = why or ("more than were asked for" if place >= piece.turns else "")
        is_last = place == min(len(questions), piece.turns) - 1
        why = why or ("cannot be answered, and is not the last" if not question.draft.answerable and not is_last else "")
        questions[place] = replace(question, why=question.why or why)
    return without_dropped(_once(questions), conversation=True)


def sift_questions(drafts: Sequence[ProposedQuestion], piece: MaterialPiece, earlier: Sequence[Sifted]) -> list[Sifted]:
    """Single questions: of each category no more than are wanted and not there yet. `earlier`: those of earlier rounds."""
    standing = [question for question in earlier if not question.why]
    missing = {entry["name"]: entry["count"] for entry in piece.lacking([question.draft.type for question in standing])}
    questions = []
    for question in _once([*standing, *(sifted(draft, len(earlier) + n, piece, first=True) for n, draft in enumerate(drafts))])[
        len(standing) :
    ]:
        if not question.why and question.draft.type not in missing:
            question = replace(question, why=f"of no category that was asked for: {question.draft.type!r}")
        elif not question.why and not missing[question.draft.type]:
            question = replace(question, why="more than were asked for")
        elif not question.why:
            missing[question.draft.type] -= 1
        questions.append(question)
    return questions


def without_dropped(questions: Sequence[Sifted], conversation: bool) -> list[Sifted]:
    """The same, where in a conversation what builds on a dropped question is dropped, too."""
    results: list[Sifted] = []
    for question in questions:
        earlier = question.draft.depends_on
        if conversation and not question.why and earlier is not None and results[earlier].why:
            question = replace(question, why=BUILDS_ON_DROPPED)
        results.append(question)
    return results


def _once(questions: Sequence[Sifted]) -> list[Sifted]:
    """The same, where a question that repeats an earlier one that holds is dropped."""
    places = [n for n, question in enumerate(questions) if not question.why]
    wordings = [
        GroundedQuestion(questions[n].draft.question, questions[n].draft.answer, questions[n].quote, at=questions[n].at)
        for n in places
    ]
    twice = {places[n] for n, first in enumerate(duplicates(wordings)) if first is not None}
    return [
        replace(question, why="asks what another question asks") if n in twice else question
        for n, question in enumerate(questions)
    ]


def sifted(draft: ProposedQuestion, place: int, piece: MaterialPiece, first: bool) -> Sifted:
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
    words, parts, repaired = quoted
    over = PAGE_BREAK in piece.whole[parts[0][0] : parts[-1][1]]
    page = page_at(piece.whole, parts[0][0]) if piece.paged else None
    at, quote_at = parts[0][0], parts if over else ()
    return replace(new, quote=words, at=at, page=page, quote_at=quote_at, repaired=repaired)


def _quoted(quote: str, piece: MaterialPiece) -> tuple[str, tuple[tuple[int, int], ...], bool] | None:
    """A quote in the document's own words, where in its text these stand, part by part, and whether it was repaired.

    One that runs over a page's end is looked for with and without the running lines between.
    """
    for reading, text in _folded_readings(piece):
        if where := find_quote(quote, text, document=piece.whole):
            parts = reading.parts(where.start, where.end)
            words = reading.text[where.start : where.end].replace(PAGE_BREAK, "\n")
            placed = tuple((piece.start + start, piece.start + end) for start, end in parts)
            return words, placed, where.how == "repaired"
    return None


@lru_cache(maxsize=4)
def _folded_readings(piece: MaterialPiece) -> Sequence[tuple[Lean, Folded]]:
    """The readings of a piece, folded once for all the questions of its reply."""
    return [(reading, folded(reading.text)) for reading in piece.readings]


_SENTENCE = re.compile(r"[^.!?。！？\f\n]{12,200}[.!?。！？]?")
_FIRST = 1001
"""A number that questions are told apart by; such as the text has are left out."""
FOLLOWS = {"depends_on": 1}


@lru_cache(maxsize=1024)
def example_reply(piece: MaterialPiece) -> str:
    """A reply that asks all that is wanted of a piece, each with words of the text that answer it.

    A flow is driven again and again, for the plan, the run, its files and its reports: the same piece is not searched again.
    """
    sorts = [category["name"] for category in piece.lacking(()) for _ in range(category["count"])]
    sorts = sorts or [FACT, *[FOLLOW_UP] * (piece.turns - 1)]
    sentences = list(dict.fromkeys(" ".join(sentence.split()) for sentence in _SENTENCE.findall(piece.text))) or [
        piece.text[:200].strip()
    ]
    numbers = (n for n in range(_FIRST, _FIRST + len(piece.text) + len(sorts) + 1) if str(n) not in piece.text)
    drafts: list[ProposedQuestion] = []
    for n, sort in enumerate(sorts):
        drafts.append(_draft(sort, [*sentences[n % len(sentences) :], *sentences], next(numbers), piece, drafts))
    single = piece.schema is not None
    names = ("category", "reference_answer") if single else ("type", "answer")
    entries = [
        {names[0]: draft.type, "question": draft.question, names[1]: draft.answer, "quote": draft.quote}
        | ({} if single or not n else FOLLOWS)
        | ({"answerable": True} if piece.output_format.require_answerable_flag else {})
        for n, draft in enumerate(drafts)
    ]
    return json.dumps({"questions" if single else "turns": entries}, ensure_ascii=False)


def _draft(
    sort: str, sentences: Sequence[str], number: int, piece: MaterialPiece, earlier: Sequence[ProposedQuestion]
) -> ProposedQuestion:
    """A question that holds: about a sentence, by its longest word, or else by a number alone. `sentences`: those to try."""
    first = piece.schema is not None or not earlier
    for quote in sentences:
        words = quote.split() or [sort]
        for question in (f"{max(words, key=len)} {number}, {words[-1]} {number}?", f"{number}?"):
            draft = ProposedQuestion(question, quote or "An answer.", quote, sort)
            if (
                not any(alike(previous.question, question) for previous in earlier)
                and not sifted(draft, len(earlier), piece, first).why
            ):
                return draft
    return draft
