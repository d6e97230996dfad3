"""What measuring the app from outside rests on: a workspace, runs that grow or stand still, the app on a pretend terminal."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import big_log
import children
from key_effects import Press

from tui_eval.runs.folder import LOG

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from terminal import Terminal

SIZES = ((80, 24), (120, 40))
KEY_SIZES = (*SIZES, (200, 50))
STILL_ATTEMPTS = 5000
LONGEST_S = 180.0
"""How long a run that is needed may take."""
KEY_MS, SWITCH_MS = 50.0, 150.0
"""Until the effect of a key is on the screen, and of one that leads to another screen."""
DOWN, UP, HALF_DOWN, HALF_UP, TAB, BACK_TAB, ENTER, CLEAR = "j", "k", "\x04", "\x15", "\t", "\x1b[Z", "\r", "\x7f"
ESCAPE = "\x1b"


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
    walks: frozenset[str] = frozenset()
    """Names of the walks to take; empty = all."""
    sizes: tuple[tuple[int, int], ...] = KEY_SIZES
    """Of the terminals that keys are pressed on."""
    figures: list[Figure] = field(default_factory=list)
    presses: list[tuple[str, Press]] = field(default_factory=list)
    """Every key that was measured, and where."""

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

    def still_run(self, name: str, example: str = "quickstart") -> Path:
        """A copy of it with a longer log, to which nothing is appended any more."""
        path = self.growing_run(name, example)
        with (path / LOG).open("ab") as log:
            log.writelines(big_log.lines(0, STILL_ATTEMPTS))
        return path


def leave(terminal: Terminal) -> None:
    """Quit, whatever is on show."""
    terminal.send("\x11")
    terminal.end()


def percentile(values: Sequence[float], percent: int) -> float:
    """The nearest value that so many per cent do not exceed."""
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


@contextlib.contextmanager
def attached(
    bench: Bench, path: Path, size: tuple[int, int], environment: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """The app opened on a run, once it has drawn it; ended afterwards."""
    with Terminal(["--workspace", bench.workspace, path], size, environment) as terminal:
        terminal.wait_for("Help")
        time.sleep(1)
        yield terminal
        if terminal.process.poll() is not None:
            raise children.ChildError(f"the app died\n{terminal.left_behind[-2000:]}")
        leave(terminal)


def shown(size: tuple[int, int]) -> str:
    """A size as people write it."""
    return f"{size[0]}x{size[1]}"
