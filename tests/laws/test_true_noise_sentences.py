"""Every sentence on repeats true: of each in the table draws with a planted truth, through the functions that print it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
import truth_noise
from soaking import SOAK
from truth_gates import MARK, RIGHT, Cell
from truth_noise import Models, gated

from tui_eval.configuring.gate_checks import GateSettings
from tui_eval.core.results import Table
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.noise_table import NOISE_FLOOR, NoiseTable
from tui_eval.reporting.noise import RunNoise, floors_of
from tui_eval.results.sums.gate_noise import GateForm, gate_noise
from tui_eval.results.sums.noise_sentences import NOISE_SENTENCES, NoiseSentence
from tui_eval.statistics.estimates import wilson

SEED = 20261127
QUICK, LONG = 60, 1_000
SIZES = (4, 8, 20, 60)


def drawn_run(
    design: Models, random: Random, answers: int = 1, gate: dict[str, Any] | None = None, times: int = 1, judged: bool = False
) -> RunNoise:
    """A run with repeats, and what is found out of it.

    `answers`: how often the run itself asks; `gate`: its table of gates; `times`: as often the items the run has; `judged`:
    whether its judges alone were asked again.
    """
    _, board = design.run(random)
    settings = None if gate is None else GateSettings.model_validate(gate)
    text = "" if settings is None else settings.thresholds.get(design.metric.name, "")
    form = GateForm() if settings is None else GateForm(bool(settings.against), settings.against_rule, settings.at_most_worse)
    tests = settings is None or bool(settings.against or settings.measured)
    found = gate_noise(board, gated(board, text), form, times * design.n, "seed", 20) if tests else None
    floors, path = list(floors_of(board, board, answers)), Path("exam")
    sizes = design.n, times * design.n, answers
    return RunNoise(path, path, board, floors, *sizes, judged, False, settings, form, found, "seed")


def designs(random: Random) -> Models:
    """Runs of every size, down to four questions."""
    return Models(
        random.choice(SIZES), random.choice((0.0, 0.05, 0.2, 0.4)), random.choice((RIGHT, MARK)), random.choice((1, 3))
    )


def table_of(found: RunNoise, judged: Collection[str] = ()) -> Table:
    """The table of the same in a run's report."""
    tables = NoiseTable(Task(config=None, asked={}), judged, lambda: found.board).tables()
    return tables[NOISE_FLOOR]


def pattern(name: NoiseSentence) -> re.Pattern[str]:
    """A sentence as it is printed, whatever its fields hold."""
    return re.compile("[^\n]+?".join(map(re.escape, re.split(r"\{\w+\}", NOISE_SENTENCES[name]))))


def exactly(holds: Callable[[RunNoise, str], bool], **how: Any) -> Callable[[int], Cell]:
    """In every run, of any size."""

    def trial(draws: int) -> Cell:
        random = Random(SEED)
        runs = [drawn_run(designs(random), random, **how) for _ in range(min(draws, 24))]
        return Cell("exact", "", sum(holds(found, found.text()) for found in runs), len(runs), 1.0, 1.0)

    return trial


