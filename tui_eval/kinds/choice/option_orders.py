"""In which orders the options of a question are shown, and which of them have to stay where they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.selection import ChoiceTask
from tui_eval.kinds.choice.sheets import LETTERS
from tui_eval.statistics.estimates import shuffled

_GENERAL = re.compile(
    r"^\W*(?:all|none|both|neither|any|either|some|each)\W+(?:of\W+)?(?:the\W+)?"
    r"(?:above|these|those|following|preceding|previous|listed|(?:other\W+)?(?:options|choices|answers)|(?<=of the )others?)"
    r"(?:\W+(?:options|choices|answers|statements))?(?:\s+(?:is|are|apply|applies|hold|holds)\b.*)?\W*$",
    re.IGNORECASE,
)
"""Options that speak of all the others."""
_LETTERS = re.compile(
    r"^\W*(?:(?i:only|both|either|neither|all of|options?|choices?|answers?)\W+)*\(?[A-Z]\)?"
    r"(?:\s*(?:,|&|(?i:and|or|nor))+\s*\(?[A-Z]\)?)+(?:\s+(?i:only|above|are (?:both )?(?:correct|true)))?\W*$"
)
_ONE_LETTER = re.compile(r"^\W*(?:(?i:only|options?|choices?|answers?)\W+\(?[A-Z]\)?|\(?[A-Z]\)?\s+(?i:only|above))\W*$")
"""Options that speak of others by their letters: "A and C", "Both B and D", "A only"."""


def order(task: ChoiceTask, sample: Sample, n: int) -> tuple[int, ...]:
    """Which option stands at each place of the n-th prompt: indexes into the question's own options.

    Without `shuffle` the first order is the benchmark's own. Further orders turn the options round by one place each,
    so that over as many orders as there are options each stands everywhere once; then they are mixed anew. Options such
    as "all of the above" stay last; where an option names letters ("A and C"), the whole question keeps its order.
    """
    size = len(sample.options)
    if (n == 0 and not task.config.shuffle) or names_letters(sample.options):
        return tuple(range(size))
    pinned = [i for i, text in enumerate(sample.options) if _GENERAL.match(text)]
    free = [i for i in range(size) if i not in pinned]
    if not free:
        return tuple(range(size))
    block, turn = divmod(n, len(free))
    if block or task.config.shuffle:
        free = [free[i] for i in shuffled(len(free), task.seed, sample.doc_id, sample.repeat, block)]
    return (*free[turn:], *free[:turn], *pinned)


def key_place(sample: Sample, shown: Sequence[int]) -> int:
    """Where the right option stands among those shown; every question of a benchmark has one."""
    return next(place for place, option in enumerate(shown) if option == sample.answer)


@lru_cache(maxsize=256)
def names_letters(options: tuple[str, ...]) -> bool:
    """Whether an option speaks of others by their letters, so that it means nothing in another order."""
    known = LETTERS[: len(options)]
    naming = [text for text in options if _LETTERS.match(text) or _ONE_LETTER.match(text)]
    return any(set(re.findall(r"\b[A-Z]\b", text)) <= set(known) for text in naming)
