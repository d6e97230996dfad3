"""Models of one run or of several on the questions they have in common: which pairs, and what must be said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import one_line
from tui_eval.results.comparison import wording
from tui_eval.results.comparison.flips import Flip, flip_of
from tui_eval.results.comparison.pairs import (
    Left,
    Pair,
    Standing,
    clusterings_of,
    compared,
    corrected,
    differing_keys,
    estimate,
    pair_of,
    ranked,
)
from tui_eval.results.comparison.run_differences import differing
from tui_eval.results.comparison.sides import Asked, Run, Side, read_runs, sides_of
from tui_eval.results.sums.differences import difference_of_counts
from tui_eval.results.sums.means import Estimate, mean_of
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG, all_alike, is_binary, scale_of


class Bits(NamedTuple):
    """Of one side, a bit for every question of its run."""

    asked: int
    scored: int
    right: int


def bits_of(sides: Sequence[Side]) -> dict[Side, Bits]:
    """The sides that can be counted: right or wrong alone, no means of several answers, no questions that share a document."""
    runs = {side.run: {key: place for place, key in enumerate(side.run.questions)} for side in sides if _apart(side.run)}
    return {
        side: Bits(*(_bits(keys, runs[side.run]) for keys in (side.items, side.scores, _right(side))))
        for side in sides
        if side.run in runs and not side.several and is_binary(side.metric) and {0, 1}.issuperset(side.scores.values())
    }


def _apart(run: Run) -> bool:
    """Whether each of its questions is evidence of its own."""
    return all(isinstance(way, range) for way in clusterings_of(run, list(run.questions)))


def _right(side: Side) -> list[bytes]:
    return [key for key, value in side.scores.items() if value]


def _bits(keys: Collection[bytes], places: Mapping[bytes, int]) -> int:
    found = bytearray(b"0" * len(places))
    for key in keys:
        found[-1 - places[key]] = ord("1")
    return int(found or b"0", 2)


def counted(one: Standing, other: Standing, bits: Mapping[Side, Bits]) -> Pair:
    """What `pairs.compared` says of two sides, by counting where that can be done."""
    a, b = bits.get(one.side), bits.get(other.side)
    if a is None or b is None or one.side.run is not other.side.run:
        return compared(one, other)
    common, both = a.scored & b.scored, a.asked & b.asked
    n = common.bit_count()
    if n < 2:
        return compared(one, other)
    found = difference_of_counts(n, (a.right & ~b.right & common).bit_count(), (b.right & ~a.right & common).bit_count())
    left = Left(
        only_a=(a.asked & ~both).bit_count(),
        only_b=(b.asked & ~both).bit_count(),
        changed=0,
        missing_a=(both & ~a.scored).bit_count(),
        missing_b=(both & ~b.scored).bit_count(),
    )
    score_a, score_b = (_share((side.right & common).bit_count(), n) for side in (a, b))
    return pair_of(one, other, score_a, score_b, found, left)


@lru_cache(maxsize=4096)
def _share(right: int, n: int) -> Estimate:
    return mean_of([1.0] * right + [0.0] * (n - right), [range(n)], RIGHT_OR_WRONG)


__all__ = ["Comparison", "Estimate", "Flip", "Pair", "Run", "Side", "Standing", "compare", "compare_runs", "sides_of"]


@dataclass(slots=True, repr=False)
class Comparison:
    """What a comparison found."""

    runs: list[Run]
    standings: list[Standing]
    pairs: list[Pair]
    notes: list[str] = field(default_factory=list)
    """What a reader must know before the numbers."""
    metrics: list[Metric] = field(init=False)
    """What its sides were scored by, each scale apart."""
    marked: bool = field(init=False)
    """Whether there are marks among them, beside or in place of what is right or wrong."""
    named: bool = field(init=False)
    """Whether it must be said of a figure what it measures: not where all are rates of what is right."""

    def __post_init__(self) -> None:
        """Known once, for a screen asks it of every row."""
        self.metrics = list(dict.fromkeys(standing.metric for standing in self.standings))
        self.marked = not all(map(is_binary, self.metrics))
        self.named = self.marked or any(metric.name not in ("", "correct") for metric in self.metrics)

    @property
    def simulated(self) -> bool:
        """Whether a run of it was made up by the simulator, wholly or in part."""
        return any(run.simulated for run in self.runs)

    @property
    def stages(self) -> list[str]:
        """The stages of its sides."""
        return list(dict.fromkeys(standing.side.stage for standing in self.standings))

    def by(self, metric: Metric) -> Comparison:
        """The same by one of its metrics alone, which need not be said of each figure; p stays corrected for all pairs."""
        standings = [standing for standing in self.standings if standing.metric == metric]
        found = Comparison(self.runs, standings, [pair for pair in self.pairs if pair.metric == metric], self.notes)
        found.named = False
        return found

    def flips(self, pair: Pair, wanted: Asked = lambda: True) -> list[Flip]:
        """The questions on which a pair differs, those on which a does better first; read from the run folders."""
        return [flip_of(pair.a.side, pair.b.side, key) for key in differing_keys(pair) if wanted()]


def compare_runs(
    paths: Sequence[Path], models: Sequence[str] = (), wanted: Asked = lambda: True, metric: str = ""
) -> Comparison:
    """Read the runs and compare them. FolderError for what is no run; ConfigError where there is nothing to compare."""
    runs = read_runs(list(paths), wanted)
    return compare([side for run in runs for side in run.sides], models, runs, metric)


def compare(sides: Sequence[Side], models: Sequence[str] = (), runs: Sequence[Run] = (), metric: str = "") -> Comparison:
    """Compare sides: those of one run with each other, else every model with itself in the other runs.

    Where the runs share no model, all of one stage with each other. `models`: only these; `metric`: only scores of this one,
    and p is corrected for their pairs alone. ConfigError where no pair is left, with what there is instead.
    """
    whole = list(runs) or list(dict.fromkeys(side.run for side in sides))
    sides = _scored_by(sides, metric)
    chosen = _by_metric(_chosen(sides, models))
    pairs = _pairs(chosen)
    if not pairs:
        raise ConfigError(_nothing(whole, sides, models))
    unranked = [Standing(side, label, estimate(side, list(side.scores))) for side, label in _labels(chosen, whole)]
    standing_of = {id(standing.side): standing for standing in unranked}
    bits = bits_of(chosen)
    found = corrected([counted(standing_of[id(a)], standing_of[id(b)], bits) for a, b in pairs])
    standings, found = ranked(unranked, found)
    return Comparison(whole, standings, found, _notes(whole, standings, found))


def _scored_by(sides: Sequence[Side], metric: str) -> Sequence[Side]:
    """Those of a metric, all where none is named."""
    found = [side for side in sides if metric in ("", side.measure)]
    if sides and not found:
        known = ", ".join(dict.fromkeys(one_line(side.measure, 40) for side in sides))
        raise ConfigError(f"--metric {one_line(repr(metric), 60)}: the runs have no such scores; they have {known}")
    return found


def _chosen(sides: Sequence[Side], models: Sequence[str]) -> list[Side]:
    known = {side.model for side in sides}
    unknown = [name for name in models if name not in known]
    if unknown:
        raise ConfigError(
            f"no scores of {', '.join(map(repr, unknown))}; the runs have scores of {', '.join(sorted(map(one_line, known)))}"
            if known
            else "the runs have no scores"
        )
    return [side for side in sides if not models or side.model in models]


def _by_metric(sides: Sequence[Side]) -> list[Side]:
    """Those of one metric under one another."""
    order = {metric: place for place, metric in enumerate(dict.fromkeys(side.metric for side in sides))}
    return sorted(sides, key=lambda side: order[side.metric])


def _pairs(sides: Sequence[Side]) -> list[tuple[Side, Side]]:
    """Within one run all of one stage and metric; over several the same model; where none is in two of them, all of those."""
    every = [(a, b) for a, b in combinations(sides, 2) if (a.stage, a.metric) == (b.stage, b.metric)]
    if len({id(side.run) for side in sides}) == 1:
        return every
    across = [(a, b) for a, b in every if a.run is not b.run]
    return [(a, b) for a, b in across if a.model == b.model] or across


def _nothing(runs: Sequence[Run], sides: Sequence[Side], models: Sequence[str]) -> str:
    """Why there is nothing to compare, and what to do."""
    if not sides:
        what = "the run has" if len(runs) == 1 else "the runs have"
        return (
            f"{what} no scores yet, so there is nothing to compare: a panel needs truths ([panel.benchmark]), and a run that"
            " was interrupted is finished by tui-eval resume"
        )
    if len(runs) == 1:
        only = f"{sorted({side.model for side in sides})[0]!r} alone" if len(sides) == 1 else "one model in each stage"
        return f"the run has scores of {only if not models else 'one of these models'}: give a second run, or more models"
    return "no stage has scores in two of the runs: runs of one kind can be compared with each other"


def _labels(sides: Sequence[Side], runs: Sequence[Run]) -> list[tuple[Side, str]]:
    """A short name for each side within its stage and metric: the model, and its run's number where there are several."""
    number = {id(run): place for place, run in enumerate(runs, 1)}
    found = []
    for side in sides:
        at = f" @{number[id(side.run)]}" if len(runs) > 1 else ""
        found.append((side, one_line(side.model, 60) + at))
    return found


