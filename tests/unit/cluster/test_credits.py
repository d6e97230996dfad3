"""Laws of credits: whatever workers do and whoever dies, neither cap is passed, and what is given back can be used again."""

from __future__ import annotations

import random

import pytest

from tui_eval.cluster.credits import CreditBook, CreditBudget
from tui_eval.core.money import Budget

CASES = 300
WORST = 700
"""Micro-dollars of the dearest call."""


class Worker:
    """A worker without a network: it begins calls of any cost by its credits, and ends them."""

    def __init__(self, life: str, is_capped: bool, dice: random.Random) -> None:
        self.life, self.dice = life, dice
        self.budget = CreditBudget(is_capped, lambda: True)
        self.in_flight: list[int] = []
        self.next = dice.randint(1, WORST)
        self.home = 0
        self.given_up = False

    def begin(self) -> None:
        """Begin what there is credit for."""
        while (verdict := self.budget.reserve(self.next)) == "go":
            self.in_flight.append(self.next)
            self.next = self.dice.randint(1, WORST)
        self.given_up = verdict in ("calls spent", "cost spent")

    def end(self) -> None:
        """End some call."""
        if self.in_flight:
            worst = self.in_flight.pop(self.dice.randrange(len(self.in_flight)))
            most = (
                worst if self.budget.cap is not None else 3 * worst
            )  # what a server says of a free model costs more than it may
            self.budget.settle(worst, self.dice.randint(0, most))
            self.home += 1


def total(workers: list[Worker]) -> tuple[int, int]:
    """Calls that workers began, and micro-dollars that these came to, or may come to."""
    return sum(each.budget.calls_used for each in workers), sum(each.budget.spent + each.budget.held for each in workers)


def tell(book: CreditBook, worker: Worker) -> None:
    """A bundle comes home."""
    budget = worker.budget
    book.come_home(worker.life, budget.calls_used, worker.home, budget.spent, budget.held)


def recall(book: CreditBook, workers: list[Worker]) -> None:
    """All of them give back what they have not begun."""
    for each in workers:
        tell(book, each)
        book.give_back(each.life, *each.budget.give_back())


def serve(book: CreditBook, worker: Worker, workers: list[Worker]) -> None:
    """Grant what a worker needs; where it cannot be, others give back, and then it is told what is spent."""
    need = worker.budget.need(worker.dice.randint(1, 9))
    if need is None:
        return
    if (verdict := book.grant(worker.life, need)) != "go":
        recall(book, workers)
        verdict = book.grant(worker.life, need)
    if verdict in ("calls spent", "cost spent"):
        worker.budget.refuse(verdict, need.worst)
    elif verdict == "go":
        account = book.account(worker.life)
        worker.budget.add(account.upto, account.worst)


@pytest.mark.parametrize("seed", range(CASES))
def test_neither_cap_is_passed(seed: int) -> None:
    """Four workers use up the calls or the money; one may die on the way, and what it had is charged."""
    dice = random.Random(seed)
    is_capped = dice.random() < 0.7
    run = Budget(dice.randint(1, 120), dice.randint(1, 20_000) / 1e6 if is_capped else None)
    book, dead = CreditBook(run), list[Worker]()
    workers = [Worker(f"w{n}", is_capped, dice) for n in range(4)]
    for step in range(5_000):
        worker = dice.choice(workers)
        act = dice.choice(("begin", "end", "tell", "serve"))
        if act in ("tell", "serve"):
            tell(book, worker)
        if act == "serve":
            serve(book, worker, workers)
        elif act != "tell":
            getattr(worker, act)()
        if step == 200 and dice.random() < 0.5:
            dead.append(workers.pop())
            book.lose(dead[0].life)
        calls, money = total([*workers, *dead])
        assert calls <= run.calls_used <= run.max_calls
        assert run.cap is None or money <= run.spent + run.held <= run.cap
        if all(each.given_up and not each.in_flight for each in workers):
            break
    else:
        pytest.fail("nobody was told that all is spent")
    assert run.held >= 0


@pytest.mark.parametrize("seed", range(40))
def test_all_of_it_can_be_used(seed: int) -> None:
    """Where nobody dies every call of the cap is made, however small the rest was that each had, and whatever was charged."""
    dice = random.Random(seed)
    run = Budget(dice.randint(1, 60), None)
    book = CreditBook(run)
    workers = [Worker(f"w{n}", False, dice) for n in range(3)]
    while not all(each.given_up for each in workers):
        worker = dice.choice(workers)
        worker.begin()
        worker.end()
        tell(book, worker)
        serve(book, worker, workers)
    assert total(workers)[0] == run.max_calls


@pytest.mark.parametrize("is_capped", [False, True])
def test_a_lost_worker_is_charged_for_what_it_had_open_alone(is_capped: bool) -> None:
    """However many calls came home cheaper than they might have been: what is left of those is no credit any more."""
    dice = random.Random(7)
    run = Budget(10_000, 10.0 if is_capped else None)
    book = CreditBook(run)
    worker = Worker("w", is_capped, dice)
    for _ in range(400):
        worker.begin()
        worker.end()
        worker.end()
        tell(book, worker)
        serve(book, worker, [worker])
    account, spent = book.account("w"), run.spent
    assert worker.home > 100
    lost = book.lose("w")
    assert lost == account.upto - worker.home
    assert run.spent - spent <= WORST * lost + WORST
