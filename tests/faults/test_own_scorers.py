"""Runs with own scorers: what goes wrong in their code loses nothing, is told by sample; no verb that only reads runs it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Peer, Table, derived_files, results_of, simulated_by, strict_lines, write_config
from nursery import Child, Nursery
from screen import app_on, press, sees
from waiting import until

from tui_eval.cli.verbs import VERBS
from tui_eval.workspace.places import Workspace, shipped
from tui_eval.workspace.trust import Permit, permit

MakePeer = Callable[..., Peer]
PROBLEMS = 4
RIGHT = """
import pathlib
pathlib.Path(__file__).with_name("imported").open("a").write("x")

def score(reply, sample) -> bool:
    return sample.target.split("####")[-1].strip() in reply
"""


READING = (
    "run CONFIG --dry-run",
    "run CONFIG --dry-run --egress",
    "resume r --dry-run",
    """rescore r --set scorers=[{python="scorers.py:score"}] --dry-run""",
    """rescore r --set scorers=["number"] --dry-run""",
    "status r",
    "status r --json",
    "stop r",
    "pause r",
    "continue r",
    "compare r r2",
    "leaderboard r r2 --out board",
    "export r --format csv",
    "export r --format md",
    "export r --format jsonl",
    "export r --format junit",
    "export r --file results.json",
    "costs",
    "items r",
    "bench r",
    "bench r --json",
    "aa r --dry-run",
    "judge certify r",
    "judge list",
    "datasets list",
    "models list",
    "config qa",
)
"""What reads a run or a config with own scorers, by every verb that takes one."""
NAMES_NO_RUN = frozenset(
    {"qa", "choice", "chat", "pipeline", "import", "call", "docs", "completion", "keys set"}
    | {
        f"models {verb}"
        for verb in ["add", "edit", "copy", "enable", "disable", "delete", "import", "template", "check", "discover", "trust"]
    }
    | {f"datasets {verb}" for verb in ["show", "import", "generate", "export", "select", "deselect"]}
)
"""Verbs that are told no run and no config with scorers, or begin runs of their own."""


class OwnRun:
    """A run of word problems whose answers are scored by a file of the folder."""

    def __init__(self, nursery: Nursery, peer: Peer, folder: Path, code: str = RIGHT, of_others: bool = False, **keys: Any):
        self.nursery, self.peer, self.folder, self.out = nursery, peer, folder / "ws", folder / "ws" / "runs" / "r"
        self.folder.mkdir()
        lines = (shipped("examples") / "qa" / "problems.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        (self.folder / "problems.jsonl").write_text("".join(lines[:PROBLEMS]), encoding="utf-8")
        self.write(code)
        config: Table = {
            "kind": "qa",
            "name": "own",
            "scorers": [{"python": "scorers.py:score", **keys}, "number"],
            "run": {"cache": False},
            "models": [simulated_by(peer.url, "one", "sim-scholar")],
            "qa": {
                "dataset": "problems.jsonl",
                "target": "answer",
                "models": ["one"],
                "prompts": [{"name": "plain", "text": "{question}"}],
            },
        }
        self.config = write_config(self.folder, config, of_others)

    def write(self, code: str, name: str = "scorers.py") -> None:
        """Write the code, or another version of it."""
        (self.folder / name).write_text(code, encoding="utf-8")

    def run(self) -> Child:
        """The run itself."""
        return self.verb("run", self.config, "--out", self.out)

    def verb(self, *words: object) -> Child:
        """A verb in the run's workspace."""
        return self.nursery.run(*words, "--workspace", self.folder)

    @property
    def imports(self) -> int:
        """How often the code was imported."""
        path = self.folder / "imported"
        return len(path.read_text(encoding="utf-8")) if path.exists() else 0

    def scores(self, name: str = "score") -> list[tuple[float | None, str]]:
        """The value of each sample with the reason for none."""
        rows = strict_lines(self.out / "results.jsonl")
        return [(each["value"], each["why"]) for row in rows for each in row["scores"] if each["name"] == name]

    def are_answered(self) -> bool:
        """Whether each sample has an answer, which another scorer has scored."""
        return [value is not None for value, _ in self.scores("number")] == [True] * PROBLEMS


