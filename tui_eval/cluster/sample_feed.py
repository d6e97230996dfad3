"""Samples for workers: each by its place in its queue, with the records that the log has of its calls."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import NOTHING_PAID, Reply, unasked
from tui_eval.core.key import call_key
from tui_eval.core.samples import Sample
from tui_eval.engine.calling import RunContext
from tui_eval.engine.replaying import AT_ONCE, replayed
from tui_eval.engine.samples import sample_ended
from tui_eval.evaluation.sample_queues import sample_at

Place = tuple[str, int]
"""A sample: its queue, and its place in all that this asks."""
Lines = list[list[Any]]
"""Records of a sample's calls: the line of each, and what its call's other attempts were charged."""

Handed = tuple[int, Lines, bool]
"""A sample as a worker gets it: its place, records of its first calls, and whether the log may have others of it."""


class SampleFeed:
    """The samples that are still to be asked, in order, each handed to one worker; what a lost worker had comes again."""

    def __init__(self, context: RunContext, loaded: Loaded) -> None:
        self._context, self._loaded = context, loaded
        self._sizes = {name: len(queue) * loaded.evaluation.repeat for name, queue in loaded.evaluation.queues.items()}
        self._next = dict.fromkeys(self._sizes, 0)
        self._again: dict[str, deque[int]] = {name: deque() for name in self._sizes}
        self._lock = asyncio.Lock()

    def give_again(self, places: set[Place]) -> None:
        """Take back the samples of a worker that is lost."""
        for queue, place in sorted(places):
            self._again[queue].append(place)

    def count_left(self, queue: str) -> int:
        """Count the samples of a queue that no worker has, those that the log settles included."""
        return self._sizes[queue] - self._next[queue] + len(self._again[queue])

    @property
    def open_samples(self) -> Counter[str]:
        """Samples that no worker has, by queue."""
        return Counter({queue: self.count_left(queue) for queue in self._sizes})

    @property
    def total_left(self) -> int:
        """Samples of all queues that no worker has."""
        return sum(map(self.count_left, self._sizes))

    @property
    def is_empty(self) -> bool:
        """Return whether no sample is left to hand out."""
        return not self.total_left

    async def take(self, queue: str, n: int) -> list[Handed]:
        """Return the next samples of a queue, at most so many; what the log settles is written down, and handed to nobody."""
        async with self._lock:
            taken: list[Handed] = []
            looked_at = 0
            while len(taken) < n and self.count_left(queue):
                place = self._pop(queue)
                sample = sample_at(self._loaded.evaluation.queues[queue], place)
                row = replayed(self._context, self._loaded.evaluation, sample)
                if row is None:
                    taken.append(self._handed(place, sample))
                else:
                    await sample_ended(self._context, self._loaded, row, None)
                looked_at += 1
                if looked_at % AT_ONCE == 0:
                    await asyncio.sleep(0)
            return taken

    def _pop(self, queue: str) -> int:
        if self._again[queue]:
            return self._again[queue].popleft()
        self._next[queue] += 1
        return self._next[queue] - 1

    def again(self, queue: str, places: Sequence[int]) -> list[Handed]:
        """Return samples that a worker has, as it was handed them: the message may have been lost on its way."""
        samples = self._loaded.evaluation.queues[queue]
        return [self._handed(place, sample_at(samples, place)) for place in places]

    def _handed(self, place: int, sample: Sample) -> Handed:
        recorded = self._context.recorded
        is_mentioned = recorded is not None and sample.id in recorded.samples
        return place, records_of(self._context, self._loaded.evaluation, sample) if is_mentioned else [], is_mentioned


def records_of(context: RunContext, evaluation: Evaluation, sample: Sample) -> Lines:
    """Return what the log has of a sample's calls, as far as its flow comes with that."""
    recorded, found = context.recorded, Lines()
    assert recorded is not None
    flow = evaluation.flow(sample)
    try:
        calls = next(flow)
        while True:
            replies: list[Reply] = []
            for call in calls:
                if (ended := unasked(call)) is not None:
                    replies.append(ended)
                    continue
                record = recorded.record(call_key(call, evaluation.models[call.model]))
                if record is None:
                    continue
                reply = recorded.reply_of(record, call)
                found.append([json.dumps(record), *(() if reply.retried == NOTHING_PAID else reply.retried)])
                if record["final"] and not (context.reopen_failed and reply.can_end_otherwise):
                    replies.append(reply)
            if len(replies) < len(calls):
                return found
            calls = flow.send(replies)
    except StopIteration:
        return found
    except Exception:  # a bug of the kind: the worker tells it
        return found
