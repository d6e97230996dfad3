"""No interval of width 0, of anything: each function of tui_eval.statistics that returns one, on data that never vary."""

from __future__ import annotations

import inspect
import pkgutil
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from itertools import product
from types import ModuleType
from typing import Any

import pytest

import tui_eval.statistics as package
from tui_eval.statistics.bounded_means import bounded_mean
from tui_eval.statistics.correlation import correlation_interval
from tui_eval.statistics.estimates import clustered_wilson, wilson
from tui_eval.statistics.judge_bias import length_correlation, partial_length_correlation, self_preference
from tui_eval.statistics.judge_certificate import rogan_gladen
from tui_eval.statistics.judge_correction import corrected_mean
from tui_eval.statistics.judge_ladder import judge_ladder
from tui_eval.statistics.judge_noise import judge_noise
from tui_eval.statistics.judge_outliers import beside_others
from tui_eval.statistics.latencies import latencies, percentile_bounds
from tui_eval.statistics.moved_judges import judge_attacks
from tui_eval.statistics.paired import clustered_mean, tango, unpaired
from tui_eval.statistics.pairwise_choices import bradley_terry_intervals, length_controlled, swapped_choices
from tui_eval.statistics.rater_agreement import kappa_interval, krippendorff_interval
from tui_eval.statistics.resampling import interval_of, percentile_interval, too_few
from tui_eval.statistics.score_differences import score_difference
from tui_eval.statistics.stratified_rates import StratumCount, stratified_rate

Value = float
MARKS = (1.0, 2.3, 5.0)
SIZES = range(2, 13)
DRAWS = 60
LEAST = 1e-6
"""A width that is no error of adding up."""
Made = Callable[[int, Value], Any]


def _share(mark: Value) -> Value:
    """A mark of 1 to 5 as one of 0 to 1."""
    return (mark - 1) / 4


