"""Laws of `[[scorers]]`: every kind whose samples have targets takes them, beside what it measures itself."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from choices import record
from samples import ALL_SAMPLES, sample, tables_of, written
from soaking import SOAK

from tui_eval.configuring.drafting.inline_toml import inline
from tui_eval.configuring.drafting.schema import draft_schema
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Stage
from tui_eval.core.results import SampleResult
from tui_eval.evaluation.drivers import as_example
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.kind_validation import SCORER_KEYS, problems_of
from tui_eval.evaluation.scorers import SCORING
from tui_eval.evaluation.targets import Targets
from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.tui.report_rows import Report
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml

Table = dict[str, Any]
SCORERS: list[str | Table] = ["contains", {"use": "f1", "threshold": 0.5}, "length", {"use": "exact", "name": "all_of_it"}]
NAMES = {"contains", "f1", "length", "all_of_it"}
TAKERS = [kind for kind in KINDS.values() if kind.targets.stages]
OTHERS = [kind for kind in KINDS.values() if not kind.targets.stages]
WITHOUT = {"panel, doers only", "pipeline, nothing but texts"}
"""Samples of these kinds in which nothing has a target."""
SCORED = [(kind, name) for kind, name in ALL_SAMPLES if kind in {taker.name for taker in TAKERS} and name not in WITHOUT]
CASES = [pytest.param(*row, marks=SOAK if n and SCORED[n - 1][0] == row[0] else ()) for n, row in enumerate(SCORED)]
"""Quick is the first of each kind."""


def with_scorers(kind: str, name: str, folder: Path, **keys: Any) -> Path:
    """A sample whose config has these scorers, or what is given in their place."""
    path = written(kind, name, folder)
    content = {key: value for key, value in read_toml(path).content.items() if key not in SCORER_KEYS}
    path.write_text(tomli_w.dumps({"scorers": SCORERS, **content, **keys}))
    return path


def scored(kind: str, name: str, folder: Path, **keys: Any) -> Loaded:
    """The same, loaded."""
    return load(with_scorers(kind, name, folder, **keys), Workspace(folder))


def rows_of(loaded: Loaded) -> list[SampleResult]:
    """Every sample but attacks on judges, answered by the examples of its calls."""
    asked = (each for each in loaded.evaluation.samples() if not each.checks_judge)
    rows = [loaded.evaluation.driven(each, as_example) for each in asked]
    assert [row.error for row in rows if row.error] == []
    return rows


@pytest.mark.parametrize(("kind", "name"), CASES, ids=str)
def test_scorers_stand_beside_what_a_kind_measures_itself(kind: str, name: str, tmp_path: Path) -> None:
    """The same calls and own scores as without them; theirs are of answering stages alone, and each answer has all of them."""
    (tmp_path / "plain").mkdir()
    loaded = scored(kind, name, tmp_path)
    without = with_scorers(kind, name, tmp_path / "plain", scorers=[])
    plain = load(without, Workspace(tmp_path / "plain"))
    names, own = loaded.evaluation.task.scorers.names, plain.evaluation.kind.metrics
    assert names == NAMES | {loaded.evaluation.task.scorers.passed}

    for row, bare in zip(rows_of(loaded), rows_of(plain), strict=True):
        assert [reply.call for reply in row.replies] == [reply.call for reply in bare.replies]
        assert tuple(score for score in row.scores if score.name not in names) == bare.scores
        theirs = [score for score in row.scores if score.name in names]
        assert theirs and {KINDS[kind].role(score.stage) for score in theirs} == {"answer"}
        assert len(theirs) % len(names) == 0 and {score.name for score in theirs} == names
    metrics = [metric.name for metric in loaded.evaluation.kind.metrics]
    assert metrics[: len(metrics) - len(names)] == [m.name for m in own if m.name in metrics] and not names & {
        m.name for m in own
    }


@pytest.mark.parametrize(("kind", "name"), CASES, ids=str)
def test_a_run_scored_later_is_the_run_that_was_scored_at_once(kind: str, name: str, tmp_path: Path) -> None:
    """Scores, tables and verdict of `rescore --set scorers` are those of a run whose config has the scorers, to the byte; a run
    is scored again to the same bytes; and its manifest names the versions that its scores have."""
    for folder in ("then", "now"):
        (tmp_path / folder).mkdir()
    now = scored(kind, name, tmp_path / "now")
    then = load(with_scorers(kind, name, tmp_path / "then", scorers=[]), Workspace(tmp_path / "then"))
    record(tmp_path / "now" / "run", now, as_example)
    record(tmp_path / "then" / "run", then, as_example)
    told = json.loads((tmp_path / "now" / "run" / "manifest.json").read_text())["scorers"]
    lines = [json.loads(line) for line in (tmp_path / "now" / "run" / "results.jsonl").read_text().splitlines()]
    given = {(each["name"], each["version"]) for line in lines for each in line["scores"] if each["name"] in told}
    assert {(name, each["version"]) for name, each in told.items()} == given and told.keys() == NAMES
    before = (tmp_path / "now" / "run" / "report.json").read_bytes()
    rescoring.rescore(tmp_path / "now" / "run", Workspace(tmp_path / "now"))
    assert (tmp_path / "now" / "run" / "report.json").read_bytes() == before

    setting = f"scorers={json.dumps(['contains', 'length'])}"
    _, _, at = rescoring.rescore(tmp_path / "then" / "run", Workspace(tmp_path / "then"), [setting])
    _, _, other = rescoring.rescore(tmp_path / "now" / "run", Workspace(tmp_path / "now"), [setting])

    files = {path.relative_to(at) for path in at.rglob("*") if path.suffix in (".csv", ".jsonl") and "changes" not in path.name}
    assert {Path("results.jsonl"), Path("stats.csv")} < files
    assert [path for path in files if (at / path).read_bytes() != (other / path).read_bytes()] == []
    first, second = (json.loads((place / "report.json").read_text()) for place in (at, other))
    same = ("tables", "headline", "units", "metrics", "verdict", "items")
    assert {key: first.get(key) for key in same} == {key: second.get(key) for key in same}


JUDGE: Table = {"name": "grader", "wire": "simulator", "model": "sim-scorer"}
LLM: Table = {"use": "llm", "model": "grader"}


def judged(kind: str, name: str, folder: Path, *more: str | Table, **keys: Any) -> Path:
    """A sample whose answers a model scores, besides others."""
    path = with_scorers(kind, name, folder)
    models = [*read_toml(path).content["models"], JUDGE]
    return with_scorers(kind, name, folder, models=models, scorers=[LLM, *more], **keys)


@pytest.mark.parametrize(("kind", "name"), CASES, ids=str)
def test_a_model_that_scores_is_planned_to_the_call(kind: str, name: str, tmp_path: Path) -> None:
    """The plan counts just the calls that are made, by stage and model; the kind's own are those without it; every answer has a
    score, 1 by the example; who it is stays out of --models."""
    (tmp_path / "plain").mkdir()
    loaded = load(judged(kind, name, tmp_path, "contains"), Workspace(tmp_path))
    plain = load(with_scorers(kind, name, tmp_path / "plain", scorers=["contains"]), Workspace(tmp_path / "plain"))
    rows = [loaded.evaluation.driven(each, as_example) for each in loaded.evaluation.samples()]

    made = Counter((reply.call.stage, reply.call.model) for row in rows for reply in row.replies)
    assert made == {(each["stage"], each["model"]): each["calls"] for each in loaded.plan["stages"]}
    assert made[SCORING, "grader"] > 0 and loaded.evaluation.kind.role(SCORING) == "judge"
    asked = [(row, bare) for row, bare in zip(rows, plain.evaluation.samples(), strict=True) if not row.sample.checks_judge]
    for row, each in asked:
        bare = plain.evaluation.driven(each, as_example)
        assert [reply.call for reply in row.replies if reply.call.stage != SCORING] == [reply.call for reply in bare.replies]
        theirs, others = ([score for score in row.scores if score.name == metric] for metric in ("llm", "contains"))
        places = [(score.stage, score.model, score.call_index) for score in theirs]
        assert places == [(score.stage, score.model, score.call_index) for score in others] and places
        assert {score.value for score in theirs} <= {1.0, None} and all(score.value or score.why for score in theirs)
    with pytest.raises(ConfigError, match="--models grader: this judge is always asked"):
        load(tmp_path / "config.toml", Workspace(tmp_path), models=["grader"])


@pytest.mark.parametrize(("kind", "name"), CASES, ids=str)
def test_a_model_scores_the_answers_of_a_run_that_was_made(kind: str, name: str, tmp_path: Path) -> None:
    """A re-score asks nobody, and says how to: in a new run that takes all answers, and asks the scorer alone; its scores are
    those of a run that had the scorer at once, and it is scored again to the same bytes."""
    for folder in ("then", "now"):
        (tmp_path / folder).mkdir()
    now = load(judged(kind, name, tmp_path / "now"), Workspace(tmp_path / "now"))
    then = load(with_scorers(kind, name, tmp_path / "then", scorers=["contains"]), Workspace(tmp_path / "then"))
    record(tmp_path / "now" / "run", now, as_example)
    record(tmp_path / "then" / "run", then, as_example)
    report = (tmp_path / "now" / "run" / "report.json").read_bytes()
    rescoring.rescore(tmp_path / "now" / "run", Workspace(tmp_path / "now"))
    assert (tmp_path / "now" / "run" / "report.json").read_bytes() == report

    path, setting = tmp_path / "then" / "run", f"scorers=[{inline(LLM)}]"
    with pytest.raises(
        ConfigError, match=r"llm asks 'grader', but a re-score asks nobody\. .*--set \S*scoring\.answers=\S*run"
    ) as no:
        rescoring.rescore(path, Workspace(tmp_path / "then"), [setting])
    assert shlex.quote(setting) in str(no.value)
    models = f"models={inline([*read_toml(path / 'config.toml').content['models'], JUDGE])}"
    later = load(path / "config.toml", Workspace(tmp_path / "then"), [setting, models, f"scoring.answers={path}"])
    assert {each["stage"] for each in later.plan["stages"]} == {SCORING}
    assert [each.name for each in later.asked_tables] == ["grader"]
    assert later.plan["stages"] == [each for each in now.plan["stages"] if each["stage"] == SCORING]


@pytest.mark.parametrize(("kind", "name"), CASES, ids=str)
def test_a_scorer_leads_where_it_says_so(kind: str, name: str, tmp_path: Path) -> None:
    """Then it alone is tested, and first; else the kind's own headline is as without scorers, and no scorer is tested."""
    lead = [*SCORERS[:-1], {"use": "exact", "name": "all_of_it", "headline": True}]
    led = scored(kind, name, tmp_path, scorers=lead).evaluation.kind
    beside = scored(kind, name, tmp_path).evaluation
    bare = load(with_scorers(kind, name, tmp_path, scorers=[]), Workspace(tmp_path)).evaluation.kind

    assert led.units.headline == ("all_of_it",) and led.metrics[0].name == "all_of_it"
    tested = [metric.name for metric in bare.metrics if bare.units.tests(metric.name)]
    own = [metric.name for metric in beside.kind.metrics if metric.name not in beside.task.scorers.names]
    kept = [name for name in tested if name in own]
    assert [m.name for m in beside.kind.metrics if beside.kind.units.tests(m.name)] == (kept or ["contains"])


