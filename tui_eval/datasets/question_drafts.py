"""A question of a Questions.md as it is read: its answer is told from its words, and what may be an answer is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase

from tui_eval.core.errors import ConfigError
from tui_eval.core.lazy_pattern import lazy_pattern
from tui_eval.core.plaintext import one_line

QUESTION_NAMES = (
    "question|frage|pregunta|domanda|pergunta|questão|vraag|fråga|spørgsmål|spørsmål|pytanie|otázka|kysymys|soru|вопрос|питання|"
    "ερώτηση|質問|问题|問題|问|問|질문|문제|السؤال|سؤال|प्रश्न"
)
_SORTS = r"(?:the\s+)?(?:expected|correct|right|reference|model|sample|true|gold|ground[- ]truth)\s+"
_OTHER_TONGUES = (
    "antwort|lösung|réponse|reponse|respuesta|solución|risposta|soluzione|resposta|solução|antwoord|svar|odpowiedź|odpověď|"
    "vastaus|cevap|ответ|відповідь|απάντηση|答え|答案|回答|答|正解|解答|정답|답|الجواب|الإجابة|उत्तर"
)
ANSWER_NAMES = (
    rf"(?:{_SORTS})?(?:answer|ans)|{_SORTS}(?:response|reply|output|solution)|ground[- ]truth|truth|"
    rf"(?:\w+\s)?(?:{_OTHER_TONGUES})"
)
ONLY_BEHIND = "solution|correct"
"""Names of an answer that are words of questions, too ("which of these is correct: ..."): such only behind a question."""
ONLY_BELOW = "a|expected|gold|ideal"
"""Names of an answer that begin a line below its question, and would mean little within one."""
ANSWER_LISTS = (
    "(?:the )?(?:(?:correct|expected|model) )?(?:answers|solutions)|answer keys?|antworten|lösungen|réponses|reponses|corrigé|"
    "respuestas|soluciones|risposte|soluzioni|respostas|soluções|antwoorden|odpowiedzi|ответы|відповіді|απαντήσεις|cevaplar"
)
"""What stands over answers that are listed apart from their questions."""
COLON = "[:：]"
ARROW = "->|=>|→|⇒|➜"


BEHIND = r"(?<=[?.!？。！])[\s*_(]*"
TAIL = lazy_pattern(
    rf"{BEHIND}(?:(?<=[\s*_(？。！])(?:{ANSWER_NAMES}|{ONLY_BEHIND}|a(?!.*\bb[).:]))[*_]*\s*{COLON}[*_]*|{ARROW})"
    r"\s*(\S.*)$",
    re.IGNORECASE,
)
_LOOKS_ANSWERED = lazy_pattern(
    rf"(?<![\w'\"`‘“«])(?:{ANSWER_NAMES})s?(?:\s+is)?[*_]*\s*(?:{COLON}|=)[*_]*\s*(?=\S)|"
    rf"{BEHIND}(?<=[\s*_(？。！])(?:the\s+)?(?:{ANSWER_NAMES}|{ONLY_BEHIND})[*_]*"
    r"(?:\s+(?:is|was|ist|est|es)\s|\s*[-–—=]+\s)[*_]*(?=\S)|"
    r"(?<=[?？])\s*[*_]*\s*[-–—=]+>?\s+(?![^?？]*[?？])(?=\S)",
    re.IGNORECASE,
)
_OPTION = lazy_pattern(r"^\s*(?:[-*+]\s+)?\(?([a-z])[).:]\s+\S", re.IGNORECASE)
NONE = "(none)"
"""What stands in place of an answer where a question has none on purpose."""
MARK = "[?？؟\u037e]|(?<=[\u0370-\u03ff]);"
"""What ends a question; a semicolon does in Greek."""
CLOSED = rf"(?:{MARK})[\s\"'”’»)\]}}*_`~]*\Z"
QUESTION_ENDS = lazy_pattern(rf"{CLOSED}|(?:{MARK})\s*(?:{ANSWER_NAMES})\s*{COLON}\Z", re.IGNORECASE)
"""How a question without an answer may end: in its mark, or in `Answer:`."""
_OPTIONS_BEHIND = lazy_pattern(rf"(?:{MARK})\s*(\(?a[).:]\s.*\s\(?b[).:]\s.*)\Z", re.IGNORECASE | re.DOTALL)
_PICKED = lazy_pattern(
    rf"[*_=<>|\t\[\]✓✔✅☑☒←]|\(\s*[x✓✔]\s*\)|{ARROW}|\((?:\w+\s)?(?:right|correct|true|yes|{ANSWER_NAMES}|richtig)\b",
    re.IGNORECASE,
)
"""What may say which of the options is right."""
_ONE_CLAUSE = lazy_pattern(r"(?!.*(?:\s\s|[.!。！…]\s*\S|\s[-–—/]+\s))[^\t\u3000,;|→⇒➜<>()\[\]{}=:：*_`~\"“”«»?？؟\\]*")
"""What may go without an answer and a question mark."""
_LAST_MARK = lazy_pattern(rf"(?:{MARK})[\"'”’»*_`~]*(?=[^?？؟]*\Z)")
_SHORT_NAME = lazy_pattern(
    r"^\W*(?:\w{1,3}|[^\W\d]{1,14})\s*(?:[:：=]|\.(?=\s))\s*(?=\S)|^\W*(?:answer|ans)\s+(?=\S)", re.IGNORECASE
)
_DRESS = lazy_pattern(r"^[\W_]+|[^\w.%°)]+$")
_TAG = lazy_pattern(r"</?[a-z]\w{0,15}\s*/?>", re.IGNORECASE)
_LONG_NAME = lazy_pattern(
    rf"^\W*(?:the\s+)?(?:\w+\s+)?(?:{ANSWER_NAMES})s?[*_]*\s*(?:(?:is|was)\b\s*)?[:：=–—-]*[*_]*\s*(?=\S)", re.IGNORECASE
)
_FEW_WORDS = lazy_pattern(r"(?=.*\w).{1,80}(?<![.!。！…:：])")
"""What an answer that stands behind a question looks like: no sentence."""
_HIDDEN = lazy_pattern(r"<!--|</?(?:details|summary)\b", re.IGNORECASE)
"""What a page does not show at once: a comment, a folded part."""


@dataclass(slots=True)
class QuestionDraft:
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
        """Return whether it has an answer, or says that there is none."""
        return self.truth is not None or bool(self.document_truths) or self.has_none


def split_tail(draft: QuestionDraft, name: str) -> None:
    """Take an answer at the end of the question's line out of it; what else looks like an answer is refused."""
    where, tail = f"{name}:{draft.line}", TAIL.search(draft.question)
    if tail and not _LOOKS_ANSWERED.search(tail.group(1)):
        value = bare(tail.group(1))
        if "(" in tail.group().partition(tail.group(1))[0]:
            value = value.removesuffix(")")
        draft.question = draft.question[: tail.start()].rstrip(" *_(")
        fill_in(draft, "answer", None, value, where)
    if looks := _LOOKS_ANSWERED.search(draft.question):
        where = f"{name}:{_line_at(draft, looks.start())}"
        raise ConfigError(
            f"{where}: {one_line(draft.question, 60)!r} seems to hold its answer, which would be sent to the models; "
            f"{_split_as(draft.question) or 'put the answer on a line of its own as Answer: ...'}. "
            "Or quote such words of the question ('Answer:')"
        )


