"""Judges of the simulator with a fault each, found out by a run's figures: noise, length, their own answers, the ladder."""

from __future__ import annotations

from pathlib import Path

import pytest
from canal_gates import talks
from chats import chat
from fault_bench import Table, run_here, serving, simulated_by, strict_json

from tui_eval.configuring.loading import load
from tui_eval.workspace.places import Workspace, shipped


async def checks(
    folder: Path, models: dict[str, str], judges: dict[str, str], metric: str = "groundedness"
) -> dict[tuple[str, str], Table]:
    """What is known of the judges of a metric, by check and judge, where these models answer."""
    async with serving(latency_scale=0) as served:
        specs = [simulated_by(served.url, name, persona) for name, persona in {**models, **judges}.items()]
        judge = {"models": list(judges), "metrics": [metric], "claims": False, "duplicates": 1.0}
        config = chat(folder, talks(), specs, judge, history="truth")
        life = await run_here(config, folder)
    rows = strict_json((life.path / "judge_checks.json").read_bytes())["rows"]
    return {(row["check"], row["judge"]): row for row in rows}


@pytest.mark.soak
async def test_a_judge_that_wavers_is_noisy_and_a_steady_one_is_not(tmp_path: Path) -> None:
    found = await checks(
        tmp_path, {"a": "sim-grounded", "b": "sim-inventive"}, {"wavers": "sim-wavering", "steady": "sim-scorer"}
    )

    assert found["noise", "wavers"]["found"] == "yes" and found["noise", "steady"]["found"] == "no"
    assert found["noise", "wavers"]["low"] > (found["noise", "steady"]["high"] or 0)
    assert found["agreement", "wavers / steady"]["figure"] < 0.8


@pytest.mark.soak
async def test_a_judge_that_counts_words_has_marks_that_follow_length(tmp_path: Path) -> None:
    """Among answers to one question: of a plain, a terse and a wordy model."""
    models = {"a": "sim-grounded", "b": "sim-sprinter", "c": "sim-rambler"}
    found = await checks(tmp_path, models, {"counts": "sim-wordcount", "steady": "sim-scorer"}, "fluency")

    assert found["length", "counts"]["found"] == "yes" and found["length", "counts"]["low"] > 0
    assert found["length", "steady"]["found"] == "no"


@pytest.mark.soak
async def test_a_judge_that_likes_its_own_is_found_out_by_a_second_one(tmp_path: Path) -> None:
    models = {"own": "sim-vain", "b": "sim-grounded", "c": "sim-sprinter"}
    found = await checks(tmp_path, models, {"vain": "sim-vain", "other": "sim-scorer"})

    assert found["own answers", "vain"]["found"] == "yes" and found["own answers", "vain"]["low"] > 0
    assert ("own answers", "other") not in found


async def test_with_one_judge_its_own_model_is_pointed_out_and_no_more_can_be_told(tmp_path: Path) -> None:
    found = await checks(tmp_path, {"own": "sim-vain", "b": "sim-grounded"}, {"vain": "sim-vain"})

    alone = found["own answers", "vain"]
    assert (alone["figure"], alone["found"]) == (None, "no")
    assert "with one judge nothing tells self-preference from better answers" in alone["in_words"]


@pytest.mark.parametrize(
    ("persona", "metric", "code", "said"),
    [
        ("sim-arbiter", "groundedness", 0, "is usable"),
        ("sim-wavering", "groundedness", 0, "is usable"),  # an unsteady hand that still orders 25 % steps: T15
        ("sim-arbiter", "fluency", 1, "is not usable"),  # texts stay as fluent as they were
    ],
)
async def test_the_ladder_says_in_a_line_which_judge_is_usable(
    tmp_path: Path, persona: str, metric: str, code: int, said: str
) -> None:
    """And the run ends with 1 where it is not; nobody but the judge is asked."""
    async with serving(latency_scale=0) as served:
        example = shipped("examples") / "judge-ladder.toml"
        settings = [f"chat.dataset={example.parent / 'judge-ladder' / 'texts.json'}", f'chat.judge.metrics=["{metric}"]']
        table = load(example, Workspace(tmp_path), settings).file.content
        judge = simulated_by(served.url, "judge", persona)
        life = await run_here({**table, "models": [table["models"][0], judge]}, tmp_path)
        asked = await served.stats()
    (gate,) = life.report["gates"]
    assert said in gate["text"] and gate["passed"] is (code == 0)
    assert life.ended.exit_code == code
    assert asked["requests"] == sum(record["stage"] == "judge" for record in life.records)
