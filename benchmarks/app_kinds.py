"""Key to effect on the screens of a pipeline's sources, of graphs and of conversations, while a run is going on."""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import children
from app_bench import BACK_TAB, DOWN, ENTER, KEY_SIZES, TAB, UP, Bench
from app_keys import DOWN_A_ROW, LIVE_DOWN, LIVE_UP, UP_A_ROW, Walk, run_on_show, take_walk
from key_effects import Step, changed

from tui_eval.runs.folder import LOG

TOGETHER = ("--set", "run.max_concurrency=50")
ENDLESS = ("--set", "run.repeat=100", "--set", "run.max_calls=60000", "--set", "run.cache=false", *TOGETHER)
"""A real run that outlasts every walk."""
STARTED_S = 60.0
SOURCES = ("3", "v", TAB, TAB, TAB)
GRAPH = ("3", "v", TAB, TAB, TAB, ENTER, "d")
SCROLLED_DOWN = Step(DOWN, "scroll down", changed())
SCROLLED_UP = Step(UP, "scroll up", changed())
NEXT_TEXT = Step("n", "next text", changed(lambda screen: (1,)))
PREVIOUS_TEXT = Step("N", "previous text", changed(lambda screen: (1,)))
BESIDE = Step("i", "source beside it", changed())
NEXT_GRAPH, PREVIOUS_GRAPH = Step("n", "next graph", changed()), Step("N", "previous graph", changed())
SIDE = Step("c", "next model beside it", changed())
MEASURE = Step("M", "next measure", changed(lambda screen: range(2, 5)))
RIGHT, LEFT, TOGETHER_ROWS = Step("l", "cell right", changed()), Step("h", "cell left", changed()), Step("t", "rows", changed())
WALKS = {
    "pipeline": (
        Walk("sources", SOURCES, "[Sources]", (DOWN_A_ROW, DOWN_A_ROW, UP_A_ROW, UP_A_ROW)),
        Walk(
            "a source, opened",
            (*SOURCES, ENTER),
            "── text by",
            (DOWN_A_ROW, UP_A_ROW, NEXT_TEXT, DOWN_A_ROW, PREVIOUS_TEXT, UP_A_ROW),
        ),
        Walk("the file beside a source", (*SOURCES, ENTER), "── text by", (BESIDE, NEXT_TEXT, BESIDE, BESIDE, PREVIOUS_TEXT)),
    ),
    "graph": (
        Walk(
            "a graph",
            GRAPH,
            "graph of",
            (SCROLLED_DOWN, SCROLLED_UP, NEXT_GRAPH, SCROLLED_DOWN, SCROLLED_UP, PREVIOUS_GRAPH),
        ),
        Walk(
            "two graphs side by side",
            (*GRAPH, "c"),
            "Other side",
            (SCROLLED_DOWN, SCROLLED_UP, NEXT_GRAPH, SIDE, SCROLLED_DOWN, SCROLLED_UP, PREVIOUS_GRAPH, SIDE),
        ),
    ),
    "chat": (
        Walk("a chat's summary", ("3", "v"), "[Summary]", (DOWN_A_ROW, DOWN_A_ROW, UP_A_ROW, UP_A_ROW, MEASURE)),
        Walk(
            "a chat's grid",
            ("3", "v", BACK_TAB),
            "[Grid]",
            (DOWN_A_ROW, RIGHT, DOWN_A_ROW, LEFT, UP_A_ROW, UP_A_ROW, TOGETHER_ROWS),
        ),
    ),
}
"""By example the screens of its results."""
DASHBOARD = Walk("the dashboard of a chat that goes on", ("3",), "calls/s", (LIVE_DOWN, LIVE_DOWN, LIVE_UP, LIVE_UP))


def kinds(bench: Bench) -> None:
    """The results of each while attempts are appended and on a run that has ended; the dashboard is that of a real run."""
    for example in WALKS:
        bench.finished_run(example, *TOGETHER)
    count = max(bench.keys // 2, 20)
    for size, (example, walks), live in itertools.product(KEY_SIZES, WALKS.items(), (True, False)):
        for walk in walks:
            with run_on_show(bench, example, live, 60 + count * 0.5) as path:
                take_walk(bench, path, size, walk, live, count)
    with going(bench, "chat") as path:
        for size in KEY_SIZES:
            take_walk(bench, path, size, DASHBOARD, True, count)


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