@pytest.fixture
def own_run(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> Callable[..., OwnRun]:
    """Makes a run of this folder."""
    return lambda code=RIGHT, **more: OwnRun(nursery, peers(latency_scale=0), tmp_path, code, **more)


def test_scores_stand_in_every_report(own_run: Callable[..., OwnRun]) -> None:
    """As a rate by the function's annotation; what is derived again has the same bytes, and no code is run for it."""
    run = own_run()
    assert run.run().code == 0 and run.imports == 1
    assert run.scores() == run.scores("number") == run.scores("passed") and run.are_answered()
    before = derived_files(run.out)
    for name in before:
        (run.out / name).unlink()

    assert run.verb("rescore", run.out).code == 0

    assert derived_files(run.out) == before and run.imports == 1
    own, _ = tomllib.loads((run.out / "config.toml").read_text(encoding="utf-8"))["scorers"]
    assert (own["returns"], own["folder"]) == ("bool", str(run.folder))


def test_no_verb_that_only_reads_runs_code(own_run: Callable[..., OwnRun]) -> None:
    """Not of a run whose folder is trusted, either, and whose code is another one by now."""
    run = own_run()
    assert run.run().code == 0 and run.imports == 1
    (run.folder / "imported").unlink()
    run.write(f"{RIGHT}\n# another one\n")
    scores = (run.out / "scores.jsonl").read_bytes()
    shutil.copytree(run.out, run.folder / "runs" / "r2")

    for words in READING:
        code = run.verb(*(run.config if word == "CONFIG" else word for word in words.split())).code
        assert not run.imports and code in (0, 1, 2, 3), words

    assert (run.out / "scores.jsonl").read_bytes() == scores


def test_every_verb_is_tried_or_takes_no_run() -> None:
    """A new verb that reads runs belongs among those that run no code."""
    tried = {name for name in VERBS if any(words.startswith(f"{name} ") for words in [f"{each} " for each in READING])}
    assert VERBS.keys() == tried | NAMES_NO_RUN


def test_the_app_runs_no_code_for_results(own_run: Callable[..., OwnRun]) -> None:
    """Nor where it has a file made on demand, for which every flow is driven by the log."""
    from tui_eval.reporting.on_demand import file_on_demand

    run = own_run()
    assert run.run().code == 0
    (run.folder / "imported").unlink()

    with file_on_demand(run.out, Workspace(run.folder), "results.json") as file:
        assert b'"score"' in file.read_bytes()

    assert not run.imports


async def test_no_screen_of_the_app_runs_code(own_run: Callable[..., OwnRun]) -> None:
    """Summary, answers and grid, the log, and the scorer bench, which has every score."""
    run = own_run()
    assert run.run().code == 0
    (run.folder / "imported").unlink()
    run.write(f"{RIGHT}\n# another one\n")

    app = app_on(run.folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await sees(pilot, "own")
        await press(pilot, "v")
        await sees(pilot, "Summary")
        for _ in range(4):
            await press(pilot, "tab")
            await pilot.pause()
        await press(pilot, "b")
        await sees(pilot, "Scorer bench", "score (run)")
        await press(pilot, "escape", "6")
        await sees(pilot, "attempts")

    assert not run.imports


def test_code_of_a_folder_of_others_is_not_run(own_run: Callable[..., OwnRun]) -> None:
    """Scores are missing with the reason, exit 3, and the answers are there; a yes to the file is enough for a re-score."""
    run = own_run(of_others=True)
    assert run.run().code == 3
    reason = f"tui-eval models trust --plug-in 'scorer {run.folder}/scorers.py'"
    assert not run.imports and all(value is None and reason in why for value, why in run.scores())
    assert run.are_answered()

    permit(run.folder, [Permit("plug-in", f"scorer {run.folder}/scorers.py", "")])

    assert run.verb("rescore", run.out).code == 0 and run.imports == 1
    assert run.scores() == run.scores("number")


@pytest.mark.parametrize(("answer", "code", "asked"), [("y", 0, PROBLEMS), ("n", 2, 0)])
def test_a_person_is_asked_before_anything_is_sent(answer: str, code: int, asked: int, own_run: Callable[..., OwnRun]) -> None:
    """At a terminal; a yes lets the code run in this run and in later ones."""
    run = own_run(of_others=True)
    words = [sys.executable, "-m", "tui_eval", "run", run.config, "--out", run.out, "--workspace", run.folder]
    terminal, inner = os.openpty()
    with subprocess.Popen([*map(str, words)], stdin=inner, stderr=inner, stdout=subprocess.DEVNULL) as process:
        os.close(inner)
        told = read_until(terminal, "[y/s/N]")
        assert "It would be run for the first time:" in told and f"{run.folder}/scorers.py: code of a scorer" in told
        assert not run.peer.simulator.stats()["requests"]
        os.write(terminal, f"{answer}\n".encode())
        read_until(terminal, "")
        os.close(terminal)
    assert (process.returncode, run.peer.simulator.stats()["requests"], run.imports) == (code, asked, int(bool(asked)))
    if asked:
        assert run.scores() == run.scores("number")


def read_until(terminal: int, words: str) -> str:
    """Read what a process writes to its terminal, until there are these words, or to its end."""
    told = ""
    with suppress(OSError):  # the end of a terminal
        while (not words or words not in told) and (data := os.read(terminal, 4096)):
            told += data.decode("utf-8", "replace")
    return told


FUSSY = """
def score(reply, sample):
    if sample.id == "p02":
        raise KeyError(sample.key)
    return {"a": 1, "b": 0}
"""


def test_the_sample_without_a_score_is_named(own_run: Callable[..., OwnRun]) -> None:
    """With function and reason, and the command that scores it when the code is mended; a word names a function, too."""
    run = own_run(FUSSY, metric="a")

    told = run.run().stderr.decode()

    key = next(row["item_id"] for row in strict_lines(run.out / "results.jsonl") if row["item_id"].endswith("/p02"))
    assert f"own scorer scorers.py:score: 1 reply without a score ({key}): KeyError: '{key}' (scorers.py, line 4)" in told
    assert "incomplete: all is answered, 1 reply without a score of an own scorer. When the code is mended: tui-eval" in told
    run.write(RIGHT)
    assert run.verb("rescore", run.out, "--scorers", "scorers.py:score").code == 0


def test_a_run_of_others_brings_its_scores_and_no_code(own_run: Callable[..., OwnRun], tmp_path: Path) -> None:
    """Handed on, it is read and scored again to the same scores where its code is not, and where other code is in its place."""
    run = own_run()
    assert run.run().code == 0
    before, scores = results_of(run.out), run.scores()
    shutil.move(run.folder, tmp_path / "elsewhere")
    run.folder, run.out = tmp_path / "elsewhere", tmp_path / "elsewhere" / "runs" / "r"
    (run.folder / "imported").unlink()

    assert run.verb("rescore", run.out).code == 0

    assert run.scores() == scores and results_of(run.out) == before and not run.imports


WRONG = {
    "raise ValueError('no number')": "ValueError: no number (scorers.py, line 4)",
    "time.sleep(600)": "took longer than 0.5 s",
    "os._exit(1)": "ended the process of the scorer",
    "return float('nan')": "returned nan, which is no number",
    "import no_such_module_anywhere": "ModuleNotFoundError: No module named 'no_such_module_anywhere' (scorers.py, line 4)",
    "return 7": "returned 7, which is off its scale, 0 to 1",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_goes_wrong_is_told_by_sample(line: str, own_run: Callable[..., OwnRun]) -> None:
    """One sample is missing with its reason, never a zero; the others have their scores; every answer is there; exit 3."""
    code = f"import os, time\ndef score(reply, sample):\n    if sample.id.endswith('p02'):\n        {line}\n    return 1.0\n"
    run = own_run(code, timeout_s=0.5)

    child = run.run()

    assert child.code == 3 and WRONG[line].encode() in child.stderr
    assert sorted(run.scores(), key=str) == sorted([(None, WRONG[line]), *[(1.0, "")] * (PROBLEMS - 1)], key=str)
    assert run.are_answered()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import time\ndef score(reply, sample): time.sleep(600)\n", "took longer than 0.2 s"),
        (
            "import no_such_module_anywhere\ndef score(reply, sample): return 1\n",
            "scorers.py: cannot be imported: ",
        ),
    ],
)
def test_what_is_wrong_with_all_is_stopped(code: str, reason: str, own_run: Callable[..., OwnRun]) -> None:
    """Every sample has the reason, and a re-score with better code scores all."""
    run = own_run(code, timeout_s=0.2)

    assert run.run().code == 3
    assert all(value is None and reason in why for value, why in run.scores()) and len(run.scores()) == PROBLEMS

    run.write("def score(reply, sample): return 0.5\n")
    assert run.verb("rescore", run.out).code == 0
    assert run.scores() == [(0.5, "")] * PROBLEMS


def test_changed_code_scores_anew_and_unchanged_code_does_not(own_run: Callable[..., OwnRun]) -> None:
    """A file that the scorer imports later counts, too; what a limit left without a value is tried again."""
    run = own_run("def score(reply, sample):\n    import helper\n    return helper.VALUE\n")
    run.write("VALUE = 0.25\n", "helper.py")
    assert run.run().code == 0 and run.scores() == [(0.25, "")] * PROBLEMS
    before = (run.out / "scores.jsonl").read_bytes()

    assert run.verb("rescore", run.out).code == 0 and (run.out / "scores.jsonl").read_bytes() == before

    run.write("VALUE = 0.75\n", "helper.py")
    assert run.verb("rescore", run.out).code == 0 and run.scores() == [(0.75, "")] * PROBLEMS
    assert (run.out / "scores.jsonl").read_bytes().startswith(before)

    run.write("VALUE = 0.25\n", "helper.py")
    assert run.verb("rescore", run.out).code == 0 and run.scores() == [(0.25, "")] * PROBLEMS


LEAKING = """
import pathlib

def score(reply, sample):
    raise ValueError(pathlib.Path(__file__).with_name(".env").read_text())
"""


def test_no_key_that_code_reads_is_written(own_run: Callable[..., OwnRun], monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by a run that does not use the key, nor by a re-score; and one that takes long says how far it is."""
    from tui_eval.reporting import rescoring
    from tui_eval.reporting.own_code import supervisor

    canary, told = "sk-canary-0123456789abcdef", list[str]()
    run = own_run(LEAKING)
    (run.folder / ".env").write_text(f"OTHER_API_KEY={canary}\n", encoding="utf-8")
    assert run.run().code == 3 and "[redacted]" in run.scores()[0][1]
    monkeypatch.setattr(supervisor, "TOLD_EVERY_S", 0.0)
    run.write(f"{LEAKING}\n# another one\n")

    rescoring.rescore(run.out, Workspace(run.folder), (), told.append)

    assert told[-1] == f"own scorer scorers.py:score: {PROBLEMS} replies scored so far" and "[redacted]" in run.scores()[0][1]
    assert not [path for path in run.out.rglob("*") if path.is_file() and canary.encode() in path.read_bytes()]


def test_a_torn_line_costs_its_score_alone(own_run: Callable[..., OwnRun]) -> None:
    """It is scored again, and the line behind it is a line of its own."""
    run = own_run()
    assert run.run().code == 0
    path = run.out / "scores.jsonl"
    path.write_bytes(path.read_bytes()[:-20])

    assert run.verb("rescore", run.out).code == 0 and run.imports == 2

    assert run.scores() == run.scores("number")


def test_a_run_that_is_not_over_is_not_scored_yet(own_run: Callable[..., OwnRun]) -> None:
    """One that was stopped runs no code; its resume does."""
    run, go_on = own_run(), threading.Event()
    run.peer.simulator.hold(go_on.is_set, after=2)
    one = ("--set", "run.max_concurrency=1")
    child = run.nursery.start("run", run.config, "--out", run.out, "--workspace", run.folder, *one)
    until(lambda: run.peer.simulator.stats()["requests"] == 3)
    child.send(signal.SIGINT)
    until(lambda: b"interrupted" in child.stderr)
    go_on.set()
    assert child.wait() == 130 and not run.imports
    assert all(value is None for value, _ in run.scores()) and (None, "not scored yet") in run.scores()

    assert run.verb("resume", run.out).code == 0 and run.imports == 1

    assert run.scores() == run.scores("number") and run.are_answered()
