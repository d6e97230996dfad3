"""Questions.md in the forms that people write: numbered, Q: and A:, headings, tables. What is unclear is refused by its line.

The first line that begins a question says how the others do. A line or the end of one that looks like an answer is an
answer or a mistake, never part of the question: it would be sent to the models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.questions import numbered

_NUMBERED = re.compile(r"^\s*(?:#+\s*)?(\d{1,6})[.)]\s+(\S.*)$")
_ASKED = re.compile(
    r"^\s*(?:#+\s*)?(?:[-*+]\s+)?[*_]*(?:q|question)\s*\d{0,6}\s*[*_]*\s*[:.)][*_]*(?!\S)\s*(.*)$|"
    r"^\s*(?:#+\s*|[*_]+)question\s+\d{1,6}[*_]*\s*()$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(\S.*?)\s*#*\s*$")
_SORTS = r"(?:the\s+)?(?:expected|correct|right|reference|model|sample|true|gold|ground[- ]truth)\s+"
_OTHER_TONGUES = (
    "antwort|lösung|réponse|reponse|respuesta|solución|risposta|soluzione|resposta|solução|antwoord|svar|odpowiedź|odpověď|"
    "vastaus|cevap|ответ|відповідь|απάντηση|答え|答案|回答|正解|解答|정답|답|الجواب|الإجابة|उत्तर"
)
_ANSWER_NAMES = (
    rf"(?:{_SORTS})?(?:answer|ans)|{_SORTS}(?:response|reply|output|solution)|ground[- ]truth|truth|"
    rf"(?:\w+\s)?(?:{_OTHER_TONGUES})"
)
_ONLY_BEHIND = "solution|correct"
"""Names of an answer that are words of questions, too ("which of these is correct: ..."): such only behind a question."""
_COLON = "[:：]"
_ARROW = "->|=>|→|⇒|➜"
_FIELD = re.compile(
    rf"^\s*(?:[-*+]\s+)?[*_]*({_ANSWER_NAMES}|{_ONLY_BEHIND}|a|documents)"
    rf"\s*\d{{0,6}}[*_]*\s*(?:\(([^)]*)\))?\s*[*_]*{_COLON}[*_]*\s*(.*)$|"
    rf"^\s*({_ARROW})\s*(\S.*)$",
    re.IGNORECASE,
)
_BEHIND = r"(?<=[?.!？。！])[\s*_(]*"
_TAIL = re.compile(
    rf"{_BEHIND}(?:(?<=[\s*_(？。！])(?:{_ANSWER_NAMES}|{_ONLY_BEHIND}|a(?!.*\bb[).:]))[*_]*\s*{_COLON}[*_]*|{_ARROW})"
    r"\s*(\S.*)$",
    re.IGNORECASE,
)
_LOOKS_ANSWERED = re.compile(
    rf"(?<![\w'\"`‘“«])(?:{_ANSWER_NAMES})s?(?:\s+is)?[*_]*\s*(?:{_COLON}|=)[*_]*\s*(?=\S)|"
    rf"{_BEHIND}(?<=[\s*_(？。！])(?:the\s+)?(?:{_ANSWER_NAMES}|{_ONLY_BEHIND})[*_]*"
    r"(?:\s+(?:is|was|ist|est|es)\s|\s*[-–—=]+\s)[*_]*(?=\S)|"
    r"(?<=[?？])\s*[*_]*\s*[-–—=]+>?\s+(?![^?？]*[?？])(?=\S)",
    re.IGNORECASE,
)
_OPTION_B = re.compile(r"^\s*(?:[-*+]\s+)?\(?b[).:]\s+\S", re.IGNORECASE)
_RULE = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)+\|?\s*$")
_CELLS = re.compile(r"(?<!\\)\|")
FORMS = "'1. Question?' with a line 'Answer: ...' below each, 'Q:' and 'A:', or a table with the columns Question and Answer"


@dataclass(slots=True)
class _Draft:
    """A question as its lines come."""

    line: int
    question: str
    truth: str | None = None
    documents: list[str] = field(default_factory=list)
    document_truths: dict[str, str] = field(default_factory=dict)


def questions_markdown(text: str, name: str) -> tuple[Sample, ...]:
    """The questions of a Questions.md, with `Answer:`, optional `Documents: a, b` and `Answer (a):` below each.

    ConfigError with the line number for anything out of place, or that could be an answer and is not clearly one.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    table = _table_at(lines)
    found = _Reader(lines, name).read() if table is None else _of_table(lines, table, name)
    if not found:
        raise ConfigError(f"{name}: no questions found; write them as {FORMS}")
    for one in found:
        _split_tail(one, name)
    return numbered(
        Sample("", one.question, truth=one.truth, documents=tuple(one.documents), document_truths=one.document_truths)
        for one in found
    )


