"""Names of the columns of a run's statistics: of stats.json and stats.csv, and of the calls of report.json.

`Bucket.summary` writes them (`runs/buckets.py`); whoever reads one names it to `stat`, so that mypy finds a column that nothing
writes. To add one, add its name here and its value there; `tests/laws/test_file_columns.py` fails on the one without the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

StatsColumn = Literal[
    "scope", "stage", "model", "model_id",
    "attempts_total", "calls_ok", "calls_timeout", "calls_error", "calls_skipped_budget", "calls_not_sent", "calls_truncated",
    "calls_cached",
    "valid_rate", "timeout_rate", "error_rate",
    "avg_latency_ms_ok", "n_latency_ok", "p50_latency_ms_ok", "p90_latency_ms_ok", "p95_latency_ms_ok", "p99_latency_ms_ok",
    "max_latency_ms_ok",
    "p50_ttft_ms_ok", "n_ttft_ok", "p50_ttft_visible_ms_ok", "n_ttft_visible_ok", "p50_tokens_per_s_ok", "n_tokens_per_s_ok",
    "sum_cost_usd", "sum_cost_simulated_usd", "n_cost_known", "n_cost_unknown",
    "sum_prompt_tokens", "sum_completion_tokens", "sum_total_tokens", "sum_cached_tokens", "sum_reasoning_tokens",
    "n_tokens_known",
    "error_kinds",
]  # fmt: skip


def stat(row: Mapping[str, Any], column: StatsColumn) -> Any:
    """Return what a row of statistics has in a column; None where it, which may be of any file, does not have it."""
    return row.get(column)
