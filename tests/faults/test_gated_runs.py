"""Gates as a script of CI meets them: the exit code of every command, what is printed, and that nothing is sent in vain."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tomli_w
from fault_bench import Peer, Table, simulated_by
from made import EXAM, FAILING, write_exam
from nursery import Nursery

from tui_eval.engine.run import RunEnd

SCRIPT = """
tui-eval() {{ {python} -m tui_eval --workspace {workspace} "$@"; }}
{command} || exit $?
echo released
"""


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    """A simulator that answers at once, and counts."""
    found = Peer(latency_scale=0)
    yield found
    found.close()


def exam(url: str, gate: Table, *models: tuple[str, str]) -> Table:
    """A small exam of these simulated models."""
    return {
        "kind": "choice",
        "name": "gated",
        "run": {"stop_model_after": 0, "cache": False, "retries": 0},
        "models": [simulated_by(url, name, model) for name, model in models],
        "choice": {"benchmark": EXAM, "models": [name for name, _ in models]},
        "gate": gate,
    }


def in_ci(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """A step of a CI script: what follows the command is done only where it ended with 0."""
    script = SCRIPT.format(python=sys.executable, workspace=folder, command=command)
    return subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=240, check=False)


def written(folder: Path, config: Table) -> Path:
    write_exam(folder)
    path = folder / "gated.toml"
    path.write_text(tomli_w.dumps(config))
    return path


SCHOLAR = ("mini", "sim-scholar")


@pytest.mark.soak
def test_a_gate_says_what_was_not_asked_anew(peer: Peer, tmp_path: Path) -> None:
    """Runs of which some replies are on file, all of them, and none: a pass on nothing but these catches no drop."""
    config = exam(peer.url, {}, SCHOLAR)
    written(tmp_path, config | {"run": {**config["run"], "cache": True}})
    write_exam(tmp_path, 40)
    assert in_ci(tmp_path, "tui-eval run gated.toml --out first -q --set choice.filter.first=30").returncode == 0
    for beside, out, more, on_file in (
        ("first", "part", "", 30), ("part", "all", "", 40), ("all", "none", "--set run.cache=false", 0)
    ):  # fmt: skip
        before = peer.stats()["requests"]
        found = in_ci(tmp_path, f"tui-eval run gated.toml --out {out} --set gate.against={beside} -q {more}")
        assert found.returncode == 0, found.stderr
        assert peer.stats()["requests"] - before == 40 - on_file
        (gate,) = json.loads((tmp_path / out / "report.json").read_text())["gates"]
        assert (f"{on_file} of 40 attempts brought a reply on file" in gate["text"]) == (on_file > 0)
        assert ("nothing was asked anew" in gate["text"]) == (on_file == 40)
        assert ("caught" in gate["text"] or "can catch" in gate["text"]) == (on_file < 40)
        assert on_file < 40 or gate["caught"] is None


@pytest.mark.soak
def test_a_script_goes_on_only_where_the_gates_hold(peer: Peer, tmp_path: Path) -> None:
    """0 and the table of gates; 1 with the same run done and complete, re-scored and taken up again, and it says which fail."""
    written(tmp_path, exam(peer.url, {"correct": ">= 0", "max_missing": 0.0, "max_cost_usd": 5}, SCHOLAR))

    good = in_ci(tmp_path, "tui-eval --run gated.toml --out good")
    bad = in_ci(tmp_path, "tui-eval --run gated.toml --out bad --set 'gate.correct=> 100 %'")
    asked = peer.stats()["requests"]
    again = [in_ci(tmp_path, f"tui-eval {verb} bad") for verb in ("rescore", "resume")]
    tried = in_ci(tmp_path, "tui-eval rescore bad --set 'gate.correct=>= 0' --json")

    assert good.returncode == 0 and "gates of answer: 3 passed" in good.stdout and "released" in good.stdout
    for done in (bad, *again):
        assert done.returncode == 1 and "gates of answer: 2 passed, 1 failed" in done.stdout
        assert "released" not in done.stdout and "gates that do not hold: correct mini" in done.stderr
    assert json.loads((tmp_path / "bad" / "progress.json").read_bytes())["state"] == "done"
    tried_gates = json.loads(tried.stdout.partition("released")[0])["gates"]
    assert tried.returncode == 0 and [gate["passed"] for gate in tried_gates] == [True] * 3
    assert peer.stats()["requests"] == asked


@pytest.mark.soak
def test_an_incomplete_run_is_3_whatever_its_gates_say(peer: Peer, tmp_path: Path) -> None:
    """Calls that failed for good win over a gate that fails as well as over one that holds."""
    written(tmp_path, exam(peer.url, {"models": {"mini": {"correct": ">= 0"}}}, SCHOLAR, ("broken", FAILING)))

    done = [in_ci(tmp_path, f"tui-eval --run gated.toml --out {n} --set '{gate}'")
            for n, gate in enumerate(["gate.models.mini.correct=>= 0", "gate.correct=>= 1"])]  # fmt: skip

    assert [step.returncode for step in done] == [3, 3]
    assert "1 passed" in done[0].stdout and "inconclusive" in done[1].stdout
    later = [in_ci(tmp_path, f"tui-eval {verb}") for verb in ("rescore 0", "rescore 1", "export 0 1 --format gates")]
    assert [step.returncode for step in later] == [3, 3, 3]


@pytest.mark.parametrize(
    "setting", ["gate.corect=>= 0.8", 'gate.critical=["q77"]', "gate.against=nowhere", "gate.correct=0.8", "gate.stage=final"]
)
def test_a_gate_that_cannot_be_judged_is_2_and_nothing_is_sent(
    peer: Peer, nursery: Nursery, tmp_path: Path, setting: str
) -> None:
    """An unknown metric, question, run or stage is found before the first call."""
    written(tmp_path, exam(peer.url, {"correct": ">= 0"}, SCHOLAR))
    before = peer.stats()["requests"]

    done = nursery.run("--workspace", tmp_path, "run", "gated.toml", "--out", "never", "--set", setting)

    assert (done.code, done.stdout) == (2, b"") and f"{setting.partition('=')[0]}: " in done.stderr.decode()
    assert peer.stats()["requests"] == before and not (tmp_path / "never").exists()


@pytest.mark.parametrize(
    ("unfinished", "failed", "unscored", "stopped", "aborted", "passed", "code"),
    [
        (0, 0, 0, "", False, True, 0),
        (0, 0, 0, "", False, False, 1),
        (0, 0, 0, "Ctrl-C", False, False, 1),
        (2, 0, 0, "Ctrl-C", False, False, 130),
        (2, 0, 0, "", False, False, 3),
        (0, 2, 0, "", False, False, 3),
        (0, 0, 2, "", False, False, 3),
        (0, 0, 0, "refused to start", True, False, 3),
    ],
)
def test_which_exit_code_wins(
    unfinished: int, failed: int, unscored: int, stopped: str, aborted: bool, passed: bool, code: int
) -> None:
    """Stopped, then incomplete, then the gates: only a complete run fails by one."""
    verdict = {"verdict": "PASS" if passed else "FAIL", "passed": passed}
    outcome: Any = SimpleNamespace(
        report={"items": {"unfinished": unfinished}, "gates": [verdict]},
        unfinished=unfinished,
        failed=failed,
        unscored=SimpleNamespace(n=unscored),
        broken=Counter(),
    )
    nothing: Any = None

    assert RunEnd(outcome, nothing, stopped, aborted, 0, None).exit_code == code
