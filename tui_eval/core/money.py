"""The cost of calls, and the budget that is never exceeded."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Literal

from tui_eval.core.calls import Call, Price, Usage

MICRO = 1_000_000
IMAGE_TOKENS = 50_000
"""More than any provider is known to count for one image."""
BATCH_FACTOR = 0.5
"""What a token costs in a batch, as a share of its price (OpenAI and Anthropic alike)."""
USUAL_REPLY = 1_000
"""Tokens assumed for a reply without a limit, where a rate is to be kept."""

Verdict = Literal["go", "wait", "calls spent", "cost spent"]
MadeUp = Literal["nothing", "some", "all"]
"""How much of something is simulated."""


def price_on(price: Price | None, day: str) -> Price | None:
    """The price of a day (YYYY-MM-DD, in UTC): the later one from its first day on."""
    if price is None or price.later is None or day < price.later.from_date:
        return price
    return price.later


def dearest_price(price: Price) -> Price:
    """The price of any day, figure by figure the dearest: what a budget is held against."""
    if price.later is None:
        return price
    later = price.later
    return Price(
        input=max(price.input, later.input),
        output=max(price.output, later.output),
        cached_input=max(_read_from_cache(price), _read_from_cache(later)),
        cache_write=max(_written_to_cache(price), _written_to_cache(later)),
    )


def _read_from_cache(price: Price) -> float:
    return price.input if price.cached_input is None else price.cached_input


def _written_to_cache(price: Price) -> float:
    return price.input if price.cache_write is None else price.cache_write


def is_free(price: Price | None) -> bool:
    """Return whether nothing costs anything, however many tokens there are, today and later."""
    while price is not None and not (price.input or price.output or price.cached_input or price.cache_write):
        if price.later is None:
            return True
        price = price.later
    return False


def cost_usd(usage: Usage, price: Price | None) -> float | None:
    """USD of one attempt from its tokens and a price per million; None when either is not known.

    Tokens that a total holds beyond prompt and completion were written, too (Gemini's thoughts), and cost what output does.
    Four disjoint buckets (METHOD.md 8): fresh input, input read from a cache, input written to one, output. Cached and
    written tokens are part of prompt_tokens; reasoning tokens are part of completion_tokens and are not added again.
    """
    if is_free(price):
        return 0.0
    if price is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    cached = usage.cached_tokens or 0
    cache_writes = usage.cache_write_tokens or 0
    fresh = max(usage.prompt_tokens - cached - cache_writes, 0)
    total = fresh * price.input + cached * _read_from_cache(price) + cache_writes * _written_to_cache(price)
    return (total + written_out(usage) * price.output) / MICRO


def written_out(usage: Usage) -> int:
    """Output tokens that are billed: those of the completion, and what the total holds beyond prompt and completion."""
    prompt, completion = usage.prompt_tokens or 0, usage.completion_tokens or 0
    return max(completion, (usage.total_tokens or 0) - prompt)


def batch_price(price: Price | None) -> Price | None:
    """Return the price of the same tokens in a batch."""
    if price is None:
        return None

    def cut(amount: float | None) -> float | None:
        return None if amount is None else amount * BATCH_FACTOR

    return replace(
        price,
        input=price.input * BATCH_FACTOR,
        output=price.output * BATCH_FACTOR,
        cached_input=cut(price.cached_input),
        cache_write=cut(price.cache_write),
        later=batch_price(price.later),
    )


def to_micro(usd: float) -> int:
    """USD to whole micro-dollars, rounded up, so that sums never fall below what was spent."""
    return math.ceil(round(usd * MICRO, 6))


def worst_case(call: Call, price: Price | None) -> int | None:
    """The most one attempt can cost, in micro-dollars; None without a price or a token limit, or for a PDF of unknown length.
    What is free costs nothing, whatever is not known.

    A token is at least one byte of UTF-8, so the prompt's bytes bound its tokens; 16 a message cover role markers.
    """
    if is_free(price):
        return 0
    attached = [attachment for message in call.messages for attachment in message.attachments]
    token_counts = [IMAGE_TOKENS if a.mime.startswith("image/") else a.most_tokens for a in attached]
    if price is None or call.max_output_tokens is None or None in token_counts:
        return None
    prompt = 16 + sum(len(message.content.encode("utf-8", "surrogatepass")) + 16 for message in call.messages)
    prompt += sum(filter(None, token_counts))
    if call.json_schema is not None:
        prompt += len(json.dumps(call.json_schema))
    price = dearest_price(price)
    dearest = max(price.input, price.cached_input or 0.0, price.cache_write or 0.0)
    return to_micro((prompt * dearest + call.max_output_tokens * price.output) / MICRO)


def may_use(call: Call) -> int:
    """About how many tokens a call may use: a fourth of the prompt's characters, and its limit."""
    limit = USUAL_REPLY if call.max_output_tokens is None else call.max_output_tokens
    attached = sum(len(message.attachments) for message in call.messages)
    return sum(len(message.content) for message in call.messages) // 4 + USUAL_REPLY * attached + limit


def tokens_used(usage: Usage) -> int | None:
    """Tokens that a reply's usage comes to, of prompt and completion; None where it does not say."""
    if usage.total_tokens is None and usage.completion_tokens is None:
        return None
    parts = (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
    return max(parts, usage.total_tokens or 0)


class Budget:
    """The run's one counter: checked and taken before every attempt, settled after it.

    Calls are never given back. Money is reserved at its worst case and settled at what was charged, in integers.
    """

    def __init__(self, max_calls: int, max_cost_usd: float | None = None) -> None:
        self.max_calls = max_calls
        self.calls_used = 0
        self.cap = None if max_cost_usd is None else math.floor(max_cost_usd * MICRO)
        self.spent = 0
        self.held = 0
        self.kept = 0
        """Planned calls of which no attempt was made yet: what is beyond the plan leaves room for them."""
        self.excess = 0
        """How many of these no sample comes to, as is known of a run that is taken up again; each is released in its turn."""
        self.promised = 0
        """Retries that wait for their turn."""
        self.idle = 0
        """Of the calls used, those that workers were granted and have not begun."""

    def may_retry(self) -> bool:
        """Return whether a call is left over when everything planned has been asked once."""
        return self.calls_used + max(self.kept - self.excess, 0) + self.promised < self.max_calls

    def keep_just(self, calls: int) -> None:
        """So many planned calls are still to be asked, whatever the plan says."""
        self.kept = max(self.kept, calls)
        self.excess = self.kept - calls

    def keep_less(self, calls: int) -> None:
        """So many planned calls were asked."""
        self.kept = max(self.kept - calls, 0)

    def release(self, calls: int) -> None:
        """So many planned calls will never be asked."""
        self.keep_less(calls)
        self.excess = max(self.excess - calls, 0)

    def verdict(self, worst: int | None) -> Verdict:
        """Say whether one call and `worst` micro-dollars are left; "wait" = what is held may yet come back. Takes nothing."""
        if self.calls_used >= self.max_calls:
            return "calls spent"
        if self.cap is not None:
            if worst is None:
                raise ValueError("a USD cap needs the worst case of every attempt")
            if self.spent + worst > self.cap:
                return "cost spent"
            if self.spent + self.held + worst > self.cap:
                return "wait"
        return "go"

    def reserve(self, worst: int | None) -> Verdict:
        """Take one call and `worst` micro-dollars, where the verdict is "go"."""
        verdict = self.verdict(worst)
        if verdict == "go":
            self.calls_used += 1
            self.held += worst or 0
        return verdict

    def must_wait(self, worst: int | None) -> bool:
        """Return whether `worst` would fit once what is held has been settled, and does not fit now."""
        return self.cap is not None and self.held > 0 and self.spent + self.held + (worst or 0) > self.cap

    def settle(self, worst: int | None, charged: int) -> None:
        """Give back what was held for an attempt and charge what it came to, in micro-dollars."""
        self.held -= worst or 0
        self.spent += charged

    def restore(self, calls: int, spent: int) -> None:
        """Start from what earlier lives of the run used."""
        self.calls_used += calls
        self.spent += spent

    @property
    def overdrawn(self) -> bool:
        """Return whether a server charged more than the worst case allowed for, beyond the cap."""
        return self.cap is not None and self.spent > self.cap


def charged_or_unknown(charged: int, unknown: int) -> float | None:
    """USD of so many micro-dollars that were charged; None where that is nothing, and the cost of some calls is not known."""
    return None if unknown and not charged else charged / MICRO


def usd(value: float | None, unknown: int = 0) -> str:
    """An amount, and how many calls' cost is not in it because nobody knows it."""
    if value is None or (unknown and not value):
        return "unknown" if unknown else "-"
    if 0 < value <= 0.000_000_5:
        text = "<$0.000001"
    else:
        text = f"${value:,.2f}" if value >= 100 else f"${value:.6f}" if 0 < value < 0.001 else f"${value:.4f}"
    return text + (f" + {unknown:,} unknown" if unknown else "")


def four_decimals(value: float) -> str:
    """An amount in a column of them; one that is not nothing is not shown as nothing."""
    return "<$0.0001" if 0 < value <= 0.000_05 else f"${value:.4f}"


def in_doubt_words(n: int, worst_usd: float | None, unknown: int, granted: int = 0) -> str:
    """Of calls that were in flight at a kill: why more was charged than attempts are told to have cost.

    `worst_usd`: the most they may have cost; `unknown`: of how many of them nobody can say that; `granted`: of how many nobody
    can say whether a worker had begun them.
    """
    if granted:
        return _granted_words(n, worst_usd, unknown)
    were, they = ("call was", "it was answered: it counts") if n == 1 else ("calls were", "they were answered: they count")
    most = "" if worst_usd is None else f" and, at up to {usd(worst_usd)}, against the budget"
    rest = f"; what {unknown:,} of them cost at most is not known" if unknown else ""
    return (
        f"{n:,} {were} in flight when the run was interrupted. Nobody knows whether {they} as sent{most}{rest}. "
        "No other figure of the report includes that."
    )


def _granted_words(n: int, worst_usd: float | None, unknown: int) -> str:
    most = "" if worst_usd is None else f" and, at up to {usd(worst_usd)}, against the budget"
    rest = f"; what {unknown:,} of them cost at most is not known" if unknown else ""
    return (
        f"Up to {n:,} calls were in flight when workers, or the run, were interrupted. Nobody knows which of them were sent "
        f"and answered: all count as sent{most}{rest}. No other figure of the report includes that."
    )


def told_apart(whole: str, real: str, simulated: str, made_up: MadeUp) -> str:
    """An amount of which `simulated` was paid to nobody and `real` to somebody: each by its name where there are both."""
    return {"nothing": whole, "some": f"{real} real + {simulated} simulated", "all": f"{whole} simulated"}[made_up]


def how_much(simulated: int, models: int) -> MadeUp:
    """Say how much of what so many models cost is simulated, where so many of them are."""
    return "nothing" if not simulated else "all" if simulated >= models else "some"
