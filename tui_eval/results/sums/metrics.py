"""On which scales a run's scores lie, as its own files say it: lines of results.jsonl, and report.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import one_line
from tui_eval.results.sums.judge_sentences import say_of_judge

METRICS = "metrics"
"""The key they stand under. It is left out where all scores are 1 for right and 0 for wrong."""


NEARLY_ALL, FEWEST = 0.9, 5
"""From which share of one and the same mark on, among how many at least, a metric is said to be uninformative."""
NO_END = 99_999
"""Where the scale of a metric ends that has no end, as error rates have none."""
RIGHT_OR_WRONG = Metric("correct", threshold=1.0)
"""What scores measure of which nothing is said: 1 for right, 0 for wrong."""


def is_binary(metric: Metric) -> bool:
    """Return whether its scores are 1 for right and 0 for wrong."""
    return (metric.low, metric.high, metric.better, metric.threshold) == (0.0, 1.0, "higher", 1.0)


def passes(metric: Metric, value: float) -> bool | None:
    """Return whether a mark is good enough; None where its metric does not say from which value on it is."""
    if metric.threshold is None:
        return None
    return value >= metric.threshold if metric.better == "higher" else value <= metric.threshold


def upwards(metric: Metric, value: float) -> float:
    """A value, or a difference of two, turned so that more is better."""
    return value if metric.better == "higher" else -value


def best(metric: Metric) -> float:
    """The end of its scale that is the better one."""
    return metric.high if metric.better == "higher" else metric.low


def all_alike(metric: Metric, marks: Mapping[float, int], noun: str = "scores") -> str:
    """A sentence where nearly all marks are one and the same, so that the metric is uninformative (METHOD.md 4.5); else empty.

    `marks`: how often each was given.
    """
    n = sum(marks.values())
    commonest, n_alike = max(marks.items(), key=lambda mark: mark[1], default=(0.0, 0))
    if is_binary(metric) or n < FEWEST or n_alike < NEARLY_ALL * n:
        return ""
    share = f"{100 * n_alike // n} % of" if n_alike < n else "all"
    sentence = say_of_judge("all_alike", n=f"{share} {n:,} {noun}", mark=f"{commonest:g}")
    return f"{one_line(metric.name, 40)}: {sentence}."


def within(metric: Metric, value: float) -> float:
    """A value, or the nearest that its scale has: no interval of a mean ends beyond it."""
    return min(max(value, metric.low), metric.high)


def scale_of(metric: Metric) -> str:
    """Its scale in words: 1 to 5, or 0 or more."""
    if metric.high >= NO_END:
        return f"{metric.low:g} or more"
    return f"{metric.low:g} to {metric.high:g}"


def threshold_of(metric: Metric) -> str:
    """From which value on a mark passes, in words: 3 or more; empty where it does not say."""
    if metric.threshold is None:
        return ""
    return f"{metric.threshold:g} or {'more' if metric.better == 'higher' else 'less'}"


def written_metrics(metrics: Sequence[Metric]) -> Mapping[str, Json]:
    """Return the entry of a kind's metrics in a file: nothing where all are right or wrong."""
    return _metrics_entry(tuple(metrics))


@lru_cache(maxsize=8)
def _metrics_entry(metrics: tuple[Metric, ...]) -> Mapping[str, Json]:
    """Worked out once: every line of results.jsonl says it."""
    if all(map(is_binary, metrics)):
        return {}
    return {METRICS: {metric.name: {k: v for k, v in asdict(metric).items() if k != "name"} for metric in metrics}}


def metrics_of(entry: Mapping[str, Any]) -> Mapping[str, Metric]:
    """The metrics that a file names, by their names; what is no scale is left out."""
    entries = entry.get(METRICS)
    read = (
        {name: _metric(name, scale) for name, scale in entries.items() if isinstance(scale, dict)}
        if isinstance(entries, dict)
        else {}
    )
    return {name: metric for name, metric in read.items() if metric is not None}


def amount(value: Any) -> float | None:
    """A finite number, or None."""
    return value if type(value) in (int, float) and abs(value) < 1e300 else None


def _metric(name: str, scale: Mapping[str, Any]) -> Metric | None:
    low, high = amount(scale.get("low")), amount(scale.get("high"))
    if low is None or high is None or not low < high:
        return None
    threshold = amount(scale.get("threshold"))
    return Metric(name, low, high, "lower" if scale.get("better") == "lower" else "higher", threshold)
