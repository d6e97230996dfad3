"""Are certificates true: corrected rates, corrected means with the judge's weight tuned, a judge in a person's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from truth_cells import Cell, Plan, Section

from tui_eval.core.kinds import Metric
from tui_eval.results.sums.human_agreement import Lot, RatedAnswer, annotator_test, checked
from tui_eval.results.sums.judge_certificates import Telling, telling_of
from tui_eval.results.sums.person_checks import CheckedAnswer, person_check
from tui_eval.statistics.estimates import clustered_wilson

COVERED, WON = 0.92, 0.05
"""How often an interval must hold the rate; how often a judge may win that is worse by epsilon."""
YES_NO, MARK = Metric("correct", threshold=1.0), Metric("relevance", 1, 5, threshold=3)
THETAS = (0.1, 0.5, 0.9, 0.98)
JUDGES = ((0.9, 0.9), (0.8, 0.7), (0.7, 0.6), (0.98, 0.95))
"""(specificity, sensitivity)."""
SIZES = ((60, 20), (200, 20), (60, 30), (1_000, 60))
"""Answers of the run, and labels of each truth."""


@dataclass(frozen=True, slots=True)
class Task:
    """What one cell draws."""

    sort: str
    values: tuple[float, ...]


def section(plan: Plan) -> Section:
    """The tables."""
    found = Section(["## Certificates: corrected rates, tuned means, judges in the place of persons", ""])
    found.lines.append(f"Coverage at least {COVERED}; a judge that is worse by epsilon wins in at most {WON}. Bold: beyond.")
    rates = [Task("rate", (theta, *judge, *size)) for size in SIZES for theta in THETAS for judge in JUDGES]
    drawn = [Task("drawn", (theta, talks, turns, active)) for talks, turns in ((4, 20), (12, 6), (40, 3))
             for theta in (0.5, 0.7) for active in (0, 1)]  # fmt: skip
    tuned = [Task("tuned", (talks,)) for talks in (8, 12, 20, 40)]
    alike = [Task("wins", (persons, n, turns)) for persons in (2, 3) for n, turns in ((50, 1), (100, 1), (60, 4), (120, 10))]
    tasks = [*rates, *drawn, *tuned, *alike]
    cells = dict(zip(tasks, plan.each(measure, tasks), strict=True))
    for task, cell in cells.items():
        found.check(f"certificates, {task.sort} {task.values}", cell)
    for n, labels in SIZES:
        lines = [[f"rate {theta}", *(cells[Task("rate", (theta, *judge, n, labels))] for judge in JUDGES)] for theta in THETAS]
        names = (f"{no:g} / {yes:g}" for no, yes in JUDGES)
        found.table([f"n {n}, {labels} labels of each; specificity / sensitivity", *names], lines)
    found.table(
        ["60 labels by the product's weights, a judge that varies by conversation", "uniform", "active"],
        [[f"rate {theta}, {talks} x {turns}", *(cells[Task("drawn", (theta, talks, turns, active))] for active in (0, 1))]
         for theta in (0.5, 0.7) for talks, turns in ((4, 20), (12, 6), (40, 3))],
    )  # fmt: skip
    found.table(["mean with the judge's weight tuned, 30 labels", *(f"{task.values[0]:g}" for task in tuned)],
                [["coverage", *(cells[task] for task in tuned)]])  # fmt: skip
    found.table(["judge worse by epsilon", "wins"], [
        [f"{persons} persons, {n} answers, {turns} a conversation", cells[Task("wins", (persons, n, turns))]]
        for persons, n, turns in (task.values for task in alike)
    ])  # fmt: skip
    return found


def measure(plan: Plan, task: Task) -> Cell:
    """Draws of one cell."""
    random = plan.random(task.sort, task.values)
    draws = 60 if plan.short else 2_000 if task.sort == "rate" else 1_000
    works: dict[str, Callable[..., float | None]] = {"rate": _rate, "drawn": _drawn, "tuned": _tuned, "wins": _wins}
    held = [works[task.sort](random, *task.values) for _ in range(draws)]
    known = [one for one in held if one is not None]
    if task.sort == "wins":
        return Cell(sum(known), len(known), most=WON)
    return Cell(sum(known), len(known), least=COVERED)


def _rate(random: np.random.Generator, theta: float, no: float, yes: float, n: float, m: float) -> float | None:
    """So many labels of each truth, and a run of other answers; None where there is no certificate."""
    right_yes, right_no = random.binomial(int(m), yes), random.binomial(int(m), no)
    rows = [CheckedAnswer(place, float(place < right_yes), 1.0) for place in range(int(m))]
    rows += [CheckedAnswer(int(m) + place, float(place >= right_no), 0.0) for place in range(int(m))]
    telling = telling_of(rows)
    if not isinstance(telling, Telling):
        return None
    rate = random.binomial(int(n), theta * yes + (1 - theta) * (1 - no)) / n
    found = telling.corrected(rate, n)
    return float(found.low <= theta <= found.high)


def _logit(value: float) -> float:
    return float(np.log(value / (1 - value)))


def _chance(value: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-value)))


def _mean_of(value: float, spread: float) -> float:
    """The mean of chances that lie about one by logits."""
    return float(_chance(_logit(value) + spread * np.linspace(-4, 4, 2_001)) @ _WEIGHTS)


_WEIGHTS = np.exp(-(np.linspace(-4, 4, 2_001) ** 2) / 2)
_WEIGHTS /= _WEIGHTS.sum()


def _drawn(random: np.random.Generator, theta: float, talks: float, turns: float, active: float) -> float | None:
    """A run whose answers share conversations, as do the judge's errors; labels in rounds, half of each draw by gain."""
    c, t = int(talks), int(turns)
    truth = random.random((c, t)) < _chance(_logit(theta) + random.normal(0, 0.5, c))[:, None]
    off = random.normal(0, 0.5, c)
    hits = _chance(_logit(0.9) + off)[:, None], _chance(_logit(0.85) + off)[:, None]
    judge = np.where(truth, random.random((c, t)) < hits[0], random.random((c, t)) >= hits[1])
    doubt = np.where(judge != truth, random.random((c, t)) < 0.6, random.random((c, t)) < 0.1) * active
    lots: dict[tuple[int, int], Lot] = {}
    while len(lots) < min(60, c * t):
        for talk in random.permutation(c):
            left = [turn for turn in range(t) if (talk, turn) not in lots]
            if not left or len(lots) >= 60:
                continue
            gain = doubt[talk, left]
            shares = 0.5 / len(left) + 0.5 * gain / gain.sum() if gain.sum() else np.full(len(left), 1 / len(left))
            place = int(random.choice(len(left), p=shares / shares.sum()))
            lots[int(talk), left[place]] = Lot(len(lots), float(shares[place]), len(left))
    rows = [
        RatedAnswer(talk, "m", {}, float(judge[talk, turn]), {"kim": float(truth[talk, turn])} if (talk, turn) in lots else {},
                    lots.get((talk, turn)))
        for talk in range(c) for turn in range(t)
    ]  # fmt: skip
    telling = telling_of(checked(rows, YES_NO))
    if not isinstance(telling, Telling):
        return None
    sums = judge.sum(axis=1).astype(float)
    effective = (clustered_wilson(list(sums), [t] * c) or (0.0, 1.0, float(c)))[2]
    found = telling.corrected(float(judge.mean()), effective)
    return float(found.low <= _mean_of(theta, 0.5) <= found.high)


