"""Rubrics of a person's own beside the shipped metrics: judges with known faults are told the same by both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from chats import chat, conversations
from fault_bench import Life, Table, run_here, serving, simulated_by, strict_json

from tui_eval.configuring.loading import load
from tui_eval.workspace.places import Workspace, shipped

JUDGES = {"arbiter": "sim-arbiter", "wavering": "sim-wavering", "unmoved": "sim-unmoved", "credulous": "sim-credulous"}


def own_copy(folder: Path, shipped_name: str, name: str, head: str) -> None:
    """Write a shipped prompt as a rubric of another name."""
    text = (shipped("prompts") / "chat" / f"{shipped_name}.md").read_text(encoding="utf-8")
    text = text.replace("{context}", "{document}").replace("{truth}", "{target}")
    path = folder / "prompts" / "chat" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nmetric: true\n{head}\n---\n{text}", encoding="utf-8")


def rows(life: Life, table: str) -> list[Table]:
    """A table of the run, as rows by column."""
    return list(strict_json((life.path / f"{table}.json").read_bytes())["rows"])


async def test_judges_with_known_faults_are_told_so_by_an_own_rubric(tmp_path: Path) -> None:
    """Noise of hidden duplicates, agreement, attacks: by its own text and scale, in files and words as a shipped metric."""
    own_copy(tmp_path, "groundedness", "borne_out", "sees: document")
    async with serving(latency_scale=0) as served:
        specs = [simulated_by(served.url, n, p) for n, p in {"a": "sim-grounded", "b": "sim-inventive", **JUDGES}.items()]
        judge = {"models": [*JUDGES], "metrics": ["borne_out"], "duplicates": 0.5, "attacks": True, "claims": False}
        life = await run_here(chat(tmp_path, conversations([2] * 7), specs, judge), tmp_path)
    noise = {row["judge"]: row for row in rows(life, "judge_noise")}
    attacks = {row["judge"]: row for row in rows(life, "judge_attacks")}
    checks = {(row["check"], row["judge"]) for row in rows(life, "judge_checks")}

    assert {row["metric"] for row in (*noise.values(), *attacks.values())} == {"borne_out"}
    assert all(row["n_twice"] == 14 for row in noise.values())
    assert noise["wavering"]["noise"] > 0.3 > (noise["arbiter"]["noise"] or 0)
    assert {name: row["found"] for name, row in attacks.items()} == {
        "arbiter": "no", "wavering": "no", "unmoved": "no", "credulous": "yes",
    }  # fmt: skip
    assert ("agreement", "arbiter / wavering") in checks and any(check == "alpha" for check, _ in checks)
    assert life.report["tables"]["metrics"]["rows"]
    copied = (life.path / "inputs" / "prompts" / "borne_out.md").read_text(encoding="utf-8")
    assert copied.startswith("---\nmetric: true\nsees: document\n---\n")
    sent = (life.path / "call_logs.jsonl").read_text(encoding="utf-8")
    assert "metric: true" not in sent and "sees: document" not in sent
    entry = json.loads((life.path / "manifest.json").read_text(encoding="utf-8"))["judged"]["borne_out"]
    assert entry["prompts"] == ["judge_system", "borne_out", "reminder"]


@pytest.mark.parametrize(("better", "outcome"), [("higher", "PASS"), ("lower", "FAIL")])
async def test_the_ladder_is_climbed_by_an_own_rubric_in_its_direction(tmp_path: Path, better: str, outcome: str) -> None:
    """Of a rubric of which less is better, a judge that marks damaged texts lower is not usable."""
    own_copy(tmp_path, "groundedness", "borne_out", f"sees: document\nbetter: {better}")
    place = shipped("examples")
    settings = [f"chat.dataset={place / 'judge-ladder' / 'texts.json'}", 'chat.judge.metrics=["borne_out"]']
    async with serving(latency_scale=0) as served:
        table = load(place / "judge-ladder.toml", Workspace(tmp_path), settings).file.content
        specs = [simulated_by(served.url, each["name"], each["model"]) for each in table["models"]]
        life = await run_here({**table, "models": specs}, tmp_path)
    (gate,) = life.report["gates"]

    assert (gate["metric"], gate["verdict"]) == ("borne_out", outcome)
    assert "(mean score 5.00, " in gate["text"]


async def test_answers_of_qa_are_judged_by_own_rubrics(tmp_path: Path) -> None:
    """Beside a scorer: duplicates, noise, agreement and attacks; the target is shown since the rubric lists it."""
    path = tmp_path / "prompts" / "qa" / "agreeing.md"
    path.parent.mkdir(parents=True)
    body = "[REFERENCE]\n{target}\n[/REFERENCE]\n\n[ANSWER]\n{answer}\n[/ANSWER]\n\nJudge how correct it is, from 1 to 5."
    path.write_text(f"---\nmetric: true\nsees: target\n---\n{body}", encoding="utf-8")
    questions = [{"question": f"What is {n} and {n}?", "answer": str(2 * n)} for n in range(1, 21)]
    (tmp_path / "sums.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in questions), encoding="utf-8")
    async with serving(latency_scale=0) as served:
        personas = {"a": "sim-scholar", "b": "sim-sprinter", **JUDGES}
        table = {
            "dataset": "sums.jsonl",
            "target": "answer",
            "models": ["a", "b"],
            "prompts": [{"name": "plain", "text": "{question}"}],
            "judge": {"models": [*JUDGES], "metrics": ["agreeing"], "duplicates": 0.5, "attacks": True},
        }
        config = {
            "kind": "qa",
            "name": "sums",
            "scorers": ["number"],
            "run": {"max_calls": 10_000, "stop_model_after": 0},
            "models": [simulated_by(served.url, name, persona) for name, persona in personas.items()],
            "qa": table,
        }
        life = await run_here(config, tmp_path)
    noise = {row["judge"]: row for row in rows(life, "judge_noise")}

    assert {row["metric"] for row in noise.values()} == {"agreeing"} and all(row["n_twice"] == 20 for row in noise.values())
    assert noise["wavering"]["noise"] > 1.5 * noise["arbiter"]["noise"], noise
    moved = {row["judge"] for row in rows(life, "judge_attacks") if row["found"] == "yes"}
    assert "credulous" in moved and "unmoved" not in moved
    assert {row["metric"] for row in life.report["tables"]["scores"]["rows"] and rows(life, "scores")} == {"agreeing"}
    assert rows(life, "scorer_accuracy")
    sent = (life.path / "call_logs.jsonl").read_text(encoding="utf-8")
    assert "metric: true" not in sent
    again = load(life.path / "config.toml", Workspace(life.path), sends=False)
    assert again.evaluation.task.rubrics["agreeing"].sees == ("target",)
