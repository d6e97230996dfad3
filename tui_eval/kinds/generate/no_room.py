"""Conversations that are wanted and have no place in their documents: told, and never lowered in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from tui_eval.kinds.question_writing.material import QuestionTask
from tui_eval.reading.slots import page_count, shares

AnyTask = TypeVar("AnyTask", bound=QuestionTask)


def with_room_told(task: AnyTask, wanted: int | None, turns: int) -> AnyTask:
    """The task with what it has no room for, and a note of that. `wanted`: conversations; None = as many as it has places."""
    if wanted is None:
        return replace(task, config=task.config.model_copy(update={"conversations": len(task.places)}))
    task = replace(task, no_room=_no_room(task, wanted, turns))
    return replace(task, warnings=(*task.warnings, f"generate.conversations: {task.room}")) if task.room else task


def _no_room(task: QuestionTask, wanted: int, turns: int) -> Mapping[str, int]:
    """By document how many questions are wanted for which it has no place; nothing where all that is wanted has one.

    `wanted`: conversations, over all documents; what has no place is shared as if each document had room.
    """
    left, there = wanted - len(task.places), Counter(name for name, _ in task.places)
    found = {}
    if left > 0:
        pages = [page_count(file.text or "") for file in task.documents.values()]
        for name, number in zip(task.documents, shares(pages, [wanted] * len(pages), wanted), strict=True):
            lacking = min(max(number - there[name], 0), left)
            left -= lacking
            found[name] = lacking * turns
    return found
