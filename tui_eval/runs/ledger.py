"""Ledger of the attempts that were begun and those that have ended, over all lives of a run: one byte an attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tui_eval.core.money import MICRO, to_micro


def attempt_id(life: str, number: int) -> str:
    """The name of an attempt: the life of the process that made it, and its number in that life."""
    return f"{life}-{number:06d}"


@dataclass(frozen=True, slots=True)
class Grant:
    """Credits that a worker was given, in all."""

    upto: int
    """The number of the last attempt that it may make."""
    worst: int | None
    """Micro-dollars that its attempts may cost; None where that is not known."""


def micro_or_none(usd: Any) -> int | None:
    """Return an amount of a grant in micro-dollars; None where it is not known."""
    return to_micro(float(usd)) if isinstance(usd, int | float) and 0 <= usd < 1e9 else None


@dataclass(slots=True)
class Ledger:
    """Attempts by life and number; what began without ending is in doubt: it may have been answered and billed."""

    ended: dict[str, bytearray] = field(default_factory=dict)
    calls: int = 0
    """Attempts that were sent, or may have been."""
    spent: int = 0
    """Micro-dollars charged for them."""
    simulated: int = 0
    """How many of these nobody was paid."""
    in_doubt: list[dict[str, Any]] = field(default_factory=list)
    charged: Counter[str] = field(default_factory=Counter)
    """Micro-dollars by life, of what has ended."""
    granted: int = 0
    """How many of them a worker was granted, and may not have begun."""
    pretended: set[str] = field(default_factory=set)
    """Models of which an attempt was simulated."""
    real: set[str] = field(default_factory=set)
    """Models of which one was not."""

    @property
    def in_doubt_usd(self) -> float | None:
        """The most that what is in doubt cost, as it is charged; None where that is known of none."""
        known_costs = [intent["worst_usd"] for intent in self.in_doubt if intent["worst_usd"] is not None]
        return sum(known_costs) if known_costs else None

    @property
    def in_doubt_unknown(self) -> int:
        """Of what is in doubt, how much nobody knows the most of."""
        return sum(intent["worst_usd"] is None for intent in self.in_doubt)

    def end(self, head: Mapping[str, Any]) -> None:
        """Take an ended attempt into account."""
        life, _, number = head["attempt_id"].rpartition("-")
        marks = self.ended.setdefault(life, bytearray())
        index = int(number)
        if index >= len(marks):
            marks.extend(bytes(index + 1 - len(marks)))
        marks[index] = 1
        self.calls += head["started_at"] is not None and not head["cached"]
        charged = to_micro(head["charged_usd"] or 0.0)
        self.spent += charged
        self.charged[life] += charged
        if head.get("simulated"):
            self.simulated += charged
        (self.pretended if head.get("simulated") else self.real).add(head["model"])

    def has_ended(self, identity: str) -> bool:
        """Return whether the end of an attempt is on file, by its name."""
        life, _, number = identity.rpartition("-")
        marks = self.ended.get(life)
        return marks is not None and number.isdigit() and int(number) < len(marks) and marks[int(number)] == 1

    def begin(self, intents: Iterable[Mapping[str, Any]], grants: Mapping[str, Grant] | None = None) -> None:
        """Take all intents and grants into account, once every ended attempt has been; what has no end is charged its worst
        case, and of a grant all that did not come home."""
        for life, grant in (grants or {}).items():
            self._begin_grant(life, grant)
        for intent in intents:
            if not self.has_ended(intent["attempt_id"]):
                self.calls += 1
                amount = intent.get("worst_usd")
                worst = float(amount) if isinstance(amount, int | float) and 0 <= amount < 1e9 else None
                self.in_doubt.append({"attempt_id": intent["attempt_id"], "worst_usd": worst})
                charged = to_micro(worst or 0.0)
                self.spent += charged
                self.simulated += charged if intent.get("model") in self.pretended else 0

    def _begin_grant(self, life: str, grant: Grant) -> None:
        """Take what of a grant did not come home: any of its calls may have been sent, at all that is left of its money."""
        numbers = [number for number in range(1, grant.upto + 1) if not self.has_ended(attempt_id(life, number))]
        left = None if grant.worst is None else max(grant.worst - self.charged[life], 0)
        for place, number in enumerate(numbers):
            worst = None if left is None else (left if place == 0 else 0) / MICRO
            self.in_doubt.append({"attempt_id": attempt_id(life, number), "worst_usd": worst})
        charged = (left or 0) if numbers else 0
        self.calls += len(numbers)
        self.granted += len(numbers)
        self.spent += charged
        self.simulated += charged if self.pretended and not self.real else 0
