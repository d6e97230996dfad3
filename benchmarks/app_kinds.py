"""Key to paint on the screens of a pipeline's sources, of graphs and of conversations, while a run is going on."""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import big_log
import children
from app_bench import (
    BACK_TAB,
    DOWN,
    ENTER,
    SIZES,
    TAB,
    UP,
    Bench,
    Walk,
    attached,
    press,
    pressed,
    shown,
    tell_keys,
)  # fmt: skip

from tui_eval.runs.folder import LOG

RATE = 1000
"""Attempts a second that are appended to the run on show."""
TOGETHER = ("--set", "run.max_concurrency=50")
ENDLESS = ("--set", "run.repeat=100", "--set", "run.max_calls=60000", "--set", "run.cache=false", *TOGETHER)
"""A real run that outlasts every walk."""
STARTED_S = 60.0
SETTLED_S = 2.0
"""Before the first key that is measured: one on a list that is not filled yet moves nothing."""
SOURCES = ("3", "v", TAB, TAB, TAB)
GRAPH = ("3", "v", TAB, TAB, ENTER, "d")
WALKS = {
    "pipeline": (
        Walk("sources", SOURCES, (DOWN, DOWN, UP, UP)),
        Walk("a source, opened", (*SOURCES, ENTER), (DOWN, UP, "n", DOWN, "N", UP)),
        Walk("the file beside a source", (*SOURCES, ENTER), ("i", "n", "i", "i", "N")),
    ),
    "graph": (
        Walk("a graph", GRAPH, (DOWN, UP, "n", DOWN, UP, "N")),
        Walk("two graphs side by side", (*GRAPH, "c"), (DOWN, UP, "n", "c", DOWN, UP, "N", "c")),
    ),
    "chat": (
        Walk("a chat's summary", ("3", "v"), (DOWN, DOWN, UP, UP, "M")),
        Walk("a chat's grid", ("3", "v", BACK_TAB), (DOWN, "l", DOWN, "h", UP, UP, "t")),
    ),
}
"""By example the screens of its results. Every key changes what is on show: one that does not would be taken for as slow as the
next thing that changes by itself."""
DASHBOARD = Walk("the dashboard of a chat that goes on", ("3",), (DOWN, DOWN, UP, UP))


def kinds(bench: Bench) -> None:
    """The results of each grow by 1,000 attempts a second, and the dashboard is that of a real run."""
    for example in WALKS:
        bench.finished_run(example, *TOGETHER)
    count = max(bench.keys // 2, 20)
    for size, (example, walks) in itertools.product(SIZES, WALKS.items()):
        for walk in walks:
            path = bench.growing_run(f"20260101_150000_0004_{example}", example)
            with big_log.appending(path, RATE, 60 + count * 0.5):
                told(bench, path, size, walk, count)
    with going(bench, "chat") as path:
        for size in SIZES:
            told(bench, path, size, DASHBOARD, count)


def told(bench: Bench, path: Path, size: tuple[int, int], walk: Walk, count: int) -> None:
    """One walk through the app, opened on a run."""
    with attached(bench, path, size) as terminal:
        for key in walk.there:
            press(terminal, key)
            time.sleep(0.4)
        time.sleep(SETTLED_S)
        tell_keys(bench, f"{walk.name}, {shown(size)}", pressed(terminal, walk.keys, count))


@contextlib.contextmanager
def going(bench: Bench, example: str) -> Iterator[Path]:
    """A real run of simulated models, from its first reply to the end of the block."""
    path = bench.workspace / "runs" / f"20260101_160000_0005_{example}"
    arguments = ["-m", "tui_eval", "--workspace", str(bench.workspace), "--run", example, "--out", str(path), *ENDLESS]
    process = subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + STARTED_S
        while not ((path / LOG).exists() and (path / LOG).stat().st_size):
            if process.poll() is not None or time.monotonic() > until:
                raise children.ChildError(f"the run of {example} did not begin (exit code {process.poll()})")
            time.sleep(0.05)
        yield path
        if process.poll() is not None:
            raise children.ChildError(f"the run of {example} ended before it was measured to the end")
    finally:
        process.kill()
        process.wait()
