"""Laws of gates: every kind's scores can be held against thresholds, by its metrics, without a line of its own."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import tomli_w
from choices import record
from samples import ALL_SAMPLES, tables_of, written
from soaking import FEW_SAMPLES

from tui_eval.configuring.drafting.schema import schema
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Metric
from tui_eval.evaluation.drivers import as_example
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.results.verdicts import gate_code, verdicts_of
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml

NAMES = [name for _, name in ALL_SAMPLES]
HELD = {"higher": (">=", ">"), "lower": ("<=", "<")}
"""By which way is better: the sign that the worst value of the scale passes, and the one that not even the best does."""


def gated(kind: str, name: str, folder: Path, passing: bool) -> Loaded:
    """A sample with a threshold of each of its metrics, which every mean passes, or none."""
    path = written(kind, name, folder)
    gate = {metric.name: _threshold(metric, passing) for metric in KINDS[kind].metrics}
    content = read_toml(path).content
    path.write_text(tomli_w.dumps({**content, "gate": {**gate, "max_cost_usd": 1}}))
    return load(path, Workspace(folder))


def _threshold(metric: Metric, passing: bool) -> str:
    worst, best = (metric.low, metric.high) if metric.better == "higher" else (metric.high, metric.low)
    easy, hard = HELD[metric.better]
    return f"{easy} {worst:g}" if passing else f"{hard} {best:g}"


@pytest.mark.parametrize(("kind", "name"), FEW_SAMPLES, ids=NAMES)
def test_every_metric_of_every_model_is_held(kind: str, name: str, tmp_path: Path) -> None:
    """What each mean holds passes, what none can hold fails; without scores neither does. Re-scored, the bytes are the same."""
    for passing, outcome in ((True, "PASS"), (False, "FAIL")):
        folder = tmp_path / outcome
        folder.mkdir()
        loaded = gated(kind, name, folder, passing)
        report = record(folder / "run", loaded, as_example).report
        found = [verdict for verdict in verdicts_of(report) if verdict.metric]
        answering = [stage.name for stage in loaded.evaluation.kind.stages if stage.role == "answer"]
        asked = [stage for stage in answering if stage in loaded.evaluation.task.asked][-1]

        models = {model.name for model in loaded.evaluation.task.asked[asked]}
        assert {(v.metric, v.model) for v in found} == {(m.name, model) for m in KINDS[kind].metrics for model in models}
        assert {v.outcome for v in found} <= {outcome if v.n else "INCONCLUSIVE" for v in found}
        assert gate_code(report) == (any(not v.passed for v in verdicts_of(report)))
        before = (folder / "run" / "report.json").read_bytes()
        rescoring.rescore(folder / "run", Workspace(folder))
        assert (folder / "run" / "report.json").read_bytes() == before


@pytest.mark.parametrize(("kind", "name"), FEW_SAMPLES, ids=NAMES)
def test_gates_are_no_part_of_what_is_asked(kind: str, name: str, tmp_path: Path) -> None:
    """Plan, task and models are those of the same config without gates; the run's own config holds the gates as given."""
    plain = load(written(kind, name, tmp_path), Workspace(tmp_path))
    loaded = gated(kind, name, tmp_path, passing=True)
    record(tmp_path / "run", loaded, as_example)

    assert (loaded.plan, loaded.evaluation.task, loaded.run) == (plain.plan, plain.evaluation.task, plain.run)
    given = read_toml(tmp_path / "config.toml").content["gate"]
    assert read_toml(tmp_path / "run" / "config.toml").content["gate"] == given
    assert {field.key for field in schema(kind).field("gate").fields} >= set(given)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_metric_that_there_is_not_is_refused(kind: Kind, tmp_path: Path) -> None:
    """Whatever the kind: by its key, with what there is."""
    name = next(iter(tables_of(kind.name)))
    path = written(kind.name, name, tmp_path)
    path.write_text(f'{path.read_text()}\n[gate]\nnot_a_metric = ">= 0"\n')

    with pytest.raises(ConfigError, match=re.escape("gate.not_a_metric: unknown key")):
        load(path, Workspace(tmp_path))


def test_where_less_is_better_a_difference_is_turned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against another run, on a scale where lower is better: marks that rose are worse."""
    kind = KINDS["grounded"]
    fewer = replace(kind, metrics=tuple(replace(metric, better="lower") for metric in kind.metrics))
    monkeypatch.setitem(KINDS, kind.name, fewer)
    path = written(kind.name, "grounded, true history", tmp_path)
    record(tmp_path / "good", load(path, Workspace(tmp_path)), lambda call: replace(as_example(call), text="SCORE: 2"))
    path.write_text(f'{path.read_text()}\n[gate]\nagainst = "good"\nat_most_worse = 0.5\n')

    loaded = load(path, Workspace(tmp_path))
    worse = record(tmp_path / "worse", loaded, lambda call: replace(as_example(call), text="SCORE: 3")).report
    better = record(tmp_path / "better", loaded, lambda call: replace(as_example(call), text="SCORE: 1")).report

    assert {(gate["value"], gate["verdict"]) for gate in worse["gates"]} == {(-1, "FAIL")}
    assert {(gate["value"], gate["verdict"]) for gate in better["gates"]} == {(1, "PASS")}


@pytest.mark.parametrize(("stage", "models"), [("", {"three"}), ("doer", {"one", "two"}), ("judge", {"three"})])
def test_a_stage_may_be_chosen(stage: str, models: set[str], tmp_path: Path) -> None:
    """The last stage that answers is held, or the one that is named; who only marks answers is none of them."""
    path = written("panel", "panel, three stages, documents, scorer", tmp_path)
    gate = f'\n[gate]\ncorrect = ">= 0"\nstage = "{stage}"\n'
    path.write_text(path.read_text() + gate)

    report = record(tmp_path / "run", load(path, Workspace(tmp_path)), as_example).report

    assert {(verdict.stage, verdict.model) for verdict in verdicts_of(report)} == {(stage or "final", name) for name in models}
    path.write_text(path.read_text().replace(f'stage = "{stage}"', 'stage = "scorer"'))
    with pytest.raises(ConfigError, match=r"gate\.stage: no model is asked in a stage 'scorer'"):
        load(path, Workspace(tmp_path))