def _notes(runs: Sequence[Run], standings: Sequence[Standing], pairs: Sequence[Pair]) -> list[str]:
    """What makes the sides differ besides the models, and what the figures do not rest on."""
    sides = [standing.side for standing in standings]
    notes = [*filter(None, [wording.simulated(standings)]), *_of_runs(runs), *_of_scales(sides), *_of_like_marks(sides)]
    notes += _of_failed(standings)
    if len({frozenset(side.versions) for side in sides}) > 1:
        rules = sorted({one_line(version, 40) or "-" for side in sides for version in side.versions})
        notes.append(f"Answers were scored by different rules ({', '.join(rules)}): a difference may be the rule's.")
    if any(side.repeated for side in sides):
        notes.append("Several answers to one question are one mean: n counts questions.")
    if any(pair.changed for pair in pairs):
        many = max(pair.changed for pair in pairs)
        notes.append(f"Not compared: up to {wording.questions(many)} with another truth or other options in the other run.")
    if _asked_otherwise(sides):
        notes.append("Not every side was asked the same questions: ranks rest on different ones, pairs on common ones.")
    return notes


def _asked_otherwise(sides: Sequence[Side]) -> bool:
    """Whether sides that are ranked together, those of one stage and metric, were asked different questions."""
    asked: dict[tuple[str, Metric], set[frozenset[bytes]]] = {}
    for side in sides:
        asked.setdefault((side.stage, side.metric), set()).add(frozenset(side.items))
    return any(len(sets) > 1 for sets in asked.values())


