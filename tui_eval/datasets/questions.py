"""Reading question sets in the formats people have them in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tui_eval.core.errors import ConfigError

_NUMBERED = re.compile(r"^\s*(?:#+\s*)?(\d{1,6})[.)]\s+(\S.*)$")
_FIELD = re.compile(r"^\s*(?:[-*]\s+)?\**(answer|documents)\**\s*(?:\(([^)]*)\))?\s*:\**\s*(.*)$", re.IGNORECASE)


@dataclass(slots=True)
class AskedQuestion:
    """A question, its true answer, and which documents it applies to (none named = all)."""

    question: str
    truth: str | None = None
    documents: list[str] = field(default_factory=list)
    document_truths: dict[str, str] = field(default_factory=dict)


def questions_markdown(text: str, name: str) -> list[AskedQuestion]:
    """The questions of a Questions.md: `1. Question`, then `Answer:`, optional `Documents: a, b` and `Answer (a):`.

    ConfigError with the line number for anything out of place.
    """
    found: list[AskedQuestion] = []
    answering = False
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        if start := _NUMBERED.match(line):
            found.append(AskedQuestion(start.group(2).strip()))
            answering = False
        elif entry := _FIELD.match(line):
            if not found:
                raise ConfigError(f"{name}:{number}: {entry.group(1)!r} stands before the first numbered question")
            _take(found[-1], entry.group(1).lower(), entry.group(2), entry.group(3).strip(), f"{name}:{number}")
            answering = True
        elif line.strip() and found and not line.lstrip().startswith("#"):
            if answering:
                raise ConfigError(
                    f"{name}:{number}: {line.strip()[:40]!r} is neither a numbered question nor 'Answer:' or 'Documents:'; "
                    "an answer stands on one line"
                )
            found[-1].question += " " + line.strip()
    if not found:
        raise ConfigError(f"{name}: no questions found; write them as '1. Question?' with a line 'Answer: ...' below each")
    return found


def _take(question: AskedQuestion, name: str, document: str | None, value: str, where: str) -> None:
    if not value:
        raise ConfigError(f"{where}: {name!r} is empty; write it on the same line")
    if name == "documents":
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
