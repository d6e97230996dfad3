"""In which orders the options of a question are shown, and which of them have to stay where they are."""

from __future__ import annotations

import re
from functools import lru_cache

from tui_eval.core.samples import Sample
from tui_eval.datasets.lettered.lettered_questions import ChoiceQuestion
from tui_eval.kinds.choice.choice_table import Config
from tui_eval.kinds.choice.sheet import LETTERS
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


def order(config: Config, item: Sample, n: int) -> tuple[int, ...]:
    """Which option stands at each place of the n-th prompt: indexes into the question's own options.

    Without `shuffle` the first order is the benchmark's own. Further orders turn the options round by one place each,
    so that over as many orders as there are options each stands everywhere once; then they are mixed anew. Options such
    as "all of the above" stay last; where an option names letters ("A and C"), the whole question keeps its order.
    """
    question: ChoiceQuestion = item.data
    size = len(question.choices)
    if (n == 0 and not config.shuffle) or names_letters(question):
        return tuple(range(size))
    pinned = [i for i, text in enumerate(question.choices) if _GENERAL.match(text)]
    free = [i for i in range(size) if i not in pinned]
    if not free:
        return tuple(range(size))
    block, turn = divmod(n, len(free))
    if block or config.shuffle:
        free = [free[i] for i in shuffled(len(free), config.read.run.seed, question.id, item.repeat, block)]
    return (*free[turn:], *free[:turn], *pinned)


@lru_cache(maxsize=256)
def names_letters(question: ChoiceQuestion) -> bool:
    """Whether an option speaks of others by their letters, so that it means nothing in another order."""
    known = LETTERS[: len(question.choices)]
    naming = [text for text in question.choices if _LETTERS.match(text) or _ONE_LETTER.match(text)]
    return any(set(re.findall(r"\b[A-Z]\b", text)) <= set(known) for text in naming)
