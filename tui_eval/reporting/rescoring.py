"""Re-scoring: a run's reports made anew from its log by the same or other rules, after a preview of what would change."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation, RowsFromLog
from tui_eval.configuring.loading import Loaded
from tui_eval.configuring.plugin_manifest import differences
from tui_eval.configuring.reopening import reopen
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.core.reports import VerdictReporter
from tui_eval.core.results import SampleResult, Score
from tui_eval.evaluation import sample_results
from tui_eval.reporting.derive import Outcome, derive
from tui_eval.reporting.score_changes import Changes, asks_otherwise, newer_rules, on_file
from tui_eval.runs.folder import CONFIG, MANIFEST, RESULTS, add_line, holder
from tui_eval.runs.reader import Recorded, RunReader, lines
from tui_eval.runs.writing import Inside
from tui_eval.statistics.estimates import clustered_wilson
from tui_eval.workspace.places import Workspace


def rescore(path: Path, workspace: Workspace, settings: Sequence[str] = ()) -> tuple[Outcome, Loaded, Path]:
    """Rebuild every derived file from the log; nothing is sent.

    With settings, into rescored/<name>/ beside, with a list of every score that is another under them; without, what a newer
    version of a rule made of the scores on file is counted.
    """
    if holder(path) is not None:
        raise FolderError(f"{path}: is being written by a live run; wait for it, or stop it with tui-eval stop {path}")
    loaded = reopen(path, workspace, settings, sends=False)
    for note in plugin_notes(path):
        add_line(path, f"re-scored: {note}")
    if not settings:
        former = on_file(path)
        outcome = derive(path, loaded.evaluation)
        outcome.newer = newer_rules(former, lines(path / RESULTS))
        return outcome, loaded, path
    before = _as_asked(path, workspace, loaded, settings)
    out = Inside(path) / "rescored" / _slug(settings)
    return derive(path, loaded.evaluation, out, before.evaluation), loaded, out.path


def plugin_notes(path: Path) -> list[str]:
    """What a person should know who re-scores a run with other plug-ins than it was prepared with."""
    return differences(RunReader(path).table(MANIFEST))


def try_rescore(path: Path, workspace: Workspace, settings: Sequence[str]) -> RescorePreview:
    """What a re-score with these settings would change. Nothing is written, nothing is sent; the run may be live."""
    if not settings:
        raise ConfigError("rescore --dry-run: say what to try, for example --set choice.extraction=formationeval-v0.1")
    loaded = reopen(path, workspace, settings, sends=False)
    before = _as_asked(path, workspace, loaded, settings)
    others: dict[str, Evaluation] = {}
    kind = loaded.evaluation.kind
    if kind.rules is not None:
        known = {getattr(each.evaluation.config, kind.rules.key) for each in (loaded, before)}
        for rule in sorted(set(kind.rules.shipped) - known):
            others[rule] = reopen(path, workspace, [f"{kind.name}.{kind.rules.key}={rule}"], sends=False).evaluation
    return tried(path, before.evaluation, loaded.evaluation, others)


def try_gates(path: Path, workspace: Workspace, settings: Sequence[str]) -> dict[str, Json]:
    """The report that a re-score with these settings would come to, where it would have gates; else an empty one.

    Made as a re-score makes it, in a passing folder: nothing is written in the run's.
    """
    loaded = reopen(path, workspace, settings, sends=False)
    if loaded.evaluation.gates is None and not isinstance(loaded.evaluation.reporter(), VerdictReporter):
        return {}
    with tempfile.TemporaryDirectory(prefix="tui-eval-rescore-") as passing:
        report = derive(path, loaded.evaluation, Inside(Path(passing))).report
    return report if report.get("gates") else {}


def _as_asked(path: Path, workspace: Workspace, loaded: Loaded, settings: Sequence[str]) -> Loaded:
    """The run's own evaluation. ConfigError where the changed one would ask anything else."""
    before = reopen(path, workspace, sends=False)
    if asks_otherwise(before.evaluation, loaded.evaluation):
        raise ConfigError(
            f"--set {' --set '.join(settings)}: changes what is asked, so the stored replies are no answers to it; "
            f"ask anew with --run {path / CONFIG} and the same --set"
        )
    return before


