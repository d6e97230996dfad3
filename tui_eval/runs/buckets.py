"""Sums over the attempts of a run: counts, rates, latencies, tokens and cost, per bucket (spec 003 §13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tui_eval.core.calls import Json
from tui_eval.runs.stats_columns import StatsColumn
from tui_eval.statistics.estimates import nearest_rank

TOKENS = ("prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens", "reasoning_tokens")
MIN_N = {"p90": 29, "p95": 59, "p99": 299}
"""Below this many values the maximum does not even bound the percentile (METHOD.md 8)."""


CostCount = Literal["cached", "cost_known", "cost_unknown"]


def cost_counted(status: str, error_kind: str | None, cached: bool, cost_usd: float | None) -> CostCount | None:
    """As what an attempt's cost is counted, live and in the statistics; None where nothing was sent or is on file.

    One that failed counts, too: whoever was asked may bill it, and an error says nothing of that.
    """
    if error_kind == "not_sent" or status == "skipped_budget":
        return None
    return "cached" if cached else "cost_unknown" if cost_usd is None else "cost_known"


class Bucket:
    """Running sums over attempts. Latencies are counted by the millisecond, so that no attempt is kept."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.latencies: Counter[int] = Counter()
        self.first_tokens: Counter[int] = Counter()
        self.first_visible: Counter[int] = Counter()
        self.speeds: Counter[float] = Counter()
        """Tokens a second while a streamed reply was written, to one decimal."""
        self.cost = 0.0
        self.tokens: Counter[str] = Counter()

    def add(self, head: Mapping[str, Any]) -> None:
        """Take one attempt into account, by the small fields of its record."""
        status, usage = head["status"], head["usage"]
        cost_key = cost_counted(status, head["error_kind"], head["cached"], usage["cost_usd"])
        if cost_key is None:
            self.counts["not_sent" if head["error_kind"] == "not_sent" else status] += 1
            return
        self.counts[status] += 1
        self.counts[cost_key] += 1
        if head["error_kind"]:
            self.kinds[head["error_kind"]] += 1
        if status == "ok":
            self.counts["truncated"] += head["finish_reason"] == "length"
            if head["latency_ms"] is not None and not head["cached"]:
                self.latencies[head["latency_ms"]] += 1
                self._add_stream(head)
        if cost_key == "cost_known":
            self.cost += usage["cost_usd"] + (usage["upstream_cost_usd"] or 0.0)
        for name in TOKENS:
            if usage[name] is not None:
                self.tokens[name] += usage[name]
                self.tokens["n_" + name] += 1

    def _add_stream(self, head: Mapping[str, Any]) -> None:
        """Add what a streamed reply tells besides: its first tokens, and the speed after them (METHOD.md 8)."""
        if head["ttft_ms"] is None:
            return
        self.first_tokens[head["ttft_ms"]] += 1
        if head["ttft_visible_ms"] is not None:
            self.first_visible[head["ttft_visible_ms"]] += 1
        n_tokens, writing_ms = head["usage"]["completion_tokens"], head["latency_ms"] - head["ttft_ms"]
        if n_tokens is not None and n_tokens > 1 and writing_ms > 0:
            self.speeds[round((n_tokens - 1) * 1000 / writing_ms, 1)] += 1

    def take(self, bucket: Bucket) -> None:
        """Add everything another bucket has."""
        for name in ("counts", "kinds", "latencies", "first_tokens", "first_visible", "speeds", "tokens"):
            getattr(self, name).update(getattr(bucket, name))
        self.cost += bucket.cost

    def summary(self) -> dict[StatsColumn, Json]:
        """Everything the bucket comes to. Rates are over attempts that were sent; None of nothing."""
        ok, timeout, error = (self.counts[name] for name in ("ok", "timeout", "error"))
        sent = ok + timeout + error
        n_latency = self.latencies.total()
        whole_ms = sum(latency * n for latency, n in self.latencies.items())
        return {
            "attempts_total": sent,
            "calls_ok": ok,
            "calls_timeout": timeout,
            "calls_error": error,
            "calls_skipped_budget": self.counts["skipped_budget"],
            "calls_not_sent": self.counts["not_sent"],
            "calls_truncated": self.counts["truncated"],
            "calls_cached": self.counts["cached"],
            "valid_rate": _share(ok, sent),
            "timeout_rate": _share(timeout, sent),
            "error_rate": _share(error, sent),
            "avg_latency_ms_ok": round(whole_ms / n_latency, 3) if n_latency else None,
            "n_latency_ok": n_latency,
            "p50_latency_ms_ok": nearest_rank(self.latencies, 0.50),
            "p90_latency_ms_ok": self._percentile("p90"),
            "p95_latency_ms_ok": self._percentile("p95"),
            "p99_latency_ms_ok": self._percentile("p99"),
            "max_latency_ms_ok": max(self.latencies, default=None),
            "p50_ttft_ms_ok": nearest_rank(self.first_tokens, 0.50),
            "n_ttft_ok": self.first_tokens.total(),
            "p50_ttft_visible_ms_ok": nearest_rank(self.first_visible, 0.50),
            "n_ttft_visible_ok": self.first_visible.total(),
            "p50_tokens_per_s_ok": nearest_rank(self.speeds, 0.50),
            "n_tokens_per_s_ok": self.speeds.total(),
            "sum_cost_usd": round(self.cost, 9) if self.counts["cost_known"] else None,
            "n_cost_known": self.counts["cost_known"],
            "n_cost_unknown": self.counts["cost_unknown"],
            "sum_prompt_tokens": self._sum("prompt_tokens"),
            "sum_completion_tokens": self._sum("completion_tokens"),
            "sum_total_tokens": self._sum("total_tokens"),
            "sum_cached_tokens": self._sum("cached_tokens"),
            "sum_reasoning_tokens": self._sum("reasoning_tokens"),
            "n_tokens_known": self.tokens["n_total_tokens"],
            "error_kinds": dict(sorted(self.kinds.items())),
        }

    def _percentile(self, name: str) -> int | None:
        """Return a percentile of the latencies; None where they are too few for it."""
        return nearest_rank(self.latencies, int(name[1:]) / 100) if self.latencies.total() >= MIN_N[name] else None

    def _sum(self, name: str) -> int | None:
        """Return the sum of a count of tokens; None where no attempt told it."""
        return self.tokens[name] if self.tokens["n_" + name] else None