@pytest.mark.parametrize(("kind", "name"), CASES, ids=str)
def test_gates_form_and_screen_know_the_scorers(kind: str, name: str, tmp_path: Path) -> None:
    """A threshold of each may be set, has a field in the form, and is judged; the app shows a line for each."""
    gate = {"contains": ">= 0", "f1": ">= 0", "length": ">= 0", "all_of_it": ">= 0"}
    loaded = scored(kind, name, tmp_path, gate=gate)
    report = record(tmp_path / "run", loaded, as_example).report
    passed = loaded.evaluation.task.scorers.passed

    fields = {field.key for field in draft_schema(read_toml(tmp_path / "config.toml").content, kind).field("gate").fields}
    assert fields >= NAMES | {passed}
    judged = {entry["metric"] for entry in report["gates"]}
    assert judged == NAMES and {entry["verdict"] for entry in report["gates"]} <= {"PASS", "INCONCLUSIVE"}
    shown = {measure.metric.name for measure in Report(json.loads((tmp_path / "run" / "report.json").read_text())).measures}
    assert shown >= NAMES

    path = with_scorers(kind, name, tmp_path, gate={"contans": ">= 0"})
    with pytest.raises(ConfigError, match=r"gate\.contans: unknown key; did you mean 'contains'"):
        load(path, Workspace(tmp_path))