def _tuned(random: np.random.Generator, talks: float) -> float | None:
    """Conversations of one or nine turns, the judge too lenient in long ones; the fair mean is 3."""
    c, rows = int(talks), []
    turns = random.choice((1, 9), c)
    order = random.permutation(c)
    wanted = np.zeros(c, int)
    while wanted.sum() < min(30, turns.sum()):
        for talk in order:
            if wanted[talk] < turns[talk] and wanted.sum() < 30:
                wanted[talk] += 1
    for talk in range(c):
        marks = np.clip(3 + random.uniform(-0.8, 0.8) + random.uniform(-1, 1, turns[talk]), 1, 5)
        judged = np.clip(marks + (turns[talk] > 1), 1, 5)
        shown = set(random.permutation(turns[talk])[: wanted[talk]].tolist())
        rows += [
            CheckedAnswer(talk, float(judged[turn]), float(marks[turn]) if turn in shown else None)
            for turn in range(turns[talk])
        ]
    found = person_check(rows, MARK).tuned
    return None if found is None or found.low is None or found.high is None else float(found.low <= 3 <= found.high)


def _wins(random: np.random.Generator, persons: float, n: float, turns: float) -> float:
    """Persons who err in one of ten; the judge errs so often that it is nearer to the others in one of ten less."""
    truth = random.random(int(n)) < 0.5
    rows = [truth != (random.random(int(n)) < 0.1) for _ in range(int(persons))]
    judge = truth != (random.random(int(n)) < 0.225)
    answers = [
        RatedAnswer(place // int(turns), "m", {"judge": float(judge[place])}, float(judge[place]),
                    {str(name): float(row[place]) for name, row in enumerate(rows)})
        for place in range(int(n))
    ]  # fmt: skip
    found = annotator_test(answers, YES_NO, "judge")
    assert found is not None
    return float(found.results[0].won)
