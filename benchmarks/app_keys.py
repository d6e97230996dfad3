"""Keys of the app, each pressed until its effect is on the screen, while a run goes on and while nothing happens."""

from __future__ import annotations

import contextlib
import itertools
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import big_log
from app_bench import (
    CLEAR,
    DOWN,
    ENTER,
    ESCAPE,
    HALF_DOWN,
    HALF_UP,
    KEY_MS,
    SWITCH_MS,
    TAB,
    UP,
    Bench,
    attached,
    percentile,
    shown,
)  # fmt: skip
from key_effects import (
    CURSOR,
    Press,
    Step,
    another_entry,
    another_list,
    another_row,
    both,
    filtered,
    page,
    press,
    require_calm,
    says,
    stepped,
)  # fmt: skip
from terminal import Terminal

PER_SECOND = 500
"""Attempts that are appended to the run on show."""
BETWEEN_S, SETTLED_S = 0.4, 2.0
"""Between the keys that lead to a screen, and before the first key that is measured: a list has to be filled."""
LANDING_S = 20.0
MARKS = {
    "1": ("1 Models", "models", "Add"),
    "2": ("2 Datasets", "datasets", "Generate"),
    "3": ("3 Run", "quickstart", "v Results"),
    "4": ("4 Results", "state", "Space Mark"),
    "5": ("5 Prompts", "prompts", "Edit here"),
    "6": ("6 Log", "attempts", "f Follow"),
}
"""By number the tab of a screen, words of its first row, and of its line of keys."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A screen, the keys that lead to it, words that stand there, and steps that are taken there again and again."""

    name: str
    there: tuple[str, ...]
    stands: str
    steps: tuple[Step, ...]
    once: bool = False
    """Whether the first round is counted apart: a screen is built when it is first gone to."""
    aim_ms: float = KEY_MS


def switch(number: str) -> Step:
    """To a screen by its number."""
    return Step(number, f"switch to {number}", page(*MARKS[number]))


DOWN_A_ROW = Step(DOWN, "cursor down", another_row)
UP_A_ROW = Step(UP, "cursor up", another_row)
DOWN_HALF = Step(HALF_DOWN, "half a page down", another_row)
UP_HALF = Step(HALF_UP, "half a page up", another_row)
LIVE_DOWN = Step(DOWN, "cursor down", stepped(1))
LIVE_UP = Step(UP, "cursor up", stepped(-1))
NEXT_LIST = Step(TAB, "next list", another_list)
FOLLOW = Step("f", "follow the end", says(1, "following"))
LEAVE_END = Step(UP, "cursor up", both(stepped(-1), says(1, "following", stands=False)))
LEAVE_FAR = Step(HALF_UP, "half a page up", says(1, "following", stands=False))
NARROWED = (
    Step("c", "filter: a letter", filtered("sc", narrower=True)),
    Step("h", "filter: a letter", filtered("sch", narrower=True)),
    Step(ENTER, "filter: kept", another_row),
    Step("/", "filter: opened", says(-1, "Keep")),
    Step(CLEAR, "filter: a letter less", filtered("sc", narrower=False)),
    Step(CLEAR, "filter: a letter less", filtered("s", narrower=False)),
)
"""Among all lines that have an s."""
OPEN = Step(ENTER, "into the inspector", says(-1, "Esc List"))
BACK = Step(ESCAPE, "back to the list", says(-1, "Esc List", stands=False), aimed=False)
NEXT, BEFORE = Step("J", "next entry", another_entry), Step("K", "entry before", another_entry)
OPENED = (OPEN, NEXT, NEXT, BACK, DOWN_A_ROW, OPEN, BEFORE, BEFORE, BACK, UP_A_ROW)
WALKS = (
    Walk("live", ("3",), "calls/s", (LIVE_DOWN, LIVE_DOWN, LIVE_UP, LIVE_UP, NEXT_LIST, LIVE_DOWN, LIVE_UP, NEXT_LIST)),
    Walk("log, following", ("6", "g"), "attempts", (FOLLOW, LEAVE_END, FOLLOW, LEAVE_FAR)),
    Walk("log, filtered", ("6", "g", "/", "s"), "Keep", NARROWED),
    Walk(
        "log, free",
        ("6", "g", HALF_DOWN),
        "attempts",
        (DOWN_A_ROW, DOWN_A_ROW, DOWN_HALF, UP_A_ROW, UP_HALF, UP_A_ROW),
    ),
    Walk("log, inspector", ("6", "g", HALF_DOWN), "attempts", OPENED),
    Walk("results", ("3", "v"), "Summary", (DOWN_A_ROW, DOWN_A_ROW, UP_A_ROW, UP_A_ROW)),
    Walk("between screens", ("3", "4", "4"), "Space Mark", tuple(map(switch, "632154")), True, SWITCH_MS),
)
BIG_LOG = Walk("a big log", (), "", (DOWN_A_ROW, DOWN_HALF, DOWN_A_ROW, UP_A_ROW, UP_HALF, UP_A_ROW))
INDEXED_LOG = Walk(
    "a big log, indexed",
    (),
    "",
    (Step("G", "last row", another_row), UP_HALF, DOWN_A_ROW, Step("g", "first row", another_row)),
)


