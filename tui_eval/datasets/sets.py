"""What a set of questions is, and its form on disk: lettered questions as JSON, open ones as a Questions.md."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from string import ascii_uppercase
from typing import Any, Literal

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.answer_keys import BARE_LETTER
from tui_eval.datasets.lettered.lettered_questions import read_benchmark
from tui_eval.datasets.questions import AskedQuestion, questions_markdown

SetKind = Literal["choice", "panel"]
LIST = "Questions.md"
"""The file in a folder of documents that holds the questions about them."""


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """A question of a set: lettered where it has options, else open."""

    id: str
    question: str
    options: tuple[str, ...] = ()
    answer: int | None = None
    """The right option, counted from 0."""
    truth: str | None = None
    """The right answer to an open question; None where it has none."""
    difficulty: str = ""
    domains: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    calc_required: bool | None = None
    documents: tuple[str, ...] = ()
    """Ids of the documents it is asked of; none = all."""
    document_truths: Mapping[str, str] = field(default_factory=dict)
    """Right answers that hold for one document only."""

    @property
    def letter(self) -> str:
        """The letter of the right option; empty where there is none."""
        return "" if self.answer is None else ascii_uppercase[self.answer]

    @property
    def answer_text(self) -> str:
        """The right answer in words; empty where none is on file."""
        if self.answer is not None:
            return self.options[self.answer]
        return self.truth or "; ".join(f"{name}: {truth}" for name, truth in self.document_truths.items())


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions of one kind in their order."""

    kind: SetKind
    name: str
    """What a benchmark calls itself, its version; empty for open questions."""
    questions: tuple[SetQuestion, ...]
    documents: tuple[str, ...] = ()
    """Names of the files that open questions are asked about."""

    def changed(self, question_id: str, question: SetQuestion) -> QuestionSet:
        """The same set with another question in the place of one."""
        return replace(self, questions=tuple(question if q.id == question_id else q for q in self.questions))


# Reading


def lettered(text: str, name: str) -> QuestionSet:
    """A benchmark in any form that a run can read. ConfigError names file, place and field of what is not usable."""
    benchmark = read_benchmark(text, name)
    questions = tuple(
        SetQuestion(
            q.id,
            q.question,
            options=q.choices,
            answer=q.answer,
            difficulty=q.difficulty,
            domains=q.domains,
            topics=q.topics,
            calc_required=q.calc_required,
        )
        for q in benchmark.questions
    )
    return QuestionSet("choice", benchmark.name, questions)


def open_questions(text: str, name: str, documents: Sequence[str] = ()) -> QuestionSet:
    """A Questions.md. ConfigError with the line for anything out of place."""
    return QuestionSet("panel", "", numbered(questions_markdown(text, name)), tuple(documents))


def numbered(asked: Sequence[AskedQuestion]) -> tuple[SetQuestion, ...]:
    """Open questions with ids made of their text: one that is put before the others leaves theirs alone."""
    seen: Counter[str] = Counter()
    found = []
    for entry in asked:
        made = hashlib.sha256(entry.question.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        seen[made] += 1
        found.append(
            SetQuestion(
                made if seen[made] == 1 else f"{made}-{seen[made]}",
                entry.question,
                truth=entry.truth,
                documents=tuple(entry.documents),
                document_truths=entry.document_truths,
            )
        )
    return tuple(found)


# Writing


def written(questions: QuestionSet) -> str:
    """A set as its file holds it. ConfigError, in words, for what the file could not give back exactly."""
    if not questions.questions:
        raise ConfigError("a set needs at least one question")
    for number, question in enumerate(questions.questions, start=1):
        problem = unwritable(question, questions.kind)
        if problem:
            raise ConfigError(f"question {number} ({one_line(question.question, 40)!r}): {problem}")
    text = _json(questions) if questions.kind == "choice" else _markdown(questions)
    lost = _first_lost(questions, text)
    if lost is not None:
        where = f"question {lost}" if lost else "the set's name"
        raise ConfigError(
            f"{where}: could not be read back as it is; take out signs that mean something in the file, such as )"
        )
    return text


def _first_lost(questions: QuestionSet, text: str) -> int | None:
    """The first question, counted from 1, that the file would not give back as it is; 0 = the name; None where all is kept."""
    try:
        found = lettered(text, LIST) if questions.kind == "choice" else open_questions(text, LIST)
    except ConfigError:
        found = QuestionSet(questions.kind, questions.name, ())
    pairs = zip_longest(questions.questions, found.questions)
    number = next((n for n, (ours, theirs) in enumerate(pairs, start=1) if ours != theirs), None)
    return 0 if number is None and questions.name and found.name != questions.name else number


def unwritable(question: SetQuestion, kind: SetKind) -> str:
    """Why a question cannot be kept; empty where it can."""
    if not question.question.strip():
        return "the question is empty"
    if kind == "choice":
        return _no_choice(question)
    lines = {"question": question.question, "answer": question.truth or ""}
    lines |= {f"answer ({name})": truth for name, truth in question.document_truths.items()}
    for name, text in lines.items():
        if "\n" in text or "\r" in text:
            return f"the {name} has several lines; in {LIST} it stands on one"
        if text != text.strip():
            return f"the {name} begins or ends with blanks; take them away"
    if question.truth == "" or "" in question.document_truths.values():
        return "an answer is empty; take its line away where there is none"
    unusable = [name for name in question.documents if not name.strip() or "," in name or "\n" in name]
    return f"a document cannot be called {one_line(unusable[0], 40)!r} here" if unusable else ""


def _no_choice(question: SetQuestion) -> str:
    if not 2 <= len(question.options) <= len(ascii_uppercase):
        n = len(question.options)
        return f"{n} option{'' if n == 1 else 's'}; a lettered question has 2 to {len(ascii_uppercase)}"
    if any(not option.strip() for option in question.options):
        return "an option is empty"
    if question.answer is None or not 0 <= question.answer < len(question.options):
        return "no option is marked as the right one; write Answer: and its letter"
    return ""


def _json(questions: QuestionSet) -> str:
    entries = ",\n".join(
        json.dumps(_entry(question, questions.name), ensure_ascii=False, indent=1) for question in questions.questions
    )
    return f"[\n{entries}\n]\n"


def _entry(question: SetQuestion, name: str) -> dict[str, Any]:
    """A lettered question. Its answer is a letter, or where an option could be mistaken for one, its number."""
    mistakable = any(BARE_LETTER.fullmatch(option.strip()) for option in question.options)
    answer = {"answer_index": question.answer} if mistakable else {"answer": question.letter}
    entry = {
        "id": question.id,
        "version": name,
        "question": question.question,
        "choices": list(question.options),
        **answer,
        "difficulty": question.difficulty,
        "domains": list(question.domains),
        "topics": list(question.topics),
        "calc_required": question.calc_required,
    }
    return {key: value for key, value in entry.items() if value not in ("", [], None)}


def _markdown(questions: QuestionSet) -> str:
    return "\n".join(_lines(number, question) for number, question in enumerate(questions.questions, start=1))


def _lines(number: int, question: SetQuestion) -> str:
    lines = [f"{number}. {question.question}"]
    if question.truth is not None:
        lines.append(f"   Answer: {question.truth}")
    lines += [f"   Answer ({name}): {truth}" for name, truth in question.document_truths.items()]
    if question.documents:
        lines.append(f"   Documents: {', '.join(question.documents)}")
    return "\n".join(lines) + "\n"
