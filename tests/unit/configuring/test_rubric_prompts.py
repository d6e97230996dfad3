"""Rubrics in prompts/<kind>/ of a workspace: found by name, refused with file, line and key, kept in run folders."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli_w
from chats import conversations, driven, loaded

from tui_eval.configuring.judge_identity import identities
from tui_eval.configuring.loading import load, resolved
from tui_eval.configuring.prompt_files import prompt_files
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace

BODY = "[ANSWER]\n{answer}\n[/ANSWER]\n\nJudge the politeness of the answer, on a scale from 1 to 5."
HEAD = "---\nmetric: true\n---\n"


def rubric(folder: Path, text: str, name: str = "politeness") -> Path:
    """Write a rubric into the workspace."""
    path = folder / "prompts" / "chat" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_rubric_is_a_metric_and_a_prompt(tmp_path: Path) -> None:
    rubric(tmp_path, f"{HEAD}{BODY}")
    found = loaded(tmp_path, conversations([2, 1]), {"metrics": ["fluency", "politeness"], "duplicates": 1}, models=2)
    rows = driven(found)

    assert {score.name for row in rows for score in row.scores} == {"fluency", "politeness", "claims"}
    calls = [reply.call for row in rows for reply in row.replies if reply.call.about.startswith("politeness")]
    assert len(calls) == 2 * 3 * 2
    assert all("metric: true" not in message.content for call in calls for message in call.messages)
    assert found.evaluation.kind.units.headline[-2:] == ("politeness", "claims")


def test_a_run_keeps_its_rubrics_and_needs_no_workspace(tmp_path: Path) -> None:
    """The config of a run folder loads where the workspace has no such file, and asks the same."""
    rubric(tmp_path, f"{HEAD}{BODY}")
    found = loaded(tmp_path, conversations([1]), {"metrics": ["politeness"]})
    kept = next(file for file in found.provenance if file.name == "politeness.md")
    assert kept.content.startswith(HEAD)
    run = tmp_path / "run"
    for file in found.provenance:
        (run / file.path).parent.mkdir(parents=True, exist_ok=True)
        (run / file.path).write_text(file.content, encoding="utf-8")
    (run / "config.toml").write_text(tomli_w.dumps(resolved(found)), encoding="utf-8")
    again = load(run / "config.toml", Workspace(tmp_path / "run"), sends=False)

    asked = [[reply.call.messages for row in driven(each) for reply in row.replies] for each in (found, again)]
    assert asked[0] == asked[1]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("politenes", "'politenes' is not a metric; did you mean 'politeness'"),
        ("claims", "'claims' is the name of a shipped prompt or metric"),
        ("judge_system", "'judge_system' is the name of a shipped prompt or metric"),
        ("question", "'question' is the name of a column in files"),
        ("../evil", "a rubric is called by small letters"),
    ],
)
def test_names_that_are_refused(tmp_path: Path, name: str, said: str) -> None:
    rubric(tmp_path, f"{HEAD}{BODY}")
    with pytest.raises(ConfigError, match=r"chat\.judge\.metrics") as caught:
        loaded(tmp_path, conversations([1]), {"metrics": [name]})

    assert said in str(caught.value)


def test_a_rubric_of_a_shipped_name_is_refused(tmp_path: Path) -> None:
    path = rubric(tmp_path, f"{HEAD}{BODY}", "fluency")
    with pytest.raises(
        ConfigError, match="'fluency' is the name of a shipped prompt; give the rubric's file another one"
    ) as caught:
        loaded(tmp_path, conversations([1]), {"metrics": ["fluency"]})

    assert str(path) in str(caught.value)


def test_a_slot_that_is_not_listed_is_refused_with_file_line_and_key(tmp_path: Path) -> None:
    path = rubric(tmp_path, f"{HEAD}{BODY}\n{{document}}")
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, conversations([1]), {"metrics": ["politeness"]})

    assert f"{path}:9: sees: does not list document" in str(caught.value)
    assert "write `sees: document`" in str(caught.value)


def test_what_rests_on_the_document_is_left_out_where_none_is_shown(tmp_path: Path) -> None:
    rubric(tmp_path, f"---\nmetric: true\nsees: document\n---\n{{document}}\n{BODY}")
    found = loaded(tmp_path, conversations([1]), {"metrics": ["politeness", "fluency"]}, context="none")

    assert {score.name for row in driven(found) for score in row.scores} == {"fluency"}


def test_the_list_of_prompts_knows_rubrics(tmp_path: Path) -> None:
    rubric(tmp_path, f"{HEAD}{BODY}")
    rubric(tmp_path, f"{HEAD}{BODY}\n{{target}}", "warmth")
    found = {each.name: each for each in prompt_files(Workspace(tmp_path)) if each.shipped is None}

    assert found["politeness"].problem == ""
    assert "line:9: sees: does not list target" in found["warmth"].problem


def test_persons_are_asked_by_scales_that_they_can_use(tmp_path: Path) -> None:
    heads = {"warmth": "", "polite": "low: 0\nhigh: 1\n", "rude": "better: lower\n", "wide": "high: 10\n"}
    for name, more in heads.items():
        rubric(tmp_path, f"---\nmetric: true\n{more}---\n{BODY}", name)
    found = loaded(tmp_path, conversations([1]), {"metrics": [*heads], "claims": False}).evaluation
    asked = {name: entry["asks"] for name, entry in found.kind.judged(found.task)["judged"].items() if name in heads}

    assert asked == {
        "warmth": "How does the answer do by warmth?",
        "polite": "Does the answer pass by polite?",
        "rude": "How does the answer do by rude? 1 is best.",
    }
    (identity,) = [each for each in identities(found) if each.metric["name"] == "polite"]
    assert [*identity.prompt["files"]] == ["judge_system", "polite", "reminder"]


def test_a_certificate_of_qa_is_of_the_rubric_and_the_prompts_of_judges(tmp_path: Path) -> None:
    path = tmp_path / "prompts" / "qa" / "polite.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nmetric: true\nlow: 0\nhigh: 1\n---\n{BODY}", encoding="utf-8")
    (tmp_path / "rows.jsonl").write_text('{"question": "When?", "answer": "At six."}\n', encoding="utf-8")
    models = [{"name": name, "wire": "simulator", "model": "sim-scholar"} for name in ("a", "judge")]
    judge = {"model": "judge", "metrics": ["polite"]}
    table = {"dataset": "rows.jsonl", "prompts": [{"name": "plain", "text": "{question}"}], "models": ["a"], "judge": judge}
    (tmp_path / "c.toml").write_text(tomli_w.dumps({"kind": "qa", "models": models, "qa": table}), encoding="utf-8")
    found = load(tmp_path / "c.toml", Workspace(tmp_path)).evaluation
    (identity,) = identities(found)

    assert [*identity.prompt["files"]] == ["judge_system", "polite", "reminder"]
    assert identity.prompt["version"].startswith("own/2 ")