def keys(bench: Bench) -> None:
    """Each of them while attempts are appended, and on a run that has ended."""
    for size, walk, live in itertools.product(bench.sizes, taken(bench, WALKS), (True, False)):
        with run_on_show(bench, "quickstart", live, 60 + bench.keys * 0.5) as path:
            take_walk(bench, path, size, walk, live, bench.keys)


def taken(bench: Bench, walks: Sequence[Walk]) -> list[Walk]:
    """Those of some walks that are to be taken."""
    return [walk for walk in walks if not bench.walks or walk.name in bench.walks]


@contextlib.contextmanager
def run_on_show(bench: Bench, example: str, live: bool, seconds: float) -> Iterator[Path]:
    """A run that grows meanwhile, or one that has ended."""
    if not live:
        yield bench.still_run(f"20260101_140000_0003_{example}_still", example)
        return
    path = bench.growing_run(f"20260101_130000_0002_{example}_growing", example)
    with big_log.appending(path, PER_SECOND, seconds):
        yield path


def take_walk(bench: Bench, path: Path, size: tuple[int, int], walk: Walk, live: bool, count: int) -> None:
    """Take one walk through the app, opened on a run. An effect that does not come is a figure that is missed."""
    where = f"{walk.name}, {shown(size)}, {'live' if live else 'idle'}"
    try:
        with attached(bench, path, size) as terminal:
            go_there(terminal, walk)
            presses = list(pressed(terminal, walk, count))
    except AssertionError as error:
        print(f"{where}\n{error}", file=sys.stderr, flush=True)
        bench.tell(f"key to effect, {where}", f"broke off: {str(error).splitlines()[0]}", f"p99 < {walk.aim_ms:.0f} ms", False)
        return
    report_presses(bench, where, [each for each in presses if each.aimed], walk.aim_ms)
    bench.presses += [(where, each) for each in presses]


def go_there(terminal: Terminal, walk: Walk) -> None:
    """Press the keys that lead to a screen, and see that it is that one."""
    for key in walk.there:
        if key == ENTER:
            terminal.wait_for(CURSOR, LANDING_S)
        terminal.send(key)
        time.sleep(BETWEEN_S)
    time.sleep(SETTLED_S)
    terminal.wait_for(walk.stands, LANDING_S)
    require_calm(terminal, walk.steps)


def pressed(terminal: Terminal, walk: Walk, count: int) -> Iterator[Press]:
    """So many keys, in turn, with pauses as of a quick typist."""
    chance = random.Random(count)
    for number, step in enumerate(itertools.islice(itertools.cycle(walk.steps), count)):
        time.sleep(chance.uniform(0.015, 0.045))
        first = walk.once and number < len(walk.steps)
        yield press(terminal, replace(step, action=f"{step.action}, first") if first else step)


def report_presses(bench: Bench, where: str, presses: Sequence[Press], aim_ms: float = KEY_MS) -> None:
    """Percentiles of a walk. The aim is for the effect, less the time in which the main thread had no core."""
    effects, alone = [each.effect for each in presses], [each.alone for each in presses]
    slowest, high = max(presses, key=lambda each: each.alone), percentile(alone, 99)
    words = f"p50 {percentile(effects, 50):.1f}, p99 {percentile(effects, 99):.1f} ms"
    words += f"; less the main thread's wait for a core p50 {percentile(alone, 50):.1f}, p99 {high:.1f}, "
    words += f"most {slowest.alone:.1f} ms ({slowest.action}), n={len(presses)}"
    bench.tell(f"key to effect, {where}", words, f"p99 < {aim_ms:.0f} ms", high < aim_ms)


HEADS = (
    "n",
    "first byte p50",
    "p99",
    "effect p50",
    "p99",
    "wait for a core p50",
    "p99",
    "effect less main thread's wait p50",
    "p99",
)


def keys_table(presses: Sequence[tuple[str, Press]]) -> str:
    """Every key of every walk, milliseconds; of less than a hundred presses the 99th percentile is the slowest."""
    groups: dict[tuple[str, str], list[Press]] = {}
    for where, each in presses:
        groups.setdefault((where, each.action), []).append(each)
    rows = [f"| {' | '.join(('screen', 'key', *HEADS))} |", "|---|---|" + "---:|" * len(HEADS)]
    for (where, action), group in groups.items():
        columns = [
            [p.first for p in group],
            [p.effect for p in group],
            [p.waited.threads for p in group],
            [p.alone for p in group],
        ]
        figures = [f"{percentile(column, share):.1f}" for column in columns for share in (50, 99)]
        rows.append(f"| {where} | {action} | {len(group)} | {' | '.join(figures)} |")
    return "\n".join(rows)
