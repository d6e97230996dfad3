"""Re-scoring: a run's reports made anew from its log by the same or other rules, after a preview of what would change."""

from __future__ import annotations

import hashlib
import shlex
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui_eval.configuring.drafting.inline_toml import inline
from tui_eval.configuring.evaluation import Evaluation, RowsFromLog
from tui_eval.configuring.gate_checks import GateSettings
from tui_eval.configuring.judge_identity import copies_for, write_copies
from tui_eval.configuring.loading import Loaded
from tui_eval.configuring.plugin_manifest import differences
from tui_eval.configuring.reopening import reopen
from tui_eval.configuring.scorer_settings import SCORERS, config_scorers
from tui_eval.configuring.top_keys import kind_of
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.core.plaintext import one_line
from tui_eval.core.reports import VerdictReporter
from tui_eval.core.results import SampleResult, Score
from tui_eval.core.samples import NO_DOCUMENT, Sample, plain_id
from tui_eval.evaluation import sample_results
from tui_eval.evaluation.scorers import SCORING
from tui_eval.reporting.derive import derive
from tui_eval.reporting.own_code.supervisor import Listener, score_by_code
from tui_eval.reporting.result_writer import RunOutcome
from tui_eval.reporting.score_changes import Name, OtherRule, asks_otherwise, name_of, newer_rules, on_file
from tui_eval.results.read_report import by_older_sums
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.means import Estimate
from tui_eval.runs.folder import CONFIG, MANIFEST, RESULTS, add_line, holder
from tui_eval.runs.reader import Recorded, RunReader, lines
from tui_eval.runs.writing import Inside
from tui_eval.workspace.keys import KnownKeys
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml

GATE = "gate"
"""The key of what decides whether a run passes."""


def rescore(
    path: Path, workspace: Workspace, settings: Sequence[str] = (), narrate: Callable[[str], None] = lambda text: None
) -> tuple[RunOutcome, Loaded, Path]:
    """Rebuild every derived file from the log; nothing is sent. Own scorers run, where the log has replies without a score.

    With settings, into rescored/<name>/ beside, with a list of every score that is another under them; without, what a newer
    version of a rule made of the scores on file is counted. `narrate`: told how far own scorers are.
    """
    if holder(path) is not None:
        raise FolderError(f"{path}: is being written by a live run; wait for it, or stop it with tui-eval stop {path}")
    check_asks_nobody(path, settings)
    loaded = reopen(path, workspace, settings, sends=False)
    for note in plugin_notes(path):
        add_line(path, f"re-scored: {note}")
    score_by_code(path, loaded.evaluation, Listener(KnownKeys([workspace.env_file]).redact, narrate))
    older = by_older_sums(RunReader(path).table("report.json"))
    if not settings:
        former = on_file(path)
        write_copies(Inside(path), copies_for(loaded.evaluation, workspace))
        outcome, where = derive(path, loaded.evaluation), path
        outcome.newer = newer_rules(former, lines(path / RESULTS))
    else:
        before = _as_asked(path, workspace, loaded, settings)
        out = Inside(path) / "rescored" / _slug(settings)
        outcome, where = derive(path, loaded.evaluation, out, before.evaluation), out.path
    outcome.other_sums = older
    return outcome, loaded, where


def without_gone(path: Path, workspace: Workspace, settings: Sequence[str]) -> tuple[list[str], list[str]]:
    """Settings that choose other scorers, with one more that takes the thresholds out of the run's gate that speak of scorers
    which are not among these; and what is left out, in words. Any others as they are."""
    keys = [setting.partition("=")[0].strip() for setting in settings]
    gate = read_toml(path / CONFIG).content.get(GATE) if (path / CONFIG).is_file() else None
    check_asks_nobody(path, settings)
    if SCORERS not in keys or not isinstance(gate, dict) or not gate:
        return [*settings], []
    other_settings = [setting for setting, key in zip(settings, keys, strict=True) if key.partition(".")[0] != GATE]
    own = [setting for setting in settings if setting not in other_settings]
    now, before = (reopen(path, workspace, words, sends=False) for words in ([*other_settings, f"{GATE}={{}}"], []))
    gone = before.evaluation.gates.settings.measured if before.evaluation.gates else set()
    gone = gone - {metric.name for metric in now.evaluation.kind.metrics}
    if not gone:
        return [*settings], []
    remaining = _gate_without(gate, gone)
    demands = GateSettings.model_validate(remaining).demands or own
    note = f"{GATE}: the thresholds of {', '.join(sorted(map(one_line, gone)))} are left out: not scored now"
    note += "" if demands else "; no gate is left"
    return [*other_settings, f"{GATE}={inline(remaining if demands else {})}", *own], [note]