def _unlike(n: int) -> list[float]:
    """Lengths, not all alike, that part nothing from anything."""
    return [(-1) ** place * (1.0 + place // 2) for place in range(n)]


CASES: Mapping[str, Sequence[Made]] = {
    "bounded_mean": [
        lambda n, mark: bounded_mean([mark] * n, 1, 5),
        lambda n, mark: bounded_mean([mark] * n, 1, 5, range(1, n + 1)),
    ],
    "wilson": [lambda n, mark: wilson(_share(mark) * n, n)],
    "clustered_wilson": [
        lambda n, mark: clustered_wilson([_share(mark)] * n, [1] * n),
        lambda n, mark: clustered_wilson([3 * _share(mark)] * n, [3] * n, 9 * n),
    ],
    "tango": [lambda n, mark: tango(_share(mark) * n, 0, n), lambda n, mark: tango(n / 2, n / 2, n)],
    "unpaired": [
        lambda n, mark: unpaired(*[(mark, *bounded_mean([mark] * n, 1, 5))] * 2),
    ],
    "score_difference": [
        lambda n, mark: score_difference([mark] * n, range(n), 5.0),
        lambda n, mark: score_difference([mark] * n, [place // 2 for place in range(n)], 5.0),
    ],
    "clustered_mean": [
        lambda n, mark: clustered_mean([mark] * n, range(n)),
        lambda n, mark: clustered_mean([mark] * n, range(n), 5.0),
        lambda n, mark: clustered_mean([mark] * n, [place // 2 for place in range(n)], 5.0),
    ],
    "latencies": [lambda n, mark: latencies([mark] * n), lambda n, mark: latencies([mark] * n, [mark] * n)],
    "percentile_bounds": [
        lambda n, mark: percentile_bounds([mark] * n, 0.5),
        lambda n, mark: percentile_bounds([mark] * n, 0.1),
    ],
    "judge_noise": [
        lambda n, mark: judge_noise([(mark, mark)] * n, draws=DRAWS),
        lambda n, mark: judge_noise([(mark, 4.0)] * n, draws=DRAWS),
    ],
    "judge_attacks": [
        lambda n, mark: judge_attacks([(mark, mark, mark)] * n),
        lambda n, mark: judge_attacks([(9, mark, mark)] * n),
    ],
    "corrected_mean": [
        lambda n, mark: corrected_mean(dict.fromkeys(range(n), mark), {0: [(0.0, 1.0)]}, {i: i for i in range(n)}, (1, 5)),
        lambda n, mark: corrected_mean(
            dict.fromkeys(range(n), mark), {i: [(1.0, 1.0)] for i in range(n)}, {i: i for i in range(n)}, (1, 5)
        ),
        lambda n, mark: corrected_mean(
            dict.fromkeys(range(n), mark), {i: [(0.0, 1.0)] for i in range(n)}, {i: i // 2 for i in range(n)}, (1, 5)
        ),
    ],
    "length_correlation": [
        lambda n, mark: length_correlation(range(n), [mark] * n, [9] * n, draws=DRAWS),
        lambda n, mark: length_correlation([*range(n)] * 2, [mark] * n + [4.0] * n, [9] * n + [5] * n, draws=DRAWS),
    ],
    "partial_length_correlation": [
        lambda n, mark: partial_length_correlation([mark] * 2 * n, [9] * 2 * n, [mark] * 2 * n, [*range(n)] * 2, DRAWS),
        lambda n, mark: partial_length_correlation(
            [mark, 4.0] * 6 * n, [9, 5] * 6 * n, [mark, 4.0, 3.0, 3.0] * 3 * n, [i // 12 for i in range(12 * n)], DRAWS
        ),
    ],
    "beside_others": [
        lambda n, mark: beside_others([[mark] * n, [mark] * n, [4.0] * n], range(n), DRAWS),
        lambda n, mark: beside_others([[mark, 4.0] * n, [4.0, mark] * n, [4.0, 3.0] * n], [*range(n)] * 2, DRAWS),
    ],
    "judge_ladder": [
        lambda n, mark: judge_ladder([[mark] * 5] * n),
        lambda n, mark: judge_ladder([[5, 4, 3, 2, 1]] * n, 5),
    ],
    "self_preference": [
        lambda n, mark: self_preference([[[mark, 3.0], [2.0, 2.0]]] * n, [[0], [1]]),
        lambda n, mark: self_preference([[[mark, 3.0], [2.0, 2.0]]] * n, [[0], [1]], scale=(1, 5)),
        lambda n, mark: self_preference([[[mark, mark], [mark, mark]]] * n, [[0], [1]]),
        lambda n, mark: self_preference([[[mark, mark], [mark, mark]]] * n, [[0], [1]], None, range(n), (1, 5)),
    ],
    "swapped_choices": [
        lambda n, mark: swapped_choices([("A", "A")] * n),
        lambda n, mark: swapped_choices([("tie", "tie")] * n, [place // 2 for place in range(n)]),
    ],
    "bradley_terry_intervals": [
        lambda n, mark: bradley_terry_intervals([[[0, mark], [1, 0]]] * n, DRAWS),
        lambda n, mark: bradley_terry_intervals([[[0, mark], [0, 0]]] * n, DRAWS),
    ],
    "length_controlled": [
        lambda n, mark: length_controlled([0.5] * n, _unlike(n)),
        lambda n, mark: length_controlled([0.5] * n, _unlike(n), [place // 2 for place in range(n)]),
        lambda n, mark: length_controlled([_share(mark)] * n, _unlike(n)),
    ],
    "kappa_interval": [
        lambda n, mark: kappa_interval([mark] * n, [mark] * n, MARKS, draws=DRAWS),
        lambda n, mark: kappa_interval([mark] * n, [1.0] * n, MARKS, draws=DRAWS),
    ],
    "krippendorff_interval": [
        lambda n, mark: krippendorff_interval([[mark] * n, [mark] * n], draws=DRAWS),
        lambda n, mark: krippendorff_interval([[mark] * n, [4.0] * n], draws=DRAWS),
    ],
    "percentile_interval": [
        lambda n, mark: percentile_interval([[mark]] * n, lambda drawn: sum(map(sum, drawn)) / len(drawn) / 3, draws=DRAWS),
    ],
    "interval_of": [
        lambda n, mark: interval_of([mark] * 99, n),
        lambda n, mark: interval_of([mark] * 4000 + [mark + 1] * n, 30),
    ],
    "correlation_interval": [
        lambda n, mark: correlation_interval(1.0, n),
        lambda n, mark: correlation_interval(-1.0, n),
        lambda n, mark: correlation_interval(_share(mark), n),
    ],
    "rogan_gladen": [
        lambda n, mark: rogan_gladen(_share(mark), n, 1.0, 20, 1.0, 20),
        lambda n, mark: rogan_gladen(_share(mark), n, 1.0, 20, 0.75, 49),
    ],
    "stratified_rate": [
        lambda n, mark: stratified_rate([StratumCount(400, n, 0), StratumCount(40, n, n)]),
        lambda n, mark: stratified_rate([StratumCount(400, n, 0), StratumCount(40, 0, 0)]),
    ],
    "too_few": [lambda n, mark: too_few(n, "marks")],
}  # fmt: skip
"""By function: what it makes of n data that are all alike."""


def modules() -> Iterator[ModuleType]:
    """Those of the package."""
    return (import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__))


def tells_an_interval(hint: Any) -> bool:
    """Whether a type has both ends of one: two numbers, or a record with low and high, or with such a record."""
    if is_dataclass(hint):
        names = {field.name for field in fields(hint)}
        inner = typing.get_type_hints(hint).values()
        return {"low", "high"} <= names or hasattr(hint, "interval") or any(tells_an_interval(one) for one in inner)
    args = typing.get_args(hint)
    ends = typing.get_origin(hint) is tuple and args[:2] in ((float, float), (float | None, float | None))
    return ends or any(tells_an_interval(one) for one in args)


def functions() -> list[str]:
    """The public functions whose result has an interval."""
    return [
        name
        for module in modules()
        for name, found in vars(module).items()
        if inspect.isfunction(found) and found.__module__ == module.__name__ and not name.startswith("_")
        if tells_an_interval(typing.get_type_hints(found)["return"])
    ]


def ends_of(found: Any) -> Iterator[tuple[float | None, float | None]]:
    """Every interval in what a function returns."""
    if isinstance(found, tuple) and len(found) >= 2 and all(isinstance(end, float | int | None) for end in found[:2]):
        yield found[0], found[1]
    elif isinstance(found, list | tuple):
        for one in found:
            yield from ends_of(one)
    elif isinstance(found, dict):
        yield from ends_of(list(found.values()))
    elif is_dataclass(found):
        if callable(interval := getattr(found, "interval", None)):
            yield interval()
        if hasattr(found, "low"):
            yield found.low, getattr(found, "high", None)
        yield from ends_of([getattr(found, field.name) for field in fields(found) if is_dataclass(getattr(found, field.name))])
        yield from ends_of([one for field in fields(found) if isinstance(one := getattr(found, field.name), dict)])


def test_every_function_is_tried() -> None:
    """A new one has its data here, too."""
    assert set(functions()) == set(CASES)


@pytest.mark.parametrize(("name", "n"), [(name, n) for name in CASES for n in SIZES])
def test_data_that_never_vary_have_no_interval_of_width_0(name: str, n: int) -> None:
    """One with a width, or none."""
    for made, mark in product(CASES[name], MARKS):
        for low, high in ends_of(made(n, mark)):
            assert low is None or high is None or high - low > LEAST, (mark, low, high)


def test_width_0_would_be_found() -> None:
    """In a record, in a list of them, and in a pair of numbers."""
    assert all(list(ends_of(CASES[name][0](9, 2.3))) for name in CASES)
    assert next(ends_of(latencies([1.0, 2.0]))) != (None, None)
