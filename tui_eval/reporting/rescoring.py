"""A run's reports made anew from its log, by the same rules or by others; nothing is sent."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.loading import Loaded
from tui_eval.configuring.plugin_manifest import differences
from tui_eval.configuring.reopening import reopen
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.core.kinds import VerdictReporter
from tui_eval.reporting.derive import Outcome, derive
from tui_eval.reporting.newer_rules import newer_rules, on_file
from tui_eval.reporting.rescore_preview import RescorePreview, tried
from tui_eval.reporting.rule_changes import asks_otherwise
from tui_eval.runs.folder import CONFIG, MANIFEST, RESULTS, add_line, holder
from tui_eval.runs.reader import RunReader, lines
from tui_eval.runs.writing import Inside
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
