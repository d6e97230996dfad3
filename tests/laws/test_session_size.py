"""Laws of `resume --dry-run`, over runs of every kind: it counts what the session would ask, and does nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pytest

from tui_eval.cli.command_line import main
from tui_eval.configuring import reopening
from tui_eval.configuring.caps import session_cap
from tui_eval.engine.previous_sessions import earlier_lives
from tui_eval.engine.replaying import still_to_ask
from tui_eval.runs.folder import BATCHES
from tui_eval.workspace.places import Workspace

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
RUNS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A finished or stopped run in a workspace of its own."""
    path = tmp_path / "runs" / request.param
    copytree(GOLDEN / request.param, path)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("failed", [[], ["--failed"]], ids=["what is left", "failed ones, too"])
def test_a_dry_run_counts_by_the_sum_of_the_cap_and_writes_nothing(
    failed: list[str], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its calls by model are those that are to be asked, and the cap is made of them; that cost is wanted changes no count."""
    workspace, before = run.parents[1], contents(run)
    code = main(["--workspace", str(workspace), "resume", run.name, *failed, "--dry-run", "--json"])
    told = json.loads(capsys.readouterr().out)

    loaded = reopening.reopen(run, Workspace(workspace), sends=False)
    life = earlier_lives(run, loaded.evaluation.repeat, taken=loaded.evaluation.task.recorded)
    with life.log.recorded as recorded:
        quick, whole = (still_to_ask(loaded.evaluation, recorded, bool(failed), costs=costs) for costs in (False, True))
    derived = bool(failed) and reopening.cap_is_derived(run, ())
    up_to = quick.calls + quick.may_follow

    assert code == 0 and contents(run) == before
    assert (quick.calls, quick.planned, quick.may_follow, quick.of_model) == (
        whole.calls, whole.planned, whole.may_follow, whole.of_model,
    )  # fmt: skip
    assert quick.calls == quick.of_model.total() == told["calls"] + told["simulated_calls"]
    assert {model["name"]: model["calls"] for model in told["models"] if model["calls"]} == dict(quick.of_model)
    assert told["cap"] == (session_cap(told["used"], up_to, 0) if derived else loaded.run.max_calls)
    assert told["room"] == max(told["cap"] - told["used"], 0) and told["used"] == life.ledger.calls
    assert whole.most is None or whole.most == sum(most or 0 for most in whole.most_of_model.values())


def test_a_person_reads_the_same(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Calls, the cap and the cost, and that nothing was sent."""
    assert main(["--workspace", str(run.parents[1]), "resume", run.name, "--failed", "--dry-run"]) == 0
    told = capsys.readouterr().out

    assert "still to be asked" in told and "calls in this session" in told and told.endswith("nothing was sent\n")


def test_calls_that_wait_in_batches_are_told_from_those_that_are_asked(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a server was handed is fetched; of what was about to be, nobody knows, and what is over is on file."""
    states = [("b1", "submitting"), ("b1", "submitted"), ("b2", "submitting"), ("b3", "submitted"), ("b3", "fetched")]
    lines = [json.dumps({"name": name, "state": state, "calls": int(name[1])}) + "\n" for name, state in states]
    (run / BATCHES).write_text("".join(lines))

    assert main(["--workspace", str(run.parents[1]), "resume", run.name, "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["in_batches"] == 1