def _of_failed(standings: Sequence[Standing]) -> list[str]:
    """Answers without a score behind means of other repeats: of questions without any, every pair tells by itself."""
    several = len({standing.metric for standing in standings}) > 1
    found = [standing for standing in standings if standing.side.unscored > standing.missing]
    told = [f"{_of_metric(standing, several)}: {wording.unscored(standing)}" for standing in found]
    return [f"{wording.listed(told)}: a question's mean rests on its other answers."] if told else []


def _of_metric(standing: Standing, several: bool) -> str:
    return f"{standing.label} ({one_line(standing.metric.name, 30)})" if several else standing.label


def _of_scales(sides: Sequence[Side]) -> list[str]:
    """Marks of one name on several scales, and scores that lie on none."""
    notes = []
    scales: dict[str, list[Metric]] = {}
    for side in sides:
        if side.metric not in scales.setdefault(side.measure, []):
            scales[side.measure].append(side.metric)
    for name, metrics in scales.items():
        if len(metrics) > 1:
            told = [f"{scale_of(metric)}, {metric.better} is better" for metric in metrics]
            notes.append(f"{one_line(name, 40)} lies on several scales ({'; '.join(told)}): these are not compared.")
    beyond = [side for side in sides if not all(map(side.metric.holds, side.scores.values()))]
    if beyond:
        told = list(dict.fromkeys(f"{one_line(s.measure, 40) or 'scores'}: {scale_of(s.metric)}" for s in beyond))
        notes.append(f"Scores lie beyond their scale ({', '.join(told)}): trust no figure of them.")
    return notes


def _of_like_marks(sides: Sequence[Side]) -> list[str]:
    """Metrics by which nearly every question of every side has the same mark."""
    found = []
    for metric in dict.fromkeys(side.metric for side in sides):
        marks = [mark for side in sides if side.metric == metric for mark in side.scores.values()]
        found.append(all_alike(metric, Counter(marks), "questions' marks"))
    return list(filter(None, found))


def _of_runs(runs: Sequence[Run]) -> list[str]:
    """What is to be said of the runs themselves."""
    notes = []
    for number, run in enumerate(runs, 1):
        name = f"Run {number}" if len(runs) > 1 else "The run"
        if run.state != "done" or run.unfinished:
            left = f"; {run.unfinished:,} of {run.items:,} items are not finished" if run.unfinished else ""
            notes.append(f"{name} is {run.state}{left}: what is answered so far is compared.")
        if run.damaged:
            notes.append(f"{name}: {run.damaged:,} lines of results.jsonl are no items and were left out.")
    if not all(run.texts for run in runs):
        notes.append("A run does not note what was asked: its questions are told by their place, not by their text.")
    if len({tuple(sorted(run.prompts.items())) for run in runs}) > 1:
        notes.append("The runs had different prompts: a difference may be the prompt's.")
    settings = differing([run.path for run in runs])
    notes += [settings] if settings else []
    if _other_order(runs):
        notes.append("The runs showed the options in different orders.")
    return notes + _other_models(runs)


def _other_order(runs: Sequence[Run]) -> bool:
    """Whether a question of the same options was shown otherwise in another run."""
    first = runs[0].questions
    found = ((first[key], question) for run in runs[1:] for key, question in run.questions.items() if key in first)
    return any(one.content == other.content and one.shown != other.shown for one, other in found)


def _other_models(runs: Sequence[Run]) -> list[str]:
    """Names that mean another model in another run."""
    found: dict[str, dict[str, int]] = {}
    for number, run in enumerate(runs, 1):
        for name, model in run.model_ids.items():
            found.setdefault(name, {}).setdefault(model, number)
    return [
        f"{name} is {' and '.join(f'{model} in run {number}' for model, number in models.items())}."
        for name, models in found.items()
        if len(models) > 1
    ]