@pytest.mark.parametrize("kind", OTHERS, ids=lambda kind: kind.name)
def test_a_kind_without_targets_refuses_scorers(kind: Kind, tmp_path: Path) -> None:
    """With file, line and key, and with the kinds that take them."""
    path = written(kind.name, next(iter(tables_of(kind.name))), tmp_path)
    path.write_text(f'scorers = ["number"]\n{path.read_text()}')

    with pytest.raises(
        ConfigError, match=re.escape(f"{path}:1: scorers: no sample of a {kind.name} run has a target")
    ) as error:
        load(path, Workspace(tmp_path))
    assert all(taker.name in str(error.value) for taker in TAKERS)
    assert not any(field.key in SCORER_KEYS for field in draft_schema({"scorers": ["number"]}, kind.name).fields)


@pytest.mark.parametrize("kind", TAKERS, ids=lambda kind: kind.name)
def test_a_name_that_is_taken_is_refused(kind: Kind, tmp_path: Path) -> None:
    """Of a metric of the kind, or of that of passing; the latter has another name where the kind has one so called."""
    name = next(name for of, name in SCORED if of == kind.name)
    own = {metric.name for metric in kind.metrics}
    passed = "scorers_passed" if "passed" in own else "passed"
    for taken in {*own, passed}:
        path = with_scorers(kind.name, name, tmp_path, scorers=[{"use": "contains", "name": taken}])
        with pytest.raises(ConfigError, match=rf"scorers\[0\]: is called '{taken}'.*name = \"contains_2\""):
            load(path, Workspace(tmp_path))


