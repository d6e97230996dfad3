"""Section `items` of `truth.py`: wrong keys planted in an exam and looked for, and how often intervals of item-rest
correlations hold the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from truth_cells import Cell, Plan, Section
from truth_designs import Floats

from tui_eval.results.sums.item_analysis import ItemAnalysis, ModelAnswers, item_analysis
from tui_eval.statistics.correlation import correlation_interval, pearson

OPTIONS = 4
LEAST_FOUND, MOST_FALSE = 0.85, 0.2
"""At least two of three wrong keys are found in so many draws; so many right ones are flagged a draw, at most."""
LEAST_COVERAGE = 0.92
"""Of intervals of item-rest correlations."""
FLAGS_COUNTED = 4
"""Most flags of right keys that a draw counts towards the bound, so that their mean is one of a bounded number."""


@dataclass(frozen=True, slots=True)
class Exam:
    """A planted exam: two-parameter items of a mean accuracy of .75, some with an attractive wrong option, some keys moved."""

    models: int = 24
    questions: int = 200
    attractive: float = 0.3
    """Share of the questions whose wrong answers nearly all fall on one option."""
    moved: int = 3
    """Questions whose key names a wrong option."""
    tricks: float = 0.0
    """Share of the questions with a right key for which the better models fall more often."""

    @property
    def name(self) -> str:
        """The design in words."""
        return f"{self.models} models, {self.questions} questions" + f", {self.tricks:.0%} tricks" * (self.tricks > 0)


@dataclass(frozen=True, slots=True)
class DrawnExam:
    """Options that models chose, the key as it is told, and where it is wrong."""

    chosen: npt.NDArray[np.int_]
    key: npt.NDArray[np.int_]
    moved: frozenset[int]

    def answers(self) -> list[ModelAnswers]:
        """What each model made of it."""
        return [
            ModelAnswers(
                f"m{model}",
                f"m{model}",
                {place: float(option == key) for place, (option, key) in enumerate(zip(own, self.key.tolist(), strict=True))},
                dict(enumerate(own)),
            )
            for model, own in enumerate(self.chosen.tolist())
        ]

    @property
    def keys(self) -> dict[int, int]:
        """The key by question."""
        return dict(enumerate(self.key.tolist()))

    def analysis(self) -> ItemAnalysis:
        """That of the product."""
        found = item_analysis(self.answers(), self.keys)
        assert found is not None
        return found


def drawn_exam(exam: Exam, random: np.random.Generator) -> DrawnExam:
    """Draw abilities, questions and answers."""
    able, hard = random.normal(0, 1, exam.models), random.normal(0, 1, exam.questions)
    steep = random.lognormal(0, 0.3, exam.questions)
    right = random.uniform(size=(exam.models, exam.questions)) < _chances(able, hard, steep)
    key = random.integers(0, OPTIONS, exam.questions)
    tempting = (key + 1 + random.integers(0, OPTIONS - 1, exam.questions)) % OPTIONS
    attractive = random.uniform(size=exam.questions) < exam.attractive
    steps = 1 + random.integers(0, OPTIONS - 1, right.shape)
    falls = attractive & (random.uniform(size=right.shape) < 0.7)
    wrong = np.where(falls, tempting, (key + steps) % OPTIONS)
    chosen = np.where(right, key, wrong)
    for place in random.permutation(exam.questions)[: int(exam.tricks * exam.questions)]:
        fallen = random.uniform(size=exam.models) < 0.3 + 0.5 / (1 + np.exp(-able))
        chosen[:, place] = np.where(fallen, tempting[place], key[place])
    moved = random.permutation(exam.questions)[: exam.moved]
    told = key.copy()
    told[moved] = (key[moved] + 1 + random.integers(0, OPTIONS - 1, len(moved))) % OPTIONS
    return DrawnExam(chosen, told, frozenset(moved.tolist()))


def _chances(able: Floats, hard: Floats, steep: Floats, mean: float = 0.75) -> Floats:
    """Chances of being right, moved so that their mean is as planted."""
    shift, chances = 0.0, np.zeros((len(able), len(hard)))
    for _ in range(30):
        chances = 1 / (1 + np.exp(-steep * (able[:, None] - hard + shift)))
        shift += (mean - chances.mean()) * 3
    return chances


@dataclass(frozen=True, slots=True)
class Flags:
    """What was flagged in so many draws of an exam."""

    draws: int
    two_of_three: int
    """Draws in which at least two moved keys were."""
    moved: int
    false: tuple[int, ...]
    """Right keys that were, by draw."""

    @property
    def false_a_draw(self) -> float:
        """On average."""
        return sum(self.false) / self.draws


def flagged(exam: Exam, random: np.random.Generator, draws: int) -> Flags:
    """Draw exams and look for wrong keys."""
    two = moved = 0
    false = []
    for _ in range(draws):
        drawn = drawn_exam(exam, random)
        doubted = {item.place for item in drawn.analysis().doubted}
        two += len(doubted & drawn.moved) >= 2
        moved += len(doubted & drawn.moved)
        false.append(len(doubted - drawn.moved))
    return Flags(draws, two, moved, tuple(false))


def coverage(models: int, random: np.random.Generator, draws: int, items: int = 60) -> Cell:
    """How often the interval of an item-rest correlation, if it has one, holds that of the law that models are drawn from."""
    hard, steep = random.normal(-1, 1, items), random.lognormal(0, 0.4, items)

    def answers(n: int) -> Floats:
        chances = 1 / (1 + np.exp(-steep * (random.normal(0, 1, n)[:, None] - hard)))
        return (random.uniform(size=chances.shape) < chances).astype(float)

    many = answers(40_000)
    rest = many.sum(axis=1)[:, None] - many
    truth = [float(np.corrcoef(many[:, place], rest[:, place])[0, 1]) for place in range(items)]
    held = 0
    for _ in range(draws):
        some = answers(models)
        for place in range(items):
            others = some.sum(axis=1) - some[:, place]
            found = pearson(some[:, place].tolist(), others.tolist())
            ends = None if found is None else correlation_interval(found, models)
            held += ends is None or ends[0] <= truth[place] <= ends[1]
    return Cell(held / items, draws, LEAST_COVERAGE)  # items of one draw share its models: a draw is one trial


EXAMS: Sequence[Exam] = (
    Exam(),
    Exam(moved=0),
    Exam(models=32, moved=0),
    Exam(models=16, moved=0),
    Exam(models=12),
    Exam(models=12, moved=0),
    Exam(models=8),
    Exam(models=8, moved=0),
    Exam(tricks=0.02),
)


def section(plan: Plan) -> Section:
    """Draw exams and item-rest correlations."""
    found = Section(["## Items"])
    draws = 40 if plan.short else 1_000
    rows = []
    for exam, flags in zip(EXAMS, plan.each(_exam_flags, [(exam, draws) for exam in EXAMS]), strict=True):
        bounded = exam == EXAMS[0]
        two = Cell(flags.two_of_three, draws, LEAST_FOUND if bounded else 0.0)
        few = Cell(sum(min(n, FLAGS_COUNTED) for n in flags.false), draws * FLAGS_COUNTED, 0.0, MOST_FALSE / FLAGS_COUNTED)
        found.check(f"{exam.name}: two of three wrong keys", two)
        if bounded:
            found.check(f"{exam.name}: right keys flagged", few)
        one_in = f"{draws * exam.questions / sum(flags.false):,.0f}" if sum(flags.false) else "-"
        rows.append((exam.name, exam.moved, two if exam.moved else "-", f"{flags.false_a_draw:.2f}", one_in))
    found.lines.append(
        f"\nWrong keys among questions, {draws:,} draws; bounds for the first row: .85, and .2 flags of right keys."
    )
    found.table(("exam", "keys moved", "2 of 3 found", "right keys flagged, a draw", "one in"), rows)
    models = plan.sizes((5, 8, 12, 24, 72), (8, 24))
    cells = plan.each(_coverage, [(n, 12 if plan.short else 300) for n in models])
    found.lines.append(
        "\nIntervals of item-rest correlations, 60 items: share that hold the truth, from 8 models on at least .92."
    )
    for n, cell in zip(models, cells, strict=True):
        if n >= 8:
            found.check(f"item-rest correlation, {n} models", cell)
    found.table(("models", "coverage"), zip(models, cells, strict=True))
    return found


def _exam_flags(plan: Plan, task: tuple[Exam, int]) -> Flags:
    exam, draws = task
    return flagged(exam, plan.random("items", exam.name, exam.moved), draws)


def _coverage(plan: Plan, task: tuple[int, int]) -> Cell:
    models, draws = task
    return coverage(models, plan.random("item-rest", models), draws)
