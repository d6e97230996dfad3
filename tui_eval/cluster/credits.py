"""Credits: calls and money that a worker may use without asking, handed out of the run's one budget, never beyond it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui_eval.core.money import Budget, Verdict
from tui_eval.runs.ledger import Grant


@dataclass(slots=True)
class Account:
    """One worker's credits, as the coordinator has them."""

    upto: int = 0
    """Attempts granted in all: they are numbered from 1."""
    begun: int = 0
    """Attempts that it said it has begun."""
    home: int = 0
    """Attempts whose records are home."""
    worst: int = 0
    """Micro-dollars granted in all."""
    charged: int = 0
    """Micro-dollars that what is home came to."""
    held: int = 0
    """Micro-dollars that its calls in flight may cost, as it said last."""
    promised: int = 0
    """Retries that it holds a call for."""
    has_unpriced: bool = False
    """Whether it asks what has no known worst case."""

    @property
    def free(self) -> int:
        """Micro-dollars that it has for calls that it has not begun."""
        return max(self.worst - self.charged - self.held, 0)

    @property
    def grant(self) -> Grant:
        """The same as intents.jsonl has it."""
        return Grant(self.upto, None if self.has_unpriced else self.worst)


@dataclass(frozen=True, slots=True)
class Need:
    """Credits that a worker asks for."""

    calls: int
    """Attempts that it could begin in half a second."""
    worst: int
    """Micro-dollars that each of them may cost."""
    has_unpriced: bool = False
    """Whether nobody knows that of some."""
    is_waiting: bool = True
    """Whether a call waits for it; else it is asked for in time."""


