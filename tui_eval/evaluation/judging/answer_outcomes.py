"""Outcomes of answers by model: how they ended, latency with calls censored at the limit (METHOD.md 8), caches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tui_eval.core.calls import Price, Reply, Usage
from tui_eval.core.money import cost_usd
from tui_eval.core.plaintext import count_of
from tui_eval.core.results import Cell, Table
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, table_of
from tui_eval.statistics.latencies import SHARES, Latencies, latencies

_COLUMNS = ("model", "turns", "answered", "failed", "degraded", "why")


@dataclass(slots=True)
class _Ends:
    """Of one model."""

    asked: int = 0
    answered: int = 0
    degraded: int = 0
    why: Counter[str] = field(default_factory=Counter)


class AnswerEnds:
    """Counts them, model by model."""

    def __init__(self, models: Iterable[str]) -> None:
        self._ends = {name: _Ends() for name in models}

    def add(self, reply: Reply, is_degraded: bool) -> None:
        """Take in an answer; degraded: it was asked without an earlier one that had failed."""
        ends = self._ends[reply.call.model]
        ends.asked += 1
        ends.answered += reply.ok
        ends.degraded += is_degraded
        if not reply.ok:
            ends.why[reply.why] += 1

    def degraded(self, model: str) -> int:
        """Return the number of degraded answers of a model."""
        return self._ends[model].degraded

    def table(self) -> Table:
        """A row for each model."""
        rows: list[Cells] = [
            {
                RESTS_ON: None, "model": name, "turns": ends.asked, "answered": ends.answered,
                "failed": ends.asked - ends.answered, "degraded": ends.degraded,
                "why": ", ".join(f"{n} {why}" for why, n in ends.why.most_common()) or "",
            }
            for name, ends in self._ends.items()
        ]  # fmt: skip
        n = sum(ends.degraded for ends in self._ends.values())
        note = f"{count_of(n, 'degraded turn')}: asked after a turn had failed, without it."
        return table_of("Turns by model", rows, _COLUMNS, note, _COLUMNS[:1])

    def in_short(self) -> Table:
        """The same as text."""
        table = self.table()
        rows = tuple(tuple(Cell(str(cell.value) or "-") for cell in row) for row in table.rows)
        return Table(table.title, table.columns, rows, table.note, table.keys, table.rests_on)


_LATENCY = (
    "model", "n", "mean", "ci_low", "ci_high", *SHARES, "max", "first_token_p50", "n_first_token", "n_timed_out",
    *(f"{name}_all" for name in SHARES), "n_on_file",
)  # fmt: skip
_CACHING = (
    "stage", "model", "n", "n_told", "prompt_tokens", "cached_tokens", "cached_share", "cache_write_tokens", "saved_usd",
    "n_on_file",
)  # fmt: skip

_LATENCIES_ARE = (
    "percentiles by nearest rank, left out where n is too small for one (p90: 29, p99: 299). *_all: what timed out as well, at"
    " their limit: the truth is that or more. No interval where what it would rest on is all one value. first_token: where"
    " replies are streamed. n_on_file: replies that this run did not ask for; they are in no other figure."
)
_SAVED = (
    "Of the replies whose server tells (n_told). saved_usd: what these prompts would have cost without a cache, less what they"
    " cost; empty where a price is not known. n_on_file: replies that this run did not ask for; they are in no other figure."
)


class AnswerTimes:
    """Latencies of one stage's replies by model: of those that came, and of all with what timed out."""

    def __init__(self, concurrency: int | None = None) -> None:
        self._concurrency = concurrency
        self._stage = ""
        self._answered: dict[str, list[int]] = {}
        self._timed_out: dict[str, list[float]] = {}
        self._first: dict[str, list[int]] = {}
        self._on_file: Counter[str] = Counter()

    def add(self, reply: Reply) -> None:
        """Take in a reply; one that was on file took this run no time."""
        model, self._stage = reply.call.model, reply.call.stage
        answered = self._answered.setdefault(model, [])
        if reply.cached:
            self._on_file[model] += 1
        elif reply.status == "timeout":
            self._timed_out.setdefault(model, []).append(1000 * reply.call.timeout_s)
        elif reply.ok and reply.latency_ms is not None:
            answered.append(reply.latency_ms)
            if reply.ttft_ms is not None:
                self._first.setdefault(model, []).append(reply.ttft_ms)

    @property
    def known(self) -> bool:
        """Return whether anything is known of any model's time."""
        return any(self._answered.values()) or bool(self._timed_out)

    def table(self) -> Table:
        """A row for each model; milliseconds."""
        under = f" with at most {self._concurrency:,} calls in flight" if self._concurrency else ""
        note = f"Milliseconds from sending to the last byte{under}; {_LATENCIES_ARE}"
        return table_of("Latency by model", [self._row(model) for model in self._answered], _LATENCY, note, ("model",))

    def in_short(self) -> Table:
        """The same for a reader, as text."""
        table = self.table()
        names = ("model", *SHARES, "mean", "first_token_p50", "n", *(["n_on_file"] if self._on_file else []))
        at = [table.columns.index(name) for name in names]
        rows = tuple(tuple(Cell(_text(row[place])) for place in at) for row in table.rows)
        note = "Milliseconds." + " n_on_file: replies that this run did not ask for; they are not timed." * bool(self._on_file)
        return Table(table.title, names, rows, note, rests_on=table.rests_on)

    def _row(self, model: str) -> Cells:
        late = self._timed_out.get(model, [])
        times, every = latencies(self._answered[model]), latencies(self._answered[model], late)
        first = latencies(self._first.get(model, []))
        return {
            RESTS_ON: {"stage": self._stage, "model": model},
            "model": model,
            "n": times.n,
            "mean": Cell(rounded(times.mean), times.n, rounded(times.low), rounded(times.high), "mean of answered calls; t"),
            "ci_low": rounded(times.low),
            "ci_high": rounded(times.high),
            **{name: _percentile(times, name) for name in SHARES},
            "max": times.greatest,
            "first_token_p50": _percentile(first, "p50"),
            "n_first_token": first.n,
            "n_timed_out": len(late),
            **{f"{name}_all": _percentile(every, name) for name in SHARES},
            "n_on_file": self._on_file[model],
        }


