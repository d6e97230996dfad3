"""A question as a text with a heading over each part, to be edited in place, and that text read back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from string import ascii_uppercase

from tui_eval.core.conversations import Turn
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line, visible
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_samples import turn_of, with_turn
from tui_eval.datasets.groups import DOMAIN, TOPIC, calculation_of, difficulty_of, groups_named
from tui_eval.datasets.questions import numbered
from tui_eval.datasets.sets import alone, set_text, sort_of, unwritable

_HEADING = re.compile(
    r"\[(question|[A-Za-z]|answer|answer for (?P<document>.+)|documents|difficulty|domains|topics|calculation)\]"
)
_TURN_HEADING = re.compile(r"\[(question|answer|quote|page|type|answerable)\]")
_NAMED = re.compile(r"\s*\[(question|answer|quote|page|type|answerable|documents|difficulty|domains|topics|calculation)\]\s*\S")
"""A heading behind which the line goes on: its part would silently become the end of the one before."""
_LETTERED = "Another heading, such as [E], is one more option. [answer] is a letter. Write domains and topics one on a line."
_TURN = (
    "[quote] holds the document's own words, [page] their page. [answerable] is yes or no: whether the document has the answer."
)
_TURN_PARTS = ("question", "answer", "quote", "page", "type", "answerable")
_OPEN = "[answer for NAME] holds for one document. [documents] names those it is asked of, one on a line; none = all."


def note_of(question: Sample) -> str:
    """Return the note on editing such a question."""
    return _TURN if turn_of(question) is not None else _LETTERED if question.options else _OPEN


def form_text(question: Sample) -> str:
    """The text. ConfigError for a question that the text could not hold, which is edited in its file."""
    turn = turn_of(question)
    parts = _turn_parts(turn) if turn else _lettered_parts(question) if question.options else _open_parts(question)
    text = "\n\n".join(f"[{name}]\n{content}".rstrip() for name, content in parts.items()) + "\n"
    try:
        same = visible(text) == text and form_question(text, question) == question
    except ConfigError:
        same = False
    if not same:
        raise ConfigError("this question cannot be edited here: it has invisible characters, or a line like a heading")
    return text


def _lettered_parts(question: Sample) -> dict[str, str]:
    options = dict(zip(ascii_uppercase, question.options, strict=False))
    return {
        "question": question.question,
        **options,
        "answer": question.letter,
        "difficulty": difficulty_of(question),
        "domains": "\n".join(question.group(DOMAIN)),
        "topics": "\n".join(question.group(TOPIC)),
        "calculation": calculation_of(question),
    }


def _open_parts(question: Sample) -> dict[str, str]:
    truths = {f"answer for {name}": truth for name, truth in question.document_truths.items()}
    return {
        "question": question.question,
        "answer": question.truth or "",
        **truths,
        "documents": "\n".join(question.documents),
    }


def form_question(text: str, before: Sample) -> Sample:
    """The question that a text describes, under the id it had. ConfigError, in words, for what is out of place."""
    turn = turn_of(before)
    if turn is not None:
        return _checked(with_turn(before, _turn(_parts(text, _TURN_HEADING), turn)))
    parts, lettered = _parts(text, _HEADING), bool(before.options)
    unknown = next(
        (name for name in parts if name not in _heading_names(lettered) and not name.startswith("answer for ")), None
    )
    if unknown is not None or (lettered and any(name.startswith("answer for ") for name in parts)):
        raise ConfigError(f"[{one_line(unknown or 'answer for ...', 40)}] is for {sort_of(not lettered)} questions")
    return _checked(_lettered(parts, before) if lettered else _open(parts, before))


def _checked(question: Sample) -> Sample:
    problem = unwritable(question, bool(question.options))
    if problem:
        raise ConfigError(problem)
    set_text(alone(question))
    return question


def _turn_parts(turn: Turn) -> dict[str, str]:
    page, answerable = "" if turn.page is None else str(turn.page), "yes" if turn.answerable else "no"
    return dict(zip(_TURN_PARTS, (turn.question, turn.ground_truth, turn.quote, page, turn.type, answerable), strict=True))


def _turn(parts: Mapping[str, str], before: Turn) -> Turn:
    """The turn as it is written; what was found out about its quote and answer holds only while these are the same."""
    gone = next((name for name in _TURN_PARTS if name not in parts), None)
    if gone is not None:
        raise ConfigError(f"[{gone}] is gone; keep this line, even if the text below it is empty")
    question, truth, quote, page, kind, answerable = (parts[name] for name in _TURN_PARTS)
    if page and not (page.isascii() and page.isdecimal() and len(page) < 10):
        raise ConfigError(f"[page] is {one_line(page, 20)!r}; it must be a number, or empty")
    if answerable.lower() not in ("yes", "no"):
        raise ConfigError("[answerable] must be yes or no")
    return replace(
        before,
        question=question,
        ground_truth=truth,
        quote=quote,
        page=int(page) if page else None,
        type=kind,
        answerable=answerable.lower() == "yes",
        quote_at=before.quote_at if (quote, page) == (before.quote, _turn_parts(before)["page"]) else (),
        quote_repaired=before.quote_repaired and quote == before.quote,
        known_without_document=before.known_without_document and (question, truth) == (before.question, before.ground_truth),
    )


def form_problem(text: str, before: Sample) -> str:
    """Return the problem of a text; empty if there is none."""
    try:
        form_question(text, before)
    except ConfigError as error:
        return str(error).removeprefix("question 1: ")
    return ""


def _heading_names(lettered: bool) -> tuple[str, ...]:
    if lettered:
        return ("question", *ascii_uppercase, "answer", "difficulty", "domains", "topics", "calculation")
    return ("question", "answer", "documents")


def _parts(text: str, headings: re.Pattern[str]) -> dict[str, str]:
    """Return the text under each heading, without blank lines around it."""
    parts: dict[str, list[str]] = {}
    name = ""
    for number, line in enumerate(text.split("\n"), start=1):
        heading = headings.fullmatch(line.strip())
        if heading:
            name = heading.group(1).upper() if len(heading.group(1)) == 1 else heading.group(1)
            if name in parts:
                raise ConfigError(f"line {number}: [{one_line(name, 40)}] appears again")
            parts[name] = []
        elif (begun := _NAMED.match(line)) and headings.fullmatch(f"[{begun.group(1)}]"):
            raise ConfigError(f"line {number}: [{begun.group(1)}] must be alone on its line; its text begins below")
        elif name:
            parts[name].append(line)
        elif line.strip():
            raise ConfigError(f"line {number}: this text is above the first heading; the question begins below [question]")
    return {name: "\n".join(lines).strip() for name, lines in parts.items()}


def _lettered(parts: Mapping[str, str], before: Sample) -> Sample:
    letters = [name for name in parts if len(name) == 1]
    if sorted(letters) != list(ascii_uppercase[: len(letters)]):
        raise ConfigError(f"the options are {', '.join(sorted(letters)) or 'missing'}: they must go from [A] on without a gap")
    options = tuple(parts[letter] for letter in sorted(letters))
    answer = parts.get("answer", "").upper()
    if len(answer) != 1 or answer not in letters:
        raise ConfigError(f"[answer] is {one_line(answer, 20)!r}; it must be the letter of one of the options")
    needed = parts.get("calculation", "").lower()
    if needed not in ("yes", "no", ""):
        raise ConfigError("[calculation] must be yes, no or empty")
    return replace(
        before,
        question=parts.get("question", ""),
        options=options,
        answer=ascii_uppercase.index(answer),
        groups=groups_named(
            parts.get("difficulty", ""),
            _listed(parts.get("domains", "")),
            _listed(parts.get("topics", "")),
            {"yes": True, "no": False, "": None}[needed],
        ),
    )


def _open(parts: Mapping[str, str], before: Sample) -> Sample:
    truths = {name.removeprefix("answer for "): truth for name, truth in parts.items() if name.startswith("answer for ")}
    question = numbered(
        [
            Sample(
                "",
                parts.get("question", ""),
                truth=parts.get("answer") or None,
                documents=_listed(parts.get("documents", "")),
                document_truths=truths,
            )
        ]
    )[0]
    return before if replace(question, id=before.id) == before else question


def _listed(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.split("\n") if line.strip())