def check_asks_nobody(path: Path, settings: Sequence[str]) -> None:
    """Raise ConfigError where settings choose a scorer that asks a model, of which the run has no replies: that is a new run,
    which takes the answers of this one."""
    if not any(setting.startswith(SCORERS) for setting in settings) or not (path / CONFIG).is_file():
        return
    before = read_toml(path / CONFIG)
    kind = kind_of(before)
    former_options = [row.options for row in config_scorers(before, kind).asking]
    asking = [row for row in config_scorers(override(before, settings), kind).asking if row.options not in former_options]
    if asking:
        words = " ".join(f"--set {shlex.quote(word)}" for word in (*settings, f"{SCORING}.answers={path}"))
        raise ConfigError(
            f"{asking[0].metric_name} asks {asking[0].model!r}, but a re-score asks nobody. Score these answers in a new run, "
            f"which asks nobody else: tui-eval run {path / CONFIG} {words} (add --dry-run to see its cost first; "
            f"{asking[0].model} must be on file: tui-eval models add {asking[0].model} --set model=ID)"
        )


def _gate_without(gate: Mapping[str, Json], gone: Collection[str]) -> dict[str, Json]:
    """A gate without its thresholds of some metrics, for all models and for single ones."""
    remaining = {key: value for key, value in gate.items() if key not in gone and key != "models"}
    table = gate.get("models")
    models = {
        model: rest
        for model, own in (table.items() if isinstance(table, dict) else ())
        if (rest := {metric: threshold for metric, threshold in own.items() if metric not in gone})
    }
    return {**remaining, "models": models} if models else remaining


def plugin_notes(path: Path) -> list[str]:
    """Return the notes for a person who re-scores a run with other plug-ins than it was prepared with."""
    return differences(RunReader(path).table(MANIFEST))


def try_rescore(path: Path, workspace: Workspace, settings: Sequence[str]) -> RescorePreview:
    """Preview a re-score with these settings. Nothing is written, nothing is sent; the run may be live."""
    check_asks_nobody(path, settings)
    if not settings:
        example = "--set choice.extraction=formationeval-v0.1"
        raise ConfigError(
            f"rescore --dry-run: say what to try, for example {example}; code of own scorers runs without it alone"
        )
    loaded = reopen(path, workspace, settings, sends=False)
    before = _as_asked(path, workspace, loaded, settings)
    other_rules: dict[str, Evaluation] = {}
    kind = loaded.evaluation.kind
    if kind.rules is not None:
        own_rules = {getattr(each.evaluation.config, kind.rules.key) for each in (loaded, before)}
        for rule in sorted(set(kind.rules.shipped) - own_rules):
            other_rules[rule] = reopen(path, workspace, [f"{kind.name}.{kind.rules.key}={rule}"], sends=False).evaluation
    return tried(path, before.evaluation, loaded.evaluation, other_rules)


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
            f"--set {' --set '.join(settings)}: changes what is asked, so the stored replies do not answer it; "
            f"ask anew with tui-eval run {path / CONFIG} and the same --set"
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
    value: float | None = None
    """The mean over items, as the run's report has it; None of nothing."""
    low: float | None = None
    """95 % interval of what is right or wrong; None of nothing, and of marks."""
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """Reading of one reply by one rule."""

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
    question: str = ""
    """As it is asked."""


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
    """Preview of a re-score. Nothing was written, nothing was sent."""

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
    added: Mapping[str, int]
    """By metric: scores that the former rules did not make; their models have no share before."""
    unread: tuple[Reread, ...]
    """Those in which neither rule reads anything, though there is a reply."""


def tried(path: Path, before: Evaluation, after: Evaluation, evaluations: Mapping[str, Evaluation]) -> RescorePreview:
    """Both rules on every stored reply of a run folder; `evaluations` on those alone that are read otherwise, or not at all."""
    reader = RunReader(path)
    models: dict[bool, set[str]] = {True: set(), False: set()}
    unfinished = 0
    with Recorded(path) as recorded:
        for offset, head in reader.heads():
            recorded.add(head, offset)
            models[bool(head["simulated"])].add(str(head["model"]))
        other_rules = {name: OtherRule(evaluation, recorded) for name, evaluation in evaluations.items()}
        boards = {name: Board.empty(after.kind.units, after.kind.metrics) for name in _BOARDS}
        bench = _RescoreBench(after, OtherRule(before, recorded), other_rules, boards)
        rows = RowsFromLog(after, recorded)
        for row in rows:
            unfinished += not row.finished
            bench.add(row)
        unfinished += rows.not_asked
    met = bench.former.sums
    return RescorePreview(
        run_id=str(reader.table("manifest.json").get("run_id", path.name)),
        simulated=bool(models[True]),
        simulated_models=tuple(sorted(models[True])),
        all_simulated=bool(models[True]) and not models[False],
        rules_before=tuple(sorted({version for version, _ in met.versions})),
        rules_after=tuple(sorted({version for _, version in met.versions})),
        compared=met.compared,
        unfinished=unfinished,
        models=tuple(map(bench.preview, bench.boards["after"].series)),
        added=dict(met.added),
        changes=tuple(bench.changes),
        unread=tuple(bench.unread),
    )