def refuse_hidden(draft: QuestionDraft, name: str) -> None:
    """Refuse a question without an answer that has a part which a page hides."""
    hidden = _HIDDEN.search(draft.question)
    if hidden and not draft.is_answered:
        message = f"{one_line(draft.question, 60)!r} may hold its answer, which would be sent to the models"
        split = _split_as(draft.question) or "write it on a line of its own as 'Answer: ...'"
        where = f"{name}:{_line_at(draft, hidden.start())}"
        raise ConfigError(f"{where}: {message}; if it does, {split}; if not, write 'Answer: {NONE}' below it")


def words_behind_all(questions: Sequence[str]) -> str:
    """Tell of questions without answers that all have a few words behind their mark, other ones each: such may be answers.

    Empty where that is not so. Sentences that end as such, options, and words that are said twice are the questions' own.
    """
    rests = [_behind(question) for question in questions]
    alike = len({rest.casefold() for rest in rests}) < len(rests)
    if len(rests) < 2 or alike or not all(map(_FEW_WORDS.fullmatch, rests)):
        return ""
    return (
        f"no question has an answer, and each has words after its question mark, such as {one_line(rests[0], 40)!r}. They are "
        f"sent to the models; if they are answers, {_split_as(questions[0])}"
    )


def _behind(question: str) -> str:
    """Return the text behind a question's mark; empty where there is none, or where it is options."""
    mark = _LAST_MARK.search(question)
    return "" if not mark or _OPTIONS_BEHIND.search(question) else question[mark.end() :].strip()


