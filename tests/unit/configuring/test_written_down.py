"""What a run folder writes down of itself: its id in results.json, and in resolved_config.json that no temperature is sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from fault_bench import Table, strict_json, strict_lines

from tui_eval.cli.command_line import main
from tui_eval.kinds.pipeline.file_task import Judge

TALK = {
    "documents": [{"filename": "m.txt", "sha256": "", "pages": 1, "uploaded_at": "", "text": "Oda keeps the mill."}],
    "conversations": [{"id": "c1", "document": "m.txt", "turns": [{"id": "t1", "question": "Who?", "ground_truth": "Oda"}]}],
}


def sent(path: Path, stage: str) -> list[float | None]:
    """The temperatures that the requests of a stage named, in order of the models' rows."""
    found = [line for line in strict_lines(path / "call_logs.jsonl") if line["stage"] == stage]
    return [line["request"].get("temperature") for line in sorted(found, key=lambda line: line["call_index"])]


def run(folder: Path, config: Table) -> Path:
    """The run folder of a config."""
    (folder / "config.toml").write_text(tomli_w.dumps(config))
    assert main(["-q", "run", str(folder / "config.toml"), "--no-preflight", "--out", str(folder / "run")]) in (0, 3)
    return folder / "run"


def simulated(name: str, **more: Any) -> Table:
    """A [[models]] entry."""
    return {"name": name, "wire": "simulator", "model": "sim-sprinter", **more}


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one model, with a temperature of its own, in three rows."""
    rows = [{"model": "m"}, {"model": "m", "temperature": 0.3}, {"model": "m", "temperature": 0.3, "use_temperature": False}]
    config: Table = {
        "kind": "panel", "name": "p", "models": [simulated("m", temperature=0.7)],
        "panel": {"questions": ["What is one?"], "doers": rows},
    }  # fmt: skip
    return run(tmp_path_factory.mktemp("panel"), config)


def test_a_row_switches_temperature_off(panel: Path) -> None:
    """Its own and the model's: the request names none. A row that says nothing has the model's."""
    assert sent(panel, "doer") == [0.7, 0.3, None]


def test_the_resolved_config_says_that_none_is_sent(panel: Path) -> None:
    """null, as specification 003 has it (§12.2); where one is sent, which. What else holds nothing is left out."""
    found = strict_json((panel / "resolved_config.json").read_bytes())

    assert [row["temperature"] for row in found["panel"]["doers"]] == [0.7, 0.3, None]
    assert found["models"][0]["temperature"] == 0.7
    assert "max_cost_usd" not in found["run"] and "benchmark" not in found["panel"]


def test_results_name_their_run(panel: Path) -> None:
    """As specification 003 has it (§12.4), and as the manifest and the report do."""
    found = strict_json((panel / "results.json").read_bytes())
    manifest = json.loads((panel / "manifest.json").read_bytes())

    assert found["run_id"] == manifest["run_id"] == panel.name
    assert next(iter(found)) == "run_id"


def test_a_judge_is_sent_none_where_that_is_said(tmp_path: Path) -> None:
    """Where judges are sent 0 otherwise: in conversations; and the table of the pipeline's judges has the same key."""
    (tmp_path / "talk.json").write_text(json.dumps(TALK))
    judge = {"model": "j", "use_temperature": False, "duplicates": 0.0, "claims": False}
    config: Table = {
        "kind": "chat", "name": "c", "models": [simulated("m"), simulated("j")],
        "chat": {"dataset": str(tmp_path / "talk.json"), "models": ["m"], "judge": judge},
    }  # fmt: skip
    path = run(tmp_path, config)

    assert {*sent(path, "judge")} == {None}
    assert strict_json((path / "resolved_config.json").read_bytes())["models"][0]["temperature"] is None
    assert "use_temperature" in Judge.model_fields
