"""Questions as people type or paste them: one a line, as in a Questions.md, or with lettered options below each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from string import ascii_uppercase

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.questions import numbered
from tui_eval.datasets.sets import QuestionSet, open_questions, sort_of
from tui_eval.reading.grades import lines_of

_NUMBER = re.compile(r"^\s*(?:#+\s*)?(?:question\s+|q)?(\d{1,6})[.):](?!\d)\s*(.*)$", re.IGNORECASE)
_OPTION = re.compile(r"^\s*(?:[-*]\s+)?\(?([A-Za-z])[).:]\s+(\S.*)$")
_ANSWER = re.compile(r"^\s*(?:[-*]\s+)?\**(?:correct\s+)?(?:answer|key)\**\s*[:=]\**\s*(.*)$", re.IGNORECASE)
_LETTER = re.compile(r"\(?([A-Za-z])\)?[.):]?(?:\s.*)?")
_MARKDOWN = re.compile(r"^\s*(?:#+\s*)?\d{1,6}[.)]\s+\S")
PASTED = "what was typed"


@dataclass(frozen=True, slots=True)
class Understood:
    """Questions made of a text."""

    questions: QuestionSet
    lettered: bool
    """Whether it was read as questions with options, though they may lack some."""
    problems: tuple[tuple[int, str], ...] = ()
    """Lines, counted from 1, and what is wrong there."""

    @property
    def words(self) -> str:
        """Summary of what was understood, and where something is missing."""
        n = len(self.questions.questions)
        summary = count_of(n, f"{sort_of(self.lettered)} question")
        if not self.lettered:
            truths = sum(bool(question.answer_text) for question in self.questions.questions)
            summary += f", {truths} with an answer" if truths else ", none with an answer"
        problems = [f"{words}: line {line}" for line, words in self.problems[:3]]
        more = [f"and {len(self.problems) - 3} more"] if len(self.problems) > 3 else []
        return "; ".join([summary, *problems, *more])


def understood(text: str) -> Understood:
    """The questions of a text. ConfigError where there are none, or a line is out of place."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if is_lettered(lines):
        return _TypedReader(lines).read()
    filled = [line for line in lines if line.strip()]
    if not filled:
        raise ConfigError("no question yet: write one a line, or options below it as A) ..., B) ... and Answer: B")
    if any(map(_MARKDOWN.match, filled[:1])) or any(line.startswith("#") for line in filled[:1]):
        return Understood(open_questions(text, PASTED), False)
    questions = numbered(Sample("", line) for line in lines_of(text))
    return Understood(QuestionSet("", questions), False)


def is_lettered(lines: Sequence[str]) -> bool:
    """Return whether somewhere an option A is followed by an option B."""
    letters = [match.group(1).upper() for line in lines if (match := _OPTION.match(line))]
    return any(pair == ("A", "B") for pair in pairwise(letters))


@dataclass(slots=True)
class _TypedDraft:
    """A question as its lines come."""

    line: int
    question: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    answer: str | None = None
    over: bool = False
    """Whether a blank line stood below its options."""


class _TypedReader:
    """Lettered questions, line by line."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._drafts: list[_TypedDraft] = []

    def read(self) -> Understood:
        """All of them, and the lines where something is missing."""
        for number, line in enumerate(self._lines, start=1):
            self._take(number, line)
        problems: list[tuple[int, str]] = []
        questions = []
        for number, draft in enumerate(self._drafts, start=1):
            question, problem = _settled(draft, f"q{number:04d}")
            questions.append(question)
            if problem:
                problems.append((draft.line, problem))
        return Understood(QuestionSet("", tuple(questions)), True, tuple(problems))

    def _take(self, number: int, line: str) -> None:
        last = self._drafts[-1] if self._drafts else None
        option, answer, numbered_line = _OPTION.match(line), _ANSWER.match(line), _NUMBER.match(line)
        if not line.strip():
            if last is not None and last.options:
                last.over = True
        elif last is not None and option and self._is_next(last, option.group(1)):
            last.options.append(option.group(2).strip())
            last.over = False
        elif last is not None and last.options and answer:
            last.answer = answer.group(1).strip()
        elif last is None or (last.options and (last.over or last.answer is not None or numbered_line)):
            self._drafts.append(_TypedDraft(number, [_without_number(line)]))
        elif last.options:
            last.options[-1] += " " + line.strip()
        elif numbered_line and last.question:
            self._drafts.append(_TypedDraft(number, [_without_number(line)]))
        else:
            last.question.append(line.strip())

    def _is_next(self, last: _TypedDraft, letter: str) -> bool:
        n = len(last.options)
        return n < len(ascii_uppercase) and letter.upper() == ascii_uppercase[n] and last.answer is None


def _without_number(line: str) -> str:
    match = _NUMBER.match(line)
    return (match.group(2) if match else line).strip()


def _settled(draft: _TypedDraft, question_id: str) -> tuple[Sample, str]:
    """The question, and what is missing in it; the right option is named by its letter or by its whole text."""
    text = "\n".join(part for part in draft.question if part)
    answer, problem = _answer(draft)
    if not text:
        problem = "a question has no text"
    elif len(draft.options) < 2:
        problem = f"{count_of(len(draft.options), 'option')}; at least 2 are needed"
    return Sample(question_id, text, tuple(draft.options), answer), problem


def _answer(draft: _TypedDraft) -> tuple[int | None, str]:
    if draft.answer is None:
        return None, "1 without an answer"
    answer = draft.answer.strip().strip("*").strip()
    if answer in draft.options:
        return draft.options.index(answer), ""
    letter = _LETTER.fullmatch(answer)
    place = ascii_uppercase.index(letter.group(1).upper()) if letter else len(draft.options)
    if place < len(draft.options):
        return place, ""
    return None, f"the answer {one_line(answer, 30)!r} is not one of its options"