class _Reader:
    """Questions below one another, line by line."""

    def __init__(self, lines: Sequence[str], name: str) -> None:
        self._lines, self._name = lines, name
        self._found: list[_Draft] = []
        self._answered = 0
        """The line that the last answer ended on; 0 while the question is read."""
        self._of_answer = False
        """Whether that line was an answer for every document, which may go on below."""
        self._begins = self._way()

    def _way(self) -> Callable[[int], str | None]:
        """How questions begin here: as the first one does."""
        for number, line in enumerate(self._lines, start=1):
            for way in (self._by_number, self._by_word):
                if way(number) is not None:
                    return way
            if _FIELD.match(line):
                break
        return self._by_heading

    def _by_number(self, number: int) -> str | None:
        found = _NUMBERED.match(self._lines[number - 1])
        return found.group(2).strip() if found else None

    def _by_word(self, number: int) -> str | None:
        found = _ASKED.match(self._lines[number - 1])
        return (found.group(1) or "").strip() if found else None

    def _by_heading(self, number: int) -> str | None:
        """A heading with an answer as the next that is said."""
        found = _HEADING.match(self._lines[number - 1])
        below = next((line for line in self._lines[number:] if line.strip()), "")
        return found.group(1).strip() if found and _FIELD.match(below) else None

    def read(self) -> list[_Draft]:
        """All of them. ConfigError by the line for what is out of place."""
        for number, line in enumerate(self._lines, start=1):
            begun = self._begins(number)
            if begun is not None:
                self._found.append(_Draft(number, begun))
                self._answered = 0
            elif line.strip():
                self._take(number, line)
        empty = next((one for one in self._found if not one.question), None)
        if empty is not None:
            raise ConfigError(f"{self._name}:{empty.line}: a question without a text; write it on this line or the next")
        return self._found

    def _take(self, number: int, line: str) -> None:
        where, entry = f"{self._name}:{number}", _FIELD.match(line)
        if entry and not self._is_option(number, entry.group(1)):
            name = entry.group(1) or entry.group(4)
            if not self._found:
                raise ConfigError(f"{where}: {name!r} stands before the first question; write {FORMS}")
            what = "documents" if name.lower() == "documents" else "answer"
            _fill_in(self._found[-1], what, entry.group(2), _bare(entry.group(3) or entry.group(5) or ""), where)
            self._answered, self._of_answer = number, what == "answer" and not entry.group(2)
        elif not self._found or line.lstrip().startswith("#"):
            return
        elif self._answered:
            self._go_on(number, line, where)
        else:
            other = _ASKED.match(line) if self._begins == self._by_number else None
            if other and other.group(1):
                told = f"{one_line(line.strip(), 40)!r} begins a question in another way than the first one does"
                raise ConfigError(f"{where}: {told}; number it as that one is")
            last = self._found[-1]
            last.question = f"{last.question} {_bare(line.strip()) if not last.question else line.strip()}".strip()

    def _go_on(self, number: int, line: str, where: str) -> None:
        """An answer may go on in the very next line, where that is indented."""
        last = self._found[-1]
        if self._of_answer and number == self._answered + 1 and line.startswith((" ", "\t")) and last.truth is not None:
            last.truth, self._answered = f"{last.truth} {_bare(line.strip())}", number
            return
        raise ConfigError(
            f"{where}: {one_line(line.strip(), 40)!r} is neither a question nor 'Answer:' or 'Documents:'; "
            "an answer stands on one line, or goes on in the next if that is indented"
        )

    def _is_option(self, number: int, name: str | None) -> bool:
        """Whether a line `A: ...` is the first of several options, and so part of the question."""
        below = next((line for line in self._lines[number:] if line.strip()), "")
        return name is not None and name.lower() == "a" and bool(_OPTION_B.match(below))


