"""From what scores are drawn: laws of single scores, and how many items units bring and how much alike these are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

UNITS = (4, 6, 8, 12, 20, 40, 100, 200, 505)
FEW_UNITS = (4, 8, 20, 200)


@dataclass(frozen=True, slots=True)
class Law:
    """What a score is drawn from."""

    name: str
    low: float
    high: float
    """The scale's ends; of lognormal scores the larger of this and the largest that was drawn."""
    values: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()
    sigma: float = 0.0
    """Of lognormal scores, whose median is 0.03."""
    bounded: bool = True
    """Whether a bound is asked of rules; no rule holds one for every law (Bahadur and Savage 1956)."""

    def draw(self, random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """So many independent scores."""
        if self.sigma:
            return random.lognormal(MEDIAN, self.sigma, shape)
        return random.choice(np.array(self.values), shape, p=np.array(self.shares))

    @property
    def mean(self) -> float:
        """What the scores are on average."""
        if self.sigma:
            return float(np.exp(MEDIAN + self.sigma**2 / 2))
        return float(np.dot(self.values, self.shares))

    def top(self, drawn: Floats) -> Floats:
        """The scale's high end for each draw (a row), as a product's metric knows it."""
        return np.maximum(self.high, drawn.max(axis=1)) if self.sigma else np.full(len(drawn), self.high)


MEDIAN = float(np.log(0.03))
LAWS = (
    Law("1 to 5, spread", 1, 5, (1, 2, 3, 4, 5), (0.1, 0.2, 0.3, 0.3, 0.1)),
    Law("5 in 95 %, else 4", 1, 5, (5, 4), (0.95, 0.05)),
    Law("5 in 98 %, else 4", 1, 5, (5, 4), (0.98, 0.02)),
    Law("5 in 95 %, else 1", 1, 5, (5, 1), (0.95, 0.05)),
    Law("5 in 98 %, else 1", 1, 5, (5, 1), (0.98, 0.02)),
    Law("1 in 95 %, else .5", 0, 1, (1, 0.5), (0.95, 0.05)),
    Law("error rate, sigma .7", 0, 1, sigma=0.7),
    Law("error rate, sigma 1", 0, 1, sigma=1.0),
    Law("error rate, sigma 1.5", 0, 1, sigma=1.5, bounded=False),
)
SKEWED = Law("differences -4 in 10 %, else +.44", -4, 4, (-4, 4 / 9), (0.1, 0.9), bounded=False)
"""Drawn as differences of mean 0."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """How many items each unit brings, and how much alike they are (intraclass correlation)."""

    name: str
    shape: str = "single"
    alike: float = 0.0

    def sizes(self, units: int) -> npt.NDArray[np.int64]:
        """Items by unit: one, five, or by Zipf's law, the largest as many as there are units, at least 10."""
        if self.shape == "zipf":
            return np.maximum(1, np.round(max(units, 10) / np.arange(1, units + 1))).astype(np.int64)
        return np.full(units, 1 if self.shape == "single" else 5)


CLUSTERS = (
    Clusters("single"),
    Clusters("5 each", "equal", 0.3),
    Clusters("Zipf", "zipf", 0.3),
    Clusters("Zipf, all alike", "zipf", 1.0),
)


@dataclass(frozen=True, slots=True)
class Design:
    """A law, clusters, and so many units."""

    law: Law
    clusters: Clusters
    units: int


def draw_items(design: Design, random: np.random.Generator, draws: int, paired: bool = False) -> list[Floats]:
    """By unit, its items of each draw (draws x items); where paired the differences of two sides of one law.

    An item is its unit's common score with the root of how much alike they are, else one of its own: so the correlation of two
    items is as asked, and each is drawn from the law.
    """
    law, found = design.law, []

    def scores(shape: tuple[int, int]) -> Floats:
        first = law.draw(random, shape)
        return first - law.draw(random, shape) if paired and law is not SKEWED else first

    for size in design.clusters.sizes(design.units):
        if design.clusters.alike == 1:
            found.append(np.repeat(scores((draws, 1)), size, axis=1))
            continue
        items = scores((draws, int(size)))
        if design.clusters.alike and size > 1:
            common = random.uniform(size=items.shape) < np.sqrt(design.clusters.alike)
            items = np.where(common, scores((draws, 1)), items)
        found.append(items)
    return found
