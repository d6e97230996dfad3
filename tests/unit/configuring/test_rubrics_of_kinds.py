"""Rubrics in panels and pipelines: the key that names them, what is refused, what a run keeps, and whose certificates are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from pipelines import MODELS, NOTE

from tui_eval.configuring.judge_identity import identities
from tui_eval.configuring.loading import Loaded, load, resolved
from tui_eval.core.calls import Call
from tui_eval.core.errors import ConfigError
from tui_eval.evaluation.drivers import as_example
from tui_eval.workspace.places import Workspace

BODY = "[ANSWER]\n{answer}\n[/ANSWER]\n\nJudge the politeness of the answer, on a scale from 1 to 5."
KEYS = {"panel": "panel.rubrics.metrics", "pipeline": "pipeline.judge.metrics"}
KINDS = pytest.mark.parametrize("kind", KEYS)


def loaded(folder: Path, kind: str, metrics: Sequence[str], head: str = "", body: str = BODY, **judge: Any) -> Loaded:
    """A small config of a kind, with one rubric in its workspace: politeness."""
    place = folder / "prompts" / kind / "politeness.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"---\nmetric: true\n{head}---\n{body}", encoding="utf-8")
    (folder / "note.md").write_text(NOTE, encoding="utf-8")
    table: dict[str, Any] = {
        "documents": ["note.md"], "questions": [{"question": "What does the mill grind?", "truth": "rye"}],
        "doers": [{"model": "maker"}, {"model": "cheap"}], "judges": [{"model": "asker"}], "finals": [{"model": "reader"}],
        "benchmark": {"mode": "exact"}, "rubrics": {"model": "judge", "metrics": [*metrics], **judge},
    }  # fmt: skip
    if kind == "pipeline":
        table = {
            "inputs": ["note.md"], "process": {"models": ["maker", "cheap"]}, "questions": {"model": "asker"},
            "answers": {"models": ["reader"]}, "judge": {"models": ["judge"], "metrics": [*metrics], **judge},
        }  # fmt: skip
    (folder / "c.toml").write_text(tomli_w.dumps({"kind": kind, "models": MODELS, kind: table}), encoding="utf-8")
    return load(folder / "c.toml", Workspace(folder))


def calls_in(found: Loaded) -> list[Call]:
    """All calls, answered by their examples."""
    rows = [found.evaluation.driven(sample, as_example) for sample in found.evaluation.samples()]
    assert [row.error for row in rows if row.error] == []
    return [reply.call for row in rows for reply in row.replies]


@KINDS
def test_every_answer_has_a_score_of_its_own(tmp_path: Path, kind: str) -> None:
    """Beside grades and marks, which are asked for as they are without rubrics."""
    with_rubric = loaded(tmp_path, kind, ["politeness"], duplicates=0)
    asked = calls_in(with_rubric)
    own = [call for call in asked if call.about.startswith("politeness ")]
    (row,) = [with_rubric.evaluation.driven(sample, as_example) for sample in with_rubric.evaluation.samples()]
    scores = [score for score in row.scores if score.name == "politeness"]

    assert len(own) == {"panel": 3, "pipeline": len(scores) // 2}[kind] > 0
    assert {score.value for score in scores} == {5.0}
    assert {score.stage for score in scores} == {"panel": {"doer", "final"}, "pipeline": {"answers", "process"}}[kind]
    assert all("metric: true" not in message.content for call in own for message in call.messages)
    assert "by one criterion" in own[0].messages[0].content
    (tmp_path / "c.toml").write_text((tmp_path / "c.toml").read_text().replace('metrics = [\n    "politeness",\n]\n', ""))
    if kind == "pipeline":
        without = calls_in(load(tmp_path / "c.toml", Workspace(tmp_path)))
        assert without == [call for call in asked if call not in own]


@KINDS
def test_what_is_shown(tmp_path: Path, kind: str) -> None:
    """The target, and the document; in a pipeline the text that was answered from."""
    found = loaded(tmp_path, kind, ["politeness"], "sees: document, target\n", f"{{document}}\n{{target}}\n{BODY}")
    asked = [call for call in calls_in(found) if call.about.startswith("politeness ")]

    assert asked and all("grinds rye on Mondays" in call.messages[-1].content for call in asked)
    assert all("[DOCUMENT]" not in call.messages[-1].content and not call.holds_marks for call in asked)


@KINDS
def test_the_plan_counts_what_is_judged_twice(tmp_path: Path, kind: str) -> None:
    found = loaded(tmp_path, kind, ["politeness"], duplicates=0.3, attacks=True)

    assert found.plan["total_calls"] == len(calls_in(found))
    assert any(call.about.endswith(" twice") and call.about.startswith("politeness") for call in calls_in(found))


@KINDS
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("politenes", "'politenes' is not a metric; did you mean 'politeness'"),
        ("correct|passed", "is the name of a shipped prompt or metric"),
        ("doer_user|judge_answer", "is the name of a shipped prompt or metric"),
        ("rubric_system", "is the name of a shipped prompt or metric"),
        ("model", "is the name of a column in files"),
        ("../evil", "a rubric is called by small letters"),
    ],
)
def test_names_that_are_refused(tmp_path: Path, kind: str, name: str, said: str) -> None:
    own_name = name.split("|")[-1 if kind == "pipeline" else 0]
    with pytest.raises(ConfigError, match=KEYS[kind].replace(".", r"\.")) as caught:
        loaded(tmp_path, kind, [own_name])

    assert said in str(caught.value) and own_name in str(caught.value)


@KINDS
@pytest.mark.parametrize(
    ("head", "body", "said"),
    [
        ("sees: history\n", f"{BODY}\n{{history}}", "judges are not shown that here; they can be shown document, target"),
        ("shows: target\n", BODY, "politeness.md:3: shows: is no key of a rubric"),
        ("", "Judge it.", "politeness.md:4: has no {answer}"),
        ("", f"{BODY} {{target}}", "write `sees: target`"),
    ],
)
def test_rubrics_that_are_refused(tmp_path: Path, kind: str, head: str, body: str, said: str) -> None:
    """With file, line and key."""
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, kind, ["politeness"], head, body)

    assert said in str(caught.value) and "politeness.md" in str(caught.value)


@KINDS
def test_a_run_keeps_its_rubrics_and_needs_no_workspace(tmp_path: Path, kind: str) -> None:
    """The config of a run folder loads where the workspace has no such file, and asks the same."""
    found = loaded(tmp_path, kind, ["politeness"], "sees: target\n", f"{BODY} {{target}}", duplicates=0.5, attacks=True)
    run = tmp_path / "run"
    for file in found.provenance:
        (run / file.path).parent.mkdir(parents=True, exist_ok=True)
        (run / file.path).write_text(file.content, encoding="utf-8")
    (run / "config.toml").write_text(tomli_w.dumps(resolved(found)), encoding="utf-8")
    again = load(run / "config.toml", Workspace(run), sends=False)

    assert [call.messages for call in calls_in(again)] == [call.messages for call in calls_in(found)]
    assert (run / "inputs" / "prompts" / "rubric_system.md").is_file()


def test_a_certificate_of_a_panels_rubric_is_of_its_own_judge(tmp_path: Path) -> None:
    """Not of the panel's judges, and nothing of an exact match."""
    found = loaded(tmp_path, "panel", ["politeness"], "low: 0\nhigh: 1\n").evaluation
    (identity,) = identities(found)

    assert (identity.metric["name"], identity.judge["name"], identity.judge["temperature"]) == ("politeness", "judge", 0.0)
    assert [*identity.prompt["files"]] == ["rubric_system", "politeness", "rubric_reminder"]
    asked = found.kind.judged(found.task)["judged"]
    assert asked == {
        "politeness": {
            "stage": "rubric", "asks": "Does the answer pass by politeness?",
            "prompts": ["rubric_system", "politeness", "rubric_reminder"],
        }
    }  # fmt: skip


def test_a_document_that_judges_are_not_shown_is_named(tmp_path: Path) -> None:
    (tmp_path / "c.png").write_bytes(Path("tests/data/images/hopper.png").read_bytes())
    head, body = "sees: document\n", f"{{document}}\n{BODY}"
    loaded(tmp_path, "panel", ["politeness"], head, body)
    text = (tmp_path / "c.toml").read_text(encoding="utf-8").replace('"note.md"', '"note.md", "c.png"')
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    found = load(tmp_path / "c.toml", Workspace(tmp_path))

    assert any("politeness: judges are not shown c.png" in warning for warning in found.warnings)
    assert found.plan["total_calls"] == len(calls_in(found))
