"""Scores of each model of a run, item by item: read from the run's folder alone, of any age, live or finished."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tui_eval.core.errors import FolderError
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import one_line
from tui_eval.core.units import Units, units_of
from tui_eval.results.read_report import table_of, whole
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.stored_scores import StoredScores, TextKeys, text_keys
from tui_eval.results.sums import board as sums
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.metrics import is_binary
from tui_eval.results.sums.ranks import Rank
from tui_eval.results.sums.series import Series
from tui_eval.runs.buckets import Bucket, Buckets
from tui_eval.runs.entry import look, state_of
from tui_eval.runs.folder import LOG, MANIFEST, RESULTS
from tui_eval.runs.reader import RunReader

Asked = Callable[[], bool]
LOOK_EVERY = 40
"""Lines between two looks at whether anybody still wants to know; whoever is asked may let others have their turn."""


@dataclass(slots=True, eq=False, repr=False)
class Run:
    """A run folder as it was read."""

    path: Path
    run_id: str
    name: str
    kind: str
    state: str
    simulated: bool
    """Whether the simulator answered for a model of it."""
    prompts: Mapping[str, str]
    """Hashes of the prompts by file."""
    board: sums.Board
    stated: bool
    """Whether its lines state what their items are; those of older runs do not."""
    places: list[str] = field(default_factory=list)
    """By item, what its first sample is called, whichever model was asked."""
    texts: list[TextKeys] = field(default_factory=list)
    """By item."""
    noted: bool = True
    """Whether the run notes what was asked."""
    planned: int = 0
    """Samples planned, as far as the run says; those of which it has lines, where they are more."""
    unfinished: int = 0
    """Those that are not finished, with lines or without."""
    damaged: int = 0
    """Lines of results.jsonl that are no samples."""
    sides: dict[sums.Side, RunSide] = field(default_factory=dict)
    model_ids: dict[str, str] = field(default_factory=dict)
    asked: bool = False
    """Whether its log has a call that was not simulated."""
    made_up: frozenset[str] = frozenset()
    """Models of which the simulator answered a call, judges among them."""
    variant_of: dict[str, str] = field(default_factory=dict)
    """By a sample's id the variant that it asks, as far as its lines say."""
    not_by_variant: dict[tuple[str, str], Bucket] = field(default_factory=dict)
    """All calls of the models, by stage, whose calls cannot all be distinguished by variant: their sides have none."""


@dataclass(slots=True, eq=False, repr=False)
class RunSide:
    """One model in one stage of one run, by one metric and one variant of what was asked."""

    run: Run
    key: sums.Side
    lines: dict[int, list[int]] = field(default_factory=dict)
    """By item where its lines begin in results.jsonl."""
    versions: set[str] = field(default_factory=set)
    calls: Bucket | None = None
    """What its own calls cost and how long they took; None where the log does not say, or not of which variant they are."""
    simulated: bool = False
    """Whether the simulator answered for it; where its calls are not in the log, what is said of the run."""

    @property
    def series(self) -> Series:
        """Its scores."""
        return self.run.board.series[self.key]

    @property
    def metric(self) -> Metric:
        """Metric that it was scored by."""
        return self.run.board.metric(self.key)

    @property
    def name(self) -> str:
        """Its model, with the variant where the run has several."""
        return one_line(self.run.board.named(self.key), 60)


@dataclass(frozen=True, slots=True)
class Standing:
    """One side over all its own items, and its place among those of its stage."""

    side: RunSide
    label: str
    score: Estimate
    rank: Rank | None = None
    """The best and the worst rank that the significant pairs leave open; None where not every two were tested."""

    @property
    def missing(self) -> int:
        """Items it was asked that have no score."""
        series = self.side.series
        return sum(is_asked and not scored for is_asked, scored in zip(series.asked, series.scored, strict=True))

    @property
    def metric(self) -> Metric:
        """Metric that it was scored by; its threshold only where it is right or wrong, for no comparison rests on another."""
        metric = self.side.metric
        return replace(metric, name=self.side.key.metric, threshold=metric.threshold if is_binary(metric) else None)

    @property
    def units(self) -> Units:
        """Units that its numbers are about."""
        return self.side.run.board.units


def read_run(path: Path, wanted: Asked = lambda: True, results: Path | None = None) -> Run:
    """Read a run folder. `results`: the lines to read in place of its own, as a re-score made them.

    FolderError where it is no run folder. It stops early, with what it has, when nobody wants it any more.
    """
    reader = RunReader(path)
    run = _about(path, reader)
    stored = StoredRun(results or path / RESULTS)
    lines = 0
    for number, line in enumerate(stored.scores()):
        if number % LOOK_EVERY == 0 and not wanted():
            return run
        lines += 1
        run.unfinished += not line.finished
        _take(run, line)
    run.damaged = stored.damaged
    run.planned = max(run.planned, lines)
    run.unfinished += run.planned - lines
    _add_calls(run, reader, wanted)
    return run


