"""Scorers of a config: its keys `scorers` and `scoring`, refused where no reply has a target to be held against."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui_eval.configuring.drafting.inline_toml import inline
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judge_panel import own_family
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.kind_validation import SCORER_KEYS
from tui_eval.evaluation.scorers import NO_SCORERS, SCORING, SCORING_PROMPTS, Scorers, passed_beside
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile, read_toml
from tui_eval.workspace.validation import nearest, validate

if TYPE_CHECKING:
    from tui_eval.evaluation.scoring.scorer_table import ScorerSettings


SCORERS = SCORER_KEYS[0]
"""The key of what scores replies."""


def scorer_settings(file: TomlFile) -> ScorerSettings:
    """The two keys, each scorer checked by its rule. ConfigError lists everything wrong with them."""
    from tui_eval.evaluation.scoring.scorer_table import ScorerSettings  # only here: configs without scorers load no rules

    settings = {key: file.content[key] for key in SCORER_KEYS if key in file.content}
    table = settings.get(SCORING)
    if isinstance(table, dict):  # prompts are filled in by themselves
        settings[SCORING] = {name: value for name, value in table.items() if name != "prompts"}
    return validate(ScorerSettings, settings, file, ())


def settings_of(word: str, names: Sequence[str]) -> list[str]:
    """The scorers of a file of their own, with `[[scorers]]` and `[scoring]`, as settings that take the place of a config's;
    of a word that is no file, the scorers of these `names`.

    ConfigError, naming file and line, for anything else in it, and for a scorer that there is not.
    """
    path = Path(word)
    if ".py:" in word or not (os.path.lexists(path) or path.suffix == ".toml" or "/" in word):
        return [f"{SCORERS}={inline([*names])}"]
    file = read_toml(path)
    for key in file.content:
        if key not in SCORER_KEYS:
            raise file.error((key,), f"is not a key of a scorers file{nearest(key, SCORER_KEYS)}")
    if not scorer_settings(file).scorers:
        raise ConfigError(f'{path}: scorers: the list is empty; add, for example, scorers = ["number"]')
    return [f"{key}={inline(file.content.get(key, {}))}" for key in SCORER_KEYS]


def config_scorers(file: TomlFile, kind: Kind, workspace: Workspace | None = None) -> Scorers:
    """The scorers of a config. ConfigError for a kind that takes none, and for a name that a metric of the kind has.

    `workspace`: needed where own scorers are to be looked for, and to be scored by.
    """
    present_keys = [key for key in SCORER_KEYS if key in file.content]
    if not present_keys:
        return NO_SCORERS
    if not kind.targets.stages:
        takers = ", ".join(each.name for each in KINDS.values() if each.targets.stages)
        why = f"no sample of a {kind.name} run has a target, so that nothing can be scored; kinds that take scorers: {takers}"
        raise file.error((present_keys[0],), why)
    settings = scorer_settings(file)
    own = {metric.name for metric in kind.metrics}
    passed = passed_beside(own)
    for n, row in enumerate(settings.scorers):
        if row.metric_name in {*own, passed}:
            whose = "of all scorers together" if row.metric_name == passed else f"of {kind.name}"
            why = f'is called {row.metric_name!r}, as a metric {whose} is; give it another name, as in name = "{row.use}_2"'
            raise file.error(("scorers", n), why)
    from tui_eval.evaluation.scoring.sample_scorers import scorers_by  # only here, too

    rows, refused = settings.scorers, ""
    if workspace is not None and any(row.runs_code for row in rows):
        from tui_eval.configuring.own_code.own_scorers import located, refusal  # only for those whose code is run

        rows = located(rows, file, workspace)
        refused = refusal(rows, file, workspace)
    scorers = scorers_by(rows, settings.scoring.threshold, passed)
    return replace(scorers, answers=settings.scoring.answers or "", code_refused=refused)


def scored_kinds(also: str = "") -> frozenset[str]:
    """Return the names of our kinds whose replies have targets, and of one more if a plug-in brings it."""
    kinds = {**KINDS, also: KINDS[also]} if also in KINDS else KINDS
    return frozenset(kind.name for kind in kinds.values() if kind.targets.stages)


def check_scorers(kind: Kind, task: Task) -> list[str]:
    """List notes on samples without a target. ConfigError where a scorer compares with one and no sample has any, and where
    all that is scored is measured and not judged."""
    if not task.scorers:
        return []
    refused = task.scorers.code_refused
    kin = [*_kin(kind, task), *([f"own scorers will not run, and their scores will be missing: {refused}"] if refused else [])]
    if measured := _only_measured(kind, task):
        message = f'no scorer judges an answer ({measured}); add a scorer that can be the headline, such as "contains"'
        raise ConfigError(f"scorers: {message}")
    wants = next((row.use for row in task.scorers.every if row.wants_target), None)
    if wants is None:
        return kin
    has_target: dict[tuple[str, int], bool] = {}
    for queue in kind.samples(task).values():
        for sample in queue:
            has_target.setdefault((sample.doc_id, sample.q_index), kind.targets.has_target(task, sample))
    lacking, item = len(has_target) - sum(has_target.values()), kind.units.item
    if has_target and lacking == len(has_target):
        key, _, advice = kind.targets.where.partition(": ")
        raise ConfigError(f"{key or kind.name}: no {item} has a target, and {wants} compares with one; {advice}")
    have = f"{lacking:,} of {count_of(len(has_target), item)} {'has' if lacking == 1 else 'have'} no target"
    return [*kin, *([f"{have}; scorers that compare with a target leave them out"] if lacking else [])]


def _kin(kind: Kind, task: Task) -> list[str]:
    """Name the models that score answers of their own family."""
    answering = (model for stage in kind.targets.stages for model in task.asked.get(stage, ()))
    return own_family(task.asked.get(SCORING, ()), answering)


def _only_measured(kind: Kind, task: Task) -> str:
    """The scorers, where none of them can be the headline and nothing else is."""
    from tui_eval.evaluation.scoring.scorer_table import headline_of  # only here, too

    scorers = task.scorers
    leading = kind.of(task).units.headline[:1]
    if headline_of(scorers.every) is not None or leading[0] not in scorers.names:
        return ""
    return ", ".join(row.use for row in scorers.every)


def written_scorers(task: Task) -> Mapping[str, Json]:
    """The keys as a run's own config has them, every default filled in; none where it has no scorers."""
    scorers = task.scorers
    rows = {"scorers": [row.model_dump(exclude_none=True) for row in scorers.rows]} if scorers.rows else {}
    table: dict[str, Json] = {} if scorers.threshold is None else {"threshold": scorers.threshold}
    if scorers.asking:
        table["prompts"] = {name: {"file": f"inputs/prompts/{name}.md"} for name in SCORING_PROMPTS}
    if scorers.answers:
        table["answers"] = scorers.answers
    return {**rows, **({SCORING: table} if table else {})}


def manifest_entry(task: Task) -> dict[str, Json]:
    """Return a run's scorers for its manifest, by the names of their metrics: the version of each, and the signature of the
    library behind it where there is one; no entry where nothing is scored."""
    if not task.scorers:
        return {}
    from tui_eval.evaluation.scoring.sample_scorers import version_in  # only here, too
    from tui_eval.evaluation.scoring.scorer_table import rule_of

    entries: dict[str, Json] = {}
    for row in task.scorers.every:
        rule = rule_of(row)
        signed = {} if rule.signature is None else {"signature": rule.signature(row)}
        entries[row.metric_name] = {"version": version_in(task.scorers, row), **signed}
    return {"scorers": entries}
