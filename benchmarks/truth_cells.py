"""Parts of the sections of `truth.py`: how much is drawn, simulated rates beside their bounds, tables of Markdown."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from tui_eval.statistics.estimates import wilson

Task = TypeVar("Task")
Done = TypeVar("Done")

SURE = 0.99
"""A cell is beyond its bound only where all of this interval of its rate is."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is drawn, from which seed, by how many processes."""

    seed: int
    short: bool
    workers: int = 1

    def sizes(self, whole: Sequence[int], short: Sequence[int]) -> Sequence[int]:
        """Numbers of units to go through."""
        return short if self.short else whole

    def draws(self, n: int) -> int:
        """Runs of n units: 10,000, of 200 units and more 2,000; 300 and 40 in short."""
        few, many = (40, 300) if self.short else (2_000, 10_000)
        return few if n >= 200 else many

    def random(self, *words: object) -> np.random.Generator:
        """Numbers that depend on the seed and the words alone, so that cells may be drawn in any order."""
        return np.random.default_rng([self.seed, zlib.crc32(repr(words).encode())])

    def each(self, work: Callable[[Plan, Task], Done], tasks: Sequence[Task]) -> list[Done]:
        """What the work makes of each task, the largest begun first, in the order given."""
        if self.workers < 2:
            return [work(self, task) for task in tasks]
        with ProcessPoolExecutor(self.workers) as pool:
            begun = [pool.submit(work, self, task) for task in reversed(tasks)]
            return [one.result() for one in reversed(begun)]


@dataclass(frozen=True, slots=True)
class Cell:
    """How often something held in so many draws, and between which rates it must lie."""

    held: float
    draws: int
    least: float = 0.0
    most: float = 1.0

    @property
    def rate(self) -> float:
        """The share of the draws; 0 of none."""
        return self.held / self.draws if self.draws else 0.0

    @property
    def beyond(self) -> bool:
        """Whether the 99 % interval of the rate lies wholly beyond a bound."""
        low, high = wilson(self.held, self.draws, SURE) or (0.0, 1.0)
        return high < self.least or low > self.most

    def __str__(self) -> str:
        text = f"{self.rate:.3f}".removeprefix("0")
        return f"**{text}**" if self.beyond else text


@dataclass(slots=True)
class Section:
    """A part of the page: lines of Markdown, and what is beyond a bound."""

    lines: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def check(self, name: str, cell: Cell) -> Cell:
        """The cell, written down where it is beyond its bound."""
        if cell.beyond:
            self.broken.append(f"{name}: {cell.rate:.3f} of {cell.draws:,}, to lie in {cell.least:g} to {cell.most:g}")
        return cell

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A table, the first column of words."""
        self.lines += ["", "| " + " | ".join(columns) + " |", "|---" + "|---:" * (len(columns) - 1) + "|"]
        self.lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
        self.lines.append("")