class Buckets:
    """One bucket per stage and model; the wider ones are added up from them."""

    def __init__(self) -> None:
        self.leaves: dict[tuple[str, str], Bucket] = {}
        self.model_ids: dict[str, str] = {}
        self.simulated_models: set[str] = set()
        """Those of which an attempt was simulated."""

    @property
    def simulated(self) -> bool:
        """Return whether any attempt was simulated."""
        return bool(self.simulated_models)

    def add(self, head: Mapping[str, Any]) -> None:
        """Take one attempt into account."""
        key = (head["stage"], head["model"])
        leaf = self.leaves.get(key)
        if leaf is None:
            leaf = self.leaves[key] = Bucket()
        leaf.add(head)
        self.model_ids[head["model"]] = head["model_id"]
        if head["simulated"]:
            self.simulated_models.add(head["model"])

    def rows(self, stages: Sequence[str], models: Sequence[str]) -> list[dict[str, Json]]:
        """One flat row per bucket: scope, stage, model, model_id, then the figures; in the order of the names given."""
        place = {name: i for i, name in enumerate((*stages, *models))}
        keys = sorted(self.leaves, key=lambda key: tuple((place.get(name, len(place)), name) for name in key))
        rows = [_row("overall", None, None, None, [self.leaves[key] for key in keys])]
        for stage in dict.fromkeys(key[0] for key in keys):
            rows.append(_row("stage", stage, None, None, [self.leaves[key] for key in keys if key[0] == stage]))
        for stage, model in keys:
            rows.append(_row("stage_model", stage, model, self.model_ids[model], [self.leaves[stage, model]]))
        return rows


def _row(scope: str, stage: str | None, model: str | None, model_id: str | None, leaves: Sequence[Bucket]) -> dict[str, Json]:
    whole = Bucket()
    for leaf in leaves:
        whole.take(leaf)
    names: dict[StatsColumn, Json] = {"scope": scope, "stage": stage, "model": model, "model_id": model_id}
    return dict[str, Json]([*names.items(), *whole.summary().items()])


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None