def several(trial: Callable[..., Cell], *cases: Sequence[object], part: int = 1) -> Callable[[int], Cell]:
    """The worst of several designs, each drawn so often; `part`: a part of that, of trials that take long."""

    def tried(draws: int) -> Cell:
        found = [trial(*case, max(draws // part, 6), Random(f"{SEED} {case}")) for case in cases]
        return next((cell for cell in found if not cell.holds), found[0])

    return tried


def no_drift(found: RunNoise, text: str) -> bool:
    """Always there: on the page, in the file, and in the table."""
    said = NOISE_SENTENCES["no_drift"]
    return said in text and said in found.entry()["notes"] and said[1:] in table_of(found).note


def once(found: RunNoise, text: str) -> bool:
    """Said of a run that asks three times."""
    return NOISE_SENTENCES["builds_once"].format(item="question") in text


def strict(found: RunNoise, text: str) -> bool:
    """Said of the strict form, of which no drop is named."""
    return NOISE_SENTENCES["strict"] in text and "4 times in 5" not in text


def some(found: RunNoise, text: str) -> bool:
    """Said where some were asked again; the gate is tried on as many as the run has."""
    few = found.gate is not None and found.gate.items == found.of == 3 * found.items
    return few and f"{found.items:,} questions of {found.of:,} were asked again" in text


def of_both(found: RunNoise, text: str) -> bool:
    """Said in the table where a metric is judged, and only there."""
    said = NOISE_SENTENCES["of_both"][1:]
    return said in table_of(found, found.board.metrics).note and said not in table_of(found).note


def saying(name: NoiseSentence) -> Callable[[RunNoise, str], bool]:
    """Said on the page, and in the file where it is a note."""
    return lambda found, text: NOISE_SENTENCES[name] in text


TRIALS: dict[NoiseSentence, Callable[[int], Cell]] = {
    "no_drift": exactly(no_drift),
    "floor": several(
        truth_noise.covered,
        *((Models(n, 0.2, metric), 1) for n in (20, 40, 100) for metric in (RIGHT, MARK)),
        (Models(100, 0.1, RIGHT), 1),
    ),
    "oftener": several(truth_noise.covered, (Models(40, 0.2, MARK), 3), (Models(100, 0.2), 2)),
    "floor_below": several(truth_noise.below, *((Models(n, churn),) for n in (4, 8, 20) for churn in (0.02, 0.1))),
    "red": several(truth_noise.red_by_chance, (Models(4),), (Models(12, models=2),), (Models(12, 0.2, MARK),), part=10),
    "red_at": several(
        truth_noise.red_at_a_threshold, (Models(4), ">= 75 %"), (Models(16), ">= 75 %"), (Models(16), ">= 70 %"), part=10
    ),
    "catches": several(
        truth_noise.caught, (Models(60), 5), (Models(100, 0.1, models=3), 5), (Models(60, 0.2, MARK), 5), part=2
    ),
    "catches_none": several(truth_noise.none_caught, (Models(4, models=3),), (Models(4),), (Models(10, models=3),)),
    "strict": exactly(strict, gate={"against": "exam", "against_rule": "shown_not_worse", "at_most_worse": 0.1}),
    "builds_once": exactly(once, answers=3),
    "some": exactly(some, times=3),
    "judges_alone": exactly(saying("judges_alone"), judged=True),
    "no_gate": exactly(saying("no_gate"), gate={"max_cost_usd": 1.0}),
    "of_both": exactly(of_both),
    "upper_bound": several(truth_noise.shuffled, (4,), (40,)),
}
"""What is drawn for each sentence."""


def test_every_sentence_has_a_trial() -> None:
    """None is printed that nobody has tried."""
    assert TRIALS.keys() == NOISE_SENTENCES.keys()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=SOAK) if name.startswith("red") else name for name in sorted(TRIALS)]
)
def test_sentence_is_true(name: NoiseSentence) -> None:
    """The short form."""
    found = TRIALS[name](QUICK)
    assert found.holds, found


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(TRIALS))
def test_sentence_is_true_in_the_long_run(name: NoiseSentence) -> None:
    """The same with many draws."""
    found = TRIALS[name](LONG)
    assert found.holds, found


DESCRIBES = (
    r"gate \((?:none is configured; the default against, with this run as baseline|as configured)\): ",
    r"note: ",
    r"",
)
"""What may stand before a sentence: words that say which gate it is of."""


@pytest.mark.parametrize("gate", [None, {"against": "x"}, {"correct": ">= 60 %", "mark": ">= 3"}])
def test_nothing_is_printed_that_the_table_does_not_have(gate: dict[str, Any] | None) -> None:
    """Every line beside the figures is a sentence of the table; and each sentence is printed by some run."""
    random, seen = Random(SEED), set[str]()
    for _ in range(30):
        found = drawn_run(designs(random), random, gate=gate)
        text = found.text()
        lines = [line for line in text.split("\n") if line and "---" not in line]
        figures = {line for line in lines if re.match(r"(?:model +metric|m\d +)", line)}
        for line in lines:
            fits = [n for n in NOISE_SENTENCES for d in DESCRIBES if re.fullmatch(d + pattern(n).pattern, line)]
            assert fits or line in figures, line
            seen.update(fits)
    assert {"no_drift", "floor", "red" if gate is None or "against" in gate else "red_at"} <= seen


def test_a_floor_is_a_figure_only_where_enough_changed() -> None:
    """Of four questions an upper end alone is said, above 0 even where nothing changed; of sixty with changes the figure."""
    random = Random(SEED)
    for churn in (0.0, 0.2):
        found = drawn_run(Models(4, churn), random)
        assert "below" in found.text() and found.floors[0].entry()["floor"] is None and found.floors[0].ends[2] > 0
    found = drawn_run(Models(60, 0.3), random)
    assert "below" not in found.text()
    assert (wilson(found.gate.red, found.gate.draws) if found.gate else None) == (found.gate.interval if found.gate else 1)
