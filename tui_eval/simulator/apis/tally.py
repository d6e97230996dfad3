"""Counts what the simulator was asked, so that a client's own bookkeeping can be checked against it."""

from collections import Counter
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Visit:
    """One chat request, from its headers on."""

    client_id: str | None
    """What the client calls this request, in its header X-Client-Request-Id."""
    model: str | None = None
    """Unknown until the body has been read."""


class Tally:
    """The counts since the start or the last reset. A request counts from its headers on, whatever becomes of it."""

    def __init__(self) -> None:
        self.requests = 0
        self.completed = 0
        self.elsewhere = 0
        self.in_flight = 0
        self.peak_in_flight = 0
        self._by_model: Counter[str] = Counter()
        self._in_flight_by_model: Counter[str] = Counter()
        self._peak_by_model: dict[str, int] = {}
        self._visits: list[Visit] = []

    def opened(self, client_id: str | None) -> Visit:
        """A chat request's headers are here."""
        self.requests += 1
        self.in_flight += 1
        if self.in_flight > self.peak_in_flight:
            self.peak_in_flight = self.in_flight
        visit = Visit(client_id)
        self._visits.append(visit)
        return visit

    def named(self, visit: Visit, model: str) -> None:
        """The request's body has been read: it is for this model."""
        visit.model = model
        self._by_model[model] += 1
        self._in_flight_by_model[model] += 1
        now = self._in_flight_by_model[model]
        if now > self._peak_by_model.get(model, 0):
            self._peak_by_model[model] = now

    def closed(self, visit: Visit, completed: bool) -> None:
        """The request is over: answered, or broken off by either side."""
        self.in_flight -= 1
        self.completed += completed
        if visit.model is not None:
            self._in_flight_by_model[visit.model] -= 1

    def as_dict(self, with_ids: bool = False) -> dict[str, Any]:
        """The counts for GET /stats; on request also every request's client id and model, in order of arrival."""
        counts: dict[str, Any] = {
            "requests": self.requests,
            "completed": self.completed,
            "in_flight": self.in_flight,
            "peak_in_flight": self.peak_in_flight,
            "by_model": dict(self._by_model),
            "peak_by_model": dict(self._peak_by_model),
            "elsewhere": self.elsewhere,
        }
        if with_ids:
            counts["ids"] = [{"id": visit.client_id, "model": visit.model} for visit in self._visits]
        return counts
