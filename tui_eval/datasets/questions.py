"""Open questions and the ids that are made of their text."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from tui_eval.core.samples import Sample


def numbered(questions: Iterable[Sample]) -> tuple[Sample, ...]:
    """Open questions with ids made of their text: one that is put before the others leaves theirs alone."""
    seen: Counter[str] = Counter()
    found = []
    for question in questions:
        made = hashlib.sha256(question.question.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        seen[made] += 1
        found.append(replace(question, id=made if seen[made] == 1 else f"{made}-{seen[made]}"))
    return tuple(found)