def read_runs(paths: list[Path], is_wanted: Asked = lambda: True) -> list[Run]:
    """Several runs. FolderError where a folder is no run, or the same run is named twice."""
    if len({os.path.realpath(path) for path in paths}) < len(paths):
        raise FolderError("the same run is named twice; a run compared with itself shows nothing")
    return [read_run(path, is_wanted) for path in paths]


def _about(path: Path, reader: RunReader) -> Run:
    manifest, progress, alive = look(path)
    hashes = table_of(manifest.get("inputs_sha256"))
    units = reader.table("report.json").get("units") or reader.table(MANIFEST).get("units")
    return Run(
        path=path,
        run_id=one_line(path.name),
        name=one_line(str(manifest.get("name") or "")),
        kind=one_line(str(manifest.get("kind") or ""), 40),
        state=one_line(state_of(path, progress, alive), 40),
        simulated=(progress.get("simulated") or manifest.get("simulated")) is True,
        prompts={name: str(hashes[name]) for name in sorted(hashes) if name.startswith("inputs/prompts/")},
        board=sums.Board.empty(units_of(units), ()),
        stated=isinstance(units, dict),
        planned=max(whole(progress.get("items")) or 0, 0),
    )


def _take(run: Run, line: StoredScores) -> None:
    """Add a sample's scores to the board, and note where it stands."""
    board = run.board
    for name, metric in line.metrics.items():
        board.metrics.setdefault(name, metric)
    place = board.add(line.unit, line.groups, line.repeat, line.scores)
    run.variant_of[line.item_id] = line.unit.variant
    if place == len(run.places):
        run.places.append(line.item_id.removeprefix(f"{line.lane}/"))
        run.texts.append(text_keys(line))
        run.noted &= bool(line.question)
    for score in line.scores:
        key = sums.Side(score.stage, score.model, score.name, line.unit.variant)
        side = run.sides.get(key)
        if side is None:
            side = run.sides[key] = RunSide(run, key)
        side.versions.add(score.version)
        offsets = side.lines.setdefault(place, [])
        if line.offset not in offsets[-1:]:
            offsets.append(line.offset)


def _add_calls(run: Run, reader: RunReader, is_wanted: Asked) -> None:
    """Cost, latency and tokens from the heads of the log, and for which sides the simulator answered."""
    buckets, made_up = Buckets(), set[tuple[str, str]]()
    by_variant: dict[tuple[str, str], dict[str | None, Bucket]] | None = {} if _has_variants(run) else None
    for number, (_, head) in enumerate(_heads(reader)):
        if number % LOOK_EVERY == 0 and not is_wanted():
            return
        buckets.add(head)
        key = (head["stage"], head["model"])
        if by_variant is not None:
            by_variant.setdefault(key, {}).setdefault(run.variant_of.get(head["item_id"]), Bucket()).add(head)
        if head["simulated"]:
            made_up.add(key)
        run.asked |= not head["simulated"]
    run.simulated |= buckets.simulated
    run.made_up = frozenset(buckets.simulated_models)
    run.model_ids = {one_line(name): one_line(model) for name, model in buckets.model_ids.items()}
    for side_key, side in run.sides.items():
        key = (side_key.stage, side_key.model)
        whole = buckets.leaves.get(key)
        if by_variant is None or whole is None:
            side.calls = whole
        elif None in by_variant[key]:  # of samples without a line: they may be of any variant
            run.not_by_variant[key] = whole
        else:
            side.calls = by_variant[key].get(side_key.variant, Bucket())
        side.simulated = key in made_up if whole is not None else run.simulated


def _has_variants(run: Run) -> bool:
    """Return whether a model is asked in several variants, as its config or its lines say."""
    return len({*run.board.units.variants, *run.variant_of.values()}) > 1


def _heads(reader: RunReader) -> Iterator[tuple[int, Mapping[str, Any]]]:
    path = reader.path / LOG
    return reader.heads() if path.is_file() and not path.is_symlink() else iter(())


def common_items(a: Run, b: Run) -> tuple[dict[int, int], int]:
    """By a's number of an item what b calls the same one; and how many have the same words, but other options or truth.

    Runs that state their items are matched by these, others by their words, those that note no words by their places.
    """
    if a is b:
        return {place: place for place in range(len(a.places))}, 0
    if a.stated and b.stated:
        theirs = b.board.items.numbered()
        common = {place: theirs[key] for key, place in a.board.items.numbered().items() if key in theirs}
    elif a.noted and b.noted:
        place_of_text = {text[1:]: place for place, text in enumerate(b.texts)}
        common = {n: place_of_text[text[1:]] for n, text in enumerate(a.texts) if text[1:] in place_of_text}
    else:
        place_of_name = {name: place for place, name in enumerate(b.places)}
        return {n: place_of_name[name] for n, name in enumerate(a.places) if name in place_of_name}, 0
    unmatched = {b.texts[place].words for place in set(range(len(b.texts))) - set(common.values())}
    return common, sum(text.words in unmatched for n, text in enumerate(a.texts) if n not in common)
