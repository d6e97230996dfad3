"""Laws of money: an unknown cost is no cost of zero, and no budget is ever exceeded by one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from makers import any_text, call, few

from tui_eval.core.calls import Message, Price, Usage
from tui_eval.core.money import MICRO, Budget, batch_price, cost_usd, four_decimals, price_on, to_micro, usd, worst_case
from tui_eval.providers.openai import read_usage

prices = st.builds(
    Price,
    input=st.floats(0, 1000),
    output=st.floats(0, 1000),
    cached_input=st.none() | st.floats(0, 1000),
    cache_write=st.none() | st.floats(0, 1000),
)


@few
@given(prices, prices, st.booleans(), any_text, st.integers(0, 10**5), st.integers(0, 10**5), st.integers(0, 10**5))
def test_a_budget_holds_whichever_of_two_prices_a_call_is_charged_at(
    now: Price, then: Price, batch: bool, text: str, read: int, kept: int, most: int
) -> None:
    """What a call may cost at most is no less than it costs on any day; each day has one price, the later from its first on."""
    both = replace(now, later=replace(then, from_date="2027-01-01"))
    price = batch_price(both) if batch else both
    asked = call(messages=(Message("user", text),), max_output_tokens=most)
    prompt = min(read, len(text.encode("utf-8", "surrogatepass")))
    usage = Usage(prompt_tokens=prompt, completion_tokens=most, cached_tokens=min(kept, prompt))
    worst = worst_case(asked, price)
    assert price is not None and worst is not None

    for day, meant in (("2026-12-31", now), ("2027-01-01", then), ("2027-06-30", then)):
        cost = cost_usd(usage, price_on(price, day))
        assert cost is not None and cost == cost_usd(usage, batch_price(meant) if batch else meant)
        assert to_micro(cost) <= worst


def test_cost_is_the_reference_cost(vectors: dict[str, Any]) -> None:
    """The reference cases of the OpenAI style: cached input at its own price, reasoning not counted twice."""
    cases = [case for case in vectors["numeric"]["cost"]["cases"] if case["inputs"]["style"] == "openai"]
    for case in cases:
        table = case["inputs"]["price_per_1m"]
        price = Price(table["input"], table["output"], table.get("cache_read"), table.get("cache_write"))

        cost = cost_usd(read_usage(case["inputs"]["usage"]), price)

        assert cost == pytest.approx(case["expected"]["cost"], abs=1e-12), case["id"]
    assert len(cases) >= 2


def test_cost_counts_four_buckets_that_do_not_overlap() -> None:
    """Fresh input, input read from a cache, input written to one, and output, each at its own price."""
    usage = Usage(prompt_tokens=1700, completion_tokens=300, cached_tokens=1000, cache_write_tokens=500, reasoning_tokens=250)

    cost = cost_usd(usage, Price(input=3.0, output=15.0, cached_input=0.3, cache_write=3.75))

    assert cost == pytest.approx(0.007275)


@pytest.mark.parametrize(
    ("usage", "price"),
    [
        (Usage(prompt_tokens=1, completion_tokens=1), None),
        (Usage(prompt_tokens=None, completion_tokens=1), Price(1, 1)),
        (Usage(prompt_tokens=1, completion_tokens=None), Price(1, 1)),
        (Usage(total_tokens=2), Price(1, 1)),
    ],
)
def test_an_unknown_cost_is_none(usage: Usage, price: Price | None) -> None:
    """Without a price, or without both token counts, nobody knows the cost; it is not zero."""
    assert cost_usd(usage, price) is None


def test_cost_from_more_cached_tokens_than_there_were_is_not_negative() -> None:
    """A server that counts cached tokens beyond the prompt does not earn us money."""
    cost = cost_usd(Usage(prompt_tokens=7, completion_tokens=0, cached_tokens=161), Price(10, 10, cached_input=0))

    assert cost == 0


@few
@given(st.lists(any_text, min_size=1, max_size=4), st.integers(0, 5000), prices, st.data())
def test_the_worst_case_is_never_below_the_cost(texts: list[str], limit: int, price: Price, data: st.DataObject) -> None:
    """Whatever the text, however it was cached, and however much was said: the cost is within what was reserved."""
    asked = call(messages=tuple(Message("user", text) for text in texts), max_output_tokens=limit)
    most_tokens = sum(len(text.encode("utf-8", "surrogatepass")) + 8 for text in texts)
    prompt = data.draw(st.integers(0, most_tokens))
    cached = data.draw(st.integers(0, prompt))
    written = data.draw(st.integers(0, prompt - cached))
    said = data.draw(st.integers(0, limit))
    usage = Usage(prompt_tokens=prompt, completion_tokens=said, cached_tokens=cached, cache_write_tokens=written)

    worst, cost = worst_case(asked, price), cost_usd(usage, price)

    assert worst is not None and cost is not None
    assert to_micro(cost) <= worst


@pytest.mark.parametrize("letter", ["a", "é", "中", "\U0001f600", "\ud83d"])
def test_the_worst_case_counts_bytes(letter: str) -> None:
    """A tokenizer may make a token of every byte: a long text of many-byte letters is bounded by its bytes."""
    text = letter * 500
    tokens = len(text.encode("utf-8", "surrogatepass"))

    worst = worst_case(call(messages=(Message("user", text),), max_output_tokens=0), Price(1_000_000, 0))

    assert worst is not None
    assert tokens * MICRO <= worst <= (tokens + 64) * MICRO


@pytest.mark.parametrize(("price", "limit"), [(None, 10), (Price(1, 1), None), (None, None)])
def test_without_a_price_or_a_limit_there_is_no_worst_case(price: Price | None, limit: int | None) -> None:
    """A call that may say anything, or costs nobody knows what, cannot be bounded."""
    assert worst_case(call(max_output_tokens=limit), price) is None


@few
@given(st.floats(0, 10_000))
def test_money_is_rounded_up_by_less_than_a_micro_dollar(usd: float) -> None:
    """Whole micro-dollars never fall below the amount (beyond a float's own error) and never exceed it by one."""
    micro = to_micro(usd)

    assert usd * MICRO - 1e-5 <= micro < usd * MICRO + 1


@few
@given(st.floats(0, 10_000, exclude_min=True) | st.floats(0, 1e-4, exclude_min=True))
@example(5e-7)
@example(5e-5)
def test_what_cost_something_is_not_shown_as_nothing(amount: float) -> None:
    """However little it was; nothing is."""
    for words in (four_decimals, usd):
        assert set(words(amount)) & set("123456789") and words(0.0) == "$0.0000"


@pytest.mark.parametrize(("usd", "micro"), [(0.0, 0), (0.1, 100_000), (0.29, 290_000), (1e-6, 1), (1e-7, 1), (2.01, 2_010_000)])
def test_round_amounts_stay_as_they_are(usd: float, micro: int) -> None:
    """A float that is not quite its decimal does not become a micro-dollar more."""
    assert to_micro(usd) == micro


class Spending(RuleBasedStateMachine):
    """Calls that reserve, settle at up to their worst case, and come back after a crash, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.cap_usd = 0.0005
        self.budget = Budget(12, self.cap_usd)
        self.going: list[int] = []
        self.sent = 0
        self.charged = 0

    @rule(worst=st.integers(0, 300))
    def reserve(self, worst: int) -> None:
        spent, held = self.charged, sum(self.going)
        verdict = self.budget.reserve(worst)

        if self.sent >= 12:
            assert verdict == "calls spent"
        elif spent + worst > 500:
            assert verdict == "cost spent"
        elif spent + held + worst > 500:
            assert verdict == "wait"
            assert held > 0
            assert self.budget.must_wait(worst)
        else:
            assert verdict == "go"
            assert not self.going or not self.budget.must_wait(0)
            self.going.append(worst)
            self.sent += 1

    @precondition(lambda self: self.going)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        worst = self.going.pop(data.draw(st.integers(0, len(self.going) - 1)))
        charged = data.draw(st.integers(0, worst))

        self.budget.settle(worst, charged)
        self.charged += charged

    @rule()
    def crash_and_resume(self) -> None:
        """What was in flight is charged in full, and counts as sent."""
        self.charged += sum(self.going)
        self.going = []
        self.budget = Budget(12, self.cap_usd)
        self.budget.restore(self.sent, self.charged)

    @invariant()
    def never_over(self) -> None:
        assert self.budget.spent + self.budget.held <= 500
        assert self.budget.calls_used == self.sent <= 12
        assert (self.budget.spent, self.budget.held) == (self.charged, sum(self.going))
        assert not self.budget.overdrawn


class TestSpending(Spending.TestCase):
    """Spent and held together never exceed the cap, calls never their number, and nobody waits for nothing."""

    settings = settings(few, max_examples=60, stateful_step_count=40)


def test_without_a_cap_only_calls_are_counted() -> None:
    """Money without a cap is held and settled all the same, known or not."""
    budget = Budget(3)
    verdicts = [budget.reserve(None), budget.reserve(10**12), budget.reserve(5), budget.reserve(1)]

    budget.settle(None, 7)
    budget.settle(10**12, 10**13)

    assert verdicts == ["go", "go", "go", "calls spent"]
    assert (budget.spent, budget.held) == (10**13 + 7, 5)
    assert not budget.overdrawn


def test_a_cap_refuses_calls_that_cannot_be_bounded() -> None:
    """Under a USD cap a call without a worst case is a bug, not a gamble; and it takes no call away."""
    budget = Budget(3, 1.0)

    with pytest.raises(ValueError):
        budget.reserve(None)

    assert budget.calls_used == 0


def test_a_server_that_charges_more_than_the_worst_case_is_noticed() -> None:
    """The cap cannot hold what a server takes beyond its own price, but it is seen."""
    budget = Budget(9, 1.0)
    budget.reserve(900_000)

    budget.settle(900_000, 1_000_001)

    assert budget.overdrawn


@few
@given(st.floats(1e-6, 1e6))
def test_a_cap_is_never_rounded_up(usd: float) -> None:
    """The cap in micro-dollars is at most what the user wrote, and less by no more than one."""
    cap = Budget(1, usd).cap

    assert cap is not None
    assert usd * MICRO - 1 - 1e-6 <= cap <= math.floor(usd * MICRO)
