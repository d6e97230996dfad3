"""Questions that two sides answered differently: what was asked, and what each of them said, read from their run folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tui_eval.core.kinds import Metric
from tui_eval.results.comparison.read_lines import entry_of, key_of, number_of, text_of
from tui_eval.results.comparison.sides import Side
from tui_eval.results.sums.metrics import upwards
from tui_eval.runs.folder import RESULTS
from tui_eval.workspace.plain_files import opened

LONGEST = 2000
"""Characters of a text that a flip in a list holds."""
_BLOCK = 1 << 14
_MOST = 16 << 20
"""A longer line is no item."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply of a side to a question, and what was said of it. Texts are foreign."""

    item_id: str
    repeat: int
    call_index: int
    status: str
    text: str | None
    """None where there is no reply."""
    value: float | None
    why: str
    """Why it has no value, or has this one without a comparison."""
    read: str
    """What was read from it, such as a letter, and by which pattern; empty where nothing was."""
    judged: tuple[tuple[str, str], ...]
    """Who said what of it: replies about it alone, and those that were made of all answers of its stage."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A question on which one side does better than the other."""

    key: bytes
    question: str
    truth: str
    score_a: float
    score_b: float
    answers_a: tuple[Answer, ...]
    """Several where it was asked several times."""
    answers_b: tuple[Answer, ...]
    metric: Metric
    """What both were scored by."""

    @property
    def a_better(self) -> bool:
        """Which way it goes."""
        return upwards(self.metric, self.score_a - self.score_b) > 0


def flip_of(a: Side, b: Side, key: bytes, longest: int | None = LONGEST) -> Flip:
    """A question of both sides, its texts cut at `longest` characters, or not at all."""
    question, truth, answers_a = answers_of(a, key, longest)
    other, other_truth, answers_b = answers_of(b, key, longest)
    return Flip(key, question or other, truth or other_truth, a.scores[key], b.scores[key], answers_a, answers_b, a.metric)


def answers_of(side: Side, key: bytes, longest: int | None = LONGEST) -> tuple[str, str, tuple[Answer, ...]]:
    """The question, its truth, and the side's answers. Nothing where the file is another by now."""
    question = truth = ""
    found: list[Answer] = []
    for entry in _entries(side, key):
        question, truth = question or text_of(entry, "question")[:longest], truth or text_of(entry, "truth")[:longest]
        scores = [score for score in entry["scores"] if _is_of(side, score) and text_of(score, "name") == side.measure]
        found += [_answer(side, entry, score, longest) for score in scores]
    return question, truth, tuple(found)


def _entries(side: Side, key: bytes) -> Iterator[dict[str, Any]]:
    """The lines of a question; a file that was written anew meanwhile has others in their places, which are left out."""
    try:
        descriptor = opened(side.run.path / RESULTS)
    except OSError:
        return
    try:
        for offset in side.items[key]:
            entry = entry_of(_line(descriptor, offset))
            if entry is not None and key_of(entry, side.run.by_text) == key:
                yield entry
    finally:
        os.close(descriptor)


def _line(descriptor: int, offset: int) -> bytes:
    found = b""
    while b"\n" not in found and len(found) < _MOST and (part := os.pread(descriptor, _BLOCK, offset + len(found))):
        found += part
    return found.partition(b"\n")[0]


def _is_of(side: Side, entry: Mapping[str, Any]) -> bool:
    return (entry.get("stage"), entry.get("model")) == (side.stage, side.model)


def _answer(side: Side, entry: Mapping[str, Any], score: Mapping[str, Any], longest: int | None) -> Answer:
    index = score.get("call_index")
    replies = [reply for reply in entry["replies"] if _is_of(side, reply) and reply.get("call_index") == index]
    reply: Mapping[str, Any] = replies[0] if replies else {}
    text = reply.get("text")
    return Answer(
        item_id=entry["item_id"],
        repeat=entry["repeat"],
        call_index=index if isinstance(index, int) else 0,
        status=text_of(reply, "status"),
        text=text[:longest] if isinstance(text, str) else None,
        value=number_of(score.get("value")),
        why=text_of(score, "why")[:longest] or text_of(reply, "why")[:longest],
        read=" by ".join(filter(None, (text_of(score, "read"), text_of(score, "pattern")))) if score.get("read") else "",
        judged=tuple(_judged(side, entry, f"{side.stage}:{side.model}#{index}", longest)),
    )


def _judged(side: Side, entry: Mapping[str, Any], about: str, longest: int | None) -> Iterator[tuple[str, str]]:
    """What was said of this answer alone; and by stages after its own, unless theirs are the item's answers."""
    replies, primary = entry["replies"], entry.get("primary")
    answers = primary if isinstance(primary, list) else range(len(replies))
    stages = list(dict.fromkeys(text_of(reply, "stage") for reply in replies))
    later = stages[stages.index(side.stage) + 1 :] if side.stage in stages else []
    for place, reply in enumerate(replies):
        stage, text, of = text_of(reply, "stage"), text_of(reply, "text"), text_of(reply, "about")
        if text and (of == about or (not of and stage in later and place not in answers)):
            yield f"{stage} {text_of(reply, 'model')}", text[:longest]
