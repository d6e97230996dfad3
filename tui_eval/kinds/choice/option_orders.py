"""In which orders the options of a question are shown, and which of them have to stay where they are."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.samples import Sample
from tui_eval.datasets.lettered.fixed_options import names_letters, split_by_place
from tui_eval.kinds.choice.selection import ChoiceTask
from tui_eval.statistics.estimates import shuffled


def order(task: ChoiceTask, sample: Sample, n: int) -> tuple[int, ...]:
    """Return which option stands at each place of the n-th prompt: indexes into the question's own options.

    Without `shuffle` the first order is the benchmark's own. Further orders turn the options round by one place each,
    so that over as many orders as there are options each stands everywhere once; then they are mixed anew. Options such
    as "all of the above" stay last; where an option names letters ("A and C"), the whole question keeps its order.
    """
    size = len(sample.options)
    if (n == 0 and not task.config.shuffle) or names_letters(sample.options):
        return tuple(range(size))
    free, pinned = split_by_place(sample.options)
    if not free:
        return tuple(range(size))
    block, turn = divmod(n, len(free))
    if block or task.config.shuffle:
        free = [free[i] for i in shuffled(len(free), task.seed, sample.doc_id, sample.repeat, block)]
    return (*free[turn:], *free[:turn], *pinned)


def key_place(sample: Sample, option_order: Sequence[int]) -> int:
    """Return the place of the right option among those shown; every question of a benchmark has one."""
    return next(place for place, option in enumerate(option_order) if option == sample.answer)
