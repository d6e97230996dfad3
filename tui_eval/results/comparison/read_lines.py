"""Lines of results.jsonl as comparisons read them: which question one is about, and what its answers were worth."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import DOCUMENT, source_of
from tui_eval.runs.reader import lines

_OPTION = re.compile(r"([A-Z])\) ?(.*)", re.DOTALL)
_OWN_ORDER = re.compile(r" \([A-Z] in the benchmark's own order\)$")


@dataclass(frozen=True, slots=True)
class QuestionMarks:
    """By what a question of a run is known again in another run; its text stays in the file."""

    source: str
    """What other questions may share with it: the document that it is about."""
    content: bytes
    """Of its options, whatever their order, and its truth."""
    shown: bytes
    """Of the question letter by letter, its options in their order."""
    groups: tuple[tuple[str, str], ...]
    """Names of groupings and values, such as (difficulty, easy)."""


class Score(NamedTuple):
    stage: str
    model: str
    measure: str
    value: float | None
    why: str
    version: str


def entry_of(line: bytes) -> dict[str, Any] | None:
    """A line of results.jsonl with lists of objects as its replies and scores; None where it is no item."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("item_id"), str):
        return None
    if not isinstance(found.get("repeat"), int):
        found["repeat"] = 0
    for name in ("replies", "scores"):
        inner = found.get(name)
        found[name] = [entry for entry in inner if isinstance(entry, dict)] if isinstance(inner, list) else []
    return found


def text_of(entry: Mapping[str, Any], name: str) -> str:
    """A field that should hold text; empty where it holds anything else."""
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def regular_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a regular file; none of anything else: a pipe in a stranger's folder would make us wait."""
    return lines(path) if is_regular(path) else iter(())


def is_regular(path: Path) -> bool:
    """Whether there is a file, and no link, pipe or device in its place."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def key_of(entry: Mapping[str, Any], by_text: bool) -> bytes:
    """Which question a line is about, the same in every run that asked it."""
    question = text_of(entry, "question")
    if by_text and question:
        return _mark(text_of(entry, "doc_id"), " ".join(_split(question)[0].split()))
    return _mark(entry["item_id"].removeprefix(text_of(entry, "lane") + "/"))


def question_of(entry: Mapping[str, Any]) -> QuestionMarks:
    """By which marks the question of a line is known again."""
    question, truth = text_of(entry, "question"), text_of(entry, "truth")
    options = _split(question)[1]
    right = _right(truth) if options else " ".join(truth.split())
    content = _mark(*sorted(options), "truth", right) if question else b""
    groups = _groups(entry.get("groups"))
    named = {DOCUMENT: tuple(value for by, value in groups if by == DOCUMENT)}
    return QuestionMarks(source_of(text_of(entry, "doc_id"), named), content, _mark(question), groups)


def _split(question: str) -> tuple[str, list[str]]:
    """A question and its lettered options, which are its last lines; none where the letters are not A, B, C …"""
    found = question.split("\n")
    first = len(found)
    while first and _OPTION.fullmatch(found[first - 1]):
        first -= 1
    options = [match for line in found[first:] if (match := _OPTION.fullmatch(line))]
    if len(options) < 2 or any(ord(match[1]) != ord("A") + i for i, match in enumerate(options)):
        return question, []
    return "\n".join(found[:first]), [match[2].strip() for match in options]


def _right(truth: str) -> str:
    """The right option without its letter, which depends on the order."""
    match = _OPTION.fullmatch(_OWN_ORDER.sub("", truth))
    return match[2].strip() if match else truth


def _mark(*parts: str) -> bytes:
    found = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(b"%d:" % len(data) + data)
    return found.digest()


def _groups(found: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(found, dict):
        return ()
    pairs = ((one_line(by, 40), values) for by, values in found.items() if isinstance(values, list))
    return tuple((by, one_line(value, 60)) for by, values in pairs for value in values if isinstance(value, str))


def scores_of(entry: Mapping[str, Any]) -> tuple[Score, ...]:
    """The scores of a line."""
    return tuple(map(_score, entry["scores"]))


def _score(found: Mapping[str, Any]) -> Score:
    stage, model, measure, why, version = (text_of(found, name) for name in ("stage", "model", "name", "why", "version"))
    return Score(stage, model, measure, number_of(found.get("value")), why, version)


def number_of(value: Any) -> float | None:
    """A finite number, or None."""
    return float(value) if isinstance(value, int | float) and type(value) is not bool and abs(value) < 1e300 else None
