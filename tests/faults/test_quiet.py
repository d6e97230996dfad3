"""`-q`: the narration is silenced; why a command failed, what is to be known, and where keys go are said all the same."""

from __future__ import annotations

import io
import re
from pathlib import Path
from shutil import copytree

import pytest
from fault_bench import (
    MakeDisk,
    Peer,
    Table,
    asked,
    closed_port,
    panel,
    simulated_by,
    spoken_by,
    write_config,
)
from nursery import Nursery

from tui_eval.cli.command_line import VERBS, main
from tui_eval.cli.verb import Parser

ROOT = Path(__file__).resolve().parents[2]
NARRATION = re.compile(r"^\s*[0-9]+ %  |^run folder: |^writing reports ", re.MULTILINE)


def _config(url: str, calls: int = 3, **run: object) -> Table:
    return panel([simulated_by(url, "only", "bench-20ms")], [asked("only", calls)], run={"retries": 0, **run})


def test_a_server_that_is_not_there_is_said(nursery: Nursery, tmp_path: Path) -> None:
    """Why the calls failed, how many, and the next step; no word of how the run went on."""
    url = f"http://127.0.0.1:{closed_port()}/v1"
    done = nursery.run("run", write_config(tmp_path, _config(url)), "--out", tmp_path / "run", "-q")
    said = done.stderr.decode()

    assert done.code == 3
    assert "why calls failed:" in said and "3 x only:" in said and "incomplete: 3 failed" in said
    assert not NARRATION.search(said)


def test_a_preflight_that_fails_is_said(nursery: Nursery, tmp_path: Path) -> None:
    """Which model cannot answer, and why nothing was started."""
    config = _config("")
    config["models"] = [spoken_by(f"http://127.0.0.1:{closed_port()}/v1", "only", "m")]
    done = nursery.run("run", write_config(tmp_path, config), "--out", tmp_path / "run", "-q", preflight=True)

    assert done.code == 3 and "only" in done.stderr.decode() and not NARRATION.search(done.stderr.decode())


def test_where_a_key_goes_is_said(nursery: Nursery, peer: Peer, tmp_path: Path, canary: str) -> None:
    """The host and the variable, and nothing else where all goes well; of a model without a key nothing at all."""
    keyed = spoken_by(peer.url, "keyed", "bench-20ms", api_key_env=canary)
    config = panel([keyed, simulated_by(peer.url, "keyless", "bench-20ms")], [asked("keyed"), asked("keyless")])
    done = nursery.run("run", write_config(tmp_path, config), "--out", tmp_path / "run", "-q")
    host = peer.url.removeprefix("http://").removesuffix("/v1")

    assert (done.code, done.stderr.decode()) == (0, f"asked: keyed -> {host}, key {canary}\n")


@pytest.mark.parametrize("kib", [pytest.param(300, marks=pytest.mark.soak), 700])
def test_a_full_disk_is_said(kib: int, nursery: Nursery, peer: Peer, tmp_path: Path, disk: MakeDisk) -> None:
    """That there is no reserve, why the run stopped, and how it is finished; no narration."""
    config = write_config(tmp_path, _config(peer.url, 260, max_concurrency=8))
    done = nursery.run("run", config, "--out", disk(kib) / "run", "-q")
    said = done.stderr.decode()

    assert done.code == 3
    assert "cannot be kept in reserve" in said and "No space left" in said and "tui-eval resume" in said
    assert not NARRATION.search(said)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a run whose gate fails."""
    monkeypatch.chdir(tmp_path)
    copytree(ROOT / "tests" / "golden" / "choice", tmp_path / "runs" / "one")
    return tmp_path


@pytest.mark.parametrize("name", [name for name in VERBS if name != "models discover"])
def test_every_verb_that_fails_says_why(
    name: str, workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with -q as without: called with names that mean nothing, whatever ends with another code than 0."""
    actions = Parser(VERBS[name])._actions
    words = name.split()
    words += ["nope"] * sum(not a.option_strings and a.nargs not in ("?", "*") for a in actions)
    words += [word for a in actions if a.option_strings and a.required for word in (a.option_strings[0], "nope")]
    monkeypatch.setattr("sys.stdin", io.StringIO())
    loud = (main(words), capsys.readouterr().err)
    quiet = (main([*words, "-q"]), capsys.readouterr().err)

    assert not loud[0] or (quiet == loud and quiet[1])


def test_standard_error_has_one_door() -> None:
    """What a verb says there goes through what knows -q; a question to a person and the last words of the program do not."""
    found = {
        path.name: len(re.findall(r"sys\.stderr\b", path.read_text()))
        for path in sorted((ROOT / "tui_eval" / "cli").glob("*.py"))
        if "sys.stderr" in path.read_text()
    }

    assert set(found) == {"command_line.py", "narration.py", "running.py", "standard_error.py"}
    assert found["running.py"] == 2  # whether a person sits there, and the question
