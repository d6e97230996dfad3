"""Lines of results.jsonl parsed, once for all who read them, and a stored sample in short: what sums need of it, no replies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from tui_eval.core.kinds import Metric
from tui_eval.core.results import StoredScore
from tui_eval.core.samples import source_of
from tui_eval.core.units import Unit, digest
from tui_eval.results.read_report import list_of, objects_of, table_of
from tui_eval.results.sums.metrics import amount, metrics_of

_OPTION = re.compile(r"([A-Z])\) ?(.*)", re.DOTALL)
_OWN_ORDER = re.compile(r" \([A-Z] in the benchmark's own order\)$")
Wanted = TypeVar("Wanted")
Default = TypeVar("Default")


class StoredScores(NamedTuple):
    """Stored sample without its replies. Texts are foreign; what is missing or of another type is empty."""

    item_id: str
    repeat: int
    lane: str
    doc_id: str
    q_index: int
    groups: Mapping[str, tuple[str, ...]]
    question: str
    truth: str | None
    finished: bool
    metrics: Mapping[str, Metric]
    """Metrics that the line names; what it does not name is right or wrong."""
    unit: Unit
    scores: tuple[StoredScore, ...]
    offset: int
    """Where its line begins in the file."""


def parse_scores(line: bytes, offset: int = 0) -> StoredScores | None:
    """Parse a line of results.jsonl in short; None where it is no sample."""
    entry = parse_line(line)
    if entry is None:
        return None
    return StoredScores(
        item_id=entry["item_id"],
        repeat=entry["repeat"],
        lane=text_of(entry, "lane"),
        doc_id=text_of(entry, "doc_id"),
        q_index=typed(entry, "q_index", int, 0),
        groups=groups_of(entry),
        question=text_of(entry, "question"),
        truth=typed(entry, "truth", str, None),
        finished=typed(entry, "finished", bool, False),
        metrics=metrics_of(entry),
        unit=unit_of(entry),
        scores=scores_of(entry),
        offset=offset,
    )


def parse_line(line: bytes) -> dict[str, Any] | None:
    """Parse a line of results.jsonl: an object with an id, a whole number as repeat, lists of objects as replies and scores.

    None where it is no sample.
    """
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("item_id"), str):
        return None
    entry["repeat"] = typed(entry, "repeat", int, 0)
    for name in ("replies", "scores"):
        entry[name] = objects_of(entry.get(name))
    return entry


def typed(table: Mapping[str, Any], name: str, field_type: type[Wanted], default: Default) -> Wanted | Default:
    """Return a field of a type; the default where it is missing or of another type."""
    value = table.get(name)
    return value if type(value) is field_type else default


def text_of(table: Mapping[str, Any], name: str) -> str:
    """Return a field that should hold text; empty where it holds anything else."""
    return typed(table, name, str, "")


def groups_of(entry: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return what a line belongs to, such as its difficulty: names of groupings and their values."""
    return {name: _texts(values) for name, values in table_of(entry.get("groups")).items() if isinstance(values, list)}


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(value if isinstance(value, str) else "" for value in list_of(values))


def scores_of(entry: Mapping[str, Any]) -> tuple[StoredScore, ...]:
    """Return the scores of a line that `parse_line` parsed."""
    return tuple(map(_score, entry["scores"]))


def _score(entry: Mapping[str, Any]) -> StoredScore:
    stage, model, name, why, version = (text_of(entry, field) for field in ("stage", "model", "name", "why", "version"))
    return StoredScore(stage, model, name, typed(entry, "call_index", int, 0), amount(entry.get("value")), why, version)


def unit_of(entry: Mapping[str, Any]) -> Unit:
    """Return the unit that a line states; of lines of older runs, which state none, what stands for it."""
    place = entry["item_id"].removeprefix(text_of(entry, "lane") + "/")
    texts = (text_of(entry, "doc_id"), text_of(entry, "question"))
    return stated_unit(entry) or unit_by_text(*texts, place, groups_of(entry))


def stated_unit(entry: Mapping[str, Any]) -> Unit | None:
    """Return the unit that a line states; None where it states none, as lines of older runs."""
    stated = table_of(entry.get("unit"))
    item = text_of(stated, "item")
    return Unit(item, _texts(stated.get("clusters")) or (item,), text_of(stated, "variant")) if item else None


def unit_by_text(doc_id: str, question: str, place: str, groups: Mapping[str, tuple[str, ...]]) -> Unit:
    """Return what stands for the unit of a sample whose line states none: its document and its text without options.

    Where no text is noted it goes by its place.
    """
    item = digest(doc_id, " ".join(split_options(question)[0].split())) if question else digest(place)
    return Unit(item, (source_of(doc_id, groups), item))


class TextKeys(NamedTuple):
    """Digests by which an item is known again in runs that do not state it."""

    shown: str
    """Of its text as it was shown, options in their order."""
    words: str
    """Of its document and its text without options."""
    content: str
    """Of its options, whatever their order, and its truth."""


def text_keys(line: StoredScores) -> TextKeys:
    """Return the digests of a line's texts."""
    stem, options = split_options(line.question)
    truth = line.truth or ""
    right = _right(truth) if options else " ".join(truth.split())
    words = digest(line.doc_id, " ".join(stem.split()))
    return TextKeys(digest(line.question), words, digest(sorted(options), right) if line.question else "")


def _right(truth: str) -> str:
    """Return the right option without its letter, which depends on the order."""
    match = _OPTION.fullmatch(_OWN_ORDER.sub("", truth))
    return match[2].strip() if match else truth


def split_options(question: str) -> tuple[str, list[str]]:
    """Split a question from its lettered options, which are its last lines; none where the letters are not A, B, C …"""
    lines = question.split("\n")
    first = len(lines)
    while first and _OPTION.fullmatch(lines[first - 1]):
        first -= 1
    options = [match for line in lines[first:] if (match := _OPTION.fullmatch(line))]
    if len(options) < 2 or any(ord(match[1]) != ord("A") + i for i, match in enumerate(options)):
        return question, []
    return "\n".join(lines[:first]), [match[2].strip() for match in options]
