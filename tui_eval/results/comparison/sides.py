"""What each model came to in a run, question by question: read from the run's folder alone, of any age, live or finished."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from tui_eval.core.errors import FolderError
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import one_line
from tui_eval.results.comparison.read_lines import (
    QuestionMarks,
    Score,
    entry_of,
    is_regular,
    key_of,
    question_of,
    regular_lines,
    scores_of,
    text_of,
)
from tui_eval.results.read_report import whole
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG, is_binary, metrics_of
from tui_eval.runs.buckets import Bucket, Buckets
from tui_eval.runs.entry import look, state_of
from tui_eval.runs.folder import LOG, RESULTS
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
    questions: dict[bytes, QuestionMarks] = field(default_factory=dict)
    """By the mark of document and text, in runs too old to note the text of document and place."""
    sides: list[Side] = field(default_factory=list)
    texts: bool = True
    """Whether the run notes what was asked."""
    by_text: bool = True
    """Whether its questions are told by that."""
    items: int = 0
    """Those planned, as far as the run says; those of which it has lines, where they are more."""
    unfinished: int = 0
    """Those that are not finished, with lines or without."""
    damaged: int = 0
    """Lines of results.jsonl that are no items."""
    model_ids: dict[str, str] = field(default_factory=dict)
    asked: bool = False
    """Whether its log has a call that was not simulated."""
    metrics: dict[str, Metric] = field(default_factory=dict)
    """On which scales its marks lie, by their names; what is not named is right or wrong."""


@dataclass(slots=True, eq=False, repr=False)
class Side:
    """One model in one stage of one run: what its answers were worth. Repeats of a question are one mean."""

    run: Run
    stage: str
    model: str
    measure: str
    """What was scored, as its metric is called; "correct" where nothing else is said."""
    metric: Metric = RIGHT_OR_WRONG
    """On which scale its scores lie; its threshold only where it is right or wrong, for no comparison rests on another."""
    scores: dict[bytes, float] = field(default_factory=dict)
    """By question the mean of its scores; without the questions that have none."""
    items: dict[bytes, list[int]] = field(default_factory=dict)
    """By question where its lines begin in results.jsonl, of every question that was asked."""
    missing: Counter[str] = field(default_factory=Counter)
    """Why questions have no score."""
    answers: int = 0
    """Answers to all its questions, repeats counted one by one."""
    unscored: int = 0
    """How many of the answers have no score: such as calls that failed."""
    versions: set[str] = field(default_factory=set)
    several: dict[bytes, int] = field(default_factory=dict)
    """How many scores a question has, of the questions that have more than one."""
    calls: Bucket | None = None
    """What its calls cost and how long they took; None where the log does not say."""
    simulated: bool = False
    """Whether the simulator answered for it; where its calls are not in the log, what is said of the run."""

    @property
    def repeated(self) -> bool:
        """Whether a question has several scores."""
        return bool(self.several)

    def n_scores(self, keys: Collection[bytes]) -> int | None:
        """How many scores these questions, each of which has one, have together; None where none of its has several."""
        return sum(self.several.get(key, 1) for key in keys) if self.several else None


class _Line(NamedTuple):
    """What is kept of a line of results.jsonl."""

    key: bytes
    offset: int
    finished: bool
    scores: tuple[Score, ...]


def sides_of(path: Path) -> list[Side]:
    """Every model of every stage that has scores in a run. FolderError where the folder is no run."""
    return read_run(path).sides


def read_run(path: Path, by_text: bool = True, wanted: Asked = lambda: True, results: Path | None = None) -> Run:
    """Read a run folder. `by_text`: tell questions by their text; otherwise, as for runs that note none, by their place.

    `results`: the lines to read in place of its own, as a re-score made them. FolderError where it is no run folder. It stops
    early, with what it has, when nobody wants it any more.
    """
    reader = RunReader(path)
    run = _about(path)
    run.by_text = by_text
    known: dict[tuple[str, Any], _Line] = {}
    shared: dict[tuple[Score, ...], tuple[Score, ...]] = {}
    for number, (offset, line) in enumerate(regular_lines(results or path / RESULTS)):
        if number % LOOK_EVERY == 0 and not wanted():
            return run
        entry = entry_of(line)
        if entry is None:
            run.damaged += 1
            continue
        run.texts &= bool(text_of(entry, "question"))
        known[entry["item_id"], entry.get("repeat")] = _kept(run, entry, offset, shared)  # asked again: the last one counts
    _add_up(run, known)
    _add_calls(run, reader, wanted)
    return run


def read_runs(paths: list[Path], wanted: Asked = lambda: True) -> list[Run]:
    """Several runs; where one of them does not note what was asked, the questions of all are told by their place.

    FolderError where a folder is no run, or the same run is named twice.
    """
    if len({os.path.realpath(path) for path in paths}) < len(paths):
        raise FolderError("the same run is named twice; a run compared with itself shows nothing")
    runs = [read_run(path, wanted=wanted) for path in paths]
    if len(runs) > 1 and not all(run.texts for run in runs):
        runs = [read_run(path, by_text=False, wanted=wanted) for path in paths]
    return runs


def _about(path: Path) -> Run:
    manifest, progress, alive = look(path)
    inputs = manifest.get("inputs_sha256")
    hashes = inputs if isinstance(inputs, dict) else {}
    return Run(
        path=path,
        run_id=one_line(path.name),
        name=one_line(text_of(manifest, "name")),
        kind=one_line(text_of(manifest, "kind"), 40),
        state=one_line(state_of(path, progress, alive), 40),
        simulated=(progress.get("simulated") or manifest.get("simulated")) is True,
        prompts={name: text_of(hashes, name) for name in sorted(hashes) if name.startswith("inputs/prompts/")},
        items=max(whole(progress.get("items")) or 0, 0),
    )


def _kept(run: Run, entry: dict[str, Any], offset: int, shared: dict[tuple[Score, ...], tuple[Score, ...]]) -> _Line:
    """What is kept of a line; scores that say the same are kept once, or looks for garbage would hold up every key."""
    key = key_of(entry, run.by_text)
    if key not in run.questions:
        run.questions[key] = question_of(entry)
    for name, metric in metrics_of(entry).items():
        run.metrics.setdefault(name, metric)
    scores = scores_of(entry)
    return _Line(key, offset, entry.get("finished") is not False, shared.setdefault(scores, scores))


def _add_up(run: Run, known: Mapping[tuple[str, Any], _Line]) -> None:
    """One side for each model of each stage; of each question the mean of its scores."""
    sides: dict[tuple[str, str, str], Side] = {}
    values: dict[tuple[str, str, str], dict[bytes, list[Score]]] = {}
    run.items = max(run.items, len(known))
    run.unfinished = run.items - len(known)
    for line in known.values():
        run.unfinished += not line.finished
        for score in line.scores:
            name = (score.stage, score.model, score.measure)
            side = sides.get(name) or sides.setdefault(name, Side(run, *name, _metric(run, score.measure)))
            side.versions.add(score.version)
            offsets = side.items.setdefault(line.key, [])
            if line.offset not in offsets[-1:]:
                offsets.append(line.offset)
            values.setdefault(name, {}).setdefault(line.key, []).append(score)
    for name, side in sides.items():
        for key, scores in values[name].items():
            _take(side, key, scores)
    run.sides = list(sides.values())


def _metric(run: Run, measure: str) -> Metric:
    found = replace(run.metrics.get(measure, RIGHT_OR_WRONG), name=measure)
    return found if is_binary(found) else replace(found, threshold=None)


def _take(side: Side, key: bytes, scores: list[Score]) -> None:
    found = [score.value for score in scores if score.value is not None]
    side.answers += len(scores)
    side.unscored += len(scores) - len(found)
    if found:
        side.scores[key] = sum(found) / len(found)
        side.several.update([(key, len(found))] if len(found) > 1 else ())
    else:
        side.missing[one_line(scores[0].why.split(":")[0], 60) or "not scored"] += 1


def _add_calls(run: Run, reader: RunReader, wanted: Asked) -> None:
    """Cost, latency and tokens from the heads of the log, and for which sides the simulator answered."""
    buckets, made_up = Buckets(), set[tuple[str, str]]()
    for number, (_, head) in enumerate(reader.heads() if is_regular(reader.path / LOG) else ()):
        if number % LOOK_EVERY == 0 and not wanted():
            return
        buckets.add(head)
        if head["simulated"]:
            made_up.add((head["stage"], head["model"]))
        run.asked |= not head["simulated"]
    run.simulated |= buckets.simulated
    run.model_ids = {one_line(name): one_line(model) for name, model in buckets.model_ids.items()}
    for side in run.sides:
        name = (side.stage, side.model)
        side.calls = buckets.leaves.get(name)
        side.simulated = name in made_up if side.calls is not None else run.simulated
