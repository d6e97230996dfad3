"""One worker of a run as a list shows it, and all of them in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

STATES = ("working", "joining", "done", "unreachable", "refused", "lost")
"""What becomes of a worker, in the order in which it is told; those in trouble last."""
TROUBLED = ("unreachable", "refused", "lost")


@dataclass(frozen=True, slots=True)
class WorkerEntry:
    """A worker as its coordinator last saw it. Texts are safe to print; what the folder does not say is None."""

    name: str | None
    address: str | None
    state: str
    in_flight: int | None
    attempts: int | None
    """Calls of it whose records are home."""
    credits: int | None
    """Attempts that it may begin without asking."""
    heard_s: float | None
    """Seconds since it last said anything."""


def worker_sums(workers: Sequence[WorkerEntry]) -> tuple[str, str, str]:
    """Say how many there are and in which states, what they have in flight, and their credits; "-" where nobody says."""
    counted = Counter(worker.state for worker in workers)
    states = [state for state in (*STATES, *sorted(counted.keys() - set(STATES))) if counted[state]]
    words = f"{len(workers):,}: " + ", ".join(f"{counted[state]:,} {state}" for state in states)
    return words, _sum(worker.in_flight for worker in workers), _sum(worker.credits for worker in workers)


def _sum(values: Iterable[int | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known):,}" if known else "-"