def _text(cell: Cell) -> str:
    value = cell.value
    return "-" if value is None else f"{value:,.0f}" if isinstance(value, float) else str(value)


def _percentile(times: Latencies, name: str) -> Cell:
    percentile = times.percentiles[name]
    value = percentile.value if percentile.enough else None
    formula = f"nearest rank, x({percentile.share:g} n)" + (": at the limit or more" if percentile.censored else "")
    return Cell(value, times.n, percentile.low, percentile.high, formula)


@dataclass(slots=True)
class _Cached:
    """Of one stage and model."""

    n: int = 0
    told: int = 0
    prompt: int = 0
    cached: int = 0
    written: int = 0
    saved: float = 0.0
    priced: bool = True
    on_file: int = 0

    @property
    def share(self) -> Cell:
        """Of the prompts' tokens, those that came from a cache."""
        return Cell(rounded(self.cached / self.prompt) if self.prompt else None, self.told, formula="cached / prompt tokens")


@dataclass(slots=True)
class CachingSums:
    """Sums of what servers took from their own caches of prompts, and what that saved; by stage and model."""

    prices: Mapping[str, Price | None]
    _found: dict[tuple[str, str], _Cached] = field(default_factory=dict)

    def add(self, reply: Reply) -> None:
        """Take in a reply; what caches did for one that was on file is not of this run."""
        if reply.usage.prompt_tokens is None:
            return
        sums = self._found.setdefault((reply.call.stage, reply.call.model), _Cached())
        if reply.cached:
            sums.on_file += 1
            return
        sums.n += 1
        sums.prompt += reply.usage.prompt_tokens
        if reply.usage.cached_tokens is None:
            return
        sums.told += 1
        sums.cached += reply.usage.cached_tokens
        sums.written += reply.usage.cache_write_tokens or 0
        saved = saved_usd(reply.usage, self.prices.get(reply.call.model))
        sums.priced &= saved is not None
        sums.saved += saved or 0.0

    def table(self) -> Table:
        """A row for each stage and model whose server says what it took from its cache."""
        rows: list[Cells] = [
            {
                RESTS_ON: None, "stage": stage, "model": model, "n": sums.n, "n_told": sums.told, "prompt_tokens": sums.prompt,
                "cached_tokens": sums.cached, "cached_share": sums.share,
                "cache_write_tokens": sums.written, "saved_usd": rounded(sums.saved) if sums.priced else None,
                "n_on_file": sums.on_file,
            }
            for (stage, model), sums in sorted(self._found.items())
            if sums.told
        ]  # fmt: skip
        return table_of("What caching of prompts saved", rows, _CACHING, _SAVED, _CACHING[:2])

    def in_words(self) -> str:
        """Say how much was taken from caches in all; empty where no server took anything."""
        cached = sum(sums.cached for sums in self._found.values())
        if not cached:
            return ""
        priced = all(sums.priced for sums in self._found.values() if sums.told)
        saved = f", ${sum(sums.saved for sums in self._found.values()):.4f} saved" if priced else ", saving unknown: no price"
        whole = sum(sums.prompt for sums in self._found.values())
        return f"{cached:,} of {whole:,} prompt tokens came from servers' caches{saved}."


def saved_usd(usage: Usage, price: Price | None) -> float | None:
    """Return how much less a prompt cost than without any cache; below 0 where writing cost more, None without a price."""
    if price is None or (usage.cached_tokens and price.cached_input is None):
        return None if usage.cached_tokens or usage.cache_write_tokens else 0.0
    full_usage = replace(usage, completion_tokens=usage.completion_tokens or 0)
    paid, fresh = cost_usd(full_usage, price), cost_usd(replace(full_usage, cached_tokens=None, cache_write_tokens=None), price)
    return None if paid is None or fresh is None else fresh - paid
