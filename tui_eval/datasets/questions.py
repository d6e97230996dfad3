"""Reading question sets in the formats people have them in."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample

_NUMBERED = re.compile(r"^\s*(?:#+\s*)?(\d{1,6})[.)]\s+(\S.*)$")
_FIELD = re.compile(r"^\s*(?:[-*]\s+)?\**(answer|documents)\**\s*(?:\(([^)]*)\))?\s*:\**\s*(.*)$", re.IGNORECASE)


@dataclass(slots=True)
class _Draft:
    """A question as its lines come."""

    question: str
    truth: str | None = None
    documents: list[str] = field(default_factory=list)
    document_truths: dict[str, str] = field(default_factory=dict)


def questions_markdown(text: str, name: str) -> tuple[Sample, ...]:
    """The questions of a Questions.md: `1. Question`, then `Answer:`, optional `Documents: a, b` and `Answer (a):`.

    ConfigError with the line number for anything out of place.
    """
    found: list[_Draft] = []
    answering = False
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        if start := _NUMBERED.match(line):
            found.append(_Draft(start.group(2).strip()))
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
    return numbered(
        Sample("", one.question, truth=one.truth, documents=tuple(one.documents), document_truths=one.document_truths)
        for one in found
    )


def numbered(questions: Iterable[Sample]) -> tuple[Sample, ...]:
    """Open questions with ids made of their text: one that is put before the others leaves theirs alone."""
    seen: Counter[str] = Counter()
    found = []
    for question in questions:
        made = hashlib.sha256(question.question.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        seen[made] += 1
        found.append(replace(question, id=made if seen[made] == 1 else f"{made}-{seen[made]}"))
    return tuple(found)


def _take(question: _Draft, name: str, document: str | None, value: str, where: str) -> None:
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
