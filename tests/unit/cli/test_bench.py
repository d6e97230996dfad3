"""Laws of the verb `bench`: scorers side by side on stored replies; nothing is sent, and no file of the run changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from choices import record

from tui_eval.cli.command_line import main
from tui_eval.configuring.loading import load
from tui_eval.core.calls import Call, Reply
from tui_eval.workspace.places import Workspace

N = 24
MODELS = [{"name": name, "wire": "simulator", "model": f"sim-{name}"} for name in ("scholar", "sprinter")]
Capture = pytest.CaptureFixture[str]


def in_words(call: Call) -> Reply:
    """A sentence of one model, which holds every number; the bare answer of the other, wrong in one of four."""
    number = int("".join(sign for sign in call.messages[-1].content.partition("ship ")[2] if sign.isdigit()))
    every = " ".join(map(str, range(3, 3 + N)))
    text = f"Of {every} I would say {number}." if call.model == "scholar" else str(number + (number % 4 == 0))
    return Reply(call, "ok", text=text)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a stored run of a panel, graded letter by letter."""
    panel = {
        "questions": [f"How many masts has ship {n}?" for n in range(3, 3 + N)],
        "truths": [str(n) for n in range(3, 3 + N)],
        "doers": [{"model": "scholar"}, {"model": "sprinter"}],
        "benchmark": {"mode": "exact"},
    }
    config = {"kind": "panel", "name": "ships", "scorers": ["number", "f1"], "models": MODELS, "panel": panel}
    (tmp_path / "ships.toml").write_text(tomli_w.dumps(config))
    record(tmp_path / "ships", load(tmp_path / "ships.toml", Workspace(tmp_path)), in_words)
    return tmp_path


def bench(folder: Path, capsys: Capture, *words: str) -> str:
    """What `bench` prints of the run."""
    capsys.readouterr()
    assert main(["--workspace", str(folder), "bench", str(folder / "ships"), *words]) == 0
    return capsys.readouterr().out


def own_files(path: Path) -> dict[str, bytes]:
    """What stands in a run folder."""
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_scorers_stand_side_by_side(workspace: Path, capsys: Capture) -> None:
    """Those of the run first; `contains` accepts whatever holds all numbers, also for another question."""
    before = own_files(workspace / "ships")
    entry: dict[str, Any] = json.loads(bench(workspace, capsys, "--json"))
    scorers = {each["scorer"]: each for each in entry["scorers"]}

    assert own_files(workspace / "ships") == before
    assert [each["scorer"] for each in entry["scorers"]][:3] == ["correct", "number", "f1"]
    assert (entry["reference"], entry["n_replies"], entry["n_ratings"], entry["errors"]) == ("correct", 2 * N, 0, [])
    assert scorers["contains"]["shuffled"] == 0.5 and scorers["number"]["shuffled"] == 0
    assert scorers["number"]["accepts"] == pytest.approx((N + 18) / (2 * N)) and scorers["number"]["unparsed"] == 0
    assert scorers["correct"]["differs"] is not None and scorers["f1"]["accepts"] is None and scorers["f1"]["mean"] > 0
    assert entry["n_differ"] == N and "llm" in entry["left_out"]


def test_the_table_says_what_is_lenient_and_what_is_simulated(workspace: Path, capsys: Capture) -> None:
    """And that nobody has rated yet."""
    text = bench(workspace, capsys)
    assert f"{2 * N} replies of 2 models; scorers differ on {N} (50.0 %); differs: from `correct`" in text
    line = next(line for line in text.splitlines() if line.startswith("contains "))
    assert "50.0 % lenient" in line
    assert "No ratings yet" in text and "Left out: " in text


def test_a_run_without_targets_has_no_bench(tmp_path: Path, capsys: Capture) -> None:
    """The message says why."""
    config = {
        "kind": "call",
        "name": "hello",
        "models": MODELS,
        "call": {"model": "scholar", "messages": [{"role": "user", "content": "Hello."}]},
    }
    (tmp_path / "hello.toml").write_text(tomli_w.dumps(config))
    record(tmp_path / "hello", load(tmp_path / "hello.toml", Workspace(tmp_path)), lambda call: Reply(call, "ok", text="Hi."))

    assert main(["--workspace", str(tmp_path), "bench", str(tmp_path / "hello")]) == 2
    assert "call has no targets, so no scorer applies" in capsys.readouterr().err