def test_a_kind_declares_stages_that_answer() -> None:
    """A stage of targets that there is not, or that judges, is a bug of the kind, told in words."""
    panel = KINDS["panel"]
    for stage in ("no_such", "judge", "scorer"):
        wrong = replace(panel, targets=Targets((stage,)))
        assert [problem for problem in problems_of(wrong) if f"targets: {stage!r}" in problem]
    taken = replace(panel, stages=(*panel.stages, Stage(SCORING)))
    assert [problem for problem in problems_of(taken) if "a stage is called 'scoring'" in problem]
    assert [kind.name for kind in KINDS.values() if problems_of(kind)] == []


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_samples_without_a_target_are_refused_with_what_brings_some(name: str, tmp_path: Path) -> None:
    """By the key of the kind that brings targets."""
    kind = name.partition(",")[0]
    with pytest.raises(ConfigError, match=rf"{kind}\.\w+: no \w+ has a target, and contains compares with one; \w+"):
        scored(kind, name, tmp_path)


def test_without_a_target_nothing_is_compared(tmp_path: Path) -> None:
    """A panel without truths is refused by what brings them; some that lack one are counted; what needs none runs."""
    config = {
        "kind": "panel", "scorers": ["contains"], "models": [{"name": "a", "wire": "simulator", "model": "sim-scholar"}],
        "panel": {"questions": ["One?", "Two?"], "doers": [{"model": "a"}]},
    }  # fmt: skip
    path = tmp_path / "c.toml"

    def loaded(**more: Any) -> Loaded:
        path.write_text(tomli_w.dumps({**config, **more}))
        return load(path, Workspace(tmp_path))

    with pytest.raises(
        ConfigError, match=r"panel\.truths: no question has a target, and contains compares with one; give them"
    ):
        loaded()
    table = {**config["panel"], "questions": [{"question": "One?", "truth": "1"}, "Two?"]}  # type: ignore[dict-item]
    found = loaded(panel=table)
    assert [each for each in found.warnings if "no target" in each] == [
        "1 of 2 questions has no target; scorers that compare with a target leave them out"
    ]
    rows = [
        found.evaluation.driven(each, lambda call: Reply(call, "ok", text="It is 1.")) for each in found.evaluation.samples()
    ]
    assert [(score.value, score.why) for row in rows for score in row.scores] == [
        (1.0, ""),
        (None, "no truth for this question"),
    ]
    assert loaded(scorers=["is_refusal"]).evaluation.kind.units.headline == ("is_refusal",)
    with pytest.raises(ConfigError, match=r"scorers: no scorer judges an answer .length."):
        loaded(panel=table, scorers=["length"])


def test_a_score_is_missing_where_no_reply_came(tmp_path: Path) -> None:
    """Whatever the kind: a timeout is never 0."""

    def lost(call: Call) -> Reply:
        return Reply(call, "timeout")

    for kind in TAKERS:
        name = next(name for of, name in SCORED if of == kind.name)
        found = sample(kind.name, name, tmp_path) if kind.name == "qa" else scored(kind.name, name, tmp_path)
        for each in found.evaluation.samples():
            row = found.evaluation.driven(each, lost)
            theirs = [score for score in row.scores if score.name in found.evaluation.task.scorers.names]
            assert [score.value for score in theirs if score.value is not None] == []