def _slug(settings: Sequence[str]) -> str:
    text = "_".join(settings)
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-=") else "-" for c in text)
    return safe[:80] + "-" + hashlib.sha256(text.encode()).hexdigest()[:6]


@dataclass(frozen=True, slots=True)
class Share:
    """A mean of scores with what it rests on."""

    total: float
    """Sum of the scores: how many are right, where each is 0 or 1."""
    n: int
    low: float | None = None
    """95 % Wilson interval, several answers to one question being one cluster; None where scores are not all 0 or 1."""
    high: float | None = None

    @property
    def value(self) -> float | None:
        """The mean; None of nothing."""
        return self.total / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Read:
    """What one rule made of one reply."""

    read: str | None
    """What was read, such as a letter; None where nothing was, or nothing had to be."""
    pattern: str
    value: float | None
    why: str


@dataclass(frozen=True, slots=True)
class Reread:
    """One stored answer under both rules."""

    question_id: str
    item_id: str
    repeat: int
    stage: str
    model: str
    call_index: int
    score: str
    truth: str | None
    """The right answer, as it was shown first."""
    before: Read
    after: Read
    others: Mapping[str, Read] = field(default_factory=dict)
    """What further rules make of it, by their names."""
    place: tuple[int, int] | None = None
    """From where to where a pattern of one's own found its letter in what is searched of the reply; None where none did."""


@dataclass(frozen=True, slots=True)
class ModelPreview:
    """A model's scores of one name under both rules."""

    stage: str
    model: str
    score: str
    before: Share
    """Of all replies; one in which nothing was read counts as wrong."""
    after: Share
    read_before: Share
    """Of the replies alone in which something was read."""
    read_after: Share
    changed: int
    missing: int
    """Scores that have no value under either rule: there was no reply."""


@dataclass(frozen=True, slots=True)
class RescorePreview:
    """What a re-score would change. Nothing was written, nothing was sent."""

    run_id: str
    simulated: bool
    """Whether any of its replies is simulated."""
    simulated_models: tuple[str, ...]
    """Whose replies are."""
    all_simulated: bool
    rules_before: tuple[str, ...]
    """Versions of the rules that made the scores."""
    rules_after: tuple[str, ...]
    compared: int
    """Scores that both rules made."""
    unfinished: int
    """Items with a call that has no final reply yet."""
    models: tuple[ModelPreview, ...]
    changes: tuple[Reread, ...]
    """Every answer that is read otherwise, or scored otherwise."""
    unread: tuple[Reread, ...]
    """Those in which neither rule reads anything, though there is a reply."""


@dataclass(slots=True)
class _Tally:
    """Scores of one model as they come: by question, how many and their sum."""

    scores: list[tuple[tuple[str, int], Score, Score]] = field(default_factory=list)
    changed: int = 0

    def share(self, after: bool, read_alone: bool) -> Share:
        sums: Counter[tuple[str, int]] = Counter()
        sizes: Counter[tuple[str, int]] = Counter()
        values = []
        for question, old, new in self.scores:
            score = new if after else old
            if score.value is not None and (score.read is not None or not read_alone):
                values.append(score.value)
                sums[question] += score.value  # type: ignore[assignment]
                sizes[question] += 1
        total, n = sum(values), len(values)
        if not n or not {0, 1}.issuperset(values):
            return Share(total, n)
        low, high, _ = clustered_wilson([sums[question] for question in sizes], list(sizes.values())) or (None, None, 0.0)
        return Share(total, n, low, high)