def refuse_unclear(draft: QuestionDraft, name: str, in_order: bool) -> None:
    """Refuse a question without an answer that has more than one line, or more than its question mark, at its end.

    ConfigError by the line, which shows how it should read.
    """
    if draft.is_answered:
        return
    if draft.further and not _are_options(line for _, line in draft.further):
        number, line = draft.further[0]
        raise ConfigError(
            f"{name}:{number}: {one_line(line.strip(), 40)!r} may be an answer, which would be sent to the models; "
            f"if it is, write {_shown_answer(line)!r}; if not, put it on the line of its question and add 'Answer: {NONE}'"
        )
    text = draft.question if not draft.further else draft.question[: -sum(len(line.strip()) + 1 for _, line in draft.further)]
    behind = _OPTIONS_BEHIND.search(text)
    if behind and not _PICKED.search(behind.group(1)):
        return
    if QUESTION_ENDS.search(text) or (in_order and _ONE_CLAUSE.fullmatch(text)):
        return
    split = _split_as(text)
    raise ConfigError(
        f"{name}:{draft.line}: {one_line(text, 60)!r} may hold its answer or be one, which would be sent to the models; "
        f"{f'if it does, {split}; ' if split else ''}if it is a question without an answer, write 'Answer: {NONE}' below it"
    )


def _split_as(text: str) -> str:
    """Return how a question that may hold its answer behind its mark should read; empty where it has none."""
    mark = _LAST_MARK.search(text)
    head, rest = (text[: mark.end()], text[mark.end() :]) if mark else ("", "")
    return f"write {one_line(head, 60)!r} and below it {_shown_answer(rest)!r}" if rest.strip() else ""


def _are_options(lines: Iterable[str]) -> bool:
    """Return whether lines are the options of a question: two or more, in the order of their labels, none marked as right."""
    every = list(lines)
    labels = [label[1].lower() if (label := _OPTION.match(line)) else "" for line in every]
    return (
        len(labels) > 1
        and labels == list(ascii_lowercase[: len(labels)])
        and not any(_PICKED.search(line.strip().lstrip("-*+ ")) for line in every)
    )


def _line_at(draft: QuestionDraft, at: int) -> int:
    """The number of the line in which a place of the question stands."""
    number, end = draft.line, len(draft.question) - sum(len(line.strip()) + 1 for _, line in draft.further)
    for further, line in draft.further:
        if at < end:
            break
        number, end = further, end + len(line.strip()) + 1
    return number


def _shown_answer(line: str) -> str:
    """The line that gives what a line holds as an answer, without the signs and names in front of it."""
    text = _LONG_NAME.sub("", _TAG.sub(" ", line).strip(), count=1)
    plain = _SHORT_NAME.sub("", text, count=1)
    bare = _DRESS.sub("", plain) or plain.strip()
    return f"Answer: {one_line(bare if '(' in bare else bare.rstrip(')'), 40)}"


def bare(text: str) -> str:
    """Without the emphasis that stands around it, or was opened before it."""
    for sign in ("**", "__"):
        if text.startswith(sign) and text.endswith(sign) and len(text) > 4 and sign not in text[2:-2]:
            return text[2:-2].strip()
        if text.endswith(sign) and text.count(sign) == 1:
            return text[:-2].strip()
    return text.strip()


def fill_in(question: QuestionDraft, field_name: str, document: str | None, value: str, where: str) -> None:
    if not value:
        raise ConfigError(f"{where}: {field_name!r} is empty; write it on the same line")
    if field_name == "answer" and not document and value == NONE:
        question.has_none = True
        return
    if field_name == "documents":
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