# Tables


def _table_at(lines: Sequence[str]) -> int | None:
    """The index of a table's header, where the text is one: a column of questions, and a rule below."""
    for at, line in enumerate(lines[:-1]):
        if _NUMBERED.match(line) or _ASKED.match(line):
            return None
        if "|" in line and _RULE.match(lines[at + 1]) and {"question", "questions", "q"} & set(map(str.lower, _cells(line))):
            return at
    return None


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [_bare(cell.strip().replace("\\|", "|")) for cell in _CELLS.split(inner)]


def _of_table(lines: Sequence[str], at: int, name: str) -> list[_Draft]:
    header = [_column(cell, f"{name}:{at + 1}") for cell in _cells(lines[at])]
    found = []
    for number, line in enumerate(lines[at + 2 :], start=at + 3):
        if not line.strip():
            continue
        where, cells = f"{name}:{number}", _cells(line)
        if "|" not in line or len(cells) != len(header):
            raise ConfigError(
                f"{where}: {one_line(line.strip(), 40)!r} is no row of {len(header)} cells, as the table's header has"
            )
        values = {column: cell for column, cell in zip(header, cells, strict=True) if cell and column}
        if "question" not in values:
            raise ConfigError(f"{where}: a row without a question")
        draft = _Draft(number, values["question"])
        for what in ("answer", "documents"):
            if what in values:
                _fill_in(draft, what, None, values[what], where)
        found.append(draft)
    return found


def _column(title: str, where: str) -> str:
    """What a column holds; a number's column nothing."""
    plain = title.lower().strip(" :")
    if plain in ("question", "questions", "q"):
        return "question"
    if plain in ("a", "answers") or re.fullmatch(_ANSWER_NAMES, plain):
        return "answer"
    if plain in ("documents", "document"):
        return "documents"
    if plain in ("", "#", "no", "no.", "nr", "nr.", "number", "id"):
        return ""
    raise ConfigError(f"{where}: a column {one_line(title, 40)!r}; a table of questions has Question, Answer and Documents")


# What is said about a question


def _split_tail(draft: _Draft, name: str) -> None:
    """Take an answer at the end of the question's line out of it; what else looks like an answer is refused."""
    where, tail = f"{name}:{draft.line}", _TAIL.search(draft.question)
    if tail and not _LOOKS_ANSWERED.search(tail.group(1)):
        value = _bare(tail.group(1))
        if "(" in tail.group().partition(tail.group(1))[0]:
            value = value.removesuffix(")")
        draft.question = draft.question[: tail.start()].rstrip(" *_(")
        _fill_in(draft, "answer", None, value, where)
    if _LOOKS_ANSWERED.search(draft.question):
        raise _unclear(where, draft.question, "holds what looks like its answer and would be sent to the models")


def _unclear(where: str, text: str, why: str) -> ConfigError:
    return ConfigError(
        f"{where}: {one_line(text.strip(), 60)!r} {why}; put the answer on a line of its own as 'Answer: ...', "
        "or write words of the question such as 'Answer:' in quotation marks"
    )


def _bare(text: str) -> str:
    """Without the emphasis that stands around it, or was opened before it."""
    for sign in ("**", "__"):
        if text.startswith(sign) and text.endswith(sign) and len(text) > 4 and sign not in text[2:-2]:
            return text[2:-2].strip()
        if text.endswith(sign) and text.count(sign) == 1:
            return text[:-2].strip()
    return text.strip()


def _fill_in(question: _Draft, what: str, document: str | None, value: str, where: str) -> None:
    if not value:
        raise ConfigError(f"{where}: {what!r} is empty; write it on the same line")
    if what == "documents":
        if question.documents:
            raise ConfigError(f"{where}: a second list of documents for the same question")
        question.documents = [part.strip() for part in value.split(",") if part.strip()]
        if not question.documents:
            raise ConfigError(f"{where}: no document is named")
    elif document:
        if document.strip() in question.document_truths:
            raise ConfigError(f"{where}: a second answer for document {document.strip()!r}")
        question.document_truths[document.strip()] = value
    elif question.truth is not None:
        raise ConfigError(f"{where}: a second answer to the same question; number each question")
    else:
        question.truth = value
