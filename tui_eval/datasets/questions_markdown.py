"""Questions.md in the forms that people write: numbered, Q: and A:, headings, tables. What is unclear is refused by its line.

The first line that begins a question says how the others do. In a file in which any question has an answer, a question
without one is a single line that ends in its question mark: whatever else stands there may be an answer in another form,
and would be sent to the models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tui_eval.core.errors import ConfigError
from tui_eval.core.lazy_pattern import lazy_pattern
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.question_drafts import (
    ANSWER_LISTS,
    ANSWER_NAMES,
    ARROW,
    COLON,
    MARK,
    NONE,
    ONLY_BEHIND,
    ONLY_BELOW,
    QUESTION_ENDS,
    QUESTION_NAMES,
    TAIL,
    QuestionDraft,
    bare,
    fill_in,
    refuse_hidden,
    refuse_unclear,
    split_tail,
)
from tui_eval.datasets.questions import numbered

_NUMBERED = lazy_pattern(r"^\s*(?:#+\s*)?[*_]{0,3}(\d{1,6})\\?[.)][*_]{0,3}\s+(\S.*)$")
_ASKED = lazy_pattern(
    rf"^\s*(?:#+\s*)?(?:[-*+]\s+)?[*_]*(?:q|{QUESTION_NAMES})\s*\d{{0,6}}\s*[*_]*\s*[:：.)][*_]*(?:(?<=：)|(?!\S))\s*(.*)$|"
    rf"^\s*(?:#+\s*|[*_]+)(?:{QUESTION_NAMES})\s+\d{{1,6}}[*_]*\s*()$",
    re.IGNORECASE,
)
_HEADING = lazy_pattern(r"^\s{0,3}#{1,6}\s+(\S.*?)\s*#*\s*$")
_FIELD = lazy_pattern(
    rf"^\s*(?:#+\s*)?(?:[-*+]\s+)?[*_]*(?P<name>{ANSWER_NAMES}|{ONLY_BEHIND}|{ONLY_BELOW}|documents)\s*\d{{0,6}}[*_]*\s*"
    rf"(?:\((?P<round>[^)]*)\)|\[(?P<square>[^\]]*)\]|for\s+(?P<bare>[^:：?]{{1,80}}))?\s*[*_]*{COLON}[*_]*\s*(?P<value>.*)$|"
    rf"^\s*(?P<arrow>{ARROW})\s*(?P<pointed>\S.*)$|"
    r"^\s*(?:[-*+]\s+)?[*_]*(?P<letter>a)\s?\d{1,6}[*_]*[.)][*_]*\s+(?P<listed>\S.*)$",
    re.IGNORECASE,
)
_OPENED = lazy_pattern(
    rf"^\s*(?:#+\s*)?(?:[-*+]\s+)?[*_]*(?:{ANSWER_NAMES}|a\s?\d{{1,6}})\s*\d{{0,6}}[*_]*\s*{COLON}?[*_]*\s*#*\s*$",
    re.IGNORECASE,
)
"""A line that names an answer, which stands in the next line that has any words."""
_ANSWER_LINE = lazy_pattern(r"^\s*(?!```|~~~|[-*+>|#]\s|---|<!--)\S")
"""How an answer may begin that stands below its name: as one line, not as a list, a block or a table."""
_LISTED = lazy_pattern(rf"^\s*(?:#+\s*)?[*_]*(?:{ANSWER_LISTS})[*_]*\s*{COLON}?[*_]*\s*#*\s*$", re.IGNORECASE)
_BREAK = lazy_pattern(r"^\s*([-*_])(?:\s*\1){2,}\s*$")
_OPTION_B = lazy_pattern(r"^\s*(?:[-*+]\s+)?\(?b[).:]\s+\S", re.IGNORECASE)
_RULE = lazy_pattern(r"^\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)+\|?\s*$")
_CELLS = lazy_pattern(r"(?<!\\)\|")
_HAS_MARK = lazy_pattern(MARK)
FORMS = "'1. Question?' with a line 'Answer: ...' below each, 'Q:' and 'A:', or a table with the columns Question and Answer"


def questions_markdown(text: str, name: str) -> tuple[Sample, ...]:
    """The questions of a Questions.md, with `Answer:`, optional `Documents: a, b` and `Answer (a):` below each.

    ConfigError with the line number for anything out of place, or that could be an answer and is not clearly one.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    table = _table_at(lines)
    drafts = _QuestionsReader(lines, name).read() if table is None else _of_table(lines, table, name)
    if not drafts:
        raise ConfigError(f"{name}: no questions found; write them as {FORMS}")
    for raw_draft in drafts:
        split_tail(raw_draft, name)
        refuse_hidden(raw_draft, name)
    if any(draft.is_answered for draft in drafts):
        in_order = all(draft.is_next for draft in drafts)
        for draft in drafts:
            refuse_unclear(draft, name, in_order)
    return numbered(
        Sample("", draft.question, truth=draft.truth, documents=tuple(draft.documents), document_truths=draft.document_truths)
        for draft in drafts
    )


