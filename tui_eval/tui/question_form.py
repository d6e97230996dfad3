"""A question as a text with a heading over each part, to be edited in place, and that text read back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from string import ascii_uppercase

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line, visible
from tui_eval.datasets.questions import AskedQuestion
from tui_eval.datasets.sets import QuestionSet, SetKind, SetQuestion, numbered, unwritable, written

_HEADING = re.compile(
    r"\[(question|[A-Za-z]|answer|answer for (?P<document>.+)|documents|difficulty|domains|topics|calculation)\]"
)
NOTES = {
    "choice": "Another heading, such as [E], is one more option. [answer] is a letter. Domains and topics stand one on a line.",
    "panel": "[answer for NAME] holds for one document. [documents] names those it is asked of, one on a line; none = all.",
}
"""What to know while editing, by kind of set."""


def form_text(question: SetQuestion, kind: SetKind) -> str:
    """The text. ConfigError for a question that the text could not hold, which is edited in its file."""
    parts = _lettered_parts(question) if kind == "choice" else _open_parts(question)
    text = "\n\n".join(f"[{name}]\n{content}".rstrip() for name, content in parts.items()) + "\n"
    try:
        same = visible(text) == text and form_question(text, question, kind) == question
    except ConfigError:
        same = False
    if not same:
        raise ConfigError("this question cannot be edited here: it has signs that cannot be seen, or a line like a heading")
    return text


def _lettered_parts(question: SetQuestion) -> dict[str, str]:
    options = dict(zip(ascii_uppercase, question.options, strict=False))
    needed = {True: "yes", False: "no", None: ""}[question.calc_required]
    more = {"difficulty": question.difficulty, "domains": "\n".join(question.domains), "topics": "\n".join(question.topics)}
    return {"question": question.question, **options, "answer": question.letter, **more, "calculation": needed}


def _open_parts(question: SetQuestion) -> dict[str, str]:
    truths = {f"answer for {name}": truth for name, truth in question.document_truths.items()}
    return {
        "question": question.question,
        "answer": question.truth or "",
        **truths,
        "documents": "\n".join(question.documents),
    }


def form_question(text: str, before: SetQuestion, kind: SetKind) -> SetQuestion:
    """The question that a text describes, under the id it had. ConfigError, in words, for what is out of place."""
    parts = _parts(text)
    unknown = next((name for name in parts if name not in _known(kind) and not name.startswith("answer for ")), None)
    if unknown is not None or (kind == "choice" and any(name.startswith("answer for ") for name in parts)):
        raise ConfigError(
            f"[{one_line(unknown or 'answer for ...', 40)}] is for {'open' if kind == 'choice' else 'lettered'} questions"
        )
    question = _lettered(parts, before) if kind == "choice" else _open(parts, before)
    problem = unwritable(question, kind)
    if problem:
        raise ConfigError(problem)
    written(QuestionSet(kind, "", (question,)))
    return question


def form_problem(text: str, before: SetQuestion, kind: SetKind) -> str:
    """What is wrong with a text; empty where nothing is."""
    try:
        form_question(text, before, kind)
    except ConfigError as error:
        return str(error).removeprefix("question 1: ")
    return ""


def _known(kind: SetKind) -> tuple[str, ...]:
    lettered = ("question", *ascii_uppercase, "answer", "difficulty", "domains", "topics", "calculation")
    return lettered if kind == "choice" else ("question", "answer", "documents")


def _parts(text: str) -> dict[str, str]:
    """What stands under each heading, without blank lines around it."""
    parts: dict[str, list[str]] = {}
    name = ""
    for number, line in enumerate(text.split("\n"), start=1):
        heading = _HEADING.fullmatch(line.strip())
        if heading:
            name = heading.group(1).upper() if len(heading.group(1)) == 1 else heading.group(1)
            if name in parts:
                raise ConfigError(f"line {number}: [{one_line(name, 40)}] stands here a second time")
            parts[name] = []
        elif name:
            parts[name].append(line)
        elif line.strip():
            raise ConfigError(f"line {number}: this stands above the first heading; the question begins below [question]")
    return {name: "\n".join(lines).strip() for name, lines in parts.items()}


def _lettered(parts: Mapping[str, str], before: SetQuestion) -> SetQuestion:
    letters = [name for name in parts if len(name) == 1]
    if sorted(letters) != list(ascii_uppercase[: len(letters)]):
        raise ConfigError(f"the options are {', '.join(sorted(letters)) or 'missing'}: they go from [A] on without a gap")
    options = tuple(parts[letter] for letter in sorted(letters))
    answer = parts.get("answer", "").upper()
    if len(answer) != 1 or answer not in letters:
        raise ConfigError(f"[answer] is {one_line(answer, 20)!r}; it is the letter of one of the options")
    needed = parts.get("calculation", "").lower()
    if needed not in ("yes", "no", ""):
        raise ConfigError("[calculation] is yes, no or empty")
    return replace(
        before,
        question=parts.get("question", ""),
        options=options,
        answer=ascii_uppercase.index(answer),
        difficulty=parts.get("difficulty", ""),
        domains=_listed(parts.get("domains", "")),
        topics=_listed(parts.get("topics", "")),
        calc_required={"yes": True, "no": False, "": None}[needed],
    )


def _open(parts: Mapping[str, str], before: SetQuestion) -> SetQuestion:
    truths = {name.removeprefix("answer for "): truth for name, truth in parts.items() if name.startswith("answer for ")}
    documents = list(_listed(parts.get("documents", "")))
    asked = AskedQuestion(parts.get("question", ""), parts.get("answer") or None, documents, truths)
    made = numbered([asked])[0]
    return before if replace(made, id=before.id) == before else made


def _listed(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.split("\n") if line.strip())