def tried(path: Path, before: Evaluation, after: Evaluation, others: Mapping[str, Evaluation]) -> RescorePreview:
    """Both rules on every stored reply of a run folder; `others` on those alone that are read otherwise, or not at all."""
    reader = RunReader(path)
    asked: dict[bool, set[str]] = {True: set(), False: set()}
    unfinished = 0
    with Recorded(path) as recorded:
        for offset, head in reader.heads():
            recorded.add(head, offset)
            asked[bool(head["simulated"])].add(str(head["model"]))
        other = {name: Changes(evaluation, recorded) for name, evaluation in others.items()}
        bench = _Bench(after, Changes(before, recorded), other)
        rows = RowsFromLog(after, recorded)
        for row in rows:
            unfinished += not row.finished
            bench.add(row)
        unfinished += rows.not_asked
    return RescorePreview(
        run_id=str(reader.table("manifest.json").get("run_id", path.name)),
        simulated=bool(asked[True]),
        simulated_models=tuple(sorted(asked[True])),
        all_simulated=bool(asked[True]) and not asked[False],
        rules_before=tuple(sorted(bench.rules_before)),
        rules_after=tuple(sorted(bench.rules_after)),
        compared=sum(len(tally.scores) for tally in bench.tallies.values()),
        unfinished=unfinished,
        models=tuple(_model(*key, tally) for key, tally in bench.tallies.items()),
        changes=tuple(bench.changes),
        unread=tuple(bench.unread),
    )


@dataclass(slots=True)
class _Bench:
    """Every item's scores under both rules, as they come."""

    evaluation: Evaluation
    former: Changes
    others: Mapping[str, Changes]
    tallies: dict[tuple[str, str, str], _Tally] = field(default_factory=dict)
    changes: list[Reread] = field(default_factory=list)
    unread: list[Reread] = field(default_factory=list)
    rules_before: set[str] = field(default_factory=set)
    rules_after: set[str] = field(default_factory=set)

    def add(self, row: SampleResult) -> None:
        """Compare one item."""
        changed: list[Pair] = []
        unread: list[Pair] = []
        for old, new, _ in self.former.pairs(row):
            self.rules_before.add(old.version)
            self.rules_after.add(new.version)
            tally = self.tallies.setdefault((new.stage, new.model, new.name), _Tally())
            tally.scores.append((row.sample.cluster, old, new))
            if (old.value, old.read) != (new.value, new.read):
                tally.changed += 1
                changed.append((old, new))
            elif new.pattern and new.read is None and new.value is not None:
                unread.append((old, new))
        if changed or unread:
            also = self._others(row)
            self.changes += self._listed(row, changed, also)
            self.unread += self._listed(row, unread, also)

    def _others(self, row: SampleResult) -> dict[str, dict[Key, Read]]:
        """By rule: what it makes of each reply of an item."""
        return {name: {_key(new): _read(old) for old, new, _ in changes.pairs(row)} for name, changes in self.others.items()}

    def _listed(self, row: SampleResult, pairs: Sequence[Pair], others: Mapping[str, Mapping[Key, Read]]) -> Iterator[Reread]:
        truth = sample_results.shown(self.evaluation.kind, self.evaluation.task, row).truth
        for old, new in pairs:
            also = {name: reads[_key(new)] for name, reads in others.items() if _key(new) in reads}
            yield Reread(
                row.sample.doc_id, row.sample.id, row.sample.repeat, *_key(new), truth, _read(old), _read(new), also,
                self._place(row, new),
            )  # fmt: skip

    def _place(self, row: SampleResult, score: Score) -> tuple[int, int] | None:
        """Found here, so that nobody has to run a person's pattern again to show it."""
        rules = self.evaluation.kind.rules
        return None if rules is None else rules.place(self.evaluation.task, row, score)


Pair = tuple[Score, Score]
Key = tuple[str, str, int, str]


def _key(score: Score) -> Key:
    return score.stage, score.model, score.call_index, score.name


def _read(score: Score) -> Read:
    return Read(score.read, score.pattern, score.value, score.why)


def _model(stage: str, model: str, score: str, tally: _Tally) -> ModelPreview:
    return ModelPreview(
        stage,
        model,
        score,
        before=tally.share(after=False, read_alone=False),
        after=tally.share(after=True, read_alone=False),
        read_before=tally.share(after=False, read_alone=True),
        read_after=tally.share(after=True, read_alone=True),
        changed=tally.changed,
        missing=sum(old.value is None and new.value is None for _, old, new in tally.scores),
    )