class _QuestionsReader:
    """Questions below one another, line by line."""

    def __init__(self, lines: Sequence[str], name: str) -> None:
        self._lines, self._name = lines, name
        self._found: list[QuestionDraft] = []
        self._answered = 0
        """The line that the last answer ended on; 0 while the question is read."""
        self._of_answer = False
        """Whether that line was an answer for every document, which may go on below."""
        self._has_answers = any(_FIELD.match(line) or TAIL.search(line) for line in lines)
        self._opened = 0
        """The line that names an answer, which stands below it; 0 where none waits."""
        self._number: int | None = None
        """The number of the last question, where they are numbered."""
        self._asking: list[int] = []
        """The lines of headings that ask and are no question of the file."""
        self._begins = self._way()

    def _way(self) -> Callable[[int], str | None]:
        """Return how questions begin here: as the first one does."""
        for number, line in enumerate(self._lines, start=1):
            for way in (self._by_number, self._by_word):
                if way(number) is not None:
                    return way
            if _FIELD.match(line):
                break
        return self._by_heading

    def _by_number(self, number: int) -> str | None:
        match = _NUMBERED.match(self._lines[number - 1])
        text = match.group(2).strip() if match else None
        return text[:-2].strip() if text and text.endswith("**") and text.count("**") == 1 else text

    def _by_word(self, number: int) -> str | None:
        match = _ASKED.match(self._lines[number - 1])
        return (match.group(1) or "").strip() if match else None

    def _by_heading(self, number: int) -> str | None:
        """A heading with an answer as the next that is said or behind it, or that asks and has nothing below it."""
        line = self._lines[number - 1]
        match = _HEADING.match(line)
        if not match or _FIELD.match(line) or _OPENED.match(line):
            return None
        text, below = match.group(1).strip(), next((line for line in self._lines[number:] if line.strip()), "")
        is_alone = not below or (_HEADING.match(below) is not None and _level(below) <= _level(line))
        is_asked = self._has_answers and is_alone and QUESTION_ENDS.search(text)
        return text if is_asked or _FIELD.match(below) or _OPENED.match(below) or TAIL.search(text) else None

    def read(self) -> list[QuestionDraft]:
        """All of them. ConfigError by the line for what is out of place."""
        for number, line in enumerate(self._lines, start=1):
            begun = self._begins(number)
            if begun is not None:
                self._refuse_empty()
                self._found.append(QuestionDraft(number, begun, is_next=self._is_next(line)))
                self._answered = 0
            elif line.strip():
                self._take(number, line)
        self._refuse_empty()
        empty = next((draft for draft in self._found if not draft.question), None)
        if empty is not None:
            raise ConfigError(f"{self._name}:{empty.line}: a question without a text; write it on this line or the next")
        if self._asking and self._has_answers:
            raise self._asks_beside(self._asking[0])
        return self._found

    def _is_next(self, line: str) -> bool:
        """Return whether a line that begins a question has the number behind that of the question before."""
        label = _NUMBERED.match(line) if self._begins == self._by_number else None
        if label is None:
            return True
        before, self._number = self._number, int(label.group(1))
        return before in (None, self._number - 1)

    def _asks_beside(self, number: int) -> ConfigError:
        heading = one_line(self._lines[number - 1].strip(), 60)
        below = f"if it is one and has no answer, write 'Answer: {NONE}' below it"
        if self._begins != self._by_heading:
            below = "if it is one, begin it like the first one"
        return ConfigError(
            f"{self._name}:{number}: the heading {heading!r} has a question mark, but is not read as a question; {below}, or "
            "remove the mark"
        )

    def _take(self, number: int, line: str) -> None:
        where, entry = f"{self._name}:{number}", _FIELD.match(line)
        self._refuse_list(line, where)
        if self._opened:
            self._take_below(line, number, where)
        elif self._found and not self._found[-1].is_answered and _OPENED.match(line):
            self._opened = number
        elif entry and not self._is_option(number, entry["name"]):
            self._take_field(entry, number, where)
        elif self._answered and _BREAK.match(line):
            self._of_answer = False
        elif _HEADING.match(line) and _HAS_MARK.search(line):
            self._asking.append(number)
        elif not self._found or line.lstrip().startswith("#"):
            return
        elif self._answered:
            self._go_on(number, line, where)
        else:
            question_match = _ASKED.match(line) if self._begins == self._by_number else None
            if question_match and question_match.group(1):
                message = f"{one_line(line.strip(), 40)!r} begins a question differently from the first one"
                raise ConfigError(f"{where}: {message}; number it in the same way")
            last = self._found[-1]
            if last.question:
                last.further.append((number, line))
                last.question = f"{last.question} {line.strip()}"
            else:
                last.line, last.question = number, bare(line.strip())

    def _take_field(self, entry: re.Match[str], number: int, where: str) -> None:
        name = entry["name"] or entry["arrow"] or entry["letter"]
        if not self._found:
            raise ConfigError(f"{where}: {name!r} appears before the first question; write {FORMS}")
        field_name = "documents" if name.lower() == "documents" else "answer"
        document = entry["round"] or entry["square"] or (entry["bare"] or "").strip() or None
        value = entry["value"] or entry["pointed"] or entry["listed"] or ""
        fill_in(self._found[-1], field_name, document, bare(value), where)
        self._answered, self._of_answer = number, field_name == "answer" and not document

    def _take_below(self, line: str, number: int, where: str) -> None:
        """Take the answer whose name stands above it."""
        if not _ANSWER_LINE.match(line) or _FIELD.match(line):
            self._refuse_empty()
        fill_in(self._found[-1], "answer", None, bare(line.strip()), where)
        self._opened, self._answered, self._of_answer = 0, number, True

    def _refuse_list(self, line: str, where: str) -> None:
        """ConfigError where a line is the title of a list of answers."""
        if _LISTED.match(line) and (self._found or not self._has_answers):
            message = f"{one_line(line.strip(), 40)!r} begins a list of answers, which would be sent to the models"
            raise ConfigError(f"{where}: {message}; write each below its question as 'Answer: ...'")

    def _refuse_empty(self) -> None:
        """ConfigError where a line names an answer and none stands below it."""
        if self._opened:
            raise ConfigError(f"{self._name}:{self._opened}: 'answer' is empty; write it on the same line")

    def _go_on(self, number: int, line: str, where: str) -> None:
        """An answer may go on in the very next line, where that is indented."""
        last = self._found[-1]
        if self._of_answer and number == self._answered + 1 and line.startswith((" ", "\t")) and last.truth is not None:
            last.truth, self._answered = f"{last.truth} {bare(line.strip())}", number
            return
        raise ConfigError(
            f"{where}: {one_line(line.strip(), 40)!r} is neither a question nor 'Answer:' or 'Documents:'; "
            "write an answer on one line, and indent a line that continues it"
        )

    def _is_option(self, number: int, name: str | None) -> bool:
        """Return whether a line `A: ...` is the first of several options, and so part of the question."""
        below = next((line for line in self._lines[number:] if line.strip()), "")
        return name is not None and name.lower() == "a" and bool(_OPTION_B.match(below))


