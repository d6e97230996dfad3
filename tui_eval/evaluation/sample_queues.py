"""Queues of the samples that a run asks about: made one by one as they are wanted, counted without being made."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from operator import attrgetter

from tui_eval.core.gathering import gathered
from tui_eval.core.lazy_sequence import LazySequence
from tui_eval.core.samples import Sample


class Queue(LazySequence[Sample]):
    """The samples of a queue, in their order; each is made when it is asked for, and as often."""

    def __init__(self, n: int, make: Callable[[int], Sample], shapes: Callable[[], Iterable[Hashable]] | None = None) -> None:
        """`make`: the sample at a place; `shapes`: those of all in order, without making them, None where all are alike."""
        super().__init__(n, make)
        self._shapes = shapes

    def shapes(self) -> dict[Hashable, tuple[int, int]]:
        """By shape: how many samples have it, and the place of the first. None of them is made."""
        if self._shapes is None:
            return {"": (self._n, 0)} if self._n else {}
        every = list(self._shapes())
        return {shape: (n, every.index(shape)) for shape, n in Counter(every).items()}

    def told_apart(self, by: Callable[[Sample], Hashable]) -> Queue:
        """The same, with samples of one shape that differ in this as of two; each is made for that."""

        def shapes() -> Iterator[Hashable]:
            own = self._shapes() if self._shapes is not None else repeat("", self._n)
            return ((shape, by(self._make(n))) for n, shape in enumerate(own))

        return Queue(self._n, self._make, shapes)

    def only(self, places: Sequence[int]) -> Queue:
        """Some of its samples."""
        every = None if self._shapes is None else list(self._shapes())
        return Queue(
            len(places), lambda i: self._make(places[i]), None if every is None else lambda: (every[i] for i in places)
        )


Samples = Mapping[str, Queue]
"""By the names of the queues, in order."""


def listed(samples: Iterable[Sample]) -> Samples:
    """Samples that are made already: for kinds that have few."""
    return {name: _of_list(group) for name, group in gathered((sample.queue, sample) for sample in samples).items()}


def _of_list(samples: Sequence[Sample]) -> Queue:
    return Queue(len(samples), samples.__getitem__, lambda: (sample.shape for sample in samples))


def sample_id(*parts: str) -> str:
    """Parts joined by slashes; one within a part is encoded but for the last, so that no two samples have one id."""
    *first, last = parts
    return "/".join([*(part.replace("%", "%25").replace("/", "%2F") for part in first), last])


def side_by_side(samples: Samples) -> Iterator[Sample]:
    """Every sample once: queues are read side by side, by the places that their samples have."""
    queues = list(samples.values())
    return iter(queues[0]) if len(queues) == 1 else heapq.merge(*queues, key=attrgetter("q_index"))


def repeated(samples: Samples, repeat: int, queue: str | None = None) -> Iterator[Sample]:
    """Every sample (or those of one queue), once per repeat. The repeat is part of the id: `...`, then `...#2`, `...#3`."""
    queues = samples if queue is None else {queue: samples[queue]} if queue in samples else {}
    for index in range(repeat):
        for sample in side_by_side(queues) if queues else ():
            yield replace(sample, id=f"{sample.id}#{index + 1}", repeat=index) if index else sample


def sample_at(queue: Queue, place: int) -> Sample:
    """Return the sample at a place of all that a queue asks in `repeated`, in whose order its repeats follow each other."""
    index, place = divmod(place, len(queue))
    sample = queue[place]
    return replace(sample, id=f"{sample.id}#{index + 1}", repeat=index) if index else sample


def only_named(samples: Samples, ids: Collection[str]) -> Samples:
    """The samples of these ids, and those about these documents or questions."""
    places_by_queue = {
        name: [i for i, sample in enumerate(queue) if sample.id in ids or sample.doc_id in ids]
        for name, queue in samples.items()
    }
    return {name: samples[name].only(places) for name, places in places_by_queue.items() if places}
