"""Questions.md in the forms that people write: numbered, Q: and A:, headings, tables. What is unclear is refused by its line.

The first line that begins a question says how the others do. In a file in which any question has an answer, a question
without one is a single line that ends in its question mark: whatever else stands there may be an answer in another form,
and would be sent to the models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase

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
_OPTION = re.compile(r"^\s*(?:[-*+]\s+)?\(?([a-z])[).:]\s+\S", re.IGNORECASE)
_RULE = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)+\|?\s*$")
_CELLS = re.compile(r"(?<!\\)\|")
_NONE = "(none)"
"""What stands in place of an answer where a question has none on purpose."""
_MARK = "[?？؟\u037e]|(?<=[\u0370-\u03ff]);"
"""What ends a question; a semicolon does in Greek."""
_CLOSED = rf"(?:{_MARK})[\s\"'”’»)\]}}*_`~]*\Z"
_QUESTION_ENDS = re.compile(rf"{_CLOSED}|(?:{_MARK})\s*(?:{_ANSWER_NAMES})\s*{_COLON}\Z", re.IGNORECASE)
"""How a question without an answer may end: in its mark, or in `Answer:`."""
_OPTIONS_BEHIND = re.compile(rf"(?:{_MARK})\s*(\(?a[).:]\s.*\s\(?b[).:]\s.*)\Z", re.IGNORECASE | re.DOTALL)
_PICKED = re.compile(
    rf"[*_=<>|\t\[\]✓✔✅☑☒←]|{_ARROW}|\((?:\w+\s)?(?:right|correct|true|yes|{_ANSWER_NAMES}|richtig)\b", re.IGNORECASE
)
"""What may say which of the options is right."""
_ONE_CLAUSE = re.compile(r"(?!.*(?:\s\s|[.!。！…]\s*\S|\s[-–—/]+\s))[^\t\u3000,;|→⇒➜<>()\[\]{}=:：*_`~\"“”«»?？؟\\]*")
"""What may go without an answer and a question mark."""
_HAS_MARK = re.compile(_MARK)
_LAST_MARK = re.compile(rf"(?:{_MARK})[\"'”’»*_`~]*(?=[^?？؟]*\Z)")
_SHORT_NAME = re.compile(
    r"^\W*(?:\w{1,3}|[^\W\d]{1,14})\s*(?:[:：=]|\.(?=\s))\s*(?=\S)|^\W*(?:answer|ans)\s+(?=\S)", re.IGNORECASE
)
_DRESS = re.compile(r"^[^\w]+|[^\w.%°)]+$")
FORMS = "'1. Question?' with a line 'Answer: ...' below each, 'Q:' and 'A:', or a table with the columns Question and Answer"


@dataclass(slots=True)
class _Draft:
    """A question as its lines come."""

    line: int
    question: str
    truth: str | None = None
    documents: list[str] = field(default_factory=list)
    document_truths: dict[str, str] = field(default_factory=dict)
    further: list[tuple[int, str]] = field(default_factory=list)
    """The lines of the question after its first, by number."""
    has_none: bool = False
    """Whether the file says that there is no answer."""
    is_next: bool = True
    """Whether its number is the one that follows the question before; such of a list of answers at the end are not."""

    @property
    def is_answered(self) -> bool:
        """Whether it has an answer, or says that there is none."""
        return self.truth is not None or bool(self.document_truths) or self.has_none


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
    if any(draft.is_answered for draft in found):
        in_order = all(draft.is_next for draft in found)
        for draft in found:
            _refuse_unclear(draft, name, in_order)
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
        self._has_answers = any(_FIELD.match(line) or _TAIL.search(line) for line in lines)
        self._number: int | None = None
        """The number of the last question, where they are numbered."""
        self._asking: list[int] = []
        """The lines of headings that ask and are no question of the file."""
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
        """A heading with an answer as the next that is said or behind it, or that asks and has nothing below it."""
        line = self._lines[number - 1]
        found = _HEADING.match(line)
        if not found:
            return None
        text, below = found.group(1).strip(), next((line for line in self._lines[number:] if line.strip()), "")
        is_alone = not below or (_HEADING.match(below) is not None and _level(below) <= _level(line))
        is_asked = self._has_answers and is_alone and _QUESTION_ENDS.search(text)
        return text if is_asked or _FIELD.match(below) or _TAIL.search(text) else None

    def read(self) -> list[_Draft]:
        """All of them. ConfigError by the line for what is out of place."""
        for number, line in enumerate(self._lines, start=1):
            begun = self._begins(number)
            if begun is not None:
                self._found.append(_Draft(number, begun, is_next=self._is_next(line)))
                self._answered = 0
            elif line.strip():
                self._take(number, line)
        empty = next((one for one in self._found if not one.question), None)
        if empty is not None:
            raise ConfigError(f"{self._name}:{empty.line}: a question without a text; write it on this line or the next")
        if self._asking and self._has_answers:
            raise self._asks_beside(self._asking[0])
        return self._found

    def _is_next(self, line: str) -> bool:
        """Whether a line that begins a question has the number behind that of the question before."""
        label = _NUMBERED.match(line) if self._begins == self._by_number else None
        if label is None:
            return True
        before, self._number = self._number, int(label.group(1))
        return before in (None, self._number - 1)

    def _asks_beside(self, number: int) -> ConfigError:
        told = one_line(self._lines[number - 1].strip(), 60)
        below = f"if it is one and has no answer, write 'Answer: {_NONE}' below it"
        if self._begins != self._by_heading:
            below = "if it is one, begin it as the first one is"
        return ConfigError(
            f"{self._name}:{number}: the heading {told!r} asks and is read as no question; {below}, or take its mark out"
        )

    def _take(self, number: int, line: str) -> None:
        where, entry = f"{self._name}:{number}", _FIELD.match(line)
        if entry and not self._is_option(number, entry.group(1)):
            name = entry.group(1) or entry.group(4)
            if not self._found:
                raise ConfigError(f"{where}: {name!r} stands before the first question; write {FORMS}")
            what = "documents" if name.lower() == "documents" else "answer"
            _fill_in(self._found[-1], what, entry.group(2), _bare(entry.group(3) or entry.group(5) or ""), where)
            self._answered, self._of_answer = number, what == "answer" and not entry.group(2)
        elif _HEADING.match(line) and _HAS_MARK.search(line):
            self._asking.append(number)
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
            if last.question:
                last.further.append((number, line))
                last.question = f"{last.question} {line.strip()}"
            else:
                last.line, last.question = number, _bare(line.strip())

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
    if looks := _LOOKS_ANSWERED.search(draft.question):
        where = f"{name}:{_line_at(draft, looks.start())}"
        raise ConfigError(
            f"{where}: {one_line(draft.question, 60)!r} holds what looks like its answer and would be sent to the models; "
            f"{_split_as(draft.question) or 'put the answer on a line of its own as Answer: ...'}, "
            "or write words of the question such as 'Answer:' in quotation marks"
        )


def _refuse_unclear(draft: _Draft, name: str, in_order: bool) -> None:
    """Refuse a question without an answer that has more than one line, or more than its question mark, at its end.

    ConfigError by the line, which shows how it should read.
    """
    if draft.is_answered:
        return
    if draft.further and not _are_options(line for _, line in draft.further):
        number, line = draft.further[0]
        raise ConfigError(
            f"{name}:{number}: {one_line(line.strip(), 40)!r} may be an answer, which would be sent to the models; "
            f"if it is, write {_shown_answer(line)!r}; if not, put it on the line of its question and add 'Answer: {_NONE}'"
        )
    text = draft.question if not draft.further else draft.question[: -sum(len(line.strip()) + 1 for _, line in draft.further)]
    behind = _OPTIONS_BEHIND.search(text)
    if behind and not _PICKED.search(behind.group(1)):
        return
    if _QUESTION_ENDS.search(text) or (in_order and _ONE_CLAUSE.fullmatch(text)):
        return
    split = _split_as(text)
    raise ConfigError(
        f"{name}:{draft.line}: {one_line(text, 60)!r} may hold its answer or be one, which would be sent to the models; "
        f"{f'if it does, {split}; ' if split else ''}if it is a question without an answer, write 'Answer: {_NONE}' below it"
    )


def _split_as(text: str) -> str:
    """How a question that may hold its answer behind its mark should read; empty where it has none."""
    mark = _LAST_MARK.search(text)
    head, rest = (text[: mark.end()], text[mark.end() :]) if mark else ("", "")
    return f"write {one_line(head, 60)!r} and below it {_shown_answer(rest)!r}" if rest.strip() else ""


def _are_options(lines: Iterable[str]) -> bool:
    """Whether lines are the options of a question: two or more, in the order of their labels, none marked as the right one."""
    every = list(lines)
    labels = [label[1].lower() if (label := _OPTION.match(line)) else "" for line in every]
    return (
        len(labels) > 1
        and labels == list(ascii_lowercase[: len(labels)])
        and not any(_PICKED.search(line.strip().lstrip("-*+ ")) for line in every)
    )


def _line_at(draft: _Draft, at: int) -> int:
    """The number of the line in which a place of the question stands."""
    number, end = draft.line, len(draft.question) - sum(len(line.strip()) + 1 for _, line in draft.further)
    for further, line in draft.further:
        if at < end:
            break
        number, end = further, end + len(line.strip()) + 1
    return number


def _level(heading: str) -> int:
    return len(heading.strip()) - len(heading.strip().lstrip("#"))


def _shown_answer(line: str) -> str:
    """The line that gives what a line holds as an answer, without the signs and names in front of it."""
    plain = _SHORT_NAME.sub("", line.strip(), count=1)
    bare = _DRESS.sub("", plain) or plain.strip()
    return f"Answer: {one_line(bare if '(' in bare else bare.rstrip(')'), 40)}"


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
    if what == "answer" and not document and value == _NONE:
        question.has_none = True
        return
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