# Tables


def _table_at(lines: Sequence[str]) -> int | None:
    """The index of a table's header, where the text is one: a column of questions, and a rule below."""
    for at, line in enumerate(lines[:-1]):
        if _NUMBERED.match(line) or _ASKED.match(line):
            return None
        if "|" in line and _RULE.match(lines[at + 1]) and any(map(_is_question_column, _cells(line))):
            return at
    return None


def _is_question_column(title: str) -> bool:
    return re.fullmatch(rf"q|questions|{QUESTION_NAMES}", title.lower().strip(" :")) is not None


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [bare(cell.strip().replace("\\|", "|")) for cell in _CELLS.split(inner)]


def _of_table(lines: Sequence[str], at: int, name: str) -> list[QuestionDraft]:
    header = [_column(cell, f"{name}:{at + 1}") for cell in _cells(lines[at])]
    drafts = []
    for number, line in enumerate(lines[at + 2 :], start=at + 3):
        if not line.strip():
            continue
        where, cells = f"{name}:{number}", _cells(line)
        if "|" not in line or len(cells) != len(header):
            raise ConfigError(
                f"{where}: {one_line(line.strip(), 40)!r} is not a row of {len(header)} cells like the table's header"
            )
        values = {column: cell for column, cell in zip(header, cells, strict=True) if cell and column}
        if "question" not in values:
            raise ConfigError(f"{where}: a row without a question")
        draft = QuestionDraft(number, values["question"])
        for field_name in ("answer", "documents"):
            if field_name in values:
                fill_in(draft, field_name, None, values[field_name], where)
        drafts.append(draft)
    return drafts


def _column(title: str, where: str) -> str:
    """Return the name of what a column holds; empty for a column of numbers."""
    plain = title.lower().strip(" :")
    if _is_question_column(plain):
        return "question"
    if plain in ("a", "answers") or re.fullmatch(ANSWER_NAMES, plain):
        return "answer"
    if plain in ("documents", "document"):
        return "documents"
    if plain in ("", "#", "no", "no.", "nr", "nr.", "number", "id"):
        return ""
    raise ConfigError(f"{where}: unknown column {one_line(title, 40)!r}; use Question, Answer and Documents")


def _level(heading: str) -> int:
    return len(heading.strip()) - len(heading.strip().lstrip("#"))