class CreditBook:
    """Credits of all workers over the run's budget: what is granted counts as used until it comes home or is given back."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.accounts: dict[str, Account] = {}

    def account(self, life: str) -> Account:
        """The credits of a worker, by the life that names its attempts."""
        return self.accounts.setdefault(life, Account())

    def grant(self, life: str, need: Need) -> Verdict:
        """Grant what is needed, or the part of it that there is, down to one call; "wait" where others may give some back.

        Money that earlier calls left over goes into it, so that a worker never has more than its next calls may cost.
        """
        account, budget = self.account(life), self.budget
        least = max(need.worst - account.free, 0)
        verdict = budget.verdict(least)
        if verdict != "go":
            return verdict
        calls = min(need.calls, budget.max_calls - budget.calls_used)
        idle = account.upto - account.begun
        if budget.cap is not None and need.worst:
            there = budget.cap - budget.spent - budget.held + account.free
            calls = max(min(calls, there // need.worst - idle), 1)
            worst = min(max(need.worst * (idle + calls) - account.free, least), budget.cap - budget.spent - budget.held)
        else:
            worst = max(need.worst * (idle + calls) - account.free, 0)
        account.has_unpriced |= need.has_unpriced
        budget.calls_used += calls
        budget.held += worst
        account.upto += calls
        account.worst += worst
        return "go"

    def come_home(self, life: str, begun: int, home: int, charged: int, held: int) -> None:
        """Book what a worker says in all: attempts begun, those whose records are home, what they were charged, and what those
        in flight may be."""
        account = self.account(life)
        more = charged - account.charged
        self.budget.settle(min(more, max(account.worst - account.charged, 0)), more)
        account.begun, account.home, account.charged, account.held = max(begun, account.begun), home, charged, held

    def give_back(self, life: str, begun: int, held: int) -> None:
        """Take back all that a worker has not begun; `held`: micro-dollars that its calls in flight may cost."""
        account = self.account(life)
        account.begun, account.held = begun, held
        self.budget.calls_used -= account.upto - begun
        account.upto = begun
        rest = account.free
        self.budget.settle(rest, 0)
        account.worst -= rest

    def lose(self, life: str) -> int:
        """Charge all that is neither home nor given back, of a worker that is lost; how many calls that is."""
        account = self.account(life)
        rest = max(account.worst - account.charged, 0)
        self.budget.settle(rest, rest)
        account.begun, account.worst, account.held = account.upto, account.charged, 0
        return account.upto - account.home

    @property
    def idle(self) -> int:
        """Granted attempts that were not begun, as far as workers have said."""
        return sum(account.upto - account.begun for account in self.accounts.values())

    @property
    def has_slack(self) -> bool:
        """Return whether a worker has money that it may not need: more was granted than came home."""
        return any(account.worst > account.charged for account in self.accounts.values())

    def has_spare(self) -> bool:
        """Return whether a call is left over once everything planned has been asked, by what workers said last."""
        budget = self.budget
        promised = sum(account.promised for account in self.accounts.values())
        return budget.calls_used - self.idle + max(budget.kept - budget.excess, 0) + promised < budget.max_calls


class CreditBudget(Budget):
    """A worker's budget: it grows by what it is granted, and a call that it has no credit for waits until it knows more."""

    def __init__(self, is_capped: bool, may_begin: Callable[[], bool]) -> None:
        """`is_capped`: whether the run has a cap in USD; `may_begin`: whether the grant holds, and records go home."""
        super().__init__(0, 0.0 if is_capped else None)
        self.is_spent = False
        """Whether the run has no calls left."""
        self.too_dear: int | None = None
        """Micro-dollars that no call may cost any more; None = none is too dear."""
        self.spare = True
        """Whether the run has calls left over, as the coordinator said last."""
        self.asked_less = 0
        """Planned calls that were asked."""
        self.never_asked = 0
        """Planned calls that never will be."""
        self.has_unpriced = False
        """Whether the worst case of a call was not known."""
        self._may_begin = may_begin
        self._waits, self._dearest = False, 0
        self._usual = 0
        """The most that a call may cost, of those so far."""

    def add(self, calls: int, money: int) -> None:
        """Take in what was granted, in all. Without a cap money is on file alone: whoever is charged more goes on."""
        self.max_calls = calls
        if self.cap is not None:
            self.cap = money
        self._waits, self._dearest = False, 0

    def refuse(self, verdict: Verdict, worst: int) -> None:
        """Learn that the run has no calls left, or no money for one that may cost so many micro-dollars."""
        if verdict == "calls spent":
            self.is_spent = True
        else:
            self.too_dear = worst if self.too_dear is None else min(worst, self.too_dear)
        self._waits, self._dearest = False, 0

    def give_back(self) -> tuple[int, int]:
        """Have no credits left but for calls in flight; return attempts begun, and micro-dollars that those may cost."""
        self.add(self.calls_used, self.spent + self.held)
        return self.calls_used, self.held

    def may_retry(self) -> bool:
        """Return whether the run has a call left over."""
        return self.spare

    def keep_less(self, calls: int) -> None:
        """So many planned calls were asked."""
        self.asked_less += calls

    def release(self, calls: int) -> None:
        """So many planned calls will never be asked."""
        self.never_asked += calls

    def verdict(self, worst: int | None) -> Verdict:
        """Say whether there is credit for a call; "wait" while it may yet come."""
        self.has_unpriced |= worst is None
        self._usual = max(self._usual, worst or 0)
        is_paid_for = self.cap is None or self.spent + self.held + (worst or 0) <= self.cap
        has_credit = self.calls_used < self.max_calls and is_paid_for
        if has_credit and self._may_begin():
            return "go"
        if self.is_spent and self.calls_used >= self.max_calls:
            return "calls spent"
        if self.too_dear is not None and worst is not None and worst >= self.too_dear and not is_paid_for:
            return "cost spent"
        if not has_credit:
            self._waits, self._dearest = True, max(self._dearest, worst or 0)
        return "wait"

    def must_wait(self, worst: int | None) -> bool:
        """Return whether a call has to wait for credit."""
        return self.verdict(worst) == "wait"

    def need(self, rate: int) -> Need | None:
        """Return what to ask for, before the last credit is used, or where a call waits for one; None where there is enough.

        `rate`: attempts that could begin in half a second.
        """
        left = self.max_calls - self.calls_used
        is_short = left <= rate // 2
        if not self._waits and (not is_short or not self.calls_used):
            return None
        usual = self._usual if self.cap is None else -(-(self.spent + self.held) // max(self.calls_used, 1))
        worst = self._dearest if self._waits and self.cap is not None else usual
        return Need(max(rate - left, 1) if is_short else 1, worst, self.has_unpriced, self._waits)
