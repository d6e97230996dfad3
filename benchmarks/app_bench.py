"""What measuring the app from outside rests on: a workspace, the app on a pretend terminal, keys and what they bring."""

from __future__ import annotations

import contextlib
import itertools
import random
import shutil
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import children

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from terminal import Terminal

SIZES = ((80, 24), (120, 40))
LONGEST_S = 180.0
"""How long a run that is needed may take."""
KEY_MS, SILENT_S, BURST_GAP_S = 50.0, 1.0, 0.012
DOWN, UP, HALF_DOWN, HALF_UP, TAB, BACK_TAB, ENTER, CLEAR = "j", "k", "\x04", "\x15", "\t", "\x1b[Z", "\r", "\x7f"


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured."""

    what: str
    aim: str
    measured: str
    met: bool | None = None
    """None: told without an aim."""


@dataclass(slots=True)
class Bench:
    """A temporary workspace, how thorough to be, and what was found."""

    folder: Path
    attempts: int
    keys: int
    figures: list[Figure] = field(default_factory=list)

    def tell(self, what: str, measured: str, aim: str = "", met: bool | None = None) -> None:
        """Keep a figure, and say so."""
        self.figures.append(Figure(what, aim, measured, met))
        print(f"{what}: {measured}", file=sys.stderr, flush=True)

    @property
    def workspace(self) -> Path:
        """A workspace with a finished run that has reports, and room for one that grows."""
        return self.folder / "work"

    def finished_run(self, example: str = "quickstart", *more: str) -> Path:
        """A real finished run of an example's simulated models, made once."""
        path = self.workspace / "runs" / f"20260101_120000_0001_{example}"
        if not path.exists():
            self.workspace.mkdir(exist_ok=True)
            arguments = ["-m", "tui_eval", "--workspace", str(self.workspace), "--run", example, "--out", str(path)]
            children.run([*arguments, *more], LONGEST_S, str(self.folder))
        return path

    def growing_run(self, name: str, example: str = "quickstart") -> Path:
        """A copy of it, to be appended to."""
        path = self.workspace / "runs" / name
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(self.finished_run(example), path)
        return path


def leave(terminal: Terminal) -> None:
    """Quit, whatever is on show."""
    terminal.send("\x11")
    terminal.end()


@dataclass(frozen=True, slots=True)
class Walk:
    """A screen, the keys that lead to it, and keys pressed there again and again."""

    name: str
    there: tuple[str, ...]
    keys: tuple[str, ...]
    switching: bool = False
    """Whether its keys go from one screen to another."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """One key, and milliseconds to the first byte it brought and to the last of that burst."""

    key: str
    first: float
    last: float
    waited: float = 0.0
    """Of these the milliseconds until the first byte in which the app had work, and no core was free for it."""


def pressed(terminal: Terminal, keys: Sequence[str], count: int) -> list[Pressed]:
    """So many keys, in turn, with pauses as of a quick typist."""
    chance, found = random.Random(count), []
    for key in itertools.islice(itertools.cycle(keys), count):
        time.sleep(chance.uniform(0.015, 0.045))
        found.append(press(terminal, key))
    return found


def press(terminal: Terminal, key: str) -> Pressed:
    """One key; what brings no byte at all counts as long."""
    mark, waited = terminal.mark, waiting_ms(terminal)
    began = terminal.send(key)
    first = terminal.wait_for_bytes(mark, SILENT_S)
    waited = waiting_ms(terminal) - waited
    if first is None:
        return Pressed(key, SILENT_S * 1000, SILENT_S * 1000)
    while terminal.wait_for_bytes(terminal.mark, BURST_GAP_S) is not None:
        if time.monotonic() - began > SILENT_S:
            break
    last = terminal.chunks_since(terminal.mark - 1)[0][0]
    return Pressed(key, (first - began) * 1000, (last - began) * 1000, waited)


def waiting_ms(terminal: Terminal) -> float:
    """How long the app's own thread has waited for a core so far, by the kernel's account; 0 where it keeps none."""
    try:
        return int(Path(f"/proc/{terminal.process.pid}/schedstat").read_text().split()[1]) / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0


def tell_keys(bench: Bench, where: str, found: Sequence[Pressed]) -> None:
    """Percentiles; keys that brought nothing are told and left out."""
    told = [one for one in found if one.first < SILENT_S * 1000]
    firsts, lasts = [one.first for one in told], [one.last for one in told]
    if not told:
        bench.tell(f"key to paint, {where}", "no key brought anything", f"p99 < {KEY_MS:.0f} ms", False)
        return
    high, slowest = percentile(firsts, 99), max(told, key=lambda one: one.first)
    words = f"p50 {percentile(firsts, 50):.1f}, p99 {high:.1f}, most {slowest.first:.1f} ms ({slowest.key!r}), n={len(told)}"
    alone = [max(one.first - one.waited, 0.0) for one in told]
    words += f"; without its wait for a core p99 {percentile(alone, 99):.1f}, most {max(alone):.1f} ms"
    words += f"; last byte p50 {percentile(lasts, 50):.1f}, p99 {percentile(lasts, 99):.1f} ms"
    words += f"; {len(found) - len(told)} silent" if len(told) < len(found) else ""
    bench.tell(f"key to paint, {where}", words, f"p99 < {KEY_MS:.0f} ms", high < KEY_MS)
    for key in sorted({one.key for one in told}):
        mine = [one.first for one in told if one.key == key]
        print(f"    {key!r}: median {statistics.median(mine):.1f}, most {max(mine):.1f} ms", file=sys.stderr)


def percentile(values: Sequence[float], percent: int) -> float:
    """The nearest value that so many per cent do not exceed."""
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


@contextlib.contextmanager
def attached(bench: Bench, path: Path, size: tuple[int, int]) -> Iterator[Terminal]:
    """The app opened on a run, once it has drawn it; ended afterwards."""
    with Terminal(["--workspace", bench.workspace, path], size) as terminal:
        terminal.wait_for("Help")
        time.sleep(1)
        yield terminal
        if terminal.process.poll() is not None:
            raise children.ChildError(f"the app died\n{terminal.left_behind[-2000:]}")
        leave(terminal)


def shown(size: tuple[int, int]) -> str:
    """A size as people write it."""
    return f"{size[0]}x{size[1]}"
