"""Open questions and the ids that are made of their text."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from tui_eval.core.samples import Sample


def is_set_list(path: str) -> bool:
    """Return whether a path is that of a Questions.md, in which the questions about a folder's documents stand."""
    return path.replace("\\", "/").rpartition("/")[2].lower() == "questions.md"


def numbered(questions: Iterable[Sample]) -> tuple[Sample, ...]:
    """Open questions with ids made of their text: one that is put before the others leaves theirs alone."""
    counts: Counter[str] = Counter()
    samples = []
    for question in questions:
        question_id = hashlib.sha256(question.question.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        counts[question_id] += 1
        samples.append(
            replace(question, id=question_id if counts[question_id] == 1 else f"{question_id}-{counts[question_id]}")
        )
    return tuple(samples)
