"""What streams add to the figures of a bucket: against a reference by the words of METHOD.md, and added up over buckets."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.runs.buckets import TOKENS, Bucket, Buckets

FIGURES = ("p50_ttft_ms_ok", "p50_ttft_visible_ms_ok", "p50_tokens_per_s_ok")
COUNTS = ("n_ttft_ok", "n_ttft_visible_ok", "n_tokens_per_s_ok")
Head = dict[str, Any]


def head(**changes: Any) -> Head:
    """The small fields of a good attempt that was streamed."""
    usage = dict.fromkeys((*TOKENS, "cache_write_tokens", "cost_usd", "upstream_cost_usd"))
    found = {
        "status": "ok",
        "error_kind": None,
        "finish_reason": "stop",
        "latency_ms": 1000,
        "ttft_ms": 200,
        "ttft_visible_ms": 300,
        "cached": False,
        "stage": "doer",
        "model": "m",
        "model_id": "id",
        "simulated": False,
    }
    own = {name: value for name, value in changes.items() if name in usage}
    return {**found, **{n: v for n, v in changes.items() if n not in usage}, "usage": {**usage, **own}}


@st.composite
def heads(draw: st.DrawFn) -> Head:
    """Any attempt: streamed or not, good or not."""
    latency = draw(st.integers(0, 5000))
    first = draw(st.none() | st.integers(0, latency))
    visible = None if first is None else draw(st.none() | st.integers(first, latency))
    status, kind = draw(
        st.sampled_from([("ok", None)] * 6 + [("error", "transient"), ("timeout", None), ("skipped_budget", None)])
        | st.just(("error", "not_sent"))
    )
    return head(
        status=status,
        error_kind=kind,
        latency_ms=latency,
        ttft_ms=first,
        ttft_visible_ms=visible,
        cached=status == "ok" and draw(st.booleans()),
        completion_tokens=draw(st.none() | st.integers(0, 500)),
        prompt_tokens=draw(st.none() | st.integers(0, 500)),
        cost_usd=draw(st.none() | st.integers(0, 1000).map(lambda n: n / 1024)),
        stage=draw(st.sampled_from(["doer", "judge"])),
        model=draw(st.sampled_from(["a", "b"])),
    )


def median(values: list[float]) -> float | None:
    """The value at rank ceil(n/2)."""
    return sorted(values)[math.ceil(len(values) / 2) - 1] if values else None


def reference(attempts: list[Head]) -> Head:
    """The figures by METHOD.md 8, from the good attempts that were asked for and streamed."""
    good = [a for a in attempts if a["status"] == "ok" and not a["cached"] and a["ttft_ms"] is not None]
    seen = [a["ttft_visible_ms"] for a in good if a["ttft_visible_ms"] is not None]
    speeds = []
    for a in good:
        written, took_ms = a["usage"]["completion_tokens"], a["latency_ms"] - a["ttft_ms"]
        if written is not None and written >= 2 and took_ms > 0:
            per_token_s = took_ms / 1000 / (written - 1)
            speeds.append(1 / per_token_s)
    medians = (median([a["ttft_ms"] for a in good]), median(seen), median(speeds))
    return {**dict(zip(FIGURES, medians, strict=True)), **dict(zip(COUNTS, map(len, (good, seen, speeds)), strict=True))}


def bucket_of(attempts: list[Head]) -> Bucket:
    """One bucket with all of them."""
    bucket = Bucket()
    for attempt in attempts:
        bucket.add(attempt)
    return bucket


@few
@given(st.lists(heads(), max_size=30))
def test_the_figures_are_those_of_the_definition(attempts: list[Head]) -> None:
    """First token, first visible token and decoding speed, each with the number of replies it rests on."""
    found = bucket_of(attempts).summary()
    wanted = reference(attempts)
    for name in COUNTS:
        assert found[name] == wanted[name]
    for name in FIGURES:
        assert found[name] == (None if wanted[name] is None else pytest.approx(wanted[name], abs=0.051))


@few
@given(st.lists(heads(), max_size=30), st.integers(0, 30))
def test_buckets_added_up_are_one_bucket(attempts: list[Head], cut: int) -> None:
    """Whatever goes into which: the sum says what one bucket would."""
    whole = bucket_of(attempts[:cut])
    whole.take(bucket_of(attempts[cut:]))
    assert whole.summary() == bucket_of(attempts).summary()


@few
@given(st.lists(heads(), max_size=30))
def test_rows_add_up(attempts: list[Head]) -> None:
    """The row of all is the bucket of all, and the row of a stage that of the stage."""
    buckets = Buckets()
    for attempt in attempts:
        buckets.add(attempt)
    rows = buckets.rows(["doer", "judge"], ["a", "b"])
    for row in rows:
        mine = [a for a in attempts if row["stage"] in (None, a["stage"]) and row["model"] in (None, a["model"])]
        assert {name: row[name] for name in bucket_of(mine).summary()} == bucket_of(mine).summary()


def test_what_was_not_streamed_has_no_first_token() -> None:
    """None of nothing, never zero."""
    found = bucket_of([head(ttft_ms=None, ttft_visible_ms=None, completion_tokens=50)]).summary()
    assert [found[name] for name in FIGURES] == [None, None, None]
    assert [found[name] for name in COUNTS] == [0, 0, 0]


@pytest.mark.parametrize(
    ("written", "latency", "first", "speed"),
    [(11, 1200, 200, 10.0), (1, 1200, 200, None), (0, 1200, 200, None), (None, 1200, 200, None), (9, 200, 200, None)],
)
def test_speed_is_of_the_tokens_after_the_first(written: int | None, latency: int, first: int, speed: float | None) -> None:
    """Ten tokens in the second after the first one are 10 a second; one token has no speed, nor has no time."""
    found = bucket_of([head(completion_tokens=written, latency_ms=latency, ttft_ms=first)]).summary()
    assert found["p50_tokens_per_s_ok"] == speed
