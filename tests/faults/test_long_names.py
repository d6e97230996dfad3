"""Names as long as a disk holds them, and longer: a command does its work, or says what to shorten before it makes anything."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from fault_bench import Peer, asked, panel, simulated_by, write_config
from nursery import Nursery

from tui_eval.cli.command_line import main
from tui_eval.runs.writing import write_file
from tui_eval.workspace.key_files import store_key
from tui_eval.workspace.private_files import replace_file, temporary_name

LENGTHS = (200, 239, 246, 250, 251, 252, 255)


def _sound(out: Path, code: int, said: str) -> None:
    """The run is whole, or nothing of it is there and the reason is said in words."""
    assert "Traceback" not in said
    assert (code == 0 and (out / "report.json").exists()) or (code == 2 and not out.exists() and "error: " in said), (
        code,
        said,
    )


@pytest.mark.parametrize("ending", [".md", ".html"])
def test_a_document_with_a_long_name(ending: str, nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Of whatever length; the copy in the run folder, and what is kept beside it, may have a longer one."""
    ended = {}
    for length in LENGTHS:
        name = "d" * (length - len(ending)) + ending
        (tmp_path / name).write_text(
            "<p>The mill grinds rye on Mondays, and the wheel was built in 1801 by the town.</p>\n" * 9
        )
        config = panel([simulated_by(peer.url, "only", "sim-scholar")], [asked("only")], documents=[name])
        out = tmp_path / f"run{length}"
        done = nursery.run("run", write_config(tmp_path, config), "--out", out)
        _sound(out, done.code or 0, done.stderr.decode())
        ended[length] = done.code
        (tmp_path / name).unlink()

    assert [ended[length] for length in LENGTHS if length <= 246] == [0, 0, 0]
    assert all(code == 0 for code in ended.values()) or ending == ".html"


@pytest.mark.parametrize("length", [*LENGTHS, 256, 300, 5000])
def test_other_long_names(length: int, nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Of the config's file, of what it calls the run and a model, of the run folder, of a run's model at its provider."""
    long = "n" * length
    model = simulated_by(peer.url, long, "bench")
    config = {**panel([model], [asked(long)]), "name": long}
    out = tmp_path / "run"
    done = nursery.run("run", write_config(tmp_path, config), "--out", out)
    _sound(out, done.code or 0, done.stderr.decode())

    elsewhere = tmp_path / "deep" / long
    done = nursery.run("run", tmp_path / "cfg.toml", "--out", elsewhere)
    if length <= 255:
        _sound(elsewhere, done.code or 0, done.stderr.decode())
        assert done.code in (0, 2)
    else:
        assert done.code == 2 and b"error: " in done.stderr and b"Traceback" not in done.stderr


@pytest.mark.parametrize("length", LENGTHS)
def test_files_of_any_name_are_replaced_in_one_step(length: int, tmp_path: Path) -> None:
    """Run files, private files and key files: the temporary name is short, and none of it is left."""
    name = "f" * length
    write_file(tmp_path / name, "run")
    replace_file(tmp_path / name, "private")
    store_key("A_KEY", "value123", tmp_path / ("e" * length))

    assert (tmp_path / name).read_text() == "private" and len(os.listdir(tmp_path)) == 2
    assert len(temporary_name()) < 40 and temporary_name() != temporary_name()


def test_a_set_with_a_long_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A set is called by what fits; a name that was given is refused in words, and no part of a set is left."""
    monkeypatch.chdir(tmp_path)
    source = tmp_path / f"{'s' * 250}.csv"
    source.write_text("id,question,A,B,answer\nq1,Which is a rock?,chalk,water,A\n")
    assert main(["datasets", "import", source.name]) == 0
    assert main(["datasets", "import", source.name, "--name", "x" * 246]) == 2
    assert re.search("at most 60", capsys.readouterr().err)
    assert [path.name for path in (tmp_path / "datasets").glob("[!.]*")] == [f"{'s' * 50}.json"]
    assert main(["datasets", "export", "s" * 50, "--out", f"{'o' * 250}.json"]) == 0
    assert json.loads((tmp_path / f"{'o' * 250}.json").read_text())
