"""How fast and how sparing the full-screen app is, measured from outside through a pseudo-terminal. Everything simulated.

python benchmarks/app.py [--only paint,keys,kinds,bytes,screens,form,big,beside] [--attempts 1000000] [--keys 300]
    [--walk NAME] [--size 80x24]

Every figure stands beside its aim; exit code 1 when one is missed. Other work on the machine makes every time longer: the
table says what the load was.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import app_keys
import app_kinds
import app_screens
import big_log
import children
import workload
from app_bench import CLEAR, KEY_MS, KEY_SIZES, SIZES, Bench, Figure, attached, leave, percentile, shown
from app_keys import BIG_LOG, INDEXED_LOG, pressed, report_presses

from tui_eval.runs.folder import LOG

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from terminal import Terminal

PAINT_S, STARTS = 0.6, 5
LIVE_BYTES, FOLLOW_BYTES, IDLE_S, WATCHED_S = 10_000, 45_000, 3.0, 8.0
BIG_PAGE_S, BIG_MB, BYTES_EACH = 1.0, 150, 3000
INDEXED_WITHIN_S = 150.0
CALLS, IN_FLIGHT, WARM_S, LOSS_PERCENT = 6000, 30, 3.0, 10.0
QUESTIONS, MODELS = 10_000, ("scholar", "sprinter", "rambler")
QUIET_S = 1.0
ARROW_DOWN = "\x1b[B"
"""In a form, where letters are text."""


# starting


def paint(bench: Bench) -> None:
    """From the start of the process until the runs stand on the screen; best of several."""
    bench.finished_run()
    for size in SIZES:
        found = [first_paint(bench.workspace, size) for _ in range(STARTS)]
        times = f"{min(found):.2f} s best, {max(found):.2f} s worst of {STARTS}"
        bench.tell(f"first paint, {shown(size)}", times, f"< {PAINT_S} s", min(found) < PAINT_S)


def first_paint(workspace: Path, size: tuple[int, int]) -> float:
    """Seconds until the list of runs stands there."""
    with Terminal(["--workspace", workspace], size) as terminal:
        terminal.wait_for("quickstart")
        moment = terminal.chunks_since(terminal.mark - 1)[0][0]
        leave(terminal)
    return moment - terminal.began


# bytes


def bytes_written(bench: Bench) -> None:
    """Bytes a second: while nothing changes, and while the run on show grows by 500 attempts a second."""
    finished = bench.finished_run()
    for name, there in (("runs", "4"), ("live", "3"), ("log", "6"), ("results", "3v")):
        with attached(bench, finished, SIZES[0]) as terminal:
            written = rate(terminal, there, IDLE_S)
        bench.tell(f"bytes while nothing changes, {name}", f"{written:.0f} B/s", "0 B/s", written == 0)
    for size, (name, there, most) in itertools.product(
        SIZES, (("live", "3", LIVE_BYTES), ("log, following", "6G", FOLLOW_BYTES))
    ):
        path = bench.growing_run("20260101_140000_0003_growing")
        with big_log.appending(path, 500, 60), attached(bench, path, size) as terminal:
            written = rate(terminal, there, WATCHED_S)
        aimed = name != "live" or size == SIZES[0]
        aim, met = (f"< {most / 1000:.0f} kB/s", written < most) if aimed else ("", None)
        bench.tell(f"bytes at 500 attempts/s, {name}, {shown(size)}", f"{written / 1000:.1f} kB/s", aim, met)


def rate(terminal: Terminal, there: str, seconds: float) -> float:
    """Bytes a second on the screen that these keys lead to."""
    for key in there:
        terminal.send(key)
        time.sleep(0.6)
    time.sleep(1)
    mark = terminal.mark
    time.sleep(seconds)
    return len(terminal.bytes_since(mark)) / seconds


# a big log


def big(bench: Bench) -> None:
    """A log of a million attempts: its first page, all of it indexed, memory, and keys meanwhile."""
    room = shutil.disk_usage(bench.folder).free
    if room < bench.attempts * BYTES_EACH * 1.3:
        raise children.ChildError(f"{bench.attempts:,} attempts need more room than the {room / 1e9:.1f} GB that are free")
    base_mb = memory_of_empty_app(bench.folder / "empty")
    path = big_log.make(bench.folder / "big" / "runs" / "20260101_000000_0000_big", bench.attempts)
    try:
        name = f"log of {bench.attempts:,} attempts ({(path / LOG).stat().st_size / 1e9:.1f} GB)"
        with Terminal(["--workspace", bench.folder / "big", path], SIZES[1]) as terminal:
            tell_big(bench, terminal, name, base_mb)
            leave(terminal)
    finally:
        shutil.rmtree(path)


def tell_big(bench: Bench, terminal: Terminal, name: str, base_mb: float) -> None:
    """What the app does with it."""
    terminal.wait_for("Help")
    began = terminal.send("6")
    terminal.wait_for(lambda text: text.count("harbour/q") >= 10)
    page_s = time.monotonic() - began
    bench.tell(f"{name}: first page from the key on", f"{page_s:.2f} s", f"< {BIG_PAGE_S:.0f} s", page_s < BIG_PAGE_S)
    report_presses(bench, "log while it is indexed", list(pressed(terminal, BIG_LOG, min(bench.keys, 120))))
    terminal.wait_for(f"{bench.attempts:,} attempts", INDEXED_WITHIN_S)
    terminal.wait_for(lambda text: "%" not in text.splitlines()[1], INDEXED_WITHIN_S)
    bench.tell(f"{name}: all indexed since the start", f"{time.monotonic() - terminal.began:.1f} s")
    report_presses(bench, "log once it is indexed", list(pressed(terminal, INDEXED_LOG, 60)))
    now, most = memory_mb(terminal, "VmRSS"), memory_mb(terminal, "VmHWM")
    words = f"RSS {now - base_mb:+.0f} MB, peak {most - base_mb:+.0f} MB above {base_mb:.0f} MB"
    words += f" (now {memory_mb(terminal, 'RssFile'):.0f} MB of it files)"
    bench.tell(f"{name}: memory", words, f"< {BIG_MB} MB above", most - base_mb < BIG_MB)


def memory_of_empty_app(workspace: Path) -> float:
    """What the app takes where there is no run, MB."""
    workspace.mkdir()
    with Terminal(["--workspace", workspace], SIZES[1]) as terminal:
        terminal.wait_for("Help")
        time.sleep(1)
        taken = memory_mb(terminal, "VmHWM")
        leave(terminal)
    return taken


def memory_mb(terminal: Terminal, what: str) -> float:
    """A line of the kernel's account of the app's memory."""
    found = re.search(rf"{what}:\s+(\d+) kB", Path(f"/proc/{terminal.process.pid}/status").read_text())
    return int(found.group(1)) / 1024 if found else 0.0


# a real run beside


def beside(bench: Bench) -> None:
    """A real run at some 500 calls a second, alternately without and with the app watching it: what it loses."""
    losses, rates = [], []
    with children.simulator() as url:
        config = workload.write(bench.folder / "beside", url, CALLS, IN_FLIGHT)
        for number in range(3):
            alone, watched = real_run(bench, config, f"alone{number}", False), real_run(bench, config, f"watched{number}", True)
            losses.append(100 * (1 - watched / alone))
            rates.append(alone)
            print(f"pair {number + 1}: {alone:.0f} calls/s alone, {watched:.0f} watched", file=sys.stderr, flush=True)
    lost = statistics.median(losses)
    words = (
        f"{lost:+.1f} % (median of {', '.join(f'{loss:+.1f}' for loss in losses)}) at {statistics.median(rates):.0f} calls/s"
    )
    bench.tell("loss of a real run with the app watching it", words, f"< {LOSS_PERCENT:.0f} %", lost < LOSS_PERCENT)


def real_run(bench: Bench, config: Path, name: str, watched: bool) -> float:
    """Calls per second of a run between its warm-up and its end."""
    path = bench.folder / "beside" / "runs" / name
    arguments = ["-m", "tui_eval", "--workspace", str(bench.folder / "beside"), "--run", str(config), "--out", str(path)]
    process = subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_until((path / LOG).exists, 20)
        with contextlib.ExitStack() as stack:
            if watched:
                stack.enter_context(Terminal(["--workspace", bench.folder / "beside", path], SIZES[1]))
            if process.wait(90) != 0:
                raise children.ChildError(f"{name}: the run ended with exit code {process.returncode}")
    finally:
        process.kill()
        process.wait()
    return steady_rate(path / LOG)


def steady_rate(log: Path) -> float:
    """Attempts that ended after the first seconds, in which everything starts, by the time they took."""
    with log.open("rb") as stream:
        ends = [datetime.fromisoformat(json.loads(line)["ended_at"]).timestamp() for line in stream]
    began, ended = min(ends) + WARM_S, max(ends) - 0.3
    return sum(began <= end <= ended for end in ends) / (ended - began)


# setting up


def form(bench: Bench) -> None:
    """A digit typed into the form of a run over 10,000 questions: until the counter says what it means."""
    path = bench.folder / "form"
    path.mkdir()
    questions = [
        {
            "id": f"q{n}",
            "question": f"What does station {n} read at dawn?",
            "choices": ["much", "little", "nothing", "all"],
            "answer": "A",
        }
        for n in range(QUESTIONS)
    ]
    (path / "exam.json").write_text(json.dumps(questions))
    models = "".join(f'[[models]]\nname = "{name}"\nwire = "simulator"\nmodel = "sim-{name}"\n' for name in MODELS)
    named = ", ".join(f'"{name}"' for name in MODELS)
    (path / "exam.toml").write_text(f'kind = "choice"\n{models}[choice]\nbenchmark = "exam.json"\nmodels = [{named}]\n')
    for size in SIZES:
        found = sorted(followed(path, size, bench.keys))
        median, late = percentile(found, 50), percentile(found, 99)
        words = f"{median:.0f} ms p50, {late:.0f} p99, {found[-1]:.0f} at most, of {len(found)}"
        bench.tell(f"key to counter, {QUESTIONS:,} questions, {shown(size)}", words, f"p99 < {KEY_MS:.0f} ms", late < KEY_MS)


def followed(workspace: Path, size: tuple[int, int], count: int) -> Iterator[float]:
    """Milliseconds from a digit typed into permutations until the calls it means stand on the screen, again and again."""
    every = QUESTIONS * len(MODELS)
    with Terminal(["--workspace", workspace], size) as terminal:
        terminal.wait_for("No runs")
        for keys, seen in (
            ("s", "start from"),
            ("/", "words"),
            ("exam.toml", "a config of this workspace"),
            ("\r", ""),
            ("\r", "New run"),
        ):
            terminal.send(keys)
            terminal.wait_for(seen)
            terminal.wait_for_quiet(QUIET_S / 2)
        terminal.wait_for(f"{every:,} calls")
        for _ in range(40):
            terminal.send(ARROW_DOWN)
            terminal.wait_for_quiet(QUIET_S / 10)
            if "choice.permutations" in terminal.text:
                break
        terminal.send("\r")
        terminal.wait_for("permutations ›")
        for digit in itertools.islice(itertools.cycle("2345"), count):
            terminal.send(CLEAR)
            terminal.wait_for_quiet(QUIET_S / 10)
            sent, words = terminal.send(digit), f"{every * int(digit):,} calls"
            yield (arrived(terminal, words) - sent) * 1000
        terminal.send("\x11")
        terminal.wait_for("Quit without it?")
        leave(terminal)


def arrived(terminal: Terminal, words: str) -> float:
    """The moment at which these words stood on the screen, be they written in one piece or as what changes of others."""
    while True:
        drawn = terminal.drawn
        terminal.wait_for_bytes(drawn)
        end = terminal.draw_until(lambda screen: words in "\n".join(screen.display))
        if end is not None:
            return terminal.chunks_since(end - 1)[0][0]
        if terminal.drawn == drawn:
            raise AssertionError(f"waited in vain for {words!r}; on the screen stands\n{terminal.text}")


def wait_until(condition: Callable[[], bool], timeout_s: float) -> None:
    """Wait for something on disk."""
    until = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > until:
            raise children.ChildError("waited in vain")
        time.sleep(0.05)


PARTS = {
    "paint": paint,
    "keys": app_keys.keys,
    "kinds": app_kinds.kinds,
    "bytes": bytes_written,
    "screens": app_screens.screens,
    "form": form,
    "big": big,
    "beside": beside,
}


def table(figures: Sequence[Figure]) -> str:
    """Everything measured, with its aim."""
    rows = [(f.what, f.aim or "-", f.measured, {True: "yes", False: "NO", None: "-"}[f.met]) for f in figures]
    return "\n".join(["| what | aim | measured | met |", "|---|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)])


def _parts(text: str) -> list[str]:
    chosen = text.split(",")
    if not set(chosen) <= set(PARTS):
        raise argparse.ArgumentTypeError(f"there are {', '.join(PARTS)}")
    return chosen


def _size(text: str) -> tuple[int, int]:
    columns, _, rows = text.partition("x")
    return int(columns), int(rows)


def main() -> int:
    """Measure what was chosen and print it; progress goes to stderr. A part that breaks off counts as missed."""
    parser = argparse.ArgumentParser(description="How fast the full-screen app is, measured through a pseudo-terminal.")
    parser.add_argument("--only", type=_parts, default=list(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--attempts", type=int, default=1_000_000, help="in the big log; 3 kB each (default 1000000)")
    parser.add_argument("--keys", type=int, default=300, help="pressed on each screen (default 300)")
    parser.add_argument(
        "--walk", action="append", default=[], help="of keys and kinds only the walk of this name; more than once"
    )
    parser.add_argument("--size", action="append", type=_size, default=[], help="of terminals only this one, such as 80x24")
    options = parser.parse_args()
    sys.setswitchinterval(0.0005)  # the thread that says when bytes came is not to wait for the emulator
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(128 + signal.SIGTERM))
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as folder:
        sizes = tuple(options.size) or KEY_SIZES
        bench = Bench(Path(folder), options.attempts, options.keys, frozenset(options.walk), sizes)
        for name in options.only:
            try:
                PARTS[name](bench)
            except (AssertionError, children.ChildError, OSError) as error:
                bench.tell(name, f"broke off: {str(error)[:1500]}", met=False)
    print(f"Load: {load:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} cores.\n\n{table(bench.figures)}")
    if bench.presses:
        print(f"\n{app_keys.keys_table(bench.presses)}")
    return 1 if any(figure.met is False for figure in bench.figures) else 0


if __name__ == "__main__":
    sys.exit(main())
