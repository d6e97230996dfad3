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

from tui_eval.configuring.drafting.schema import draft_schema
from tui_eval.configuring.gate_checks import forecast_lines
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Metric
from tui_eval.evaluation.drivers import as_example
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.results.verdicts import Verdict, gate_code, verdicts_of
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml

NAMES = [name for _, name in ALL_SAMPLES]
HELD = {"higher": (">=", ">"), "lower": ("<=", "<")}
"""By which way is better: the sign that the worst value of the scale passes, and the one that not even the best does."""


def gated(kind: str, name: str, folder: Path, passing: bool) -> Loaded:
    """A sample with a threshold of each of its metrics, which every mean passes, or none."""
    path = written(kind, name, folder)
    gate = {metric.name: _threshold(metric, passing) for metric in load(path, Workspace(folder)).evaluation.kind.metrics}
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
        assert {(v.metric, v.model) for v in found} == {
            (m.name, model) for m in loaded.evaluation.kind.metrics for model in models
        }
        assert {v.outcome for v in found} <= {outcome if v.n else "INCONCLUSIVE" for v in found}
        assert gate_code(report) == (any(not v.passed for v in verdicts_of(report)))
        before = (folder / "run" / "report.json").read_bytes()
        rescoring.rescore(folder / "run", Workspace(folder))
        assert (folder / "run" / "report.json").read_bytes() == before


@pytest.mark.parametrize(("kind", "name"), FEW_SAMPLES, ids=NAMES)
def test_an_unchanged_run_of_every_kind_holds_its_baseline(kind: str, name: str, tmp_path: Path) -> None:
    """The same replies are the same scores, by both rules; the dry run has a line for it, a re-score the same bytes."""
    path = written(kind, name, tmp_path)
    first = load(path, Workspace(tmp_path))
    record(tmp_path / "before", first, as_example)
    plain = path.read_text()
    for rule in ("not_shown_worse", "shown_not_worse"):
        path.write_text(f'{plain}\n[gate]\nagainst = "before"\nagainst_rule = "{rule}"\n')
        if not first.evaluation.kind.metrics:
            with pytest.raises(ConfigError, match=rf"gate\.against: a {kind} run has no scores"):
                load(path, Workspace(tmp_path))
            continue
        loaded = load(path, Workspace(tmp_path))
        evaluation = loaded.evaluation
        lines = forecast_lines(evaluation.gates, evaluation.kind, evaluation.task, evaluation.queues)
        assert [line.startswith("gate.against, by ") for line in lines] == [True] * (rule == "not_shown_worse")
        assert any("unchanged model would fail" in warning for warning in loaded.warnings) == (rule == "shown_not_worse")

        report = record(tmp_path / rule, loaded, as_example).report
        compared = [verdict for verdict in verdicts_of(report) if verdict.name == "against" and verdict.n]
        assert {verdict.outcome for verdict in compared} <= {"PASS"}
        assert all("the same scores on all of" in verdict.text for verdict in compared)
        before = (tmp_path / rule / "report.json").read_bytes()
        rescoring.rescore(tmp_path / rule, Workspace(tmp_path))
        assert (tmp_path / rule / "report.json").read_bytes() == before


@pytest.mark.parametrize(("kind", "name"), FEW_SAMPLES, ids=NAMES)
def test_gates_are_no_part_of_what_is_asked(kind: str, name: str, tmp_path: Path) -> None:
    """Plan, task and models are those of the same config without gates; the run's own config holds the gates as given."""
    plain = load(written(kind, name, tmp_path), Workspace(tmp_path))
    loaded = gated(kind, name, tmp_path, passing=True)
    record(tmp_path / "run", loaded, as_example)

    assert (loaded.plan, loaded.evaluation.task, loaded.run) == (plain.plan, plain.evaluation.task, plain.run)
    given = read_toml(tmp_path / "config.toml").content["gate"]
    assert read_toml(tmp_path / "run" / "config.toml").content["gate"] == given
    content = read_toml(tmp_path / "config.toml").content
    assert {field.key for field in draft_schema(content, kind).field("gate").fields} >= set(given)


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

    assert {gate["value"] for gate in worse["gates"]} == {-1} and all(gate["p"] < 0.5 for gate in worse["gates"])
    assert {gate["value"] for gate in better["gates"]} == {1} and all(gate["p"] > 0.5 for gate in better["gates"])
    assert all("only 3 common questions, where it takes 10" in gate["text"] for gate in worse["gates"])


def test_each_prompt_is_a_gate_of_its_own(tmp_path: Path) -> None:
    """Where prompts are compared, a side is a model with one of them: by thresholds and beside an earlier run."""
    path = written("graph", "graph, two models, two prompts", tmp_path)
    record(tmp_path / "before", load(path, Workspace(tmp_path)), as_example)
    path.write_text(f'{path.read_text()}\n[gate]\nagainst = "before"\nmax_missing = 1.0\n')

    report = record(tmp_path / "after", load(path, Workspace(tmp_path)), as_example).report

    found = verdicts_of(report)
    sides = {(verdict.model, verdict.variant) for verdict in found}
    assert len({variant for _, variant in sides}) == 2 and {verdict.metric for verdict in found} == {"valid", "overall"}
    assert len(found) == 2 * 2 * len(sides) and {verdict.outcome for verdict in found} == {"PASS"}
    assert all(verdict.who == f"{verdict.model} {verdict.variant}" for verdict in found)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (["plain.txt"], ["strict.txt"], "another prompt's: there the prompt plain, here strict"),
        (["plain.txt", "other.txt"], ["strict.txt"], "that run has it with the prompts plain and other, not with strict"),
        (["plain.txt", "strict.txt"], ["strict.txt"], ""),
        (["strict.txt"], ["strict.txt", "plain.txt"], ""),
    ],
)
def test_a_gate_says_where_it_is_held_against_another_prompt(
    before: list[str], after: list[str], says: str, tmp_path: Path
) -> None:
    """A side is a model with a version of the prompt: the baseline's of the same one, or a word that it is another's."""
    path = written("graph", "graph, two models, two prompts", tmp_path)
    content = read_toml(path).content
    folder = next(tmp_path.rglob("plain.txt")).parent
    (folder / "other.txt").write_text((folder / "plain.txt").read_text() + "\nTake your time.")

    def run(name: str, prompts: list[str], gate: dict[str, object]) -> list[Verdict]:
        asked = {**content, "graph": {**content["graph"], "prompts": prompts}, **gate}
        path.write_text(tomli_w.dumps(asked))
        return verdicts_of(record(tmp_path / name, load(path, Workspace(tmp_path)), as_example).report)

    run("before", before, {})
    found = [verdict for verdict in run("after", after, {"gate": {"against": "before"}}) if verdict.variant == "strict"]

    assert found and all((says in verdict.text) if says else "prompt" not in verdict.text for verdict in found)
    assert "not with" not in says or {verdict.outcome for verdict in found} == {"INCONCLUSIVE"}
    (folder / "strict.txt").write_text((folder / "strict.txt").read_text() + "\nTake your time.")
    (folder / "plain.txt").write_text((folder / "plain.txt").read_text() + "\nTake no time.")
    again = [verdict for verdict in run("again", after, {"gate": {"against": "before"}}) if verdict.variant == "strict"]
    assert all(("the text of a prompt is another there" in verdict.text) == (not says) for verdict in again)


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
