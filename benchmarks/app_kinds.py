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
from app_bench import BACK_TAB, DOWN, ENTER, TAB, UP, Bench
from app_keys import DOWN_A_ROW, LIVE_DOWN, LIVE_UP, OPEN, UP_A_ROW, Walk, run_on_show, take_walk, taken
from key_effects import Step, another_entry, another_question, both, changed, pictured, says

from tui_eval.runs.folder import LOG

TOGETHER = ("--set", "run.max_concurrency=50")
ENDLESS = ("--set", "run.repeat=100", "--set", "run.max_calls=60000", "--set", "run.cache=false", *TOGETHER)
"""A real run that outlasts every walk."""
STARTED_S = 60.0
FIRST_ROWS = 4
"""The row below the titles of the columns."""
SOURCES = ("3", "v", TAB, TAB, TAB)
GRAPH = ("3", "v", TAB, TAB, TAB, ENTER, "d")
SCROLLED_DOWN = Step(DOWN, "scroll down", changed())
SCROLLED_UP = Step(UP, "scroll up", changed())
NEXT_QUESTION, QUESTION_BEFORE = (Step(key, "next question", another_question) for key in "nN")
NEXT_TEXT, TEXT_BEFORE = (Step(key, "next text", another_entry) for key in "JK")
NEXT_MAKER, MAKER_BEFORE = (Step(key, "next model's text", another_entry) for key in "lh")
FILE_BESIDE = Step("i", "file beside it", says(FIRST_ROWS - 1, "── "))
PICTURE_BESIDE = Step("i", "file beside it, until its picture is drawn", pictured, aimed=False)
FILE_TEXT = Step("i", "what stands in the file", both(says(FIRST_ROWS, "What stands in it"), says(-1, "Esc List")))
FILE_LEFT = Step("i", "list again", says(FIRST_ROWS - 1, "text by"))
NEXT_GRAPH, PREVIOUS_GRAPH = Step("n", "next graph", changed()), Step("N", "previous graph", changed())
NEXT_BRIEF, BRIEF_BEFORE = (Step(key, "next graphs", changed()) for key in "JK")
SIDE = Step("c", "next model beside it, or none", changed())
MEASURE = Step("M", "next measure", changed(lambda screen: range(2, 5)))
RIGHT, LEFT, TOGETHER_ROWS = Step("l", "cell right", changed()), Step("h", "cell left", changed()), Step("t", "rows", changed())
WALKS = {
    "pipeline": (
        Walk("sources", SOURCES, "[Sources]", (DOWN_A_ROW, DOWN_A_ROW, UP_A_ROW, UP_A_ROW)),
        Walk(
            "a source, opened",
            (*SOURCES, ENTER),
            "── text by",
            (NEXT_QUESTION, NEXT_TEXT, NEXT_MAKER, QUESTION_BEFORE, TEXT_BEFORE, MAKER_BEFORE),
        ),
        Walk(
            "the file beside a source",
            (*SOURCES, ENTER),
            "── text by",
            (*(FILE_BESIDE, NEXT_TEXT, FILE_TEXT, FILE_LEFT, OPEN), *(PICTURE_BESIDE, TEXT_BEFORE, FILE_TEXT, FILE_LEFT, OPEN)),
        ),
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
            "Other pane",
            (SCROLLED_DOWN, SCROLLED_UP, NEXT_BRIEF, SCROLLED_DOWN, SCROLLED_UP, BRIEF_BEFORE, SIDE, SIDE, SIDE),
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
    count = max(bench.keys // 2, 20)
    for size, (example, walks), live in itertools.product(bench.sizes, WALKS.items(), (True, False)):
        for walk in taken(bench, walks):
            bench.finished_run(example, *TOGETHER)
            with run_on_show(bench, example, live, 60 + count * 0.5) as path:
                take_walk(bench, path, size, walk, live, count)
    for walk in taken(bench, (DASHBOARD,)):
        with going(bench, "chat") as path:
            for size in bench.sizes:
                take_walk(bench, path, size, walk, True, count)


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