_BOARDS = ("before", "after", "read_before", "read_after")
"""What both rules come to: of all replies, and of those alone in which something was read."""


@dataclass(slots=True)
class _RescoreBench:
    """Every item's scores under both rules, as they come."""

    evaluation: Evaluation
    former: OtherRule
    others: Mapping[str, OtherRule]
    boards: Mapping[str, Board]
    changed: Counter[Side] = field(default_factory=Counter)
    missing: Counter[Side] = field(default_factory=Counter)
    changes: list[Reread] = field(default_factory=list)
    unread: list[Reread] = field(default_factory=list)

    def add(self, row: SampleResult) -> None:
        """Compare one item."""
        unit = self.evaluation.kind.units.unit(self.evaluation.task, row.sample)
        changed: list[Pair] = []
        unread: list[Pair] = []
        for old, new, _ in self.former.compared(row):
            side = Side(new.stage, new.model, new.name, unit.variant)
            if old is None:
                self.former.sums.added[new.name] += 1
                self.boards["after"].add(unit, {}, row.sample.repeat, [new])
                continue
            self.missing[side] += old.value is None and new.value is None
            for name, score in (("before", old), ("after", new)):
                self.boards[name].add(unit, {}, row.sample.repeat, [score])
                read = score if score.read is not None else replace(score, value=None)
                self.boards[f"read_{name}"].add(unit, {}, row.sample.repeat, [read])
            if self.former.sums.add(old, new):
                self.changed[side] += 1
                changed.append((old, new))
            elif new.pattern and new.read is None and new.value is not None:
                unread.append((old, new))
        if changed or unread:
            also = self._other_reads(row)
            self.changes += self._listed(row, changed, also)
            self.unread += self._listed(row, unread, also)

    def _other_reads(self, row: SampleResult) -> dict[str, dict[Name, Read]]:
        """By rule: what it makes of each reply of an item."""
        return {name: {name_of(new): _read(old) for old, new in changes.pairs(row)} for name, changes in self.others.items()}

    def _listed(
        self, row: SampleResult, pairs: Sequence[Pair], other_reads: Mapping[str, Mapping[Name, Read]]
    ) -> Iterator[Reread]:
        truth = sample_results.sample_view(self.evaluation.kind, self.evaluation.task, row).truth
        for old, new in pairs:
            also = {name: reads[name_of(new)] for name, reads in other_reads.items() if name_of(new) in reads}
            yield Reread(
                _question_id(row.sample), plain_id(row.sample.id), row.sample.repeat,
                new.stage, new.model, new.call_index, new.name, truth,
                _read(old), _read(new), also, self._place(row, new), row.sample.question,
            )  # fmt: skip

    def _place(self, row: SampleResult, score: Score) -> tuple[int, int] | None:
        """Found here, so that nobody has to run a person's pattern again to show it."""
        rules = self.evaluation.kind.rules
        return None if rules is None else rules.place(self.evaluation.task, row, score)

    def preview(self, side: Side) -> ModelPreview:
        """A side's scores under both rules."""
        boards = self.boards.items()
        scores = {name: board.estimate(side) if side in board.series else Estimate(0, None) for name, board in boards}
        ends = {name: (score.low, score.high) if score.share else (None, None) for name, score in scores.items()}
        shares = {name: Share(score.right, score.scored, score.value, *ends[name]) for name, score in scores.items()}
        name = self.boards["after"].named(side)
        return ModelPreview(side.stage, name, side.metric, **shares, changed=self.changed[side], missing=self.missing[side])


Pair = tuple[Score, Score]


def _question_id(sample: Sample) -> str:
    """Return the subject of a sample, by its id; of a question without one, the text."""
    return one_line(sample.question, 120) if sample.doc_id == NO_DOCUMENT else sample.doc_id


def _read(score: Score) -> Read:
    return Read(score.read, score.pattern, score.value, score.why)
