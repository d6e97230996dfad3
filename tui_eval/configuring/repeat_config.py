"""A run asked once more as it is: the config of its further repeat, of all items or of some that are drawn."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.loading import Loaded, cap_problems, complete
from tui_eval.configuring.taken_answers import FirstRepeats
from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import NO_DOCUMENT, Sample
from tui_eval.providers import WIRES
from tui_eval.results.comparison import sides
from tui_eval.results.sums.board import Board
from tui_eval.runs.folder import MANIFEST
from tui_eval.runs.reader import RunReader
from tui_eval.statistics.estimates import shuffled
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

ENOUGH = 50
"""Answers of each model that are asked again at least, or all where there are fewer."""
BEHIND = "-aa"
"""What the name of the run ends with that asks another one again; it lies beside that one."""


@dataclass(frozen=True, slots=True)
class Again:
    """Part of a run that is to be asked once more."""

    loaded: Loaded
    """The config of the new run: its earlier repeats are taken from the run, the last one is asked."""
    new: Loaded
    """The same with what is asked anew alone: its plan is what the run's caps are held against."""
    items: int
    """Items that are drawn."""
    of: int
    """Items of the run."""


def folder_of(run: Path) -> Path:
    """Return the folder in which a run is asked again: beside it."""
    there = Path(os.path.abspath(run))
    return there.with_name(f"{there.name}{BEHIND}")


def uid_of(run: Path) -> str:
    """Return the uid that tells a run from every other of the same name."""
    return str(RunReader(run).table(MANIFEST).get("uid") or "")


def asked_of(folder: Path) -> str | None:
    """The uid of the run that a folder asks again; None where it is no such run."""
    entry = RunReader(folder).table(MANIFEST).get("taken")
    return str(entry.get("uid")) if isinstance(entry, dict) and entry.get("aa") is True else None


def check_askable(run: Path, evaluation: Evaluation) -> None:
    """ConfigError where nobody can be asked again, or there is nothing that could be held against anything."""
    kind = evaluation.kind
    if all(WIRES[spec.wire].recorded for spec in evaluation.models.values()):
        raise ConfigError(f"{run}: its answers were imported: nobody can be asked again; import a table with repeats")
    if kind.further is not None:
        raise ConfigError(f"{run}: {kind.name} makes a set of questions: asked again it makes another set")
    if not kind.metrics:
        raise ConfigError(f"{run}: a {kind.name} run has no scores that could differ")


def asked_again(
    run: Path, loaded: Loaded, workspace: Workspace, share: float = 0.0, keys_file: Path | None = None, sends: bool = True
) -> Again:
    """The config that asks a run again. `loaded`: the run's own; `share`: of its items, where that is more than are needed.

    ConfigError for what a person has to mend, EgressError where something would leave that nobody has allowed.
    """
    evaluation = loaded.evaluation
    check_askable(run, evaluation)
    there = sides.read_run(run)
    there.board.units = evaluation.kind.units
    samples = samples_by_item(evaluation, there.board)
    places = drawn_items(there.board, sorted(samples), uid_of(run), share)
    if not places:
        raise ConfigError(f"{run}: has no scores yet; finish it first: tui-eval resume {run}")
    drawn_samples = [*chain.from_iterable(samples[place] for place in places)]
    every = len(drawn_samples) == sum(map(len, evaluation.queues.values()))
    only, first = loaded.run.only if every else names_of(drawn_samples, evaluation), evaluation.repeat
    file = without_gate(loaded.file)
    both = [complete(file, workspace, (), only, repeat, keys_file, sends) for repeat in (first + 1, 1)]
    first_repeats = FirstRepeats(run, uid_of(run), first)
    return Again(replace(both[0], answers=first_repeats), both[1], len(places), len(there.board.items))


def check_room(again: Again) -> None:
    """ConfigError where the run's caps, applied to what is asked anew, have no room for it; with the share that has."""
    problems = cap_problems(again.new, "by asking for less, or in a run of another cap")
    if problems:
        raise ConfigError(f"{problems[0]}{_share_words(again)}")


def _share_words(again: Again) -> str:
    """Say how many of the items the cap on calls has room for, where fewer than are needed; else empty."""
    cap, calls = again.new.run.max_calls, again.new.plan["total_calls"]
    if cap is None or calls <= cap:
        return ""
    room, item = again.items * cap // calls, again.new.evaluation.kind.units.item
    return f"; the cap has room for about {room:,} of these {again.items:,} {item}s"


def without_gate(file: TomlFile) -> TomlFile:
    """The config of a further repeat: no cache, which would answer as before, and no gate."""
    content = {name: value for name, value in file.content.items() if name != "gate"}
    run = content.get("run", {})
    return replace(file, content={**content, "run": {**(run if isinstance(run, dict) else {}), "cache": False}})


def samples_by_item(evaluation: Evaluation, board: Board) -> dict[int, list[Sample]]:
    """By number of an item of the board: what asks about it. Samples that find out about judges are of none."""
    numbers = {(unit.item, unit.clusters): place for place, unit in enumerate(board.items.units)}
    by_item: dict[int, list[Sample]] = {}
    for sample in chain.from_iterable(evaluation.queues.values()):
        if sample.checks_judge:
            continue
        unit = evaluation.kind.units.unit(evaluation.task, sample)
        place = numbers.get((unit.item, unit.clusters))
        if place is not None:
            by_item.setdefault(place, []).append(sample)
    return by_item


def drawn_items(board: Board, places: Sequence[int], seed: str, share: float) -> list[int]:
    """Items by lot, until each side has answers enough among them, and they are such a share of all.

    The lot depends on the seed alone: a larger share has what a smaller one has, and more.
    """
    needed = math.ceil(share * len(places) - 1e-9)
    remaining = {side: min(ENOUGH, sum(series.asked)) for side, series in board.series.items()}
    drawn_places: list[int] = []
    for number in shuffled(len(places), "aa", seed):
        if len(drawn_places) >= needed and max(remaining.values(), default=0) <= 0:
            break
        place = places[number]
        drawn_places.append(place)
        for side, series in board.series.items():
            remaining[side] -= series.asked[place] if place < len(series.asked) else 0
    return sorted(drawn_places)


def names_of(samples: Sequence[Sample], evaluation: Evaluation) -> list[str]:
    """Names for `run.only` that mean just these samples: what they are about, where all about it is among them."""
    sample_ids = {sample.id for sample in samples}
    about = _named_by(evaluation, {sample.doc_id for sample in samples} - {NO_DOCUMENT})
    whole = {name for name, ids in about.items() if ids <= sample_ids}
    return list(dict.fromkeys(sample.doc_id if sample.doc_id in whole else sample.id for sample in samples))


def _named_by(evaluation: Evaluation, names: Collection[str]) -> Mapping[str, set[str]]:
    """By name the ids of the samples that it means: that of a document or question, or of a sample itself."""
    ids_by_name: dict[str, set[str]] = {}
    for sample in chain.from_iterable(evaluation.queues.values()):
        for name in {sample.id, sample.doc_id} & set(names):
            ids_by_name.setdefault(name, set()).add(sample.id)
    return ids_by_name
